"""What answers look like: what is remembered, distilled and checkpointed."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from .answers import EntrySeen, Object, Time


class HitSeen(Struct):
    id: str
    kind: str
    text: str
    cut: bool
    """Is the text a part of it, to fit into `tokens`?"""
    score: float
    at: Time
    fresh: str
    superseded: bool
    why: str
    parts: dict[str, float]
    context: list[Object]
    messages: list[Object]


class HitList(Struct):
    agent: str
    hits: list[HitSeen]
    waiting: int | None
    """Texts that have no vector yet; null where nobody waited."""
    note: str | None = None
    """What holds of all hits: that they were found by words alone, where vectors were not ready."""


class Indexed(Struct):
    agent: str
    cards: int


class MemorySeen(Struct, kw_only=True):
    id: str
    state: Literal["kept", "superseded", "forgotten"]
    kind: str
    text: str
    scope: Literal["agent", "project", "user"]
    project: str | None
    principal: str | None
    origin: str
    confidence: float
    importance: float
    pinned: bool
    tags: list[str]
    sources: list[str]
    files: Object
    commits: list[str]
    valid_from: Time | None
    valid_to: Time | None
    superseded_by: str | None
    said: int
    created_at: Time
    updated_at: Time
    owner: str | None = None
    """The agent whose it is, where another one keeps it user-wide."""


class MemoryListed(MemorySeen, kw_only=True):
    said_at: Time


class MemoryKept(MemorySeen, kw_only=True):
    agent: str
    supersedes: list[str]
    beside: list[MemoryListed] = field(default_factory=list[MemoryListed])
    """Others that may be about the same thing, if so many were asked for."""


class MemoryShown(MemoryListed, kw_only=True):
    agent: str
    fresh: str
    purged_sources: list[str]


class MemoryList(Struct):
    agent: str
    memories: list[MemoryListed]
    more: bool


class MemoryVersion(MemorySeen, kw_only=True):
    events: list[EntrySeen]


class MemoryHistory(Struct):
    agent: str
    versions: list[MemoryVersion]


class ScorerSeen(Struct):
    agent: str
    mode: str
    why: str
    influence: float
    cap: float
    sessions: Object
    trained: Any
    ranking: Object
    weights: Object
    holdout: Object
    recovery: Object
    updated_at: Time | None


class Forgotten(Struct):
    agent: str
    id: str
    state: Literal["forgotten"]
    left: list[Object] = field(default_factory=list[Object])
    """What is still found and may say it in other words: id and kind of each."""


class NoteSeen(Struct, kw_only=True):
    id: str
    category: str
    text: str
    origin: str
    created_at: Time


class NoteKept(NoteSeen, kw_only=True):
    agent: str


class NoteList(Struct):
    agent: str
    notes: list[NoteSeen]
    more: bool


class Deleted(Struct):
    agent: str
    deleted: str


class InjectionSeen(Struct):
    id: str
    at: Time
    turn: int | None
    session: str
    purpose: str
    reason: str
    bytes: int
    tokens: int
    hash: str | None
    items: list[Object]


class InjectionList(Struct):
    agent: str
    injections: list[InjectionSeen]
    more: bool


class KnewSeen(Struct):
    agent: str
    turn: int
    opened_at: Time
    view: Object
    text: str | None
    items: list[Object]
    injections: list[InjectionSeen]


class ReceiptSeen(Struct, kw_only=True):
    thread: str | None
    agent: str
    timestamp: Time
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    facts_extracted: int
    decisions_extracted: int
    open_items_extracted: int
    flush_succeeded: bool | None
    errors: Any
    id: str
    number: int | None
    outcome: str | None
    mode: str | None
    distiller: str | None
    fired: Any
    score: Object | None
    struck: int
    dropped: Object
    timings_ms: Object
    spent: Any
    opened_at: Time
    closed_at: Time | None
    undone_at: Time | None
    purged: Object | None


class ReceiptShown(ReceiptSeen, kw_only=True):
    summary: str | None
    hidden: list[list[int]]
    sentences: list[Object]
    flushes: list[Object]
    lost: list[Object]
    recoverable: list[Object]
    ended: list[Object]


class ReceiptList(Struct):
    agent: str
    score_threshold: float
    receipts: list[ReceiptSeen]
    more: bool


class Reversed(Struct):
    receipt: str
    number: int | None
    outcome: str | None
    dry_run: bool
    messages: int
    tokens_before: int
    tokens_after: int
    limit: int
    remade: list[int]
    memories: int
    left: list[str]
    left_why: list[str]
    files: list[str]
    warnings: list[str]


class ContextSeen(Struct):
    agent: str
    thread: str
    turn: int | None
    call: int | None
    calls: int
    tokens: int
    window: int
    working_state: str | None
    system: Any
    tools: list[Object]
    messages: list[Object]


class CheckpointSeen(Struct, kw_only=True):
    """A checkpoint; beside these, what was looked for, remembered and asked since the one before."""

    id: str
    agent: str
    session_id: str
    session_key: str
    project: str | None
    project_normalized: str | None
    harness: str | None
    kind: str
    created_at: Time
    prompt_count: int
    total_prompts: int
    task: str | None
    gate: str | None
    step: str | None
    can_resume: bool
    digest: str
    schema_version: int


class CheckpointList(Struct):
    checkpoints: list[CheckpointSeen]
    count: int
    more: bool


class CompactionSeen(Struct, kw_only=True):
    id: str
    agent: str
    session_id: str
    session_key: str
    harness: str | None
    trigger: str
    state: str
    created_at: Time
    items: int | None
    harness_kept: float | None
    given_back: float | None
    recoverable: float | None
    lost: float | None
    waiting: int
    error: str | None


class CompactionShown(CompactionSeen, kw_only=True):
    missing: list[list[Any]]


class CompactionList(Struct):
    agent: str
    compactions: list[CompactionSeen]
    more: bool


class Restored(Struct):
    agent: str
    compaction: str
    restored: list[str]
