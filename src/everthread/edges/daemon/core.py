"""What every door in the daemon shares: the engine, the settings, the pool that blocking verbs run in."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from everthread.domain.errors import StoreAway, StoreClosed
from everthread.domain.redaction.secrets import strip_secrets

from .places import Places

if TYPE_CHECKING:
    from everthread.engine import Everthread
    from everthread.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("everthread.daemon")

THREADS = 8
AFTER_TROUBLE = 1.0
VECTOR_MS = 50
"""How long a question waits for its vector."""


@dataclass
class DaemonCore:
    """One daemon, as its doors see it. `engine()` blocks: call it inside `run`."""

    settings: Settings
    port: int = 0
    token: str = ""
    """The local admin token; it stands in `run/token`."""
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="everthread-serve")
    )

    urgent: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="everthread-hook")
    )
    """For hooks alone: a long request of somebody else must not make a prompt wait."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Everthread | None = None
        self._file: tuple[int, int] | None = None
        self._trouble: tuple[float, Exception] | None = None
        self._closed = False

    @property
    def places(self) -> Places:
        return Places(self.settings.home)

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking verb in the pool: nothing may block the thread that serves."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pool, partial(verb, *args, **kwargs))

    def engine(self) -> Everthread:
        """The engine, opened on first use; `StoreAway` while its store is not there."""
        with self._lock:
            if self._closed:
                raise StoreClosed("the daemon is stopping")
            if self._engine is not None and self._replaced():
                self._let_go()
            if self._engine is None:
                self._engine = self._open()
            return self._engine

    @property
    def opened(self) -> bool:
        return self._engine is not None

    @property
    def trouble(self) -> str:
        """Why the store could not be opened when it was last tried; empty where it was."""
        found = self._trouble
        return strip_secrets(f"{type(found[1]).__name__}: {found[1]}") if found else ""

    def close(self) -> None:
        """Write what waits to be written, and close. Once is enough."""
        with self._lock:
            self._closed = True
            engine, self._engine = self._engine, None
        self.urgent.shutdown(wait=True)
        self.pool.shutdown(wait=True)
        if engine is None:
            return
        if self._file is not None and self.identity() != self._file:
            # To close it would make an empty one in its place, or disturb the one that is there now;
            # nor may it be closed when it is dropped.
            engine.leaving.over = True
            log.warning(
                "the store %s is not there any more; it is left", self.settings.store_target
            )
            return
        _settle(engine)
        engine.close()

    def _open(self) -> Everthread:
        if self._trouble and time.monotonic() - self._trouble[0] < AFTER_TROUBLE:
            raise self._trouble[1]
        from everthread.wiring import connect  # noqa: PLC0415 - after listening

        try:
            # CPU-heavy work never runs beside the server.
            engine = connect(settings=beside_a_server(self.settings))
        except Exception as error:
            self._trouble = time.monotonic(), error
            raise
        self._trouble = None
        self._file = self.identity()
        return engine

    def identity(self) -> tuple[int, int] | None:
        """Which file the store is; None where there is none, or one that holds nothing."""
        if "://" in self.settings.store_target:
            return None
        try:
            seen = os.stat(self.settings.store_target)  # noqa: PTH116 - on every event
        except OSError:
            return None
        return (seen.st_dev, seen.st_ino) if seen.st_size else None

    def _replaced(self) -> bool:
        """Is another file there than the one we opened? While there is none, nothing can be kept."""
        if self._file is None:
            return False
        now = self.identity()
        if now is None:
            raise StoreAway(
                f"the store {self.settings.store_target} is gone; put it back, or restart the daemon "
                "to begin a new one"
            )
        return now != self._file

    def _let_go(self) -> None:
        """Whoever writes on would write to a file that nobody finds any more."""
        log.warning("the store %s was replaced; it is opened anew", self.settings.store_target)
        engine, self._engine = self._engine, None
        try:
            if engine is not None:
                engine.close()
        except Exception:
            log.exception("closing the store that was replaced")


def beside_a_server(settings: Settings) -> Settings:
    """The settings of an engine inside the daemon: heavy work in a process of its own, little memory."""
    from everthread.settings import facts  # noqa: PLC0415 - after listening

    wanted: dict[str, Any] = {"worker": "process"}
    if settings.vocabulary == facts("vocabulary")["default"]:
        # Half the memory. What harnesses say is archived, so its count need not be that of a request.
        wanted["vocabulary"] = "cl100k"
    # A prompt waits: after this, words alone answer it.
    wanted["embedder_wait_ms"] = min(settings.embedder_wait_ms, VECTOR_MS)
    return settings.with_(**wanted)


def _settle(engine: Everthread) -> None:
    """Checkpoints that wait for more to come are written now."""
    try:
        engine.settle()
    except Exception:
        log.exception("what was waiting could not be written; it is rebuilt at the next start")
