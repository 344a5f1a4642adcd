"""What we need from outside. `everthread.testing.StoreContract` holds every store to its promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar

from .home_identity import ANYWHERE, HomeIdentity

if TYPE_CHECKING:
    from everthread.domain.distilling.shrinking import Space
    from everthread.domain.outages import DiskRoom
    from everthread.domain.policy import Policy

    from .commands import Commands, Deliver, TrustList
    from .distiller import Distiller, Summarizer
    from .endings import Endings, QuietQuery
    from .exchanges import Exchanges
    from .fixer import Fixer
    from .folders import Change, Folder, Folders, ListedFile, Repository, Versions
    from .harness import Checkpoints, Compactions, Cursors, Tokens
    from .index import Catalogue, Counts, Filing, Index, IndexProgress, Likeness, Vectors
    from .injections import Injections, Uses
    from .jobs import Jobs
    from .markers import Markers
    from .marks import Marks
    from .memories import Memories, Notes
    from .outputs import Outputs
    from .purges import Purges
    from .receipts import Intents, Receipts, Summaries
    from .scorers import Scorers
    from .sentinel import Sentinel
    from .tables import (
        Agents,
        Audit,
        Bodies,
        Channels,
        Messages,
        Sessions,
        Threads,
        Timeline,
        Turns,
    )
    from .tasks import Incidents, Outbox, Sittings, Tasks
    from .workspace import Flush, FlushResult, Workspace

__all__ = [
    "Agents",
    "Audit",
    "Bodies",
    "Catalogue",
    "Change",
    "Channels",
    "Checkpoints",
    "Clock",
    "Commands",
    "Compactions",
    "Counts",
    "Cursors",
    "Deliver",
    "Distiller",
    "Embedder",
    "Endings",
    "Exchanges",
    "Files",
    "Filing",
    "Fixer",
    "Flush",
    "FlushResult",
    "Folder",
    "Folders",
    "HomeIdentity",
    "House",
    "Ids",
    "Incidents",
    "Index",
    "IndexProgress",
    "Injections",
    "Intents",
    "Jobs",
    "Likeness",
    "ListedFile",
    "Markers",
    "Marks",
    "Memories",
    "Messages",
    "Notes",
    "Outbox",
    "Outputs",
    "Purges",
    "QuietQuery",
    "Receipts",
    "Records",
    "Repository",
    "Scorers",
    "Sentinel",
    "Sessions",
    "Sittings",
    "Store",
    "Summaries",
    "Summarizer",
    "Tasks",
    "Threads",
    "Timeline",
    "Tokenizer",
    "Tokens",
    "TrustList",
    "Turns",
    "Uses",
    "Versions",
    "Workspace",
]

T = TypeVar("T")

_HOMES = {
    "commands": ("Commands", "Deliver", "TrustList"),
    "distiller": ("Distiller", "Summarizer"),
    "endings": ("Endings", "QuietQuery"),
    "exchanges": ("Exchanges",),
    "fixer": ("Fixer",),
    "folders": ("Change", "Folder", "Folders", "ListedFile", "Repository", "Versions"),
    "harness": ("Checkpoints", "Compactions", "Cursors", "Tokens"),
    "index": ("Catalogue", "Counts", "Filing", "Index", "Likeness", "IndexProgress"),
    "injections": ("Injections", "Uses"),
    "jobs": ("Jobs",),
    "markers": ("Markers",),
    "marks": ("Marks",),
    "memories": ("Memories", "Notes"),
    "outputs": ("Outputs",),
    "purges": ("Purges",),
    "receipts": ("Intents", "Receipts", "Summaries"),
    "scorers": ("Scorers",),
    "sentinel": ("Sentinel",),
    "tables": (
        *("Agents", "Audit", "Bodies", "Channels", "Messages", "Sessions", "Threads"),
        *("Timeline", "Turns"),
    ),
    "tasks": ("Incidents", "Outbox", "Sittings", "Tasks"),
    "workspace": ("Flush", "FlushResult", "Workspace"),
}
"""Most who come here want `House` and `Records`; the other modules are loaded when a name is asked for."""


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a file's content; None if there is no file, none to be read, or a huge one."""
        ...

    def modified(self, path: str) -> int | None:
        """When the file was last changed, in milliseconds; None if there is none."""
        ...

    def rooms(self, paths: Sequence[str]) -> list[DiskRoom | None]:
        """What is left where each path is, or would be made; None where that cannot be seen.

        Each file system is tried once, where the first of its paths is.
        """
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


class Embedder(Protocol):
    """Vectors of texts; texts that mean the like have vectors that point the same way."""

    @property
    def name(self) -> str:
        """The model and its revision: vectors of another one are never compared with these."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text, as rows. Dear: give few at a time, and pause in between."""
        ...

    def ask(self, text: str) -> Vectors | None:
        """The vector of a question; None where it cannot be had, or not in time."""
        ...

    def patient(self) -> Embedder:
        """The same for who can wait: `ask` takes the time it takes."""
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
    def endings(self) -> Endings: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def marks(self) -> Marks: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def notes(self) -> Notes: ...
    @property
    def injections(self) -> Injections: ...
    @property
    def uses(self) -> Uses: ...
    @property
    def scorers(self) -> Scorers: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def summaries(self) -> Summaries: ...
    @property
    def intents(self) -> Intents: ...
    @property
    def checkpoints(self) -> Checkpoints: ...
    @property
    def cursors(self) -> Cursors: ...
    @property
    def compactions(self) -> Compactions: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def exchanges(self) -> Exchanges: ...
    @property
    def outputs(self) -> Outputs: ...
    @property
    def purges(self) -> Purges: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def sittings(self) -> Sittings: ...
    @property
    def incidents(self) -> Incidents: ...
    @property
    def outbox(self) -> Outbox: ...
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

    def write_soon(self, work: Callable[[Records], T], seconds: float) -> T:
        """The same for what is worth no longer a wait for other writers: then it is `StoreBusy`."""
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

    def space(self) -> Space:
        """Bytes that hold something, and those that are free; a log beside the store is neither."""
        ...

    def reclaim(self, most: int) -> int:
        """Give at most so many free bytes back to the disk, quickly; how many went, 0 if none can."""
        ...

    def compact(self) -> None:
        """Write everything anew without gaps. Others wait meanwhile, and it may need as much space again."""
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
    index: Index
    clock: Clock
    ids: Ids
    tokenizer: Tokenizer
    files: Files
    policy: Policy
    owner: str
    gone: Callable[[str], bool] = never_known
    """Is the process of that owner certainly no more? Where that cannot be known: False."""
    embedder: Embedder | None = None
    """Without one, what was said is found by its words alone."""
    workspace: Workspace | None = None
    """Without one, a distillation leaves no files, and says so."""
    distiller: Distiller | None = None
    """A model that distills; without one, the plain distiller does."""
    summarizer: Summarizer | None = None
    """A model that sums up sessions; without one, the plain summary does."""
    folders: Folders | None = None
    """Where tasks have their folders; without it there are no tasks."""
    versions: Versions | None = None
    """The version control of projects; without it, steps that need it are skipped and say so."""
    commands: Commands | None = None
    """Runs what a project names; without it such steps are skipped and say so."""
    trusted: TrustList | None = None
    """Which of these commands a person of this machine trusts."""
    deliver: Deliver | None = None
    """Brings events to those who are to be told; without it they wait in the outbox."""
    alive: Callable[[str], bool] = never_known
    """Is the process of that owner certainly there? Where that cannot be known: False."""
    fixer: Fixer | None = None
    """A model that may be asked about a step that keeps failing."""
    sentinel: Sentinel | None = None
    """Who looks for refusals; without one, the rules do (`domain/safety/safety.plain_reading`)."""
    markers: Markers | None = None
    """Where hooks see that a project is in a sandbox; without it only our own doors hold back."""
    here: HomeIdentity = ANYWHERE
    """Who we are among those that share the store."""
    only_reads: bool = False
    """Was the store opened to be read? Then what would only be counted is not."""
