"""Tasks, their sessions, checkpoints, incidents and events as JSON documents; the same at every door."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from everthread.domain.redaction.json_values import Redactor
from everthread.domain.tasks.gates import ASKED, NAMES, current_gate
from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.domain.tasks.tasks import Event, Incident, Task
    from everthread.services.tasks.checkpoints.write import CheckpointOutcome
    from everthread.services.tasks.fail import FailureOutcome
    from everthread.services.tasks.files.verify import FolderCheck
    from everthread.services.tasks.sessions.finish import EndOutcome
    from everthread.services.tasks.sessions.refresh import RefreshOutcome
    from everthread.services.tasks.sessions.start import StartOutcome
    from everthread.services.tasks.status import SessionRelations, Standing

Document = dict[str, Any]


def _clean(document: Document) -> Document:
    return Redactor().value(document)


def task_document(task: Task) -> Document:
    number = current_gate(task.passed)
    return _clean(
        {
            "task": task.slug,
            "id": task.id,
            "project": task.project,
            "goal": task.goal,
            "acceptance": task.acceptance,
            "smoke": task.smoke,
            "status": task.status,
            "gate": task.gate,
            "gate_name": NAMES[number],
            "asks": list(ASKED[number]),
            "gates_passed": task.passed + 1,
            "step": task.step,
            "blockers": task.blockers,
            "next_steps": task.next_steps,
            "failures": task.failures,
            "sandbox": task.sandbox,
            "stopped_at": None if task.stopped_ms is None else text_of(task.stopped_ms),
            "last_session": task.last_session,
            "created_at": text_of(task.created_ms),
            "updated_at": text_of(task.updated_ms),
        }
    )


def standing_document(told: Standing) -> Document:
    at = told.at
    return {
        **task_document(told.task),
        "session": None if at is None else at.session.alias,
        "session_state": None if at is None else at.session.state,
        "sandboxed": at is not None and bool(at.sitting.sandboxed),
        "health": None if at is None else at.sitting.health,
        "owner": owner_document(told),
        "context_tokens": 0 if at is None else at.sitting.current_tokens,
        "arc": _clean(told.arc.document()),
        "last_checkpoint": None if told.last is None else told.last.alias,
        "sessions": told.sessions,
        "incidents": [incident_document(each) for each in told.incidents],
    }


def owner_document(told: Standing) -> Document | None:
    """The process that the session belongs to: its number and, while it lives, its name."""
    from everthread.wiring import find_process  # noqa: PLC0415 - only who has tasks

    found = None if told.at is None else find_process(told.at.sitting.owner)
    return None if found is None else {"pid": found[0], "name": found[1]}


def owner_text(told: Standing) -> str:
    owner = owner_document(told)
    if owner is None:
        return "a process that nobody knows"
    return f"process {owner['pid']}" + (f" ({owner['name']})" if owner["name"] else "")


def put_down_document(done: CheckpointOutcome, text: str) -> Document:
    """What became of a checkpoint that was asked for; `text`: what its file holds."""
    made = done.checkpoint
    return {
        "task": done.task.slug,
        "checkpoint": None if made is None else checkpoint_file_document(made, text),
        "waiting": done.waiting,
        "arc": _clean(done.arc.document()),
    }


def reached_document(reached: RefreshOutcome | None) -> Document:
    """What came of a context that had grown: nothing, a refresh or a fork; and what to go on from."""
    if reached is None:
        return {"reached": "nothing", "checkpoint": None, "tokens_flushed": 0, "context": ""}
    return {
        "reached": "fork" if reached.forked else "refresh",
        "checkpoint": reached.checkpoint.alias,
        "tokens_flushed": reached.flushed,
        **_clean({"context": reached.context}),
    }


def sitting_document(sat: SessionRelations, agent: str) -> Document:
    """The session metadata of the protocol."""
    from everthread.domain.tasks.task_files import session_document  # noqa: PLC0415 - only who has tasks

    parent = None if sat.parent is None else sat.parent.alias
    children = [child.alias for child in sat.children]
    told = session_document(sat.session, sat.sitting, agent, parent=parent, children=children)
    # An alias looks like a secret to no rule; what people wrote may hold one.
    return {**_clean(told), "session_id": told["session_id"]}


def checkpoint_file_document(checkpoint: Checkpoint, text: str) -> Document:
    """A checkpoint of a task: what its file holds."""
    document: Document = json.loads(text) if text else {}
    return {"id": checkpoint.id, "checkpoint_id": checkpoint.alias, **document}


def incident_document(incident: Incident) -> Document:
    return _clean(
        {
            "id": incident.id,
            "kind": incident.kind,
            "severity": incident.severity,
            "summary": incident.summary,
            "details": json.loads(incident.details_json),
            "created_at": text_of(incident.created_ms),
            "resolved_at": None if incident.resolved_ms is None else text_of(incident.resolved_ms),
            "resolution": incident.resolution,
        }
    )


def event_document(event: Event) -> Document:
    return _clean(
        {
            "id": event.id,
            "type": event.type,
            "target": event.receiver or None,
            "state": event.state,
            "attempts": event.attempts,
            "error": event.error,
            "created_at": text_of(event.created_ms),
            "delivered_at": None if event.delivered_ms is None else text_of(event.delivered_ms),
            "event": json.loads(event.body),
        }
    )


def begun_document(begun: StartOutcome) -> Document:
    """How a session began: its ritual, what changed since the last, where to go on from."""
    return _clean(
        {
            "ritual": list(begun.at.sitting.record),
            "changed": list(begun.changed),
            "context": begun.context,
        }
    )


def ended_document(done: EndOutcome) -> Document:
    told = _clean({"ritual": list(done.record)})
    return {**task_document(done.task), "checkpoint": done.checkpoint.alias, **told}


def failed_document(failed: FailureOutcome) -> Document:
    suggested = failed.suggestion
    return _clean(
        {
            "task": failed.task.slug,
            "step": failed.step,
            "failures": failed.next.failures.total,
            "advice": failed.next.advice,
            "words": failed.next.words,
            "wait_seconds": failed.next.wait_seconds,
            "rolls_back_to": failed.rolls_back_to,
            "fixer": None if suggested is None else suggested._asdict(),
        }
    )


def checked_document(found: FolderCheck) -> Document:
    """What `verify` found in a task's folder."""
    return {
        "task": found.task.slug,
        "folder": found.folder,
        "ok": found.ok,
        "checkpoints": found.checkpoints,
        "problems": [problem._asdict() for problem in found.problems],
    }
