"""What was just left open ends where it is told as done without its name, and where that is plain."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")

TABLE = "The table at Luigi's has to be booked by Friday."
PLUMBER = "I'll call the plumber tomorrow."
ASKED = "Can you book the table for Friday?"


def _open(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and p.by == "user"]


@pytest.mark.parametrize("asked", [TABLE, PLUMBER, ASKED])
@pytest.mark.parametrize(
    "done", ["Done, they confirmed.", "That's sorted.", "That's taken care of."]
)
def test_it_is_told_as_done(asked: str, done: str) -> None:
    assert _open(gleaned_in_turn(asked, "Noted.")) == [asked]
    assert _open(gleaned_in_turn(asked, "Noted.", done, "Good.")) == []


@pytest.mark.parametrize(
    ("item", "done"),
    [
        (TABLE, "All booked now."),
        (TABLE, "It's booked, eight o'clock."),
        (PLUMBER, "Dealt with, he comes on Monday."),
        (PLUMBER, "The plumber is taken care of."),
    ],
)
def test_by_its_own_deed_or_its_name(item: str, done: str) -> None:
    assert _open(gleaned_in_turn(item, "Noted.")) == [item]
    assert _open(gleaned_in_turn(item, "Noted.", done, "Good.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "They're all booked.",
        "They are all booked up.",
        "That's not sorted yet.",
        "That should be sorted soon.",
        "Is that sorted?",
        "Once it's done I'll tell you.",
        "Sorted by date, which invoice is first?",
        "Done is better than perfect.",
        "Done it three weeks running, my knee is shot.",
        "Half done, they call back.",
        "Paid the electricity bill.",
        "All printed now, the flyers look great.",
        "The flat is taken care of while we are away.",
        "Done with lunch, what is the weather like?",
        "I've done that before.",
        "I did it once.",
        "I finished that book.",
        "Sorted all socks.",
        "That's done it, the router is broken.",
        "Sorted, I hope.",
        "Done, almost.",
        "Did it, failed.",
        "Done, except the drinks.",
        "Booked! By somebody else.",
        "It's booked, by others.",
    ],
)
def test_what_is_told_of_something_else_leaves_it(said: str) -> None:
    assert TABLE in _open(gleaned_in_turn(TABLE, "Noted.", said, "I see."))


@pytest.mark.parametrize(
    "said",
    [
        "Called it a day.",
        "Called him an idiot.",
        "Called, line was busy.",
        "Called, voicemail.",
        "Paid, it was cheap.",
        "Ordered, it comes on Monday.",
        "Did all I could.",
        "Just did it for fun.",
        "We've done this to death.",
        "We did that in 2019.",
        "I did that last year too.",
        "Handled it badly yesterday.",
    ],
)
def test_what_she_will_do_is_not_done_by_another_deed(said: str) -> None:
    assert PLUMBER in _open(gleaned_in_turn(PLUMBER, "Noted.", said, "I see."))


@pytest.mark.parametrize(
    "reply", ["Noted. Could you restart the router?", "Noted. Please restart the router now."]
)
def test_what_the_agent_wanted_since_may_be_meant(reply: str) -> None:
    assert TABLE in _open(gleaned_in_turn(TABLE, reply, "Done.", "Good."))


def test_of_two_things_neither_is_plainly_meant() -> None:
    two = f"{TABLE} The flyers must be printed by Monday."
    assert TABLE in _open(gleaned_in_turn(two, "Noted.", "That's done.", "Good."))
    beside = f"{TABLE} How many owls are there?"
    assert TABLE in _open(gleaned_in_turn(beside, "There are 200 owls.", "Done.", "Good."))


def test_a_question_is_not_done() -> None:
    asked = "Could the shirts be blue with a green logo?"
    assert asked in _open(gleaned_in_turn(asked, ""))
    assert asked in _open(gleaned_in_turn(asked, "", "Done.", ""))


def test_long_after_it_nothing_is_meant() -> None:
    other = ("How tall is the tower?", "It is 330 metres tall.")
    assert TABLE in _open(gleaned_in_turn(TABLE, "Noted.", *other, "That's sorted.", "Fine."))
