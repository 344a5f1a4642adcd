"""What was asked for is open no longer once it is given; and each speaks for himself in what is open."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.open_items.agent_replies import hands_over, reply_to
from everthread.domain.gleaning.open_items.later_talk import is_settled
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import gleaned_in_turn

NOTES = "Could you draft the release notes for 2.14?"
GIVEN = "Here are the release notes for 2.14: more retries, Rust 1.82."
LAMP = ("Lamp 3 of the hall is at street 3.", "It is on the list.")


def open_items(digest: Digest) -> list[str]:
    return [point.text for point in digest.points if point.kind == "open_item"]


def test_what_is_given_at_once_is_answered() -> None:
    invite = "Could you draft an invitation for the client evening?"
    given = "Here is a draft: Dear Sir or Madam, we cordially invite you to our client evening."
    assert reply_to(take_apart(given).sentences, invite).answered
    assert open_items(gleaned_in_turn(invite, given)) == []
    plan = "Here is the plan for the client evening: I will write it tomorrow."
    assert not reply_to(take_apart(plan).sentences, invite).answered


def test_what_was_put_off_and_is_given_later_is_done() -> None:
    later = (NOTES, "I'll do that once the changelog is merged.")
    assert open_items(gleaned_in_turn(*later, *LAMP)) == [NOTES]
    assert open_items(gleaned_in_turn(*later, *LAMP, "The changelog is merged.", GIVEN)) == []
    other = "Here are the figures of the shop: 12 and 14."
    assert NOTES in open_items(gleaned_in_turn(*later, *LAMP, "And the figures?", other))
    assert is_settled(NOTES, take_apart(GIVEN), agent=True), "also in a later talk"
    assert not is_settled(NOTES, take_apart(other), agent=True)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (NOTES, "Here are the release notes for 2.13: more retries."),
        (NOTES, "Here are the open questions on the release notes for 2.14: which date?"),
        (NOTES, "Here are the release notes so far: only the title."),
        (NOTES, "Here is the deadline for the release notes: Friday."),
        ("Write the release notes for 2.14 and publish them.", GIVEN),
        ("Please fix the flaky payment test.", "Here is the flaky payment test: it sleeps."),
        ("Delete the old backup files.", "Here are the old backup files: a.tar, b.tar."),
        ("Please send the contract to Mrs Aydin.", "Here is the contract for Mrs Aydin: check it."),
        ("Draft a reply to the landlord.", "Here is the reply of the landlord: he wants more."),
        ("Write unit tests for the date parser.", "Here is the date parser: it takes ISO dates."),
        ("You'll get the guest list on Friday.", "Here is the old guest list: 54 names."),
        ("Prepare a quote for the Schmidt roof.", "Here is a quote for the Meier roof: 300."),
    ],
)
def test_what_is_handed_over_on_the_way_ends_nothing(asked: str, given: str) -> None:
    assert not hands_over(take_apart(given), asked)


def test_who_promised_something_and_brings_it_has_done_so() -> None:
    promised = "You'll get the guest list on Friday."
    assert hands_over(take_apart("Here's the guest list: 54 people said yes."), promised)
    assert is_settled(
        promised, take_apart("Here's the guest list: 54 people said yes."), agent=False
    )


def test_what_came_of_work_with_a_tool_answers_though_it_is_no_prose() -> None:
    found = take_apart("It uses var(--warn) now.")
    assert not found.sentences
    assert reply_to(found.sentences, "Fix it.", shown=True, begun=True).answered
    assert not reply_to(found.sentences, "Fix it.", shown=True).answered


@pytest.mark.parametrize(
    ("told", "said", "kept"),
    [
        (
            "I need the guest list for that.",
            "You'll get the guest list on Friday.",
            "You'll get the guest list on Friday.",
        ),
        (
            "Where should the alert go?",
            "Need to ask Sam.",
            "Where should the alert go? Need to ask Sam.",
        ),
    ],
)
def test_her_words_are_not_run_together_with_what_the_agent_told(
    told: str, said: str, kept: str
) -> None:
    """A question is told with its answer: alone that names nothing."""
    digest = gleaned_in_turn("Please prepare a seating plan.", told, said, "Thanks.", *LAMP)
    texts = {fact.text for fact in memories_of(Digest(), digest) if fact.kind == "open_item"}
    assert kept in texts
    assert not any(told in text and text != kept for text in texts)
