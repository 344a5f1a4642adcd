"""Gate: pass one, with what it asks for or with a waiver that is recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.checks import mend_text
from everthread.domain.errors import BadInput
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.charter import checked_plan
from everthread.domain.tasks.checkpoint_rules import (
    checked_decisions,
    checked_tests,
    clean_lines,
    clean_text,
    named_file,
)
from everthread.domain.tasks.gates import (
    EXCERPT,
    LARGEST_EVIDENCE,
    MOST_EVIDENCE,
    NAMES,
    BroughtEvidence,
    Passage,
    gate_name,
    gate_number,
    passage,
    read_evidence,
)
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Task
from everthread.ports import Records

from .checkpoints.file_changes import Worktree, look_at_worktree
from .checkpoints.mirror import keep_mirror, mirror_of
from .checkpoints.write import add_checkpoint, write_files
from .checks.smoke import must_be_repaired
from .desk import Desk, TaskSession, must_be_at_work, task_of
from .files.projection import folder_of


class PassOutcome(NamedTuple):
    task: Task
    checkpoint: Checkpoint
    passage: Passage


class GateClaim(NamedTuple):
    """What is brought to a gate."""

    evidence: Mapping[str, str] | Sequence[str]
    """Texts by name; or words as on the command line: `name=text`, `name=@FILE`, `FILE`."""
    waiver: str | None = None
    summary: str | None = None
    decisions: Sequence[Mapping[str, Any]] = ()
    next_steps: Sequence[str] = ()
    tests: Mapping[str, int] | str | None = None


def pass_gate(desk: Desk, slug: str | None, gate: str, brought: GateClaim) -> PassOutcome:
    """Through the gate, in one transaction with its checkpoint; refused, nothing is changed."""
    number = gate_number(gate)
    evidence = _evidence(desk, brought.evidence)
    told = _checkpoint_content(number, brought, evidence)
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    folder_of(desk, task, create=True)
    must_be_repaired(desk, task.slug)
    seen = look_at_worktree(desk, task.slug)
    memories = mirror_of(desk, task, told) if brought.summary or told.decisions else []

    def work(records: Records) -> PassOutcome:
        at = must_be_at_work(records, desk, task.slug)
        unsolved = list(at.task.failures)
        through = passage(at.task.passed, number, set(evidence), told.waiver, unsolved=unsolved)
        keep_mirror(records, desk, at, memories)
        return _pass(records, desk, at, told, through, seen)

    done = desk.house.store.write(work)
    write_files(desk, done.task)
    return done


def _checkpoint_content(
    number: int, brought: GateClaim, evidence: Mapping[str, Any]
) -> CheckpointStatement:
    return CheckpointStatement(
        "gate_transition",
        clean_text("summary", brought.summary) or f"Passed G{number} ({NAMES[number]}).",
        decisions=checked_decisions(brought.decisions),
        tests=checked_tests(brought.tests),
        evidence=evidence,
        waiver=clean_text("waiver", brought.waiver),
        next_steps=checked_plan(clean_lines("next_steps", brought.next_steps)),
    )


def _pass(
    records: Records,
    desk: Desk,
    at: TaskSession,
    told: CheckpointStatement,
    through: Passage,
    seen: Worktree,
) -> PassOutcome:
    now = desk.house.clock.now()
    # A waiver that was not needed is none.
    told = told._replace(waiver=through.waiver, waived=through.reasons)
    # Its checkpoint is that of the gate it speaks of, also where the task stands at another.
    there = at._replace(task=at.task._replace(passed=through.number - 1))
    made = add_checkpoint(records, desk, there, told, now=now, seen=seen)
    # Read again: the probe of its checkpoint may have changed it.
    present = records.tasks.get(desk.scope, at.task.ref)
    moved = present._replace(passed=through.number, step=at.task.step + 1)
    task = records.tasks.change(desk.scope, moved, "gate", now=now)
    session = records.sessions.get(desk.scope, at.session.ref)
    records.sittings.at_gate(desk.scope, session, task.gate, now=now)
    if through.waiver is not None:
        summary = f"{task.slug} passed {gate_name(through.number)} by a waiver: {through.waiver}"
        details = {"gate": gate_name(through.number), "waived": list(through.reasons)}
        found = incident(
            desk.house.ids.new(),
            "waiver",
            summary,
            severity="low",
            about=(task.ref, session.ref),
            details={**details, "checkpoint": made.alias},
            at=now,
        )
        records.incidents.add(desk.scope, found)
    return PassOutcome(task, made, through)


# Evidence: read before the transaction


def _evidence(desk: Desk, given: Mapping[str, str] | Sequence[str]) -> dict[str, Any]:
    if isinstance(given, str):
        raise BadInput("evidence is texts by name, or a list of words; got one text")
    if len(given) > MOST_EVIDENCE:
        raise BadInput(f"a gate takes at most {MOST_EVIDENCE} pieces of evidence; got {len(given)}")
    if isinstance(given, Mapping):
        pieces = [BroughtEvidence(name, text) for name, text in given.items()]
    else:
        pieces = [read_evidence(word) for word in given]
    found: dict[str, Any] = {}
    for piece in pieces:
        value = _value(desk, piece)
        held = found.get(piece.name)
        # Several files may be evidence for one thing.
        found[piece.name] = value if held is None else [*_as_list(held), value]
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType] - ours


def _value(desk: Desk, piece: BroughtEvidence) -> str | dict[str, Any]:
    if piece.file is None:
        return clean_text(f"the evidence {piece.name}", piece.text) or ""
    path = named_file(piece.file, desk.project).path
    folders = desk.house.folders
    raw = (
        None
        if folders is None
        else folders.project_bytes(desk.project, path, most=LARGEST_EVIDENCE)
    )
    if raw is None:
        raise BadInput(
            f"there is no file {path!r:.80} in {desk.project} (evidence for {piece.name})"
        )
    if not raw.strip():
        raise BadInput(f"{path!r:.80} is empty: it is no evidence for {piece.name}")
    text = None if b"\0" in raw else mend_text(raw.decode("utf-8", "replace"))
    return {
        "file": path,
        "sha256": hashlib.sha256(raw).hexdigest(),
        "bytes": len(raw),
        "excerpt": None if text is None else strip_secrets(text)[:EXCERPT],
    }
