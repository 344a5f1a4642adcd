"""The store for teams: PostgreSQL 15 or newer, any number of programs at once."""

from __future__ import annotations

import os
import random
import re
import select
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import psycopg

from everthread.domain.agents import Scope
from everthread.domain.errors import NotAStore, StoreClosed, StoreFailed
from everthread.ports import Ids, Records
from everthread.store.link import Row
from everthread.store.migrations import migrations, pending
from everthread.store.records import TableRecords
from everthread.store.sqlite.link import failed
from everthread.store.sqlite.store import SqliteStore

from .link import RETRY, PostgresLink, named

T = TypeVar("T")

Durability = Literal["full", "process"]
OLDEST_SERVER = 150_000
TRIES = 8
PAUSE = 0.005
RESTED = 1.0
MIGRATING = 0x45565448
"""The advisory lock under which one program at a time brings the schema up to date."""


class Idle(NamedTuple):
    """A connection nobody uses, and since when."""

    connection: psycopg.Connection[Row]
    since: float

    def lives(self) -> bool:
        """Whether the server still knows it; asked only if there is a doubt."""
        try:
            if time.monotonic() - self.since > RESTED or _speaks(self.connection):
                self.connection.execute("SELECT 1")
        except psycopg.Error:
            self.connection.close()
            return False
        return True


class PostgresStore:
    def __init__(
        self,
        url: str,
        ids: Ids,
        *,
        durability: Durability = "full",
        body_bytes: int = 4_096,
    ) -> None:
        self._url = url
        self._ids = ids
        self._body_bytes = body_bytes
        self._commit = "on" if durability == "full" else "off"
        self._idle: deque[Idle] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._process = os.getpid()
        try:
            with self._connection() as connection:
                _migrate(connection, self.location)
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """The address without its password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self._url)

    def _connect(self) -> psycopg.Connection[Row]:
        connection = psycopg.connect(self._url, autocommit=True)
        if connection.info.server_version < OLDEST_SERVER:
            connection.close()
            raise StoreFailed(f"{self.location}: PostgreSQL 15 or newer is needed")
        connection.execute(f"SET synchronous_commit = {self._commit}".encode())
        return connection

    def _rested(self) -> psycopg.Connection[Row] | None:
        """A kept connection that still works: after a restart of the server none does."""
        while True:
            try:
                idle = self._idle.pop()
            except IndexError:
                return None
            if idle.lives():
                return idle.connection

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")
        if self._process != os.getpid():
            raise StoreFailed("this store was opened before a fork; connect again in the child")

    @contextmanager
    def _connection(self) -> Generator[psycopg.Connection[Row]]:
        self._must_be_open()
        try:
            connection = self._rested() or self._connect()
        except psycopg.Error as error:
            raise named(error, self.location) from error
        try:
            yield connection
        except psycopg.Error as error:
            raise named(error, self.location) from error
        finally:
            # A connection that broke is not kept; the next caller opens a new one.
            if connection.closed or self._closed:
                connection.close()
            else:
                self._idle.append(Idle(connection, time.monotonic()))

    def write(self, work: Callable[[Records], T]) -> T:
        with self._connection() as connection:
            for attempt in range(TRIES):
                try:
                    return self._attempt(connection, work)
                except RETRY:
                    if attempt == TRIES - 1:
                        raise
                # By chance, or those who met once meet again.
                time.sleep(random.uniform(0, PAUSE * 2**attempt))
        raise AssertionError("the loop returns or raises")

    def _attempt(self, connection: psycopg.Connection[Row], work: Callable[[Records], T]) -> T:
        with connection.transaction():
            records = self._records(connection)
            result = work(records)
            records.finish()
            return result

    def read(self, work: Callable[[Records], T]) -> T:
        with self._connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return work(self._records(connection))

    def _records(self, connection: psycopg.Connection[Row]) -> TableRecords:
        return TableRecords(PostgresLink(connection), self._ids, body_bytes=self._body_bytes)

    def backup(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """A consistent copy as an embedded store: a file that any Everthread opens."""
        self._must_be_open()
        place = Path(target)
        if place.exists():
            raise StoreFailed(f"{place} exists already; name a new file for the backup")
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise failed(error, str(place)) from error
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".everthread-") as folder:
            draft = Path(folder) / "copy.db"
            copy = SqliteStore(draft, self._ids, body_bytes=self._body_bytes)
            try:
                self.read(lambda source: _pour(source, copy, progress))
                copy.settle()
            finally:
                copy.close()
            draft.rename(place)

    def settle(self) -> None:
        """The server's own log is the server's; a vacuum frees what was removed."""
        with self._connection() as connection:
            connection.execute("VACUUM messages, bodies, turns, sessions")

    def size(self) -> Mapping[str, int]:
        with self._connection() as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
            return {"database": 0 if row is None else row[0]}

    def close(self) -> None:
        with self._lock:
            self._closed = True
            # A child has the parent's sockets: to say goodbye on them would be in its name.
            while self._idle and self._process == os.getpid():
                self._idle.pop().connection.close()


def _speaks(connection: psycopg.Connection[Row]) -> bool:
    """A server that says something unasked says goodbye."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _pour(
    source: Records,
    copy: SqliteStore,
    progress: Callable[[int, int], None] | None,
) -> None:
    agents = source.agents.all()
    for done, agent in enumerate(agents, 1):
        copy.write(lambda target, a=agent: target.audit.load(source.audit.dump(Scope(a.ref))))
        if progress is not None:
            progress(done, len(agents))


def _migrate(connection: psycopg.Connection[Row], where: str) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        applied = _applied(connection, where)
        for step in pending(migrations("postgres"), applied, where=where):
            connection.execute(step.script.encode())
            connection.execute(
                "INSERT INTO everthread_schema (number, name) VALUES (%s, %s)",
                (step.number, step.name),
            )


def _applied(connection: psycopg.Connection[Row], where: str) -> int:
    tables = {
        row[0]
        for row in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        )
    }
    if "everthread_schema" in tables:
        row = connection.execute(
            "SELECT coalesce(max(number), 0) FROM everthread_schema"
        ).fetchone()
        return 0 if row is None else row[0]
    if tables:
        raise NotAStore(
            f"{where}: the schema holds tables of another program ({', '.join(sorted(tables)[:3])} …); "
            "give Everthread a database or schema of its own"
        )
    connection.execute(
        "CREATE TABLE everthread_schema (number BIGINT PRIMARY KEY, name TEXT NOT NULL, "
        "applied_at TIMESTAMPTZ NOT NULL DEFAULT now())"
    )
    return 0
