"""Stop: an emergency ends the task's session at once; a person has to allow the next start.

The store comes first, so that nothing new is taken in from that moment on. What is uncommitted is kept
beside it as a patch, without version control as a list of files.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from everthread.domain.checks import checked_text
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.checkpoint_rules import is_ours
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.task_files import (
    EMERGENCY,
    CheckpointStatement,
    dump_json,
    strip_document,
)
from everthread.domain.tasks.tasks import LONGEST_TEXT, Task
from everthread.domain.times import text_of
from everthread.ports import Records
from everthread.services.archive.end import end
from everthread.services.tasks.checkpoints.last_state import last_good, last_known_state
from everthread.services.tasks.checkpoints.write import add_checkpoint, write_files
from everthread.services.tasks.checks.probe import KIND as SAFETY
from everthread.services.tasks.checks.probe import probe_by_rules
from everthread.services.tasks.checks.stop_file import STOP_FILE, has_stop_file
from everthread.services.tasks.desk import Desk, TaskSession, at_work, task_of
from everthread.services.tasks.events import queue
from everthread.services.tasks.files.projection import folder_of
from everthread.services.tasks.files.session_log import log_line
from everthread.services.tasks.sandbox import log_sandbox_end

from .bundle import LONGEST_PATCH, MOST_FILES, PATCHES, file_line

STOPPED = "agent.emergency_stop"


class Trigger(NamedTuple):
    """Why it is stopped."""

    name: str = "manual"
    reason: str = ""
    metric: str | None = None
    threshold: float | None = None
    actual: float | None = None


class StopOutcome(NamedTuple):
    task: Task
    checkpoint: Checkpoint | None
    patch: str | None
    """The bundle of uncommitted changes, relative to the task's folder."""


class UncommittedWork(NamedTuple):
    """What was not committed when it was stopped."""

    name: str | None = None
    files: tuple[str, ...] = ()
    known: bool = True
    """False: whether something is uncommitted could not be found out."""


def stop(desk: Desk, slug: str | None, why: Trigger) -> StopOutcome:
    """Mark the task as stopped, end its session, keep what is uncommitted. Twice is once."""
    reason = strip_secrets(
        checked_text("reason", why.reason or "stopped by hand", longest=LONGEST_TEXT)
    )
    why = why._replace(reason=reason)
    safety = probe_by_rules(desk, slug)

    def work(records: Records) -> tuple[Task, Checkpoint | None, Session | None] | Task:
        task = records.tasks.hold(desk.scope, task_of(records, desk, slug).ref)
        at = at_work(records, desk, task)
        if at is None and task.stopped_ms is not None:
            return task
        now = desk.house.clock.now()
        made = None
        if at is not None:
            told = CheckpointStatement(
                "emergency", f"Emergency stop: {reason}", can_resume=False, safety=safety
            )
            made = add_checkpoint(records, desk, at, told, now=now)
            end(records, desk.scope, at.session, now=now, state="terminated")
        session = None if at is None else at.session
        # Read again: the probe of its checkpoint may have changed it.
        task = records.tasks.get(desk.scope, task.ref)
        return mark_stopped(records, desk, task, session, why), made, session

    done = desk.house.store.write(work)
    if isinstance(done, Task):
        return StopOutcome(done, None, None)
    task, made, session = done
    patch = keep_uncommitted(desk, task, session, why)
    if session is not None:
        log_sandbox_end(desk, task, session, "stopped")
        log_line(
            desk,
            task,
            f"Session end: {session.alias} outcome=failed",
            level="error",
            trace=session.key_id.hex(),
            session_id=session.alias,
            outcome="failed",
        )
    return StopOutcome(task, made, patch)


def mark_stopped(
    records: Records, desk: Desk, task: Task, session: Session | None, why: Trigger
) -> Task:
    """The task is stopped from now on: its incident, its event; the task must be held."""
    now = desk.house.clock.now()
    found = incident(
        desk.house.ids.new(),
        "emergency",
        f"{task.slug} was stopped at {task.gate}: {why.reason}",
        severity="critical",
        about=(task.ref, None if session is None else session.ref),
        details={"trigger": why.name, **_metric_fields(why)},
        at=now,
    )
    records.incidents.add(desk.scope, found)
    alias = None if session is None else session.alias
    data = {"task_slug": task.slug, "session_id": alias, "trigger": why.name}
    queue(records, desk, STOPPED, subject=task.slug, data=data, now=now)
    over = task._replace(stopped_ms=now, status="blocked")
    return records.tasks.change(desk.scope, over, "stopped", now=now)


def keep_uncommitted(desk: Desk, task: Task, session: Session | None, why: Trigger) -> str | None:
    """Keep what is uncommitted, and the emergency checkpoint; the bundle's name.

    The task is stopped already. What cannot be written is told and stops nobody from stopping.
    """
    kept = _bundle_work(desk, task)
    good = desk.house.store.read(lambda r: last_good(r, desk, task))
    try:
        document = _document(desk, task, session, why, kept)
        document["recovery"]["resume_from"] = good
        folder_of(desk, task, create=True).write(EMERGENCY, dump_json(strip_document(document)))
        write_files(desk, task)
    except EverthreadError as trouble:
        report_unwritten(desk, task, trouble)
    return kept.name


def report_unwritten(desk: Desk, task: Task, trouble: EverthreadError) -> None:
    """The rows are the record; that a folder could not be written waits for somebody."""
    summary = f"the files of {task.slug} could not be written: {trouble}"
    now = desk.house.clock.now()
    told = incident(desk.house.ids.new(), "files", summary, about=(task.ref, None), at=now)
    desk.house.store.write(lambda r: r.incidents.add(desk.scope, told))


def _metric_fields(why: Trigger) -> dict[str, Any]:
    return {"metric": why.metric, "threshold": why.threshold, "actual": why.actual}


def _document(
    desk: Desk, task: Task, session: Session | None, why: Trigger, kept: UncommittedWork
) -> dict[str, Any]:
    """The emergency checkpoint, as the protocol has it."""
    return {
        "timestamp": text_of(task.stopped_ms or task.updated_ms),
        "agent_id": desk.agent.name,
        "session_id": None if session is None else session.alias,
        "trigger": why.name,
        "trigger_details": {**_metric_fields(why), "reason": why.reason},
        "state": {
            "current_task": task.slug,
            "current_gate": task.gate,
            "last_completed_step": task.step,
            "files_modified": list(kept.files),
            "uncommitted_changes": bool(kept.files) if kept.known else None,
        },
        "recovery": {
            "can_resume": False,
            "resume_from": None,
            "manual_review_required": True,
        },
    }


def _bundle_work(desk: Desk, task: Task) -> UncommittedWork:
    """What is uncommitted, in the task's folder."""
    versions = desk.house.versions
    if versions is None:
        return UncommittedWork(known=False)
    at = text_of(task.stopped_ms or task.updated_ms).replace(":", "").replace(".", "")
    try:
        repository = versions.of(desk.project)
        if repository is None:
            files, _ = versions.listing(desk.project, MOST_FILES)
            text = "".join(f"{file_line(file)}\n" for file in files)
            name, dirty, known = f"{PATCHES}/emergency-{at}.txt", (), False
        else:
            dirty = tuple(c.path for c in repository.changes() if not is_ours(c.path))
            text, _ = repository.patch(LONGEST_PATCH) if dirty else ("", False)
            name, known = f"{PATCHES}/emergency-{at}.patch", True
        if not text:
            return UncommittedWork(None, dirty, known)
        folder_of(desk, task, create=True).write(name, strip_secrets(text) if dirty else text)
        return UncommittedWork(name, dirty, known)
    except (EverthreadError, OSError) as trouble:
        log_line(desk, task, f"No patch could be kept: {trouble}", level="error")
        return UncommittedWork(known=False)


# Afterwards


def allow(desk: Desk, slug: str | None, note: str) -> Task:
    """A person looked at it and allows the next start, in no sandbox; its incidents are resolved.

    A session that is in a sandbox now stays in it until it ends.
    What they said becomes a checkpoint, from which the next session goes on.
    """
    said = strip_secrets(checked_text("note", note, longest=LONGEST_TEXT))
    if has_stop_file(desk):
        raise TaskRefused(
            f"{desk.project}/{STOP_FILE} is still there: remove it first, it stops every task"
        )

    def work(records: Records) -> Task:
        task = records.tasks.hold(desk.scope, task_of(records, desk, slug).ref)
        if task.stopped_ms is None and task.sandbox_json is None:
            raise TaskRefused(
                f"{task.slug} is neither stopped nor in a sandbox: nothing has to be allowed"
            )
        now = desk.house.clock.now()
        for found in records.incidents.all(desk.scope, task=task.ref, unresolved=True, limit=1_000):
            if found.kind in ("emergency", SAFETY):
                records.incidents.resolve(desk.scope, found, said, now=now)
        freed = task._replace(stopped_ms=None, sandbox_json=None)
        if task.stopped_ms is not None:
            freed = freed._replace(status="in-progress")
            _record_allowance(records, desk, freed, said, now)
        return records.tasks.change(desk.scope, freed, "allowed", now=now)

    task = desk.house.store.write(work)
    write_files(desk, task)
    return task


def _record_allowance(records: Records, desk: Desk, task: Task, said: str, now: int) -> None:
    sittings = records.sittings.of_task(desk.scope, task.ref, limit=1)
    if not sittings:
        return  # nobody has worked at it: it begins at the beginning
    session = records.sessions.get(desk.scope, sittings[0].session_ref)
    told = last_known_state(records, desk, task)._replace(
        kind="explicit",
        summary=f"Allowed again after the emergency stop: {said}",
        resume_instructions=f"A person looked at it: {said}",
    )
    add_checkpoint(records, desk, TaskSession(task, session, sittings[0]), told, now=now)
