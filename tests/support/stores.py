"""Stores on every engine, and a way behind their backs."""

from __future__ import annotations

import atexit
import functools
import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from everthread import Settings, connect
from everthread.store.postgres.link import rewrite_parameters
from support import postgres
from support.chance import SOAK
from support.skips import needs

ENGINES = ("sqlite", "postgres")
EACH = ("sqlite", pytest.param("postgres", marks=pytest.mark.slow))
"""For parameters: every engine, of which the quick run takes the first."""

_SERVER = pytest.param("postgres", marks=[pytest.mark.slow, pytest.mark.soak])
ABOVE = ("sqlite", _SERVER) if SOAK else ("sqlite",)
"""For what happens above the tables, alike on every engine: the contract of stores, which each keeps, tries
their statements. PostgreSQL too in `make soak`."""

FILE = "everthread.db"

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is, for `everthread.connect` and for raw SQL."""

    engine: str
    target: str

    def raw(self, *statements: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run the statements in one transaction; the rows of the last."""
        if self.engine == "postgres":
            with psycopg.connect(self.target) as connection:
                for statement in statements:
                    cursor = connection.execute(rewrite_parameters(statement).encode(), values)
                return cursor.fetchall() if cursor.description else []
        connection = sqlite3.connect(self.target, timeout=10)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            with connection:
                for statement in statements:
                    rows = connection.execute(statement, values).fetchall()
            return rows
        finally:
            connection.close()

    def without_triggers(self) -> None:
        """Take away what guards the rows: a forger with the file in hand can do that."""
        for kind, name in self.triggers():
            self.raw(f"DROP TRIGGER {name}" + (f" ON {kind}" if self.engine == "postgres" else ""))

    def triggers(self) -> Sequence[tuple[str, str]]:
        """(table, trigger), sorted."""
        if self.engine == "postgres":
            found = self.raw(
                "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
            )
        else:
            found = self.raw("SELECT tbl_name, name FROM sqlite_schema WHERE type = 'trigger'")
        return sorted((table, name) for table, name in found)

    def tables(self) -> dict[str, list[str]]:
        """Each table's columns, without what belongs to the engine or to the migrations."""
        if self.engine == "postgres":
            rows = self.raw(
                "SELECT table_name, column_name FROM information_schema.columns "
                "WHERE table_schema = current_schema() AND table_name <> 'everthread_schema' "
                "ORDER BY table_name, ordinal_position"
            )
        else:
            rows = self.raw(
                "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c "
                "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' "
                "ORDER BY t.name, c.cid"
            )
        tables: dict[str, list[str]] = {}
        for table, column in rows:
            tables.setdefault(table, []).append(column)
        return tables


@functools.cache
def server() -> postgres.Server:
    """One server for this run; it ends with the process."""
    return postgres.start()


@functools.cache
def template() -> str:
    """A database with the tables of a new store: to copy it is far quicker than to migrate again."""
    name = "store_template"
    connect(server().create(name), settings=Settings(embedder="off"), background=False).close()
    return name


@contextmanager
def fresh(engine: str, folder: Path, *, empty: bool = False) -> Generator[Place]:
    """A place for a new store, with nothing in it; it goes with the block. `empty`: without tables."""
    if engine == "sqlite":
        yield Place(engine, str(folder / FILE))
        return
    needs("postgresql")
    with _database("template1" if empty else template()) as url:
        yield Place(engine, url)


@contextmanager
def _database(model: str) -> Generator[str]:
    """A copy of that database, which goes with the block."""
    name = f"fresh_{next(_NUMBERS)}"
    url = server().create(name, template=model)
    try:
        yield url
    finally:
        server().drop(name)


Furnish = Callable[[Place, Path], None]
"""Fills a new store, and a folder beside it with the files that belong to it."""


@contextmanager
def furnished(engine: str, folder: Path, furnish: Furnish) -> Generator[Place]:
    """A store with what `furnish` puts there: that is done once for this process, each gets a copy."""
    if engine == "postgres":
        needs("postgresql")
    model, files = _model(engine, furnish)
    shutil.copytree(files, folder, dirs_exist_ok=True)
    if engine == "sqlite":
        yield Place(engine, str(folder / FILE))
        return
    with _database(model) as url:
        yield Place(engine, url)


@functools.cache
def _model(engine: str, furnish: Furnish) -> tuple[str, Path]:
    """The name of what is copied, on a server, and the folder with its files."""
    files = Path(tempfile.mkdtemp(prefix="et-model-"))
    atexit.register(shutil.rmtree, files, ignore_errors=True)
    if engine == "sqlite":
        furnish(Place(engine, str(files / FILE)), files)
        return "", files
    name = f"model_{next(_NUMBERS)}"
    furnish(Place(engine, server().create(name, template=template())), files)
    return name, files
