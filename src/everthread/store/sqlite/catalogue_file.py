"""The file behind a catalogue: opened when it is needed, thrown away when it is damaged."""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from everthread.domain.agents import AgentRow
from everthread.domain.errors import IndexDamaged, StoreBusy, StoreClosed, StoreFailed
from everthread.domain.pauses import standing_still

from .filed_words import TOKENIZER
from .link import error_of_system, store_error_of
from .lock_holder import holder_advice
from .open_files import Connection, File, identity, pin, watch

if TYPE_CHECKING:
    from .vectors import Read, Vectors

T = TypeVar("T")

VERSION = 3
BUSY_MS = 5_000
PATIENCE = 10.0
"""Seconds to wait for another process that opens the file, or throws it away: a moment's work."""
LOOK_AGAIN = 0.005
SETTLE_TRIES = 5
SETTLE_MS = 100
"""Each try holds up whoever writes, and others in this process: short, and others go between."""
MALFORMED = "database disk image is malformed"
SCHEMA = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
CREATE TABLE threads (thread_id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE names (name_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
-- Hundreds of cards are read for one question; one by one, their columns would cost more than the search.
CREATE TABLE cards (id INTEGER PRIMARY KEY, passages INTEGER, card BLOB NOT NULL) STRICT;
CREATE INDEX waiting ON cards (id) WHERE passages IS NULL;
CREATE TABLE memories (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TABLE blocks (block INTEGER PRIMARY KEY, checksum INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE texts USING fts5 (text, content='', tokenize='{TOKENIZER}');
"""


class CatalogueFile:
    """`path=None` keeps it in memory, as the store itself is then."""

    def __init__(self, path: Path | None, agent: AgentRow) -> None:
        self._path = path
        self._agent = agent
        self._lock = threading.RLock()
        self._closed = False
        self._process = os.getpid()
        self._told = threading.local()
        self._db: Connection | None = None
        self._file: File | None = None
        self._size = 0
        self._forget()

    def _forget(self) -> None:
        """What is known from the last look at the file."""
        self._generation = 0
        self._files: Vectors | None = None
        self._read: Read | None = None
        self._read_at = 0
        self._names: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    # Work -----------------------------------------------------------------------------------------

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work on one consistent state."""
        return self.guarded(lambda db: self._within(db, "BEGIN", work))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work in a transaction, alone among writers."""
        return self.guarded(lambda db: self._within(db, "BEGIN IMMEDIATE", work))

    def _within(
        self, db: sqlite3.Connection, begin: str, work: Callable[[sqlite3.Connection], T]
    ) -> T:
        db.execute(begin)
        try:
            generation: int = get_fact(db, "generation")
            if generation != self._generation:
                # Another process has emptied it, or thrown its vectors away.
                self._forget()
                self._generation = generation
            result = work(db)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self._forget()
            raise
        return result

    def follow(self, db: sqlite3.Connection) -> None:
        """This thread was told how far it reaches: what it files next builds on that."""
        self._told.life = get_fact(db, "life")

    def must_follow(self, db: sqlite3.Connection) -> None:
        """Refuse what builds on a catalogue that is no more: there would be a gap before it."""
        told: int | None = getattr(self._told, "life", None)
        if told not in (None, get_fact(db, "life")):
            raise IndexDamaged(
                f"{self._where} was emptied meanwhile; file again from its beginning"
            )

    def guarded(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock, standing_still():
            self._must_be_open()
            try:
                return work(self._opened())
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                # SQLite quotes what it cannot make out of a damaged schema, and that need not be text.
                if isinstance(error, sqlite3.DatabaseError) and not _is_damage(error):
                    raise store_error_of(error, self._where) from error
                self._throw_away()
                raise IndexDamaged(f"{self._where} was damaged and is made anew") from error
            except OSError as error:
                raise error_of_system(error, self._where) from error

    @property
    def _where(self) -> str:
        return "the index" if self._path is None else f"the index {self._path}"

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")
        if self._process != os.getpid():
            raise StoreFailed(
                f"{self._where} was open when this process was forked, and cannot be used here; "
                "connect only after the fork, or close the store before it"
            )

    # Opening, and starting anew -------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        if self._db is not None and self._lost():
            # To close it would delete the log of a file that took its place.
            pin(self._db)
            self._db = None
            self._forget()
        if self._db is None:
            with self._door():
                self._db = self._connect()
                try:
                    self._prepare(self._db)
                except BaseException:
                    self._shut()
                    raise
        return self._db

    def _lost(self) -> bool:
        """Was the file removed, replaced or cut? It is mapped: to read on would be fatal."""
        if self._path is None:
            return False
        try:
            seen = os.stat(self._path)  # noqa: PTH116 - for every question, so without more
        except OSError:
            return True
        if (seen.st_dev, seen.st_ino) != self._file or seen.st_size < self._size:
            return True
        self._size = seen.st_size
        return False

    @contextmanager
    def _door(self) -> Generator[None]:
        """One at a time opens the file or throws it away: nobody opens one half of an old one."""
        if self._path is None:
            yield
            return
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self._path.with_suffix(".lock")
        lock = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._wait(lock, place)
            yield
        finally:
            os.close(lock)

    def _wait(self, lock: int, place: Path) -> None:
        """A process that was stopped at the door must not hold up the others without end."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StoreBusy(
                        f"{self._where}: waited {PATIENCE:g} s for another to open it; "
                        f"{holder_advice(place)}; then try again. Nothing was changed"
                    ) from None
            time.sleep(LOOK_AGAIN)

    def _connect(self) -> Connection:
        if self._path is not None and not self._path.exists():
            # It holds what people said: only its owner may read it, and what SQLite puts beside it.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(
            ":memory:" if self._path is None else self._path,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_MS / 1000,
            factory=Connection,
        )
        watch(connection)
        self._file = None if self._path is None else identity(self._path)
        self._size = 0
        return connection

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA cache_size = -8000")
        # Mapped pages are the system's, not this process's.
        db.execute(f"PRAGMA mmap_size = {1 << 30}")
        db.execute("PRAGMA journal_size_limit = 8388608")
        if _stamp(db) == self._stamp:
            return
        db.execute("BEGIN IMMEDIATE")
        try:
            if _stamp(db) != self._stamp:
                self._emptied(db)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    @property
    def _stamp(self) -> str:
        return f"{VERSION}:{self._agent.id}"

    def _emptied(self, db: sqlite3.Connection) -> None:
        """As new. What was there is of another version, of an agent that is no more, or unwanted."""
        generation = get_fact(db, "generation") if _stamp(db) is not None else None
        _clear(db)
        for statement in SCHEMA.split(";\n"):
            db.execute(statement)
        put_fact(db, "stamp", self._stamp)
        put_fact(db, "life", secrets.randbits(62))
        put_fact(db, "generation", (generation if isinstance(generation, int) else 0) + 1)
        self._remove_vectors()
        self._forget()

    def _remove_vectors(self) -> None:
        """Unlinked, never cut: another process may have them mapped."""
        if self._path is not None:
            for path in self._path.parent.glob(f"{self._path.name}.*.*"):
                path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Empty it: everything in it is overwritten."""
        if self._path is not None and self._db is None and not self._path.exists():
            return
        try:
            self.write(self._emptied)
            self.settle()
        except IndexDamaged:
            return  # then it was thrown away as a whole

    def settle(self) -> bool:
        """Bring what was written into the file: the log keeps nothing of what was removed.

        False: it does for now, as another connection reads an older state. To be tried again later.
        """
        if self._path is None:
            return True
        for _ in range(SETTLE_TRIES):
            if self.guarded(_log_emptied):
                return True
            time.sleep(SETTLE_MS / 1000)
        return False

    def _throw_away(self) -> None:
        """Remove the damaged file, unless somebody has done so and begun a new one."""
        if self._path is None:
            self._shut()
            return
        with self._door():
            mine = self._file
            if mine is not None and identity(self._path) == mine:
                self._shut()
                # First what can be missing: a file whose log is gone is still found damaged.
                self._remove_vectors()
                for end in ("-wal", "-shm", ""):
                    self._path.with_name(self._path.name + end).unlink(missing_ok=True)
            elif self._db is not None:
                pin(self._db)
                self._db = None
                self._forget()

    def _shut(self) -> None:
        # A child has the parent's connection: to close it would disturb the parent.
        if self._db is not None and self._process == os.getpid():
            self._db.close()
        self._db = None
        self._forget()

    def rest(self) -> None:
        """Close the files; the next use opens them again."""
        with self._lock:
            self._shut()

    def close(self) -> None:
        if self._process != os.getpid():
            return
        with self._lock:
            self._closed = True
            if self._db is not None and self._lost():
                pin(self._db)
                self._db = None
            self._shut()


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Is the file not what was written? A table that is not there tells so too."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    told = str(error)
    return (
        code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        or (code == sqlite3.SQLITE_ERROR and "no such" in told)
        or any(sign in told for sign in (MALFORMED, "Could not decode"))
    )


def _log_emptied(db: sqlite3.Connection) -> bool:
    try:
        db.execute(f"PRAGMA busy_timeout = {SETTLE_MS}")
        busy: int = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return not busy


def _stamp(db: sqlite3.Connection) -> str | None:
    there = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'facts'").fetchone()
    return None if there is None else get_fact(db, "stamp")


def _clear(db: sqlite3.Connection) -> None:
    """All tables, whatever version made them; virtual ones first, which take their own along."""
    for kind in ("CREATE VIRTUAL TABLE %", "CREATE TABLE %"):
        names = db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE ?", (kind,)
        ).fetchall()
        for (name,) in names:
            db.execute(f'DROP TABLE "{name}"')


def get_fact(db: sqlite3.Connection, name: str) -> Any:
    row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else row[0]


def put_fact(db: sqlite3.Connection, name: str, value: object) -> None:
    db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
