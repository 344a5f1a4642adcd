"""New SQLite stores are copies of one: to migrate a thousand times from nothing shows nothing new.

What is copied was migrated by the same code, a moment before. Every program that a test starts migrates
its stores itself, and so do the tests of the migrations.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable

from everthread.store.sqlite import store
from everthread.store.sqlite.schema import apply_migrations


@functools.cache
def _model(migrate: Callable[[sqlite3.Connection, str], int]) -> sqlite3.Connection:
    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    made.execute("PRAGMA auto_vacuum = INCREMENTAL")
    migrate(made, "the model of all stores")
    return made


def copied(connection: sqlite3.Connection, where: str) -> int:
    """In the place of `migrated`: an empty database is filled at once."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        _model(apply_migrations).backup(connection)
    return apply_migrations(connection, where)


def use() -> None:
    """From now on, in this process."""
    store.apply_migrations = copied


def forgo() -> None:
    """No longer."""
    store.apply_migrations = apply_migrations
