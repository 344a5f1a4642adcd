"""The store for teams: PostgreSQL 15 or newer, any number of programs at once."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, LiteralString, TypeVar

from psycopg import Cursor

from everthread.domain.distilling.shrinking import Space
from everthread.domain.errors import NotAStore, StoreReadOnly
from everthread.ports import Ids, Records
from everthread.store.copy_target import must_be_new
from everthread.store.link import Row
from everthread.store.migrations import migrations, pending_migrations, refuse_newer
from everthread.store.records import TableRecords
from everthread.store.sqlite.store import SqliteStore

from .link import RETRY, PostgresLink
from .pool import MOST, Connection, Pool
from .sqlite_copy import pour

T = TypeVar("T")

Durability = Literal["full", "process"]
# The tables of this schema alone: a database may be shared. The index counts its own.
TABLES = """
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'"""
STORED = f"{TABLES} AND NOT starts_with(c.relname, 'index_')"
SIZE = f"SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::BIGINT {STORED}"
NAMES = f"SELECT string_agg(quote_ident(c.relname), ', ' ORDER BY c.relname) {STORED}"
ALL = f"""
    SELECT string_agg(quote_ident(c.relname), ', ' ORDER BY c.relname),
        bool_and(pg_has_role(c.relowner, 'USAGE')) {TABLES}"""
# A stored text is kept in pieces of two kilobytes, four a page; a row and its key take some more.
FREE = """
    SELECT greatest(0, pg_total_relation_size('bodies')
        - coalesce(sum(1.05 * pg_column_size(content) + 250), 0))::BIGINT
    FROM bodies"""
APPLIED = "SELECT coalesce(max(number), 0) FROM everthread_schema"
# Both in one message to the server.
ONE_STATE = f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; {APPLIED}"
LOCK_TIMEOUT = "SELECT set_config('lock_timeout', %s, true)"
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
        body_bytes: int = 1_800,
        connections: int = MOST,
    ) -> None:
        self._ids = ids
        self._body_bytes = body_bytes
        commit = "on" if durability == "full" else "off"
        self._pool = Pool(url, settings={"synchronous_commit": commit}, most=connections)
        try:
            with self._pool.connection() as connection:
                self._schema = _migrate(connection, self.location)
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

    def write_soon(self, work: Callable[[Records], T], seconds: float) -> T:
        with self._pool.connection() as connection, connection.transaction():
            connection.execute(LOCK_TIMEOUT, (f"{seconds * 1_000:.0f}",))
            return self._attempt(connection, work)

    def _attempt(self, connection: Connection, work: Callable[[Records], T]) -> T:
        with connection.transaction():
            link = PostgresLink(connection, self._must_be_known)
            records = self._records(link)
            result = work(records)
            records.finish()
            if not link.is_known:
                self._must_be_known(_number(connection.execute(APPLIED)))
            return result

    def read(self, work: Callable[[Records], T]) -> T:
        with self._pool.connection() as connection, connection.transaction():
            self._see_one_state(connection)
            return work(self._records(PostgresLink(connection, self._must_be_known)))

    def _records(self, link: PostgresLink) -> TableRecords:
        return TableRecords(link, self._ids, body_bytes=self._body_bytes)

    def _see_one_state(self, connection: Connection) -> None:
        """For the rest of the transaction; and one that we know."""
        seen = connection.execute(ONE_STATE, prepare=False)
        seen.nextset()
        self._must_be_known(_number(seen))

    def _must_be_known(self, applied: int) -> None:
        refuse_newer(self._schema, applied, where=self.location)

    def backup(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """A consistent copy as an embedded store: a file that any Everthread opens."""
        self._pool.must_be_open()
        place = Path(target)
        must_be_new(place)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".everthread-") as folder:
            draft = Path(folder) / "copy.db"
            SqliteStore(draft, self._ids).close()
            with self._pool.connection() as connection, connection.transaction():
                self._see_one_state(connection)
                pour(connection, draft, progress)
            draft.rename(place)

    def settle(self) -> None:
        """The server's own log is the server's; a vacuum frees what was removed, wherever it was.

        No row and no index has it then. Its bytes may stay in a page until another row takes their
        place; only `compact` is sure to end them.
        """
        with self._pool.connection() as connection:
            row = connection.execute(NAMES).fetchone()
            assert row is not None
            connection.execute(f"VACUUM {row[0]}".encode())

    def size(self) -> Mapping[str, int]:
        return {"database": self._number(SIZE)}

    def space(self) -> Space:
        """What is free inside the bodies is guessed: only the server's own tools could tell exactly."""
        free = self._number(FREE)
        return Space(self._number(SIZE) - free, free)

    def _number(self, query: LiteralString) -> int:
        with self._pool.connection() as connection:
            return _number(connection.execute(query))

    def reclaim(self, most: int) -> int:
        """Nothing: autovacuum makes room for what comes, and the server keeps its files."""
        return 0

    def compact(self) -> None:
        """Every table, and the index's with their words, in new files: nothing removed is in them."""
        with self._pool.connection() as connection:
            row = connection.execute(ALL).fetchone()
            assert row is not None
            names, ours = row
            if not ours:
                raise StoreReadOnly(
                    f"{self.location}: the tables are another role's, and the server would pass them "
                    "over; call this as their owner"
                )
            connection.execute(f"VACUUM (FULL) {names}".encode())

    def close(self) -> None:
        self._pool.close()


def _migrate(connection: Connection, where: str) -> int:
    """Bring the schema up to date; the number it has then."""
    known = migrations("postgres")
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        applied = _applied_number(connection, where)
        for step in pending_migrations(known, applied, where=where):
            connection.execute(step.script.encode())
            connection.execute(
                "INSERT INTO everthread_schema (number, name) VALUES (%s, %s)",
                (step.number, step.name),
            )
    return known[-1].number


def _applied_number(connection: Connection, where: str) -> int:
    tables = {
        row[0]
        for row in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        )
    }
    if "everthread_schema" in tables:
        return _number(connection.execute(APPLIED))
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


def _number(answer: Cursor[Row]) -> int:
    row = answer.fetchone()
    return 0 if row is None else row[0]
