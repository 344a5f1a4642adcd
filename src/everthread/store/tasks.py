"""Tasks, the sessions they are worked at in, incidents, events on their way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import SessionUnknown, TaskUnknown
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.ids import with_ending
from everthread.domain.tasks.tasks import Event, Incident, Sitting, Task
from everthread.domain.tasks.timeline_tasks import (
    event_facts,
    incident_facts,
    sitting_facts,
    task_facts,
)
from everthread.domain.timeline import session_facts

from .bodies import BodyTable
from .checkpoints import storable, text_of
from .connection_cache import ConnectionCache
from .link import Link
from .sessions import present_session
from .sql import tasks as sql
from .timeline import TimelineTable


def _sealed_entries(timeline: TimelineTable, scope: Scope, subject: bytes) -> list[int]:
    """What the timeline holds about a row that is to lose words: those entries lose their salts.

    Without them the digests tell nothing, not even to one who guesses the text.
    """
    timeline.lock(scope)
    # What was sealed in this very transaction must be found too.
    timeline.flush()
    return [entry.n for entry in timeline.about(scope, subject)]


class TaskTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline
        self._bodies = BodyTable(db, timeline)

    def add(self, scope: Scope, task: Task) -> Task:
        made = Task._make(map(storable, task))._replace(agent_ref=scope.agent)
        n = self._timeline.seal(scope, "task.made", made.key_id, task_facts(made), made.created_ms)
        row = self._db.one(
            sql.TASK_ADD,
            scope,
            id=made.key_id,
            slug=made.slug,
            project=made.project,
            created=made.created_ms,
            entry=n,
            **_task_columns(made),
        )
        assert row is not None, "an insert returns its reference"
        return made._replace(ref=row[0], entry=n)

    def get(self, scope: Scope, ref: int) -> Task:
        return _task(self._db.one(sql.TASK_GET, scope, ref=ref))

    def hold(self, scope: Scope, ref: int) -> Task:
        self._timeline.lock(scope)
        return _task(self._db.one(sql.TASK_HOLD, scope, ref=ref))

    def find(self, scope: Scope, project: str, slug: str) -> Task | None:
        row = self._db.one(sql.TASK_FIND, scope, project=storable(project), slug=storable(slug))
        return None if row is None else Task._make(row)

    def of_project(self, scope: Scope, project: str, *, limit: int) -> Sequence[Task]:
        rows = self._db.all(sql.TASKS_OF_PROJECT, scope, project=storable(project), limit=limit)
        return [Task._make(row) for row in rows]

    def all(self, scope: Scope, *, limit: int) -> Sequence[Task]:
        return [Task._make(row) for row in self._db.all(sql.TASKS_ALL, scope, limit=limit)]

    def any(self) -> bool:
        return self._db.one(sql.TASKS_ANY, None) is not None

    def change(self, scope: Scope, task: Task, event: str, *, now: int) -> Task:
        changed = Task._make(map(storable, task))._replace(updated_ms=now)
        facts = task_facts(changed)
        n = self._timeline.seal(scope, f"task.{event}", changed.key_id, facts, now)
        self._db.run(sql.TASK_CHANGE, scope, ref=changed.ref, entry=n, **_task_columns(changed))
        return changed._replace(entry=n)

    def withhold(self, scope: Scope, task: Task, *, now: int) -> Task:
        earlier = _sealed_entries(self._timeline, scope, task.key_id)
        left = self.change(scope, task, "withheld", now=now)
        self._timeline.unsalt(scope, earlier)
        return left

    def numbered(self, scope: Scope, task: int, day: str) -> int:
        first, beyond = f"ckpt-{day}-", f"ckpt-{day}."
        rows = self._db.all(sql.TASK_ALIASES, scope, task=task, first=first, beyond=beyond)
        return max((int(alias.rpartition("-")[2]) for (alias,) in rows), default=0) + 1

    def checkpoints(self, scope: Scope, task: int, *, limit: int) -> Sequence[Checkpoint]:
        rows = self._db.all(sql.TASK_CHECKPOINTS, scope, task=task, limit=limit)
        return [Checkpoint._make(row) for row in rows]

    def checkpoint(self, scope: Scope, task: int, alias: str) -> Checkpoint | None:
        row = self._db.one(sql.TASK_CHECKPOINT, scope, task=task, alias=storable(alias))
        return None if row is None else Checkpoint._make(row)

    def document(self, scope: Scope, checkpoint: Checkpoint) -> str:
        return text_of(self._bodies, scope, checkpoint.document_hash)


def _task(row: tuple[object, ...] | None) -> Task:
    if row is None:
        raise TaskUnknown("there is no such task")
    return Task._make(row)


def _task_columns(task: Task) -> dict[str, Any]:
    return {
        "goal": task.goal,
        "acceptance": task.acceptance_json,
        "smoke": task.smoke_json,
        "status": task.status,
        "passed": task.passed,
        "step": task.step,
        "blockers": task.blockers_json,
        "next_steps": task.next_steps_json,
        "failures": task.failures_json,
        "sandbox": task.sandbox_json,
        "stopped": task.stopped_ms,
        "last_session": task.last_session,
        "updated": task.updated_ms,
    }


class SittingTable:
    def __init__(self, db: Link, timeline: TimelineTable, memory: ConnectionCache) -> None:
        self._db = db
        self._timeline = timeline
        self._held = memory.sessions

    def add(self, scope: Scope, sitting: Sitting, *, now: int) -> Sitting:
        made = Sitting._make(map(storable, sitting))._replace(agent_ref=scope.agent)
        n = self._seal(scope, "opened", made, now)
        row = self._db.one(
            sql.SITTING_ADD,
            scope,
            id=made.key_id,
            session=made.session_ref,
            task=made.task_ref,
            entry=n,
            **_sitting_columns(made),
        )
        assert row is not None, "an insert returns its reference"
        return made._replace(ref=row[0], entry=n)

    def of_session(self, scope: Scope, session: int) -> Sitting | None:
        row = self._db.one(sql.SITTING_OF, scope, session=session)
        return None if row is None else Sitting._make(row)

    def of_task(self, scope: Scope, task: int, *, limit: int) -> Sequence[Sitting]:
        rows = self._db.all(sql.SITTINGS_OF_TASK, scope, task=task, limit=limit)
        return [Sitting._make(row) for row in rows]

    def change(self, scope: Scope, sitting: Sitting, event: str, *, now: int) -> Sitting:
        changed = Sitting._make(map(storable, sitting))
        n = self._seal(scope, event, changed, now)
        if not self._db.run(
            sql.SITTING_CHANGE, scope, ref=changed.ref, entry=n, **_sitting_columns(changed)
        ):
            raise SessionUnknown("the session is gone together with its thread")
        return changed._replace(entry=n)

    def withhold(self, scope: Scope, sitting: Sitting, *, now: int) -> Sitting:
        earlier = _sealed_entries(self._timeline, scope, sitting.key_id)
        left = self.change(scope, sitting, "withheld", now=now)
        self._timeline.unsalt(scope, earlier)
        return left

    def at_gate(self, scope: Scope, session: Session, gate: str, *, now: int) -> Session:
        present = present_session(self._db, self._timeline, scope, session.ref)
        facts = session_facts(present._replace(gate=storable(gate)))
        there = session._replace(gate=storable(gate))
        n = self._timeline.seal(scope, "session.gate", session.key_id, facts, now)
        self._held.pop(session.ref, None)
        self._db.run(sql.SESSION_GATE, scope, ref=session.ref, gate=there.gate, entry=n)
        return there._replace(entry=n)

    def beat(
        self, scope: Scope, sitting: Sitting, *, until: int, current_tokens: int | None = None
    ) -> None:
        self._db.run(sql.SITTING_BEAT, scope, ref=sitting.ref, until=until, current=current_tokens)

    def lapsed(self, *, now: int, limit: int) -> Sequence[Sitting]:
        rows = self._db.all(sql.SITTINGS_LAPSED, None, now=now, limit=limit)
        return [Sitting._make(row) for row in rows]

    def active(self, scope: Scope, project: str | None) -> Sequence[Sitting]:
        rows = self._db.all(sql.SITTINGS_ACTIVE, scope, project=storable(project))
        return [Sitting._make(row) for row in rows]

    def _seal(self, scope: Scope, event: str, sitting: Sitting, now: int) -> int:
        facts = sitting_facts(sitting)
        return self._timeline.seal(scope, f"sitting.{event}", sitting.key_id, facts, now)


def _sitting_columns(sitting: Sitting) -> dict[str, Any]:
    return {
        "owner": sitting.owner,
        "lease": sitting.lease_ms,
        "goal": sitting.goal,
        "health": sitting.health,
        "fix": int(sitting.fix),
        "sandboxed": int(sitting.sandboxed),
        "resumed": sitting.resumed_from,
        "outcome": sitting.outcome,
        "record": sitting.record_json,
        "current": sitting.current_tokens,
        "refreshed": sitting.refreshed_tokens,
        "windows": sitting.windows_json,
    }


class IncidentTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def add(self, scope: Scope, incident: Incident) -> Incident:
        made = Incident._make(map(storable, incident))._replace(agent_ref=scope.agent)
        n = self._seal(scope, "logged", made, made.created_ms)
        row = self._db.one(
            sql.INCIDENT_ADD,
            scope,
            id=made.key_id,
            task=made.task_ref,
            session=made.session_ref,
            kind=made.kind,
            severity=made.severity,
            summary=made.summary,
            details=made.details_json,
            created=made.created_ms,
            resolved=made.resolved_ms,
            resolution=made.resolution,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return made._replace(ref=row[0], entry=n)

    def all(
        self, scope: Scope, *, task: int | None = None, unresolved: bool = False, limit: int
    ) -> Sequence[Incident]:
        asked = {"task": task, "unresolved": int(unresolved), "limit": limit}
        return [Incident._make(row) for row in self._db.all(sql.INCIDENTS_ALL, scope, **asked)]

    def ending(self, scope: Scope, digits: str) -> Sequence[Incident]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.INCIDENT_IDS, scope)), digits)
        rows = (self._db.one(sql.INCIDENT_FIND, scope, id=raw) for raw in ids)
        return [Incident._make(row) for row in rows if row is not None]

    def resolve(self, scope: Scope, incident: Incident, resolution: str, *, now: int) -> Incident:
        row = self._db.one(sql.INCIDENT_FIND, scope, id=incident.key_id)
        if row is None or row[-3] is not None:
            return incident if row is None else Incident._make(row)
        done = Incident._make(row)._replace(resolved_ms=now, resolution=storable(resolution))
        n = self._seal(scope, "resolved", done, now)
        self._db.run(
            sql.INCIDENT_RESOLVE,
            scope,
            ref=done.ref,
            resolved=now,
            resolution=done.resolution,
            entry=n,
        )
        return done._replace(entry=n)

    def withhold(self, scope: Scope, incident: Incident, *, now: int) -> Incident:
        left = Incident._make(map(storable, incident))
        earlier = _sealed_entries(self._timeline, scope, left.key_id)
        n = self._seal(scope, "withheld", left, now)
        self._db.run(
            sql.INCIDENT_LEAVE,
            scope,
            ref=left.ref,
            summary=left.summary,
            details=left.details_json,
            resolution=left.resolution,
            entry=n,
        )
        self._timeline.unsalt(scope, earlier)
        return left._replace(entry=n)

    def _seal(self, scope: Scope, event: str, incident: Incident, at: int) -> int:
        facts = incident_facts(incident)
        return self._timeline.seal(scope, f"incident.{event}", incident.key_id, facts, at)


class OutboxTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def add(self, scope: Scope, event: Event) -> Event:
        made = Event._make(map(storable, event))._replace(agent_ref=scope.agent)
        n = self._seal(scope, made, made.created_ms)
        row = self._db.one(
            sql.EVENT_ADD,
            scope,
            id=made.key_id,
            type=made.type,
            body=made.body,
            target=made.target,
            created=made.created_ms,
            entry=n,
            **_event_columns(made),
        )
        assert row is not None, "an insert returns its reference"
        return made._replace(ref=row[0], entry=n)

    def all(self, scope: Scope, *, limit: int) -> Sequence[Event]:
        return [Event._make(row) for row in self._db.all(sql.EVENTS_ALL, scope, limit=limit)]

    def due(self, *, now: int, limit: int, skip: int = 0) -> Sequence[Event]:
        rows = self._db.all(sql.EVENTS_DUE, None, now=now, limit=limit, skip=skip)
        return [Event._make(row) for row in rows]

    def change(self, scope: Scope, event: Event, *, now: int) -> Event:
        changed = Event._make(map(storable, event))
        n = self._seal(scope, changed, now)
        self._db.run(sql.EVENT_CHANGE, scope, ref=changed.ref, entry=n, **_event_columns(changed))
        return changed._replace(entry=n)

    def get(self, scope: Scope, ref: int) -> Event | None:
        row = self._db.one(sql.EVENT_GET, scope, ref=ref)
        return None if row is None else Event._make(row)

    def hold(self, scope: Scope, ref: int) -> Event | None:
        self._timeline.lock(scope)
        row = self._db.one(sql.EVENT_HOLD, scope, ref=ref)
        return None if row is None else Event._make(row)

    def withhold(self, scope: Scope, event: Event, why: str, *, now: int) -> Event:
        earlier = _sealed_entries(self._timeline, scope, event.key_id)
        waits = event.state == "pending"
        left = event._replace(
            body="", state="failed" if waits else event.state, error=why if waits else None
        )
        facts = event_facts(left)
        n = self._timeline.seal(scope, "event.withheld", left.key_id, facts, now)
        self._db.run(
            sql.EVENT_LEAVE, scope, ref=left.ref, state=left.state, error=left.error, entry=n
        )
        self._timeline.unsalt(scope, earlier)
        return left._replace(entry=n)

    def _seal(self, scope: Scope, event: Event, at: int) -> int:
        return self._timeline.seal(
            scope, f"event.{event.state}", event.key_id, event_facts(event), at
        )


def _event_columns(event: Event) -> dict[str, Any]:
    return {
        "state": event.state,
        "attempts": event.attempts,
        "due": event.due_ms,
        "error": event.error,
        "delivered": event.delivered_ms,
    }
