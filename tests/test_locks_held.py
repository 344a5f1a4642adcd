"""A process that was stopped behind a lock of ours is waited for with an end, and named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import everthread
from everthread.domain.agents import AgentRow
from everthread.domain.errors import StoreBusy
from everthread.edges.harnesses import event_desk, privacy
from everthread.edges.harnesses.privacy import read_private, switch
from everthread.store.sqlite import catalogue_file
from everthread.store.sqlite.index import SqliteIndex
from support.commands import Installed

pytestmark = pytest.mark.req("R-45")

SOON = 0.3

HOLDS = """
import fcntl, os, sys
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
print("in", flush=True)
sys.stdin.readline()
"""
SWITCHES = """
import sys
from pathlib import Path
from everthread.edges.harnesses import privacy
def stay(*_):
    print("in", flush=True)
    sys.stdin.readline()
privacy.write_whole = stay
privacy.switch(Path(sys.argv[1]), now=1, on=True, session="theirs")
"""


@contextmanager
def stopped(script: str, place: Path) -> Generator[subprocess.Popen[str]]:
    """A process that has the lock, and does nothing any more."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "in\n"
        os.kill(process.pid, signal.SIGSTOP)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privacy, "PATIENCE", SOON)
    monkeypatch.setattr(catalogue_file, "PATIENCE", SOON)


def test_who_stands_in_the_door_of_an_index_is_named_and_then_it_opens(tmp_path: Path) -> None:
    agent = AgentRow(1, bytes(16), "ada", None, 200_000, None, "UTC", None, None, 1, 1)
    with closing(SqliteIndex(tmp_path / "s.db")) as index:
        catalogue = index.of(agent)
        catalogue.reached()
        catalogue.rest()
        (lock,) = tmp_path.rglob("*.lock")
        with stopped(HOLDS, lock) as process:
            with pytest.raises(StoreBusy) as told:
                catalogue.reached()
            assert "Nothing was changed" in str(told.value)
            if Path("/proc/locks").exists():
                assert f"process {process.pid} (python" in str(told.value)
                assert f"kill -CONT {process.pid}" in str(told.value)
        assert catalogue.reached() is not None


def test_a_store_whose_index_is_held_still_takes_turns_and_forgets(tmp_path: Path) -> None:
    """What is derived holds up nobody's wish to forget."""
    settings = everthread.Settings(home=tmp_path / "home", embedder="off")
    place = tmp_path / "s.db"
    with everthread.connect(place, background=False, settings=settings) as et:
        ada = et.agent("ada")
        ada.turn("The user likes tea.").done("Noted.")
        memory = ada.remember("The user likes tea.")
        ada.index()
    (lock,) = tmp_path.glob("s.db*/**/*.lock")
    with (
        stopped(HOLDS, lock),
        everthread.connect(place, background=False, settings=settings) as et,
    ):
        ada = et.agent("ada")
        ada.turn("And coffee.").done("Noted.")
        ada.forget(memory.id)
        assert [m.text for m in ada.memories()] == []


def test_who_writes_what_is_private_is_named_and_then_it_is_written(tmp_path: Path) -> None:
    with stopped(SWITCHES, tmp_path) as process:
        with pytest.raises(StoreBusy) as told:
            switch(tmp_path, now=1, on=True, session="mine")
        assert f"process {process.pid} holds it" in str(told.value)
        assert f"kill -CONT {process.pid}" in str(told.value)
        assert "Nothing was changed" in str(told.value)
        assert read_private(tmp_path).sessions == {}
    assert switch(tmp_path, now=1, on=True, session="mine")
    assert list(read_private(tmp_path).sessions) == ["mine"]


def test_whoever_holds_it_without_a_word_can_be_looked_for(tmp_path: Path) -> None:
    lock = tmp_path / "private.json.lock"
    with stopped(HOLDS, lock), pytest.raises(StoreBusy, match=f"lsof {lock}"):
        switch(tmp_path, now=1, on=True, session="mine")


def test_an_event_of_a_private_session_is_let_go_of_though_that_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = everthread.Settings(home=tmp_path)
    with stopped(HOLDS, tmp_path / "private.json.lock"):
        event_desk._note_private(settings, "mine", 1)  # pyright: ignore[reportPrivateUsage] - the way of an event
    assert "could not be written down" in caplog.text


LOCKS = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("in", flush=True)
sys.stdin.readline()
"""


def test_who_asks_waits_for_no_writer_and_hears_of_none(tmp_path: Path) -> None:
    """What the answer helped is counted, and given up where it cannot be written at once."""
    cli = Installed(tmp_path)
    with everthread.connect(store := tmp_path / "data" / "everthread.db", background=False) as et:
        et.agent("ada").turn("Which port has the parser?").done("Port 8123.")
    cli("recall", "warm")
    with stopped(LOCKS, store):
        began = time.monotonic()
        answer = cli("recall", "parser port")
        took = time.monotonic() - began
    assert (answer.code, answer.err) == (0, "") and "8123" in answer.out
    assert took < 4, "SQLite's own patience is five seconds"
