"""Start: the startup ritual of a task's session, in its order, each step on record.

The session is reserved first, as `init`, so that of two who start at once one wins. What is done outside
of the store follows, and the session becomes `active` at the end; `suspended` where the smoke command
fails and nobody came to repair that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from everthread.domain.conversation.sessions import Session, new_session
from everthread.domain.errors import EverthreadError, TaskBusy, TaskRefused
from everthread.domain.tasks.checkpoint_rules import clean_text
from everthread.domain.tasks.gates import current_gate, gate_name, gate_number
from everthread.domain.tasks.rituals import RESUME, ResumePoint, Step, detail_text
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Health, Sitting, Task
from everthread.domain.times import MINUTE
from everthread.ports import Records
from everthread.services.archive.enrol import primary_of
from everthread.services.tasks.checkpoints.resume_point import (
    changes_since,
    document_of,
    health_since,
    resume_checkpoint,
)
from everthread.services.tasks.checkpoints.write import add_checkpoint, write_files
from everthread.services.tasks.checks.smoke import check, log_health
from everthread.services.tasks.checks.stop_file import has_stop_file
from everthread.services.tasks.desk import Desk, TaskSession, at_work, task_of
from everthread.services.tasks.files.projection import folder_of
from everthread.services.tasks.files.session_log import log_line, rotate_log
from everthread.services.tasks.sandbox import log_sandbox_start, sync_markers

from .startup_steps import commits_step, log_step, recall_step, run_step, status_step
from .watch import interrupt

LOOKS = {
    "recall": recall_step,
    "log": log_step,
    "status": status_step,
    "commits": commits_step,
}


def _tell_nobody(_step: Step) -> None:
    """Nobody watches."""


class Starting(NamedTuple):
    """How a session is to begin."""

    goal: str | None = None
    from_gate: str | None = None
    fix: bool = False
    """Begin although the smoke command fails, to repair that."""
    owner: str = ""
    """The process that works at it; empty: the desk's, else this one."""
    tell: Callable[[Step], None] = _tell_nobody
    """Is told each step as it is done: a smoke command may take minutes."""


class StartOutcome(NamedTuple):
    """A session that has begun, and what whoever works in it should know."""

    at: TaskSession
    steps: Sequence[Step]
    changed: Sequence[str]
    """What is not as it was at the checkpoint that it goes on from."""
    context: str
    """For an agent: where it stood and what is remembered of it, as data in frames."""


class Reservation(NamedTuple):
    at: TaskSession
    document: Mapping[str, Any]
    """The checkpoint that it goes on from; empty where there is none."""
    health: Health | None
    """How healthy the project was then."""


class StartFindings(NamedTuple):
    """What the ritual found."""

    steps: Sequence[Step]
    health: Health
    changed: Sequence[str]
    remembered: str


def start(desk: Desk, slug: str | None, how: Starting) -> StartOutcome:
    _tidy(desk, slug)
    reserved = desk.house.store.write(lambda r: _reserve(r, desk, slug, how))
    try:
        sync_markers(desk)
        looked = _run_steps(desk, reserved, how)
        goal, step = _goal(desk, reserved.at, looked, how)
        looked = looked._replace(steps=[*looked.steps, step])
        how.tell(step)
        at = desk.house.store.write(lambda r: _conclude(r, desk, reserved.at, looked, goal, how))
    except BaseException:
        _let_go(desk, reserved.at)
        raise
    write_files(desk, at.task)
    log_sandbox_start(desk, at)
    if at.session.state != "active":
        raise TaskRefused(_refusal(at, looked))
    stood = ResumePoint(reserved.document, looked.changed).context(desk.house.tokenizer.count)
    context = [stood, looked.remembered]
    return StartOutcome(
        at, looked.steps, looked.changed, "\n\n".join(part for part in context if part)
    )


def _tidy(desk: Desk, slug: str | None) -> None:
    """What is refused before anything is stored; and a session whose process is gone is seen to first."""
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    folder_of(desk, task, create=True)
    if has_stop_file(desk):
        raise TaskRefused(
            f"{desk.project} has a STOP file, which stops every task: remove it first"
        )
    busy = desk.house.store.read(lambda r: at_work(r, desk, task))
    if busy is not None and desk.house.gone(busy.sitting.owner):
        interrupt(desk.house, busy.sitting)


# Before: who may start, and from where


def _reserve(records: Records, desk: Desk, slug: str | None, how: Starting) -> Reservation:
    task = records.tasks.hold(desk.scope, task_of(records, desk, slug).ref)
    _may_start(records, desk, task, how)
    checkpoint = resume_checkpoint(records, desk, task, how.from_gate)
    now = desk.house.clock.now()
    before = None
    if checkpoint is not None:
        before = records.sittings.of_session(desk.scope, checkpoint.session_ref)
    session = records.sessions.add(desk.scope, _session(records, desk, task, how, now))
    alias = None if checkpoint is None else checkpoint.alias
    sitting = _sitting(desk, task, session, alias, now)
    at = TaskSession(task, session, records.sittings.add(desk.scope, sitting, now=now))
    document = document_of(records, desk, checkpoint)
    return Reservation(at, document, None if before is None else before.health)


def _may_start(records: Records, desk: Desk, task: Task, how: Starting) -> None:
    if task.stopped_ms is not None:
        raise TaskRefused(
            f"{task.slug} was stopped in an emergency; a person has to allow it: "
            f"`everthread task allow --task {task.slug}`"
        )
    busy = at_work(records, desk, task)
    if busy is not None:
        raise TaskBusy(
            f"session {busy.session.alias} works at {task.slug}: end it with "
            f"`everthread task end --task {task.slug}`, or wait until it is done"
        )
    if task.status == "complete" and how.from_gate is None:
        raise TaskRefused(
            f"{task.slug} is complete; to go back to a gate of it: "
            f"`everthread task start {task.slug} --from-gate G9`"
        )


def _gate(task: Task, how: Starting) -> int:
    """The gate at which the session begins."""
    return current_gate(task.passed) if how.from_gate is None else gate_number(how.from_gate)


def _session(records: Records, desk: Desk, task: Task, how: Starting, now: int) -> Session:
    key_id = desk.house.ids.new()
    before = records.sittings.of_task(desk.scope, task.ref, limit=1)
    last = None if not before else before[0].session_ref
    thread = primary_of(records, desk.agent).ref
    fresh = new_session(desk.agent.ref, thread, key_id, state="init", started=now)
    return fresh._replace(
        project=desk.project,
        project_normalized=desk.project,
        task=task.slug,
        gate=gate_name(_gate(task, how)),
        parent_ref=last,
        previous_ref=last,
    )


def _sitting(desk: Desk, task: Task, session: Session, resumed: str | None, now: int) -> Sitting:
    return Sitting(
        ref=0,
        agent_ref=desk.agent.ref,
        key_id=desk.house.ids.new(),
        session_ref=session.ref,
        task_ref=task.ref,
        # The ritual is this process's work, whoever works afterwards.
        owner=desk.house.owner,
        lease_ms=now + _lease(desk),
        goal=task.goal,
        health="skipped",
        fix=False,
        sandboxed=task.sandbox_json is not None,
        resumed_from=resumed,
        outcome=None,
        record_json=json.dumps([]),
        current_tokens=0,
        refreshed_tokens=0,
        windows_json="[]",
        entry=0,
    )


def _lease(desk: Desk) -> int:
    return int(desk.house.policy.task_lease_minutes * MINUTE)


# The ritual itself, outside of the store


def _run_steps(desk: Desk, reserved: Reservation, how: Starting) -> StartFindings:
    task, session, sitting = reserved.at
    from_where = sitting.resumed_from or "none"
    rotate_log(desk, task)
    told = f"Session start: {session.alias} resuming from {from_where}"
    about = _session_fields(session)
    log_line(desk, task, told, trace=session.key_id.hex(), checkpoint_id=from_where, **about)
    changed = changes_since(desk, reserved.document)
    steps = [_resume(reserved, changed)]
    how.tell(steps[0])
    remembered = ""
    for name, look in LOOKS.items():
        step, text = run_step(desk, name, look, task)
        remembered = text if name == "recall" else remembered
        steps.append(step)
        how.tell(step)
    checked = check(desk, task)
    how.tell(checked.step)
    log_health(desk, reserved.at, checked)
    changed += health_since(reserved.health, checked.health)
    return StartFindings([*steps, checked.step], checked.health, changed, remembered)


def _session_fields(session: Session) -> dict[str, Any]:
    return {"session_id": session.alias}


def _resume(reserved: Reservation, changed: Sequence[str]) -> Step:
    alias = reserved.at.sitting.resumed_from
    if alias is None:
        return Step(RESUME, "missing", "the first session: there is no checkpoint to go on from")
    summary = f"{alias}: {reserved.document.get('summary', 'what it said was forgotten')}"
    if changed:
        return Step(RESUME, "changed", f"{'; '.join(changed)}. {summary}")
    return Step(RESUME, "ok", summary)


def _goal(desk: Desk, at: TaskSession, looked: StartFindings, how: Starting) -> tuple[str, Step]:
    """The last step: say what the session is for. While the smoke command fails, that is its repair."""
    goal = clean_text("goal", how.goal)
    if looked.health == "fail":
        why = detail_text(looked.steps[-1].detail, 300)
        if not how.fix:
            return at.task.goal, Step(
                "goal", "skipped", "no new work while the smoke command fails"
            )
        goal = goal or f"P0: repair what makes the smoke command fail: {why}"
    goal = goal or at.task.goal
    line = " ".join(goal.split())
    log_line(
        desk,
        at.task,
        f"Session starting: {line}",
        trace=at.session.key_id.hex(),
        **_session_fields(at.session),
    )
    return goal, Step("goal", "ok", line)


# After: what came of it


def _conclude(
    records: Records, desk: Desk, at: TaskSession, looked: StartFindings, goal: str, how: Starting
) -> TaskSession:
    task = records.tasks.hold(desk.scope, at.task.ref)
    session = records.sessions.get(desk.scope, at.session.ref)
    sitting = records.sittings.of_session(desk.scope, at.session.ref)
    if session.state != "init" or sitting is None:
        raise TaskRefused(
            f"{session.alias} became {session.state} while its startup ritual ran; start again"
        )
    now = desk.house.clock.now()
    failing = looked.health == "fail"
    sitting = sitting._replace(
        owner=how.owner or desk.owner or desk.house.owner,
        lease_ms=now + _lease(desk),
        goal=goal,
        health=looked.health,
        fix=failing and how.fix,
        record_json=_record(looked.steps),
    )
    if failing and not how.fix:
        sitting = records.sittings.change(desk.scope, sitting, "refused", now=now)
        return TaskSession(
            task, records.sessions.move(desk.scope, session, "suspended", now=now), sitting
        )
    sitting = records.sittings.change(desk.scope, sitting, "started", now=now)
    session = records.sessions.move(desk.scope, session, "active", now=now)
    task = _move_to_gate(records, desk, TaskSession(task, session, sitting), how, now)
    task = task._replace(last_session=session.alias, status="in-progress")
    return TaskSession(records.tasks.change(desk.scope, task, "started", now=now), session, sitting)


def _record(steps: Sequence[Step]) -> str:
    return json.dumps([step.entry("startup") for step in steps], ensure_ascii=False)


def _move_to_gate(records: Records, desk: Desk, at: TaskSession, how: Starting, now: int) -> Task:
    """The task, back at the gate that was asked for; that it went back is put down."""
    number = _gate(at.task, how)
    if number > at.task.passed:
        return at.task
    waiver = f"PHASE_OVERRIDE:{at.task.gate}->{gate_name(number)} link={at.session.alias}"
    went = f"Go back from {at.task.gate} to {gate_name(number)}."
    decided: dict[str, Any] = {
        "decision": went,
        "rationale": f"{at.session.alias} was started from that gate.",
        "alternatives_considered": [],
    }
    task = at.task._replace(passed=number - 1)
    told = CheckpointStatement("decision", went, decisions=[decided], waiver=waiver)
    add_checkpoint(records, desk, at._replace(task=task), told, now=now)
    return task


def _refusal(at: TaskSession, looked: StartFindings) -> str:
    return (
        f"the smoke command fails, so no new work begins: {detail_text(looked.steps[-2].detail, 300)} — "
        f"fix it first: `everthread task start {at.task.slug} --fix` ({at.session.alias} has it on record)"
    )


def _let_go(desk: Desk, at: TaskSession) -> None:
    """A ritual that broke off holds the task no longer."""

    def work(records: Records) -> None:
        records.tasks.hold(desk.scope, at.task.ref)
        session = records.sessions.get(desk.scope, at.session.ref)
        if session.state == "init":
            records.sessions.move(desk.scope, session, "suspended", now=desk.house.clock.now())

    with suppress(EverthreadError):
        desk.house.store.write(work)
        sync_markers(desk)
