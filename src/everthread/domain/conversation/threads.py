"""Threads: primary | background | ephemeral, and what each kind implies."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, get_args

from everthread.domain.checks import checked_text
from everthread.domain.errors import KeyReserved, KindUnknown, ThreadClosed, ThreadUnknown
from everthread.domain.ids import id_text
from everthread.domain.times import HOUR, moment_of, text_of

ThreadKind = Literal["primary", "background", "ephemeral"]
KINDS: tuple[ThreadKind, ...] = get_args(ThreadKind)

RESERVED = ("agent:", "ask:", "daemon:", "dispatch:", "everthread:", "send:", "spawn:")
"""Prefixes that name threads which Everthread opens itself."""

LONGEST_KEY = 500


class Thread(NamedTuple):
    """A conversation that belongs to an agent."""

    ref: int
    agent_ref: int
    key_id: bytes
    kind: ThreadKind
    key: str
    lineage: int
    last_seq: int
    message_count: int
    turn_count: int
    view_version: int
    view_at: int
    computed_context_tokens: int
    last_input_tokens: int
    last_distilled_at: int | None
    last_activity_ms: int
    created_ms: int
    closed_ms: int | None
    erased_ms: int | None
    working_state: str | None
    """What the agent was at, as JSON; read by `domain.working`."""
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def last_activity_at(self) -> datetime:
        return moment_of(self.last_activity_ms)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


def primary_key(agent: str) -> str:
    """The key of an agent's one primary thread."""
    return f"agent:{agent}:main"


def agent_in_key(key: str) -> str | None:
    """Whose primary thread has that key; None where it is no such key."""
    name = key.removeprefix("agent:").removesuffix(":main")
    return name if key == primary_key(name) else None


def checked_kind(kind: str) -> ThreadKind:
    """The kind, if it is one; a thread's kind has no default."""
    if kind not in KINDS:
        raise KindUnknown(f"{kind!r} is not a kind of thread; use one of: {', '.join(KINDS)}")
    return kind


def checked_key(key: str) -> str:
    """A key from outside: not empty, not too long, without a prefix that is ours."""
    checked_text("a thread key", key, longest=LONGEST_KEY)
    for prefix in RESERVED:
        if key.startswith(prefix):
            raise KeyReserved(
                f"keys that begin with {prefix!r} are Everthread's own; choose another"
            )
    return key


def kind_of_key(key: str) -> ThreadKind | None:
    """What a key from an older system says about its thread. For import and backfill only."""
    if "prosoche" in key or key.startswith(("daemon:", "cron:", "heartbeat:")):
        return "background"
    if key.startswith(("ask:", "spawn:", "send:", "dispatch:")):
        return "ephemeral"
    return None


def has_expired(last_activity: int, *, now: int, hours: float) -> bool:
    """Has an ephemeral thread outlived its last activity by so long that its rows go?"""
    return now - last_activity > hours * HOUR


def must_be_of(thread: Thread, agent: int, name: str) -> None:
    """A thread is its agent's alone. Of whom it is instead is not said."""
    if thread.agent_ref != agent:
        raise ThreadUnknown(
            f"the thread belongs to another agent than {name!r}: ask that agent, or take a thread of "
            "its own, agent.thread(key, kind=…)"
        )


def must_be_open(thread: Thread) -> None:
    """A closed thread takes nothing more."""
    if thread.closed_ms is not None:
        raise ThreadClosed(
            f"thread {thread.key!r} was closed at {text_of(thread.closed_ms)}; open another one"
        )
