"""Settle: what was forgotten or erased is in no log any longer, neither the store's nor an index's."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from everthread.domain.agents import AgentRow
from everthread.domain.errors import StoreAway, StoreBusy, StoreFailed
from everthread.ports import House
from everthread.services.job_names import ERASURE, SETTLE

log = logging.getLogger("everthread")

LATER = "what is gone stays in a log for now, until a worker can empty it: %s"


def settle(house: House) -> None:
    """Bring all of it to its final place. StoreBusy while another program reads an older state."""
    house.store.settle()
    settle_indexes(house, house.store.read(lambda r: r.agents.all()))


def settle_indexes(house: House, agents: Sequence[AgentRow]) -> None:
    """The same for these agents' indexes; one that is read keeps none of the others."""
    held = [agent.name for agent in agents if not house.index.settle(agent)]
    if held:
        raise StoreBusy(
            f"the index of {', '.join(held)}: what was asked for was done, but its text lingers in the "
            "log while another program reads it; end that and try again"
        )


def settle_now(house: House) -> None:
    """At once, where that can be; otherwise it is told, and the job that was asked for tries again."""
    try:
        house.store.settle()
        if _are_settled(house):
            house.store.write(lambda r: r.jobs.cancel(SETTLE, once=ERASURE))
    except (StoreAway, StoreBusy) as trouble:
        log.warning(LATER, trouble)


def _are_settled(house: House) -> bool:
    """Whatever is wrong with an index, what was asked for is done: it is derived."""
    try:
        settle_indexes(house, house.store.read(lambda r: r.agents.all()))
    except StoreFailed as trouble:
        log.warning(LATER, trouble)
        return False
    return True
