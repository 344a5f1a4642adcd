"""Which task is meant, which session of it is at work, and whose process that is."""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import BadInput, TaskBusy, TaskRefused, TaskUnknown
from everthread.domain.tasks.tasks import Sitting, Task, checked_slug
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.harness.session_owner import known_process

MOST = 1_000
LOOKED_AT = 50

UNKNOWN = "unknown"
"""Who works there cannot be told: only a long silence says that it is gone."""


class Desk(NamedTuple):
    """Who works where: what every verb of a task needs."""

    house: House
    agent: AgentRow
    project: str
    """The real path of the project's root."""
    owner: str = ""
    """The process that works there, where it is another than this one."""

    @property
    def scope(self) -> Scope:
        return Scope(self.agent.ref)


class TaskSession(NamedTuple):
    """A task with the session that works at it."""

    task: Task
    session: Session
    sitting: Sitting


def task_of(records: Records, desk: Desk, slug: str | None) -> Task:
    """The task of that slug; without one, the only one of the project that is not complete."""
    if slug is not None:
        found = records.tasks.find(desk.scope, desk.project, checked_slug(slug))
        if found is None:
            raise TaskUnknown(f"no task {slug!r} in {desk.project}; {_known_tasks(records, desk)}")
        return found
    tasks = records.tasks.of_project(desk.scope, desk.project, limit=MOST)
    undone = [task for task in tasks if task.status != "complete"]
    if len(undone) == 1:
        return undone[0]
    if undone:
        why = f"several tasks are open in {desk.project}: name the one that is meant (--task SLUG)"
        raise BadInput(f"{why}; {_known_tasks(records, desk)}")
    raise TaskUnknown(f"no task is open in {desk.project}; {_known_tasks(records, desk)}")


def _known_tasks(records: Records, desk: Desk) -> str:
    tasks = records.tasks.of_project(desk.scope, desk.project, limit=20)
    if not tasks:
        return "make one: everthread task new SLUG --goal …"
    return "tasks here: " + ", ".join(f"{task.slug} ({task.status})" for task in tasks)


def at_work(records: Records, desk: Desk, task: Task) -> TaskSession | None:
    """The session that works at the task; None where none does."""
    for sitting in records.sittings.of_task(desk.scope, task.ref, limit=MOST):
        session = records.sessions.get(desk.scope, sitting.session_ref)
        if session.state in ("init", "active"):
            return TaskSession(task, session, sitting)
    return None


def must_be_at_work(records: Records, desk: Desk, slug: str | None) -> TaskSession:
    """The task, held, and its session, which this is a sign of life of; refused where there is none."""
    task = records.tasks.hold(desk.scope, task_of(records, desk, slug).ref)
    if task.stopped_ms is not None:
        raise TaskRefused(
            f"{task.slug} was stopped in an emergency; a person has to allow it: "
            f"`everthread task allow --task {task.slug}`"
        )
    found = at_work(records, desk, task)
    if found is None:
        raise TaskRefused(
            f"no session works at {task.slug}: begin one with `everthread task start {task.slug}`"
        )
    if found.session.state == "init":
        raise TaskBusy(f"{found.session.alias} is still at its startup ritual")
    return found._replace(sitting=_beat(records, desk, found.sitting))


def _beat(records: Records, desk: Desk, sitting: Sitting) -> Sitting:
    """A sign of life. Whoever goes on with a session whose process is gone takes it over."""
    now = desk.house.clock.now()
    until = now + int(desk.house.policy.task_lease_minutes * MINUTE)
    owner = desk.owner or desk.house.owner
    if owner not in (UNKNOWN, sitting.owner) and not desk.house.alive(sitting.owner):
        taken = sitting._replace(owner=owner, lease_ms=max(until, sitting.lease_ms))
        return records.sittings.change(desk.scope, taken, "taken", now=now)
    records.sittings.beat(desk.scope, sitting, until=until)
    return sitting._replace(lease_ms=max(until, sitting.lease_ms))


def worker_in(records: Records, desk: Desk) -> str:
    """The process of the harness that works in the project."""
    for session in records.sessions.of_project(desk.scope, desk.project, limit=LOOKED_AT):
        if session.state == "active" and session.harness is not None:
            owner = known_process(records, desk.scope, session)
            if owner and not desk.house.gone(owner):
                return owner
    return UNKNOWN
