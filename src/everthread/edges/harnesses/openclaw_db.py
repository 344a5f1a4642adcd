"""OpenClaw's past: its database, and the files of older versions, which hold the same records.

Only for an import. While it runs, its events carry the messages.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, cast

from everthread.domain.harness.happenings import Line, Reading

from .dialect import Record, inner, records, summary_line, word
from .jsonl import read_piece
from .openclaw import lines_in
from .opencode_db import BETWEEN, open_database

MOST_ROWS = 2_000

SESSIONS = """
SELECT session_id, MIN(created_at), MAX(seq) FROM transcript_events GROUP BY session_id
"""
HEAD = "SELECT event_json FROM transcript_events WHERE session_id = ? AND seq = 0"
EVENTS = """
SELECT seq, event_json FROM transcript_events WHERE session_id = ? AND seq > ?
ORDER BY seq LIMIT ?
"""


class KeptSession(NamedTuple):
    """A session that OpenClaw keeps."""

    id: str
    folder: str
    started: int
    """Milliseconds."""
    version: str
    """Changes whenever something is added."""


def sessions_in(database: str) -> list[KeptSession]:
    """All sessions of a database; none if there is none to read."""
    try:
        with closing(open_database(database)) as db:
            rows = db.execute(SESSIONS).fetchall()
            return [_kept_session(db, str(ident), int(at), str(last)) for ident, at, last in rows]
    except (sqlite3.Error, OSError):
        return []


def _kept_session(db: sqlite3.Connection, ident: str, started: int, version: str) -> KeptSession:
    row = db.execute(HEAD, (ident,)).fetchone()
    return KeptSession(ident, word(_object(row[0] if row else None), "cwd"), started, version)


def read_past(place: str, cursor: str) -> Reading:
    """Read a session on: of a database (`file::session`) or of a file."""
    database, between, session = place.rpartition(BETWEEN)
    if not between:
        piece = read_piece(place, cursor)
        lines = _lines(Path(place).stem, piece.records)
        return piece.reading(lines)
    since = int(cursor) if cursor.isdigit() else -1
    try:
        with closing(open_database(database)) as db:
            rows = db.execute(EVENTS, (session, since, MOST_ROWS)).fetchall()
    except (sqlite3.Error, OSError):
        return Reading((), cursor)
    # Large ones are packed in a way that needs a library we do not have; they are counted.
    events = [_object(event) for _, event in rows if event is not None]
    last = str(rows[-1][0]) if rows else cursor
    return Reading(_lines(session, events), last, len(rows) < MOST_ROWS, len(rows) - len(events))


def _object(text: object) -> Record:
    try:
        found = records([json.loads(cast("Any", text))])
    except (ValueError, TypeError, RecursionError):
        return {}
    return found[0] if found else {}


def _lines(session: str, events: list[Record]) -> list[Line]:
    lines: list[Line] = []
    for event in events:
        if word(event, "type") == "message":
            lines += lines_in(session, [inner(event, "message")])
        elif word(event, "type") == "compaction":
            ident, at = word(event, "id"), word(event, "timestamp")
            lines.append(summary_line(word(event, "summary"), ident, at))
    return lines
