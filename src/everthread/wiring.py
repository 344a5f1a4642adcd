"""The composition root: settings in, an engine out. Only here is it known who fills a port."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from everthread.domain.errors import BadInput, StoreFailed
from everthread.domain.projects import project_name
from everthread.engine import Everthread
from everthread.jobs.apart import ApartWorker
from everthread.jobs.asking import AskingEmbedder
from everthread.jobs.background import BackgroundWorker
from everthread.jobs.worker import Worker
from everthread.ports import Clock, Embedder, House, Ids, Index, Store, Workspace
from everthread.providers.clock import SystemClock
from everthread.providers.files import SystemFiles
from everthread.providers.ids import SystemIds
from everthread.providers.processes import gone, this_process
from everthread.providers.projects import project_root
from everthread.providers.tokenizer import BpeTokenizer
from everthread.settings import Settings

if TYPE_CHECKING:
    from everthread.store.sqlite.store import SqliteStore

POSTGRES = ("postgresql://", "postgres://")


def connect(
    target: str | os.PathLike[str] | None = None,
    *,
    background: bool = True,
    settings: Settings | None = None,
    clock: Clock | None = None,
) -> Everthread:
    """Open a store: a path, `postgresql://…`, `memory://`; by default the user's embedded one."""
    if settings is not None and not isinstance(settings, Settings):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"settings must be everthread.Settings; got {type(settings).__name__}")
    chosen = settings or Settings.load()
    place = chosen.store_target if target is None else _place(target)
    time = clock or SystemClock()
    ids = SystemIds(time)
    store = open_store(place, ids, chosen)
    vocabulary: Any = chosen.vocabulary
    apart = _apart(place, chosen) if background else None
    house = House(
        store=store,
        index=open_index(place),
        clock=time,
        ids=ids,
        tokenizer=BpeTokenizer(vocabulary),
        files=SystemFiles(),
        policy=chosen.policy,
        owner=this_process(),
        gone=gone,
        embedder=open_embedder(chosen, apart),
        workspace=open_workspace(place, chosen),
    )
    worker = apart or (_worker(house, chosen) if background else None)
    if worker is None:
        return Everthread(house)
    # A thread keeps its own time; a process leaves when it is idle, and has to be called again.
    again = worker.wake if isinstance(worker, ApartWorker) else None
    engine = Everthread(house, wake=worker.wake, again=again, stop=worker.stop)
    if Worker(house).waiting():
        worker.wake()  # what an earlier program left undone
    return engine


def open_workspace(place: str, settings: Settings) -> Workspace | None:
    """Where the files of agents lie; a store that leaves nothing on disk has none unless one is named."""
    if place == "memory://" and not settings.workspace:
        return None
    from everthread.providers.workspace import FolderWorkspace  # noqa: PLC0415 - only who distills

    folder = Path(settings.workspace).expanduser() if settings.workspace else None
    return FolderWorkspace(folder or settings.home / "agents")


def project_agent(folder: str | os.PathLike[str] | None = None) -> str | None:
    """The name of the agent that belongs to this folder's project, if it lies in one."""
    try:
        root = project_root(Path.cwd() if folder is None else Path(folder), home=Path.home())
        return project_name(str(root), home=str(Path.home().resolve()))
    except (OSError, RuntimeError):
        return None  # a folder that was removed under our feet, or a user without a home


def project_folder(folder: str | os.PathLike[str] | None = None) -> str | None:
    """The root of the project that this folder lies in, if it lies in one."""
    try:
        home = Path.home()
        root = project_root(Path.cwd() if folder is None else Path(folder), home=home)
        return str(root) if project_name(str(root), home=str(home.resolve())) else None
    except (OSError, RuntimeError):
        return None  # as above


class Background(Protocol):
    def wake(self) -> None: ...
    def stop(self) -> None: ...


def _worker(house: House, settings: Settings) -> Background | None:
    if settings.worker == "off":
        return None
    return BackgroundWorker(Worker(house), drain_seconds=settings.drain_seconds)


def _apart(place: str, settings: Settings) -> ApartWorker | None:
    """The worker process, if one is wished; what is in our memory no other process can work on."""
    if settings.worker != "process" or place == "memory://":
        return None
    order = {"parent": os.getpid(), "store": place, "settings": settings.plain()}
    command = (sys.executable, "-m", "everthread.edges.worker")
    return ApartWorker(command, order, drain_seconds=settings.drain_seconds)


def open_embedder(settings: Settings, worker: ApartWorker | None = None) -> Embedder | None:
    """Who makes vectors: the worker process where there is one, else this one; nobody without the extra."""
    facts = embedder_facts(settings)
    if not facts.usable:
        return None
    if worker is not None:
        wait = settings.embedder_wait_ms / 1_000
        return AskingEmbedder(
            worker, name=facts.name, dimensions=facts.dimensions, wait_seconds=wait
        )
    return _model(settings.embedder_idle_seconds, os.getpid())


@cache
def _model(idle_seconds: float, _process: int) -> Embedder:
    """One model for all engines of a process: it is the dearest thing they have. Not over a fork."""
    from everthread.providers.embedder import MiniLm  # noqa: PLC0415 - only who may embed

    return MiniLm(idle_seconds=idle_seconds)


class EmbedderFacts(NamedTuple):
    """What there is to know about the embedder without loading it."""

    setting: str
    name: str
    dimensions: int
    missing: tuple[str, ...]
    """Packages of the extra that are not installed."""
    install: str
    """The command that installs them."""

    @property
    def usable(self) -> bool:
        return self.setting != "off" and not self.missing

    @property
    def line(self) -> str:
        """All of it in one line, for people."""
        if self.setting == "off":
            return "off: recall by words alone (everthread config set embedder auto)"
        if self.missing:
            return f"not installed: recall by words alone ({self.install})"
        return f"{self.name}, {self.dimensions} dimensions"


def embedder_facts(settings: Settings) -> EmbedderFacts:
    from everthread.providers import embedder  # noqa: PLC0415 - only who may embed

    return EmbedderFacts(
        setting=settings.embedder,
        name=embedder.NAME,
        dimensions=embedder.DIMENSIONS,
        missing=tuple(embedder.missing()),
        install=embedder.INSTALL,
    )


def check_embedder() -> None:
    """Are the model and its vocabulary the files we know? `EmbedderFailed` says what is wrong."""
    from everthread.providers import embedder  # noqa: PLC0415 - only who may embed

    for part in embedder.PARTS:
        embedder.checked(part)


def _place(target: str | os.PathLike[str]) -> str:
    if not isinstance(target, str | os.PathLike) or not os.fspath(target):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"{target!r:.60} names no store; give a path, postgresql://… or memory://")
    return os.fspath(target)


def open_store(place: str, ids: Ids, settings: Settings) -> Store:
    """The store that a target names."""
    if place == "memory://":
        return _sqlite(None, ids, settings)
    if place.startswith(POSTGRES):
        return _postgres(place, ids, settings)
    if "://" in place:
        raise BadInput(f"{place!r:.80} names no store; give a path, postgresql://… or memory://")
    return _sqlite(Path(place).expanduser().absolute(), ids, settings)


def open_index(place: str) -> Index:
    """The index that belongs to the store of that target."""
    if place.startswith(POSTGRES):
        from everthread.store.postgres.index import PostgresIndex  # noqa: PLC0415 - an extra

        return PostgresIndex(place)
    from everthread.store.sqlite.index import SqliteIndex  # noqa: PLC0415 - one engine, not both

    return SqliteIndex(None if place == "memory://" else Path(place).expanduser().absolute())


def _sqlite(path: Path | None, ids: Ids, settings: Settings) -> SqliteStore:
    from everthread.store.sqlite.store import SqliteStore  # noqa: PLC0415 - one engine, not both

    durability: Any = settings.durability
    return SqliteStore(path, ids, durability=durability, body_bytes=settings.body_bytes)


def _postgres(url: str, ids: Ids, settings: Settings) -> Store:
    try:
        from everthread.store.postgres.store import PostgresStore  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as missing:
        if missing.name != "psycopg":
            raise
        raise StoreFailed(
            "PostgreSQL needs its driver: pip install 'everthread[postgres]'"
        ) from missing
    durability: Any = settings.durability
    return PostgresStore(url, ids, durability=durability, body_bytes=settings.body_bytes)
