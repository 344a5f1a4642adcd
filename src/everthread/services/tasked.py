"""Whether a task is worked at beside a harness. Where none is, one look at the store is all it costs."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.sessions import Session
from everthread.ports import House

from .capture import Visit
from .giving import Begun


def _task_beside(house: House, scope: Scope, run: Session) -> bool:
    project = run.project_normalized
    if project is None or run.parent_ref is not None:
        return False
    return bool(house.store.read(lambda r: r.sittings.active(scope, project)))


def heard_beside(house: House, agent: AgentRow, run: Session) -> bool:
    """A harness told something: it counts for the task that is worked at in its project, if one is.

    Is there work for the worker now?
    """
    if not _task_beside(house, Scope(agent.ref), run):
        return False
    from .tasks.track import heard  # noqa: PLC0415 - dear to load, and seldom needed

    return heard(house, agent, run)


def compaction_asked(visit: Visit, run: Session, epoch: int) -> Begun | None:
    """What a prompt is told, once in a stretch, where a task's context has grown too large (R-29)."""
    if not _task_beside(visit.house, visit.scope, run):
        return None
    from .tasks.track import asked_of  # noqa: PLC0415 - as above

    return visit.house.store.read(lambda r: asked_of(r, visit, run, epoch))
