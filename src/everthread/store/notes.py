"""Notes: written down, listed, deleted."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.ids import with_ending
from everthread.domain.memory.notes import Note
from everthread.domain.timeline import note_facts

from .injections import InjectionTable
from .link import Link
from .sql import memories as sql
from .timeline import TimelineTable


class NoteTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def add(self, scope: Scope, note: Note) -> Note:
        n = self._timeline.seal(scope, "note.added", note.key_id, note_facts(note), note.created_ms)
        row = self._db.one(
            sql.NOTE_ADD,
            scope,
            id=note.key_id,
            thread=note.thread_ref,
            category=note.category,
            text=note.text,
            origin=note.origin,
            created=note.created_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return note._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def all(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Note]:
        if thread is None:
            rows = self._db.all(sql.NOTES_ALL, scope, limit=limit)
        else:
            rows = self._db.all(sql.NOTES_OF, scope, thread=thread, limit=limit)
        return [Note._make(row) for row in rows]

    def get(self, scope: Scope, ref: int) -> Note | None:
        row = self._db.one(sql.NOTE_GET, scope, ref=ref)
        return None if row is None else Note._make(row)

    def since(self, scope: Scope, entry: int, limit: int) -> Sequence[Note]:
        rows = self._db.all(sql.NOTES_SINCE, scope, after=entry, limit=limit)
        return [Note._make(row) for row in rows]

    def ending(self, scope: Scope, digits: str) -> Sequence[Note]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.NOTE_IDS, scope)), digits)
        rows = (self._db.one(sql.NOTE_FIND, scope, id=raw) for raw in ids)
        return [Note._make(row) for row in rows if row is not None]

    def delete(self, scope: Scope, note: Note, *, now: int) -> Note:
        earlier = [entry.n for entry in self._timeline.about(scope, note.key_id)]
        gone = note._replace(text="", deleted_ms=now)
        n = self._timeline.seal(scope, "note.deleted", note.key_id, note_facts(gone), now)
        self._db.run(sql.NOTE_DELETE, scope, ref=note.ref, now=now, entry=n)
        self._timeline.unsalt(scope, earlier)
        InjectionTable(self._db, self._timeline).withhold([note.key_id], now=now)
        return gone._replace(entry=n)

    def entries(self, scope: Scope, thread: int) -> list[int]:
        """The entries that speak of a thread's notes."""
        return [n for (n,) in self._db.all(sql.NOTE_ENTRIES, scope, ref=thread)]

    def leave(self, scope: Scope, thread: int) -> None:
        """An erased thread takes its notes with it."""
        self._db.run(sql.NOTES_LEAVE, scope, ref=thread)
