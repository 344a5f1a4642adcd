"""Work that can wait stands still while somebody is served, and still comes to an end (R-47)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread.domain.errors import EverthreadError
from everthread.jobs import pause as pausing
from everthread.jobs.pause import LONGEST_STAND, Patience, Pause
from everthread.services import foreground
from everthread.services.memory import recall as recalling
from everthread.services.turns import converse
from support.chance import few

pytestmark = pytest.mark.req("R-47")

PATIENCE = 60.0


class Served:
    """Somebody who is served as long as the test says so, in a thread of its own."""

    def __init__(self) -> None:
        self._over, self._begun = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._wait)

    @foreground.foreground
    def _wait(self) -> None:
        self._begun.set()
        self._over.wait(PATIENCE)

    def __enter__(self) -> Served:
        self._thread.start()
        assert self._begun.wait(PATIENCE)
        return self

    def leave(self) -> None:
        self._over.set()
        self._thread.join(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self.leave()


# ---- what somebody waits for says so


def seen_in(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[bool]:
    """Whether somebody was served, each time that was called."""
    seen: list[bool] = []
    real: Callable[..., Any] = getattr(module, name)

    def looked(*args: Any, **named: Any) -> Any:
        seen.append(foreground.is_foreground_busy())
        return real(*args, **named)

    monkeypatch.setattr(module, name, looked)
    return seen


def test_a_turn_is_served_at_its_begin_in_its_tools_and_at_its_end_but_not_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from everthread.engine import turn as turns

    begun = seen_in(monkeypatch, converse, "begin")
    extended = seen_in(monkeypatch, turns, "extend")
    finished = seen_in(monkeypatch, turns, "finish")
    with everthread.connect("memory://") as et:
        turn = et.agent("ada").turn("What is in the folder?")
        assert not foreground.is_foreground_busy(), "the model thinks, and the worker may work"
        call: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
        turn.add({"role": "assistant", "content": [call]})
        turn.tool_result("t1", "notes.md")
        assert not foreground.is_foreground_busy()
        turn.done("One file, notes.md.")
    assert (begun, extended, finished) == ([True], [True, True], [True])
    assert not foreground.is_foreground_busy()


def test_a_recall_is_served_too_and_a_refused_one_leaves_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = seen_in(monkeypatch, recalling, "recall")
    with everthread.connect("memory://") as et:
        ada = et.agent("ada")
        ada.recall("the folder")
        with pytest.raises(EverthreadError):
            ada.recall("the folder", limit=-1)
    assert found == [True]
    assert not foreground.is_foreground_busy()


def test_of_two_that_are_served_the_worker_waits_for_both() -> None:
    with Served(), Served() as second:
        second.leave()
        assert foreground.is_foreground_busy()
    assert not foreground.is_foreground_busy()


# ---- the worker stands still


def resting() -> Pause:
    return Pause(lambda: None, keep_every=60.0, rest=0.001)


def a_step(pause: Pause) -> None:
    """Work long enough to pause."""
    time.sleep(pausing.WORK_SECONDS * 2)
    pause()


def test_the_worker_goes_on_as_soon_as_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pausing, "LONGEST_STAND", PATIENCE)
    pause, went_on = resting(), threading.Event()

    def work() -> None:
        a_step(pause)
        went_on.set()

    with Served() as person:
        worker = threading.Thread(target=work)
        worker.start()
        assert not went_on.wait(0.05), "it works while somebody is served"
        person.leave()
        assert went_on.wait(PATIENCE / 2), "it stands still and nobody waits"
    worker.join(PATIENCE)


def stands(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it stood, each time: nobody leaves before that."""
    stood: list[float] = []

    def stand(seconds: float) -> None:
        stood.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr(pausing, "wait_until_idle", stand)
    return stood


def test_beside_somebody_who_is_always_served_it_still_gets_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pause, stood = resting(), stands(monkeypatch)
    with Served():
        for _ in range(5):
            a_step(pause)
    assert stood == [LONGEST_STAND], "then its patience is used up"


class Told(SimpleNamespace):
    """A clock, and people who come and go by it."""

    now: float = 0.0
    people: bool = False
    stood: float = 0.0

    def until_served(self, leaves_after: float) -> Callable[[float], None]:
        def stand(seconds: float) -> None:
            took = min(seconds, leaves_after)
            self.now += took
            self.stood += took

        return stand


spells = st.lists(st.tuples(st.booleans(), st.floats(0.0, 2.0)), max_size=40)


@given(spells)
@settings(max_examples=few(200), deadline=None)
def test_it_never_stands_longer_than_nobody_was_served(life: list[tuple[bool, float]]) -> None:
    told = Told()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pausing, "time", SimpleNamespace(perf_counter=lambda: told.now))
        patch.setattr(pausing, "is_foreground_busy", lambda: told.people)
        patience, free = Patience(), 0.0
        for people, seconds in life:
            told.people = people
            if not people:
                told.now += seconds
                free += seconds
            patch.setattr(pausing, "wait_until_idle", told.until_served(seconds))
            before = told.stood
            patience.stand()
            assert told.stood - before <= LONGEST_STAND + 1e-6
        assert told.stood <= LONGEST_STAND + free + 1e-6


def test_a_program_that_ends_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    pause = Pause(lambda: None, keep_every=60.0, rest=0.001, leaving=lambda: True)
    stood = stands(monkeypatch)
    with Served():
        a_step(pause)
    assert stood == []
