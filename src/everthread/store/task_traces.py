"""What tasks leave behind when a person erases what was said: that there were some, without a word."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.tasks.tasks import Task

from .link import Link
from .tasks import IncidentTable, OutboxTable, TaskTable
from .timeline import TimelineTable

WITHHELD = "withheld: what it quoted was erased"
ALL = 1 << 62


class TaskTraces:
    """Empties the texts of an agent's tasks, incidents and events; slugs, gates and times stay."""

    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._timeline = timeline
        self._tasks = TaskTable(db, timeline)
        self._incidents = IncidentTable(db, timeline)
        self._outbox = OutboxTable(db, timeline)

    def leave(self, scope: Scope, *, now: int) -> None:
        self._timeline.lock(scope)
        for task in self._tasks.all(scope, limit=ALL):
            if _has_words(task):
                self._tasks.withhold(scope, _without_words(task), now=now)
        for incident in self._incidents.all(scope, limit=ALL):
            said = None if incident.resolution is None else WITHHELD
            left = incident._replace(summary=WITHHELD, details_json="{}", resolution=said)
            self._incidents.withhold(scope, left, now=now)
        for event in self._outbox.all(scope, limit=ALL):
            # What has not arrived yet must not be told any more.
            self._outbox.withhold(scope, event, WITHHELD, now=now)


def _without_words(task: Task) -> Task:
    return task._replace(
        goal="",
        acceptance_json="[]",
        blockers_json="[]",
        next_steps_json="[]",
        failures_json="{}",
        sandbox_json=None if task.sandbox_json is None else "{}",
        last_session=None,
    )


def _has_words(task: Task) -> bool:
    return _without_words(task) != task
