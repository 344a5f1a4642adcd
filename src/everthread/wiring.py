"""The composition root: settings in, an engine out. Only here is it known who fills a port."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from everthread.domain.errors import BadInput, StoreFailed
from everthread.domain.projects import project_name
from everthread.engine import Everthread
from everthread.jobs.apart import ApartWorker
from everthread.jobs.background import BackgroundWorker
from everthread.jobs.worker import Worker
from everthread.ports import Clock, House, Ids, Store
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
    house = House(
        store=store,
        clock=time,
        ids=ids,
        tokenizer=BpeTokenizer(vocabulary),
        files=SystemFiles(),
        policy=chosen.policy,
        owner=this_process(),
        gone=gone,
    )
    worker = _worker(house, place, chosen) if background else None
    if worker is None:
        return Everthread(house)
    # A thread keeps its own time; a process leaves when it is idle, and has to be called again.
    again = worker.wake if isinstance(worker, ApartWorker) else None
    engine = Everthread(house, wake=worker.wake, again=again, stop=worker.stop)
    if Worker(house).waiting():
        worker.wake()  # what an earlier program left undone
    return engine


def project_agent(folder: str | os.PathLike[str] | None = None) -> str | None:
    """The name of the agent that belongs to this folder's project, if it lies in one."""
    try:
        root = project_root(Path.cwd() if folder is None else Path(folder), home=Path.home())
        return project_name(str(root), home=str(Path.home().resolve()))
    except (OSError, RuntimeError):
        return None  # a folder that was removed under our feet, or a user without a home


class Background(Protocol):
    def wake(self) -> None: ...
    def stop(self) -> None: ...


def _worker(house: House, place: str, settings: Settings) -> Background | None:
    if settings.worker == "thread" or (settings.worker == "process" and place == "memory://"):
        return BackgroundWorker(Worker(house), drain_seconds=settings.drain_seconds)
    if settings.worker == "process":
        order = {"parent": os.getpid(), "store": place, "settings": settings.plain()}
        command = (sys.executable, "-m", "everthread.edges.worker")
        return ApartWorker(command, order, drain_seconds=settings.drain_seconds)
    return None


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
