"""A thread that never ends: all its parts together, and nobody who talks to it notices them."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import KindUnknown, PrimaryExists
from support.desk import Desk, answer, desk_in, fired, question
from support.stores import EACH, fresh

Open = Callable[..., AbstractContextManager[Desk]]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda **chosen: desk_in(tmp_path, **chosen)


@pytest.fixture(params=EACH)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with (
        fresh(request.param, tmp_path) as place,
        desk_in(tmp_path, place.target, distill_messages=40) as found,
    ):
        yield found


@pytest.mark.req("A-63", "A-10", "A-11")
def test_the_parts_rest_on_one_another_in_their_order(stored: Desk) -> None:
    desk, ada = stored, stored.ada
    # Kinds, and what was said before.
    with pytest.raises(KindUnknown):
        ada.thread("heartbeat:noon", kind="other")
    past = [{"id": "old", "role": "user", "content": "In May it began.", "at": "2020-05-01T09:00Z"}]
    assert ada.record(past).added == 1
    # Triggers and the size of the context.
    desk.talk(0, 20)
    before = ada.context().tokens
    desk.work()
    (receipt,) = ada.receipts()
    assert fired(receipt) == ["messages"]
    assert ada.context().tokens < before
    # The receipt, and the flush before it.
    assert (receipt.outcome, receipt.flush_succeeded) == ("ok", 1)
    assert desk.intents(receipt) == [("write", "done")]
    assert desk.daily
    # What was learnt is in the next turn, and recent.
    turn = ada.turn("Go on.")
    learnt = [memory.text for memory in ada.memories(limit=99)]
    assert any(text in json.dumps(turn.messages, ensure_ascii=False) for text in learnt)
    turn.done("I will.")
    # One primary.
    with pytest.raises(PrimaryExists):
        ada.thread("another", kind="primary")
    # Background threads are cleaned up, and errands go.
    beat = ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    ada.thread("errand", kind="ephemeral").turn("do it").done("done")
    desk.work()
    assert len(desk.seqs(beat)) == 20
    desk.clock.forward(hours=8 * 24)
    desk.work()
    assert [thread.kind for thread in ada.threads()] == ["primary", "background"]
    assert len(ada.messages(limit=99, thread=beat)) == 20
    # And all of it verifies.
    assert desk.et.verify(ada).sound
    assert desk.problems() == []


@pytest.mark.slow
@pytest.mark.req("A-79", "A-1")
def test_nobody_who_talks_to_it_notices_that_it_is_distilled(opened: Open) -> None:
    """Nothing is said by it, no session ends, no number is left out, and what was asked is known."""
    with opened(distill_messages=40) as quiet, opened(distill_messages=40) as busy:
        for desk in (quiet, busy):
            for n in range(60):
                desk.turn(question(n), answer(n))
                if desk is busy:
                    desk.work()
        assert [r.outcome for r in quiet.ada.receipts()] == []
        assert len(busy.ada.receipts()) >= 3

        def seen(desk: Desk) -> list[Any]:
            messages = [(m.seq, m.role, m.text) for m in desk.ada.messages(limit=999)]
            turns = [(turn.number, turn.state) for turn in desk.ada.turns(limit=99)]
            sessions = [(s.state, s.message_count) for s in desk.ada.sessions()]
            return [messages, turns, sessions]

        assert seen(busy) == seen(quiet)
        turn = busy.ada.turn("What was bug 17 about, in the file we began with?")
        assert "src/module_1.py" in json.dumps(turn.messages)
        turn.done("The counter was off.")
        assert busy.problems() == []


@pytest.mark.req("A-79", "R-8")
def test_a_person_is_answered_while_it_is_distilled(desk: Desk) -> None:
    """Whoever distills is stopped in its midst: a turn begins and ends all the same."""
    desk.talk(0, 30)
    reached, go_on = threading.Event(), threading.Event()

    def hold(stage: str) -> None:
        if stage == "summarize":
            reached.set()
            assert go_on.wait(30)

    worker = threading.Thread(target=lambda: desk.ada.distill(progress=hold))
    worker.start()
    assert reached.wait(30)
    desk.turn("Are you there?", "Yes, I am.")
    go_on.set()
    worker.join(30)
    assert desk.ada.receipts()[0].outcome == "ok"
    shown = [m.text for m in desk.ada.context().history]
    assert shown[-2:] == ["Are you there?", "Yes, I am."]


@pytest.mark.slow
@pytest.mark.req("LA-24")
def test_however_often_it_is_distilled_nobody_is_warned(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="everthread"):
        for n in range(10):
            for each in range(n * 12, (n + 1) * 12):
                desk.turn(question(each), f"{answer(each)} {'It took a while. ' * 20}")
            receipt = desk.ada.distill()
            assert (receipt.outcome, receipt.errors) == ("ok", [])
    assert [record.getMessage() for record in caplog.records] == []
    assert desk.ada.receipts()[0].number == 10
