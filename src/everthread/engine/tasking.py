"""A task as its caller holds it, and the verbs by which an agent finds and makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from everthread.domain.checks import (
    LONGEST_PATH,
    checked_limit,
    checked_several,
    checked_text,
    checked_whole,
)

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow, Scope
    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.domain.safety.sandbox import Decision
    from everthread.domain.tasks.checkpoint_rules import CarriedFields
    from everthread.domain.tasks.commands import Grant
    from everthread.domain.tasks.rituals import Step
    from everthread.domain.tasks.tasks import Event, FailureKind, Incident, Outcome
    from everthread.domain.tasks.tasks import Task as TaskRow
    from everthread.domain.timeline import Entry
    from everthread.ports import House
    from everthread.services.tasks.checkpoints.write import CheckpointOutcome
    from everthread.services.tasks.checks.trust import ProjectCommand
    from everthread.services.tasks.desk import Desk
    from everthread.services.tasks.fail import FailureOutcome
    from everthread.services.tasks.files.verify import FolderCheck
    from everthread.services.tasks.gate import PassOutcome
    from everthread.services.tasks.sessions.finish import EndOutcome
    from everthread.services.tasks.sessions.refresh import RefreshOutcome
    from everthread.services.tasks.sessions.start import StartOutcome
    from everthread.services.tasks.sessions.stop import StopOutcome
    from everthread.services.tasks.status import SessionRelations, Standing

    from .turn_hooks import TurnHooks


class Task:
    """One task of a project. What it says is read from the store each time."""

    def __init__(self, desk: Desk, slug: str) -> None:
        self._desk = desk
        self.slug = slug

    def __repr__(self) -> str:
        return f"<Task {self.slug} in {self._desk.project}>"

    @property
    def row(self) -> TaskRow:
        """How it stands now."""
        from everthread.services.tasks.desk import task_of

        return self._desk.house.store.read(lambda r: task_of(r, self._desk, self.slug))

    def start(
        self,
        *,
        goal: str | None = None,
        from_gate: str | None = None,
        fix: bool = False,
        owner: str = "",
        tell: Callable[[Step], None] | None = None,
    ) -> StartOutcome:
        """Begin a session with the startup ritual; refused while the smoke command fails, but for `fix`.

        `tell` is told each step as it is done, of a start that is refused too.
        """
        from everthread.services.tasks.sessions.start import Starting, start
        from everthread.services.tasks.sessions.watch import look_after

        look_after(self._desk, self.slug)
        how = Starting(goal, from_gate, fix, owner)
        return start(self._desk, self.slug, how if tell is None else how._replace(tell=tell))

    def gate(
        self,
        gate: str,
        *,
        evidence: Mapping[str, str] | Sequence[str] = (),
        waiver: str | None = None,
        summary: str | None = None,
        next_steps: Sequence[str] = (),
        tests: Mapping[str, int] | str | None = None,
    ) -> PassOutcome:
        """Pass a gate with what it asks for, or with a waiver that is recorded.

        `evidence`: texts by name, or words: `name=text`, `name=@FILE`, `FILE`.
        """
        from everthread.services.tasks.gate import GateClaim, pass_gate

        passing = GateClaim(evidence, waiver, summary, (), tuple(next_steps), tests)
        return pass_gate(self._heeded(), self.slug, gate, passing)

    def checkpoint(
        self, kind: str, summary: str, **carried: Unpack[CarriedFields]
    ) -> CheckpointOutcome:
        """Put one down; refused where it lacks what its kind must carry.

        Changes of files wait a moment for others: what is told within seconds becomes one checkpoint.
        """
        from everthread.services.tasks.checkpoints.write import CheckpointRequest, checkpoint

        return checkpoint(self._heeded(), self.slug, CheckpointRequest(kind, summary, **carried))

    def verify(self, *, repair: bool = False) -> FolderCheck:
        """Does its folder say what the store says? `repair` makes it so, and moves aside what stood there."""
        from everthread.services.tasks.files.verify import verify_files

        return verify_files(self._desk, self.slug, repair=repair)

    def end(
        self,
        outcome: Outcome = "success",
        *,
        summary: str = "",
        completed: Sequence[str] = (),
        blocked: Sequence[str] = (),
        next_steps: Sequence[str] = (),
        hint: str = "",
    ) -> EndOutcome:
        """End its session with the shutdown ritual."""
        from everthread.services.tasks.sessions.finish import Ending, finish

        ending = Ending(outcome, summary, completed, blocked, next_steps, hint)
        return finish(self._heeded(), self.slug, ending)

    def used(self, *, current: int, processed: int = 0) -> RefreshOutcome | None:
        """Say how large the model's context is now, and how many tokens more were processed.

        For who runs the model elsewhere; turns and harnesses are counted by themselves. At the soft cap the
        session forks; when a refresh is due, it is made. What the session goes on from is in the answer.
        """
        from everthread.services.tasks.sessions.refresh import report_usage

        now, more = checked_whole("current", current), checked_whole("processed", processed)
        return report_usage(self._desk, self.slug, current=now, processed=more)

    def fail(self, step: str, kind: FailureKind, detail: str = "") -> FailureOutcome:
        """A step failed: count it, and say what follows; the third time in a row asks the fixer."""
        from everthread.services.tasks.fail import Failure, fail

        return fail(self._heeded(), self.slug, Failure(step, kind, detail))

    def passed(self, step: str) -> TaskRow:
        """A step that had failed went through."""
        from everthread.services.tasks.fail import clear_step

        return clear_step(self._heeded(), self.slug, step)

    def stop(self, reason: str = "", *, trigger: str = "manual") -> StopOutcome:
        """An emergency: end its session at once; a person has to `allow` the next start."""
        from everthread.services.tasks.sessions.stop import Trigger, stop

        return stop(self._desk, self.slug, Trigger(trigger, reason))

    def allow(self, note: str) -> TaskRow:
        """A person looked at a stopped task and allows the next start."""
        from everthread.services.tasks.sessions.stop import allow

        return allow(self._desk, self.slug, note)

    def status(self) -> Standing:
        """How it stands: who works at it, what its gate asks for, what a person should look at."""
        from everthread.services.tasks.sessions.watch import look_after
        from everthread.services.tasks.status import task_standing

        look_after(self._desk, self.slug)
        return self._desk.house.store.read(lambda r: task_standing(r, self._desk, self.slug))

    def sessions(self, *, limit: int = 50) -> list[SessionRelations]:
        """Its sessions with their relations, newest first."""
        from everthread.services.tasks.status import sessions_of

        most = checked_limit(limit)
        read = self._desk.house.store.read
        return read(lambda r: sessions_of(r, self._desk, self.slug, limit=most))

    def timeline(self, *, limit: int = 100) -> list[Entry]:
        """What the sealed log holds about it, oldest first."""
        from everthread.services.tasks.status import timeline_of

        most = checked_limit(limit)
        read = self._desk.house.store.read
        return read(lambda r: timeline_of(r, self._desk, self.slug, limit=most))

    def incidents(self, *, unresolved: bool = False, limit: int = 50) -> list[Incident]:
        """What a person should look at, newest first."""
        most, row, scope = checked_limit(limit), self.row, self._desk.scope
        return list(
            self._desk.house.store.read(
                lambda r: r.incidents.all(
                    scope, task=row.ref, unresolved=bool(unresolved), limit=most
                )
            )
        )

    def document(self, checkpoint: Checkpoint) -> str:
        """What the file of one of its checkpoints holds, to the byte."""
        read = self._desk.house.store.read
        return read(lambda r: r.tasks.document(self._desk.scope, checkpoint))

    def smoke(self) -> ProjectCommand | None:
        """Its smoke command, and whether it may run; None if it has none."""
        from everthread.services.tasks.checks.trust import smoke_of

        return smoke_of(self._desk, self.row)

    def trust(self, wanted: ProjectCommand) -> Grant:
        """Allow a command, as its file names it now."""
        from everthread.services.tasks.checks.trust import trust

        return trust(self._desk, wanted)

    def distrust(self) -> int:
        """Allow none of its commands any more; how many that were."""
        from everthread.services.tasks.checks.trust import revoke

        return revoke(self._desk, self.row)

    def checkpoints(self, *, limit: int = 100) -> list[Checkpoint]:
        """Newest first."""
        most, row = checked_limit(limit), self.row
        read = self._desk.house.store.read
        return list(read(lambda r: r.tasks.checkpoints(self._desk.scope, row.ref, limit=most)))

    def _heeded(self) -> Desk:
        """Where it is worked at, once a STOP file there was heeded."""
        from everthread.services.tasks.sessions.watch import heed_stop

        heed_stop(self._desk, self.slug)
        return self._desk


class Tasking:
    """What an agent does about tasks. The heavy parts are loaded with the first one."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope

    def new_task(
        self,
        slug: str,
        *,
        goal: str,
        project: str,
        acceptance: Sequence[str] = (),
        smoke: str | Sequence[str] | None = None,
    ) -> Task:
        """Make a task of that project, with its folder `tasks/<slug>`."""
        from everthread.services.tasks.new import new_task

        desk = self._desk(project)
        made = new_task(desk, slug, goal=goal, acceptance=acceptance, smoke=smoke)
        return Task(desk, made.slug)

    def task(self, slug: str | None = None, *, project: str, owner: str = "") -> Task:
        """The task of that slug; without one, the only one of the project that is not complete.

        `owner`: the process that works at it, where it is another than this one.
        """
        from everthread.services.tasks.desk import task_of

        desk = self._desk(project)._replace(owner=owner)
        return Task(desk, self._house.store.read(lambda r: task_of(r, desk, slug)).slug)

    def tasks(self, *, project: str | None = None, limit: int = 100) -> list[TaskRow]:
        """Latest change first; of one project, or of all."""
        most, scope = checked_limit(limit), self._scope
        if project is None:
            return list(self._house.store.read(lambda r: r.tasks.all(scope, limit=most)))
        desk = self._desk(project)
        read = self._house.store.read
        return list(read(lambda r: r.tasks.of_project(scope, desk.project, limit=most)))

    def task_files(self) -> list[str]:
        """What lies of its tasks in the folders of projects: `erase` leaves that to people."""
        from everthread.services.tasks.files.leftovers import leftover_files

        return leftover_files(self._house, self._row)

    def incidents(self, *, unresolved: bool = False, limit: int = 50) -> list[Incident]:
        """What a person should look at, of all tasks; newest first."""
        most, scope = checked_limit(limit), self._scope
        read = self._house.store.read
        return list(read(lambda r: r.incidents.all(scope, unresolved=bool(unresolved), limit=most)))

    def resolve_incident(self, name: str, resolution: str) -> Incident:
        """Somebody looked at it, and says what came of it."""
        from everthread.services.tasks.incidents import resolve

        return resolve(self._house, self._scope, checked_text("an incident", name), resolution)

    def events(self, *, limit: int = 50) -> list[Event]:
        """The outbox: what others were told or are still to be told, newest first."""
        most, scope = checked_limit(limit), self._scope
        return list(self._house.store.read(lambda r: r.outbox.all(scope, limit=most)))

    def worker_in(self, project: str) -> str:
        """The process of the harness that works in that project, for `owner`; `unknown` if none is seen."""
        from everthread.services.tasks.desk import worker_in

        desk = self._desk(project)
        return self._house.store.read(lambda r: worker_in(r, desk))

    def may_run(
        self, harness: str, tool: str, given: object, *, project: str, folders: Sequence[str] = ()
    ) -> Decision:
        """May that harness run a tool in the project? In a sandbox only what reads, and it is noted.

        `folders`: where else it works, such as in a repository below the project.
        """
        from everthread.services.tasks.sandbox import ToolRequest, decide_tool

        desk = self._desk(project)
        told = checked_several("folders are a list of paths", folders)
        checked = [checked_text("a folder", each, longest=LONGEST_PATH) for each in told if each]
        real = [self._house.files.real(folder) for folder in checked]
        asking = ToolRequest(harness, tool, given, tuple(dict.fromkeys((desk.project, *real))))
        return decide_tool(desk, asking)

    def must_be_free(self, why: str, *, project: str | None = None) -> None:
        """`SandboxActive` with that reason while a session of it (in the project) may only read."""
        from everthread.services.tasks.sandbox import must_be_free

        real = None if project is None else self._desk(project).project
        must_be_free(self._house, self._scope, real, why)

    def _desk(self, project: str) -> Desk:
        from everthread.services.tasks.desk import Desk

        real = self._house.files.real(checked_text("project", project))
        return Desk(self._house, self._row, real)
