"""An agent at work tells what it will do, does it, and asks how to go on: that leaves no request open."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.agent_promises import promised_work
from everthread.domain.gleaning.open_items.leftovers import left_undone
from everthread.domain.gleaning.open_items.long_replies import ends_at_work
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import gleaned_in_turn as read
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

KILN = """
The electric kiln is cheaper to run.
It needs no chimney.
The glaze comes out even.
Wood takes a whole night of stoking.
The shed is too low for that.
Your neighbours live close by.
A used one costs about 900 euros.
The socket in the shed is strong enough.
It is fired up in six hours.
"""
OTHER = ("How high is the tower?", "It is 40 metres high.")


def open_items(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item"]


def test_who_asks_how_to_go_on_after_a_long_answer_has_answered() -> None:
    digest = read(
        "Would you recommend the electric kiln over the wood one?",
        f"I'd take the electric kiln. {KILN} Would you like me to look for a used one?",
        *OTHER,
    )
    assert open_items(digest) == []


def test_a_question_back_in_few_words_still_waits() -> None:
    asked = "Can you order the clay for the course?"
    digest = read(asked, "Which clay do you want?", "What is chamotte?", "Ground fired clay.")
    assert asked in open_items(digest)


@pytest.mark.parametrize(
    "midway",
    [
        "I'll add a spring so that the lid opens only after you confirm it.",
        "I couldn't get at the hinge because the fuse was out.",
        "I'll check the lid then, and mend the hinge of the kiln when it is cold.",
        "Which hinge do you want?",
    ],
)
def test_what_is_said_halfway_through_the_work_puts_nothing_off(midway: str) -> None:
    told = KILN.strip().splitlines()
    reply = "\n".join([*told[:4], midway, *told[4:]])
    assert open_items(read("Mend the lid of the kiln.", reply, *OTHER)) == []


def test_what_the_agent_cannot_do_is_open_wherever_it_says_so() -> None:
    asked = "Mend the lid of the kiln."
    told = KILN.strip().splitlines()
    reply = "\n".join([*told[:4], "I can't mend the lid of the kiln from here.", *told[4:]])
    assert asked in open_items(read(asked, reply, *OTHER))


def test_what_hinders_it_at_the_end_leaves_it_open() -> None:
    asked = "Fire the kiln tonight."
    digest = read(asked, f"{KILN} I couldn't fire the kiln because the fuse is out.", *OTHER)
    assert asked in open_items(digest)


def test_a_plan_that_waits_for_consent_is_no_promise_for_ever() -> None:
    plan = f"{KILN} Once you agree, I'll wire the socket and build the shelf."
    digest = read("Build me a corner for the kiln.", plan, "Looks good, build it.", KILN, *OTHER)
    assert open_items(digest) == []


@pytest.mark.parametrize(
    "said",
    [
        "Fine. Once you agree, I'll build the shelf for the kiln.",
        "Fine. I'll build the shelf for the kiln:",
        "Fine. I'll build the shelf for the kiln. Once you agree, I'll start.",
        f"Fine. I'll build the shelf for the kiln. {KILN}",
    ],
)
def test_what_waits_for_her_or_follows_at_once_is_no_promise(said: str) -> None:
    assert promised_work(take_apart(said)) == ""


def test_what_is_promised_at_the_end_is_one() -> None:
    said = f"{KILN} I'll also build the shelf for the kiln."
    assert promised_work(take_apart(said)) == "I'll also build the shelf for the kiln."


def test_who_is_about_to_mend_something_first_is_not_stopped() -> None:
    digest = read(
        "Add a drawer to the glaze cabinet.",
        "Good idea. Let me fix the broken hinge first and add the drawer.",
        "It is for the brushes.",
        "The drawer is in. The brushes fit.",
        *OTHER,
    )
    assert open_items(digest) == []


def test_a_step_after_the_last_words_is_work() -> None:
    said = spoken("Fine. I'll build the shelf.\n\n*Edited relevant file*", "agent")
    assert ends_at_work(said, take_apart("Fine. I'll build the shelf.\n\n"))
    assert not ends_at_work(said, take_apart(said.text))


def test_what_is_told_with_whether_is_not_left_undone() -> None:
    told = "The list counts whether the shelf is still to be done."
    assert not left_undone(take_apart(told), told)
    told = "The shelf is still to be done."
    assert left_undone(take_apart(told), told)


def test_a_complaint_in_a_request_is_told_once() -> None:
    said = "I still see cracks. Is there a way to get rid of them?"
    gleaner = Gleaner()
    gleaner.read(spoken(said, n=1, turn_ref=1))
    assert open_items(gleaner.digest()) == [said]


def test_what_she_finds_poor_is_not_open_when_the_agent_worked_at_it() -> None:
    said = "The glaze is still dull"
    before = ("Fire the bowls.", "They are fired.")
    assert open_items(read(*before, said, f"I found why the glaze is dull. {KILN}", *OTHER)) == []
    assert said in open_items(read(*before, said, "Oh. I like it.", *OTHER))


def test_go_on_is_no_request_of_its_own() -> None:
    asked = "Build the shelf for the kiln."
    digest = read(asked, "Let me measure the wall.", "continue", "Let me saw the boards.")
    assert open_items(digest) == [asked]


def test_what_hinders_the_very_thing_counts_in_the_middle_of_a_long_reply() -> None:
    asked = "Ring the bell."
    hindered = "I cannot ring it: the rope is gone."
    digest = read(asked, f"I looked at the shed. {KILN} {hindered} {KILN}", *OTHER)
    assert asked in open_items(digest)


@pytest.mark.parametrize(
    "left",
    [
        "I did not write the labels for the shelf yet.",
        "The labels for the shelf are not written yet.",
    ],
)
def test_what_an_agent_has_not_done_yet_is_open(left: str) -> None:
    digest = read("Sort the glazes and write the labels.", f"I sorted the glazes. {left}", *OTHER)
    assert open_items(digest) == [left]
