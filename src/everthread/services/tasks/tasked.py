"""Whether a task is worked at beside a harness. Where none is, one look at the store is all it costs."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.ports import House
from everthread.services.harness.capture import Visit, at_task
from everthread.services.harness.giving import Begun


def heard_beside(house: House, agent: AgentRow, run: Session, *, tasked: bool | None) -> bool:
    """A harness told something: it counts for the task that is worked at in its project, if one is.

    `tasked`: is one, as far as that is known. Is there work for the worker now?
    """
    if tasked is None:
        tasked = house.store.read(lambda r: at_task(r, Scope(agent.ref), run))
    if not tasked:
        return False
    agent = house.store.read(lambda r: r.agents.get(Scope(agent.ref)))  # as it is defined now
    from .track import heard  # noqa: PLC0415 - dear to load, and seldom needed

    return heard(house, agent, run)


def compaction_asked(visit: Visit, run: Session, epoch: int) -> Begun | None:
    """What a prompt at a task is told, once in a stretch, where its context has grown too large (R-29)."""
    from .track import asked_of  # noqa: PLC0415 - as above

    return visit.house.store.read(lambda r: asked_of(r, visit, run, epoch))
