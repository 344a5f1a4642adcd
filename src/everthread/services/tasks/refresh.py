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

from everthread.domain.conversation.sessions import Session, alias_of
from everthread.domain.errors import BadInput, EverthreadError, MemoryRefused
from everthread.domain.harness.checkpoints import Checkpoint, Cursor
from everthread.domain.memory.memories import Memory
from everthread.domain.safety.safety import Refresh, at_cap, refresh_due, stable_window
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.rituals import FORK, Resumed, Step
from everthread.domain.tasks.task_files import Told
from everthread.domain.tasks.tasks import Task
from everthread.domain.times import MINUTE
from everthread.ports import Records
from everthread.services.archive.end import end
from everthread.services.memory.remember import Wish, prepared

from .chain import document_of
from .found import At, Desk, must_be_at_work
from .known import BACK, last_known
from .log import told_of
from .mark import marked, put_down
from .mirror import keep
from .note_files import look
from .sandbox import begun, over
from .stop import unwritten

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


class Reached(NamedTuple):
    """What came of a context that had grown."""

    at: At
    """The session that goes on: after a fork, the child."""
    checkpoint: Checkpoint
    context: str
    """What it goes on from: the checkpoint's words, as data in a frame."""
    flushed: int = 0
    """Tokens by which the context became smaller."""
    forked: bool = False


def used(desk: Desk, slug: str | None, *, current: int, processed: int) -> Reached | None:
    """Whoever runs the model says how large its context is, and how many tokens more it processed."""

    def work(records: Records) -> At:
        at = must_be_at_work(records, desk, slug)
        now = desk.house.clock.now()
        records.sessions.touch(desk.scope, at.session.ref, at=now, human=False, context=processed)
        at = at._replace(session=records.sessions.get(desk.scope, at.session.ref))
        sized(records, desk, at, current)
        return at

    return grown(desk, desk.house.store.write(work), current=current)


def sized(records: Records, desk: Desk, at: At, current: int) -> None:
    """Put down how large the context is, which is a sign of life."""
    until = desk.house.clock.now() + int(desk.house.policy.task_lease_minutes * MINUTE)
    records.sittings.beat(desk.scope, at.sitting, until=until, current_tokens=current)


class Due(NamedTuple):
    """What falls due at that size."""

    current: int
    refresh: Refresh
    run: Run | None = None
    full: bool = False
    """The soft cap is reached."""


def due_now(
    records: Records, desk: Desk, at: At, *, current: int, run: Run | None = None
) -> Due | None:
    """What is to be done about a context of that size; None where it may go on growing."""
    policy, window = desk.house.policy, window_of(desk)
    percent = policy.stable_window_percent
    full = at_cap(current, window, percent)
    if full and (run is None or not asked_for(records, desk, at, run)):
        return Due(current, Refresh(0, at.sitting.refreshed_tokens), run, full=True)
    refresh = refresh_due(
        at.session.context_tokens,
        at.sitting.refreshed_tokens,
        every=policy.refresh_tokens,
        window=window,
        percent=percent,
    )
    return Due(current, refresh, run) if refresh.times else None


def grown(desk: Desk, at: At, *, current: int, run: Run | None = None) -> Reached | None:
    """Fork or refresh where that is due; None where it is not, or somebody else just did it."""
    due = desk.house.store.read(lambda r: due_now(r, desk, at, current=current, run=run))
    if due is None:
        return None
    if due.full and run is None:
        return _forked(desk, at, due)
    return _written(desk, at, due) if due.full else _refreshed(desk, at, due)


def _still(records: Records, desk: Desk, at: At, due: Due) -> At | None:
    """The task, held, if what was decided on is still so; None where somebody else was faster."""
    present = must_be_at_work(records, desk, at.task.slug)
    moved = present.session.ref != at.session.ref
    if moved or present.sitting.refreshed_tokens != at.sitting.refreshed_tokens:
        return None
    if due.full and due.run is not None and asked_for(records, desk, present, due.run):
        return None
    return present


def window_of(desk: Desk) -> int:
    """The stable window. That of a model that nobody named, and nobody gave a window, is not known."""
    agent = desk.agent
    known = agent.model is not None or agent.window != desk.house.policy.window
    return stable_window(agent.window, known=known)


def asked_for(records: Records, desk: Desk, at: At, run: Run) -> bool:
    """Was a compaction asked for in this stretch of the harness's context?"""
    found = records.cursors.get(desk.scope, at.session.ref, run.place)
    return found is not None and found.position == str(run.epoch)


# The refresh


def _refreshed(desk: Desk, at: At, due: Due) -> Reached | None:
    done = _written(desk, at, due)
    if done is None:
        return None
    # A harness's context is as large as it was, until it compacts.
    flushed = 0 if due.run is not None else _reset(desk, at)
    line = f"Context refresh complete (tokens_flushed={flushed})"
    told_of(
        desk,
        at.task,
        line,
        session_id=at.session.alias,
        checkpoint_id=done.checkpoint.alias,
        tokens_flushed=flushed,
        times=due.refresh.times,
    )
    return done._replace(flushed=flushed)


def _written(desk: Desk, at: At, due: Due) -> Reached | None:
    """The memory and the checkpoint; in a harness also that a compaction is to be asked for."""
    told, memories = _summed_up(desk, at, due.current)
    seen, run = look(desk, at.task.slug), due.run

    def work(records: Records) -> tuple[At, Checkpoint] | None:
        present = _still(records, desk, at, due)
        if present is None:
            return None
        now = desk.house.clock.now()
        made = marked(records, desk, present, told, now=now, seen=seen)
        keep(records, desk, present, memories)
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
        told_of(desk, at.task, "Context budget reached", session_id=at.session.alias)
    _filed(desk, at.task)
    return Reached(present, made, _context(desk, made))


def _filed(desk: Desk, task: Task) -> None:
    """The rows are the record: a folder that cannot be written keeps no context from being reset."""
    try:
        put_down(desk, task)
    except EverthreadError as trouble:
        unwritten(desk, task, trouble)


def _summed_up(desk: Desk, at: At, current: int) -> tuple[Told, list[Memory]]:
    """What the checkpoint says: the state as it was last put down by somebody, no raw line."""

    def read(records: Records) -> tuple[Told, str]:
        return last_known(records, desk, at.task), _last_said(records, desk, at.task)

    state, said = desk.house.store.read(read)
    stood = said or f"Goal: {at.sitting.goal}"
    told = state._replace(
        kind="context_refresh", summary=f"Context summed up at {current:,} tokens. {stood}"
    )
    text = f"Task {at.task.slug} stood at {at.task.gate}: {stood}"
    wish = Wish(text, kind="note", origin="agent", project=desk.project, tags=[at.task.tag])
    try:
        return told, [prepared(desk.house, wish)]
    except (MemoryRefused, BadInput) as refused:
        log.warning("the refresh of %s leaves no memory: %s", at.task.slug, refused)
        return told, []


def _last_said(records: Records, desk: Desk, task: Task) -> str:
    """The summary of the newest checkpoint that somebody wrote; those of refreshes only repeat one."""
    for row in records.tasks.checkpoints(desk.scope, task.ref, limit=BACK):
        text = "" if row.kind == "context_refresh" else records.tasks.document(desk.scope, row)
        summary: Any = json.loads(text).get("summary") if text else None
        if summary:
            return str(summary)
    return ""


def _context(desk: Desk, made: Checkpoint) -> str:
    document = desk.house.store.read(lambda r: document_of(r, desk, made))
    return Resumed(document).context(desk.house.tokenizer.count)


def _reset(desk: Desk, at: At, *, fork: bool = False) -> int:
    """Have the view of its thread show a summary alone; by how many tokens it became smaller.

    `fork`: without a raw line. Where a model fails at it, the plain distiller does it; where that fails too,
    somebody should know that the child has what the parent had.
    """
    from everthread.services.distilling.distill import Order, distill  # noqa: PLC0415 - dear to load, seldom needed

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
        _still_raw(desk, at, why)
    after = _size(desk, thread)
    now = desk.house.clock.now()
    desk.house.store.write(
        lambda r: r.sittings.beat(desk.scope, at.sitting, until=now, current_tokens=after)
    )
    return max(0, before - after)


def _still_raw(desk: Desk, at: At, why: str) -> None:
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


def _forked(desk: Desk, at: At, due: Due) -> Reached | None:
    """End the session where it stands; a child of it goes on from the checkpoint's words alone."""
    told, memories = _summed_up(desk, at, due.current)
    seen = look(desk, at.task.slug)

    def work(records: Records) -> tuple[At, At, Checkpoint] | None:
        present = _still(records, desk, at, due)
        if present is None:
            return None
        now = desk.house.clock.now()
        made = marked(records, desk, present, told, now=now, seen=seen)
        keep(records, desk, present, memories)
        end(records, desk.scope, present.session, now=now)
        child = _child(records, desk, present, made, now)
        changed = child.task._replace(last_session=child.session.alias)
        task = records.tasks.change(desk.scope, changed, "forked", now=now)
        return present, child._replace(task=task), made

    done = desk.house.store.write(work)
    if done is None:
        return None
    parent, child, made = done
    told_of(desk, at.task, "Context budget reached", session_id=at.session.alias)
    _filed(desk, child.task)
    over(desk, child.task, parent.session, "forked")
    begun(desk, child)
    line = f"Session start: {child.session.alias} resuming from {made.alias}"
    told_of(desk, child.task, line, session_id=child.session.alias, checkpoint_id=made.alias)
    flushed = _reset(desk, child, fork=True)
    return Reached(child, made, _context(desk, made), flushed, forked=True)


def _fork_step(parent: At, made: Checkpoint) -> Step:
    return Step(FORK, "ok", f"forked from {parent.session.alias} at {made.alias}")


def _child(records: Records, desk: Desk, parent: At, made: Checkpoint, now: int) -> At:
    # Read again: the probe of the checkpoint may have put it into a sandbox.
    task = records.tasks.get(desk.scope, parent.task.ref)
    key_id = desk.house.ids.new()
    fresh = parent.session._replace(
        ref=0,
        key_id=key_id,
        key=alias_of(now, key_id),
        state="init",
        parent_ref=parent.session.ref,
        previous_ref=parent.session.ref,
        started_ms=now,
        last_human_ms=None,
        last_activity_ms=now,
        ended_ms=None,
        message_count=0,
        first_seq=0,
        last_seq=0,
        context_tokens=0,
        checkpoint_count=0,
        summary=None,
        summary_ms=None,
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
    return At(task, records.sessions.move(desk.scope, session, "active", now=now), sitting)
