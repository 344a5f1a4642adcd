"""Stepping aside: who works beside others lets them in wherever a pattern is matched."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import cast

import pytest

import everthread
from everthread import Settings
from everthread.domain.agents import AgentRow
from everthread.domain.errors import StoreClosed
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.pauses import standing_still, step_aside, stepping_aside
from everthread.domain.text.patterns import lazy_pattern
from everthread.ports import House
from everthread.services.distilling import review
from everthread.services.distilling.distill import distill
from everthread.services.distilling.order import Order
from everthread.store.sqlite.index import SqliteIndex
from support.spoken import spoken

DIGITS = lazy_pattern(r"\d+")


class Paused:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


@pytest.mark.req("R-47")
def test_a_pattern_pauses_in_the_block_and_not_outside() -> None:
    pause = Paused()
    assert DIGITS.search("a 1")
    with stepping_aside(pause):
        assert DIGITS.sub("n", "1 and 2") == "n and n"
        assert [m[0] for m in DIGITS.finditer("1 2")] == ["1", "2"]
        step_aside()
    assert DIGITS.fullmatch("12")
    step_aside()
    assert pause.times == 3


def test_the_one_inside_holds_and_what_held_before_is_back_after_an_error() -> None:
    outer, inner = Paused(), Paused()
    with stepping_aside(outer):
        with pytest.raises(ZeroDivisionError), stepping_aside(inner):
            step_aside()
            raise ZeroDivisionError
        step_aside()
    assert (outer.times, inner.times) == (1, 1)


def test_no_other_thread_pauses_for_it() -> None:
    """A turn that is served meanwhile matches patterns too."""
    pause = Paused()
    with stepping_aside(pause):
        other = threading.Thread(target=step_aside)
        other.start()
        other.join()
    assert pause.times == 0


def test_a_pause_may_end_the_work() -> None:
    """Whoever closes the program does not wait for the end of a long message (R-13)."""

    def over() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError), stepping_aside(over):
        DIGITS.match("1")
    assert DIGITS.match("1")


@pytest.mark.req("R-47")
def test_one_long_message_is_read_with_many_pauses() -> None:
    pause = Paused()
    text = " ".join(f"Please look at src/file_{n}.py, it fails with error {n}." for n in range(50))
    Gleaner(pause=pause).read(spoken(text))
    assert pause.times > 700


def test_who_holds_what_others_wait_for_stands_still() -> None:
    pause = Paused()
    with stepping_aside(pause):
        with standing_still():
            step_aside()
        step_aside()
    assert pause.times == 1


def test_nobody_rests_behind_the_one_lock_of_a_store_in_memory() -> None:
    pause = Paused()
    with everthread.connect("memory://", background=False) as et, stepping_aside(pause):
        et.house.store.read(lambda _: step_aside())
        et.house.store.write(lambda _: step_aside())
        index = et.house.index.of(et.agent("ada").row)
        before = pause.times
        index.search(["anything"], limit=5)
        assert (before, pause.times) == (0, 0)
        step_aside()
    assert pause.times == 1


@pytest.mark.req("R-47")
def test_a_recall_does_not_wait_until_the_worker_has_looked_something_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score asks hundreds of questions: each turn that recalls would wait for the one under way."""
    within, over, late = threading.Event(), threading.Event(), list[bool]()

    def looks(house: House, agent: AgentRow, _ref: int, **_: object) -> None:
        def work(_db: object) -> None:
            within.set()
            late.append(not over.wait(60))

        cast("SqliteIndex", house.index).of(agent).read(work)

    monkeypatch.setattr(review, "score_receipt", looks)
    settings = Settings(embedder="off", drain_seconds=60)
    with everthread.connect(tmp_path / "s.db", settings=settings) as et:
        ada = et.agent("ada")
        for n in range(8):
            ada.turn(f"The port of service {n} is 80{n}0.").done(f"Noted: 80{n}0.")
        order = Order(ada.row, ada.threads()[0].ref, by="guard", fixed=10**6)
        assert distill(et.house, order), "nothing waits to be scored"
        et.call()
        assert within.wait(60)
        assert ada.recall("port of service 3")
        over.set()
    assert late == [False]


def test_what_works_beside_is_closed_with_the_index(tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "s.db", background=False) as et:
        row, beside = et.agent("ada").row, et.house.index.beside()
        assert beside.of(row).counts().cards == 0
    with pytest.raises(StoreClosed):
        beside.of(row)


def test_in_memory_there_is_one_index_for_all() -> None:
    with everthread.connect("memory://", background=False) as et:
        assert et.house.index.beside() is et.house.index
