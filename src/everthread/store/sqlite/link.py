"""A SQLite connection as the shared tables see it, and SQLite's errors in our words."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import Any, ClassVar

from everthread.domain.agents import Scope
from everthread.domain.errors import (
    EverthreadError,
    NotAStore,
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
)
from everthread.store.link import Row

TOGETHER = 25
"""Rows that one statement inserts where many come: a statement costs as much as the row."""
IOERR_SHMSIZE = sqlite3.SQLITE_IOERR | 19 << 8
"""What SQLite shares among processes could not be made as large as it needs: no space is left."""

NOT_TEXT = "Could not decode to UTF-8"
NOT_AS_WRITTEN = (NOT_TEXT, "no such table", "no such column", "has no column")
"""What tells damage by other codes: of a text the driver says so, and our tables have their columns."""


class SqliteLink:
    packs: ClassVar[bool] = True

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany

    def all(self, sql: str, scope: Scope | None, /, **values: Any) -> list[Row]:
        if scope is not None:
            values["agent"] = scope.agent
        return self._execute(sql, values).fetchall()

    def legible(self, sql: str, scope: Scope, /, **values: Any) -> list[Row]:
        try:
            return self.all(sql, scope, **values)
        except sqlite3.OperationalError as error:
            if NOT_TEXT not in str(error):
                raise
        self._connection.text_factory = _bytewise
        try:
            return self.all(sql, scope, **values)
        finally:
            self._connection.text_factory = str

    def one(self, sql: str, scope: Scope | None, /, **values: Any) -> Row | None:
        if scope is not None:
            values["agent"] = scope.agent
        # fetchall ends the statement; an unfinished RETURNING would block the commit.
        rows = self._execute(sql, values).fetchall()
        return rows[0] if rows else None

    def run(self, sql: str, scope: Scope | None, /, **values: Any) -> int:
        if scope is not None:
            values["agent"] = scope.agent
        return self._execute(sql, values).rowcount

    def many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        self._executemany(sql, rows)

    def insert(self, sql: str, rows: Sequence[Row], /) -> None:
        if len(rows) == 1:
            self._execute(sql, rows[0])
            return
        whole = len(rows) - len(rows) % TOGETHER
        for start in range(0, whole, TOGETHER):
            some = rows[start : start + TOGETHER]
            self._execute(_insert_together(sql), [*chain.from_iterable(some)])
        if whole < len(rows):
            self._executemany(sql, rows[whole:])

    def lock(self, _scope: Scope, /) -> None:
        """SQLite has one writer, and this is it."""


def _bytewise(data: bytes) -> str:
    """Every byte that is no text as one letter that no text has."""
    return data.decode(errors="surrogateescape")


@cache
def _insert_together(sql: str) -> str:
    """The insert of one row as one of `TOGETHER` rows."""
    values = sql[sql.rindex("(") :]
    return sql + f", {values}" * (TOGETHER - 1)


@contextmanager
def translate_errors(where: str) -> Generator[None]:
    """SQLite's errors as ours: each says what happened and what to do."""
    try:
        yield
    except EverthreadError:
        raise
    except sqlite3.Error as error:
        raise store_error_of(error, where) from error
    except UnicodeDecodeError as error:
        # SQLite quotes what it cannot make out of a damaged schema, and that need not be text.
        raise _error_of_code(
            sqlite3.SQLITE_CORRUPT, f"{where}: its schema cannot be read"
        ) from error


def store_error_of(error: sqlite3.Error, where: str) -> StoreFailed:
    """The error of ours that a SQLite error stands for."""
    code = getattr(error, "sqlite_errorcode", None)
    if code == IOERR_SHMSIZE:
        return _error_of_code(sqlite3.SQLITE_FULL, f"{where}: {error}")
    primary = code & 0xFF if isinstance(code, int) else 0
    if any(sign in str(error) for sign in NOT_AS_WRITTEN):
        primary = sqlite3.SQLITE_CORRUPT
    return _error_of_code(primary, f"{where}: {error}")


def error_of_system(error: OSError, where: str) -> StoreFailed:
    """The error of ours that a complaint of the system about the file or its folder stands for."""
    what = f"{where}: {error.strerror or error}"
    if error.errno == errno.ENOENT:
        return StoreAway(f"{what}; nothing was changed")
    return _error_of_code(_SYSTEM.get(error.errno or 0, 0), what)


def _error_of_code(code: int, what: str) -> StoreFailed:
    kind, advice = _MEANINGS.get(code, (StoreFailed, "nothing was changed"))
    return kind(f"{what}; {advice}")


_SYSTEM = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EROFS: sqlite3.SQLITE_READONLY,
    errno.EACCES: sqlite3.SQLITE_READONLY,
    errno.EPERM: sqlite3.SQLITE_READONLY,
    errno.ENOTDIR: sqlite3.SQLITE_CANTOPEN,
    errno.EEXIST: sqlite3.SQLITE_CANTOPEN,
}


_MEANINGS: dict[int, tuple[type[StoreFailed], str]] = {
    sqlite3.SQLITE_FULL: (
        StoreFull,
        "no space is left. Nothing acknowledged was lost; free some space and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreReadOnly,
        "the store cannot be written. Check the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_PERM: (StoreReadOnly, "check the permissions of the file and its folder"),
    sqlite3.SQLITE_CANTOPEN: (
        StoreAway,
        "the file cannot be opened or created. Check that its folder exists and can be written",
    ),
    sqlite3.SQLITE_BUSY: (
        StoreBusy,
        "another program holds the file locked. Close it and try again",
    ),
    sqlite3.SQLITE_LOCKED: (StoreBusy, "another program holds the file locked"),
    sqlite3.SQLITE_NOTADB: (NotAStore, "this is not an Everthread store; it was left untouched"),
    sqlite3.SQLITE_CORRUPT: (
        StoreDamaged,
        "the file is damaged, and was left as it is. Put a backup in its place; `everthread verify` tells "
        "what of it can be read, and how to get that out",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreFailed,
        "reading or writing failed. Check the disk; nothing acknowledged was lost",
    ),
}
