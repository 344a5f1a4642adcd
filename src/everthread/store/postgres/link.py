"""A PostgreSQL connection as the shared tables see it, and its errors in our words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import psycopg
from psycopg import errors as pg

from everthread.domain.agents import Scope
from everthread.domain.errors import (
    StoreAway,
    StoreBusy,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
)
from everthread.store.link import Row
from everthread.store.sql.statements import Scoped

_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|::|:([A-Za-z_]\w*)|%|\bINDEXED\ BY\ \w+""",
    re.DOTALL,
)
# Not FOR UPDATE: foreign keys that others' rows have to the locked one would wait for it too, and
# two who hold one row and refer to the other's would wait for each other.
_LOCKS = {"/*skip locked*/": "FOR UPDATE SKIP LOCKED", "/*for update*/": "FOR NO KEY UPDATE"}
# How far the schema is comes along: what writes takes this lock anyway.
AGENT_LOCK = Scoped("""
    SELECT agent_id, (SELECT max(number) FROM everthread_schema) FROM agents
    WHERE agent_id = :agent /*for update*/""")
RETRY = (pg.SerializationFailure, pg.DeadlockDetected, pg.UniqueViolation)
"""What another writer can cause: the same work, run again, sees what that writer did."""


@lru_cache(1_024)
def rewrite_parameters(sql: str) -> str:
    """Shared SQL in the driver's parameter style."""

    def token(match: re.Match[str]) -> str:
        if match[1]:
            return f"%({match[1]})s"
        if match[0] in _LOCKS:
            return _LOCKS[match[0]]
        if match[0].startswith("INDEXED"):
            return ""  # the planner here knows how many rows there are
        return match[0].replace("%", "%%")

    return _TOKEN.sub(token, sql)


class PostgresLink:
    packs: ClassVar[bool] = False

    def __init__(
        self,
        connection: psycopg.Connection[Row],
        must_be_known: Callable[[int], None] = lambda _: None,
    ) -> None:
        """`must_be_known` is told the number of the schema, and refuses one that is too new."""
        self._connection = connection
        self._must_be_known = must_be_known
        self.is_known = False
        """Was it told in this transaction?"""

    def _run(self, sql: str, scope: Scope | None, values: dict[str, Any]) -> psycopg.Cursor[Row]:
        if scope is not None:
            values["agent"] = scope.agent
        return self._connection.execute(rewrite_parameters(sql).encode(), values)

    def all(self, sql: str, scope: Scope | None, /, **values: Any) -> list[Row]:
        return self._run(sql, scope, values).fetchall()

    def legible(self, sql: str, scope: Scope, /, **values: Any) -> list[Row]:
        return self.all(sql, scope, **values)  # it keeps no text that is none

    def one(self, sql: str, scope: Scope | None, /, **values: Any) -> Row | None:
        return self._run(sql, scope, values).fetchone()

    def run(self, sql: str, scope: Scope | None, /, **values: Any) -> int:
        return self._run(sql, scope, values).rowcount

    def insert(self, sql: str, rows: Sequence[Row], /) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s").encode(), rows)

    def lock(self, scope: Scope, /) -> None:
        row = self._run(AGENT_LOCK, scope, {}).fetchone()
        if row is not None:
            self._must_be_known(row[1])
            self.is_known = True

    def many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(rewrite_parameters(sql).encode(), rows)


def store_error_of(error: psycopg.Error, where: str) -> StoreFailed:
    """The error of ours that a PostgreSQL error stands for."""
    ours, advice = _meaning_of(error)
    return ours(f"{where}: {_first_line(error)}; {advice}")


def _meaning_of(error: psycopg.Error) -> tuple[type[StoreFailed], str]:
    for kinds, ours, advice in _MEANINGS:
        if isinstance(error, kinds):
            return ours, advice
    if not isinstance(error, psycopg.OperationalError) or (error.sqlstate or "08")[:2] != "08":
        return StoreFailed, "nothing was changed"
    # A connection that fails or breaks has no code of its own, mostly only the server's words. In a
    # language that we do not know it counts as away: then what waits for the store waits on.
    for words, ours, advice in _SERVER_WORDS:
        if words.search(str(error)):
            return ours, advice
    return StoreAway, _AWAY


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


_AWAY = "the server cannot be reached or went away. Check that it runs and try again"
_SOON = "the server starts up or shuts down; try again in a moment"
_CROWDED = (
    "the server has no connection left: end programs that need none, or raise max_connections"
)

_MEANINGS: tuple[
    tuple[type[psycopg.Error] | tuple[type[psycopg.Error], ...], type[StoreFailed], str], ...
] = (
    (pg.DiskFull, StoreFull, "the server has no space left. Nothing acknowledged was lost"),
    (pg.ReadOnlySqlTransaction, StoreReadOnly, "the server takes no writes (is it a replica?)"),
    (pg.InsufficientPrivilege, StoreReadOnly, "the role may not do this; grant it the rights"),
    (pg.DeadlockDetected, StoreBusy, "several programs wrote at once; try again"),
    (pg.SerializationFailure, StoreBusy, "several programs wrote at once; try again"),
    (pg.LockNotAvailable, StoreBusy, "another program holds what this one needs; try again"),
    (
        pg.QueryCanceled,
        StoreFailed,
        "the server ended it (statement_timeout?); nothing was changed",
    ),
    (pg.TooManyConnections, StoreAway, _CROWDED),
    (pg.CannotConnectNow, StoreAway, _SOON),
    ((pg.AdminShutdown, pg.CrashShutdown, pg.IdleSessionTimeout), StoreAway, _AWAY),
)
_SERVER_WORDS: tuple[tuple[re.Pattern[str], type[StoreFailed], str], ...] = (
    (
        re.compile("too many (clients|connections)|connection slots are reserved"),
        StoreAway,
        _CROWDED,
    ),
    (
        re.compile("is (starting up|shutting down|in recovery mode|not yet accepting)"),
        StoreAway,
        _SOON,
    ),
    (
        re.compile('FATAL: +database "[^"]*" does not exist'),
        StoreFailed,
        "make it first: createdb -E UTF8 -T template0 NAME",
    ),
    (
        re.compile(
            "authentication failed|no password supplied|no pg_hba.conf entry|"
            'FATAL: +role "[^"]*" (does not exist|is not permitted)'
        ),
        StoreFailed,
        "check the user and the password in the address, and what the server allows (pg_hba.conf)",
    ),
    (
        re.compile("does not support SSL|certificate"),
        StoreFailed,
        "check sslmode in the address",
    ),
)
