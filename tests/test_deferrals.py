"""Who puts off an answer leaves open what was asked; her own errands are open too, and no request."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import gleaned_in_turn as read
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

DOOR = "What colour should the door of the boathouse be?"
OTHER = ("How high is the tower?", "It is 40 metres high.")


def texts(digest: Digest, kind: str = "open_item") -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize(
    "later",
    [
        "Not sure, let me sleep on it.",
        "dunno, later. is the tide in?",
        "Hm. I'll ask Marta.",
        "I'll get back to you on that.",
        "Let me think about it over the weekend.",
    ],
)
def test_a_question_of_the_agent_that_is_put_off_stays_open(later: str) -> None:
    digest = read("Paint the boathouse.", f"Painted. {DOOR}", later, "No rush.", *OTHER)
    assert DOOR in texts(digest)


@pytest.mark.parametrize(
    "told", ["The boathouse door gets a dark blue.", "A red door goes well with a boathouse."]
)
def test_it_ends_when_she_tells_of_it(told: str) -> None:
    put_off = ("Paint the boathouse.", f"Painted. {DOOR}", "Not sure, let me sleep on it.", "Fine.")
    before = read(*put_off, *OTHER)
    assert DOOR in texts(before)
    assert DOOR not in texts(read(told, "Noted.", before=before, start=20))


def test_an_answer_leaves_nothing_open() -> None:
    digest = read("Paint the boathouse.", f"Painted. {DOOR}", "Dark blue.", "Done.", *OTHER)
    assert texts(digest) == []


def test_her_own_question_stays_open_when_she_puts_off_what_was_said_to_it() -> None:
    asked = "Is a second mooring worth the money?"
    digest = read(
        asked,
        "It pays off from the third boat on.",
        "not sure, lemme sleep on it.",
        "Fine.",
        *OTHER,
    )
    assert texts(digest) == [asked]


def test_what_was_ordered_and_done_is_not_put_off_by_what_she_will_do_with_it() -> None:
    digest = read("Draft the note to Olga.", "Here is the note.", "I'll send it tomorrow.", "Good.")
    assert texts(digest) == []


def test_advice_that_she_will_follow_is_open_until_she_reports_back() -> None:
    advice = "Check the ropes of the mooring before the storm."
    digest = read(
        "How do I keep the boat safe?", advice, "will do when I'm there.", "Good.", *OTHER
    )
    assert advice in texts(digest)
    gone = read(
        "How do I keep the boat safe?", advice, "will do.", "Good.", "done. all fine.", "Good."
    )
    assert advice not in texts(gone)


def test_of_two_questions_the_first_is_put_off_where_she_answers_the_second() -> None:
    first = "Does the harbour master charge for the winter?"
    digest = read(
        "Plan the winter for the boat.",
        f"{first} And how do you get it ashore?",
        "I'll look it up. For getting it ashore we have the trailer of my uncle.",
        "Good.",
        *OTHER,
    )
    assert first in texts(digest)


def test_whom_she_was_to_ask_has_answered_by_a_mere_he_or_she() -> None:
    promise = "I'll ask her whether a second mooring is allowed."
    before = read("Marta runs the harbour.", "Good to know.", promise, "Good.", *OTHER)
    assert texts(before) == [promise]
    told = read("She says a second mooring is fine.", "Good.", before=before, start=20)
    assert texts(told) == []


def test_an_errand_beside_a_question_is_open_when_the_question_is_answered() -> None:
    """What the agent answers does not do what she has to do herself."""
    errand = "I'll ring the sailmaker about the torn jib."
    digest = read(
        f"{errand} How high is the tower?", "It is 40 metres high.", "Thanks.", "Welcome."
    )
    assert texts(digest) == [errand]


@pytest.mark.parametrize(
    "errand",
    [
        "right, I have to call the yard on Dock Street and find out if they take diesel boats",
        "No, I'll see what the hull looks like when it's dry.",
    ],
)
def test_what_she_has_to_do_herself_asks_nothing_of_the_agent(errand: str) -> None:
    digest = read("Hello.", "Hello.", errand, "All right, that makes sense.", *OTHER)
    assert errand in texts(digest)
    assert errand not in texts(digest, "request")


@pytest.mark.parametrize(
    "order",
    [
        "draft the note to Olga, I'll send it tomorrow.",
        "Check whether the jib is torn, I'll ring the sailmaker later.",
    ],
)
def test_an_order_stays_one_whatever_she_will_do_after_it(order: str) -> None:
    gleaner = Gleaner()
    gleaner.read(spoken(order, n=1, turn_ref=1))
    assert [p.text for p in gleaner.digest().points if p.pinned] == [order]


def test_what_she_has_to_do_is_what_she_comes_with_when_she_says_it_first() -> None:
    task = "I need to find a berth for the winter."
    gleaner = Gleaner()
    gleaner.read(spoken(task, n=1, turn_ref=1))
    assert [p.text for p in gleaner.digest().points if p.pinned] == [task]


def test_what_she_asks_and_puts_off_in_one_breath_is_open_whatever_is_answered() -> None:
    both = "Maybe a second jib? Let me think about that over the weekend."
    digest = read("Hello.", "Hello.", both, "A jib costs about 900.", *OTHER)
    assert both in texts(digest)


def test_what_she_does_not_know_as_she_asks_is_for_the_agent_to_tell() -> None:
    unsure = "I still don't know which rope holds the mooring in a storm."
    digest = read(
        f"{unsure} Which one would you take?",
        "For a mooring in a storm take a rope of nylon, it holds and gives.",
        *OTHER,
    )
    assert texts(digest) == []
