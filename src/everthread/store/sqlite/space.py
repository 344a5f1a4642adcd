"""Pages that hold nothing: counted, given back to the disk a few at a time, or all at once."""

from __future__ import annotations

import sqlite3

from everthread.domain.distilling.shrinking import Space

INCREMENTAL = 2


def measure(connection: sqlite3.Connection) -> Space:
    """Bytes of the pages that hold something and of those that do not, as the log would have them."""
    pages, free, size = (
        _fact(connection, f) for f in ("page_count", "freelist_count", "page_size")
    )
    return Space((pages - free) * size, free * size)


def give_back(connection: sqlite3.Connection, most: int) -> int:
    """Cut at most so many bytes of free pages off the file; how many went.

    A file that was not made for it keeps its free pages for what comes; `compacted` changes that.
    """
    size, free = _fact(connection, "page_size"), _fact(connection, "freelist_count")
    pages = min(free, most // size)
    if not pages or _fact(connection, "auto_vacuum") != INCREMENTAL:
        return 0
    # As a script: the driver would stop a statement without columns after its first step, one page.
    connection.executescript(f"PRAGMA incremental_vacuum({pages})")
    return (free - _fact(connection, "freelist_count")) * size


def compact(connection: sqlite3.Connection) -> None:
    """Write the file anew; from then on it can give pages back a few at a time."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("VACUUM")


def _fact(connection: sqlite3.Connection, name: str) -> int:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]
