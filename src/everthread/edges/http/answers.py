"""What answers look like. They are made by `edges.documents`; this is their shape for OpenAPI."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Object = dict[str, Any]
Time = str
"""ISO-8601, UTC."""


class Problem(Struct):
    type: str
    title: str
    status: int
    detail: str


class ThreadSeen(Struct):
    id: str
    key: str
    kind: Literal["primary", "background", "ephemeral"]
    lineage: int
    message_count: int
    turn_count: int
    computed_context_tokens: int
    last_input_tokens: int | None
    window: int
    window_percent: float
    created_at: Time
    last_activity: Time


class AgentSeen(Struct):
    agent: str
    agent_id: str
    model: str | None
    window: int
    created_at: Time
    session: Object | None
    session_count: int
    open_turn: Object | None
    last_turn: Object | None
    timeline_entries: int
    calibration: Object
    distilled: Object
    threads: list[ThreadSeen]
    channels: list[Object]


class AgentName(Struct):
    agent: str
    agent_id: str
    model: str | None
    window: int
    created_at: Time


class AgentList(Struct):
    agents: list[AgentName]


class ThreadList(Struct):
    agent: str
    threads: list[ThreadSeen]


class Status(Struct):
    store: str | None
    disk: Object
    vocabulary: str
    jobs: list[Object]
    agents: list[AgentSeen]


class FindingSeen(Struct):
    check: str
    fine: bool
    says: str
    advice: str
    agent: str | None


class Findings(Struct):
    findings: list[FindingSeen]


class MessageSeen(Struct):
    id: str
    seq: int
    at: Time
    created_at: Time
    role: str
    kind: str
    origin: str
    source: str
    external_id: str | None
    name: str | None
    principal: str | None
    archived: bool
    tokens: int
    content: str | list[Any]


class MessageList(Struct):
    agent: str
    thread: str
    messages: list[MessageSeen]
    more: bool


class Counted(Struct):
    added: int
    known: int


class SessionSeen(Struct, kw_only=True):
    session_id: str
    agent_id: str
    task_slug: str | None
    state: str
    started_at: Time
    last_activity: Time
    current_gate: str | None
    checkpoint_count: int
    parent_session: str | None
    child_sessions: list[str]
    id: str
    key: str
    agent: str
    thread: str
    previous_session: str | None
    channel: str | None
    harness: str | None
    project: str | None
    principal: str | None
    last_human_at: Time | None
    ended_at: Time | None
    message_count: int
    context_tokens: int
    summary: str | None


class SessionShown(SessionSeen, kw_only=True):
    messages: list[MessageSeen]
    more: bool


class SessionList(Struct):
    sessions: list[SessionSeen]


class TurnSeen(Struct):
    id: str
    number: int
    state: str
    model: str | None
    context_tokens: int
    reported: Object | None
    error: str | None
    opened_at: Time
    closed_at: Time | None


class TurnList(Struct):
    agent: str
    turns: list[TurnSeen]


class OpenTurn(Struct):
    agent: str
    id: str
    number: int
    state: str
    session: str
    context_tokens: int
    open_calls: list[str]
    system: Any
    messages: list[Object]
    tools: list[Object]


class HitSeen(Struct):
    id: str
    kind: str
    text: str
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


class MemoryKept(MemorySeen, kw_only=True):
    agent: str
    supersedes: list[str]


class MemoryShown(MemorySeen, kw_only=True):
    agent: str
    fresh: str


class MemoryList(Struct):
    agent: str
    memories: list[MemorySeen]


class EntrySeen(Struct):
    n: int
    at: Time
    event: str
    subject: str
    hash: str


class MemoryVersion(MemorySeen, kw_only=True):
    events: list[EntrySeen]


class MemoryHistory(Struct):
    agent: str
    versions: list[MemoryVersion]


class Forgotten(Struct):
    agent: str
    id: str
    state: Literal["forgotten"]


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


class ReceiptShown(ReceiptSeen, kw_only=True):
    summary: str | None
    hidden: list[list[int]]
    sentences: list[Object]
    flushes: list[Object]


class ReceiptList(Struct):
    agent: str
    score_threshold: float
    receipts: list[ReceiptSeen]


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
    files: list[str]
    warnings: list[str]


class ContextSeen(Struct):
    agent: str
    thread: str
    turn: int | None
    tokens: int
    window: int
    working_state: str | None
    system: Any
    tools: list[Object]
    messages: list[Object]


class EntryList(Struct):
    agent: str
    entries: list[EntrySeen]


class VerdictSeen(Struct):
    agent: str
    sound: bool
    entries: int
    rows: int
    faults: list[Object]


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


class Restored(Struct):
    agent: str
    compaction: str
    restored: list[str]


class TombstoneSeen(Struct):
    id: str
    subject: str
    what: str
    reason: str | None
    messages: int
    erased_at: Time


class Erased(Struct):
    agent: str
    erased: list[TombstoneSeen]


class TokenSeen(Struct, kw_only=True):
    id: str
    name: str
    scopes: list[str]
    agents: list[str]
    created_at: Time
    used_at: Time | None
    revoked_at: Time | None


class TokenMade(TokenSeen, kw_only=True):
    secret: str


class TokenList(Struct):
    tokens: list[TokenSeen]
