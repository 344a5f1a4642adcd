"""Watch: find task sessions whose process is gone, put down where they stood, suspend them.

A session whose process is certainly there is never touched, however long it is silent: that its harness
ended a conversation ends nothing, only the end of the process does. One whose process cannot be seen
from here (another machine) counts as gone after a much longer silence. A STOP file in the project ends
every session there, whether its process lives or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session, State
from everthread.domain.errors import EverthreadError, SessionUnknown, TaskUnknown
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Sitting, Task
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.archive.end import end
from everthread.services.tasks.checkpoints.file_changes import Worktree
from everthread.services.tasks.checkpoints.last_state import last_document, last_known_state
from everthread.services.tasks.checkpoints.write import add_checkpoint, flush, write_files
from everthread.services.tasks.checks.probe import probe_by_rules
from everthread.services.tasks.checks.stop_file import STOP_FILE, has_stop_file
from everthread.services.tasks.desk import Desk, TaskSession, at_work, task_of
from everthread.services.tasks.files.session_log import log_line
from everthread.services.tasks.sandbox import log_sandbox_end

from .stop import Trigger, keep_uncommitted, mark_stopped, report_unwritten, stop

AT_ONCE = 1_000
UNSEEN = 20
"""Leases after which a process that cannot be seen from here counts as gone: an hour by default."""

EVERY = 2**62
"""Later than any lease: so the store names those too whose lease still runs."""

BY_FILE = Trigger("stop_file", f"{STOP_FILE} is in the project")


def sweep_sittings(house: House, pause: Callable[[], None]) -> int:
    """How many sessions were found interrupted, or were stopped. A second time changes nothing."""
    found = 0
    trouble: EverthreadError | None = None
    for sitting in house.store.read(lambda r: r.sittings.lapsed(now=EVERY, limit=AT_ONCE)):
        pause()
        try:
            desk = _desk(house, sitting)
            found += desk is not None and _look_after(desk, sitting)
        except EverthreadError as error:
            trouble = trouble or error  # one that cannot be seen to keeps no other waiting
    if trouble is not None:
        raise trouble
    return found


def look_after(desk: Desk, slug: str | None) -> bool:
    """Was the session of this task interrupted? Who asks how it stands need not wait for the sweep."""
    at = desk.house.store.read(lambda r: at_work(r, desk, task_of(r, desk, slug)))
    return at is not None and _look_after(desk, at.sitting)


def heed_stop(desk: Desk, slug: str | None) -> None:
    """A STOP file counts from now on, not only when the sweep sees it."""
    if has_stop_file(desk):
        look_after(desk, slug)


def _look_after(desk: Desk, sitting: Sitting) -> bool:
    """Is it over? One that lives gets a new lease."""
    house, now, owner = desk.house, desk.house.clock.now(), sitting.owner
    if has_stop_file(desk):
        return interrupt(house, sitting) if house.gone(owner) else _stop(desk, sitting)
    if sitting.lease_ms > now:
        return False
    if house.alive(owner):
        until = now + _lease(house)
        house.store.write(lambda r: r.sittings.beat(desk.scope, sitting, until=until))
        return False
    if house.gone(owner) or now - sitting.lease_ms >= (UNSEEN - 1) * _lease(house):
        return interrupt(house, sitting)
    return False


def _lease(house: House) -> int:
    return int(house.policy.task_lease_minutes * MINUTE)


def _desk(house: House, sitting: Sitting) -> Desk | None:
    """Where it works; None where its task was erased meanwhile."""
    scope = Scope(sitting.agent_ref)
    if house.folders is not None:
        # Nobody asked for it here, and the row may name any project: no folder is made.
        house = replace(house, folders=house.folders.only_there())
    try:
        return house.store.read(
            lambda r: Desk(house, r.agents.get(scope), r.tasks.get(scope, sitting.task_ref).project)
        )
    except (TaskUnknown, SessionUnknown):
        return None


def _stop(desk: Desk, sitting: Sitting) -> bool:
    slug = desk.house.store.read(lambda r: r.tasks.get(desk.scope, sitting.task_ref)).slug
    return stop(desk, slug, BY_FILE).checkpoint is not None


def interrupt(house: House, sitting: Sitting) -> bool:
    """Put down where the session stood, suspend it (after an emergency: end it), log an incident."""
    desk = _desk(house, sitting)
    if desk is None:
        return False
    emergency = has_stop_file(desk)
    safety = probe_by_rules(desk, sitting)
    done = house.store.write(lambda r: _suspend(r, desk, sitting, safety, emergency=emergency))
    if done is None:
        return False
    task, session = done
    if emergency:
        keep_uncommitted(desk, task, session, BY_FILE)
    else:
        try:
            write_files(desk, task)
        except EverthreadError as trouble:
            report_unwritten(desk, task, trouble)
    log_sandbox_end(desk, task, session, session.state)
    log_line(
        desk,
        task,
        f"Session interrupted: {session.alias} is {session.state}",
        level="warning",
        trace=session.key_id.hex(),
        session_id=session.alias,
    )
    return True


def _suspend(
    records: Records,
    desk: Desk,
    sitting: Sitting,
    safety: Mapping[str, Any] | None,
    *,
    emergency: bool,
) -> tuple[Task, Session] | None:
    task = records.tasks.hold(desk.scope, sitting.task_ref)
    present = records.sittings.of_session(desk.scope, sitting.session_ref)
    session = records.sessions.get(desk.scope, sitting.session_ref)
    # Looked at again under the lock: it may have ended, or shown a sign of life, a moment ago.
    if present is None or session.state not in ("init", "active"):
        return None
    if present.lease_ms != sitting.lease_ms or present.owner != sitting.owner:
        return None
    now = desk.house.clock.now()
    over = emergency or task.stopped_ms is not None
    state: State = "terminated" if over else "suspended"
    at = TaskSession(task, session, present)
    flush(records, desk, at, Worktree(), now=now)
    told = _checkpoint_content(records, desk, at)._replace(can_resume=not over, safety=safety)
    made = add_checkpoint(records, desk, at, told, now=now)
    session = end(records, desk.scope, session, now=now, state=state)
    _report(records, desk, at._replace(session=session), made)
    # Read again: the probe of its checkpoint may have changed it.
    task = records.tasks.get(desk.scope, task.ref)
    if emergency:
        task = mark_stopped(records, desk, task, session, BY_FILE)
    return records.tasks.change(desk.scope, task, "interrupted", now=now), session


def _report(records: Records, desk: Desk, at: TaskSession, made: Checkpoint) -> None:
    session, task = at.session, at.task
    found = incident(
        desk.house.ids.new(),
        "interrupted",
        f"session {session.alias} of {task.slug} was interrupted at {task.gate}; "
        f"it is {session.state}",
        severity="high" if session.state == "terminated" else "medium",
        about=(task.ref, session.ref),
        details={"checkpoint": made.alias, "owner": at.sitting.owner, "state": session.state},
        at=made.created_ms,
    )
    records.incidents.add(desk.scope, found)


def _checkpoint_content(records: Records, desk: Desk, at: TaskSession) -> CheckpointStatement:
    """What is known of where it stood: its goal, and what its last checkpoint said."""
    last = last_document(records, desk, at.task)
    summary = f"Interrupted at {at.task.gate}, step {at.task.step}. Goal: {at.sitting.goal}"
    if last.get("session_id") == at.session.alias:
        summary += f" Last known: {last['summary']}"
    return last_known_state(records, desk, at.task)._replace(
        summary=summary,
        resume_instructions="Look at what is uncommitted first: the session did not end by itself.",
    )
