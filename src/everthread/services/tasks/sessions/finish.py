"""Finish: the shutdown ritual of a task's session, in its order, each step on record.

A step that fails is told, and the order goes on. Ended once more after a crash in the middle, nothing is
there twice: the entry of the log bears the session's mark, its last checkpoint is found, a memory that is
said again is one memory; and the session is over with its event in one transaction, the last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import BadInput, EverthreadError, TaskBusy, TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.charter import checked_plan
from everthread.domain.tasks.checkpoint_rules import clean_lines, clean_text
from everthread.domain.tasks.events import COMPLETE
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.rituals import Entry, Result, Step, detail_text, mark_of
from everthread.domain.tasks.task_files import LOG, MEMORY_IDS, CheckpointStatement
from everthread.domain.tasks.tasks import OUTCOMES, Health, Outcome, Sitting, Task, status_after
from everthread.domain.times import MINUTE
from everthread.ports import ListedFile, Records
from everthread.services.archive.end import end
from everthread.services.tasks.checkpoints.file_changes import look_at_worktree
from everthread.services.tasks.checkpoints.mirror import keep_mirror, mirror_of
from everthread.services.tasks.checkpoints.resume_point import document_of
from everthread.services.tasks.checkpoints.write import add_checkpoint, write_files
from everthread.services.tasks.desk import Desk, TaskSession, must_be_at_work
from everthread.services.tasks.events import queue, targets
from everthread.services.tasks.files.ended_sessions import (
    KEPT,
    entry_record,
    memories_text,
    tagged_memories,
)
from everthread.services.tasks.files.projection import folder_of
from everthread.services.tasks.files.session_log import log_line
from everthread.services.tasks.sandbox import log_sandbox_end

from .bundle import bundle

BEGUN = "begun"
"""The entry of the record that says who is ending the session."""
AT_MOST = 60 * MINUTE
"""Who began to end it longer ago than this has given up."""


class Ending(NamedTuple):
    """What a session leaves behind, in the words of whoever ends it."""

    outcome: Outcome
    summary: str = ""
    completed: Sequence[str] = ()
    blocked: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    hint: str = ""
    """For the next session; the first next step where nothing is said."""


class EndOutcome(NamedTuple):
    task: Task
    session: Session
    checkpoint: Checkpoint
    steps: Sequence[Step]

    @property
    def record(self) -> list[dict[str, Any]]:
        return [step.entry("shutdown") for step in self.steps]


Done = tuple[Result, str]


def finish(desk: Desk, slug: str | None, ending: Ending) -> EndOutcome:
    told = _clean_ending(ending)
    at = desk.house.store.write(lambda r: _claim(r, desk, slug))
    try:
        return _Shutdown(desk, at, told).run()
    except BaseException:
        with suppress(EverthreadError):
            desk.house.store.write(lambda r: _release(r, desk, at))
        raise


def _clean_ending(ending: Ending) -> Ending:
    if ending.outcome not in OUTCOMES:
        raise BadInput(f"outcome is one of {', '.join(OUTCOMES)}; got {ending.outcome!r:.40}")
    return Ending(
        ending.outcome,
        clean_text("summary", ending.summary or None) or "",
        clean_lines("completed", ending.completed),
        clean_lines("blocked", ending.blocked),
        checked_plan(clean_lines("next_steps", ending.next_steps)),
        clean_text("hint", ending.hint or None) or "",
    )


# Who ends it


def _claim(records: Records, desk: Desk, slug: str | None) -> TaskSession:
    """The session that is ended here and now: by one, even if two ask for it at once."""
    at = must_be_at_work(records, desk, slug)
    now = desk.house.clock.now()
    for entry in at.sitting.record:
        late = now - entry.get("at", 0) > AT_MOST
        if entry["name"] == BEGUN and not late and not desk.house.gone(entry["owner"]):
            raise TaskBusy(f"{at.session.alias} is being ended already")
    begun = {**Step(BEGUN, "ok").entry("shutdown"), "owner": desk.house.owner, "at": now}
    sitting = _with_end_record(at.sitting, [begun])
    return at._replace(sitting=records.sittings.change(desk.scope, sitting, "ending", now=now))


def _release(records: Records, desk: Desk, at: TaskSession) -> None:
    records.tasks.hold(desk.scope, at.task.ref)
    sitting = records.sittings.of_session(desk.scope, at.session.ref)
    if sitting is not None and sitting.outcome is None:
        now = desk.house.clock.now()
        records.sittings.change(desk.scope, _with_end_record(sitting, []), "unended", now=now)


def _with_end_record(sitting: Sitting, entries: Sequence[dict[str, Any]]) -> Sitting:
    """With these as the record of its end; what an attempt before this one recorded is over."""
    before = [entry for entry in sitting.record if entry.get("ritual") != "shutdown"]
    return sitting._replace(record_json=json.dumps([*before, *entries], ensure_ascii=False))


# The steps


class _Shutdown:
    """One run of the ritual."""

    def __init__(self, desk: Desk, at: TaskSession, ending: Ending) -> None:
        self._desk = desk
        self._at = at
        self._ending = ending
        self._steps: list[Step] = []
        self._health: Health | None = None
        self._files: Sequence[ListedFile] = ()
        self._told = ending.summary or "; ".join(ending.completed)
        """What somebody said of it. The goal is no such thing: that it was reached, nobody said."""
        blocked = f" Blocked: {'; '.join(ending.blocked)}." if ending.blocked else ""
        unsaid = f"Ended as {ending.outcome} at {at.task.gate}.{blocked}"
        self._summary = self._told or unsaid
        now, session = desk.house.clock.now(), at.session
        self._entry = Entry(
            session.alias,
            now,
            max(0, now - session.started_ms),
            at.sitting.goal,
            ending.completed or ([ending.summary] if ending.summary else []),
            ending.blocked,
            ending.next_steps,
        )

    def run(self) -> EndOutcome:
        self._do("commit", self._commit)
        self._do("log", self._write_log)
        checkpoint = self._checkpoint()
        self._do("memorize", lambda: self._memorize(checkpoint))
        task, session = self._end_session()
        log_sandbox_end(self._desk, task, session, self._ending.outcome)
        self._report_failed(task, session)
        alias, outcome = session.alias, self._ending.outcome
        log_line(
            self._desk,
            task,
            f"Session end: {alias} outcome={outcome}",
            trace=session.key_id.hex(),
            session_id=alias,
            outcome=outcome,
        )
        return EndOutcome(task, session, checkpoint, self._steps)

    def _log(self, message: str, level: str = "info", **fields: str) -> None:
        session = self._at.session
        fields |= {"session_id": session.alias}
        trace = session.key_id.hex()
        log_line(self._desk, self._at.task, message, level=level, trace=trace, **fields)

    def _do(self, name: str, step: Callable[[], Done]) -> None:
        began = self._desk.house.clock.now()
        try:
            result, detail = step()
        except (EverthreadError, OSError) as trouble:
            result, detail = "fail", str(trouble)
        spent = max(0, self._desk.house.clock.now() - began) / 1_000
        self._steps.append(Step(name, result, detail, spent))
        if result == "fail":
            self._log(f"Step failed: {name}: {detail_text(detail)}", level="error", step=name)

    def _commit(self) -> Done:
        """Step 1: commit, or keep a patch."""
        done = bundle(self._desk, self._at, self._summary)
        self._health, self._files = done.health, done.files
        return done.result, done.detail

    def _write_log(self) -> Done:
        """Step 2: one entry in the implementation log."""
        folder = folder_of(self._desk, self._at.task, create=True)
        if mark_of(self._at.session.alias) in (folder.read(LOG) or ""):
            return "ok", f"{LOG} has its entry already"
        folder.append(LOG, self._entry.text)
        return "ok", LOG

    def _checkpoint(self) -> Checkpoint:
        """Step 3: where the session stood at its end. Without it, it is not over: what fails is raised."""
        desk, began = self._desk, self._desk.house.clock.now()
        seen = look_at_worktree(desk, self._at.task.slug)
        ending = self._ending
        told = CheckpointStatement(
            "session_end",
            self._summary,
            files_changed=[{"path": file.path, "action": "modified"} for file in self._files],
            next_steps=ending.next_steps,
            resume_instructions=ending.hint or None,
            file_hashes={f.path: f.sha256 for f in self._files if f.sha256 is not None},
        )

        def work(records: Records) -> tuple[Checkpoint, bool]:
            at = self._hold_session(records)
            newest = records.tasks.checkpoints(desk.scope, at.task.ref, limit=1)
            if newest and newest[0].session_ref == at.session.ref and newest[0].kind == told.kind:
                return newest[0], True
            now = desk.house.clock.now()
            return add_checkpoint(records, desk, at, told, now=now, seen=seen), False

        made, known = desk.house.store.write(work)
        detail = f"{made.alias}{' was there already' if known else ''}"
        detail += self._write_folder()
        spent = max(0, desk.house.clock.now() - began) / 1_000
        self._steps.append(Step("checkpoint", "ok", detail, spent))
        return made

    def _memorize(self, checkpoint: Checkpoint) -> Done:
        """Step 3b: what was decided, as memories. That they are kept is said once they were read back."""
        desk, task, scope = self._desk, self._at.task, self._desk.scope
        document = desk.house.store.read(lambda r: document_of(r, desk, checkpoint))
        decisions = document.get("state", {}).get("decisions", [])
        wanted = mirror_of(
            desk, task, CheckpointStatement("session_end", self._told, decisions=decisions)
        )
        refused = len(decisions) + bool(self._told) - len(wanted)
        also = f", {refused} refused as no memory" if refused > 0 else ""
        remembered = desk.house.store.write(lambda r: keep_mirror(r, desk, self._at, wanted))
        ids = {memory.key_id for memory in remembered}

        def read(records: Records) -> tuple[int, list[str]]:
            found = (records.memories.find(scope, key) for key in ids)
            there = sum(m is not None and m.state == "kept" and task.tag in m.tags for m in found)
            return there, [memory.id for memory in tagged_memories(records, desk, task)]

        there, known = desk.house.store.read(read)
        if there < len(ids):
            return "fail", f"only {there} of {len(ids)} memories could be read back{also}"
        if known:
            folder_of(desk, task, create=True).write(MEMORY_IDS, memories_text(task, known))
        if not ids:
            return "skipped", f"nothing that was said is a memory{also}"
        return "ok", f"{len(ids)} memories tagged {task.tag}{also}"

    def _end_session(self) -> tuple[Task, Session]:
        """Steps 4 and 5: status and event, and with them the session is over."""
        desk, ending = self._desk, self._ending
        told = targets(desk.house.policy)
        where = f"for {', '.join(told)}" if told else "kept: nobody is named to be told"
        self._steps.append(Step("status", "ok"))
        self._steps.append(Step("event", "ok", f"{COMPLETE} {where}"))

        def work(records: Records) -> tuple[Task, Session, Sitting]:
            at = self._hold_session(records)
            now = desk.house.clock.now()
            hint = ending.hint or next(iter(ending.next_steps), f"go on at {at.task.gate}")
            data = {"session_id": at.session.alias, "outcome": ending.outcome}
            data["next_session_hint"] = hint
            queue(records, desk, COMPLETE, subject=at.task.slug, data=data, now=now)
            task = at.task._replace(
                status=status_after(at.task, ending.outcome, blockers=bool(ending.blocked)),
                blockers_json=json.dumps(list(ending.blocked), ensure_ascii=False),
                next_steps_json=json.dumps(list(ending.next_steps), ensure_ascii=False),
                last_session=at.session.alias,
            )
            self._steps[-2] = Step("status", "ok", f"{task.status} at {task.gate}")
            sitting = self._with_record(at.sitting._replace(outcome=ending.outcome))
            sitting = records.sittings.change(desk.scope, sitting, "ended", now=now)
            session = end(records, desk.scope, at.session, now=now)
            return records.tasks.change(desk.scope, task, "ended", now=now), session, sitting

        task, session, sitting = desk.house.store.write(work)
        if trouble := self._write_folder():
            self._steps[-2] = Step("status", "fail", f"{self._steps[-2].detail}{trouble}")
            now, late = desk.house.clock.now(), self._with_record(sitting)
            desk.house.store.write(lambda r: r.sittings.change(desk.scope, late, "late", now=now))
        return task, session

    def _report_failed(self, task: Task, session: Session) -> None:
        """A step that failed waits for somebody: `doctor` tells it, too."""
        failed = [f"{one.name}: {one.detail}" for one in self._steps if one.result == "fail"]
        if not failed:
            return
        trouble = f"{session.alias} of {task.slug} is over, but not all could be done: "
        found = incident(
            self._desk.house.ids.new(),
            "files",
            detail_text(trouble + "; ".join(failed)),
            about=(task.ref, session.ref),
            details={"repair": f"everthread checkpoints verify --task {task.slug} --repair"},
            at=self._desk.house.clock.now(),
        )
        self._desk.house.store.write(lambda r: r.incidents.add(self._desk.scope, found))

    def _hold_session(self, records: Records) -> TaskSession:
        """The session under the lock, if it is still the one that is being ended."""
        at = must_be_at_work(records, self._desk, self._at.task.slug)
        if at.session.ref != self._at.session.ref:
            raise TaskRefused(f"{self._at.session.alias} was ended by someone else meanwhile")
        return at

    def _with_record(self, sitting: Sitting) -> Sitting:
        said = {KEPT: entry_record(self._entry)}
        entries = [s.entry("shutdown") | (said if s.name == "log" else {}) for s in self._steps]
        return _with_end_record(sitting._replace(health=self._health or sitting.health), entries)

    def _write_folder(self) -> str:
        """Have the folder say what the store says; what went wrong with that."""
        try:
            write_files(self._desk, self._at.task)
        except (EverthreadError, OSError) as trouble:
            return f"; its files could not be written: {trouble}"
        return ""
