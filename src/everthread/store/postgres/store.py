"""The store for teams: PostgreSQL 15 or newer, any number of programs at once."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, LiteralString, TypeVar

from everthread.domain.agents import Scope
from everthread.domain.distilling.shrinking import Space
from everthread.domain.errors import NotAStore, StoreFailed
from everthread.ports import Ids, Records
from everthread.store.migrations import migrations, pending
from everthread.store.records import TableRecords
from everthread.store.sqlite.link import failed
from everthread.store.sqlite.store import SqliteStore

from .link import RETRY, PostgresLink
from .pool import Connection, Pool

T = TypeVar("T")

Durability = Literal["full", "process"]
# The tables of this schema alone: a database may be shared. The index counts its own.
SIZE = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::BIGINT
    FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
        AND c.relkind = 'r' AND NOT starts_with(c.relname, 'index_')"""
# A stored text is kept in pieces of two kilobytes, four a page; a row and its key take some more.
FREE = """
    SELECT greatest(0, pg_total_relation_size('bodies')
        - coalesce(sum(1.05 * pg_column_size(content) + 250), 0))::BIGINT
    FROM bodies"""
TRIES = 8
PAUSE = 0.005
MIGRATING = 0x45565448
"""The advisory lock under which one program at a time brings the schema up to date."""


class PostgresStore:
    def __init__(
        self,
        url: str,
        ids: Ids,
        *,
        durability: Durability = "full",
        body_bytes: int = 4_096,
    ) -> None:
        self._ids = ids
        self._body_bytes = body_bytes
        commit = "on" if durability == "full" else "off"
        self._pool = Pool(url, settings={"synchronous_commit": commit})
        try:
            with self._pool.connection() as connection:
                _migrate(connection, self.location)
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        return self._pool.location

    def write(self, work: Callable[[Records], T]) -> T:
        with self._pool.connection() as connection:
            for attempt in range(TRIES):
                try:
                    return self._attempt(connection, work)
                except RETRY:
                    if attempt == TRIES - 1:
                        raise
                # By chance, or those who met once meet again.
                time.sleep(random.uniform(0, PAUSE * 2**attempt))
        raise AssertionError("the loop returns or raises")

    def _attempt(self, connection: Connection, work: Callable[[Records], T]) -> T:
        with connection.transaction():
            records = self._records(connection)
            result = work(records)
            records.finish()
            return result

    def read(self, work: Callable[[Records], T]) -> T:
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return work(self._records(connection))

    def _records(self, connection: Connection) -> TableRecords:
        return TableRecords(PostgresLink(connection), self._ids, body_bytes=self._body_bytes)

    def backup(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """A consistent copy as an embedded store: a file that any Everthread opens."""
        self._pool.must_be_open()
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
        with self._pool.connection() as connection:
            connection.execute("VACUUM messages, bodies, turns, sessions, checkpoints, compactions")

    def size(self) -> Mapping[str, int]:
        return {"database": self._number(SIZE)}

    def space(self) -> Space:
        """What is free inside the bodies is guessed: only the server's own tools could tell exactly."""
        free = self._number(FREE)
        return Space(self._number(SIZE) - free, free)

    def _number(self, query: LiteralString) -> int:
        with self._pool.connection() as connection:
            row = connection.execute(query).fetchone()
            return 0 if row is None else row[0]

    def reclaim(self, most: int) -> int:
        """Nothing: autovacuum makes room for what comes, and the server keeps its files."""
        return 0

    def compact(self) -> None:
        """What was removed is free for what comes; the files keep their size, and nobody waits."""
        self.settle()

    def close(self) -> None:
        self._pool.close()


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


def _migrate(connection: Connection, where: str) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        applied = _applied(connection, where)
        for step in pending(migrations("postgres"), applied, where=where):
            connection.execute(step.script.encode())
            connection.execute(
                "INSERT INTO everthread_schema (number, name) VALUES (%s, %s)",
                (step.number, step.name),
            )


def _applied(connection: Connection, where: str) -> int:
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
