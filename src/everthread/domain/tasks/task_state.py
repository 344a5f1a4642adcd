"""The state of a task at a gate and at the end of a session: all that its checkpoints since then say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from everthread.domain.harness.checkpoints import CheckpointKind

from .checkpoint_rules import MOST_FILES, decision_line
from .task_files import NO_TESTS, CheckpointStatement

ENDS: tuple[CheckpointKind, ...] = ("gate_transition", "session_end")
"""Kinds whose checkpoint carries the whole state."""


def whole_state(
    told: CheckpointStatement, before: Sequence[Mapping[str, Any]], *, session: str
) -> CheckpointStatement:
    """What is told, with all that the checkpoints before it (newest first) say of this stretch.

    A gate's stretch begins with the gate before it; a session's with the session.
    """
    states = [document["state"] for document in _stretch(told.kind, before, session)][::-1]
    files = _files(states, told)
    listed = dict(list(files.items())[-MOST_FILES:])
    hashes: dict[str, str] = {}
    for state in states:
        hashes |= state.get("file_hashes", {})
    hashes |= told.file_hashes or {}
    more = sum(state.get("files_more", 0) for state in states) + len(files) - len(listed)
    return told._replace(
        files_changed=[{"path": path, "action": action} for path, action in listed.items()],
        files_more=told.files_more + more,
        decisions=_unique_entries(
            [d for state in states for d in state["decisions"]], told.decisions
        ),
        questions=[*(q for state in states for q in state.get("questions", ())), *told.questions],
        tests=told.tests
        or next((s["tests"] for s in states[::-1] if _tests_ran(s["tests"])), None),
        file_hashes={p: h for p, h in hashes.items() if listed.get(p, "deleted") != "deleted"},
        commit=told.commit or next((s["commit"] for s in states[::-1] if s.get("commit")), None),
    )


def _stretch(
    kind: CheckpointKind, before: Sequence[Mapping[str, Any]], session: str
) -> Iterable[Mapping[str, Any]]:
    for document in before:
        if kind == "gate_transition" and document["type"] == kind:
            return
        if kind == "session_end" and document["session_id"] != session:
            return
        yield document


def _files(states: Sequence[Mapping[str, Any]], told: CheckpointStatement) -> dict[str, str]:
    """Each file once, with what happened to it over all: one that was made and then changed was made."""
    files: dict[str, str] = {}
    given = [*(f for state in states for f in state["files_changed"]), *told.files_changed]
    for file in given:
        path, action = file["path"], file["action"]
        made = files.pop(path, None) == "created" and action == "modified"
        files[path] = "created" if made else action
    return files


def _unique_entries(
    before: Sequence[Mapping[str, Any]], told: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for one in (*before, *told):
        if one not in found:
            found.append(one)
    return found


def _tests_ran(tests: Mapping[str, int]) -> bool:
    return dict(tests) != NO_TESTS


def readable_state(told: CheckpointStatement) -> str:
    """What people and the next session read of it: all that it says in words."""
    lines = [f"### Summary\n{told.summary}"]
    lines += _section("Waiver", [told.waiver] if told.waiver else [])
    lines += _section(
        "Decisions", [line for each in told.decisions for line in _decision_lines(each)]
    )
    lines += _section("Error", [part for part in (told.error, told.resolution) if part])
    lines += _section("Evidence", [_evidence_line(k, v) for k, v in (told.evidence or {}).items()])
    lines += _section("Files", [f"{f['path']} ({f['action']})" for f in told.files_changed[:20]])
    lines += _section("Questions", told.questions)
    lines += _section("Next Steps", told.next_steps)
    return "\n".join(lines)


def _section(name: str, lines: Sequence[str]) -> list[str]:
    return [f"### {name}", *(f"- {line}" for line in lines)] if lines else []


def _decision_lines(decision: Mapping[str, Any]) -> list[str]:
    """As a memory says it, on a line of its own: so it is known again when that is forgotten."""
    others = ", ".join(map(str, decision.get("alternatives_considered", ())))
    return [decision_line(decision), *([f"Instead of: {others}"] if others else [])]


def _evidence_line(name: str, value: object) -> str:
    return f"{name}: {value.get('file') if isinstance(value, Mapping) else value}"  # pyright: ignore[reportUnknownMemberType] - a document's own value
