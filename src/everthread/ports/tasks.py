"""What tasks leave in the store. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.domain.tasks.tasks import Event, Incident, Sitting, Task


class Tasks(Protocol):
    def add(self, scope: Scope, task: Task) -> Task:
        """Store it; its ref and entry are filled in. One slug names one task of a project."""
        ...

    def get(self, scope: Scope, ref: int) -> Task: ...

    def hold(self, scope: Scope, ref: int) -> Task:
        """The task as it is now; nobody else changes it before this transaction ends."""
        ...

    def find(self, scope: Scope, project: str, slug: str) -> Task | None: ...

    def of_project(self, scope: Scope, project: str, *, limit: int) -> Sequence[Task]:
        """Latest change first."""
        ...

    def all(self, scope: Scope, *, limit: int) -> Sequence[Task]:
        """Latest change first."""
        ...

    def any(self) -> bool:
        """Does any agent have one?"""
        ...

    def change(self, scope: Scope, task: Task, event: str, *, now: int) -> Task:
        """Store what changed, sealed as `task.<event>`; the time of the change and entry are filled in."""
        ...

    def withhold(self, scope: Scope, task: Task, *, now: int) -> Task:
        """Store it as it reads without what was forgotten, sealed as `task.withheld`.

        What the timeline sealed of it before can be guessed by nobody any more.
        """
        ...

    def numbered(self, scope: Scope, task: int, day: str) -> int:
        """The next number of a checkpoint on that day (`2026-02-20`); the task must be held."""
        ...

    def checkpoints(self, scope: Scope, task: int, *, limit: int) -> Sequence[Checkpoint]:
        """The task's checkpoints, newest first."""
        ...

    def checkpoint(self, scope: Scope, task: int, alias: str) -> Checkpoint | None: ...

    def document(self, scope: Scope, checkpoint: Checkpoint) -> str:
        """What the file of that checkpoint holds, to the byte; "" where there is none."""
        ...


class Sittings(Protocol):
    """What a task's sessions have beside what every session has."""

    def add(self, scope: Scope, sitting: Sitting, *, now: int) -> Sitting:
        """Store it; its ref and entry are filled in."""
        ...

    def of_session(self, scope: Scope, session: int) -> Sitting | None: ...

    def of_task(self, scope: Scope, task: int, *, limit: int) -> Sequence[Sitting]:
        """Newest first."""
        ...

    def change(self, scope: Scope, sitting: Sitting, event: str, *, now: int) -> Sitting:
        """Store what changed, sealed as `sitting.<event>`."""
        ...

    def withhold(self, scope: Scope, sitting: Sitting, *, now: int) -> Sitting:
        """As `Tasks.withhold`."""
        ...

    def at_gate(self, scope: Scope, session: Session, gate: str, *, now: int) -> Session:
        """The session stands at that gate from now on, sealed as `session.gate`."""
        ...

    def beat(
        self, scope: Scope, sitting: Sitting, *, until: int, current_tokens: int | None = None
    ) -> None:
        """It is alive: its lease never ends earlier than it did. Not sealed."""
        ...

    def lapsed(self, *, now: int, limit: int) -> Sequence[Sitting]:
        """Those of any agent whose session is init or active and whose lease is over. For the sweep alone."""
        ...

    def active(self, scope: Scope, project: str | None) -> Sequence[Sitting]:
        """Those of that project, None: of any, whose session is init or active, newest first."""
        ...


class Incidents(Protocol):
    def add(self, scope: Scope, incident: Incident) -> Incident:
        """Store it; its ref and entry are filled in."""
        ...

    def all(
        self, scope: Scope, *, task: int | None = None, unresolved: bool = False, limit: int
    ) -> Sequence[Incident]:
        """Newest first."""
        ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Incident]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def resolve(self, scope: Scope, incident: Incident, resolution: str, *, now: int) -> Incident:
        """Somebody looked at it; resolving it again changes nothing."""
        ...

    def withhold(self, scope: Scope, incident: Incident, *, now: int) -> Incident:
        """As `Tasks.withhold`; what of it may change is what it says."""
        ...


class Outbox(Protocol):
    def add(self, scope: Scope, event: Event) -> Event:
        """Store it; its ref and entry are filled in."""
        ...

    def all(self, scope: Scope, *, limit: int) -> Sequence[Event]:
        """Newest first."""
        ...

    def due(self, *, now: int, limit: int, skip: int = 0) -> Sequence[Event]:
        """Pending ones of any agent whose time has come, oldest first; without so many of the first.

        For the delivery alone.
        """
        ...

    def get(self, scope: Scope, ref: int) -> Event | None:
        """The event as it is now."""
        ...

    def hold(self, scope: Scope, ref: int) -> Event | None:
        """The same; nobody else changes it before this transaction ends."""
        ...

    def change(self, scope: Scope, event: Event, *, now: int) -> Event:
        """Store its state, attempts, time and error."""
        ...

    def withhold(self, scope: Scope, event: Event, why: str, *, now: int) -> Event:
        """As `Tasks.withhold`: nothing of its body stays, and one that waits has failed for that reason."""
        ...
