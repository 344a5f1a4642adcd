"""A turn without room waits for whoever distils its thread: they hurry, and the dead hold nobody up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import everthread
from everthread.domain.distilling.receipts import Receipt
from everthread.jobs import pause as pausing
from everthread.jobs.pause import HURRIED_REST, REST_PER_WORK, Pause
from everthread.ports import House
from everthread.services import foreground
from everthread.services.distilling import distill as distilling
from everthread.services.distilling import stages
from everthread.services.distilling.distill import distill
from everthread.services.distilling.lease import ABANDONED
from everthread.services.distilling.notice import ask_distillation, look
from everthread.services.distilling.order import Order
from everthread.services.distilling.pressure import Pressure
from support.born import Talking
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.req("R-47")

PATIENCE = 60.0
WINDOW = 8_000


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)


def said(number: int) -> str:
    """Some two hundred tokens, of which little is to be told: to read it must not take long."""
    log = "\n".join(f"{number:04} {line:02} GET /health 200 {line}ms" for line in range(12))
    return f"The service {number} listens on port 8{number:03}.\n```\n{log}\n```"


def fill(et: everthread.Everthread, *, turns: int = 25) -> everthread.Agent:
    """An agent whose next turn has no room: its window has become smaller."""
    ada = et.agent("ada", window=1_000_000)
    for number in range(turns):
        ada.turn(said(2 * number)).done(said(2 * number + 1))
    return et.agent("ada", window=WINDOW)


def filled(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:
        fill(et)


# ---- the worker hurries


class Slept(SimpleNamespace):
    """The time of a worker that does not sleep, and what it would have slept."""

    def __init__(self) -> None:
        self.naps: list[float] = []
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)


def rests(monkeypatch: pytest.MonkeyPatch, *, pressure: float = 0.0) -> float:
    """How long it rests, for each second of work."""
    slept = Slept()
    monkeypatch.setattr(pausing, "time", slept)
    monkeypatch.setattr(pausing, "LONGEST_REST", 1_000.0)
    pause = Pause(lambda: None, keep_every=1_000.0, rest=REST_PER_WORK)
    pause.pressure = lambda: pressure
    slept.now += 1.0
    pause()
    return sum(slept.naps)


def test_a_worker_that_is_waited_for_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rests(monkeypatch) == REST_PER_WORK
    with foreground.awaiting_worker("s", 7):
        assert rests(monkeypatch) == 0.0
    assert rests(monkeypatch) == REST_PER_WORK


@foreground.foreground
def served(work: Callable[[], None]) -> None:
    work()


def test_who_waits_for_the_worker_is_not_stood_still_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else both would wait for each other."""

    def work() -> None:
        assert foreground.is_foreground_busy()
        with foreground.awaiting_worker("s", 7):
            assert not foreground.is_foreground_busy()
            assert rests(monkeypatch) == 0.0
        assert foreground.is_foreground_busy()

    served(work)
    assert not foreground.is_foreground_busy()


def test_beside_others_who_are_served_it_leaves_them_half_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work() -> None:
        with foreground.awaiting_worker("s", 7):
            served(lambda: seen.append(rests(monkeypatch)))

    seen: list[float] = []
    served(work)
    assert seen == [HURRIED_REST]


def test_the_fuller_a_thread_the_shorter_the_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [rests(monkeypatch, pressure=each / 10) for each in range(11)]
    assert told == sorted(told, reverse=True)
    assert (told[0], told[-1]) == (REST_PER_WORK, HURRIED_REST)


def test_what_is_urgent_stands_still_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    stood: list[float] = []
    monkeypatch.setattr(pausing, "wait_until_idle", stood.append)
    for pressure, times in ((pausing.PRESSING, 0), (pausing.PRESSING / 2, 1)):

        def work(pressed: float = pressure) -> None:
            rests(monkeypatch, pressure=pressed)

        served(work)
        assert len(stood) == times


def test_pressure_grows_from_where_it_is_due_to_the_guard(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everthread.services.distilling.pressure.LOOK", 0.0)
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada", window=1_000_000)
        ada.turn(said(0)).done(said(1))
        pressure = Pressure(et.house, ada.row.ref, ada.threads()[0].ref)
        assert pressure() == 0.0
        for number in range(1, 40):
            ada.turn(said(2 * number)).done(said(2 * number + 1))
        size = ada.threads()[0].row.computed_context_tokens
        # Due at half of the window, at the guard with nine tenths of it.
        et.agent("ada", window=round(size / 0.7))
        assert pressure() == pytest.approx(0.5, abs=0.05)
        et.agent("ada", window=size)
        assert pressure() == 1.0
        gone = Pressure(et.house, ada.row.ref, 10**9)
        assert gone() == 0.0, "erased meanwhile"


def test_a_distillation_that_a_turn_waits_for_ends_with_what_it_has_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, waits = [0.0], [0.0]
    monkeypatch.setattr(stages, "time", SimpleNamespace(monotonic=lambda: now[0]))
    found = stages.Stages(
        stages.nothing, stages.silent, None, renew=stages.nothing, awaited=lambda: waits[0]
    )
    now[0] = 100.0
    assert not found.late(), "nobody waits"
    waits[0] = stages.LONGEST_AWAITED * 1.1
    assert found.late()
    now[0] = stages.LEAST_READ * 0.9
    assert not found.late(), "with next to nothing read, next to no room would be made"


def test_how_long_it_is_waited_for_is_known_by_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(foreground, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for _ in range(20):
        with foreground.awaiting_worker("s", 70):
            now[0] += 0.1
        now[0] += 0.01
    assert foreground.awaited_seconds("s", 70) == pytest.approx(2.19)
    assert foreground.awaited_seconds("s", 80) == 0.0
    assert foreground.awaited_seconds("another", 70) == 0.0
    now[0] += 2 * foreground.AGAIN
    assert foreground.awaited_seconds("s", 70) == 0.0, "nobody waits any more"
    with foreground.awaiting_worker("s", 70):
        now[0] += 0.1
    assert foreground.awaited_seconds("s", 70) == pytest.approx(0.1), "that is another wait"


@pytest.mark.slow
def test_a_turn_without_room_does_not_wait_until_a_resting_worker_has_rested(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that rests a lot, as on a busy machine, and the turn for which it stepped aside."""
    filled(place)
    slow = SimpleNamespace(perf_counter=time.perf_counter, sleep=lambda _: time.sleep(0.02))
    monkeypatch.setattr(pausing, "time", slow)
    monkeypatch.setattr(pausing, "WORK_SECONDS", 0.0)
    with everthread.connect(place.target) as et:
        ada = et.agent("ada")
        ask_distillation(et.house, ada.scope, ada.threads()[0].ref)
        et.call()
        until(lambda: any(receipt.outcome == "open" for receipt in ada.receipts()))
        began = time.monotonic()
        ada.turn("And now?").done("Now we go on.")
        took = time.monotonic() - began
    assert took < everthread.Settings().turn_wait_seconds, "else it is refused by then"


def test_a_turn_finds_the_room_that_the_worker_made_just_then(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the turn was refused and before it could make room itself: then there is nothing to distil."""
    filled(place)
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        worked = list[bool]()

        def meanwhile(house: House, order: Order) -> Receipt | None:
            assert order.by == "guard"
            if not worked:
                made = distill(house, Order(ada.row, ada.threads()[0].ref))
                worked.append(made is not None and made.standing)
            return distill(house, order)

        monkeypatch.setattr(distilling, "distill", meanwhile)
        ada.turn("And now?").done("Now we go on.")
        assert worked == [True]


# ---- what there was no time for, and who is gone


def test_what_there_was_no_time_for_is_distilled_by_the_worker(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was never read, however few messages came since: those are not all that is new."""
    with everthread.connect(place.target, background=False) as et:
        ada = fill(et)
        thread = ada.threads()[0].ref
        looks = iter([False] * 8)
        with monkeypatch.context() as patch:
            patch.setattr(stages.Stages, "late", lambda _: next(looks, True))
            made = distill(et.house, Order(ada.row, thread, by="guard", fixed=10))
        assert made is not None
        assert (made.standing, made.detail.get("partial")) == (True, True)
        state = et.house.store.read(
            lambda r: look(et.house, r, ada.row, r.threads.get(ada.scope, thread))
        )
        assert state.signs.new_messages == state.signs.messages_in_view > 10
        whole = distill(et.house, Order(ada.row, thread))
        assert whole is not None
        assert (whole.outcome, whole.detail.get("partial")) == ("ok", None)


def test_a_turn_for_which_there_was_too_little_time_is_given_more(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine two seconds may come to nothing; that is no reason to refuse what was said."""
    given: list[float] = []

    class Hurried(stages.Stages):
        def __init__(
            self, pause: Callable[[], None], progress: Any, seconds: float | None, **more: Any
        ):
            given.append(seconds or 0.0)
            super().__init__(pause, progress, 0.0 if len(given) == 1 else seconds, **more)

    monkeypatch.setattr(distilling, "Stages", Hurried)
    with everthread.connect(place.target, background=False) as et:
        ada = fill(et)
        ada.turn("And now?").done("Now we go on.")
        assert [each.outcome for each in ada.receipts()][-1] == "failed"
        assert any(each.standing for each in ada.receipts())
    assert 2.0 <= given[0] < given[1]


KILLED = """
import sys, time
import everthread
et = everthread.connect(sys.argv[1], background=False)
def told(stage):
    if stage == "extract":
        print("at it", flush=True)
        time.sleep(600)
et.agent("ada").distill(progress=told)
"""


@pytest.mark.slow
@pytest.mark.req("R-31")
def test_beside_a_process_that_was_killed_while_it_distilled_a_turn_begins(place: Place) -> None:
    """It neither waits for a lease of two minutes nor for its own worker's manners."""
    filled(place)
    child = Talking(KILLED, place.target)
    assert child.stdout.readline() == "at it\n"
    with everthread.connect(place.target) as et:
        child.child.kill()
        child.end()
        ada = et.agent("ada")
        began = time.monotonic()
        for number in range(5):
            ada.turn(f"And now, {number}?").done("Now we go on.")
        took = time.monotonic() - began
        failed = [each for each in ada.receipts() if ABANDONED in each.errors]
        assert len(failed) == 1
        assert any(each.standing for each in ada.receipts())
        assert et.verify("ada").sound
    assert took < 90.0
