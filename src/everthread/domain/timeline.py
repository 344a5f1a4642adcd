"""The hash-chained log of everything that happened to an agent.

An entry holds a salted digest of the row it speaks of, never its text. The chain makes removed and
reordered entries visible; the digests make changed rows visible; a lawful purge drops the salt, after
which the digest says nothing any more.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import NamedTuple

from .agents import AgentRow, Tombstone
from .ids import id_text
from .messages import Message
from .sessions import Session
from .threads import Thread
from .times import moment_of
from .turns import TurnRow
from .views import Mark

GENESIS = bytes(32)

Facts = tuple[str | int | float | None, ...]


class Entry(NamedTuple):
    """One link of the chain."""

    n: int
    at_ms: int
    event: str
    subject: bytes
    salt: bytes | None
    digest: bytes
    hash: bytes

    @property
    def at(self) -> datetime:
        return moment_of(self.at_ms)

    @property
    def subject_id(self) -> str:
        return id_text(self.subject)


class Fault(NamedTuple):
    """Something that `verify` found: where, and what is wrong with it."""

    n: int | None
    event: str
    subject: str
    problem: str


def digest_of(salt: bytes, facts: Facts) -> bytes:
    """What an entry says about a row without saying the row."""
    # Lengths before texts: no two different rows can read the same.
    parts = [f"{len(f)}:{f}" if isinstance(f, str) else repr(f) for f in facts]
    return hashlib.sha256(salt + ",".join(parts).encode()).digest()


def link(previous: bytes, n: int, at: int, event: str, subject: bytes, digest: bytes) -> bytes:
    """The hash that ties an entry to all before it."""
    head = f"{n}|{at}|{event}|".encode()
    return hashlib.sha256(previous + head + subject + digest).digest()


def agent_facts(agent: AgentRow) -> Facts:
    return (
        agent.name,
        agent.model,
        agent.window,
        agent.inactivity_hours,
        agent.time_zone,
        _hex(agent.system_hash),
        _hex(agent.tools_hash),
        agent.created_ms,
    )


def thread_facts(thread: Thread) -> Facts:
    return (thread.kind, thread.key, thread.lineage, thread.created_ms, thread.erased_ms)


def session_facts(session: Session) -> Facts:
    return (
        session.key,
        session.state,
        session.channel,
        session.harness,
        session.project,
        session.task,
        session.gate,
        session.principal,
        session.started_ms,
        session.ended_ms,
        session.summary,
    )


def turn_facts(turn: TurnRow) -> Facts:
    return (
        turn.number,
        turn.state,
        turn.model,
        turn.window,
        turn.view_version,
        turn.first_seq,
        # An open turn grows; only where it ended is sealed.
        None if turn.state == "open" else turn.last_seq,
        _hex(turn.system_hash),
        _hex(turn.tools_hash),
        _hex(turn.block_hash),
        turn.computed_tokens,
        turn.context_tokens,
        turn.reported,
        turn.error,
        turn.opened_ms,
        turn.closed_ms,
    )


def message_facts(thread: bytes, message: Message) -> Facts:
    return (
        thread.hex(),
        message.seq,
        message.role,
        message.kind,
        message.origin,
        message.source,
        message.external_id,
        message.name,
        message.principal,
        int(message.archived),
        int(message.form),
        message.content,
        message.at_ms,
        message.created_ms,
    )


def mark_facts(mark: Mark) -> Facts:
    return (mark.action, mark.from_seq, mark.to_seq, mark.since_version, mark.until_version)


def tombstone_facts(stone: Tombstone) -> Facts:
    return (stone.subject.hex(), stone.what, stone.reason, stone.messages, stone.erased_ms)


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()
