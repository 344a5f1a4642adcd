"""What the product asks of SQLite, on tape: the calls with their parameters, and SQLite's own trace.

A floor that replays the tape runs the very same statements, whatever the product's code becomes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, NamedTuple

CONNECT = ("isolation_level", "cached_statements", "timeout")
FRAME = ("BEGIN", "COMMIT", "PRAGMA", "SAVEPOINT", "RELEASE")


class Call(NamedTuple):
    """One statement with its parameters; `rows` says whether it gives rows back."""

    sql: str
    values: Any
    rows: bool


class Tape:
    """Everything that was asked on all connections while the tape ran."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.traced: list[str] = []
        self.pragmas: list[str] = []
        self.options: dict[str, Any] = {}

    def heard(self, sql: str) -> None:
        self.traced.append(sql)

    def cut(self) -> tuple[list[Call], list[str]]:
        """What came since the last cut."""
        taken = self.calls, self.traced
        self.calls, self.traced = [], []
        return taken


@contextmanager
def recording() -> Generator[Tape]:
    """Connections made inside are taped, also after the block ends."""
    tape = Tape()
    plain = sqlite3.connect

    class TapedCursor(sqlite3.Cursor):
        def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
            super().execute(sql, values)
            _note(tape, sql, values, rows=self.description is not None)
            return self

        def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
            given = list(rows)
            for row in given:
                _note(tape, sql, row, rows=False)
            return super().executemany(sql, given)

    class Taped(sqlite3.Connection):
        def cursor(self, factory: Any = TapedCursor, /) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
            return self.cursor().execute(sql, values)

        def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
            return self.cursor().executemany(sql, rows)

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        tape.options = {name: options[name] for name in CONNECT if name in options}
        # The store may bring a connection class of its own; the tape listens to that one.
        own = options.pop("factory", sqlite3.Connection)
        factory = Taped if own is sqlite3.Connection else type("TapedOwn", (Taped, own), {})
        connection = plain(*args, **options, factory=factory)
        connection.set_trace_callback(tape.heard)
        return connection

    sqlite3.connect = connect
    try:
        yield tape
    finally:
        sqlite3.connect = plain


def _note(tape: Tape, sql: str, values: Any, *, rows: bool) -> None:
    kept = dict(values) if isinstance(values, dict) else tuple(values)
    tape.calls.append(Call(str(sql), kept, rows))
    setting = sql.startswith("PRAGMA ") and "=" in sql
    if setting and "query_only" not in sql and sql not in tape.pragmas:
        tape.pragmas.append(str(sql))


def unknown_texts(calls: Iterable[Call]) -> set[str]:
    """Statements on the tape that are none of the product's named ones."""
    from everthread.store.sql import statements

    named = {str(v) for v in vars(statements).values() if isinstance(v, str)}
    texts = {call.sql for call in calls}
    return {t for t in texts if t not in named and not t.startswith(FRAME)}


def replay(execute: Any, calls: Iterable[Call]) -> None:
    """The bare script: nothing but the statements."""
    for sql, values, rows in calls:
        cursor = execute(sql, values)
        if rows:
            cursor.fetchall()
