"""The index beside an embedded store: a folder with one catalogue for each agent."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from weakref import WeakSet

from everthread.domain.agents import AgentRow
from everthread.domain.errors import IndexDamaged, StoreClosed

from .catalogue import SqliteCatalogue

MOST_OPEN = 64
"""Catalogues kept open: a program may serve ten thousand agents."""
SPARE_SECONDS = 600.0
"""After so long without a question the index in memory is given up: there is space again."""


class SqliteIndex:
    def __init__(self, store: Path | None) -> None:
        self._store = store
        self._folder = None if store is None else store.with_name(f"{store.name}-index")
        self._open: dict[bytes, SqliteCatalogue] = {}
        self._given: WeakSet[SqliteCatalogue] = WeakSet()
        self._lock = threading.Lock()
        self._closed = False
        self._beside: list[SqliteIndex] = []
        self._spare: SqliteIndex | None = None
        self._spare_asked = 0.0

    def beside(self) -> SqliteIndex:
        """Catalogues with connections of their own, as another process has them."""
        if self._folder is None:
            return self  # what is in memory has one connection
        other = SqliteIndex(self._store)
        self._beside.append(other)
        return other

    def spare(self) -> SqliteIndex:
        if self._folder is None:
            return self
        with self._lock:
            self._must_be_open()
            self._spare_asked = time.monotonic()
            self._spare = self._spare or SqliteIndex(None)
            return self._spare

    def _drop_spare(self) -> None:
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")

    def of(self, agent: AgentRow) -> SqliteCatalogue:
        with self._lock:
            self._must_be_open()
            if time.monotonic() > self._spare_asked + SPARE_SECONDS:
                self._drop_spare()
            # By its id: another store at the same place gives out the same numbers.
            found = self._open.pop(agent.key_id, None) or self._new(agent)
            self._open[agent.key_id] = found
            # One in memory is all there is of it.
            if self._folder is not None and len(self._open) > MOST_OPEN:
                self._open.pop(next(iter(self._open))).rest()
            return found

    def _new(self, agent: AgentRow) -> SqliteCatalogue:
        path = None if self._folder is None else self._folder / f"{agent.ref}.db"
        found = SqliteCatalogue(path, agent)
        self._given.add(found)
        return found

    def drop(self, agent: AgentRow) -> None:
        self.of(agent).discard()

    def check(self, agent: AgentRow) -> None:
        self.of(agent).check()

    def settle(self, agent: AgentRow) -> bool:
        # A look first: most have no log, and need not be opened for that.
        if self._folder is None or not _size(self._folder / f"{agent.ref}.db-wal"):
            return True
        try:
            return self.of(agent).settle()
        except IndexDamaged:
            return True  # it was thrown away as a whole

    def place(self) -> str:
        return "" if self._folder is None else str(self._folder)

    def lacks(self) -> str:
        return ""

    def size(self) -> int:
        if self._folder is None or not self._folder.is_dir():
            return 0
        return sum(map(_size, self._folder.iterdir()))

    def close(self) -> None:
        for other in self._beside:
            other.close()
        with self._lock:
            self._closed = True
            self._drop_spare()
            # Also those that rest: whoever still holds one may have opened it again.
            for catalogue in list(self._given):
                catalogue.close()
            self._open.clear()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # never made, or removed since somebody looked at the folder
