"""Fix: ask the fixer about one step. It reads that step's context alone and can write nothing.

A command runs in a cage; a model gets a text and answers with one. What comes back is a suggestion or
an escalation, kept with the task for the session to apply; nothing of it is ever carried out by us.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from everthread.domain.checks import mended
from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.redaction.secrets import redacted
from everthread.domain.tasks.commands import Cage, Command
from everthread.domain.tasks.fixer_prompt import ESCALATES, framed, line
from everthread.domain.tasks.task_files import Told
from everthread.domain.times import MINUTE, SECOND
from everthread.ports import Fixer, Records
from everthread.services.distilling.spend import spend

from .found import At, Desk, must_be_at_work
from .log import told_of
from .mark import marked, put_down

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


def suggest(desk: Desk, at: At, step: str, detail: str) -> Suggestion:
    """What the fixer says about the step; kept as an `error_recovery` checkpoint."""
    found = _asked(desk, _context(desk, at, step, detail))
    told = Told(
        "error_recovery",
        f"The fixer was asked about {step!r}: {found.kind}.",
        error=detail or f"{step} failed three times in a row",
        resolution=found.text,
    )

    def work(records: Records) -> Checkpoint:
        present = must_be_at_work(records, desk, at.task.slug)
        return marked(records, desk, present, told, now=desk.house.clock.now())

    try:
        made = desk.house.store.write(work)
    except TaskRefused as refused:
        # It was stopped while the fixer thought: what it said is told all the same.
        told_of(desk, at.task, f"Fixer: {found.kind} by {found.by}, not kept: {refused}")
        return found
    put_down(desk, at.task)
    told_of(
        desk,
        at.task,
        f"Fixer: {found.kind} by {found.by}",
        trace=at.session.key_id.hex(),
        session_id=at.session.alias,
        checkpoint_id=made.alias,
    )
    return found._replace(checkpoint=made.alias)


def _asked(desk: Desk, context: str) -> Suggestion:
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
        return Suggestion("escalation", f"the model failed: {redacted(str(failed))}", fixer.name)
    spend(desk.house, desk.scope, fixer.name, answer.spent)
    return _read(answer.text, fixer.name)


def _by_command(desk: Desk, command: Command, context: str, seconds: float) -> Suggestion:
    if desk.house.commands is None:
        return Suggestion("escalation", "this program runs no commands", "nobody")
    try:
        ran = desk.house.commands.run(
            command,
            folder=desk.project,
            seconds=seconds,
            stdin=line(context).encode("utf-8", "replace"),
            cage=Cage(),
        )
    except EverthreadError as trouble:
        return Suggestion("escalation", redacted(str(trouble)), "nobody")
    if ran.timed_out:
        return Suggestion("escalation", f"the fixer had no answer after {seconds:g} s", "command")
    if not ran.passed:
        why = ran.error or f"it ended with {ran.code}"
        printed = redacted(mended(ran.output)).strip()[-LONGEST_COMPLAINT:]
        return Suggestion("escalation", f"the fixer failed: {why}\n{printed}".strip(), "command")
    return _read(ran.output, "command")


def _read(answer: str, by: str) -> Suggestion:
    text = redacted(mended(answer).strip())[:LONGEST_ANSWER]
    if not text or text.upper().startswith(ESCALATES):
        return Suggestion("escalation", text or "the fixer had no answer", by)
    return Suggestion("suggestion", text, by)


def _context(desk: Desk, at: At, step: str, detail: str) -> str:
    """What the fixer may know: the step, how it failed, the task's goal, its last checkpoints."""

    def work(records: Records) -> list[Any]:
        rows = records.tasks.checkpoints(desk.scope, at.task.ref, limit=CHECKPOINTS)
        texts = (records.tasks.document(desk.scope, row) for row in rows)
        return [json.loads(text) for text in texts if text]

    task = at.task
    return framed(
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
