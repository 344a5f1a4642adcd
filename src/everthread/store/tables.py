"""The tables that belong to an agent, in the order in which they can be copied."""

from __future__ import annotations

from typing import NamedTuple

from .statements import ENTRY, MARK, SESSION, THREAD, TOMBSTONE, TURN, Scoped

REFERENCES = {
    "thread_id": "threads",
    "session_id": "sessions",
    "turn_id": "turns",
    "parent_id": "sessions",
    "previous_id": "sessions",
}
"""Columns that hold a local reference, and where it points. Each row comes after what it points at."""

BINARY = {
    "id",
    "hash",
    "system_hash",
    "tools_hash",
    "block_hash",
    "subject",
    "salt",
    "digest",
    "timeline_hash",
}


class Table(NamedTuple):
    """A table as it is poured out and in; its first column orders the pages."""

    name: str
    columns: tuple[str, ...]
    key: str | None
    paged: bool = True

    @property
    def stored(self) -> tuple[str, ...]:
        """What an export carries of a row: all but the local key and the agent's."""
        return tuple(c for c in self.columns if c not in (self.key, "agent_id"))

    @property
    def binary(self) -> set[str]:
        return BINARY & set(self.columns)

    @property
    def page(self) -> Scoped:
        """Rows after `:after` by the first column; small tables come whole."""
        first = self.columns[0]
        order = (
            f"ORDER BY {first} LIMIT :limit"
            if self.paged
            else f"ORDER BY {first}, {self.columns[1]}"
        )
        after = f"AND {first} > :after" if self.paged else ""
        return Scoped(
            f"SELECT {', '.join(self.columns)} FROM {self.name} "
            f"WHERE agent_id = :agent {after} {order}"
        )

    @property
    def insert(self) -> str:
        columns, values = list(self.stored), [f":{c}" for c in self.stored]
        if self.name != "agents":
            columns.append("agent_id")
            values.append(":agent")
        returning = self.key or columns[0]
        return (
            f"INSERT INTO {self.name} ({', '.join(columns)}) VALUES ({', '.join(values)}) "
            f"RETURNING {returning}"
        )


def _table(name: str, columns: str, key: str | None) -> Table:
    names = tuple(c.strip() for c in columns.split(","))
    return Table(name, tuple(c for c in names if c != "agent_id" or c == key), key)


TABLES = (
    _table(
        "agents",
        "agent_id, id, name, model, window_tokens, inactivity_hours, time_zone, system_hash, "
        "tools_hash, created_at, entry, timeline_n, timeline_hash",
        "agent_id",
    ),
    _table("bodies", "body_id, hash, content, uses", "body_id"),
    _table("threads", THREAD, "thread_id"),
    _table("sessions", SESSION, "session_id"),
    Table(
        "channels",
        ("transport", "channel_key", "thread_id", "session_id", "created_at"),
        None,
        paged=False,
    ),
    _table("turns", TURN, "turn_id"),
    _table(
        "messages",
        "message_id, id, thread_id, session_id, turn_id, seq, role, kind, origin, source, "
        "external_id, name, principal, archived, form, content, tokens, at, created_at, entry",
        "message_id",
    ),
    _table("marks", f"mark_id, {MARK.removeprefix('mark_id, ')}", "mark_id"),
    Table("calibrations", ("model", "numbers", "updated_at"), None, paged=False),
    _table("tombstones", f"tombstone_id, {TOMBSTONE}", "tombstone_id"),
    Table("timeline", tuple(c.strip() for c in ENTRY.split(",")), None),
)
