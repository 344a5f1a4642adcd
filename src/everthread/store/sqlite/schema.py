"""Is this file ours, and how far is its schema?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from everthread.domain.errors import NotAStore, StoreDamaged, StoreFailed
from everthread.store.migrations import migrations, pending_migrations

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
    if not path.is_file():  # to read a pipe would wait for a writer
        raise NotAStore(f"{path} is no file but a device, a pipe or a socket; name a file")
    with path.open("rb") as file:
        head = file.read(HEADER)
    if not head:
        return
    if len(head) < HEADER or not head.startswith(MAGIC):
        if path.with_name(path.name + "-writer").exists():
            raise StoreDamaged(
                f"{path} is damaged: a store was here, and the beginning of its file is lost; it was left as "
                "it is. Put a backup in its place"
            )
        raise NotAStore(
            f"{path} is not an Everthread store (nor any database); it was left untouched"
        )
    number = (
        _number_in_log(path)
        if path.with_name(path.name + "-wal").exists()
        else _number_in_header(path, head)
    )
    pending_migrations(migrations("sqlite"), number, where=str(path))


def _number_in_header(path: Path, head: bytes) -> int:
    """The schema's number, out of the header: merely to open a database can leave traces beside it."""
    changes, number, application = (
        int.from_bytes(head[at : at + 4], "big") for at in (COOKIE_AT, VERSION_AT, APPLICATION_AT)
    )
    return _must_be_store(str(path), tables=changes, application=application, number=number)


def _number_in_log(path: Path) -> int:
    """The schema's number, where it may be in the log of a program that runs or was killed."""
    from .read_uri import read_uri  # noqa: PLC0415 - only where there is a log

    # Read-only: a connection that may write merges such a log into the file when it closes.
    connection = sqlite3.connect(read_uri(path), uri=True)
    try:
        return applied_number(connection, str(path))
    finally:
        connection.close()


def apply_migrations(connection: sqlite3.Connection, where: str) -> int:
    """Bring the schema up to date, or refuse what is foreign or too new; the number it has then."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreFailed(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed")
    known = migrations("sqlite")
    for step in pending_migrations(known, applied_number(connection, where), where=where):
        # executescript would commit what is open, so the transaction is part of the script.
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{step.script}\n"
            f"PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {step.number};\nCOMMIT;"
        )
    return known[-1].number


def applied_number(connection: sqlite3.Connection, where: str) -> int:
    """The number of the schema that a store has; what is no store of ours is refused."""
    # The tables first: another process may be creating this very store between two looks.
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return _must_be_store(where, tables=tables, application=application, number=number)


def _must_be_store(where: str, *, tables: int, application: int, number: int) -> int:
    if tables and application != APPLICATION:
        raise NotAStore(
            f"{where} is a database, but not an Everthread store; it was left untouched"
        )
    return number
