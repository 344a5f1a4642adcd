"""OpenCode's database: read beside it, never written.

Messages are made of parts that change until they are done. What is not done yet is left for later,
and so the cursor stays behind it; what was read beyond it is known by name. Reasoning is left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import time
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from everthread.domain.harness.happenings import Line, Reading

from .dialect import Record, count, entry, inner, items, summary_line, word
from .prompt_words import own_words, without_quotes
from .said_to_calls import answer_lines, refusal_lines
from .seen_cursor import seen_in, short, with_seen

MOST_PARTS = 2_000
OVERLAP = 2_000
"""So many milliseconds are read again: what is written in one of them is not all there at once."""
ABANDONED = 600_000
"""What has not changed for so long is as done as it will ever be."""
MOST_KNOWN = 100_000
"""Names in a cursor, should a whole session have changed in one moment."""
WAIT = 0.2
BETWEEN = "::"
KEEPS_LOG = slice(18, 20), b"\2\2"
"""Where in a file it is written that it keeps a log, and how."""

CHANGED = """
SELECT p.id, MAX(p.time_updated, m.time_updated) AS changed
FROM part p JOIN message m ON m.id = p.message_id
WHERE p.session_id = ? AND MAX(p.time_updated, m.time_updated) > ?
ORDER BY changed, p.id
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
        with closing(open_database(database)) as db:
            rows = [(str(i), int(ms)) for i, ms in db.execute(CHANGED, (session, since))]
            new = [row for row in rows if short(row[0]) not in seen]
            parts = [part for row in new[:MOST_PARTS] for part in _part(db, *row)]
    except (sqlite3.Error, OSError):
        return Reading((), cursor)  # not there, not ours, or locked for long: later
    more = len(new) > MOST_PARTS
    done = _finished_parts(parts)
    known = {**seen, **dict.fromkeys(short(part.id) for part in done)}
    floor = since if more else _floor(rows, known, since)
    # Only what the next reading meets again has to be known by name.
    names = [short(ident) for ident, changed in rows if changed > floor and short(ident) in known]
    done.sort(key=lambda part: (part.created, part.id))
    lines = [line for part in done for line in _lines(part)]
    return Reading(lines, with_seen(str(floor), names, most=MOST_KNOWN), not more)


def sessions_in(database: str) -> list[Session]:
    """All sessions of a database; none if there is none to read."""
    try:
        with closing(open_database(database)) as db:
            rows = db.execute(SESSIONS).fetchall()
    except (sqlite3.Error, OSError):
        return []
    return [
        Session(str(ident), str(parent or ""), str(folder or ""), int(created or 0), str(updated))
        for ident, parent, folder, created, updated in rows
    ]


def open_database(database: str) -> sqlite3.Connection:
    """The database, to be read only, and with nothing left beside it."""
    path = Path(database)
    if not path.is_file():
        raise FileNotFoundError(database)
    way = "immutable=1" if _is_at_rest(path) else "mode=ro"
    return sqlite3.connect(f"file:{quote(database)}?{way}", uri=True, timeout=WAIT)


def _is_at_rest(path: Path) -> bool:
    """Does it keep a log, and the log hold nothing? All is in the file then, and what is written meanwhile
    goes into the log first. Asked to read it like any other, SQLite would make files beside it.
    """
    where, how = KEEPS_LOG
    with path.open("rb") as file:
        if file.read(where.stop)[where] != how:
            return False
    log = path.with_name(f"{path.name}-wal")
    return not log.exists() or not log.stat().st_size


def _part(db: sqlite3.Connection, ident: str, changed: int) -> list[Part]:
    row = db.execute(PART, (ident,)).fetchone()
    if row is None:
        return []
    data, message = _object(row[1]), _object(row[4])
    return [Part(ident, data, int(row[2] or 0), message, changed)]


def _object(text: object) -> Record:
    try:
        value = json.loads(cast("Any", text))
    except (ValueError, TypeError, RecursionError):
        return {}
    return cast("Record", value) if isinstance(value, dict) else {}


def _finished_parts(parts: Sequence[Part]) -> list[Part]:
    """The parts that will not change any more."""
    now = time() * 1_000
    return [part for part in parts if _is_finished(part) or now - part.changed > ABANDONED]


def _floor(rows: Sequence[tuple[str, int]], known: Mapping[str, None], since: int) -> int:
    """From where to read the next time: before the newest, and before all that is not finished."""
    if not rows:
        return since
    waiting = [changed - 1 for ident, changed in rows if short(ident) not in known]
    return max(since, min([rows[-1][1] - OVERLAP, *waiting]))


def _is_finished(part: Part) -> bool:
    if word(part.message, "role") == "user":
        return True
    if word(part.data, "type") == "tool":
        return word(inner(part.data, "state"), "status") in {"completed", "error"}
    ended = inner(part.data, "time").get("end") or inner(part.message, "time").get("completed")
    return bool(ended or part.message.get("error"))


def _lines(part: Part) -> Iterator[Line]:
    kind = word(part.data, "type")
    if kind == "tool":
        yield from _tool_lines(part)
    elif kind == "text" and (line := _text_line(part)):
        yield line


def _text_line(part: Part) -> Line | None:
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
    words = own_words(without_quotes(text.strip()))
    return Line(entry("user", words, part.id, part.created), human=True) if words else None


def _tool_lines(part: Part) -> Iterator[Line]:
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
        yield from answer_lines(_answered(asked, inner(state, "metadata")), part.id, at)
        yield from refusal_lines(output, part.id, at)


def _answered(asked: Record, told: Record) -> Iterator[tuple[str, str]]:
    """The questions of a call, each with what the person chose or wrote: one answer, or several."""
    for question, answer in zip(items(asked, "questions"), items(told, "answers"), strict=False):
        if isinstance(question, dict) and isinstance(answer, list):
            chosen = cast("list[object]", answer)
            yield word(cast("Record", question), "question"), ", ".join(map(str, chosen))
