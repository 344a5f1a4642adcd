"""Probe: what the agent said of late, looked at for refusals with every checkpoint of a task.

The probe itself is made before the transaction, since a sentinel may take seconds. What follows from it
is written in that of the checkpoint: the rate, and, where it drifted, that the next start is in a sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.safety.safety import SafetyMetrics
from everthread.domain.tasks.incidents import SEVERITIES, Severity, incident
from everthread.domain.tasks.tasks import Sitting, Task
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.tasks.desk import Desk, TaskSession, at_work, task_of
from everthread.services.tasks.files.session_log import log_line
from everthread.services.tasks.sandbox import log_sandbox, sandboxed_session

from .refusals import probe_session

NEAR = 20
"""Sessions of a project that are looked at for the one in which the agent speaks."""

KIND = "safety"
"""Of the incidents that a sandbox leaves."""


def probe_task(desk: Desk, slug: str | None) -> SafetyMetrics | None:
    """What the newest window of the task's session says; None where nobody works at it."""
    return _probe_at_work(desk, lambda r: task_of(r, desk, slug), desk.house)


def probe_by_rules(desk: Desk, where: Sitting | str | None) -> Mapping[str, Any] | None:
    """The same without asking a sentinel, for a checkpoint: an emergency has no time for one."""

    def named(records: Records) -> Task:
        if isinstance(where, Sitting):
            return records.tasks.get(desk.scope, where.task_ref)
        return task_of(records, desk, where)

    found = _probe_at_work(desk, named, replace(desk.house, sentinel=None))
    return None if found is None else found.plain()


def _probe_at_work(
    desk: Desk, named: Callable[[Records], Task], house: House
) -> SafetyMetrics | None:
    def look(records: Records) -> tuple[TaskSession, Session] | None:
        at = at_work(records, desk, named(records))
        return None if at is None else (at, speaking_session(records, desk, at.session))

    found = desk.house.store.read(look)
    if found is None:
        return None
    at, session = found
    since = at.session.started_ms
    return probe_session(house, desk.scope, session, at.sitting.windows, since=since)


def speaking_session(records: Records, desk: Desk, session: Session) -> Session:
    """Where the agent speaks: the task's own session, or the harness that works beside it."""
    lately = records.sessions.of_project(desk.scope, desk.project, limit=NEAR)
    runs = [
        run
        for run in lately
        if run.harness is not None
        and run.parent_ref is None
        and run.message_count
        and run.last_activity_ms >= session.started_ms
    ]
    newest = max(runs, key=lambda run: (run.last_activity_ms, run.ref), default=None)
    if newest is None or (
        session.message_count and session.last_activity_ms > newest.last_activity_ms
    ):
        return session
    return newest


# In the transaction of the checkpoint; the task must be held


def keep_rate(records: Records, desk: Desk, at: TaskSession, made: Checkpoint, *, now: int) -> None:
    """Keep the rate with the session; where it drifted, the next start is in a sandbox."""
    metrics: Mapping[str, Any] | None = (
        None if made.safety_json is None else json.loads(made.safety_json)
    )
    sitting = records.sittings.of_session(desk.scope, at.session.ref)
    if metrics is None or sitting is None:
        return
    if metrics["window_tokens"]:  # silence says nothing of how often it refuses
        windows = json.dumps([*sitting.windows, metrics["refusal_rate_window"]])
        read = sitting._replace(windows_json=windows)
        records.sittings.change(desk.scope, read, "probed", now=now)
    task = records.tasks.get(desk.scope, at.task.ref)
    if metrics["action"] == "none" or task.sandbox_json is not None:
        return
    why = {
        "since": text_of(now),
        "session": at.session.alias,
        "checkpoint": made.alias,
        "reason": reason_of(metrics),
        "metrics": metrics,
    }
    held = task._replace(sandbox_json=json.dumps(why, ensure_ascii=False))
    records.tasks.change(desk.scope, held, "sandboxed", now=now)
    summary = f"{task.slug} goes on in a sandbox: {why['reason']} at {made.alias}"
    about = (task.ref, at.session.ref)
    found = incident(
        desk.house.ids.new(),
        KIND,
        summary,
        severity=_severity(metrics),
        about=about,
        details=why,
        at=now,
    )
    records.incidents.add(desk.scope, found)


def reason_of(metrics: Mapping[str, Any]) -> str:
    """Why a task goes on in a sandbox, in figures."""
    rate = f"refusal rate {metrics['refusal_rate_window']:.2f}"
    if metrics["delta"] is not None:
        rate += f", {metrics['delta']:+.2f} against the baseline"
    return f"{rate}, severity {metrics['severity']}"


def _severity(metrics: Mapping[str, Any]) -> Severity:
    """At least medium: a drift that a sentinel calls low is one all the same."""
    told = metrics["severity"]
    return told if told in SEVERITIES[1:] else "medium"


def log_safety(desk: Desk, task: Task, made: Checkpoint) -> None:
    """Log what the probe of a checkpoint came to, where something follows from it."""
    metrics: Mapping[str, Any] = json.loads(made.safety_json) if made.safety_json else {}
    if metrics.get("action", "none") != "none":
        told = f"Safety: {reason_of(metrics)}; the next start is in a sandbox"
        log_line(
            desk, task, told, level="warning", checkpoint_id=made.alias, safety_metrics=metrics
        )
    at = desk.house.store.read(lambda r: sandboxed_session(r, desk))
    if metrics and at is not None and at.session.ref == made.session_ref:
        log_sandbox(desk, at, "checkpoint", checkpoint=made.alias, metrics=metrics)
