"""What tasks leave behind when a person erases what was said: that there were some, without a word."""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.agents import Scope
from everthread.domain.tasks import Event, Incident, Task
from everthread.domain.timeline_tasks import event_facts, incident_facts

from . import tasked as sql
from .link import Link
from .tasks import TaskTable
from .timeline import TimelineTable

WITHHELD = "withheld: what it quoted was erased"
ALL = 1 << 62


class TaskTraces:
    """Empties the texts of an agent's tasks, incidents and events; slugs, gates and times stay."""

    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline
        self._tasks = TaskTable(db, timeline)

    def leave(self, scope: Scope, *, now: int) -> None:
        self._timeline.lock(scope)
        tasks = [task for task in self._tasks.all(scope, limit=ALL) if _speaks(task)]
        asked = {"task": None, "unresolved": 0, "limit": ALL}
        incidents = [Incident._make(row) for row in self._db.all(sql.INCIDENTS_ALL, scope, **asked)]
        events = [Event._make(row) for row in self._db.all(sql.EVENTS_ALL, scope, limit=ALL)]
        # What was sealed in this very transaction must be found too.
        self._timeline.flush()
        earlier = self._about(scope, (row.key_id for row in (*tasks, *incidents, *events)))
        for task in tasks:
            self._tasks.change(scope, _silent(task), "withheld", now=now)
        for incident in incidents:
            self._incident(scope, incident, now)
        for event in events:
            self._event(scope, event, now)
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)

    def _about(self, scope: Scope, subjects: Iterable[bytes]) -> list[int]:
        return [entry.n for one in subjects for entry in self._timeline.about(scope, one)]

    def _incident(self, scope: Scope, incident: Incident, now: int) -> None:
        said = None if incident.resolution is None else WITHHELD
        left = incident._replace(summary=WITHHELD, details_json="{}", resolution=said)
        facts = incident_facts(left)
        n = self._timeline.seal(scope, "incident.withheld", left.key_id, facts, now)
        self._db.run(
            sql.INCIDENT_LEAVE,
            scope,
            ref=left.ref,
            summary=left.summary,
            details=left.details_json,
            resolution=said,
            entry=n,
        )

    def _event(self, scope: Scope, event: Event, now: int) -> None:
        # What has not arrived yet must not be told any more.
        pending = event.state == "pending"
        left = event._replace(
            body="", state="failed" if pending else event.state, error=WITHHELD if pending else None
        )
        facts = event_facts(left)
        n = self._timeline.seal(scope, "event.withheld", left.key_id, facts, now)
        self._db.run(
            sql.EVENT_LEAVE, scope, ref=left.ref, state=left.state, error=left.error, entry=n
        )


def _silent(task: Task) -> Task:
    return task._replace(
        goal="",
        acceptance_json="[]",
        blockers_json="[]",
        next_steps_json="[]",
        failures_json="{}",
        sandbox_json=None if task.sandbox_json is None else "{}",
        last_session=None,
    )


def _speaks(task: Task) -> bool:
    return _silent(task) != task
