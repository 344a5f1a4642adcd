"""An agent's folder with `MEMORY.md` and the daily files: what a person can read without us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Flush(NamedTuple):
    """What one distillation leaves in the files. The texts are redacted, and made by `domain.daily`."""

    receipt_id: str
    day: str
    """`YYYY-MM-DD`: the daily file it belongs to."""
    section: str
    """From `daily.section`. Not looked at when it is taken out."""
    managed: str | None
    """What `MEMORY.md` holds of ours from now on, from `daily.managed`; None: nothing."""


class FlushResult(NamedTuple):
    """What became of it, as far as the disk said so."""

    ok: bool
    """Is all of it on disk, synced? Otherwise `error` says why, and to try again is safe."""
    paths: tuple[str, ...] = ()
    """The files that hold it now, or that it was taken out of."""
    edited: bool = False
    """Did somebody write inside our markers? What they wrote was left, or moved below them."""
    error: str | None = None


class WrittenSection(NamedTuple):
    """A section that stands in a daily file."""

    receipt_id: str
    day: str
    text: str
    ours: bool = True
    """Has nobody edited it since it was written?"""


class Handwritten(NamedTuple):
    """What a person wrote into `MEMORY.md`, outside our markers, and when the file was changed last."""

    text: str
    at_ms: int


class Owner(NamedTuple):
    """Whose folder it is: an agent of a store."""

    store: str
    """Where the store is, hashed."""
    agent: str
    file: str = ""
    """Its path, if it is a file of this machine."""


class Claims(Protocol):
    """Tells whose files are whose, where several stores have an agent of one name."""

    def owner(self, agent: str) -> Owner | None:
        """Who the agent of that name is; None where the store has none."""
        ...

    def wrote(self, agent: str, receipts: Sequence[str]) -> bool:
        """Does the store know one of these receipts or checkpoints as the agent's?"""
        ...


class Workspace(Protocol):
    """Text outside our markers survives byte for byte; each call sees all of the other's or nothing.

    Trouble with the disk is told and never raised, within a bounded time. Both calls may be repeated:
    a receipt has one section, however often it is written, and taking out what is not there is fine.
    """

    def write(self, agent: str, order: Flush) -> FlushResult:
        """Put the section into the daily file and renew the managed section of `MEMORY.md`."""
        ...

    def withdraw(self, agent: str, order: Flush) -> FlushResult:
        """Take the receipt's section out, unless somebody edited it; renew `MEMORY.md`."""
        ...

    def renew(self, agent: str, managed: str | None) -> FlushResult:
        """Have `MEMORY.md` say that of ours, and nothing else; an agent without files gets none."""
        ...

    def there(self, agent: str) -> bool:
        """Has the agent files here?"""
        ...

    def sections(self, agent: str) -> Sequence[WrittenSection]:
        """All sections in the agent's daily files; OSError where one of these cannot be read."""
        ...

    def handwritten(self, agent: str) -> Handwritten | None:
        """What a person wrote into `MEMORY.md`, as far as that is read; None: nothing. OSError where
        it cannot be read.
        """
        ...

    def path(self, agent: str) -> str:
        """The folder of that agent; it need not be there yet."""
        ...
