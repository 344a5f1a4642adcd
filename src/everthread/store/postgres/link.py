"""A PostgreSQL connection as the shared tables see it, and its errors in our words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import errors as pg

from everthread.domain.agents import Scope
from everthread.domain.errors import StoreBusy, StoreFailed, StoreFull, StoreReadOnly
from everthread.store.link import Row
from everthread.store.statements import AGENT_LOCK

_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|::|:([A-Za-z_]\w*)|%""", re.DOTALL
)
# Not FOR UPDATE: foreign keys that others' rows have to the locked one would wait for it too, and
# two who hold one row and refer to the other's would wait for each other.
_LOCKS = {"/*skip locked*/": "FOR UPDATE SKIP LOCKED", "/*for update*/": "FOR NO KEY UPDATE"}
RETRY = (pg.SerializationFailure, pg.DeadlockDetected, pg.UniqueViolation)
"""What another writer can cause: the same work, run again, sees what that writer did."""


@lru_cache(1_024)
def rewritten(sql: str) -> str:
    """Shared SQL in the driver's parameter style."""

    def token(match: re.Match[str]) -> str:
        if match[1]:
            return f"%({match[1]})s"
        if match[0] in _LOCKS:
            return _LOCKS[match[0]]
        return match[0].replace("%", "%%")

    return _TOKEN.sub(token, sql)


class PostgresLink:
    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def _run(self, sql: str, scope: Scope | None, values: dict[str, Any]) -> psycopg.Cursor[Row]:
        if scope is not None:
            values["agent"] = scope.agent
        return self._connection.execute(rewritten(sql).encode(), values)

    def all(self, sql: str, scope: Scope | None, /, **values: Any) -> list[Row]:
        return self._run(sql, scope, values).fetchall()

    def one(self, sql: str, scope: Scope | None, /, **values: Any) -> Row | None:
        return self._run(sql, scope, values).fetchone()

    def run(self, sql: str, scope: Scope | None, /, **values: Any) -> int:
        return self._run(sql, scope, values).rowcount

    def insert(self, sql: str, rows: Sequence[Row], /) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s").encode(), rows)

    def lock(self, scope: Scope, /) -> None:
        self._run(AGENT_LOCK, scope, {})

    def many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(rewritten(sql).encode(), rows)


def named(error: psycopg.Error, where: str) -> StoreFailed:
    """The error of ours that a PostgreSQL error stands for."""
    for kind, ours, advice in _MEANINGS:
        if isinstance(error, kind):
            return ours(f"{where}: {_first_line(error)}; {advice}")
    return StoreFailed(f"{where}: {_first_line(error)}; nothing was changed")


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


_MEANINGS: tuple[tuple[type[psycopg.Error], type[StoreFailed], str], ...] = (
    (pg.DiskFull, StoreFull, "the server has no space left. Nothing acknowledged was lost"),
    (pg.ReadOnlySqlTransaction, StoreReadOnly, "the server takes no writes (is it a replica?)"),
    (pg.InsufficientPrivilege, StoreReadOnly, "the role may not do this; grant it the rights"),
    (pg.DeadlockDetected, StoreBusy, "several programs wrote at once; try again"),
    (pg.SerializationFailure, StoreBusy, "several programs wrote at once; try again"),
    (
        psycopg.OperationalError,
        StoreFailed,
        "the server cannot be reached or went away. Check that it runs and try again",
    ),
)
