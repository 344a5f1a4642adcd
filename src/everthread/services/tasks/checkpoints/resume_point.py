"""Chain: a session goes on from a checkpoint of an earlier one, and sees what is not as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.gates import gate_name, gate_number
from everthread.domain.tasks.rituals import HEALTHY
from everthread.domain.tasks.tasks import Health, Task
from everthread.ports import Records
from everthread.services.tasks.desk import Desk
from everthread.services.tasks.files.projection import ALL

TRANSITION = "gate_transition"
NAMED = 10
"""So many files or checkpoints are named; of more their number is told."""


def resume_checkpoint(
    records: Records, desk: Desk, task: Task, from_gate: str | None
) -> Checkpoint | None:
    """The checkpoint to go on from: the newest, or that of a gate's boundary; None at the beginning."""
    rows = records.tasks.checkpoints(desk.scope, task.ref, limit=ALL)
    if from_gate is None:
        found = rows[0] if rows else None
    else:
        found = _boundary(task, gate_number(from_gate), rows)
    if found is not None and not found.can_resume:
        why = found.resume_instructions or _summary(records, desk, found)
        raise TaskRefused(
            f"{found.alias} ({found.kind} at {found.gate}) says that nobody can go on from it: "
            f"{why:.300} — go on from a gate's boundary: "
            f"`everthread task start {task.slug} --from-gate {_latest_gate(task, rows)}`"
        )
    return found


def _boundary(task: Task, number: int, rows: Sequence[Checkpoint]) -> Checkpoint | None:
    """What was put down when the gate before was passed, else the last at this gate."""
    wanted = gate_name(number)
    if number > task.passed + 1:
        raise TaskRefused(
            f"{task.slug} stands at {task.gate}; {wanted} lies ahead of it and is reached by passing "
            f"gates: `everthread task gate {task.gate}`"
        )
    before = [row for row in rows if row.kind == TRANSITION and row.gate == gate_name(number - 1)]
    at_it = [row for row in rows if row.gate == wanted and (number > 0 or row.can_resume)]
    if found := next(iter([*before, *at_it]), None):
        return found
    if number == 0:
        return None  # the beginning of a task needs no checkpoint
    raise TaskRefused(
        f"no checkpoint of {task.slug} is at the boundary to {wanted}; {_available_text(rows)}"
    )


def _available_text(rows: Sequence[Checkpoint]) -> str:
    if not rows:
        return "there is none at all: start without --from-gate"
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return "there are " + ", ".join(f"{r.alias} ({r.kind}, {r.gate})" for r in rows[:NAMED]) + more


def _latest_gate(task: Task, rows: Sequence[Checkpoint]) -> str:
    """The latest gate whose boundary somebody can go on from; the first one always can be."""
    for number in range(task.passed + 1, 0, -1):
        before = [
            row for row in rows if row.kind == TRANSITION and row.gate == gate_name(number - 1)
        ]
        if before and before[0].can_resume:
            return gate_name(number)
    return gate_name(0)


def _summary(records: Records, desk: Desk, checkpoint: Checkpoint) -> str:
    return str(document_of(records, desk, checkpoint).get("summary", "it gives no reason"))


def document_of(records: Records, desk: Desk, checkpoint: Checkpoint | None) -> Mapping[str, Any]:
    """What the checkpoint says; nothing where there is none, or its words were forgotten."""
    text = "" if checkpoint is None else records.tasks.document(desk.scope, checkpoint)
    return json.loads(text) if text else {}


def changes_since(desk: Desk, document: Mapping[str, Any]) -> list[str]:
    """Which preconditions of a checkpoint do not hold any more: its commit, its files."""
    state: Mapping[str, Any] = document.get("state", {})
    return [*_commit(desk, state.get("commit")), *_files(desk, state.get("file_hashes") or {})]


def _commit(desk: Desk, commit: str | None) -> list[str]:
    if commit is None or desk.house.versions is None:
        return []
    try:
        repository = desk.house.versions.of(desk.project)
        if repository is None:
            why = desk.house.versions.why_none(desk.project)
            return [f"commit {commit:.12} cannot be looked for: {why}"]
        if not repository.has(commit):
            return [f"commit {commit:.12}, which was checked out then, is gone"]
        head = repository.head()
    except EverthreadError as trouble:
        return [f"commit {commit:.12} cannot be looked for: {trouble}"]
    return [] if head == commit else [f"{head or 'nothing':.12} is checked out, not {commit:.12}"]


def _files(desk: Desk, hashes: Mapping[str, str]) -> list[str]:
    folders = desk.house.folders
    if folders is None:
        return []
    found: dict[str, list[str]] = {"gone": [], "changed": []}
    for path, known in hashes.items():
        digest = _digest(desk, path)
        if digest != known:
            found["gone" if digest is None else "changed"].append(path)
    return [f"{_paths_phrase(paths)} {how}" for how, paths in found.items() if paths]


def _digest(desk: Desk, path: str) -> str | None:
    assert desk.house.folders is not None
    try:
        return desk.house.folders.project_digest(desk.project, path)
    except EverthreadError:
        return None  # a link stands in its way: the file that was there is not


def _paths_phrase(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - NAMED} more files" if len(paths) > NAMED else ""
    verb = "is" if len(paths) == 1 else "are"
    return f"{', '.join(paths[:NAMED])}{more} {verb}"


def health_since(before: Health | None, now: Health) -> list[str]:
    """Are the tests as they were recorded?"""
    if before in HEALTHY and now == "fail":
        return ["the smoke command passed then and fails now"]
    if before == "fail" and now in HEALTHY:
        return ["the smoke command failed then and passes now"]
    return []
