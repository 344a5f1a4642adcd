"""A turn: one human message, the model's work on it, the reply."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from everthread.domain.ids import id_text
from everthread.domain.times import STEP_BACK_LIMIT, moment_of

TurnState = Literal["open", "done", "failed"]

LONGEST_LEASE = 2 * STEP_BACK_LIMIT


class TurnRow(NamedTuple):
    """A turn as it is stored: enough to rebuild byte for byte what was sent."""

    ref: int
    agent_ref: int
    key_id: bytes
    thread_ref: int
    session_ref: int
    number: int
    state: TurnState
    owner: str
    lease_until: int
    model: str | None
    window: int
    view_version: int
    first_seq: int
    last_seq: int
    system_hash: bytes | None
    tools_hash: bytes | None
    block_hash: bytes | None
    computed_tokens: int
    context_tokens: int
    reported: str | None
    error: str | None
    opened_ms: int
    closed_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def opened_at(self) -> datetime:
        return moment_of(self.opened_ms)

    @property
    def closed_at(self) -> datetime | None:
        return None if self.closed_ms is None else moment_of(self.closed_ms)


def is_abandoned(lease_until: int, *, now: int) -> bool:
    """Its process has not renewed the lease: the turn counts as failed.

    A lease that is longer than any was given by a clock that was wrong.
    """
    return now >= lease_until or lease_until - now > LONGEST_LEASE
