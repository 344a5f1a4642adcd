"""The embedded store: one SQLite file, one writer, as many readers as ask at once."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from everthread.domain.distilling.shrinking import Space
from everthread.domain.errors import (
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreFailed,
    StoreReadOnly,
)
from everthread.domain.pauses import standing_still
from everthread.ports import Ids, Records
from everthread.store.copy_target import must_be_new
from everthread.store.migrations import refuse_newer
from everthread.store.records import TableRecords

from . import space
from .link import SqliteLink, error_of_system, store_error_of, translate_errors
from .open_files import Connection, hold, is_held, let_go, watch
from .schema import apply_migrations, refuse_foreign
from .turnstile import PATIENCE, OpenTurnstile, Turnstile
from .writer import Writer

T = TypeVar("T")

Durability = Literal["full", "process"]
BUSY_MS = 5_000
PAGES_PER_STEP = 512
SETTLE_TRIES = 10
SETTLE_MS = 100
"""Writers wait while the log is emptied, so it waits for readers in short turns only."""


class Reader(NamedTuple):
    """A connection that only reads, with its tables."""

    connection: sqlite3.Connection
    execute: Callable[[str], sqlite3.Cursor]
    records: TableRecords


class SqliteStore:
    """`path=None` keeps everything in memory: for tests, and gone with the process."""

    def __init__(
        self,
        path: Path | None,
        ids: Ids,
        *,
        durability: Durability = "full",
        body_bytes: int = 1_800,
        patience: float = PATIENCE,
    ) -> None:
        self._path = path
        self._patience = patience
        self._ids = ids
        self._body_bytes = body_bytes
        self._readers: deque[Reader] = deque()
        self._closed = False
        self._process = os.getpid()
        self._memory_lock = threading.RLock()
        try:
            with translate_errors(self.location):
                self._open(durability)
        except OSError as error:
            raise error_of_system(error, self.location) from error

    def _open(self, durability: Durability) -> None:
        path = self._path
        self._file = None if path is None else hold(path, lambda: _admit(path))
        try:
            self._connection = self._connect()
            try:
                self._turnstile = self._prepared(durability)
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._let_go()
            raise
        link = SqliteLink(self._connection)
        self._records = TableRecords(link, self._ids, body_bytes=self._body_bytes)
        self._seen = -1
        self._writer = Writer(
            self._connection, self._turnstile, self.location, rolled_back=self._records.forget
        )

    def _prepared(self, durability: Durability) -> Turnstile | OpenTurnstile:
        turnstile = (
            OpenTurnstile()
            if self._path is None
            else Turnstile(self._path, patience=self._patience)
        )
        try:
            turnstile.enter()
            try:
                self._prepare(durability)
            finally:
                turnstile.leave()
        except BaseException:
            turnstile.close()
            raise
        return turnstile

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            let_go(file)

    def _prepare(self, durability: Durability) -> None:
        execute = self._connection.execute
        if not _has_tables(self._connection):
            execute("PRAGMA auto_vacuum = INCREMENTAL")
        execute("PRAGMA journal_mode = WAL")
        # FULL costs little once commits are grouped, and acknowledged then means on disk.
        execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        # What is erased is overwritten, not only let go.
        execute("PRAGMA secure_delete = ON")
        execute("PRAGMA wal_autocheckpoint = 4000")
        execute("PRAGMA journal_size_limit = 33554432")
        self._schema = apply_migrations(self._connection, self.location)

    def _connect(self, *, reader: bool = False) -> sqlite3.Connection:
        connection = sqlite3.connect(
            ":memory:" if self._path is None else self._path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            timeout=BUSY_MS / 1000,
            factory=Connection,
        )
        watch(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        if reader:
            connection.execute("PRAGMA query_only = ON")
        return connection

    @property
    def location(self) -> str:
        return "memory" if self._path is None else str(self._path)

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")
        if self._process != os.getpid():
            raise StoreFailed(
                f"{self.location} was open when this process was forked, and cannot be used here; "
                "connect only after the fork, or close the store before it"
            )

    def write(self, work: Callable[[Records], T]) -> T:
        if self._closed or self._process != os.getpid():
            self._must_be_open()
        run = partial(self._run, work)
        if self._path is None:
            with self._memory_lock, standing_still():
                return self._writer.write(run)
        return self._writer.write(run)

    def write_soon(self, work: Callable[[Records], T], seconds: float) -> T:
        self._must_be_open()
        if self._path is not None:
            return self._writer.write_soon(partial(self._run, work), seconds)
        if not self._memory_lock.acquire(timeout=seconds):
            raise StoreBusy("memory: another thread writes; nothing was changed")
        try:
            return self.write(work)
        finally:
            self._memory_lock.release()

    def _run(self, work: Callable[[Records], T]) -> T:
        records = self._records
        # SQLite says whether another connection has written since; if not, what we know holds.
        version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._seen:
            self._must_be_known(self._connection.execute)
            records.forget()
            self._seen = version
        records.begin()
        result = work(records)
        records.finish()
        return result

    def _must_be_known(self, execute: Callable[[str], sqlite3.Cursor]) -> None:
        number: int = execute("PRAGMA user_version").fetchone()[0]
        if number > self._schema:
            refuse_newer(self._schema, number, where=self.location)

    def read(self, work: Callable[[Records], T]) -> T:
        self._must_be_open()
        if self._path is None:
            with self._memory_lock, standing_still():
                return self._look(work)
        try:
            reader = self._readers.pop()
        except IndexError:
            reader = self._reader()
        try:
            reader.records.forget()
            try:
                reader.execute("BEGIN")
                self._must_be_known(reader.execute)
                return work(reader.records)
            finally:
                # An interrupt may have come before BEGIN, or right after it.
                if reader.connection.in_transaction:
                    reader.execute("COMMIT")
        except sqlite3.Error as error:
            raise store_error_of(error, self.location) from error
        finally:
            self._readers.append(reader)
            if self._closed:
                self._drop_readers()

    def _reader(self) -> Reader:
        with translate_errors(self.location):
            connection = self._connect(reader=True)
        records = TableRecords(SqliteLink(connection), self._ids, body_bytes=self._body_bytes)
        return Reader(connection, connection.execute, records)

    def _look(self, work: Callable[[Records], T]) -> T:
        """Read through the one connection to a store in memory; what is written meanwhile is undone."""
        with translate_errors(self.location):
            # What the audit noted in its last look may have been written over since.
            self._records.audit.forget()
            # Not by PRAGMA query_only: to set it has every statement compiled again.
            connection, written = self._connection, self._connection.total_changes
            alone = not connection.in_transaction
            try:
                if alone:
                    connection.execute("BEGIN")
                result = work(self._records)
                if connection.total_changes != written:
                    raise StoreReadOnly("memory: who only reads must not write; use `write`")
                return result
            finally:
                if connection.total_changes != written:
                    self._records.forget()
                if alone and connection.in_transaction:
                    connection.execute("ROLLBACK")

    def backup(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        self._must_be_open()
        place = Path(target)
        must_be_new(place)
        # A copy that was cut off must not bear the name of a whole one.
        draft = place.with_name(place.name + ".partial")
        if is_held(draft):
            raise StoreFailed(f"{draft} is a store in use; name another file for the backup")
        _make_private(draft)
        try:
            with translate_errors(str(place)):
                self._copy_to(draft, progress)
                self._must_be_whole(draft)
            draft.rename(place)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def _must_be_whole(self, draft: Path) -> None:
        """Pages are copied as they are, and a damaged copy must not take the place of a sound one."""
        from .quick_check import finds_fault  # noqa: PLC0415 - only who copies it

        with closing(sqlite3.connect(draft)) as copy:
            if finds_fault(copy):
                raise StoreDamaged(
                    f"{self.location} is damaged, so no backup was made of it; it was left as it is. Keep "
                    "the backups that you have, and put one in its place; `everthread verify` tells what "
                    "of the file can be read, and how to get that out"
                )

    def _copy_to(self, draft: Path, progress: Callable[[int, int], None] | None) -> None:
        def stepped(_status: int, remaining: int, total: int) -> None:
            if progress is not None:
                progress(total - remaining, total)

        source = self._connection if self._path is None else self._connect(reader=True)
        copy = sqlite3.connect(draft)
        try:
            # From one state: else SQLite begins anew whenever somebody writes, and may never end.
            if source is not self._connection:
                source.execute("BEGIN")
                _has_tables(source)
            source.backup(copy, pages=PAGES_PER_STEP, progress=stepped, sleep=0.001)
        finally:
            copy.close()
            if source is not self._connection:
                source.close()

    def settle(self) -> None:
        """Bring everything into the one file, so that it can be moved and the log keeps nothing."""
        self._must_be_open()
        try:
            with translate_errors(self.location):
                for _ in range(SETTLE_TRIES):
                    if self._writer.alone(self._emptied):
                        return
                    time.sleep(SETTLE_MS / 1000)
        except OSError as error:
            raise error_of_system(error, self.location) from error
        raise StoreBusy(
            f"{self.location}: what was asked for was done, but its text lingers in the log while "
            "another program reads it; end that and try again"
        )

    def _emptied(self) -> bool:
        execute = self._connection.execute
        try:
            execute(f"PRAGMA busy_timeout = {SETTLE_MS}")
            busy: int = execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        return not busy

    def size(self) -> Mapping[str, int]:
        if self._path is None:
            pages = self._connection.execute("PRAGMA page_count").fetchone()[0]
            return {"memory": pages * self._connection.execute("PRAGMA page_size").fetchone()[0]}
        parts = {"store": self._path, "log": self._path.with_name(self._path.name + "-wal")}
        return {name: p.stat().st_size if p.exists() else 0 for name, p in parts.items()}

    def space(self) -> Space:
        self._must_be_open()
        with translate_errors(self.location):
            if self._path is None:
                with self._memory_lock:
                    return space.measure(self._connection)
            # A connection of its own: this is asked for rarely, and waits for no writer.
            with closing(self._connect(reader=True)) as connection:
                return space.measure(connection)

    def reclaim(self, most: int) -> int:
        return self._alone(lambda: space.give_back(self._connection, most))

    def compact(self) -> None:
        self._alone(lambda: space.compact(self._connection))

    def _alone(self, work: Callable[[], T]) -> T:
        self._must_be_open()
        try:
            with translate_errors(self.location), self._memory_lock:
                return self._writer.alone(work)
        except OSError as error:
            raise error_of_system(error, self.location) from error

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._process != os.getpid():
            return  # what was inherited is the parent's: to close it would disturb the parent
        self._writer.close()
        self._drop_readers()
        self._turnstile.close()
        self._let_go()

    def _drop_readers(self) -> None:
        with suppress(IndexError):
            while True:
                self._readers.pop().connection.close()


def _admit(path: Path) -> None:
    refuse_foreign(path)
    _make_private(path)


def _make_private(path: Path) -> None:
    """The file holds what people said: only its owner may read it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        # Asked, not tried: to open and close a file gives up the locks that we have on it.
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, "it may not be read and written")
    except OSError as error:
        raise error_of_system(error, str(path)) from error


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
