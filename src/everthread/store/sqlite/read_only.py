"""A store that is only read: its file may lie where nobody can write, as on a read-only disk.

Where it is opened as a file that nobody changes, it is seen to after each look that nobody did.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from everthread.domain.errors import StoreBusy, StoreReadOnly
from everthread.ports import Records
from everthread.store.migrations import migrations, pending_migrations

from .link import translate_errors
from .open_files import Connection, hold, watch
from .read_uri import UNCHANGING, has_log, read_uri
from .schema import applied_number, refuse_foreign
from .store import BUSY_MS, SqliteStore

T = TypeVar("T")

Seen = tuple[int, int, int]


class ReadOnlyStore(SqliteStore):
    """The file as it is. Whatever would write is refused."""

    _path: Path

    def _open(self, durability: str) -> None:
        del durability  # nothing is written
        path = self._path
        self._uri = read_uri(path)
        self._file = hold(path, lambda: self._admit(path))
        try:
            with translate_errors(self.location):
                self._connection = self._connect()
                try:
                    self._schema = self._known_schema(self._connection)
                except BaseException:
                    self._connection.close()
                    raise
        except BaseException:
            self._let_go()
            raise

    def _admit(self, path: Path) -> None:
        try:
            refuse_foreign(path)
        except sqlite3.OperationalError as error:
            self._refuse_log(error)

    def _known_schema(self, connection: sqlite3.Connection) -> int:
        try:
            number = applied_number(connection, self.location)
        except sqlite3.OperationalError as error:
            self._refuse_log(error)
        known = migrations("sqlite")
        if pending_migrations(known, number, where=self.location):
            raise StoreReadOnly(
                f"{self.location} is of an older version and cannot be written, so it cannot be brought "
                "up to date. Copy it to where it can be written, and open the copy"
            )
        return known[-1].number

    def _refuse_log(self, error: sqlite3.OperationalError) -> NoReturn:
        """Its newest messages are in a log that cannot be read here: without them the rest is not all."""
        if not has_log(self._path):
            raise error
        raise StoreReadOnly(
            f"{self.location} cannot be written, and its log {self._path.name}-wal must be merged before "
            "it can be read. Copy both to a folder that can be written, and open the copy"
        ) from error

    def _connect(self, *, reader: bool = False) -> sqlite3.Connection:
        del reader  # there are only readers
        connection = sqlite3.connect(
            self._uri,
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            timeout=BUSY_MS / 1000,
            factory=Connection,
        )
        watch(connection)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def read(self, work: Callable[[Records], T]) -> T:
        if not self._uri.endswith(UNCHANGING):
            return super().read(work)
        before = self._look_of_files()
        result = super().read(work)
        if before != self._look_of_files():
            raise StoreBusy(
                f"{self.location} was changed while it was read here, where its locks cannot be used; "
                "try again"
            )
        return result

    def _look_of_files(self) -> tuple[Seen | None, bool]:
        try:
            seen = self._path.stat()
        except OSError:
            return None, False
        return (seen.st_ino, seen.st_size, seen.st_mtime_ns), has_log(self._path)

    def write(self, work: Callable[[Records], T]) -> T:
        del work
        self._must_be_open()
        raise self._refusal()

    def write_soon(self, work: Callable[[Records], T], seconds: float) -> T:
        del seconds
        return self.write(work)

    def settle(self) -> None:
        raise self._refusal()

    def _alone(self, work: Callable[[], T]) -> T:
        del work
        raise self._refusal()

    def _refusal(self) -> StoreReadOnly:
        return StoreReadOnly(
            f"{self.location} is only read: the store cannot be written. Check the permissions of the file "
            "and its folder, and whether the disk is read-only or full"
        )

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._process == os.getpid():
            self._drop_readers()
            self._connection.close()
            self._let_go()
