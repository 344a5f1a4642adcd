"""Whether a row of a damaged file is still what was stored: its entry of the timeline tells."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from everthread.domain.ids import message_id, place_of, tag_of
from everthread.domain.timeline import digest_of

_ENTRY = (
    "SELECT subject, salt, digest FROM timeline WHERE agent_id = ? AND n = ? AND event = 'message'"
)
OPENED = (
    "SELECT n, subject, at, salt, digest FROM timeline "
    "WHERE agent_id = ? AND event = 'thread.opened' ORDER BY n"
)


class StoredMessage(NamedTuple):
    """A message as its row says, whatever that is."""

    place: int
    thread: int
    agent: int
    key: Any
    kind: Any
    session: Any
    role: Any
    origin: Any
    external: Any
    name: Any
    principal: Any
    form: Any
    content: Any
    at: Any
    seq: Any
    source: Any
    archived: Any
    created: Any
    entry: Any

    def facts(self, thread: bytes) -> tuple[Any, ...]:
        """What was sealed of it, as `message_facts` has it."""
        said = (self.role, self.kind, self.origin, self.source)
        who = (self.external, self.name, self.principal)
        held = (self.archived, self.form, self.content, self.at, self.created)
        return (thread.hex(), self.seq, *said, *who, *held)


class MessageProofs:
    """Holds messages against the timeline.

    A bit that is not as it was makes another message of it: another id, so that nobody knows whether it
    was forgotten; another text, that nobody said.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        own: int,
        threads: Mapping[int, bytes],
        opened: Iterable[bytes],
    ) -> None:
        self._connection = connection
        self._own = own
        self._threads = threads
        self._tagged = {tag_of(thread): thread for thread in opened}
        self.unproved = 0
        """How many there are that nothing speaks for or against."""

    def true_id(self, row: StoredMessage) -> bytes | None:
        """By which id it was stored; None where the row is not what it was."""
        try:
            return self._true_id(row)
        except (TypeError, ValueError, AttributeError, OverflowError):
            return None  # a column holds what no store puts there

    def _true_id(self, row: StoredMessage) -> bytes | None:
        threads = self._threads_of(row)
        found = self._entry(row.entry)
        if found is None or not threads:
            self.unproved += 1
            made = {message_id(thread, row.seq, row.created) for thread in threads}
            return row.key if row.key in made or not threads else None
        subject, salt, digest = found
        for thread in threads:
            if salt is not None and digest_of(salt, row.facts(thread)) == digest:
                made = message_id(thread, row.seq, row.created)
                return row.key if subject == row.key else made
        return None

    def _threads_of(self, row: StoredMessage) -> set[bytes]:
        """The ids that its thread may have: a bit of that, too, may be another than it was."""
        told = self._threads.get(row.thread), self._tagged.get(place_of(row.key)[0])
        return {thread for thread in told if thread is not None}

    def _entry(self, n: int) -> tuple[bytes, bytes | None, bytes] | None:
        try:
            return self._connection.execute(_ENTRY, (self._own, n)).fetchone()
        except sqlite3.DatabaseError:
            return None
