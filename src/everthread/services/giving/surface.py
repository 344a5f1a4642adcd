"""Surface: an agent is told, once, what other agents sent it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.exchanges.exchanges import Exchange, is_overdue
from everthread.ports import Records

MOST_TOLD = 20
"""So many of those that wait are told of at once."""


def waiting_exchanges(records: Records, scope: Scope, *, now: int) -> list[Exchange]:
    """What the agent is to be told of, oldest first; a question whose time is over is none."""
    found = records.exchanges.waiting(scope, limit=MOST_TOLD)
    return [exchange for exchange in found if not is_overdue(exchange, now=now)]


def surface(
    records: Records, exchanges: Iterable[Exchange], *, turn: int | None, now: int
) -> set[bytes]:
    """The target was told of these, in this very transaction. A message is delivered by that.

    Those that waited, by what both sides know them by; the others were told of or closed meanwhile.
    """
    held = records.exchanges.hold(exchange.pair for exchange in exchanges)
    waited = [side for side in held if side.status == "pending" and side.surfaced_ms is None]
    for side in waited:
        told = side._replace(surfaced_ms=now)
        if side.kind == "send":
            told = told._replace(status="delivered", closed_ms=now)
        if side.side == "target":
            told = told._replace(given_turn=turn)
        records.exchanges.change(Scope(side.agent_ref), told, now=now)
    return {side.pair for side in waited}


def still_waits(records: Records, scope: Scope, keys: Sequence[bytes]) -> bool:
    """Is the agent still to be told of all these? By the ids of their rows; others are kept out."""
    if not keys:
        return True
    hold_waiting(records, scope)
    return {*keys} <= {e.key_id for e in records.exchanges.waiting(scope, limit=MOST_TOLD)}


def hold_waiting(records: Records, scope: Scope) -> None:
    """Keep others from what waits. Who is to lock the agent anyway does this first: see `hold`."""
    known = records.exchanges.waiting(scope, limit=MOST_TOLD)
    records.exchanges.hold(exchange.pair for exchange in known)


def surface_given(
    records: Records, scope: Scope, keys: Sequence[bytes], *, turn: int | None, now: int
) -> None:
    """The same for items of a block, by the ids of their rows."""
    if keys:
        waiting = records.exchanges.waiting(scope, limit=MOST_TOLD)
        surface(records, [e for e in waiting if e.key_id in keys], turn=turn, now=now)


def take_back(records: Records, scope: Scope, turn: int, *, now: int) -> None:
    """The turn that was told of these failed: the next one is told again."""
    given = records.exchanges.given(scope, turn)
    for side in records.exchanges.hold(exchange.pair for exchange in given):
        if side.kind != "send" and side.status != "pending":
            continue  # answered, or too late: nobody is told of it again
        waits = side._replace(surfaced_ms=None, given_turn=None)
        if side.kind == "send":
            waits = waits._replace(status="pending", closed_ms=None)
        records.exchanges.change(Scope(side.agent_ref), waits, now=now)
