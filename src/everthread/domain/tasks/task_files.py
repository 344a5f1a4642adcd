"""What the files of a task's folder say. They are made from the store, and can be made again from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.conversation.contents import mapping
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Checkpoint, CheckpointKind
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import text_of

from .tasks import Sitting, Task

STATUS = "json/task-status.json"
INDEX = "json/checkpoint-index.json"
CHECKPOINTS = "json/checkpoints"
MANIFEST = "json/run-manifest.json"
MEMORY_IDS = "json/memory-ids.json"
SESSIONS = "json/sessions"
META = "meta/task.json"
TAGS = "meta/tags.json"
LOG = "work/implementation-log.md"
OLD_LOG = "implementation-log.md"
SESSION_LOG = "logs/session.log"
LONG_CONTEXT = "logs/long-context"
EMERGENCY = "json/emergency-checkpoint.json"

SCHEMA_VERSION = 1

WITHHELD = "withheld: what it said was forgotten"

NO_TESTS = {"passing": 0, "failing": 0, "pending": 0}

VOLATILE = ("last_activity", "context_tokens", "computed_context_tokens")
"""What of a session changes with every sign of life; its file tells how that was when it was written."""


class CheckpointStatement(NamedTuple):
    """What a task's checkpoint says, beside who, when and where."""

    kind: CheckpointKind
    summary: str
    files_changed: Sequence[Mapping[str, str]] = ()
    files_more: int = 0
    """How many more changed than are listed."""
    files_digest: str | None = None
    """Of all that had changed, where not all of it is listed: to see later whether it is still the same."""
    tests: Mapping[str, int] | None = None
    decisions: Sequence[Mapping[str, Any]] = ()
    evidence: Mapping[str, Any] | None = None
    """What a gate asks for, by its name."""
    waiver: str | None = None
    waived: Sequence[str] = ()
    """What the waiver makes up for."""
    error: str | None = None
    resolution: str | None = None
    next_steps: Sequence[str] = ()
    questions: Sequence[str] = ()
    """What the agent asked the user to clarify."""
    can_resume: bool = True
    resume_instructions: str | None = None
    commit: str | None = None
    """What was checked out."""
    file_hashes: Mapping[str, str] | None = None
    """The files it speaks of as they were, to see later whether they still are."""
    safety: Mapping[str, Any] | None = None


def dump_json(document: Mapping[str, Any]) -> str:
    """JSON as it stands in files: the same document is the same bytes."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def strip_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without secrets. A hash is none, whatever the file is called that it is of."""
    found: dict[str, Any] = Redactor().value(document)
    state = mapping(document.get("state"))
    if state is not None and "file_hashes" in state:
        hashes: Mapping[str, str] = state["file_hashes"]
        found["state"]["file_hashes"] = {strip_secrets(path): one for path, one in hashes.items()}
    return found


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def checkpoint_document(
    alias: str, session: Session, task: Task, told: CheckpointStatement, *, at_ms: int
) -> dict[str, Any]:
    """The checkpoint of C-18."""
    state: dict[str, Any] = {
        "files_changed": list(told.files_changed),
        "tests": dict(told.tests or NO_TESTS),
        "decisions": list(told.decisions),
        "safety_metrics": dict(told.safety) if told.safety is not None else None,
    }
    optional = {
        "files_more": told.files_more or None,
        "files_digest": told.files_digest,
        "evidence": dict(told.evidence) if told.evidence is not None else None,
        "waiver": told.waiver,
        "waived": list(told.waived) or None,
        "error": told.error,
        "resolution": told.resolution,
        "questions": list(told.questions) or None,
        "commit": told.commit,
        "file_hashes": dict(told.file_hashes) if told.file_hashes else None,
    }
    state |= {name: value for name, value in optional.items() if value is not None}
    return {
        "checkpoint_id": alias,
        "session_id": session.alias,
        "timestamp": text_of(at_ms),
        "task_slug": task.slug,
        "gate": task.gate,
        "step": task.step,
        "type": told.kind,
        "summary": told.summary,
        "state": state,
        "next_steps": list(told.next_steps),
        "can_resume": told.can_resume,
        "resume_instructions": told.resume_instructions,
        "schema_version": SCHEMA_VERSION,
    }


def withheld_document(checkpoint: Checkpoint, session: str | None) -> dict[str, Any]:
    """What is left of a checkpoint whose texts were forgotten: that there was one."""
    return {
        "checkpoint_id": checkpoint.alias,
        "session_id": session,
        "timestamp": text_of(checkpoint.created_ms),
        "task_slug": checkpoint.task,
        "gate": checkpoint.gate,
        "step": int(checkpoint.step or 0),
        "type": checkpoint.kind,
        "summary": WITHHELD,
        "state": {"files_changed": [], "tests": NO_TESTS, "decisions": [], "safety_metrics": None},
        "next_steps": [],
        "can_resume": bool(checkpoint.can_resume),
        "resume_instructions": None,
        "schema_version": SCHEMA_VERSION,
    }


def index_document(task: Task, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "task_slug": task.slug,
        "updated_at": text_of(task.updated_ms),
        "checkpoints": list(entries),
    }


def index_entry(checkpoint: Checkpoint, document: str) -> dict[str, Any]:
    """One line of the index, from the document that the file holds."""
    told: dict[str, Any] = json.loads(document) if document else {}
    return {
        "checkpoint_id": checkpoint.alias,
        "session_id": told.get("session_id"),
        "timestamp": text_of(checkpoint.created_ms),
        "gate": checkpoint.gate,
        "type": checkpoint.kind,
        "summary": told.get("summary"),
        "sha256": digest(document),
        "can_resume": bool(checkpoint.can_resume),
    }


def status_document(task: Task) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "task_slug": task.slug,
        "status": task.status,
        "current_gate": task.gate,
        "blockers": task.blockers,
        "next_steps": task.next_steps,
        "last_session": task.last_session,
        "last_activity": text_of(task.updated_ms),
        "updated_at": text_of(task.updated_ms),
    }


def meta_document(task: Task) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "id": task.id,
        "task_slug": task.slug,
        "goal": task.goal,
        "acceptance_criteria": task.acceptance,
        "smoke_command": task.smoke,
        "created_at": text_of(task.created_ms),
    }


def tags_document(task: Task) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "memory_tag": task.tag,
        "domains": [],
        "risk": None,
        "flags": ["sandbox"] if task.sandbox_json is not None else [],
    }


def manifest_document(task: Task, runs: Sequence[tuple[Session, Sitting]]) -> dict[str, Any]:
    """Which sessions there were, oldest first, and where those in a sandbox are documented."""
    return {
        "schema_version": SCHEMA_VERSION,
        "task_slug": task.slug,
        "mcp_sessions": [],
        "sessions": [
            {
                "session_id": session.alias,
                "state": session.state,
                "started_at": text_of(session.started_ms),
                "gate": session.gate,
                "outcome": sitting.outcome,
                "sandboxed": bool(sitting.sandboxed),
                "metadata": f"{SESSIONS}/{session.alias}.json",
                "evidence_log": SESSION_LOG,
            }
            for session, sitting in runs
        ],
        "sandbox_runs": [
            {"session_id": session.alias, "log": f"{LONG_CONTEXT}/{session.alias}.jsonl"}
            for session, sitting in runs
            if sitting.sandboxed
        ],
        "evidence": {"checkpoints": INDEX, "log": LOG, "runtime": SESSION_LOG},
    }


def session_document(
    session: Session,
    sitting: Sitting,
    agent: str,
    *,
    parent: str | None,
    children: Sequence[str],
) -> dict[str, Any]:
    """The session metadata of C-4 and C-5."""
    return {
        "session_id": session.alias,
        "agent_id": agent,
        "task_slug": session.task,
        "state": session.state,
        "started_at": text_of(session.started_ms),
        "last_activity": text_of(session.last_activity_ms),
        "current_gate": session.gate,
        "checkpoint_count": session.checkpoint_count,
        "parent_session": parent,
        "child_sessions": list(children),
        "context_tokens": session.context_tokens,
        "computed_context_tokens": sitting.current_tokens,
        "goal": sitting.goal,
        "health": sitting.health,
        "fix": bool(sitting.fix),
        "sandboxed": bool(sitting.sandboxed),
        "resumed_from": sitting.resumed_from,
        "outcome": sitting.outcome,
        "record": sitting.record,
    }
