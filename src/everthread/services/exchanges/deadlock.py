"""Entangle: two agents must not wait for each other, each for the answer that the other is to give."""

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.errors import ExchangeRefused
from everthread.domain.exchanges.exchanges import Exchange
from everthread.ports import Records

LOOKED_AT = 1_000
"""Exchanges of an agent that are looked through for the one that it was at work on."""


def must_be_free(records: Records, outer: Exchange | None, thread: Thread) -> None:
    """Refuse a turn on a thread that is held, further out, by the very work that the turn is part of.

    It would be free only after whoever asks has given up to wait for it.
    """
    held = records.turns.open_on(Scope(thread.agent_ref), thread.ref)
    if held is None:
        return
    for exchange in _chain(records, outer):
        if exchange.turn_ref == held.ref:
            raise ExchangeRefused(
                f"{exchange.target!r} is at work on {exchange.id}, which this is part of, and takes nothing "
                f"more on {thread.key} before that is answered: answer with what is known, or leave it a "
                "message (send) or a question (question)"
            )


def _chain(records: Records, outer: Exchange | None) -> Iterator[Exchange]:
    """The exchange that one is at work on, and those that it is part of: each as its target has it."""
    while outer is not None:
        yield outer
        outer = _outer_exchange(records, outer)


def _outer_exchange(records: Records, exchange: Exchange) -> Exchange | None:
    sides = records.exchanges.sides(exchange.pair)
    asked = next((side for side in sides if side.side == "caller"), None)
    if asked is None or asked.depth <= 1:
        return None
    lately = records.exchanges.newest(Scope(asked.agent_ref), limit=LOOKED_AT)
    # Whoever is at work on an exchange says what it says on the thread of that exchange.
    around = (
        each
        for each in lately
        if each.side == "target"
        and each.thread_ref == asked.thread_ref
        and each.depth == asked.depth - 1
        and each.created_ms <= asked.created_ms
    )
    return next(around, None)
