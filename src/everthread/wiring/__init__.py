"""The composition root: settings in, an engine out. Only here is it known who fills a port."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from everthread.domain.addresses import without_secrets
from everthread.domain.errors import BadInput, StoreFailed
from everthread.domain.harness.projects import project_name
from everthread.engine import Everthread
from everthread.jobs.dropped_engine import close_when_dropped
from everthread.ports import House
from everthread.ports.home_identity import ANYWHERE
from everthread.providers.clock import SystemClock
from everthread.providers.files import SystemFiles
from everthread.providers.home_id import home_identity
from everthread.providers.ids import SystemIds
from everthread.providers.processes import (
    describe_process,
    is_alive,
    is_gone,
    process_named,
    this_process,
)
from everthread.providers.projects import project_root
from everthread.providers.tokenizer import BpeTokenizer
from everthread.settings import Settings

from .lazy import lazy
from .options import must_be_options

if TYPE_CHECKING:
    from everthread.domain.damage import Damage
    from everthread.jobs.worker_process import ProcessWorker
    from everthread.ports import Clock, Embedder, HomeIdentity, Ids, Index, Store, Workspace
    from everthread.providers.workspace import FolderWorkspace
    from everthread.store.sqlite.damage import Rescue
    from everthread.store.sqlite.store import SqliteStore

POSTGRES = ("postgresql://", "postgres://")


def connect(
    target: str | os.PathLike[str] | None = None,
    *,
    background: bool = True,
    settings: Settings | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
) -> Everthread:
    """Open a store: a path, `postgresql://…`, `memory://`; by default the user's embedded one.

    `read_only`: a file as it is, also where it cannot be written; to write raises `StoreReadOnly`.
    """
    must_be_options(background=background, settings=settings, clock=clock, read_only=read_only)
    chosen = settings or Settings.load()
    place = chosen.store_target if target is None else _place(target)
    time = clock or SystemClock()
    ids = SystemIds(time)
    background = background and not read_only
    store = open_store(place, ids, chosen, read_only=read_only)
    apart = _process_worker(place, chosen) if background else None
    ours = _private_paths(place, chosen)
    commands = lazy(lambda: _task_ports().SystemCommands(hidden=ours))
    trusted = lazy(lambda: _task_ports().TrustedFile(chosen.home))
    house = House(
        store=store,
        index=open_index("memory://" if read_only else place, chosen),  # else it could not follow
        clock=time,
        ids=ids,
        tokenizer=BpeTokenizer(cast("Any", chosen.vocabulary)),
        files=SystemFiles(),
        policy=chosen.policy,
        owner=this_process(),
        gone=is_gone,
        alive=is_alive,
        embedder=open_embedder(chosen, apart),
        workspace=open_workspace(place, chosen, store, at_once=background),
        folders=lazy(lambda: _task_ports().TaskFolders(chosen.home / "run" / "folders")),
        versions=lazy(lambda: _task_ports().GitVersions()),
        commands=commands,
        trusted=trusted,
        deliver=lazy(lambda: _task_ports().SystemOutbox(time, commands, trusted)),
        sentinel=lazy(lambda: _task_ports().PlainSentinel()),
        markers=lazy(lambda: _task_ports().MarkerFiles(chosen.home)),
        here=_here(place, chosen),
        only_reads=read_only,
    )
    if (chosen.distiller, chosen.sentinel) != ("plain", "plain"):
        house = _with_models(house, chosen)
    worker = apart or (_worker(house, chosen) if background else None)
    return _engine(house, worker, again=None if apart is None else apart.wake)


def _engine(
    house: House, worker: Background | None, *, again: Callable[[], None] | None
) -> Everthread:
    if worker is None:
        return close_when_dropped(Everthread(house))
    # A thread keeps its own time; a process leaves when it is idle, and has to be called again.
    engine = close_when_dropped(Everthread(house, wake=worker.wake, again=again, stop=worker.stop))
    from everthread.jobs.worker import Worker  # noqa: PLC0415 - only who has work done

    if Worker(house).has_jobs():
        worker.wake()  # what an earlier program left undone
    return engine


def _private_paths(place: str, settings: Settings) -> list[str]:
    """What no caged command may read: the home folder, and a store that is elsewhere."""
    if "://" in place:
        return [str(settings.home)]
    store = Path(place).expanduser().absolute()
    return [str(settings.home), *(f"{store}{end}" for end in ("", "-wal", "-shm", "-index"))]


def _with_models(house: House, settings: Settings) -> House:
    from .models import open_distiller, open_fixer, open_sentinel  # noqa: PLC0415 - only who asks one

    model = open_distiller(house, settings)
    house = replace(house, distiller=model, summarizer=model)
    return replace(
        house, sentinel=open_sentinel(house, settings), fixer=open_fixer(house, settings)
    )


def _task_ports():
    from . import task_ports  # noqa: PLC0415 - only who has some

    return task_ports


def open_workspace(
    place: str, settings: Settings, store: Store, *, at_once: bool
) -> Workspace | None:
    """Where the files of agents lie; a store that leaves nothing on disk has none unless one is named.

    `at_once`: who stays has turns, and each of them looks there.
    """
    root = _files(place, settings)
    if root is None:
        return None
    where = place if "://" in place else str(Path(place).expanduser().absolute())
    return _folder(root, store, where) if at_once else lazy(lambda: _folder(root, store, where))


def _folder(root: Path, store: Store, place: str) -> FolderWorkspace:
    from everthread.providers.claims import address_of, file_of  # noqa: PLC0415 - only who distills
    from everthread.providers.workspace import FolderWorkspace  # noqa: PLC0415 - as above
    from everthread.services.claims import StoreClaims  # noqa: PLC0415 - as above

    return FolderWorkspace(root, claims=StoreClaims(store, address_of(place), file_of(place)))


def _files(place: str, settings: Settings) -> Path | None:
    if settings.workspace:
        return Path(settings.workspace).expanduser()
    if place == "memory://":
        return None
    if place.startswith(POSTGRES) or Path(place).expanduser().absolute().parent == settings.home:
        return settings.home / "agents"
    # A store elsewhere has its own files: two agents of one name must not write over each other.
    return Path(f"{Path(place).expanduser().absolute()}-agents")


def _here(place: str, settings: Settings) -> HomeIdentity:
    """Who we are among those that share the store; what is in our memory nobody shares."""
    if place == "memory://":
        return ANYWHERE
    # Who has a store elsewhere may never want a home folder.
    return home_identity(settings.home, _files(place, settings), new=place.startswith(POSTGRES))


def project_agent(folder: str | os.PathLike[str] | None = None) -> str | None:
    """The name of the agent that belongs to this folder's project, if it lies in one."""
    try:
        root = project_root(Path.cwd() if folder is None else Path(folder), home=Path.home())
        return project_name(str(root), home=str(Path.home().resolve()))
    except (OSError, RuntimeError, ValueError):
        return None  # a folder that was removed under our feet, or a user without a home


def project_folder(folder: str | os.PathLike[str] | None = None) -> str | None:
    """The root of the project that this folder lies in, if it lies in one."""
    try:
        home = Path.home()
        root = project_root(Path.cwd() if folder is None else Path(folder), home=home)
        return str(root) if project_name(str(root), home=str(home.resolve())) else None
    except (OSError, RuntimeError, ValueError):
        return None  # as above


def harness_process(pid: str) -> str:
    """The process of a harness by its number, for `Happening.owner`; empty where it says nothing."""
    return process_named(int(pid)) if pid.isascii() and pid.isdigit() else ""


def find_process(owner: str) -> tuple[int, str] | None:
    """The number of an owner's process and, while it lives, its name; None where nobody knows."""
    return describe_process(owner)


class Background(Protocol):
    def wake(self) -> None: ...
    def stop(self) -> None: ...


def _worker(house: House, settings: Settings) -> Background | None:
    if settings.worker == "off":
        return None
    from everthread.jobs.worker import Worker  # noqa: PLC0415 - as above
    from everthread.jobs.worker_thread import BackgroundWorker  # noqa: PLC0415 - only who has work done

    beside = replace(house, index=house.index.beside())
    return BackgroundWorker(Worker(beside), drain_seconds=settings.drain_seconds)


def _process_worker(place: str, settings: Settings) -> ProcessWorker | None:
    """The worker process, if one is wished; what is in our memory no other process can work on."""
    if settings.worker != "process" or place == "memory://":
        return None
    from everthread.jobs.worker_process import ProcessWorker  # noqa: PLC0415 - only who has a process for it

    order: dict[str, Any] = {"parent": os.getpid(), "store": place, "settings": settings.plain()}
    order["settings"]["home"] = str(settings.home)
    flags = "-PEm" if sys.flags.ignore_environment else "-Pm"  # no file of a project is a module
    command = (sys.executable, flags, "everthread.edges.worker")
    return ProcessWorker(command, order, drain_seconds=settings.drain_seconds)


def open_embedder(settings: Settings, worker: ProcessWorker | None = None) -> Embedder | None:
    """Who makes vectors: the worker process where there is one, else this one; nobody without the extra."""
    facts = embedder_facts(settings)
    if not facts.usable:
        return None
    if worker is not None:
        from everthread.jobs.worker_embedder import WorkerEmbedder  # noqa: PLC0415 - as above

        wait = settings.embedder_wait_ms / 1_000
        return WorkerEmbedder(
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
        missing=tuple(embedder.missing_packages()),
        install=embedder.INSTALL,
    )


def check_embedder() -> None:
    """Are the model and its vocabulary the files we know? `EmbedderFailed` says what is wrong."""
    from everthread.providers import embedder  # noqa: PLC0415 - only who may embed

    for part in embedder.PARTS:
        embedder.checked_file(part)


def _place(target: str | os.PathLike[str]) -> str:
    if not isinstance(target, str | os.PathLike) or not os.fspath(target):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"{target!r:.60} names no store; give a path, postgresql://… or memory://")
    return os.fspath(target)


def open_store(place: str, ids: Ids, settings: Settings, *, read_only: bool = False) -> Store:
    """The store that a target names."""
    if read_only:
        from .read_only import open_read_only  # noqa: PLC0415 - seldom needed

        return open_read_only(place, ids, body_bytes=settings.body_bytes)
    if place == "memory://":
        return _sqlite(None, ids, settings)
    if place.startswith(POSTGRES):
        return _postgres(place, ids, settings)
    if "://" in place:
        shown = without_secrets(place)
        raise BadInput(f"{shown!r:.80} names no store; give a path, postgresql://… or memory://")
    return _sqlite(Path(place).expanduser().absolute(), ids, settings)


def is_damaged(settings: Settings, *, seconds: float | None = None) -> bool | None:
    """Does the database find fault with the store's file? PostgreSQL sees to its own.

    None: it found none in so many seconds, and was not at the end of the file.
    """
    from everthread.store.sqlite.damage import is_damaged as found  # noqa: PLC0415 - seldom needed

    return "://" not in settings.store_target and found(_file(settings), seconds=seconds)


def damage_of(settings: Settings) -> Damage:
    """What can be read of the file of a store that is damaged. Nothing is changed."""
    from everthread.store.sqlite.damage import examine  # noqa: PLC0415 - seldom needed

    return examine(_file(settings))


def rescue_of(settings: Settings, agent: str) -> Rescue:
    """An agent's messages that can be read in such a file, each as `import` takes it."""
    from everthread.store.sqlite.damage import Rescue  # noqa: PLC0415 - seldom needed

    return Rescue(_file(settings), agent)


def _file(settings: Settings) -> Path:
    place = settings.store_target
    if "://" in place:
        raise BadInput(
            "only the file of a SQLite store is looked through; PostgreSQL has its own tools"
        )
    return Path(place).expanduser().absolute()


def open_index(place: str, settings: Settings) -> Index:
    """The index that belongs to the store of that target."""
    if place.startswith(POSTGRES):
        from everthread.store.postgres.index import PostgresIndex  # noqa: PLC0415 - an extra

        return PostgresIndex(place, connections=settings.postgres_connections)
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
    return PostgresStore(
        url,
        ids,
        durability=durability,
        body_bytes=settings.body_bytes,
        connections=settings.postgres_connections,
    )
