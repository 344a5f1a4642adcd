"""Arc: how far a task went since its last recap, and that it is told where it went too far."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from everthread.domain.harness.checkpoints import CheckpointKind
from everthread.domain.tasks.charter import MOST_STEPS, STEPS, Arc, arc_of
from everthread.domain.tasks.tasks import Task
from everthread.ports import Records
from everthread.services.tasks.desk import Desk
from everthread.services.tasks.files.session_log import log_line

BACK = 200
"""Checkpoints that are looked back through: far more than an arc should have."""


def arc_now(records: Records, desk: Desk, task: Task) -> Arc:
    return arc_of(_checkpoints(records, desk, task))


def _checkpoints(
    records: Records, desk: Desk, task: Task
) -> Iterator[tuple[CheckpointKind, Sequence[str]]]:
    for row in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        text = records.tasks.document(desk.scope, row) if row.kind in STEPS else ""
        told: dict[str, Any] = json.loads(text) if text else {}
        yield row.kind, told.get("state", {}).get("questions", ())


def warn_if_over(desk: Desk, task: Task, before: Arc, after: Arc) -> None:
    """Say once that an arc has more steps than it should; each is put down all the same."""
    if after.over and not before.over:
        line = f"Step budget exceeded: {after.steps} of {MOST_STEPS} steps at {task.gate}"
        log_line(desk, task, line, level="warning", steps=after.steps, most_steps=MOST_STEPS)
