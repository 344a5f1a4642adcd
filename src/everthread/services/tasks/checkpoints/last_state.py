"""Known: where a task stood, as its checkpoints have it."""

from __future__ import annotations

import json
from typing import Any

from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Task
from everthread.ports import Records
from everthread.services.tasks.desk import Desk

BACK = 200
BROKEN_OFF = ("interrupted", "emergency")


def last_good(records: Records, desk: Desk, task: Task) -> str | None:
    """The newest checkpoint that somebody can go back to, by its alias."""
    for checkpoint in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        if checkpoint.can_resume and checkpoint.kind not in BROKEN_OFF:
            return checkpoint.alias
    return None


def last_document(records: Records, desk: Desk, task: Task) -> dict[str, Any]:
    """What the newest checkpoint says that somebody can go on from; empty where there is none."""
    for checkpoint in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        text = records.tasks.document(desk.scope, checkpoint) if checkpoint.can_resume else ""
        if text:
            return json.loads(text)
    return {}


def last_known_state(records: Records, desk: Desk, task: Task) -> CheckpointStatement:
    """The state of that checkpoint, for one that is put down by somebody who was not there."""
    last = last_document(records, desk, task)
    state: dict[str, Any] = last.get("state", {})
    return CheckpointStatement(
        "interrupted",
        "",
        files_changed=state.get("files_changed", []),
        files_more=state.get("files_more", 0),
        files_digest=state.get("files_digest"),
        tests=state.get("tests"),
        decisions=state.get("decisions") or _last_decisions(records, desk, task),
        next_steps=last.get("next_steps") or task.next_steps,
        commit=state.get("commit"),
        file_hashes=state.get("file_hashes"),
    )


def _last_decisions(records: Records, desk: Desk, task: Task) -> list[dict[str, Any]]:
    """Those of the newest checkpoint that has some: one of changed files has none, and hides them."""
    for checkpoint in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        text = records.tasks.document(desk.scope, checkpoint)
        if text and (found := json.loads(text).get("state", {}).get("decisions")):
            return found
    return []
