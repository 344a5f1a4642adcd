"""Who is glad of what she had asked for has it: nobody waits for it, whoever saw it made."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.facts import closed_of
from everthread.domain.gleaning.open_items.thanked_work import is_glad_of
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "R-15")

LIST = "Could you make a list of the members?"


@pytest.mark.parametrize(
    ("request_", "later"),
    [
        (LIST, "Thanks for the list of members, perfect."),
        (LIST, "Thanks for the list."),
        (
            "Please write the programme notes for the gala.",
            "The programme notes turned out lovely.",
        ),
        ("Can you look up camp sites near Annecy?", "Those camp sites you found are great."),
        ("Could you make a crossword about rivers for 5a?", "5a loved the crossword!"),
        ("Please prepare a pitch deck for Veldt.", "Veldt loved the pitch deck."),
        ("Find me three recipes for the cake.", "Great recipes!"),
        ("Please order more boxes.", "Thanks for ordering the boxes."),
        ("Fix the login bug.", "Great, you fixed the login bug."),
        ("Translate the letter.", "The letter you translated reads well."),
        ("Write the release notes for 2.4.", "The release notes for 2.4 read well."),
        ("Find a dentist in Graz.", "The dentist you found came yesterday."),
        ("Draft a letter to the vicar.", "I sent the letter you drafted."),
    ],
)
def test_thanks_or_praise_that_name_it_close_it(request_: str, later: str) -> None:
    assert is_glad_of(take_apart(later), request_)


@pytest.mark.parametrize(
    ("request_", "later"),
    [
        (LIST, "Thanks for the shopping list."),
        (LIST, "Thanks for the list of guests."),
        (LIST, "Thanks in advance for the list."),
        (LIST, "The list is great, but two altos are missing."),
        (LIST, "Thanks, I need the list by Friday."),
        (LIST, "Is the list great?"),
        (LIST, "Thanks for offering to make the list."),
        (LIST, "The members are great."),
        ("Can you design a poster for the concert?", "Thanks for the seating plan."),
        ("Please order more boxes.", "These boxes are great."),
        ("Send the report to Tom.", "The report is excellent."),
    ],
)
def test_other_things_and_what_is_still_to_come_close_nothing(request_: str, later: str) -> None:
    assert not is_glad_of(take_apart(later), request_)


@pytest.mark.parametrize(
    ("request_", "later"),
    [
        ("Write the minutes of the meeting.", "You skipped the minutes of the meeting."),
        ("Make a budget for the fair.", "You promised me a budget for the fair."),
        ("Make a budget for the fair.", "Great, you ignored the budget for the fair."),
        ("Create the invoice for Kline.", "You deleted the invoice for Kline."),
        ("Create the invoice for Kline.", "You failed to create the invoice for Kline."),
        ("Make a poster for the concert.", "Thanks for the poster. Half of it is missing."),
        ("Find a flat in Porto.", "The flat you found is ugly."),
    ],
)
def test_a_complaint_is_no_thanks(request_: str, later: str) -> None:
    assert not is_glad_of(take_apart(later), request_)


@pytest.mark.parametrize(
    ("request_", "later"),
    [
        ("Fix the login bug.", "Great, you reproduced the login bug."),
        ("Fix the login bug.", "Thanks, you found the login bug."),
        ("Check the invoice from Gruber.", "Thanks for the invoice from Gruber."),
        ("Review the contract.", "The contract looks good."),
        ("Translate the letter.", "The letter you sent is great."),
        ("Update the docs.", "I love the docs."),
        ("Plan the trip to Rome.", "We loved the trip to Rome."),
        ("Draw the church.", "The church is beautiful."),
        ("Make the bed.", "The bed is lovely."),
        ("Find a gift for Lea.", "Thanks for the gift."),
        ("Send the report to Tom.", "Thanks for sending me the report."),
    ],
)
def test_of_what_was_there_before_the_deed_must_be_named(request_: str, later: str) -> None:
    assert not is_glad_of(take_apart(later), request_)


@pytest.mark.parametrize(
    ("request_", "later"),
    [
        ("Plan a trip to Rome.", "We loved the trip to Rome last year."),
        ("Make a list of the members.", "I love lists."),
        ("Make a list of the members.", "My sister made a great list."),
        ("Make a poster for the concert.", "Their poster is lovely."),
        ("Make a poster for the concert.", "The poster Kim made is wonderful."),
        ("Draft a letter to the vicar.", "Petra's letter to the vicar reads well."),
        ("Draft a letter to the vicar.", "Thanks for the letter from the vicar."),
        ("Make a playlist for the party.", "Lea loves the playlist idea."),
        ("Make a budget for the fair.", "I like the budget for the fair to be small."),
    ],
)
def test_of_another_time_kind_or_owner_it_is_another(request_: str, later: str) -> None:
    assert not is_glad_of(take_apart(later), request_)


def test_what_the_agent_had_put_off_is_closed_with_its_memory() -> None:
    before = gleaned_in_turn("Hello.", "Hello.", LIST, "I'll put it together tonight.")
    assert [p.text for p in before.points if p.kind == "open_item"] == [LIST]
    after = gleaned_in_turn("Thanks for the list, perfect.", "Gladly.", before=before, start=50)
    assert not [p for p in after.points if p.kind == "open_item"]
    assert [p.text for p in closed_of(before, after).points] == [LIST]


def test_a_question_about_the_same_does_not_take_the_place_of_an_order() -> None:
    asked = "Can you make a price list for the fair?"
    digest = gleaned_in_turn(
        "Hello.", "Hello.", asked, "I will make it tomorrow.", "Where is the fair?", "In Hall 7."
    )
    assert [p.text for p in digest.points if p.kind == "open_item" and p.pinned] == [asked]


def test_what_it_can_do_later_is_put_off() -> None:
    asked = "Could you draft a letter to the vicar?"
    said = ("Hello.", "Hello.", asked, "I can do that tonight.", "What time is it?", "It is nine.")
    digest = gleaned_in_turn(*said)
    assert [p.text for p in digest.points if p.kind == "open_item" and p.pinned] == [asked]
