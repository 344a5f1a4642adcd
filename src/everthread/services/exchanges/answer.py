"""Answer: an exchange ends, on both sides at once and only once."""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.exchanges.exchanges import Status, audit_text
from everthread.ports import Records

LONGEST_ERROR = 2_000


class Outcome(NamedTuple):
    """How an exchange ends."""

    status: Status
    answer: str | None = None
    error: str | None = None
    tokens: int = 0


def close_exchange(records: Records, pair: bytes, outcome: Outcome, now: int) -> bool:
    """Close both sides; False, and nothing changes, where it is closed already."""
    sides = [side for side in records.exchanges.hold([pair]) if side.status == "pending"]
    for side in sides:
        closed = side._replace(
            status=outcome.status,
            answer=side.answer if outcome.answer is None else audit_text(outcome.answer),
            error=None if outcome.error is None else audit_text(outcome.error)[:LONGEST_ERROR],
            tokens=side.tokens + outcome.tokens,
            closed_ms=now,
        )
        records.exchanges.change(Scope(side.agent_ref), closed, now=now)
    return bool(sides)
