"""SQLite's own look through a file: is every page of it what SQLite would have written?"""

from __future__ import annotations

import sqlite3
import time

STEPS = 100_000
"""After so many steps of SQLite Python has its turn: Ctrl-C is heard, and the time is looked at."""

UNREAD = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
    *(sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN),
)
"""What keeps it from looking, and says nothing of the file."""


class _Watch:
    """Ends the look when its time is over, or by an interrupt, which SQLite would swallow."""

    def __init__(self, seconds: float | None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self.late = False
        self.struck: BaseException | None = None

    def __call__(self) -> bool:
        try:
            self.late = self._deadline is not None and time.monotonic() > self._deadline
        except BaseException as struck:  # noqa: BLE001 - raised again once SQLite has stopped
            self.struck = struck
        return self.late or self.struck is not None


def finds_fault(connection: sqlite3.Connection, *, seconds: float | None = None) -> bool | None:
    """Is the file damaged? None: it has not been looked through to its end in so many seconds."""
    watch = _Watch(seconds)
    connection.set_progress_handler(watch, STEPS)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        if watch.struck is not None:
            raise watch.struck from None
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNREAD:
            raise
        return None if watch.late else True
    finally:
        connection.set_progress_handler(None, 0)
    return found != [("ok",)]
