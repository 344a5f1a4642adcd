"""The rows behind the timeline: looked up for `verify`, poured out and in for export and import."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everthread.domain.agents import AgentRow, Scope, Tombstone
from everthread.domain.bodies import hashes_in
from everthread.domain.errors import ImportRefused
from everthread.domain.messages import Message
from everthread.domain.sessions import Session
from everthread.domain.threads import Thread
from everthread.domain.timeline import (
    Facts,
    agent_facts,
    mark_facts,
    message_facts,
    session_facts,
    thread_facts,
    tombstone_facts,
    turn_facts,
)
from everthread.domain.turns import TurnRow
from everthread.domain.views import Mark

from . import statements as sql
from .link import Link, Row
from .tables import REFERENCES, TABLES, Table

PAGE = 500


@dataclass(frozen=True, slots=True)
class Logged:
    """A table whose rows the timeline seals; `entry` is the last of its columns."""

    table: str
    columns: str
    facts: Callable[[Row], Facts]


LOGGED: dict[str, Logged] = {
    "agent": Logged("agents", sql.AGENT, lambda row: agent_facts(AgentRow._make(row))),
    "thread": Logged("threads", sql.THREAD, lambda row: thread_facts(Thread._make(row))),
    "session": Logged("sessions", sql.SESSION, lambda row: session_facts(Session._make(row))),
    "turn": Logged("turns", sql.TURN, lambda row: turn_facts(TurnRow._make(row))),
    "mark": Logged("marks", sql.MARK, lambda row: mark_facts(Mark._make(row))),
    "tombstone": Logged(
        "tombstones", sql.TOMBSTONE, lambda row: tombstone_facts(Tombstone._make(row))
    ),
}
ROW = {
    name: sql.Scoped(f"SELECT {t.columns} FROM {t.table} WHERE agent_id = :agent AND id = :id")
    for name, t in LOGGED.items()
}
COUNT = {
    name: sql.Scoped(f"SELECT count(*) FROM {table} WHERE agent_id = :agent")
    for name, table in [*((n, t.table) for n, t in LOGGED.items()), ("message", "messages")]
}
MESSAGE_ROW = sql.Scoped(f"SELECT {sql.MESSAGE} FROM messages WHERE agent_id = :agent AND id = :id")
BODIES_NAMED = sql.Scoped("""
    SELECT message_id, form, content FROM messages
    WHERE agent_id = :agent AND form > 1 AND message_id > :after
    ORDER BY message_id LIMIT :limit""")
BODIES_SENT = sql.Scoped("""
    SELECT system_hash FROM turns WHERE agent_id = :agent AND system_hash IS NOT NULL
    UNION SELECT tools_hash FROM turns WHERE agent_id = :agent AND tools_hash IS NOT NULL
    UNION SELECT block_hash FROM turns WHERE agent_id = :agent AND block_hash IS NOT NULL""")
THREAD_ID = sql.Scoped("SELECT id FROM threads WHERE agent_id = :agent AND thread_id = :ref")


class AuditTable:
    def __init__(self, db: Link) -> None:
        self._db = db
        self._threads: dict[int, bytes] = {}

    def forget(self) -> None:
        self._threads.clear()

    def row(self, scope: Scope, event: str, subject: bytes) -> tuple[int, Facts] | None:
        name = event.partition(".")[0]
        if name == "message":
            return self._message(scope, subject)
        if name not in ROW:
            return None
        row = self._db.one(ROW[name], scope, id=subject)
        return None if row is None else (row[-1], LOGGED[name].facts(row))

    def _message(self, scope: Scope, subject: bytes) -> tuple[int, Facts] | None:
        row = self._db.one(MESSAGE_ROW, scope, id=subject)
        if row is None:
            return None
        message = Message._make(row)
        return message.entry, message_facts(self._thread(scope, message.thread_ref), message)

    def _thread(self, scope: Scope, ref: int) -> bytes:
        if ref not in self._threads:
            row = self._db.one(THREAD_ID, scope, ref=ref)
            self._threads[ref] = b"" if row is None else row[0]
        return self._threads[ref]

    def counts(self, scope: Scope) -> Mapping[str, int]:
        rows = {name: self._db.one(statement, scope) for name, statement in COUNT.items()}
        return {name: 0 if row is None else row[0] for name, row in rows.items()}

    def bad_bodies(self, scope: Scope) -> Sequence[bytes]:
        bad: list[bytes] = []
        there: set[bytes] = set()
        for _, key, text in self._walk(sql.BODIES_PAGE, scope):
            there.add(key)
            if hashlib.sha256(text.encode()).digest() != key:
                bad.append(key)
        needed = {h for _, *parts in self._walk(BODIES_NAMED, scope) for h in hashes_in(*parts)}
        needed.update(h for (h,) in self._db.all(BODIES_SENT, scope))
        return [*bad, *sorted(needed - there)]

    def dump(self, scope: Scope) -> Iterator[tuple[str, dict[str, Any]]]:
        names: dict[tuple[str, int], str] = {}
        for table in TABLES:
            for row in self._pages(scope, table):
                columns = dict(zip(table.columns, row, strict=True))
                yield table.name, _portable(table, columns, names)

    def _pages(self, scope: Scope, table: Table) -> Iterator[Row]:
        if not table.paged:
            yield from self._db.all(table.page, scope)
            return
        yield from self._walk(table.page, scope)

    def _walk(self, statement: sql.Scoped, scope: Scope) -> Iterator[Row]:
        """Page by page after the first column, so that no answer is larger than it need be."""
        after = 0
        while page := self._db.all(statement, scope, after=after, limit=PAGE):
            yield from page
            after = page[-1][0]

    def load(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Mapping[str, int]:
        tables = {table.name: table for table in TABLES}
        refs: dict[tuple[str, str], int] = {}
        counts: dict[str, int] = dict.fromkeys(tables, 0)
        scope: Scope | None = None
        for name, columns in rows:
            table = tables.get(name)
            if table is None:
                raise ImportRefused(
                    f"the file holds rows of {name!r}, which this version does not know"
                )
            scope = self._insert(table, columns, scope, refs)
            counts[name] += 1
        return counts

    def _insert(
        self,
        table: Table,
        columns: Mapping[str, Any],
        scope: Scope | None,
        refs: dict[tuple[str, str], int],
    ) -> Scope:
        values = _local(table, columns, refs)
        if table.name == "agents":
            row = self._db.one(sql.Across(table.insert), None, **values)
            assert row is not None, "an insert returns its reference"
            return Scope(row[0])
        if scope is None:
            raise ImportRefused("the file does not begin with an agent; it is not whole")
        row = self._db.one(sql.Scoped(table.insert), scope, **values)
        if row is not None and table.key is not None and "id" in columns:
            refs[table.name, columns["id"]] = row[0]
        return scope


def _portable(
    table: Table, columns: dict[str, Any], names: dict[tuple[str, int], str]
) -> dict[str, Any]:
    """Local references become public ids, bytes become hexadecimal text."""
    if table.key is not None:
        own = columns.pop(table.key)
        if "id" in columns:
            names[table.name, own] = columns["id"].hex()
    for column, target in REFERENCES.items():
        if columns.get(column) is not None:
            columns[column] = names.get((target, columns[column]))
    return {k: v.hex() if isinstance(v, bytes) else v for k, v in columns.items()}


def _local(
    table: Table, columns: Mapping[str, Any], refs: dict[tuple[str, str], int]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in table.stored:
        value = columns.get(column)
        if column in REFERENCES and value is not None:
            value = refs.get((REFERENCES[column], value))
            if value is None:
                raise ImportRefused(
                    f"a row of {table.name!r} belongs to one that is missing; the file is not whole"
                )
        elif column in table.binary and value is not None:
            value = _unhex(table, column, value)
        values[column] = value
    return values


def _unhex(table: Table, column: str, value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError) as wrong:
        raise ImportRefused(f"{column} in a row of {table.name!r} is not hexadecimal") from wrong
