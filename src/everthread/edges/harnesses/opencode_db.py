"""OpenCode's database: read beside it, never written.

Messages are made of parts that change until they are done. What is not done yet is left for later,
and so the cursor stays behind it; what was read beyond it is known by name. Reasoning is left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import time
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from everthread.domain.happenings import Line, Reading

from .dialect import Record, count, entry, inner, summary_line, word
from .sayings import said, unquoted
from .seen import seen_in, unseen, with_seen

MOST_PARTS = 2_000
OVERLAP = 2_000
"""So many milliseconds are read again: what is written in one of them is not all there at once."""
ABANDONED = 600_000
"""What has not changed for so long is as done as it will ever be."""
WAIT = 0.2
BETWEEN = "::"

CHANGED = """
SELECT p.id, MAX(p.time_updated, m.time_updated) AS changed
FROM part p JOIN message m ON m.id = p.message_id
WHERE p.session_id = ? AND MAX(p.time_updated, m.time_updated) > ?
ORDER BY changed, p.id LIMIT ?
"""
PART = """
SELECT p.id, p.data, p.time_created, m.id, m.data
FROM part p JOIN message m ON m.id = p.message_id WHERE p.id = ?
"""
SESSIONS = """
SELECT id, parent_id, directory, time_created, time_updated FROM session ORDER BY time_created, id
"""


class Part(NamedTuple):
    """A part of a message, with the message."""

    id: str
    data: Record
    created: int
    message: Record
    changed: int


class Session(NamedTuple):
    """A session that OpenCode knows."""

    id: str
    parent: str
    folder: str
    started: int
    """Milliseconds."""
    version: str
    """Changes whenever something is added."""


def session_place(database: str, session: str) -> str:
    """One database holds all sessions: a place names both."""
    return f"{database}{BETWEEN}{session}"


def read_session(place: str, cursor: str) -> Reading:
    database, _, session = place.rpartition(BETWEEN)
    where, seen = seen_in(cursor)
    since = int(where) if where.isdigit() else 0
    try:
        with closing(opened(database)) as db:
            parts, more = _changed(db, session, since, seen)
    except (sqlite3.Error, OSError):
        return Reading((), cursor)  # not there, not ours, or locked for long: later
    done, floor = _settled(parts, since)
    done.sort(key=lambda part: (part.created, part.id))
    lines, known = unseen((line for part in done for line in _lines(part)), seen)
    return Reading(lines, with_seen(str(floor), known), not more)


def sessions_in(database: str) -> list[Session]:
    """All sessions of a database; none if there is none to read."""
    try:
        with closing(opened(database)) as db:
            rows = db.execute(SESSIONS).fetchall()
    except (sqlite3.Error, OSError):
        return []
    return [
        Session(str(ident), str(parent or ""), str(folder or ""), int(created or 0), str(updated))
        for ident, parent, folder, created, updated in rows
    ]


def opened(database: str) -> sqlite3.Connection:
    """The database, to be read only."""
    if not Path(database).is_file():
        raise FileNotFoundError(database)
    return sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, timeout=WAIT)


def _changed(
    db: sqlite3.Connection, session: str, since: int, seen: dict[str, None]
) -> tuple[list[Part], bool]:
    """What changed since then, oldest change first; and whether there is more."""
    rows = db.execute(CHANGED, (session, since, MOST_PARTS + len(seen))).fetchall()
    found: list[Part] = []
    for ident, changed in rows:
        row = db.execute(PART, (ident,)).fetchone()
        if row is not None:
            data, message = _object(row[1]), _object(row[4])
            found.append(Part(str(row[0]), data, int(row[2] or 0), message, int(changed)))
    return found, len(rows) == MOST_PARTS + len(seen)


def _object(text: object) -> Record:
    try:
        value = json.loads(cast("Any", text))
    except (ValueError, TypeError, RecursionError):
        return {}
    return cast("Record", value) if isinstance(value, dict) else {}


def _settled(parts: Sequence[Part], since: int) -> tuple[list[Part], int]:
    """The parts that will not change any more, and from where to read the next time."""
    now = time() * 1_000
    done = [part for part in parts if _done(part) or now - part.changed > ABANDONED]
    if not parts:
        return done, since
    finished = {part.id for part in done}
    waiting = [part.changed - 1 for part in parts if part.id not in finished]
    return done, max(since, min([parts[-1].changed - OVERLAP, *waiting]))


def _done(part: Part) -> bool:
    if word(part.message, "role") == "user":
        return True
    if word(part.data, "type") == "tool":
        return word(inner(part.data, "state"), "status") in {"completed", "error"}
    ended = inner(part.data, "time").get("end") or inner(part.message, "time").get("completed")
    return bool(ended or part.message.get("error"))


def _lines(part: Part) -> Iterator[Line]:
    kind = word(part.data, "type")
    if kind == "tool":
        yield from _called(part)
    elif kind == "text" and (line := _said(part)):
        yield line


def _said(part: Part) -> Line | None:
    text, message = word(part.data, "text"), part.message
    if message.get("summary") is True or word(message, "mode") == "compaction":
        return summary_line(text, part.id, part.created) if text.strip() else None
    if word(message, "role") == "assistant":
        usage = inner(message, "tokens")
        cache = inner(usage, "cache")
        tokens = count(usage, "input", "output", "reasoning") + count(cache, "read", "write")
        made = entry("assistant", text, part.id, part.created)
        return Line(made, tokens=tokens or None) if text.strip() else None
    if part.data.get("synthetic") is True or part.data.get("ignored") is True:
        return None
    words = said(unquoted(text.strip()))
    return Line(entry("user", words, part.id, part.created), human=True) if words else None


def _called(part: Part) -> Iterator[Line]:
    state = inner(part.data, "state")
    key = word(part.data, "callID", "callId") or part.id
    name, asked = word(part.data, "tool"), inner(state, "input")
    use = {"type": "tool_use", "id": key, "name": name, "input": asked}
    yield Line(entry("assistant", [use], part.id, part.created))
    output = word(state, "output", "error")
    if output:
        result: Record = {"type": "tool_result", "tool_use_id": key, "content": output}
        if word(state, "status") == "error":
            result["is_error"] = True
        at = inner(state, "time").get("end") or part.created
        yield Line(entry("user", [result], f"{part.id}:result", at))
