"""Overdue: threads that outgrew a limit while nobody stayed long enough to distil them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from everthread.domain.agents import AgentRow
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.triggers import FiredSignal, fired_signals, triggers_of
from everthread.domain.jobs import BY_WORKER
from everthread.ports import House
from everthread.services.distilling.notice import look
from everthread.services.distilling.stages import LEFT_OFF

FAR = 2
"""So many times its limit a thread is far over it, also where no distillation was ever begun."""

SIZES = {
    "tokens": "tokens that the provider reported",
    "messages": "messages in the view",
    "context": "tokens in a request",
    "history": "tokens of history",
}
"""The signals that tell how large a thread is, in words."""


class Overdue(NamedTuple):
    says: str
    advice: str


def overdue_threads(
    house: House, agent: AgentRow, threads: Sequence[tuple[Thread, Sequence[Receipt]]]
) -> Iterator[Overdue]:
    """Those of the threads, each with its newest receipts, that somebody should see to."""
    for thread, receipts in threads:
        fired = _sizes_over(house, agent, thread)
        broken = _broken_off(receipts)
        if not fired or not (broken or _is_left_alone(fired[0], receipts)):
            continue
        yield Overdue(
            f"{thread.key}: {fired[0].value:,.0f} {SIZES[fired[0].name]}, where {fired[0].limit:,.0f} "
            f"are the limit; {_cause(broken)}",
            f"everthread distill --thread {thread.key} does it now, and so does agent.distill() before a "
            f"program ends; else it is {BY_WORKER}",
        )


def _sizes_over(house: House, agent: AgentRow, thread: Thread) -> list[FiredSignal]:
    """The limits that it is over, by the largest share first."""
    seen = house.store.read(lambda r: look(house, r, agent, thread))
    fired = fired_signals(seen.signs, triggers_of(thread.kind, house.policy))
    sizes = (signal for signal in fired if signal.name in SIZES and signal.limit)
    return sorted(sizes, key=lambda signal: -signal.value / signal.limit)


def _broken_off(receipts: Sequence[Receipt]) -> int:
    """How many were broken off by the end of a program since one was made."""
    since = takewhile(lambda receipt: not receipt.standing, receipts)
    return sum(LEFT_OFF in receipt.errors for receipt in since)


def _is_left_alone(size: FiredSignal, receipts: Sequence[Receipt]) -> bool:
    """Is it far over its limit, and does no receipt tell why? One that failed is told of elsewhere."""
    last = receipts[0].outcome if receipts else "ok"
    return size.value >= FAR * size.limit and last in ("ok", "degraded")


def _cause(broken: int) -> str:
    if not broken:
        return "no distillation was begun since"
    times = "once" if broken == 1 else f"{broken} times"
    return f"its distillation was broken off {times} because the program ended"
