"""Abandon: a turn whose program is gone counts as failed, and so does what it was to answer."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.agents import Scope
from everthread.domain.conversation.turns import TurnRow, is_abandoned
from everthread.domain.exchanges.exchanges import is_overdue
from everthread.ports import House, Records
from everthread.services.exchanges.answer import Outcome, close_exchange
from everthread.services.giving.surface import take_back

ABANDONED = "abandoned: the process that held the turn is gone"
DROPPED = "abandoned: the program let go of the turn without done() or failed()"

Living = Callable[[bytes], bool]
"""Is the turn of that key, one of this process, still held by someone?"""


def why_abandoned(
    house: House, turn: TurnRow, *, now: int, living: Living = lambda _key: True
) -> str | None:
    """Why an open turn counts as abandoned; None while it does not."""
    if turn.owner == house.owner:
        if not living(turn.key_id):
            return DROPPED
    elif house.gone(turn.owner):
        return ABANDONED
    return ABANDONED if is_abandoned(turn.lease_until, now=now) else None


def close_abandoned(records: Records, scope: Scope, turn: TurnRow, why: str, now: int) -> TurnRow:
    """An abandoned turn counts as failed; what was said in it stays."""
    take_back(records, scope, turn.ref, now=now)
    asked = records.exchanges.answered_by(scope, turn.ref)
    if asked is not None and not is_overdue(asked, now=now):
        # Whoever asked may ask again, and has room for it. What is too late is the sweep's.
        close_exchange(records, asked.pair, Outcome("error", error=why), now)
    failed = turn._replace(state="failed", error=why, closed_ms=now)
    return records.turns.close(scope, failed)
