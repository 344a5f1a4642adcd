"""The rows behind the timeline: looked up for `verify`, poured out and in for export and import."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope, Tombstone
from everthread.domain.conversation.bodies import MISREAD, readable_hashes
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.purging import Purge
from everthread.domain.distilling.receipts import Receipt, Sentence, SummaryRow
from everthread.domain.distilling.shrinking import Shrinking
from everthread.domain.errors import BodyDamaged, ImportRefused
from everthread.domain.exchanges.exchanges import Exchange, exchange_facts
from everthread.domain.given.injections import Injection
from everthread.domain.harness.checkpoints import Checkpoint, Compaction
from everthread.domain.ids import place_at, place_of, tag_of
from everthread.domain.memory.memories import Memory
from everthread.domain.memory.notes import Note
from everthread.domain.tasks.tasks import Event, Incident, Sitting, Task
from everthread.domain.tasks.timeline_tasks import (
    event_facts,
    incident_facts,
    sitting_facts,
    task_facts,
)
from everthread.domain.timeline import (
    Facts,
    agent_facts,
    checkpoint_facts,
    compaction_facts,
    injection_facts,
    mark_facts,
    memory_facts,
    message_facts,
    note_facts,
    purge_facts,
    receipt_facts,
    session_facts,
    shrunk_facts,
    summary_facts,
    thread_facts,
    tombstone_facts,
    turn_facts,
)

from .bodies import content_of, pack_body
from .export_tables import REFERENCES, TABLES, Table, row_insert
from .link import Link, Row
from .sql import (
    belonging,
    exchanges,
    harness,
    injections,
    memories,
    outputs,
    purges,
    receipts,
    tasks,
)
from .sql import statements as sql
from .sql.bodies import PACKED_OF, PACKED_PUT

PAGE = 500
NO_FACTS: Facts = ("unreadable",)
AT_ONCE = sql.AT_ONCE // 2
"""Messages that are looked up together; each may lie in one of two lanes."""

BODIES = next(table for table in TABLES if table.name == "bodies")


@dataclass(frozen=True, slots=True)
class SealedTable:
    """A table whose rows the timeline seals; `entry` is the last of its columns."""

    table: str
    columns: str
    facts: Callable[[Row], Facts]


LOGGED: dict[str, SealedTable] = {
    "agent": SealedTable("agents", sql.AGENT, lambda row: agent_facts(AgentRow._make(row))),
    "thread": SealedTable("threads", sql.THREAD, lambda row: thread_facts(Thread._make(row))),
    "session": SealedTable("sessions", sql.SESSION, lambda row: session_facts(Session._make(row))),
    "turn": SealedTable("turns", sql.TURN, lambda row: turn_facts(TurnRow._make(row))),
    "mark": SealedTable(
        "marks", f"{sql.MARK}, entry", lambda row: mark_facts(Mark._make(row[:-1]))
    ),
    "memory": SealedTable("memories", memories.MEMORY, lambda row: memory_facts(Memory._make(row))),
    "note": SealedTable("notes", memories.NOTE, lambda row: note_facts(Note._make(row))),
    "injection": SealedTable(
        "injections", injections.INJECTION, lambda row: injection_facts(Injection._make(row))
    ),
    "receipt": SealedTable(
        "receipts", receipts.RECEIPT, lambda row: receipt_facts(Receipt._make(row))
    ),
    "summary": SealedTable(
        "summaries", receipts.SUMMARY, lambda row: summary_facts(SummaryRow._make(row), ())
    ),
    "checkpoint": SealedTable(
        "checkpoints", harness.CHECKPOINT, lambda row: checkpoint_facts(Checkpoint._make(row))
    ),
    "compaction": SealedTable(
        "compactions", harness.COMPACTION, lambda row: compaction_facts(Compaction._make(row))
    ),
    "task": SealedTable("tasks", tasks.TASK, lambda row: task_facts(Task._make(row))),
    "sitting": SealedTable(
        "sittings", tasks.SITTING, lambda row: sitting_facts(Sitting._make(row))
    ),
    "incident": SealedTable(
        "incidents", tasks.INCIDENT, lambda row: incident_facts(Incident._make(row))
    ),
    "event": SealedTable("outbox", tasks.EVENT, lambda row: event_facts(Event._make(row))),
    "exchange": SealedTable(
        "exchanges", exchanges.EXCHANGE, lambda row: exchange_facts(Exchange._make(row))
    ),
    "purge": SealedTable("purges", purges.PURGE, lambda row: purge_facts(Purge._make(row))),
    "body": SealedTable("shrunk", outputs.SHRUNK, lambda row: shrunk_facts(Shrinking._make(row))),
    "tombstone": SealedTable(
        "tombstones", sql.TOMBSTONE, lambda row: tombstone_facts(Tombstone._make(row))
    ),
}
ROW = {
    name: sql.Scoped(f"SELECT {t.columns} FROM {t.table} WHERE agent_id = :agent AND id = :id")
    for name, t in LOGGED.items()
}
SEALED = [*((n, t.table) for n, t in LOGGED.items()), ("message", "messages")]
COUNT = {n: sql.Scoped(f"SELECT count(*) FROM {t} WHERE agent_id = :agent") for n, t in SEALED}
BEYOND = {
    n: sql.Scoped(
        f"SELECT id, entry FROM {t} WHERE agent_id = :agent AND entry > :n ORDER BY entry"
    )
    for n, t in SEALED
}
THREAD_IDS = sql.Scoped("SELECT thread_id, id FROM threads WHERE agent_id = :agent")
BODIES_NAMED = sql.Scoped("""
    SELECT form, content FROM messages WHERE agent_id = :agent AND form > 1""")
BODIES_SENT = sql.Scoped("""
    SELECT system_hash FROM turns WHERE agent_id = :agent AND system_hash IS NOT NULL
    UNION SELECT tools_hash FROM turns WHERE agent_id = :agent AND tools_hash IS NOT NULL
    UNION SELECT block_hash FROM turns WHERE agent_id = :agent AND block_hash IS NOT NULL
    UNION SELECT body_hash FROM injections WHERE agent_id = :agent AND body_hash IS NOT NULL
    UNION SELECT text_hash FROM summaries WHERE agent_id = :agent AND text_hash IS NOT NULL
    UNION SELECT digest_hash FROM summaries WHERE agent_id = :agent AND digest_hash IS NOT NULL
    UNION SELECT text_hash FROM checkpoints WHERE agent_id = :agent AND text_hash IS NOT NULL
    UNION SELECT state_hash FROM checkpoints WHERE agent_id = :agent AND state_hash IS NOT NULL
    UNION SELECT document_hash FROM checkpoints
        WHERE agent_id = :agent AND document_hash IS NOT NULL
    UNION SELECT summary_hash FROM compactions WHERE agent_id = :agent AND summary_hash IS NOT NULL
    UNION SELECT given_hash FROM compactions WHERE agent_id = :agent AND given_hash IS NOT NULL""")


class Threads(NamedTuple):
    """An agent's threads: their ids, and which of them the tag in a message's id can mean."""

    ids: dict[int, bytes]
    by_tag: dict[int, list[int]]


class AuditTable:
    def __init__(self, db: Link) -> None:
        self._db = db
        self._threads: dict[int, Threads] = {}

    def forget(self) -> None:
        self._threads.clear()

    def row(self, scope: Scope, event: str, subject: bytes) -> tuple[int, Facts] | None:
        name = event.partition(".")[0]
        if name == "message":
            return self._message(scope, subject)
        if name not in ROW:
            return None
        row = next(iter(self._db.legible(ROW[name], scope, id=subject)), None)
        if row is None:
            return None
        try:
            facts = self._summary(scope, row) if name == "summary" else LOGGED[name].facts(row)
        except MISREAD:
            facts = NO_FACTS
        return row[-1], facts

    def rows(
        self, scope: Scope, named: Sequence[tuple[str, bytes]]
    ) -> Iterator[tuple[int, Facts] | None]:
        for start in range(0, len(named), AT_ONCE):
            some = named[start : start + AT_ONCE]
            said = self._messages(scope, [subject for event, subject in some if event == "message"])
            for event, subject in some:
                yield said.get(subject) if event == "message" else self.row(scope, event, subject)

    def _summary(self, scope: Scope, row: Row) -> Facts:
        """A summary is sealed together with its sentences, which have a table of their own."""
        summary = SummaryRow._make(row)
        rows = self._db.legible(receipts.SENTENCES_OF, scope, summary=summary.ref)
        return summary_facts(summary, map(Sentence._make, rows))

    def _message(self, scope: Scope, subject: bytes) -> tuple[int, Facts] | None:
        """A message's id tells its thread and seq: no index is needed to find it."""
        return self._messages(scope, [subject]).get(subject)

    def _messages(self, scope: Scope, subjects: Sequence[bytes]) -> dict[bytes, tuple[int, Facts]]:
        threads = self._all_threads(scope)
        places: list[int] = []
        for subject in subjects:
            tag, seq = place_of(subject)
            for ref in threads.by_tag.get(tag, ()):
                places += place_at(ref, seq), place_at(ref, seq, archived=1)
        found: dict[bytes, tuple[int, Facts]] = {}
        for message in map(Message._make, self._rows_at(scope, places)):
            facts = message_facts(threads.ids[message.thread_ref], message)
            found[message.key] = message.entry, facts
        return found

    def _rows_at(self, scope: Scope, places: Sequence[int]) -> Iterator[Row]:
        for start in range(0, len(places), sql.AT_ONCE):
            some = places[start : start + sql.AT_ONCE]
            filled = {f"p{n}": some[min(n, len(some) - 1)] for n in range(sql.AT_ONCE)}
            yield from self._db.legible(sql.MESSAGES_PLACED, scope, **filled)

    def _all_threads(self, scope: Scope) -> Threads:
        if scope.agent not in self._threads:
            ids: dict[int, bytes] = dict(self._db.all(THREAD_IDS, scope))
            by_tag: dict[int, list[int]] = {}
            for ref, key_id in ids.items():
                by_tag.setdefault(tag_of(key_id), []).append(ref)
            self._threads[scope.agent] = Threads(ids, by_tag)
        return self._threads[scope.agent]

    def beyond(self, scope: Scope, n: int) -> Sequence[tuple[str, bytes, int]]:
        return [
            (name, subject, entry)
            for name, statement in BEYOND.items()
            for subject, entry in self._db.all(statement, scope, n=n)
        ]

    def miscounted(self, scope: Scope) -> Sequence[tuple[bytes, str, int, int]]:
        return [
            (i, key, told, found)
            for i, key, told, found in self._db.all(belonging.MISCOUNTED, scope)
        ]

    def misplaced(self, scope: Scope) -> Iterator[tuple[str, bytes, str]]:
        for (name, problem), statement in belonging.MISPLACED.items():
            for (subject,) in self._db.all(statement, scope):
                yield name, subject, problem

    def counts(self, scope: Scope) -> Mapping[str, int]:
        rows = {name: self._db.one(statement, scope) for name, statement in COUNT.items()}
        return {name: 0 if row is None else row[0] for name, row in rows.items()}

    def ownerless(self) -> Sequence[tuple[int, str | None, str, int]]:
        return [
            (a, key, name, rows) for a, key, name, rows in self._db.all(belonging.OWNERLESS, None)
        ]

    def bad_bodies(self, scope: Scope) -> Sequence[bytes]:
        bad: list[bytes] = []
        there: set[bytes] = set()
        left: dict[bytes, bytes] = dict(self._db.all(outputs.SHRUNK_HASHES, scope))
        for row in self._pages(scope, BODIES, self._db.legible):
            key = row[1]
            there.add(key)
            # Whole, or exactly what the record of its shrinking says; that record is sealed.
            if self._body_hash(scope, row) not in (key, left.get(key, key)):
                bad.append(key)
        named = self._db.legible(BODIES_NAMED, scope)
        needed = {h for parts in named for h in readable_hashes(*parts)}
        needed.update(h for (h,) in self._db.all(BODIES_SENT, scope))
        return [*bad, *sorted(needed - there)]

    def _body_hash(self, scope: Scope, row: Row) -> bytes | None:
        try:
            return hashlib.sha256(self._unpacked(scope, row)[2].encode()).digest()
        except (BodyDamaged, ValueError):
            return None  # no body has that

    def _unpacked(self, scope: Scope, row: Row) -> Row:
        """The row of a body with its content, however it lies there."""
        ref, key, content, uses = row
        found = None if content else self._db.one(PACKED_OF, scope, body=ref)
        data = None if found is None else found[0]
        return ref, key, content_of(key, content, data), uses

    def dump(self, scope: Scope) -> Iterator[tuple[str, dict[str, Any]]]:
        names: dict[tuple[str, int], str] = {}
        for table in TABLES:
            for page_row in self._pages(scope, table, self._db.all):
                row = self._unpacked(scope, page_row) if table is BODIES else page_row
                columns = dict(zip(table.columns, row, strict=True))
                yield table.name, _portable_values(table, columns, names)

    def _pages(self, scope: Scope, table: Table, read: Callable[..., list[Row]]) -> Iterator[Row]:
        """Page by page, so that no answer is larger than it need be."""
        places = [table.columns.index(column) for column in table.cursor]
        page = read(table.first, scope, limit=PAGE)
        while page:
            yield from page
            after = {f"after{i}": page[-1][place] for i, place in enumerate(places)}
            page = read(table.next, scope, limit=PAGE, **after)

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
        values = _local_values(table, columns, refs)
        if table.name == "messages":
            values["place"] = _place(values)
        if table.name == "agents":
            row = self._db.one(sql.Across(row_insert(table).insert), None, **values)
            assert row is not None, "an insert returns its reference"
            return Scope(row[0])
        if scope is None:
            raise ImportRefused("the file does not begin with an agent; it is not whole")
        row = self._insert_row(table, scope, values)
        if row is not None and table.key is not None and "id" in columns:
            refs[table.name, columns["id"]] = row[0]
        return scope

    def _insert_row(self, table: Table, scope: Scope, values: dict[str, Any]) -> Row | None:
        statement, content = sql.Scoped(row_insert(table).insert), values.get("content")
        if table is not BODIES or not isinstance(content, str):
            return self._db.one(statement, scope, **values)
        now = pack_body(content, packs=self._db.packs)
        row = self._db.one(statement, scope, **{**values, "content": now.content})
        if now.data is not None:
            self._db.run(PACKED_PUT, scope, hash=values["hash"], data=now.data)
        return row


def _portable_values(
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


def _local_values(
    table: Table, columns: Mapping[str, Any], refs: dict[tuple[str, str], int]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    known = row_insert(table)
    for column in known.stored:
        value = columns.get(column)
        if column in REFERENCES and value is not None:
            value = refs.get((REFERENCES[column], value))
            if value is None:
                raise ImportRefused(
                    f"a row of {table.name!r} belongs to one that is missing; the file is not whole"
                )
        elif column in known.binary and value is not None:
            value = _unhex(table, column, value)
        values[column] = value
    return values


def _unhex(table: Table, column: str, value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError) as wrong:
        raise ImportRefused(f"{column} in a row of {table.name!r} is not hexadecimal") from wrong


def _place(values: Mapping[str, Any]) -> int:
    try:
        return place_at(values["thread_id"], values["seq"], archived=values["archived"])
    except TypeError as wrong:
        raise ImportRefused("a message in the file does not say its place as numbers") from wrong
