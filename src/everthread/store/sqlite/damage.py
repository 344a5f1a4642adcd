"""Read what can be read of a damaged file: it was cut off, or holds pages of something else.

Nothing is written. SQLite is told to take the file as it is; a row that it cannot read is stepped over.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from everthread.domain.conversation.bodies import whole
from everthread.domain.conversation.messages import Form, blocks_of
from everthread.domain.damage import Damage, Part
from everthread.domain.errors import AgentUnknown, BodyDamaged
from everthread.domain.ids import id_text
from everthread.domain.times import text_of
from everthread.store.bodies import content_of
from everthread.store.link import Row
from everthread.store.tables import TABLES, Table

from .link import translated

MOST = 100
"""So many complaints of SQLite are told; a file that lost half of itself has thousands."""

FARTHEST = 1 << 62
MESSAGES = (
    "place, thread_id, agent_id, id, kind, session_id, role, origin, external_id, name, principal, "
    "form, content, at"
)
FORGOTTEN = "SELECT message FROM withheld WHERE agent_id = ? AND why = 'forgotten'"


def looked_through(path: Path) -> Damage:
    """SQLite's own check of the file, and how much of each table can be read."""
    with _opened(path) as connection:
        found = [text for (text,) in _tried(connection, f"PRAGMA integrity_check({MOST})")]
        lines = [line for text in found if text != "ok" for line in str(text).splitlines()]
        agents = [str(name) for _, name in Rows(connection, "agents", "agent_id, name")]
        parts = [_part(connection, table) for table in TABLES]
    return Damage(str(path), [line for line in lines if not line.startswith("***")], parts, agents)


def is_damaged(path: Path) -> bool:
    """Does SQLite find fault with the file? What is damaged may be what nobody has asked for yet."""
    with _opened(path) as connection:
        return list(_tried(connection, "PRAGMA quick_check(1)")) != [("ok",)]


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
        self.whole = True
        """Are these all that there were?"""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with _opened(self._path) as connection:
            own = self._own(connection)
            sessions: dict[int, str] = dict(Rows(connection, "sessions", "session_id, key"))
            kinds: dict[int, str] = dict(Rows(connection, "threads", "thread_id, kind"))
            bodies = {key: ref for ref, key in Rows(connection, "bodies", "body_id, hash")}
            gone, named = self._gone(connection, own), set[str]()

            def body(key: bytes) -> str:
                return _body(connection, key, bodies)

            rows = Rows(connection, "messages", MESSAGES)
            for place, thread, agent, key, kind, *told in rows:
                if agent != own or kind != "said" or kinds.get(thread) == "ephemeral":
                    continue
                if key in gone:
                    self.forgotten += 1
                elif (said := _plain(key, told, sessions, body)) is None:
                    self.unread += 1
                else:
                    # Two sources may have used one name, and `import` takes that for one message.
                    if said["id"] in named:
                        said["id"] = id_text(key) if id_text(key) not in named else f"{place}"
                    named.add(said["id"])
                    yield said
            self.whole = not rows.missed

    def _own(self, connection: sqlite3.Connection) -> int:
        agents: dict[str, int] = {n: ref for ref, n in Rows(connection, "agents", "agent_id, name")}
        if self._agent not in agents:
            known = ", ".join(sorted(agents)) or "none"
            raise AgentUnknown(
                f"no agent {self._agent!r} can be read in {self._path}; those that can: {known}"
            )
        return agents[self._agent]

    def _gone(self, connection: sqlite3.Connection, own: int) -> set[bytes]:
        """From both ends: what lies behind a damaged page is reached from the other side."""
        found = set[bytes]()
        for order in ("", " DESC"):
            try:
                rows = connection.execute(f"{FORGOTTEN} ORDER BY message{order}", (own,))
                found.update(key for (key,) in rows)
            except sqlite3.DatabaseError:
                self.sure = False
            else:
                break
        for _, agent, state, sources in Rows(
            connection, "memories", "memory_id, agent_id, state, sources"
        ):
            if agent == own and state == "forgotten":
                found.update(_ids_in(sources))
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
            found = self._beyond(last)
            if found is None:
                return
            yield from self._back(last, found)
            last = found - 1

    def _read(self, where: str, *values: int) -> Iterator[Row]:
        self._stopped = False
        try:
            yield from self._connection.execute(f"{self._select} {where}", values)
        except sqlite3.DatabaseError:
            self._stopped = True

    def _beyond(self, last: int) -> int | None:
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

    def _back(self, last: int, found: int) -> Iterator[Row]:
        """What was stepped over and can be reached from the other side."""
        where = f"WHERE {self._key} > ? AND {self._key} < ? ORDER BY {self._key} DESC"
        for row in self._read(where, last, found):
            if not last < row[0] < found:
                return
            found = row[0]
            yield row


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    with (
        translated(str(path)),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        # Without it SQLite refuses a file that is shorter than its header says, before it looks.
        connection.execute("PRAGMA writable_schema = ON")
        connection.text_factory = _text
        yield connection


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _tried(connection: sqlite3.Connection, sql: str) -> Iterator[Row]:
    """What it gives until it fails; then the failure, as one more row."""
    try:
        yield from connection.execute(sql)
    except sqlite3.DatabaseError as error:
        yield (str(error),)


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


def _body(connection: sqlite3.Connection, key: bytes, bodies: Mapping[bytes, int]) -> str:
    try:
        ref = bodies[key]
        ((content,),) = connection.execute("SELECT content FROM bodies WHERE body_id = ?", (ref,))
        data = connection.execute("SELECT data FROM packed WHERE body_id = ?", (ref,)).fetchone()
    except (KeyError, ValueError, sqlite3.DatabaseError) as gone:
        raise BodyDamaged(f"body {key.hex()[:16]} cannot be read") from gone
    return content_of(key, content, None if data is None else data[0])


def _plain(
    key: bytes, row: Sequence[Any], sessions: Mapping[int, str], body: Any
) -> dict[str, Any] | None:
    """The message as `import` takes it; None where it cannot be read."""
    session, role, origin, external, name, principal, form, content, at = row
    try:
        form, content = whole(form, content, body)
        said = content if form == Form.TEXT else blocks_of(form, content)
        told = {
            "id": external or id_text(key),
            "role": role,
            "origin": origin,
            "content": said,
            "at": text_of(at),
            "name": name,
            "principal": principal,
            "session_key": sessions.get(session),
        }
    except (BodyDamaged, ValueError, TypeError, AttributeError, OverflowError, OSError):
        return None
    return {k: v for k, v in told.items() if v is not None}
