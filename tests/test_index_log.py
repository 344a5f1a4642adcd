"""What was removed leaves an index's log too; while somebody reads an older state, it is tried again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import everthread
from everthread.domain.agents import AgentRow
from everthread.errors import StoreBusy, StoreFailed
from everthread.jobs.worker import Worker
from everthread.ports import House
from everthread.services.forgetting import settle
from everthread.services.forgetting.settle import settle_indexes
from everthread.services.job_names import ERASURE, SETTLE
from everthread.services.upkeep.purge import scrub
from everthread.store.sqlite import catalogue_file
from everthread.testing import FrozenClock

SECRET = "the vault code is heliotrope seventeen"
WORD = b"heliotrope"


@pytest.fixture(autouse=True)
def shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue_file, "SETTLE_MS", 1)


@contextmanager
def somebody_reads(home: Path) -> Generator[None]:
    """As another program does, with a state of its own."""
    reader = sqlite3.connect(home / "everthread.db-index" / "1.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM cards").fetchone()
    yield
    reader.close()


def holding(home: Path) -> list[str]:
    return [path.name for path in home.rglob("*") if path.is_file() and WORD in path.read_bytes()]


def jobs(et: everthread.Everthread) -> list[str]:
    return [job.kind for job in et.house.store.read(lambda r: r.jobs.all())]


def work(et: everthread.Everthread) -> None:
    worker = Worker(et.house, duties=(), rest=0.0)
    while worker.step():
        pass


def test_what_was_forgotten_leaves_the_log_as_soon_as_nobody_reads_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect(tmp_path / "everthread.db", background=False, clock=clock) as et:
        ada, other = et.agent("ada"), et.agent("bob")
        memory = ada.remember(SECRET)
        other.remember("tabs are fine")
        ada.recall("vault code")
        other.recall("tabs")
        with somebody_reads(tmp_path), caplog.at_level(logging.WARNING, logger="everthread"):
            ada.forget(memory.id)
            assert holding(tmp_path) == ["1.db-wal"]
            assert "stays in a log for now" in caplog.text
            assert "the index of ada: " in caplog.text
            assert jobs(et) == [SETTLE]
            work(et)
            assert holding(tmp_path) == ["1.db-wal"]
            assert jobs(et) == [SETTLE], "it is tried again, as often as need be"
        clock.forward(minutes=10)
        work(et)
        assert (holding(tmp_path), jobs(et)) == ([], [])


def test_the_job_is_there_though_another_that_settled_cancelled_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two forget at once: the first to be done takes the job for its own."""
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        memory = ada.remember(SECRET)
        ada.recall("vault code")
        settled = settle.settle_indexes

        def meanwhile(house: House, agents: Sequence[AgentRow], *, seconds: float) -> None:
            house.store.write(lambda r: r.jobs.cancel(SETTLE, once=ERASURE))
            settled(house, agents, seconds=seconds)

        monkeypatch.setattr(settle, "settle_indexes", meanwhile)
        with somebody_reads(tmp_path):
            ada.forget(memory.id)
            assert jobs(et) == [SETTLE]


@pytest.mark.parametrize("how", ["erase", "unnote"])
def test_so_does_what_was_erased_or_a_note(tmp_path: Path, how: str) -> None:
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        note = ada.note(SECRET)
        ada.recall("vault code")
        act: Callable[[], object] = {
            "erase": lambda: et.erase(ada),
            "unnote": lambda: ada.unnote(note),
        }[how]
        with somebody_reads(tmp_path):
            act()
            assert "1.db-wal" in holding(tmp_path)
        assert jobs(et) == [SETTLE]
        work(et)
        assert holding(tmp_path) == []


def test_a_scrub_is_not_over_while_the_log_has_the_words(tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        ada.recall("vault code")
        with somebody_reads(tmp_path):
            ada.note(SECRET)
            ada.recall("vault code")
            with pytest.raises(StoreBusy, match=r"the index of ada: .* lingers in the log"):
                scrub(et.house, ada.row.ref, lambda: None)
        scrub(et.house, ada.row.ref, lambda: None)


def test_a_check_goes_on_until_the_log_is_empty(tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        memory = ada.remember(SECRET)
        ada.recall("vault code")
        with somebody_reads(tmp_path):
            ada.forget(memory.id)
        assert holding(tmp_path) == ["1.db-wal"]
        et.house.index.check(ada.row)
        assert holding(tmp_path) == []


def test_indexes_without_a_log_are_not_opened(tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        bare = et.agent("bare")
        settle_indexes(et.house, [bare.row])
    assert list((tmp_path / "everthread.db-index").glob("*")) == []


def test_an_index_that_cannot_be_used_keeps_nobody_from_forgetting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        memory = ada.remember(SECRET)
        ada.recall("vault code")

        def broken(_agent: object) -> bool:
            raise StoreFailed("the disk fails")

        with monkeypatch.context() as faulty:
            faulty.setattr(et.house.index, "settle", broken)
            ada.forget(memory.id)
            assert "stays in a log for now, until a worker can empty it: the disk" in caplog.text
        assert jobs(et) == [SETTLE]
        work(et)
        assert (holding(tmp_path), jobs(et)) == ([], [])


def test_who_forgets_does_not_wait_for_all_that_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own index comes first; the job that was asked for sees to the others."""
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        agents = [et.agent(name) for name in ("ada", "bob", "cy", "zoe")]
        memories = [agent.remember(SECRET) for agent in agents]
        asked = list[str]()

        def is_read(agent: AgentRow) -> bool:
            asked.append(agent.name)
            return agent.name == "zoe"

        monkeypatch.setattr(settle, "PATIENCE", 0.0)
        monkeypatch.setattr(et.house.index, "settle", is_read)
        agents[-1].forget(memories[-1].id)
        assert asked == ["zoe", "ada"]
        assert jobs(et) == [SETTLE]
        asked.clear()
        monkeypatch.setattr(settle, "PATIENCE", 60.0)
        et.erase(agents[1])
        assert asked == ["bob", "ada", "cy", "zoe"]
