"""What the timeline seals of tasks, their sessions, incidents and events."""

from __future__ import annotations

from everthread.domain.timeline import Facts

from .tasks import Event, Incident, Sitting, Task


def task_facts(task: Task) -> Facts:
    return (
        task.slug,
        task.project,
        task.goal,
        task.acceptance_json,
        task.smoke_json,
        task.status,
        task.passed,
        task.step,
        task.blockers_json,
        task.next_steps_json,
        task.failures_json,
        task.sandbox_json,
        task.stopped_ms,
        task.last_session,
        task.created_ms,
        task.updated_ms,
    )


def sitting_facts(sitting: Sitting) -> Facts:
    """Without lease and counters, which change with every beat."""
    return (
        sitting.owner,
        sitting.goal,
        sitting.health,
        int(sitting.fix),
        int(sitting.sandboxed),
        sitting.resumed_from,
        sitting.outcome,
        sitting.record_json,
    )


def incident_facts(incident: Incident) -> Facts:
    return (
        incident.kind,
        incident.severity,
        incident.summary,
        incident.details_json,
        incident.created_ms,
        incident.resolved_ms,
        incident.resolution,
    )


def event_facts(event: Event) -> Facts:
    """Without attempts: those are counted, not sealed."""
    return (event.type, event.body, event.target, event.state, event.created_ms, event.delivered_ms)
