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
    context_tokens: int
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
    message_count: int
    last_activity: Time | None
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
    changed: list[str]
    """Ids of known ones that came with another text this time; the first stays."""


class ImportSeen(Struct):
    agent: str
    outcome: Literal["added", "known"]
    rows: int
    changed: list[str]


class ImportList(Struct):
    agents: list[ImportSeen]


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
    summary_at: Time | None


class SessionShown(SessionSeen, kw_only=True):
    messages: list[MessageSeen]
    more: bool


class SessionList(Struct):
    sessions: list[SessionSeen]
    more: bool


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
    more: bool


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


class EntrySeen(Struct):
    n: int
    at: Time
    event: str
    subject: str
    hash: str


class EntryList(Struct):
    agent: str
    entries: list[EntrySeen]
    more: bool


class VerdictSeen(Struct):
    agent: str
    sound: bool
    entries: int
    rows: int
    faults: list[Object]


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
    files_left: list[str]


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
