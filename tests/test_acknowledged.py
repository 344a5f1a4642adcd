"""Who is told to do something and only says `OK` has not done it yet; what is only to be heard is done."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

SUMS = [text for n in range(12, 18) for text in (f"What is {n} times 7?", f"{n * 7}.")]


def still_open(*talk: str) -> list[str]:
    gleaner = Gleaner()
    for n, text in enumerate([*talk, *SUMS]):
        gleaner.read(spoken(text, "agent" if n % 2 else "user", n=n + 1))
    return [point.text for point in gleaner.digest().points if point.kind == "open_item"]


ORDERS = [
    "Please order 200 business cards for Marta.",
    "Remind me to call the bank on 20 December.",
    "Please book the small room for Friday.",
    "Can you renew the domain before it lapses?",
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("reply", ["OK.", "Sure, will do.", "Noted.", "Got it!", "On it."])
def test_an_order_that_was_only_acknowledged_is_open(order: str, reply: str) -> None:
    assert still_open(order, reply) == [order]


@pytest.mark.parametrize(
    "reply",
    [
        "I will.",
        "Okay, I shall.",
        "I will, once the dates are published.",
        "Understood, I have noted that.",
        "I won't forget.",
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_one_that_was_only_promised_is_open_too(order: str, reply: str) -> None:
    assert still_open(order, reply) == [order]


@pytest.mark.parametrize(
    "reply", ["Done.", "Ordered, they come on Friday.", "Sure. I ordered them."]
)
def test_one_that_was_done_is_not(reply: str) -> None:
    assert still_open(ORDERS[0], reply) == []


@pytest.mark.parametrize(
    "said",
    [
        "Remember that the office is closed on Fridays.",
        "Forget what I said about the logo.",
        "Wait a moment, my phone rings.",
        "Alias: kill it end of June.",
        "Answer in French.",
        "Give me shorter answers.",
        "Turn off the lights.",
        "Think about it.",
    ],
)
def test_only_an_errand_is_left_open_by_it(said: str) -> None:
    assert still_open(said, "OK.") == []


@pytest.mark.parametrize("reply", ["I will order them.", "OK."])
def test_what_was_promised_is_open_after_many_other_matters(reply: str) -> None:
    sums = [text for n in range(60) for text in (f"What is {n + 20} times 7?", f"{n * 7 + 140}.")]
    assert still_open(ORDERS[0], reply, *sums) == [ORDERS[0]]
