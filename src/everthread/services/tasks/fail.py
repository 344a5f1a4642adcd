"""Fail: a step went wrong; what to do next, by the kind of failure and by how often it has failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from everthread.domain.checks import checked_text, mend_text
from everthread.domain.errors import BadInput
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.retries import LOOPING, NextStep, next_step, read_failures
from everthread.domain.tasks.tasks import FAILURES, LONGEST_TEXT, FailureKind, Incident, Task
from everthread.ports import Records

from .checkpoints.last_state import last_good
from .desk import MOST, Desk, TaskSession, must_be_at_work
from .files.projection import write_projection
from .files.session_log import log_line
from .fix import Suggestion, suggest
from .sessions.stop import Trigger, stop

LONGEST_STEP = 200
MOST_STEPS = 200


class Failure(NamedTuple):
    """What went wrong, where."""

    step: str
    kind: FailureKind
    detail: str = ""


class FailureOutcome(NamedTuple):
    task: Task
    step: str
    next: NextStep
    rolls_back_to: str | None
    """The checkpoint to go back to, after an error in the logic."""
    suggestion: Suggestion | None


def fail(desk: Desk, slug: str | None, failure: Failure) -> FailureOutcome:
    """Count the failure and say what follows; the third in a row on a step asks the fixer."""
    step = _step_name(failure.step)
    detail = strip_secrets(mend_text(failure.detail))[:LONGEST_TEXT]
    if failure.kind not in FAILURES:
        raise BadInput(f"a failure is {', '.join(FAILURES)}; got {failure.kind!r:.40}")
    failure = Failure(step, failure.kind, detail)

    def work(records: Records) -> tuple[TaskSession, NextStep, str | None]:
        at = must_be_at_work(records, desk, slug)
        known = at.task.failures
        # Taken out first: what fails now is the newest, and stays longest.
        told = next_step(read_failures(known.pop(step, None)), failure.kind)
        known[step] = told.failures._asdict()
        changed = at.task._replace(failures_json=_failures_json(known))
        changed = records.tasks.change(desk.scope, changed, "failed", now=desk.house.clock.now())
        back = last_good(records, desk, at.task) if told.advice == "roll_back" else None
        if told.advice == "escalate":
            escalate(records, desk, at, failure, f"failed {told.failures.total} times in a row")
        return at._replace(task=changed), told, back

    at, told, back = desk.house.store.write(work)
    write_projection(desk, at.task)
    log_line(
        desk,
        at.task,
        f"Step failed: {step} ({failure.kind}): {told.words}",
        level="warning",
        trace=at.session.key_id.hex(),
        session_id=at.session.alias,
        detail=detail,
    )
    if told.advice == "stop":
        times = told.failures.total
        why = Trigger("loop", f"{step!r} failed {times} times in a row", "repeated", LOOPING, times)
        return FailureOutcome(stop(desk, at.task.slug, why).task, step, told, None, None)
    found = suggest(desk, at, step, detail) if told.advice == "fixer" else None
    if found is not None and found.kind == "escalation":
        why_not = f"is beyond the fixer: {found.text[:300]}"
        desk.house.store.write(lambda r: escalate(r, desk, at, failure, why_not))
    return FailureOutcome(at.task, step, told, back, found)


def clear_step(desk: Desk, slug: str | None, step: str) -> Task:
    """The step went through: its failures are over."""
    name = _step_name(step)

    def work(records: Records) -> Task:
        at = must_be_at_work(records, desk, slug)
        known = at.task.failures
        if name not in known:
            return at.task
        del known[name]
        changed = at.task._replace(failures_json=_failures_json(known))
        return records.tasks.change(desk.scope, changed, "mended", now=desk.house.clock.now())

    return desk.house.store.write(work)


def escalate(records: Records, desk: Desk, at: TaskSession, failure: Failure, why: str) -> None:
    """A person has to look at the step: one incident, however often it fails until somebody did."""
    unresolved = records.incidents.all(desk.scope, task=at.task.ref, unresolved=True, limit=MOST)
    if any(_is_about(found, failure.step) for found in unresolved):
        return
    records.incidents.add(
        desk.scope,
        incident(
            desk.house.ids.new(),
            "escalation",
            f"{failure.step!r} of {at.task.slug} {why} ({failure.kind})",
            severity="high",
            about=(at.task.ref, at.session.ref),
            details=failure._asdict(),
            at=desk.house.clock.now(),
        ),
    )


def _is_about(found: Incident, step: str) -> bool:
    return found.kind == "escalation" and json.loads(found.details_json).get("step") == step


def _step_name(name: str) -> str:
    """A step by the same name, however it was written down."""
    return strip_secrets(" ".join(checked_text("step", name, longest=LONGEST_STEP).split()))


def _failures_json(known: Mapping[str, Any]) -> str:
    """The newest steps: a task that fails at ever new ones must not grow without end."""
    return json.dumps(dict(list(known.items())[-MOST_STEPS:]), ensure_ascii=False)
