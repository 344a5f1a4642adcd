"""Turns that nobody ends: dropped, given up, left by a killed process. Their thread is free at once."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.errors import StoreFailed, ThreadBusy, TurnFinished
from everthread.providers import processes
from everthread.providers.processes import is_gone, this_process
from everthread.services.upkeep.retain import sweep_turns
from everthread.testing import FrozenClock
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.slow

PATIENCE = 60.0
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")

# Opens a turn, says so, and waits to be killed.
HOLDER = """
import sys, time
import everthread
turn = everthread.connect(sys.argv[1], background=False).agent("ada").turn("are you there?")
print("open", flush=True)
time.sleep(600)
"""


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect(place.target, clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system=[{"type": "text", "text": "You are Ada."}])


class Flaky:
    """A store whose writes fail while it is away."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.away = False
        self.closed = False
        self.refused = 0

    def write(self, work: Callable[[Any], Any]) -> Any:
        if self.away:
            self.refused += 1
            raise StoreFailed("the file is away")
        return self._store.write(work)

    def close(self) -> None:
        self.closed = True
        self._store.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@pytest.fixture
def flaky(et: Everthread) -> Flaky:
    return Flaky(et.house.store)


@pytest.fixture
def shaky(et: Everthread, flaky: Flaky) -> Agent:
    """An agent of an engine on the flaky store."""
    return Everthread(replace(et.house, store=flaky)).agent("ada")


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.01)


@contextmanager
def holder(place: Place) -> Generator[subprocess.Popen[bytes]]:
    """A process that holds a turn open."""
    command = [sys.executable, "-c", HOLDER, place.target]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
            yield process
        finally:
            process.kill()


# ---- dropped


def test_a_turn_that_nobody_holds_any_more_is_taken_over_at_once(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-6)"""

    def ask() -> None:
        _turn = ada.turn("are you there?")
        raise ConnectionError("the model is away")

    with pytest.raises(ConnectionError):
        ask()
    gc.collect()  # the frames of a traceback may hold it in a circle
    before = clock.now()
    with ada.turn("and now?") as turn:
        turn.done("yes")
    assert clock.now() == before
    newest, dropped = ada.turns()
    assert newest.state == "done"
    assert dropped.state == "failed"
    assert dropped.error == "abandoned: the program let go of the turn without done() or failed()"
    assert et.verify(ada).faults == []


def test_a_turn_that_is_held_is_waited_for(ada: Agent) -> None:
    """(R-6)"""
    held = ada.turn("one")
    with pytest.raises(ThreadBusy):
        ada.turn("two")
    held.done("1")
    assert [turn.state for turn in ada.turns()] == ["done"]


def test_a_watched_turn_lives_although_only_its_stream_holds_it(ada: Agent) -> None:
    def stream() -> Iterator[dict[str, Any]]:
        yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
        with pytest.raises(ThreadBusy):
            ada.turn("may I?")
        block = {"type": "text", "text": "One."}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_stop"}

    for _ in ada.turn("say it").watch(stream()):
        pass
    assert [turn.state for turn in ada.turns()] == ["done"]


def test_turns_that_begin_at_the_same_moment_never_take_each_other_for_dropped(
    place: Place,
) -> None:
    """(R-6)"""
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")

        def talk() -> None:
            for n in range(10):
                with ada.turn(f"question {n}") as turn:
                    turn.done("answer")

        threads = [threading.Thread(target=talk) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        turns = ada.turns()
        assert len(turns) == 40
        assert {turn.state for turn in turns} == {"done"}


def test_only_living_turns_are_renewed_and_dropped_ones_let_go_of(place: Place) -> None:
    settings = Settings(turn_lease_seconds=1.0)
    with everthread.connect(place.target, settings=settings, background=False) as et:
        ada = et.agent("ada")
        held = ada.turn("one", thread=ada.thread("held", kind="background"))
        ada.turn("two", thread=ada.thread("dropped", kind="background"))
        until(lambda: ada.turns(thread="dropped")[0].lease_until == 0)
        first = ada.turns(thread="held")[0].lease_until
        until(lambda: ada.turns(thread="held")[0].lease_until > first)
        held.done("1")


# ---- given up


def test_after_a_passing_failure_of_the_store_the_next_turn_goes_on(
    et: Everthread, shaky: Agent, flaky: Flaky, clock: FrozenClock
) -> None:
    with pytest.raises(StoreFailed) as caught, shaky.turn("one") as turn:
        flaky.away = True
        turn.done("1")
    # What the caller did is what is raised; that the failure is not stored either is a note on it.
    assert caught.value.__notes__ == [
        "and the turn's failure could not be stored: the file is away"
    ]
    assert turn.state == "failed"
    flaky.away = False
    before = clock.now()
    shaky.turn("two").done("2")
    assert clock.now() == before
    newest, first = shaky.turns()
    assert (newest.state, first.state) == ("done", "failed")
    assert str(first.error).startswith("abandoned: ")
    assert et.verify(shaky).faults == []


def test_what_went_wrong_in_a_turn_is_not_hidden_by_the_store(shaky: Agent, flaky: Flaky) -> None:
    with pytest.raises(ConnectionError, match="model") as caught, shaky.turn("one"):
        flaky.away = True
        raise ConnectionError("the model is away")
    assert "the file is away" in caught.value.__notes__[0]


def test_if_nothing_else_went_wrong_the_error_of_the_store_is_raised(
    shaky: Agent, flaky: Flaky
) -> None:
    with pytest.raises(StoreFailed, match="away"), shaky.turn("one") as turn:
        flaky.away = True
    with pytest.raises(TurnFinished):
        turn.done("1")
    flaky.away = False
    again = shaky.turn("two")
    flaky.away = True
    with pytest.raises(StoreFailed, match="away"):
        again.failed("no idea")
    flaky.away = False
    shaky.turn("three").done("3")


def test_an_end_that_could_not_be_stored_can_be_tried_again(shaky: Agent, flaky: Flaky) -> None:
    turn = shaky.turn("one")
    flaky.away = True
    with pytest.raises(StoreFailed):
        turn.done("1")
    flaky.away = False
    assert turn.done("1").state == "done"
    assert [message.text for message in shaky.messages()] == ["one", "1"]


def test_a_broken_stream_is_not_hidden_by_the_store(shaky: Agent, flaky: Flaky) -> None:
    def stream() -> Iterator[dict[str, Any]]:
        block = {"type": "text", "text": "Half a"}
        yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        flaky.away = True
        raise ConnectionError("the line is cut")

    with pytest.raises(ConnectionError, match="cut") as caught, shaky.turn("one") as turn:
        for _ in turn.watch(stream()):
            pass
    assert "the file is away" in caught.value.__notes__[0]
    flaky.away = False
    shaky.turn("two").done("2")


@pytest.mark.parametrize("text", ["cut \ud83d here", "nul \0 here", "\udfff\0"])
def test_any_text_can_be_the_reason_of_a_failure(ada: Agent, text: str) -> None:
    ada.turn("one").failed(text)
    with pytest.raises(ValueError, match=r"here|\x00"), ada.turn("two"):
        raise ValueError(text)
    for turn in ada.turns():
        assert "\N{REPLACEMENT CHARACTER}" in str(turn.error)


# ---- killed


@pytest.fixture
def today(place: Place) -> Iterator[Everthread]:
    """An engine that agrees with other processes on what time it is, and need not wait for it."""
    with everthread.connect(place.target, clock=FrozenClock(time.time()), background=False) as et:
        yield et


@LINUX
def test_a_killed_process_leaves_its_thread_free_at_once(place: Place, today: Everthread) -> None:
    """(R-6)"""
    with holder(place) as process:
        ada = today.known_agent("ada")
        with pytest.raises(ThreadBusy, match=r"another program.* runs out at 20\d\d-.*Z unless"):
            ada.turn("is it my turn?")
        process.kill()
        # A zombie for now: its parent, which is this test, has not asked after it.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        ada.turn("and now?").done("yes")
        newest, left = ada.turns()
        assert (newest.state, left.state) == ("done", "failed")
        assert left.error == "abandoned: the process that held the turn is gone"


@LINUX
def test_the_sweep_closes_the_turns_of_a_killed_process_at_once(
    place: Place, today: Everthread
) -> None:
    """(R-6)"""
    with holder(place) as process:
        ada = today.known_agent("ada")
        mine = ada.turn("one", thread=ada.thread("mine", kind="background"))
        assert sweep_turns(today.house, lambda: None) == 0
        process.kill()
        process.wait()
        assert sweep_turns(today.house, lambda: None) == 1
        assert ada.turns()[0].state == "failed"
        assert mine.done("1").state == "done"
        assert today.verify(ada).faults == []


def test_this_process_is_not_gone() -> None:
    mine = this_process()
    assert len(mine.split(":")) == 5
    assert not is_gone(mine)
    assert this_process() != mine


@LINUX
def test_a_process_is_gone_only_if_that_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    host, namespace, pid, start, token = this_process().split(":")
    dead = str(process.pid)
    assert is_gone(":".join((host, namespace, dead, start, token)))
    assert is_gone(":".join((host, namespace, pid, "1", token)))  # the number was given again
    assert not is_gone(":".join((host, namespace, pid, "", token)))
    assert not is_gone(":".join(("elsewhere", namespace, dead, start, token)))
    assert not is_gone(":".join((host, "1", dead, start, token)))
    assert not is_gone(":".join((host, "", dead, start, token)))
    for strange in (
        "",
        "host:1:aa",
        f"{host}:{namespace}::{start}:x",
        f"{host}:{namespace}:-1:1:x",
    ):
        assert not is_gone(strange)
    assert not is_gone(f"{host}:{namespace}:0:{start}:x")
    monkeypatch.setattr(processes, "BOOT", Path("/nowhere"))
    assert not is_gone(":".join((host, namespace, dead, start, token)))


# ---- the engine around it


def test_a_store_is_closed_although_its_turns_cannot_be_let_go_of(
    et: Everthread, flaky: Flaky
) -> None:
    engine = Everthread(replace(et.house, store=flaky))
    _held = engine.agent("ada").turn("one")
    flaky.away = True
    with pytest.raises(StoreFailed, match="away"):
        engine.close()
    assert flaky.closed


def test_a_lease_that_cannot_be_renewed_is_said_once(
    et: Everthread, flaky: Flaky, caplog: pytest.LogCaptureFixture
) -> None:
    policy = et.house.policy._replace(turn_lease_seconds=0.06)
    engine = Everthread(replace(et.house, store=flaky, policy=policy))
    turn = engine.agent("ada").turn("one")
    with caplog.at_level(logging.WARNING, "everthread.pulse"):
        flaky.away = True
        until(lambda: flaky.refused > 3)
        flaky.away = False
    assert [record.getMessage() for record in caplog.records] == [
        "the leases of open turns could not be renewed: StoreFailed: the file is away"
    ]
    turn.done("1")


def test_the_system_prompt_of_a_turn_is_its_own_copy(ada: Agent) -> None:
    first = ada.turn("one")
    first.system[0]["cache_control"] = {"type": "ephemeral"}
    assert first.system[0]["cache_control"] == {"type": "ephemeral"}
    first.done("1")
    assert ada.turn("two").system == [{"type": "text", "text": "You are Ada."}]


def test_a_worker_that_leaves_is_called_at_the_end_of_every_turn(et: Everthread) -> None:
    heard: list[str] = []
    engine = Everthread(
        et.house, wake=lambda: heard.append("wake"), again=lambda: heard.append("again")
    )
    ada = engine.agent("ada")
    for n in range(3):
        ada.turn(f"{n}").done("yes")
    assert heard == ["wake", "again", "again"]


def test_a_worker_process_that_left_comes_back_with_a_later_turn(tmp_path: Path) -> None:
    target = tmp_path / "everthread.db"
    with everthread.connect(target, settings=Settings(worker="process")) as et:
        worker: Any = getattr(et, "_again").__self__  # noqa: B009 - the inside of an engine
        ada = et.agent("ada")
        ada.turn("one").done("1")
        until(lambda: worker.pid)
        first = worker.pid
        os.kill(first, 9)  # as good as idle for too long
        until(lambda: worker.pid is None)
        ada.turn("two").done("2")
        until(lambda: worker.pid not in (None, first))
