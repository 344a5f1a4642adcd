"""Mark: put down a checkpoint of a task: one row, one file, one line of the index, one memory.

The row is written first, in one transaction with all that follows from it; the files are made from the
rows and can be made again (`services.tasks.project`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.errors import BadInput, TaskUnknown
from everthread.domain.harness.checkpoints import SCHEMA, Checkpoint
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.charter import NOTHING, Arc, checked_plan, may_ask
from everthread.domain.tasks.checkpoint_rules import (
    CheckpointRequest,
    checked_decisions,
    checked_kind,
    checked_tests,
    clean_lines,
    clean_text,
    must_carry,
)
from everthread.domain.tasks.task_files import (
    CheckpointStatement,
    checkpoint_document,
    dump_json,
    strip_document,
)
from everthread.domain.tasks.task_state import ENDS, readable_state, whole_state
from everthread.domain.tasks.tasks import Task, checkpoint_alias
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.tasks.checks.probe import keep_rate, log_safety
from everthread.services.tasks.desk import Desk, TaskSession, at_work, must_be_at_work, task_of
from everthread.services.tasks.files.projection import folder_of, write_projection
from everthread.services.tasks.files.session_log import log_line

from .arc import arc_now, warn_if_over
from .file_changes import (
    Worktree,
    add_waiting,
    ask_flush,
    changes_content,
    documents,
    files_fields,
    files_named,
    is_flush_due,
    look_at_worktree,
    must_know,
    take_waiting,
    uncovered_files,
    waiting_changes,
)
from .mirror import keep_mirror, mirror_of


class CheckpointOutcome(NamedTuple):
    """What became of a checkpoint that somebody asked for."""

    task: Task
    checkpoint: Checkpoint | None
    """None: its files wait for others to come, and become a checkpoint together with them."""
    waiting: int = 0
    """How many files wait."""
    arc: Arc = NOTHING
    """How far the task went since its last recap."""


def checkpoint(desk: Desk, slug: str | None, asked: CheckpointRequest) -> CheckpointOutcome:
    """Put one down, if it carries what its kind must; changes of files wait a moment for others."""
    told = _checkpoint_content(asked)
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    folder_of(
        desk, task, create=True
    )  # what cannot be written is refused before anything is stored
    seen = look_at_worktree(desk, task.slug)
    files = files_named(desk, asked.files, seen)
    if told.kind == "file_change" and not files:
        must_know(seen)
    elif files:
        told = told._replace(**files_fields(files))
    mirrored = mirror_of(desk, task, told)
    arcs: list[Arc] = []

    def work(records: Records) -> CheckpointOutcome:
        at = must_be_at_work(records, desk, task.slug)
        now = desk.house.clock.now()
        arcs.append(arc_now(records, desk, at.task))
        may_ask(arcs[-1], told.questions)
        if told.kind == "file_change":
            changed = files or uncovered_files(records, desk, at, seen)
            if not changed:
                raise BadInput(
                    "no file has changed since the last checkpoint; name some with --file"
                )
            held = add_waiting(
                records, desk, at, changed, told.summary, more=0 if files else seen.more
            )
            keep_mirror(records, desk, at, mirrored)
            over = is_flush_due(records, desk, at, now=now)
            made = flush(records, desk, at, seen, now=now) if over else None
            left = 0 if made else len(held.files) + held.more
            return CheckpointOutcome(at.task, made, left, arc_now(records, desk, at.task))
        at = at._replace(task=_clear_failures(records, desk, at.task, asked, now))
        made = add_checkpoint(records, desk, at, told, now=now, seen=seen)
        keep_mirror(records, desk, at, mirrored)
        return CheckpointOutcome(at.task, made, arc=arc_now(records, desk, at.task))

    done = desk.house.store.write(work)
    write_files(desk, done.task)
    warn_if_over(desk, done.task, arcs[-1], done.arc)
    return done


def _checkpoint_content(asked: CheckpointRequest) -> CheckpointStatement:
    kind = checked_kind(asked.kind)
    must_carry(asked, kind)
    return CheckpointStatement(
        kind,
        clean_text("summary", asked.summary) or "",
        tests=checked_tests(asked.tests),
        decisions=checked_decisions(asked.decisions),
        error=clean_text("error", asked.error),
        resolution=clean_text("resolution", asked.resolution),
        next_steps=checked_plan(clean_lines("next_steps", asked.next_steps)),
        questions=clean_lines("questions", asked.questions),
        can_resume=asked.can_resume,
        resume_instructions=clean_text("resume", asked.resume),
    )


def _clear_failures(
    records: Records, desk: Desk, task: Task, asked: CheckpointRequest, now: int
) -> Task:
    """An error that was got over is none any more: its step, or every one, begins to count anew."""
    if asked.kind != "error_recovery" or not task.failures:
        return task
    left = task.failures if asked.step is not None else {}
    left.pop(strip_secrets(asked.step or ""), None)
    if left == task.failures:
        return task
    changed = task._replace(failures_json=json.dumps(left, ensure_ascii=False))
    return records.tasks.change(desk.scope, changed, "mended", now=now)


def write_files(desk: Desk, task: Task) -> Sequence[Checkpoint]:
    """Write the files of what the store holds, and log each checkpoint whose file is new."""
    fresh = write_projection(desk, task)
    for row in fresh:
        log_line(desk, task, f"Checkpoint created: {row.alias}", checkpoint_id=row.alias)
        log_safety(desk, task, row)
    return fresh


def run_changes_job(house: House, payload: str) -> None:
    """Put down what has waited long enough, though nobody has asked for anything since."""
    asked: dict[str, int] = json.loads(payload)
    scope = Scope(asked["agent"])
    try:
        agent = house.store.read(lambda r: r.agents.get(scope))
        task = house.store.read(lambda r: r.tasks.get(scope, asked["task"]))
    except TaskUnknown:
        return
    desk = Desk(house, agent, task.project)
    seen = look_at_worktree(desk, task.slug)
    before = house.store.read(lambda r: arc_now(r, desk, task))
    if house.store.write(lambda r: _flush_if_due(r, desk, task, seen)) is not None:
        write_files(desk, task)
        warn_if_over(desk, task, before, house.store.read(lambda r: arc_now(r, desk, task)))


def _flush_if_due(records: Records, desk: Desk, task: Task, seen: Worktree) -> Checkpoint | None:
    at = at_work(records, desk, records.tasks.hold(desk.scope, task.ref))
    held = None if at is None else waiting_changes(records, desk, at)
    if at is None or held is None:
        return None
    now = desk.house.clock.now()
    if not is_flush_due(records, desk, at, now=now):
        ask_flush(records, desk, at, held)
        return None
    return flush(records, desk, at, seen, now=now)


# In the transaction of whoever asks; the task must be held


def add_checkpoint(
    records: Records,
    desk: Desk,
    at: TaskSession,
    told: CheckpointStatement,
    *,
    now: int,
    seen: Worktree | None = None,
) -> Checkpoint:
    """The checkpoint. Files that wait become one of their own before it.

    `seen`: the project as it was looked at before. At a gate and at the end, what changed and no
    checkpoint lists becomes one first, so that none is passed without it.
    """
    if told.kind in ENDS and seen is not None:
        missed = uncovered_files(records, desk, at, seen)
        if missed:
            add_waiting(records, desk, at, missed, "", more=seen.more)
    flush(records, desk, at, seen or Worktree(), now=now, alone=False)
    if told.kind in ENDS:
        since = documents(records, desk, at.task.ref)
        told = whole_state(told, since, session=at.session.alias)
    if seen is not None and told.commit is None:
        told = told._replace(commit=seen.commit)
    if seen is not None and seen.safety is not None:
        told = told._replace(safety=seen.safety.plain())
    made = _add_row(records, desk, at, told, now=now)
    keep_rate(records, desk, at, made, now=now)
    return made


def flush(
    records: Records, desk: Desk, at: TaskSession, seen: Worktree, *, now: int, alone: bool = True
) -> Checkpoint | None:
    """Make one checkpoint of the files that wait; None where none do.

    `alone`: no other follows it that the same probe speaks for.
    """
    held = take_waiting(records, desk, at)
    if held is None:
        return None
    told = changes_content(
        list(held.files.values()), " ".join(held.summaries), seen, more=held.more
    )
    if seen.safety is not None:
        told = told._replace(safety=seen.safety.plain())
    made = _add_row(records, desk, at, told, now=now)
    if alone:
        keep_rate(records, desk, at, made, now=now)
    return made


def _add_row(
    records: Records, desk: Desk, at: TaskSession, told: CheckpointStatement, *, now: int
) -> Checkpoint:
    scope, task = desk.scope, at.task
    # The earlier of two of one millisecond must not get the later name.
    number = records.tasks.numbered(scope, task.ref, text_of(now)[:10])
    alias = checkpoint_alias(now, number)
    document = checkpoint_document(alias, at.session, task, told, at_ms=now)
    row = _row(desk.house, at, told, alias, now)
    return records.checkpoints.add(
        scope, row, strip_secrets(readable_state(told)), "", dump_json(strip_document(document))
    )


def _row(
    house: House, at: TaskSession, told: CheckpointStatement, alias: str, now: int
) -> Checkpoint:
    return Checkpoint(
        ref=0,
        agent_ref=at.task.agent_ref,
        key_id=house.ids.new(),
        session_ref=at.session.ref,
        kind=told.kind,
        created_ms=now,
        prompt_count=0,
        total_prompts=0,
        through_seq=at.session.last_seq,
        task=at.task.slug,
        gate=at.task.gate,
        step=str(at.task.step),
        can_resume=told.can_resume,
        resume_instructions=None
        if told.resume_instructions is None
        else strip_secrets(told.resume_instructions),
        activity_json="{}",
        safety_json=None if told.safety is None else json.dumps(dict(told.safety)),
        parent_ref=None,
        text_hash=None,
        state_hash=None,
        schema_version=SCHEMA,
        task_ref=at.task.ref,
        alias=alias,
        document_hash=None,
        entry=0,
    )
