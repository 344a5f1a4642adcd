"""An event that was done comes again: who did it was killed before that was noted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.harness import Bench, Window, bench

DONE = "Done, all tests pass."


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def begun(q: Bench) -> Window:
    w = q.window()
    w.start()
    w.prompt("Run the tests.")
    return w


@pytest.mark.req("R-22")
def test_a_reply_that_the_transcript_told_first_is_stored_once(q: Bench):
    w = begun(q)
    at = q.clock.now()
    w.write("assistant", DONE)
    for _ in range(2):
        w.tell("reply", text=DONE, at=at)
    assert q.words() == ["Run the tests.", DONE]


def test_a_reply_that_the_hook_told_first_is_stored_once(q: Bench):
    w = begun(q)
    at = q.clock.now()
    for _ in range(2):
        w.tell("reply", text=DONE, at=at)
    w.write("assistant", DONE)
    w.tell("tool")
    assert q.words() == ["Run the tests.", DONE]
    # Nor does what came twice stand for what is said later, by the transcript alone.
    q.clock.forward(minutes=1)
    w.write("assistant", DONE)
    w.tell("tool")
    assert q.words() == ["Run the tests.", DONE, DONE]


def test_the_same_words_said_again_are_another_event(q: Bench):
    w = begun(q)
    for _ in range(2):
        q.clock.forward(minutes=1)
        w.turn("continue", DONE)
    assert q.words() == ["Run the tests.", *["continue", DONE] * 2]
