"""Refresh: a session of a task carries only so much context, then goes on from a summary.

By its current size it reaches the soft cap, and forks: a child session begins from the latest checkpoint's
words, without a raw line. By all it ever processed a refresh falls due: a memory, a checkpoint, and the
working context is reset to a summary. A harness's context is not ours to reset: there we write both
down and ask for a compaction (R-29).
"""

from __future__ import annotations

import json
import logging
from typing import Any, NamedTuple

from everthread.domain.conversation.sessions import Session, new_session
from everthread.domain.errors import BadInput, EverthreadError, MemoryRefused
from everthread.domain.harness.checkpoints import Checkpoint, Cursor
from everthread.domain.memory.memories import Memory
from everthread.domain.safety.safety import Refresh, at_cap, refresh_due, stable_window
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.rituals import FORK, ResumePoint, Step
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Task
from everthread.domain.times import MINUTE
from everthread.ports import Records
from everthread.services.archive.end import end
from everthread.services.memory.remember import Wish, prepare
from everthread.services.tasks.checkpoints.file_changes import look_at_worktree
from everthread.services.tasks.checkpoints.last_state import BACK, last_known_state
from everthread.services.tasks.checkpoints.mirror import keep_mirror
from everthread.services.tasks.checkpoints.resume_point import document_of
from everthread.services.tasks.checkpoints.write import add_checkpoint, write_files
from everthread.services.tasks.desk import Desk, TaskSession, must_be_at_work
from everthread.services.tasks.files.session_log import log_line
from everthread.services.tasks.sandbox import log_sandbox_end, log_sandbox_start

from .stop import report_unwritten

log = logging.getLogger("everthread.task")

PLACE = "task:compact"
"""Where a task's session keeps, by harness, for which stretch of its context a compaction was asked for."""


class Run(NamedTuple):
    """A harness in whose context the task is worked at, and the stretch of it."""

    session: Session
    epoch: int

    @property
    def place(self) -> str:
        return f"{PLACE}:{self.session.id}"


class RefreshOutcome(NamedTuple):
    """What came of a context that had grown."""

    at: TaskSession
    """The session that goes on: after a fork, the child."""
    checkpoint: Checkpoint
    context: str
    """What it goes on from: the checkpoint's words, as data in a frame."""
    flushed: int = 0
    """Tokens by which the context became smaller."""
    forked: bool = False


def report_usage(
    desk: Desk, slug: str | None, *, current: int, processed: int
) -> RefreshOutcome | None:
    """Whoever runs the model says how large its context is, and how many tokens more it processed."""

    def work(records: Records) -> TaskSession:
        at = must_be_at_work(records, desk, slug)
        now = desk.house.clock.now()
        records.sessions.touch(desk.scope, at.session.ref, at=now, human=False, context=processed)
        at = at._replace(session=records.sessions.get(desk.scope, at.session.ref))
        note_size(records, desk, at, current)
        return at

    return fork_or_refresh(desk, desk.house.store.write(work), current=current)


def note_size(records: Records, desk: Desk, at: TaskSession, current: int) -> None:
    """Put down how large the context is, which is a sign of life."""
    until = desk.house.clock.now() + int(desk.house.policy.task_lease_minutes * MINUTE)
    records.sittings.beat(desk.scope, at.sitting, until=until, current_tokens=current)


class DueRefresh(NamedTuple):
    """What falls due at that size."""

    current: int
    refresh: Refresh
    run: Run | None = None
    full: bool = False
    """The soft cap is reached."""


def due_now(
    records: Records, desk: Desk, at: TaskSession, *, current: int, run: Run | None = None
) -> DueRefresh | None:
    """What is to be done about a context of that size; None where it may go on growing."""
    policy, window = desk.house.policy, window_of(desk)
    percent = policy.stable_window_percent
    full = at_cap(current, window, percent)
    if full and (run is None or not is_compaction_asked(records, desk, at, run)):
        return DueRefresh(current, Refresh(0, at.sitting.refreshed_tokens), run, full=True)
    refresh = refresh_due(
        at.session.context_tokens,
        at.sitting.refreshed_tokens,
        every=policy.refresh_tokens,
        window=window,
        percent=percent,
    )
    return DueRefresh(current, refresh, run) if refresh.times else None


def fork_or_refresh(
    desk: Desk, at: TaskSession, *, current: int, run: Run | None = None
) -> RefreshOutcome | None:
    """Fork or refresh where that is due; None where it is not, or somebody else just did it."""
    due = desk.house.store.read(lambda r: due_now(r, desk, at, current=current, run=run))
    if due is None:
        return None
    if due.full and run is None:
        return _fork(desk, at, due)
    return _write_refresh(desk, at, due) if due.full else _refresh(desk, at, due)


def _hold_if_unchanged(
    records: Records, desk: Desk, at: TaskSession, due: DueRefresh
) -> TaskSession | None:
    """The task, held, if what was decided on is still so; None where somebody else was faster."""
    present = must_be_at_work(records, desk, at.task.slug)
    moved = present.session.ref != at.session.ref
    if moved or present.sitting.refreshed_tokens != at.sitting.refreshed_tokens:
        return None
    if due.full and due.run is not None and is_compaction_asked(records, desk, present, due.run):
        return None
    return present


def window_of(desk: Desk) -> int:
    """The stable window. That of a model that nobody named, and nobody gave a window, is not known."""
    agent = desk.agent
    known = agent.model is not None or agent.window != desk.house.policy.window
    return stable_window(agent.window, known=known)


def is_compaction_asked(records: Records, desk: Desk, at: TaskSession, run: Run) -> bool:
    """Was a compaction asked for in this stretch of the harness's context?"""
    found = records.cursors.get(desk.scope, at.session.ref, run.place)
    return found is not None and found.position == str(run.epoch)


# The refresh


def _refresh(desk: Desk, at: TaskSession, due: DueRefresh) -> RefreshOutcome | None:
    done = _write_refresh(desk, at, due)
    if done is None:
        return None
    # A harness's context is as large as it was, until it compacts.
    flushed = 0 if due.run is not None else _reset(desk, at)
    line = f"Context refresh complete (tokens_flushed={flushed})"
    log_line(
        desk,
        at.task,
        line,
        session_id=at.session.alias,
        checkpoint_id=done.checkpoint.alias,
        tokens_flushed=flushed,
        times=due.refresh.times,
    )
    return done._replace(flushed=flushed)


def _write_refresh(desk: Desk, at: TaskSession, due: DueRefresh) -> RefreshOutcome | None:
    """The memory and the checkpoint; in a harness also that a compaction is to be asked for."""
    told, memories = _sum_up(desk, at, due.current)
    seen, run = look_at_worktree(desk, at.task.slug), due.run

    def work(records: Records) -> tuple[TaskSession, Checkpoint] | None:
        present = _hold_if_unchanged(records, desk, at, due)
        if present is None:
            return None
        now = desk.house.clock.now()
        made = add_checkpoint(records, desk, present, told, now=now, seen=seen)
        keep_mirror(records, desk, present, memories)
        sitting = records.sittings.of_session(desk.scope, present.session.ref)
        assert sitting is not None, "a session at work has its sitting"
        sitting = sitting._replace(refreshed_tokens=due.refresh.mark, current_tokens=due.current)
        sitting = records.sittings.change(desk.scope, sitting, "refreshed", now=now)
        if run is not None:
            asked = Cursor(present.session.ref, run.place, str(run.epoch), "", now)
            records.cursors.put(desk.scope, asked)
        return present._replace(sitting=sitting), made

    done = desk.house.store.write(work)
    if done is None:
        return None
    present, made = done
    if due.full:
        log_line(desk, at.task, "Context budget reached", session_id=at.session.alias)
    _write_folder(desk, at.task)
    return RefreshOutcome(present, made, _context(desk, made))


def _write_folder(desk: Desk, task: Task) -> None:
    """The rows are the record: a folder that cannot be written keeps no context from being reset."""
    try:
        write_files(desk, task)
    except EverthreadError as trouble:
        report_unwritten(desk, task, trouble)


def _sum_up(desk: Desk, at: TaskSession, current: int) -> tuple[CheckpointStatement, list[Memory]]:
    """What the checkpoint says: the state as it was last put down by somebody, no raw line."""

    def read(records: Records) -> tuple[CheckpointStatement, str]:
        return last_known_state(records, desk, at.task), _last_summary(records, desk, at.task)

    state, said = desk.house.store.read(read)
    stood = said or f"Goal: {at.sitting.goal}"
    told = state._replace(
        kind="context_refresh", summary=f"Context summed up at {current:,} tokens. {stood}"
    )
    text = f"Task {at.task.slug} stood at {at.task.gate}: {stood}"
    wish = Wish(text, kind="note", origin="agent", project=desk.project, tags=[at.task.tag])
    try:
        return told, [prepare(desk.house, wish)]
    except (MemoryRefused, BadInput) as refused:
        log.warning("the refresh of %s leaves no memory: %s", at.task.slug, refused)
        return told, []


def _last_summary(records: Records, desk: Desk, task: Task) -> str:
    """The summary of the newest checkpoint that somebody wrote; those of refreshes only repeat one."""
    for row in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        text = "" if row.kind == "context_refresh" else records.tasks.document(desk.scope, row)
        summary: Any = json.loads(text).get("summary") if text else None
        if summary:
            return str(summary)
    return ""


def _context(desk: Desk, made: Checkpoint) -> str:
    document = desk.house.store.read(lambda r: document_of(r, desk, made))
    return ResumePoint(document).context(desk.house.tokenizer.count)


def _reset(desk: Desk, at: TaskSession, *, fork: bool = False) -> int:
    """Have the view of its thread show a summary alone; by how many tokens it became smaller.

    `fork`: without a raw line. Where a model fails at it, the plain distiller does it; where that fails too,
    somebody should know that the child has what the parent had.
    """
    from everthread.services.distilling.distill import distill  # noqa: PLC0415 - slow to load, seldom needed
    from everthread.services.distilling.order import Order  # noqa: PLC0415 - with it

    thread = at.session.thread_ref
    before, why = _size(desk, thread), ""
    for plain in (False, True) if fork else (False,):
        try:
            done = distill(
                desk.house,
                Order(desk.agent, thread, by="hand", whole=True, fork=fork, plain=plain),
            )
        except EverthreadError as trouble:
            why = str(trouble)
            log.warning("the context of %s stays as it is: %s", at.session.alias, trouble)
            continue
        # Refused where there was something to sum up: somebody changed the view meanwhile.
        held = done is not None and done.messages_before and not done.standing
        why = "; ".join(done.errors) if done is not None and held else ""
        if not why:
            break
    if fork and why:
        _report_raw_child(desk, at, why)
    after = _size(desk, thread)
    now = desk.house.clock.now()
    desk.house.store.write(
        lambda r: r.sittings.beat(desk.scope, at.sitting, until=now, current_tokens=after)
    )
    return max(0, before - after)


def _report_raw_child(desk: Desk, at: TaskSession, why: str) -> None:
    """The fork stands; that its child begins with the raw lines of its parent waits for somebody."""
    now = desk.house.clock.now()
    summary = f"{at.session.alias} begins with what its parent held, not with a summary: {why}"
    about = at.task.ref, at.session.ref
    told = incident(desk.house.ids.new(), "context", summary, about=about, at=now)
    desk.house.store.write(lambda r: r.incidents.add(desk.scope, told))


def _size(desk: Desk, thread: int) -> int:
    return desk.house.store.read(
        lambda r: r.threads.get(desk.scope, thread)
    ).computed_context_tokens


# The fork


def _fork(desk: Desk, at: TaskSession, due: DueRefresh) -> RefreshOutcome | None:
    """End the session where it stands; a child of it goes on from the checkpoint's words alone."""
    told, memories = _sum_up(desk, at, due.current)
    seen = look_at_worktree(desk, at.task.slug)

    def work(records: Records) -> tuple[TaskSession, TaskSession, Checkpoint] | None:
        present = _hold_if_unchanged(records, desk, at, due)
        if present is None:
            return None
        now = desk.house.clock.now()
        made = add_checkpoint(records, desk, present, told, now=now, seen=seen)
        keep_mirror(records, desk, present, memories)
        end(records, desk.scope, present.session, now=now)
        child = _child(records, desk, present, made, now)
        changed = child.task._replace(last_session=child.session.alias)
        task = records.tasks.change(desk.scope, changed, "forked", now=now)
        return present, child._replace(task=task), made

    done = desk.house.store.write(work)
    if done is None:
        return None
    parent, child, made = done
    log_line(desk, at.task, "Context budget reached", session_id=at.session.alias)
    _write_folder(desk, child.task)
    log_sandbox_end(desk, child.task, parent.session, "forked")
    log_sandbox_start(desk, child)
    line = f"Session start: {child.session.alias} resuming from {made.alias}"
    log_line(desk, child.task, line, session_id=child.session.alias, checkpoint_id=made.alias)
    flushed = _reset(desk, child, fork=True)
    return RefreshOutcome(child, made, _context(desk, made), flushed, forked=True)


def _fork_step(parent: TaskSession, made: Checkpoint) -> Step:
    return Step(FORK, "ok", f"forked from {parent.session.alias} at {made.alias}")


def _child(
    records: Records, desk: Desk, parent: TaskSession, made: Checkpoint, now: int
) -> TaskSession:
    # Read again: the probe of the checkpoint may have put it into a sandbox.
    task = records.tasks.get(desk.scope, parent.task.ref)
    old = parent.session
    key_id = desk.house.ids.new()
    fresh = new_session(old.agent_ref, old.thread_ref, key_id, state="init", started=now)._replace(
        channel=old.channel,
        harness=old.harness,
        project=old.project,
        project_normalized=old.project_normalized,
        task=old.task,
        gate=old.gate,
        principal=old.principal,
        parent_ref=old.ref,
        previous_ref=old.ref,
    )
    session = records.sessions.add(desk.scope, fresh)
    sitting = parent.sitting._replace(
        ref=0,
        key_id=desk.house.ids.new(),
        session_ref=session.ref,
        sandboxed=task.sandbox_json is not None,
        resumed_from=made.alias,
        outcome=None,
        record_json=json.dumps([_fork_step(parent, made).entry("startup")], ensure_ascii=False),
        current_tokens=0,
        refreshed_tokens=0,
        windows_json="[]",
    )
    sitting = records.sittings.add(desk.scope, sitting, now=now)
    return TaskSession(task, records.sessions.move(desk.scope, session, "active", now=now), sitting)
