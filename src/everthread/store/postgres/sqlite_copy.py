"""A store on a server, copied into an embedded one: every table, under the same references.

Jobs name threads and receipts by their references, so those stay as they are. What is copied follows from
the tables that the copy has: one that a later version adds is not forgotten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from psycopg import sql

from everthread.store.bodies import pack_body
from everthread.store.link import Row
from everthread.store.sqlite.link import translate_errors

from .pool import Connection

PAGE = 200
"""Rows at a time: bodies can be large."""

LEFT_OUT = {
    "everthread_schema": "the number of the schema is kept elsewhere in an embedded store",
    "packed": "the server packs by itself; the copy packs large bodies as they are poured",
}
"""Tables that are not copied as they are, and why."""
DERIVED = "index_"
"""Tables of the index begin like this: it is no part of a backup, and is made anew from the store."""

LAST = """
    SELECT CASE WHEN has_sequence_privilege(name, 'SELECT') THEN pg_sequence_last_value(name) END
    FROM (SELECT pg_get_serial_sequence(%(table)s, %(key)s)::regclass AS name) AS found"""

Progress = Callable[[int, int], None]


class CopiedTable(NamedTuple):
    """A table of the copy."""

    name: str
    columns: tuple[str, ...]
    key: str | None
    """Whose numbers are given once and never again."""

    @property
    def insert(self) -> str:
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})"


def pour(source: Connection, draft: Path, progress: Progress | None) -> None:
    """Copy all that `source`, in a transaction of one state, sees into the new store at `draft`."""
    with (
        translate_errors(str(draft)),
        closing(sqlite3.connect(draft, isolation_level=None)) as copy,
    ):
        # Nobody else is there: the log that lets others read meanwhile would hold all of it once more.
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("PRAGMA secure_delete = OFF")
        copy.execute("PRAGMA foreign_keys = ON")
        copy.execute("BEGIN")
        copy.execute("PRAGMA defer_foreign_keys = ON")  # sessions and threads point at each other
        tables = tables_of(copy)
        done, total = 0, sum(_count(source, table) for table in tables)
        for table in tables:
            for page in _pages(source, table):
                _put_rows(copy, table, page)
                done += len(page)
                if progress is not None:
                    progress(done, total)
        _go_on_counting(source, copy, tables)
        copy.execute("COMMIT")
        copy.execute("PRAGMA journal_mode = WAL")
    if progress is not None:
        progress(total, total)


def tables_of(copy: sqlite3.Connection) -> list[CopiedTable]:
    """What there is to fill in an embedded store."""
    found = copy.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
        "ESCAPE '!' ORDER BY name"
    ).fetchall()
    tables: list[CopiedTable] = []
    for name, made in found:
        if name in LEFT_OUT:
            continue
        columns = copy.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
        counts = "AUTOINCREMENT" in made
        key = next((column for column, place in columns if place), None) if counts else None
        tables.append(CopiedTable(name, tuple(column for column, _ in columns), key))
    return tables


def _count(source: Connection, table: CopiedTable) -> int:
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name))
    row = source.execute(query).fetchone()
    return 0 if row is None else row[0]


def _pages(source: Connection, table: CopiedTable) -> Generator[Sequence[Row]]:
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    query = sql.SQL("SELECT {} FROM {}").format(columns, sql.Identifier(table.name))
    with source.cursor(name="everthread_copy") as cursor:
        cursor.execute(query)
        while page := cursor.fetchmany(PAGE):
            yield page


def _put_rows(copy: sqlite3.Connection, table: CopiedTable, page: Sequence[Row]) -> None:
    if table.name != "bodies":
        copy.executemany(table.insert, page)
        return
    for row in page:
        body = dict(zip(table.columns, row, strict=True))
        now = pack_body(body["content"], packs=True)
        copy.execute(table.insert, [*{**body, "content": now.content}.values()])
        if now.data is not None:
            values = (body["body_id"], body["agent_id"], now.data)
            copy.execute("INSERT INTO packed (body_id, agent_id, data) VALUES (?, ?, ?)", values)


def _go_on_counting(
    source: Connection, copy: sqlite3.Connection, tables: Iterable[CopiedTable]
) -> None:
    """A reference that was given to a row which is gone is not given again. Who may write the tables
    need not be allowed to see that; the copy then counts on from what is there."""
    for table in tables:
        if table.key is None:
            continue
        row = source.execute(LAST, {"table": table.name, "key": table.key}).fetchone()
        if row is not None and row[0] is not None:
            copy.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
            values = (table.name, row[0])
            copy.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", values)
