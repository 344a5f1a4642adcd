"""Commands that a project names, who trusts them, and where events are brought to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from everthread.domain.tasks.commands import (
    OUTPUT_BYTES,
    Cage,
    Command,
    CommandRun,
    Grant,
    NamedCommand,
)

if TYPE_CHECKING:
    from everthread.domain.tasks.events import Target


class Commands(Protocol):
    """Runs a command in a short-lived process of its own, within limits; nothing of it stays."""

    def run(
        self,
        command: Command,
        *,
        folder: str,
        seconds: float,
        output_bytes: int = OUTPUT_BYTES,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cage: Cage | None = None,
    ) -> CommandRun:
        """Run it and wait. All that it started is ended when it ends, when its time is over, and when
        this process, the runner or any other of the tree is killed.

        It gets the user's environment without `EVERTHREAD_…`, with `env` on top. A command that fails
        is a result, not an error. Raises `CommandRefused` where it asks for a cage and none can be
        had: it is never run without.
        """
        ...

    def sweep(self) -> int:
        """End what is left of runs whose processes were all killed at once; how many that were."""
        ...


class Source(NamedTuple):
    """A file of a project that may name commands."""

    path: str
    """Its real path."""
    content: bytes


class TrustList(Protocol):
    """What the user of this machine allowed. Kept beside the store, so nobody else can grant it."""

    def read(self, project: str, file: str) -> Source | None:
        """The file of that project; None if there is none.

        Raises `CommandRefused` where it is outside the project, behind a link too, or no plain file.
        """
        ...

    def trust(self, asked: NamedCommand, *, now: int) -> Grant:
        """From now on this command may run, until its file changes or the trust is revoked."""
        ...

    def why_not(self, asked: NamedCommand) -> str | None:
        """Why the command may not run; None if it may. Whatever cannot be read grants nothing."""
        ...

    def revoke(self, file: str) -> int:
        """Trust nothing that this file names; how many commands that were."""
        ...

    def all(self) -> Sequence[Grant]:
        """Everything that is trusted, in the order in which it was granted."""
        ...


class Delivery(NamedTuple):
    """What became of an event. To bring it again is safe: it has an id."""

    ok: bool
    error: str | None = None


class Deliver(Protocol):
    """Brings one event to where it is wanted. Never raises for what goes wrong out there."""

    def deliver(self, event: str, target: Target) -> Delivery:
        """Bring the event, JSON as `domain.events` makes it, once. `ok` means that it was taken."""
        ...
