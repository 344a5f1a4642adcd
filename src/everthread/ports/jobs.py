"""Work that is asked for in a transaction and done after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.jobs import Duty, Job


class Jobs(Protocol):
    def add(
        self,
        kind: str,
        payload: str,
        *,
        due_at: int,
        now: int,
        agent: int | None = None,
        once: str | None = None,
    ) -> None:
        """Ask for work in this very transaction. With `once`, a second asking changes nothing."""
        ...

    def cancel(self, kind: str, *, once: str) -> None:
        """Take back what was asked for and nobody has begun."""
        ...

    def waits(self, kind: str, *, once: str) -> bool:
        """Was that asked for, and has nobody begun it?"""
        ...

    def claim(self, owner: str, kinds: Sequence[str], *, now: int, until: int) -> Job | None:
        """The next due job, or one whose owner let its lease run out; nobody else holds it then."""
        ...

    def hold(self, job: Job, *, until: int) -> None:
        """Renew the lease; LeaseLost if someone else claimed the job meanwhile."""
        ...

    def finish(self, job: Job) -> None:
        """Done and gone; LeaseLost if someone else claimed the job meanwhile."""
        ...

    def retry(self, job: Job, *, error: str, due_at: int | None) -> None:
        """Failed: due again then, or dead if None. LeaseLost if someone else claimed it."""
        ...

    def spare(self, job: Job, *, error: str, due_at: int) -> None:
        """Broken off by no fault of its own: due again then, and this attempt is not counted. If someone
        else claimed it meanwhile, only the latter."""
        ...

    def next_due(self, kinds: Sequence[str]) -> int | None: ...

    def all(self) -> Sequence[Job]: ...

    def note(self, name: str, *, now: int) -> None:
        """Note under that name that it was seen now; beside the times of duties, which have other names."""
        ...

    def noted(self, beginning: str) -> Sequence[tuple[str, int]]:
        """The names that begin like this, in order, and when each was last seen."""
        ...

    def unnote(self, name: str) -> None: ...

    def due_duties(self, duties: Sequence[Duty], *, now: int) -> Sequence[Duty]:
        """Those whose time has come, each given to one caller only."""
        ...
