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
from everthread.domain.redaction.secrets import redacted
from everthread.domain.tasks.charter import NOTHING, Arc, may_ask, planned
from everthread.domain.tasks.marking import (
    Asked,
    checked_decisions,
    checked_kind,
    checked_tests,
    clean_lines,
    clean_text,
    must_carry,
)
from everthread.domain.tasks.task_files import Told, checkpoint_document, clean, dumped
from everthread.domain.tasks.task_state import ENDS, readable, whole_state
from everthread.domain.tasks.tasks import Task, checkpoint_alias
from everthread.domain.times import text_of
from everthread.ports import House, Records

from .arc import arc_now, warned
from .found import At, Desk, at_work, must_be_at_work, task_of
from .log import told_of
from .mirror import keep, mirror_of
from .note_files import (
    Seen,
    as_told,
    ask,
    documents,
    due,
    listed,
    look,
    must_know,
    named,
    taken,
    uncovered,
    wait,
    waiting,
)
from .probe import told_safety, weighed
from .project import folder_of, projected


class Marked(NamedTuple):
    """What became of a checkpoint that somebody asked for."""

    task: Task
    checkpoint: Checkpoint | None
    """None: its files wait for others to come, and become a checkpoint together with them."""
    waiting: int = 0
    """How many files wait."""
    arc: Arc = NOTHING
    """How far the task went since its last recap."""


def checkpoint(desk: Desk, slug: str | None, asked: Asked) -> Marked:
    """Put one down, if it carries what its kind must; changes of files wait a moment for others."""
    told = _told(asked)
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    folder_of(
        desk, task, create=True
    )  # what cannot be written is refused before anything is stored
    seen = look(desk, task.slug)
    files = named(desk, asked.files, seen)
    if told.kind == "file_change" and not files:
        must_know(seen)
    elif files:
        told = told._replace(**listed(files))
    mirrored = mirror_of(desk, task, told)
    arcs: list[Arc] = []

    def work(records: Records) -> Marked:
        at = must_be_at_work(records, desk, task.slug)
        now = desk.house.clock.now()
        arcs.append(arc_now(records, desk, at.task))
        may_ask(arcs[-1], told.questions)
        if told.kind == "file_change":
            changed = files or uncovered(records, desk, at, seen)
            if not changed:
                raise BadInput(
                    "no file has changed since the last checkpoint; name some with --file"
                )
            held = wait(records, desk, at, changed, told.summary, more=0 if files else seen.more)
            keep(records, desk, at, mirrored)
            over = due(records, desk, at, now=now)
            made = flush(records, desk, at, seen, now=now) if over else None
            left = 0 if made else len(held.files) + held.more
            return Marked(at.task, made, left, arc_now(records, desk, at.task))
        at = at._replace(task=_recovered(records, desk, at.task, asked, now))
        made = marked(records, desk, at, told, now=now, seen=seen)
        keep(records, desk, at, mirrored)
        return Marked(at.task, made, arc=arc_now(records, desk, at.task))

    done = desk.house.store.write(work)
    put_down(desk, done.task)
    warned(desk, done.task, arcs[-1], done.arc)
    return done


def _told(asked: Asked) -> Told:
    kind = checked_kind(asked.kind)
    must_carry(asked, kind)
    return Told(
        kind,
        clean_text("summary", asked.summary) or "",
        tests=checked_tests(asked.tests),
        decisions=checked_decisions(asked.decisions),
        error=clean_text("error", asked.error),
        resolution=clean_text("resolution", asked.resolution),
        next_steps=planned(clean_lines("next_steps", asked.next_steps)),
        questions=clean_lines("questions", asked.questions),
        can_resume=asked.can_resume,
        resume_instructions=clean_text("resume", asked.resume),
    )


def _recovered(records: Records, desk: Desk, task: Task, asked: Asked, now: int) -> Task:
    """An error that was got over is none any more: its step, or every one, begins to count anew."""
    if asked.kind != "error_recovery" or not task.failures:
        return task
    left = task.failures if asked.step is not None else {}
    left.pop(redacted(asked.step or ""), None)
    if left == task.failures:
        return task
    changed = task._replace(failures_json=json.dumps(left, ensure_ascii=False))
    return records.tasks.change(desk.scope, changed, "mended", now=now)


def put_down(desk: Desk, task: Task) -> Sequence[Checkpoint]:
    """Write the files of what the store holds, and log each checkpoint whose file is new."""
    fresh = projected(desk, task)
    for row in fresh:
        told_of(desk, task, f"Checkpoint created: {row.alias}", checkpoint_id=row.alias)
        told_safety(desk, task, row)
    return fresh


def flush_asked(house: House, payload: str) -> None:
    """Put down what has waited long enough, though nobody has asked for anything since."""
    asked: dict[str, int] = json.loads(payload)
    scope = Scope(asked["agent"])
    try:
        agent = house.store.read(lambda r: r.agents.get(scope))
        task = house.store.read(lambda r: r.tasks.get(scope, asked["task"]))
    except TaskUnknown:
        return
    desk = Desk(house, agent, task.project)
    seen = look(desk, task.slug)
    before = house.store.read(lambda r: arc_now(r, desk, task))
    if house.store.write(lambda r: _flushed(r, desk, task, seen)) is not None:
        put_down(desk, task)
        warned(desk, task, before, house.store.read(lambda r: arc_now(r, desk, task)))


def _flushed(records: Records, desk: Desk, task: Task, seen: Seen) -> Checkpoint | None:
    at = at_work(records, desk, records.tasks.hold(desk.scope, task.ref))
    held = None if at is None else waiting(records, desk, at)
    if at is None or held is None:
        return None
    now = desk.house.clock.now()
    if not due(records, desk, at, now=now):
        ask(records, desk, at, held)
        return None
    return flush(records, desk, at, seen, now=now)


# In the transaction of whoever asks; the task must be held


def marked(
    records: Records, desk: Desk, at: At, told: Told, *, now: int, seen: Seen | None = None
) -> Checkpoint:
    """The checkpoint. Files that wait become one of their own before it.

    `seen`: the project as it was looked at before. At a gate and at the end, what changed and no
    checkpoint lists becomes one first, so that none is passed without it.
    """
    if told.kind in ENDS and seen is not None:
        missed = uncovered(records, desk, at, seen)
        if missed:
            wait(records, desk, at, missed, "", more=seen.more)
    flush(records, desk, at, seen or Seen(), now=now, alone=False)
    if told.kind in ENDS:
        since = documents(records, desk, at.task.ref)
        told = whole_state(told, since, session=at.session.alias)
    if seen is not None and told.commit is None:
        told = told._replace(commit=seen.commit)
    if seen is not None and seen.safety is not None:
        told = told._replace(safety=seen.safety.plain())
    made = _put(records, desk, at, told, now=now)
    weighed(records, desk, at, made, now=now)
    return made


def flush(
    records: Records, desk: Desk, at: At, seen: Seen, *, now: int, alone: bool = True
) -> Checkpoint | None:
    """Make one checkpoint of the files that wait; None where none do.

    `alone`: no other follows it that the same probe speaks for.
    """
    held = taken(records, desk, at)
    if held is None:
        return None
    told = as_told(list(held.files.values()), " ".join(held.summaries), seen, more=held.more)
    if seen.safety is not None:
        told = told._replace(safety=seen.safety.plain())
    made = _put(records, desk, at, told, now=now)
    if alone:
        weighed(records, desk, at, made, now=now)
    return made


def _put(records: Records, desk: Desk, at: At, told: Told, *, now: int) -> Checkpoint:
    scope, task = desk.scope, at.task
    # The earlier of two of one millisecond must not get the later name.
    number = records.tasks.numbered(scope, task.ref, text_of(now)[:10])
    alias = checkpoint_alias(now, number)
    document = checkpoint_document(alias, at.session, task, told, at_ms=now)
    row = _row(desk.house, at, told, alias, now)
    return records.checkpoints.add(
        scope, row, redacted(readable(told)), "", dumped(clean(document))
    )


def _row(house: House, at: At, told: Told, alias: str, now: int) -> Checkpoint:
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
        else redacted(told.resume_instructions),
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
