"""Is this file ours, and how far is its schema?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from everthread.domain.errors import NotAStore, StoreFailed
from everthread.store.migrations import migrations, pending

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x45565448  # "EVTH"
OLDEST_SQLITE = (3, 37)


def refuse_foreign(path: Path) -> None:
    """A file that is not a SQLite database is refused before anything touches it."""
    if path.is_dir():
        raise NotAStore(
            f"{path} is a folder; name a file in it, for example {path / 'everthread.db'}"
        )
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    if head and head != MAGIC:
        raise NotAStore(
            f"{path} is not an Everthread store (nor any database); it was left untouched"
        )


def refuse_strange(connection: sqlite3.Connection, where: str) -> None:
    """Another program's database, or one from a newer version, is refused before it is touched."""
    pending(migrations("sqlite"), _applied(connection, where), where=where)


def migrated(connection: sqlite3.Connection, where: str) -> None:
    """Bring the schema up to date, or refuse what is foreign or too new."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreFailed(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed")
    steps = pending(migrations("sqlite"), _applied(connection, where), where=where)
    for step in steps:
        # executescript would commit what is open, so the transaction is part of the script.
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{step.script}\n"
            f"PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {step.number};\nCOMMIT;"
        )


def _applied(connection: sqlite3.Connection, where: str) -> int:
    # The tables first: another process may be creating this very store between two looks.
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if tables and application != APPLICATION:
        raise NotAStore(
            f"{where} is a database, but not an Everthread store; it was left untouched"
        )
    return number
