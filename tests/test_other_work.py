"""An order that was asked back about does not stay open for ever beside an agent that works on other code."""

from __future__ import annotations

from typing import Any

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import called, spoken

pytestmark = pytest.mark.req("A-13", "A-21")

ORDER = "Please book the hall of the mill for the fair."
ASKED = "For which day should I book it, and for how many people?"
PUT_OFF = "I can't book it yet, the office of the mill is closed."


def told(turns: int, between: Any, reply: str = ASKED) -> Digest:
    gleaner = Gleaner()
    gleaner.read(spoken(ORDER, n=1))
    gleaner.read(spoken(reply, "agent", n=2))
    for turn in range(turns):
        n = 10 * (turn + 1)
        gleaner.read(spoken(f"Now change the label of column {turn} in the price list.", n=n))
        for more, message in enumerate(between(turn), start=1):
            gleaner.read(
                message._replace(key=(n + more).to_bytes(16, "big"), at_ms=1_000 * (n + more))
            )
    gleaner.read(spoken("And what do you think of the colours?", n=900))
    return gleaner.digest()


def is_open(digest: Digest) -> bool:
    return any(ORDER in p.text and p.kind == "open_item" for p in digest.points)


def edits(turn: int) -> list[Any]:
    return [called("Edit", turn + 1, file_path=f"/mill/column_{turn}.ts"), report(turn)]


def report(turn: int) -> Any:
    return spoken(f"I changed the label in `column_{turn}.ts`.", "agent")


def test_after_some_turns_of_work_on_code_it_is_over() -> None:
    assert is_open(told(1, edits))
    assert not is_open(told(6, edits))
    assert not is_open(told(6, lambda turn: [report(turn)]))


def test_a_turn_counts_once_however_often_the_agent_works_in_it() -> None:
    assert is_open(told(2, lambda turn: [*edits(turn), *edits(turn), *edits(turn)]))


def test_in_a_talk_without_code_it_waits() -> None:
    talk = [spoken("I wrote the new label on the price list.", "agent")]
    assert is_open(told(6, lambda _: talk))
    calendar = called("calendar", 1, day="Friday", title="fair")
    assert is_open(told(6, lambda _: [calendar, *talk]))


def test_what_the_agent_put_off_with_a_word_waits_whatever_it_does() -> None:
    assert is_open(told(6, edits, PUT_OFF))
