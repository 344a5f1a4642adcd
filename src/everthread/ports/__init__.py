"""What we need from outside. `everthread.testing.StoreContract` holds every store to its promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from everthread.domain.policy import Policy

from .tables import (
    Agents,
    Audit,
    Bodies,
    Channels,
    Jobs,
    Marks,
    Messages,
    Sessions,
    Threads,
    Timeline,
    Turns,
)

__all__ = [
    "Agents",
    "Audit",
    "Bodies",
    "Channels",
    "Clock",
    "Files",
    "House",
    "Ids",
    "Jobs",
    "Marks",
    "Messages",
    "Records",
    "Sessions",
    "Store",
    "Threads",
    "Timeline",
    "Tokenizer",
    "Turns",
]

T = TypeVar("T")


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""
        ...


class Files(Protocol):
    def real(self, path: str) -> str:
        """The path with its links resolved; as it was where that is not possible."""
        ...


class Ids(Protocol):
    def new(self) -> bytes:
        """A UUIDv7 that this process has never given out."""
        ...

    def salt(self) -> bytes:
        """Sixteen random bytes."""
        ...


class Tokenizer(Protocol):
    def count(self, text: str) -> int:
        """How many tokens the text has; bounded work however long it is."""
        ...


class Records(Protocol):
    """Everything the store keeps, inside one transaction."""

    @property
    def agents(self) -> Agents: ...
    @property
    def bodies(self) -> Bodies: ...
    @property
    def threads(self) -> Threads: ...
    @property
    def channels(self) -> Channels: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def marks(self) -> Marks: ...
    @property
    def timeline(self) -> Timeline: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def audit(self) -> Audit: ...


class Store(Protocol):
    """Acknowledged means on disk. Work may run again after a conflict, so it has no other effects."""

    def write(self, work: Callable[[Records], T]) -> T:
        """Run the work in one transaction; when this returns, it is durable."""
        ...

    def read(self, work: Callable[[Records], T]) -> T:
        """Run the work on one consistent state; it cannot change anything."""
        ...

    def backup(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """A consistent copy, while writing goes on."""
        ...

    def settle(self) -> None:
        """Bring everything to its final place: nothing that was removed lingers in a log."""
        ...

    def size(self) -> Mapping[str, int]:
        """Bytes on disk, by part."""
        ...

    def close(self) -> None: ...

    @property
    def location(self) -> str:
        """Where it is, without secrets."""
        ...


def never_known(_owner: str) -> bool:
    """Nobody can tell whether a process is gone: leases alone decide."""
    return False


@dataclass(frozen=True, slots=True)
class House:
    """The ports and the policy that every service works with."""

    store: Store
    clock: Clock
    ids: Ids
    tokenizer: Tokenizer
    files: Files
    policy: Policy
    owner: str
    gone: Callable[[str], bool] = never_known
    """Is the process of that owner certainly no more? Where that cannot be known: False."""
