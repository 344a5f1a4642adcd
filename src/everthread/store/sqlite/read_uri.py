"""How a file is opened that is only read.

SQLite writes even to read, into files beside a database that keeps a log. Where these cannot be made and
there is no log, the file alone is all there is, and is opened as one that nobody changes.
"""

from __future__ import annotations

import os
from pathlib import Path

UNCHANGING = "immutable=1"
SHARED = 65_536
"""Bytes that SQLite needs beside a database to open it, and as many again."""


def is_unwritable(path: Path) -> bool:
    """Is the file there, and may it, or what SQLite puts beside it, not be written?"""
    return path.is_file() and not (
        os.access(path, os.R_OK | os.W_OK)
        and os.access(path.parent, os.W_OK | os.X_OK)
        and _has_room(path.parent)
    )


def _has_room(folder: Path) -> bool:
    try:
        seen = os.statvfs(folder)
    except OSError:
        return True  # whoever opens it finds out
    return seen.f_bavail * seen.f_frsize >= SHARED


def has_log(path: Path) -> bool:
    """Does a log beside it hold what the file does not?"""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def read_uri(path: Path) -> str:
    """The address by which SQLite only reads it."""
    alone = is_unwritable(path) and not has_log(path)
    return f"{path.absolute().as_uri()}?{UNCHANGING if alone else 'mode=ro'}"
