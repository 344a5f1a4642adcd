"""Surface: an agent is told, once, what other agents sent it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.exchanges import Exchange, overdue
from everthread.ports import Records

MOST_TOLD = 20
"""So many of those that wait are told of at once."""


def waiting(records: Records, scope: Scope, *, now: int) -> list[Exchange]:
    """What the agent is to be told of, oldest first; a question whose time is over is none."""
    found = records.exchanges.waiting(scope, limit=MOST_TOLD)
    return [exchange for exchange in found if not overdue(exchange, now=now)]


def surface(records: Records, exchanges: Iterable[Exchange], *, turn: int | None, now: int) -> None:
    """The target was told of these, in this very transaction. A message is delivered by that."""
    for exchange in exchanges:
        for side in records.exchanges.sides(exchange.pair):
            told = side._replace(surfaced_ms=now)
            if side.kind == "send":
                told = told._replace(status="delivered", closed_ms=now)
            if side.side == "target":
                told = told._replace(given_turn=turn)
            records.exchanges.change(Scope(side.agent_ref), told, now=now)


def surface_given(
    records: Records, scope: Scope, keys: Sequence[bytes], *, turn: int | None, now: int
) -> None:
    """The same for items of a block, by the ids of their rows."""
    if keys:
        waiting = records.exchanges.waiting(scope, limit=MOST_TOLD)
        surface(records, [e for e in waiting if e.key_id in keys], turn=turn, now=now)


def take_back(records: Records, scope: Scope, turn: int, *, now: int) -> None:
    """The turn that was told of these failed: the next one is told again."""
    for exchange in records.exchanges.given(scope, turn):
        for side in records.exchanges.sides(exchange.pair):
            waits = side._replace(surfaced_ms=None, given_turn=None)
            if side.kind == "send":
                waits = waits._replace(status="pending", closed_ms=None)
            records.exchanges.change(Scope(side.agent_ref), waits, now=now)
