"""Is this file ours, and how far is its schema?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from everthread.domain.errors import NotAStore, StoreFailed
from everthread.store.migrations import migrations, pending

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x45565448  # "EVTH"

# Where a SQLite file's header says how often its schema changed, and what its programs wrote there.
HEADER, COOKIE_AT, VERSION_AT, APPLICATION_AT = 100, 40, 60, 68

OLDEST_SQLITE = (3, 37)


def refuse_foreign(path: Path) -> None:
    """What is not ours, or from a newer version, is refused before anything touches it."""
    if path.is_dir():
        raise NotAStore(
            f"{path} is a folder; name a file in it, for example {path / 'everthread.db'}"
        )
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(HEADER)
    if not head:
        return
    if len(head) < HEADER or not head.startswith(MAGIC):
        raise NotAStore(
            f"{path} is not an Everthread store (nor any database); it was left untouched"
        )
    number = _logged(path) if path.with_name(path.name + "-wal").exists() else _headed(path, head)
    pending(migrations("sqlite"), number, where=str(path))


def _headed(path: Path, head: bytes) -> int:
    """The schema's number, out of the header: merely to open a database can leave traces beside it."""
    changes, number, application = (
        int.from_bytes(head[at : at + 4], "big") for at in (COOKIE_AT, VERSION_AT, APPLICATION_AT)
    )
    return _ours(str(path), tables=changes, application=application, number=number)


def _logged(path: Path) -> int:
    """The schema's number, where it may be in the log of a program that runs or was killed."""
    # Read-only: a connection that may write merges such a log into the file when it closes.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return _applied(connection, str(path))
    finally:
        connection.close()


def migrated(connection: sqlite3.Connection, where: str) -> int:
    """Bring the schema up to date, or refuse what is foreign or too new; the number it has then."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreFailed(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed")
    known = migrations("sqlite")
    for step in pending(known, _applied(connection, where), where=where):
        # executescript would commit what is open, so the transaction is part of the script.
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{step.script}\n"
            f"PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {step.number};\nCOMMIT;"
        )
    return known[-1].number


def _applied(connection: sqlite3.Connection, where: str) -> int:
    # The tables first: another process may be creating this very store between two looks.
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return _ours(where, tables=tables, application=application, number=number)


def _ours(where: str, *, tables: int, application: int, number: int) -> int:
    if tables and application != APPLICATION:
        raise NotAStore(
            f"{where} is a database, but not an Everthread store; it was left untouched"
        )
    return number
