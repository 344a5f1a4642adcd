"""Tasks, their sessions, incidents and events, to try a store with."""

from __future__ import annotations

from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.tasks import Event, Incident, Sitting, Task
from everthread.ports import Records, Store

from .harness_rows import a_checkpoint
from .rows import NOON, new_id, primary_in, session_in


def a_task(**changes: Any) -> Task:
    """A task that no store has seen yet."""
    task = Task(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        slug="parser-rewrite",
        project="/srv/project",
        goal="one päss",
        acceptance_json='["all green"]',
        smoke_json='"make test"',
        status="in-progress",
        passed=-1,
        step=0,
        blockers_json="[]",
        next_steps_json="[]",
        failures_json="{}",
        sandbox_json=None,
        stopped_ms=None,
        last_session=None,
        created_ms=NOON,
        updated_ms=NOON,
        entry=0,
    )
    return task._replace(**changes)


def task_in(store: Store, scope: Scope, **changes: Any) -> Task:
    return store.write(lambda r: r.tasks.add(scope, a_task(**changes)))


def a_sitting(session: Session, task: Task, **changes: Any) -> Sitting:
    """What a task's session has more; no store has seen it yet."""
    sitting = Sitting(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        session_ref=session.ref,
        task_ref=task.ref,
        owner="host:1:aa",
        lease_ms=NOON + 100,
        goal="one päss",
        health="pass",
        fix=0,
        sandboxed=1,
        resumed_from="ckpt-2026-02-19-003",
        outcome=None,
        record_json='[{"name": "recall"}]',
        current_tokens=0,
        refreshed_tokens=0,
        windows_json="[0.1]",
        entry=0,
    )
    return sitting._replace(**changes)


def sitting_in(store: Store, scope: Scope, task: Task, **changes: Any) -> Sitting:
    """A session of the agent's primary thread that works at the task."""
    state = changes.pop("state", "active")
    session = session_in(store, scope, primary_in(store, scope), state=state, task=task.slug)
    made = a_sitting(session, task, **changes)
    return store.write(lambda r: r.sittings.add(scope, made, now=NOON))


def an_incident(task: Task | None = None, **changes: Any) -> Incident:
    incident = Incident(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        task_ref=None if task is None else task.ref,
        session_ref=None,
        kind="interrupted",
        severity="medium",
        summary="it was kîlled",
        details_json='{"owner": "x"}',
        created_ms=NOON,
        resolved_ms=None,
        resolution=None,
        entry=0,
    )
    return incident._replace(**changes)


def incident_in(store: Store, scope: Scope, task: Task | None = None, **changes: Any) -> Incident:
    return store.write(lambda r: r.incidents.add(scope, an_incident(task, **changes)))


def an_event(**changes: Any) -> Event:
    event = Event(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        type="session.complete",
        body='{"specversion":"1.0","data":"é"}',
        target="file",
        state="pending",
        attempts=0,
        due_ms=NOON,
        error=None,
        created_ms=NOON,
        delivered_ms=None,
        entry=0,
    )
    return event._replace(**changes)


def event_in(store: Store, scope: Scope, **changes: Any) -> Event:
    return store.write(lambda r: r.outbox.add(scope, an_event(**changes)))


def of_task(task: Task, session: Session, alias: str, **changes: Any) -> Checkpoint:
    """A checkpoint of a task."""
    named = {"task": task.slug, "task_ref": task.ref, "alias": alias}
    return a_checkpoint(session, **named, **changes)


def events_about(store: Store, scope: Scope, subject: bytes) -> list[str]:
    return [e.event for e in store.read(lambda r: r.timeline.about(scope, subject))]


def worked_in(store: Store, scope: Scope, session: Session) -> Task:
    """A task that this session works at, with an incident and an event of it."""
    task = task_in(store, scope)

    def work(records: Records) -> None:
        records.sittings.add(scope, a_sitting(session, task), now=NOON)
        records.incidents.add(scope, an_incident(task, session_ref=session.ref))
        records.outbox.add(scope, an_event())

    store.write(work)
    return task
