"""Fix: ask the fixer about one step. It reads that step's context alone and can write nothing.

A command runs in a cage; a model gets a text and answers with one. What comes back is a suggestion or
an escalation, kept with the task for the session to apply; nothing of it is ever carried out by us.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from everthread.domain.checks import mend_text
from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.commands import Cage, Command
from everthread.domain.tasks.fixer_prompt import ESCALATES, frame_context, prompt_text
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.times import MINUTE, SECOND
from everthread.ports import Fixer, Records
from everthread.services.distilling.spend import spend

from .checkpoints.write import add_checkpoint, write_files
from .desk import Desk, TaskSession, must_be_at_work
from .files.session_log import log_line

LONGEST_ANSWER = 8_000
LONGEST_COMPLAINT = 1_000
CHECKPOINTS = 3
"""So many of the newest are shown to the fixer."""


class Suggestion(NamedTuple):
    kind: Literal["suggestion", "escalation"]
    text: str
    by: str
    """The command, the model, or nobody."""
    checkpoint: str | None = None


def suggest(desk: Desk, at: TaskSession, step: str, detail: str) -> Suggestion:
    """What the fixer says about the step; kept as an `error_recovery` checkpoint."""
    found = _ask_fixer(desk, _context(desk, at, step, detail))
    told = CheckpointStatement(
        "error_recovery",
        f"The fixer was asked about {step!r}: {found.kind}.",
        error=detail or f"{step} failed three times in a row",
        resolution=found.text,
    )

    def work(records: Records) -> Checkpoint:
        present = must_be_at_work(records, desk, at.task.slug)
        return add_checkpoint(records, desk, present, told, now=desk.house.clock.now())

    try:
        made = desk.house.store.write(work)
    except TaskRefused as refused:
        # It was stopped while the fixer thought: what it said is told all the same.
        log_line(desk, at.task, f"Fixer: {found.kind} by {found.by}, not kept: {refused}")
        return found
    write_files(desk, at.task)
    log_line(
        desk,
        at.task,
        f"Fixer: {found.kind} by {found.by}",
        trace=at.session.key_id.hex(),
        session_id=at.session.alias,
        checkpoint_id=made.alias,
    )
    return found._replace(checkpoint=made.alias)


def _ask_fixer(desk: Desk, context: str) -> Suggestion:
    policy = desk.house.policy
    if policy.fixer_command:
        seconds = policy.fixer_minutes * MINUTE / SECOND
        return _by_command(desk, policy.fixer_command, context, seconds)
    if desk.house.fixer is not None:
        return _by_model(desk, desk.house.fixer, context)
    return Suggestion(
        "escalation",
        "there is no fixer here: set fixer_command, or a model that distills",
        "nobody",
    )


def _by_model(desk: Desk, fixer: Fixer, context: str) -> Suggestion:
    try:
        answer = fixer.suggest(context)
    except ModelFailed as failed:
        spend(desk.house, desk.scope, fixer.name, failed.spent)
        return Suggestion(
            "escalation", f"the model failed: {strip_secrets(str(failed))}", fixer.name
        )
    spend(desk.house, desk.scope, fixer.name, answer.spent)
    return _read_answer(answer.text, fixer.name)


def _by_command(desk: Desk, command: Command, context: str, seconds: float) -> Suggestion:
    if desk.house.commands is None:
        return Suggestion("escalation", "this program runs no commands", "nobody")
    try:
        ran = desk.house.commands.run(
            command,
            folder=desk.project,
            seconds=seconds,
            stdin=prompt_text(context).encode("utf-8", "replace"),
            cage=Cage(),
        )
    except EverthreadError as trouble:
        return Suggestion("escalation", strip_secrets(str(trouble)), "nobody")
    if ran.timed_out:
        return Suggestion("escalation", f"the fixer had no answer after {seconds:g} s", "command")
    if not ran.passed:
        why = ran.error or f"it ended with {ran.code}"
        printed = strip_secrets(mend_text(ran.output)).strip()[-LONGEST_COMPLAINT:]
        return Suggestion("escalation", f"the fixer failed: {why}\n{printed}".strip(), "command")
    return _read_answer(ran.output, "command")


def _read_answer(answer: str, by: str) -> Suggestion:
    text = strip_secrets(mend_text(answer).strip())[:LONGEST_ANSWER]
    if not text or text.upper().startswith(ESCALATES):
        return Suggestion("escalation", text or "the fixer had no answer", by)
    return Suggestion("suggestion", text, by)


def _context(desk: Desk, at: TaskSession, step: str, detail: str) -> str:
    """What the fixer may know: the step, how it failed, the task's goal, its last checkpoints."""

    def work(records: Records) -> list[Any]:
        rows = records.tasks.checkpoints(desk.scope, at.task.ref, limit=CHECKPOINTS)
        texts = (records.tasks.document(desk.scope, row) for row in rows)
        return [json.loads(text) for text in texts if text]

    task = at.task
    return frame_context(
        {
            "task": task.slug,
            "goal": task.goal,
            "gate": task.gate,
            "step": step,
            "failures": task.failures.get(step, {}),
            "error": detail,
            "acceptance_criteria": task.acceptance,
            "last_checkpoints": desk.house.store.read(work),
        }
    )
