"""The tables that belong to an agent, in the order in which they can be copied."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .sql.exchanges import EXCHANGE
from .sql.harness import CHECKPOINT, COMPACTION, CURSOR
from .sql.injections import INJECTED, INJECTION, SCORE, USE
from .sql.memories import MEMORY, NOTE, PRIMED, WITHHELD
from .sql.outputs import SHRUNK
from .sql.purges import PURGE
from .sql.receipts import INTENT, RECEIPT, SENTENCE, SPENDING, SUMMARY
from .sql.statements import (
    AGENT,
    CHANNEL,
    ENTRY,
    MARK,
    MESSAGE,
    SESSION,
    THREAD,
    TOMBSTONE,
    TURN,
    Scoped,
)
from .sql.tasks import EVENT, INCIDENT, SITTING, TASK

REFERENCES = {
    "thread_id": "threads",
    "session_id": "sessions",
    "turn_id": "turns",
    "parent_id": "sessions",
    "previous_id": "sessions",
    "memory_id": "memories",
    "injection_id": "injections",
    "consumed_turn": "turns",
    "receipt_id": "receipts",
    "summary_id": "summaries",
    "checkpoint_id": "checkpoints",
    "parent_checkpoint_id": "checkpoints",
    "given_turn": "turns",
    "task_id": "tasks",
}
"""Columns that hold a local reference, and where it points. Each row comes after what it points at."""

BINARY = {
    *("id", "hash", "system_hash", "tools_hash", "block_hash", "subject", "salt", "digest"),
    *("successor", "message", "body_hash", "ref", "text_hash", "digest_hash"),
    "pair",
    *("state_hash", "summary_hash", "given_hash", "kept_hash", "document_hash"),
}


class Table(NamedTuple):
    """A table as it is poured out and in; `cursor` orders its pages."""

    name: str
    columns: tuple[str, ...]
    key: str | None
    cursor: tuple[str, ...]

    @property
    def stored(self) -> tuple[str, ...]:
        """What an export carries of a row: all but the local key and the agent's."""
        return tuple(c for c in self.columns if c not in (self.key, "agent_id"))

    @property
    def first(self) -> Scoped:
        return self._page("")

    @property
    def next(self) -> Scoped:
        """The page after the row whose cursor is `:after0`, `:after1`, …"""
        after = ", ".join(f":after{i}" for i in range(len(self.cursor)))
        return self._page(f"AND ({', '.join(self.cursor)}) > ({after})")

    def _page(self, where: str) -> Scoped:
        return Scoped(
            f"SELECT {', '.join(self.columns)} FROM {self.name} WHERE agent_id = :agent {where} "
            f"ORDER BY {', '.join(self.cursor)} LIMIT :limit"
        )


def _table(name: str, columns: str, key: str | None, *cursor: str) -> Table:
    names = tuple(c.strip() for c in columns.split(","))
    kept = tuple(c for c in names if c != "agent_id" or c == key)
    return Table(name, kept, key, cursor or (kept[0],))


TABLES = (
    _table("agents", AGENT, "agent_id"),
    _table("bodies", "body_id, hash, content, uses", "body_id"),
    _table("threads", THREAD, "thread_id"),
    _table("sessions", SESSION, "session_id"),
    _table("channels", f"{CHANNEL}, created_at", None, "transport", "channel_key"),
    _table("turns", TURN, "turn_id"),
    _table("messages", f"place, {MESSAGE}", "place"),
    _table("receipts", RECEIPT, "receipt_id"),
    _table("summaries", SUMMARY, "summary_id"),
    _table("summary_sentences", SENTENCE, None, "summary_id", "n"),
    _table("intents", INTENT, "intent_id"),
    _table("spending", SPENDING, None, "day", "distiller"),
    _table("marks", MARK, "mark_id"),
    _table("purges", PURGE, "purge_id"),
    _table("memories", MEMORY, "memory_id"),
    _table("withheld", WITHHELD, None, "message", "memory_id"),
    _table("notes", NOTE, "note_id"),
    _table("primed", PRIMED, None, "thread_id", "memory_id"),
    _table("injections", INJECTION, "injection_id"),
    _table("injected", INJECTED, None, "injection_id", "rank"),
    _table("session_memories", USE, None, "session_id", "ref"),
    _table("session_scores", SCORE, None, "session_id"),
    _table("tasks", TASK, "task_id"),
    _table("sittings", SITTING, "sitting_id"),
    _table("incidents", INCIDENT, "incident_id"),
    _table("outbox", EVENT, "event_id"),
    _table("checkpoints", f"{CHECKPOINT}, project_normalized", "checkpoint_id"),
    _table("cursors", CURSOR, None, "session_id", "place"),
    _table("compactions", COMPACTION, "compaction_id"),
    _table("shrunk", SHRUNK, "shrunk_id"),
    _table("exchanges", EXCHANGE, "exchange_id"),
    _table("calibrations", "model, numbers, updated_at", None, "model"),
    _table("tombstones", f"tombstone_id, {TOMBSTONE}", "tombstone_id"),
    _table("timeline", ENTRY, None, "n"),
)


class RowInsert(NamedTuple):
    """How a row of an export is put into its table."""

    stored: tuple[str, ...]
    binary: frozenset[str]
    insert: str


@cache
def row_insert(table: Table) -> RowInsert:
    """Worked out once for each table: an export has a hundred thousand rows."""
    return RowInsert(table.stored, frozenset(BINARY.intersection(table.columns)), _insert(table))


def _insert(table: Table) -> str:
    # A message's place is no mere key: it follows from its thread, which has another number here.
    stored = ("place", *table.stored) if table.key == "place" else table.stored
    columns, values = list(stored), [f":{c}" for c in stored]
    if table.name != "agents":
        columns.append("agent_id")
        values.append(":agent")
    returning = table.key or columns[0]
    return (
        f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(values)}) "
        f"RETURNING {returning}"
    )
