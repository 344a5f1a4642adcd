"""Read what can be read of a damaged file: it was cut off, or holds pages of something else.

Nothing is written. SQLite is told to take the file as it is; a row that it cannot read is stepped over.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from everthread.domain.conversation.bodies import fill_bodies
from everthread.domain.conversation.messages import Form, blocks_of
from everthread.domain.conversation.threads import KINDS, agent_in_key, primary_key
from everthread.domain.damage import Damage, Part
from everthread.domain.errors import AgentUnknown, BodyDamaged
from everthread.domain.ids import id_text, place_of, tag_of
from everthread.domain.timeline import digest_of
from everthread.domain.times import text_of
from everthread.store.bodies import content_of
from everthread.store.export_tables import TABLES, Table
from everthread.store.link import Row

from .link import translate_errors
from .proofs import OPENED, MessageProofs, StoredMessage
from .quick_check import finds_fault
from .read_uri import read_uri

MOST = 100
"""So many complaints of SQLite are told; a file that lost half of itself has thousands."""

FARTHEST = 1 << 62
MESSAGES = (
    "place, thread_id, agent_id, id, kind, session_id, role, origin, external_id, name, principal, "
    "form, content, at, seq, source, archived, created_at, entry"
)
OTHER_KINDS = frozenset({"summary", "marker", "notice"})
"""Kinds of messages that nobody said."""
FORGOTTEN = "SELECT message FROM withheld WHERE agent_id = ? AND why = 'forgotten' ORDER BY message"


def examine(path: Path) -> Damage:
    """SQLite's own check of the file, and how much of each table can be read."""
    with _open_damaged(path) as connection:
        found = [
            text for (text,) in _rows_until_failure(connection, f"PRAGMA integrity_check({MOST})")
        ]
        lines = [line for text in found if text != "ok" for line in str(text).splitlines()]
        agents = [*_agent_refs(connection)]
        parts = [_part(connection, table) for table in TABLES]
    return Damage(str(path), [line for line in lines if not line.startswith("***")], parts, agents)


def is_damaged(path: Path, *, seconds: float | None = None) -> bool | None:
    """Does SQLite find fault with the file? What is damaged may be what nobody has asked for yet.

    None: it found none in so many seconds, and was not at the end of the file.
    """
    with _open_damaged(path) as connection:
        return finds_fault(connection, seconds=seconds)


class Rescue:
    """An agent's messages that can be read, as plain ones: each as `import` takes it.

    Plain ones cannot say that they were forgotten, so those stay out; and so does what was said on
    threads that were to leave no trace.
    """

    def __init__(self, path: Path, agent: str) -> None:
        self._path = path
        self._agent = agent
        self.forgotten = 0
        """How many were left out as forgotten."""
        self.sure = True
        """Could all be read that says which were forgotten?"""
        self.unread = 0
        """How many are there whose text cannot be read."""
        self.unplaced = 0
        """How many were left out since it cannot be read whether they were to leave no trace."""
        self.damaged = 0
        """How many were left out since they are not what was stored: a bit of them is another."""
        self.unproved = 0
        """Of how many nothing tells any more whether they are what was stored."""
        self.whole = True
        """Are these all that there were?"""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with _open_damaged(self._path) as connection:
            own = self._agent_ref(connection)
            sessions: dict[int, str] = dict(Rows(connection, "sessions", "session_id, key"))
            kinds = _ThreadKinds(connection, own, self._agent)
            body = _Bodies(connection, own).read
            proofs = MessageProofs(connection, own, kinds.ids, kinds.opened)
            gone, named = self._forgotten_ids(connection, own), set[str]()
            rows = Rows(connection, "messages", MESSAGES)
            for row in map(StoredMessage._make, rows):
                if not kinds.is_own(row) or row.kind in OTHER_KINDS:
                    continue
                key = proofs.true_id(row)
                kind = kinds.find(row.thread, key or row.key)
                if kind == "ephemeral":
                    continue
                if key in gone or row.key in gone:
                    self.forgotten += 1
                elif kind is None:
                    self.unplaced += 1
                elif (said := _plain_message(row, key, sessions, body)) is None:
                    self.unread += 1
                elif key is None:
                    self.damaged += 1
                else:
                    yield {**said, "id": _own_name(said["id"], key, row.place, named)}
            self.whole, self.unproved = not rows.missed, proofs.unproved

    def _agent_ref(self, connection: sqlite3.Connection) -> int:
        agents = _agent_refs(connection)
        if self._agent not in agents:
            known = ", ".join(sorted(agents)) or "none"
            raise AgentUnknown(
                f"no agent {self._agent!r} can be read in {self._path}; those that can: {known}"
            )
        return agents[self._agent]

    def _forgotten_ids(self, connection: sqlite3.Connection, own: int) -> set[bytes]:
        rows, whole = _rows_from_both_ends(connection, FORGOTTEN, own)
        found = {key for (key,) in rows}
        memories = Rows(connection, "memories", "memory_id, agent_id, state, sources")
        for _, agent, state, sources in memories:
            if agent == own and state == "forgotten":
                found.update(_ids_in(sources))
        self.sure = whole and not memories.missed
        return found


class _ThreadKinds:
    """What kind of thread a message is of; None where nothing that can be read tells it."""

    def __init__(self, connection: sqlite3.Connection, own: int, agent: str) -> None:
        self._connection = connection
        self._own = own
        self._agent = agent
        rows = [*Rows(connection, "threads", "thread_id, kind, agent_id, id")]
        self._kinds: dict[int, str] = {row[0]: row[1] for row in rows if row[1] in KINDS}
        self.ids: dict[int, bytes] = {row[0]: row[3] for row in rows if row[2] == own}
        self._owners: dict[int, int] = {row[0]: row[2] for row in rows}

    def is_own(self, row: StoredMessage) -> bool:
        """Is it a message of the agent: by its thread, or by its own word where that cannot be read?"""
        return self._owners.get(row.thread, row.agent) == self._own

    def find(self, thread: int, message: object) -> str | None:
        if (known := self._kinds.get(thread)) is not None:
            return known
        proved = isinstance(message, bytes) and place_of(message)[0] in self._primary_tags
        return "primary" if proved else None

    @property
    def opened(self) -> list[bytes]:
        """The ids of all threads that the timeline has, those that are gone too."""
        return [subject for _, subject, *_ in self._entries]

    @cached_property
    def _entries(self) -> set[Row]:
        return _rows_from_both_ends(self._connection, OPENED, self._own)[0]

    @cached_property
    def _primary_tags(self) -> set[int]:
        """What the ids of the primary thread's messages say of it.

        The timeline has no words for what a thread is, but it proves a guess: the key of the primary one
        is known. Without it a page that is lost here would keep back all that was said.
        """
        key, found = primary_key(self._agent), set[int]()
        for _, subject, at, salt, digest in sorted(self._entries):
            # One follows another that was erased.
            facts = ("primary", key, len(found) + 1, at, None)
            if salt is not None and digest_of(salt, facts) == digest:
                found.add(tag_of(subject))
        return found


class Rows:
    """The rows of a table that can be read, by its key; `missed` tells whether any could not."""

    def __init__(self, connection: sqlite3.Connection, table: str, columns: str) -> None:
        self._connection = connection
        self._key = columns.partition(",")[0]
        self._select = f"SELECT {columns} FROM {table} NOT INDEXED"
        self._probe = f"SELECT {self._key} FROM {table} NOT INDEXED"
        self.missed = self._stopped = False

    def __iter__(self) -> Iterator[Row]:
        last = -1
        while True:
            for row in self._read(f"WHERE {self._key} > ? ORDER BY {self._key}", last):
                # A page that lies where another belongs: no key comes again, else this would not end.
                if row[0] <= last:
                    self._stopped = True
                    break
                last = row[0]
                yield row
            if not self._stopped:
                return
            self.missed = True
            found = self._next_key(last)
            if found is None:
                return
            yield from self._read_backwards(last, found)
            last = found - 1

    def _read(self, where: str, *values: int) -> Iterator[Row]:
        self._stopped = False
        try:
            yield from self._connection.execute(f"{self._select} {where}", values)
        except sqlite3.DatabaseError:
            self._stopped = True

    def _next_key(self, last: int) -> int | None:
        """The next key that can be reached, near by first; None where nothing more can be."""
        wanted = f"{self._probe} WHERE {self._key} > ? ORDER BY {self._key} LIMIT 1"
        step = 1
        while step < FARTHEST:
            try:
                row = self._connection.execute(wanted, (last + step,)).fetchone()
            except sqlite3.DatabaseError:
                step *= 2
                continue
            if row is None or row[0] > last + step:
                return None if row is None else row[0]
            step *= 2  # a page that lies where another belongs
        return None

    def _read_backwards(self, last: int, found: int) -> Iterator[Row]:
        """What was stepped over and can be reached from the other side."""
        where = f"WHERE {self._key} > ? AND {self._key} < ? ORDER BY {self._key} DESC"
        for row in self._read(where, last, found):
            if not last < row[0] < found:
                return
            found = row[0]
            yield row


@contextmanager
def _open_damaged(path: Path) -> Generator[sqlite3.Connection]:
    with (
        translate_errors(str(path)),
        closing(sqlite3.connect(read_uri(path), uri=True)) as connection,
    ):
        # Without it SQLite refuses a file that is shorter than its header says, before it looks.
        connection.execute("PRAGMA writable_schema = ON")
        connection.text_factory = _text
        yield connection


def _agent_refs(connection: sqlite3.Connection) -> dict[str, int]:
    """The agents that can be read; one whose own row cannot is named by the key of its primary thread."""
    found = {str(name): ref for ref, name in Rows(connection, "agents", "agent_id, name")}
    for _, kind, ref, key in Rows(connection, "threads", "thread_id, kind, agent_id, key"):
        name = agent_in_key(str(key)) if kind == "primary" else None
        if name is not None and ref not in found.values():
            found.setdefault(name, ref)
    return found


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _rows_until_failure(connection: sqlite3.Connection, sql: str) -> Iterator[Row]:
    """What it gives until it fails; then the failure, as one more row."""
    try:
        yield from connection.execute(sql)
    except sqlite3.DatabaseError as error:
        yield (str(error),)


def _rows_from_both_ends(
    connection: sqlite3.Connection, ordered: str, own: int
) -> tuple[set[Row], bool]:
    """What the statement gives, and whether that is all; what a damaged page hides is read from its end."""
    found = set[Row]()
    for order in ("", " DESC"):
        try:
            found.update(connection.execute(f"{ordered}{order}", (own,)))
        except sqlite3.DatabaseError:
            continue
        return found, order == ""
    return found, False


def _part(connection: sqlite3.Connection, table: Table) -> Part:
    if table.key is not None:
        rows = Rows(connection, table.name, f"{table.key}, {', '.join(table.stored)}")
        count = sum(1 for _ in rows)
        return Part(table.name, count, not rows.missed)
    count = 0
    try:
        for _ in connection.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}"):
            count += 1
    except sqlite3.DatabaseError:
        return Part(table.name, count, whole=False)
    return Part(table.name, count, whole=True)


def _ids_in(sources: str) -> list[bytes]:
    """Where a forgotten memory came from, as far as that can be read."""
    try:
        return [bytes.fromhex(each) for each in json.loads(sources)]
    except (ValueError, TypeError):
        return []


class _Bodies:
    """Large texts, each as it was put, or as the disk budget left it."""

    def __init__(self, connection: sqlite3.Connection, own: int) -> None:
        self._connection = connection
        self._refs = {key: ref for ref, key in Rows(connection, "bodies", "body_id, hash")}
        shrunk = Rows(connection, "shrunk", "shrunk_id, agent_id, hash, kept_hash")
        self._left = {(key, left) for _, agent, key, left in shrunk if agent == own}

    def read(self, key: bytes) -> str:
        find = self._connection.execute
        try:
            ref = self._refs[key]
            ((content,),) = find("SELECT content FROM bodies WHERE body_id = ?", (ref,))
            data = find("SELECT data FROM packed WHERE body_id = ?", (ref,)).fetchone()
        except (KeyError, ValueError, sqlite3.DatabaseError) as gone:
            raise BodyDamaged(f"body {key.hex()[:16]} cannot be read") from gone
        text = content_of(key, content, None if data is None else data[0])
        found = sha256(text.encode()).digest()
        if found != key and (key, found) not in self._left:
            raise BodyDamaged(f"body {key.hex()[:16]} is not what was put there")
        return text


def _own_name(name: str, key: bytes, place: int, named: set[str]) -> str:
    """Two sources may have used one name, and `import` takes that for one message."""
    free = next(each for each in (name, id_text(key), f"{place}") if each not in named)
    named.add(free)
    return free


def _plain_message(
    row: StoredMessage,
    key: bytes | None,
    sessions: Mapping[int, str],
    body: Callable[[bytes], str],
) -> dict[str, Any] | None:
    """The message as `import` takes it; None where it cannot be read."""
    try:
        form, content = fill_bodies(row.form, row.content, body)
        said = content if form == Form.TEXT else blocks_of(form, content)
        told = {
            "id": row.external or id_text(key or row.key),
            "role": row.role,
            "origin": row.origin,
            "content": said,
            "at": text_of(row.at),
            "name": row.name,
            "principal": row.principal,
            "session_key": sessions.get(row.session),
        }
    except (BodyDamaged, ValueError, TypeError, AttributeError, OverflowError, OSError):
        return None
    return {k: v for k, v in told.items() if v is not None}
