"""Status: how a task stands, and what has happened in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.charter import NOTHING, Arc
from everthread.domain.tasks.gates import ASKED, NAMES, current_gate
from everthread.domain.tasks.tasks import Incident, Sitting, Task
from everthread.domain.timeline import Entry
from everthread.ports import Records

from .checkpoints.arc import arc_now
from .desk import Desk, TaskSession, at_work, task_of

MOST = 1_000


class Standing(NamedTuple):
    """A task, who works at it, what its gate asks for, what a person should look at."""

    task: Task
    at: TaskSession | None
    gate_name: str
    asks: Sequence[str]
    last: Checkpoint | None
    sessions: int
    incidents: Sequence[Incident]
    """Those that nobody has resolved."""
    arc: Arc = NOTHING
    """How far it went since its last recap."""


class SessionRelations(NamedTuple):
    """One session of a task, with its relations."""

    session: Session
    sitting: Sitting
    parent: Session | None
    children: Sequence[Session]


def task_standing(records: Records, desk: Desk, slug: str | None) -> Standing:
    task = task_of(records, desk, slug)
    number = current_gate(task.passed)
    checkpoints = records.tasks.checkpoints(desk.scope, task.ref, limit=1)
    return Standing(
        task,
        at_work(records, desk, task),
        NAMES[number],
        ASKED[number],
        checkpoints[0] if checkpoints else None,
        len(records.sittings.of_task(desk.scope, task.ref, limit=MOST)),
        records.incidents.all(desk.scope, task=task.ref, unresolved=True, limit=MOST),
        arc_now(records, desk, task),
    )


def sessions_of(
    records: Records, desk: Desk, slug: str | None, *, limit: int
) -> list[SessionRelations]:
    """The task's sessions, newest first."""
    task = task_of(records, desk, slug)
    return [
        _relations_of(records, desk.scope, sitting)
        for sitting in records.sittings.of_task(desk.scope, task.ref, limit=limit)
    ]


def _relations_of(records: Records, scope: Scope, sitting: Sitting) -> SessionRelations:
    session = records.sessions.get(scope, sitting.session_ref)
    parent = None if session.parent_ref is None else records.sessions.get(scope, session.parent_ref)
    return SessionRelations(session, sitting, parent, records.sessions.children(scope, session.ref))


def timeline_of(records: Records, desk: Desk, slug: str | None, *, limit: int) -> list[Entry]:
    """All that the timeline holds about the task: itself, its sessions, checkpoints and incidents."""
    task = task_of(records, desk, slug)
    scope = desk.scope
    sittings = records.sittings.of_task(scope, task.ref, limit=MOST)
    subjects = [
        task.key_id,
        *(sitting.key_id for sitting in sittings),
        *(records.sessions.get(scope, sitting.session_ref).key_id for sitting in sittings),
        *(c.key_id for c in records.tasks.checkpoints(scope, task.ref, limit=MOST)),
        *(i.key_id for i in records.incidents.all(scope, task=task.ref, limit=MOST)),
    ]
    found = [entry for subject in subjects for entry in records.timeline.about(scope, subject)]
    return sorted(found, key=lambda entry: entry.n)[-limit:] if limit else []
