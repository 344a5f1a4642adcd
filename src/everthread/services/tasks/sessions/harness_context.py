"""Whether a task is worked at beside a harness. Where none is, one look at the store is all it costs."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.ports import House
from everthread.services.harness.capture import Visit, is_at_task
from everthread.services.harness.give import GivenBlock


def count_if_at_task(house: House, agent: AgentRow, run: Session, *, tasked: bool | None) -> bool:
    """A harness told something: it counts for the task that is worked at in its project, if one is.

    `tasked`: is one, as far as that is known. Is there work for the worker now?
    """
    if tasked is None:
        tasked = house.store.read(lambda r: is_at_task(r, Scope(agent.ref), run))
    if not tasked:
        return False
    agent = house.store.read(lambda r: r.agents.get(Scope(agent.ref)))  # as it is defined now
    from .context_growth import count_harness_run  # noqa: PLC0415 - slow to load, and seldom needed

    return count_harness_run(house, agent, run)


def compaction_request(visit: Visit, run: Session, epoch: int) -> GivenBlock | None:
    """What a prompt at a task is told, once in a stretch, where its context has grown too large (R-29)."""
    from .context_growth import compaction_notice  # noqa: PLC0415 - as above

    return visit.house.store.read(lambda r: compaction_notice(r, visit, run, epoch))
