"""Settle: what was forgotten or erased is in no log any longer, neither the store's nor an index's."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence

from everthread.domain.agents import AgentRow
from everthread.domain.errors import StoreAway, StoreBusy, StoreFailed
from everthread.ports import House
from everthread.services.job_names import ERASURE, SETTLE

log = logging.getLogger("everthread")

PATIENCE = 1.0
"""Seconds for which somebody who forgets is made to wait while indexes are read, and one look more."""

LATER = "what is gone stays in a log for now, until a worker can empty it: %s"


def settle(house: House) -> None:
    """Bring all of it to its final place. StoreBusy while another program reads an older state."""
    house.store.settle()
    settle_indexes(house, house.store.read(lambda r: r.agents.all()))


def settle_indexes(house: House, agents: Sequence[AgentRow], *, seconds: float = math.inf) -> None:
    """The same for these agents' indexes; one that is read keeps none of the others, until so much time
    went with waiting."""
    until = time.monotonic() + seconds
    held: list[str] = []
    for agent in agents:
        if not house.index.settle(agent):
            held.append(agent.name)
            if time.monotonic() >= until:
                break
    if held:
        raise StoreBusy(
            f"the index of {', '.join(held)}: what was asked for was done, but its text lingers in the "
            "log while another program reads it; end that and try again"
        )


def settle_now(house: House, agent: AgentRow) -> None:
    """At once, where that can be; otherwise it is told, and a job tries again.

    The index of the agent whose it was comes first. Others hold what reached user-wide, or nothing of it.
    """
    try:
        if _is_settled(house, agent):
            house.store.write(lambda r: r.jobs.cancel(SETTLE, once=ERASURE))
        else:
            _ask_again(house)
    except StoreAway as trouble:
        log.warning(LATER, trouble)


def _ask_again(house: House) -> None:
    """Who settled meanwhile may have taken the job that was asked for as his own, and cancelled it."""
    now = house.clock.now()
    house.store.write(lambda r: r.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE))


def _is_settled(house: House, first: AgentRow) -> bool:
    """Whatever is wrong with an index, what was asked for is done: it is derived."""
    try:
        house.store.settle()
    except StoreBusy as trouble:
        log.warning(LATER, trouble)
        return False
    agents = house.store.read(lambda r: r.agents.all())
    try:
        settle_indexes(
            house, sorted(agents, key=lambda one: one.ref != first.ref), seconds=PATIENCE
        )
    except StoreFailed as trouble:
        log.warning(LATER, trouble)
        return False
    return True
