"""Whether the index lags behind the store: for a process that has no worker until there is work."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import StoreFailed
from everthread.ports import House, Records


def is_lagging(house: House, seen: dict[int, int]) -> bool:
    """Was anything stored that has no vectors yet, since who asks last looked?

    `seen` holds how far each agent was by then: of those that stood still no index is opened. Words
    alone are filed by whoever recalls, so without an embedder nothing lags.
    """
    if house.embedder is None:
        return False

    def heads(records: Records) -> list[tuple[AgentRow, int]]:
        return [(a, records.timeline.head(Scope(a.ref))[0]) for a in records.agents.all()]

    moved = [(a, head) for a, head in house.store.read(heads) if seen.get(a.ref) != head]
    seen.update({agent.ref: head for agent, head in moved})
    return any([_is_behind(house, agent, head) for agent, head in moved])


def _is_behind(house: House, agent: AgentRow, head: int) -> bool:
    assert house.embedder is not None
    try:
        catalogue = house.index.of(agent)
        return catalogue.reached().entry != head or bool(
            catalogue.unembedded(house.embedder.name, limit=1)
        )
    except StoreFailed:
        return True  # the worker finds out what is wrong with it, and says so
