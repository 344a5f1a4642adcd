"""Every store keeps the same promises: in memory, on SQLite, on PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.ports import Store
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store.postgres.store import PostgresStore
from everthread.store.sqlite.store import SqliteStore
from everthread.testing import StoreContract
from support.chance import SOAK
from support.stores import fresh


def fresh_ids() -> SystemIds:
    return SystemIds(SystemClock())


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = SqliteStore(None, fresh_ids())
        yield store
        store.close()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "everthread.db", fresh_ids())
        yield store
        store.close()


@pytest.mark.slow
class TestRelaxedSqliteStore(StoreContract):
    """The same promises while the program lives, without waiting for the disk (R-34).

    In `make soak`: each desk and each bench of the other tests has such a store.
    """

    __test__ = SOAK

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "everthread.db", fresh_ids(), durability="process")
        yield store
        store.close()


@pytest.mark.slow
class TestPostgresStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        # A new database takes the server half the time of emptying the tables of an old one.
        with fresh("postgres", tmp_path) as place:
            store = PostgresStore(place.target, fresh_ids())
            yield store
            store.close()


def test_the_doubles_can_be_imported_without_pytest() -> None:
    code = (
        "import sys; sys.modules['pytest'] = None; "
        "from everthread.testing import FrozenClock; print(FrozenClock().now())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().isdigit()


def test_the_contract_is_offered_by_name() -> None:
    import everthread.testing

    assert everthread.testing.StoreContract is StoreContract
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = everthread.testing.Nothing  # type: ignore[attr-defined]
