"""Who is glad of what she had asked for has it: nobody waits for it, whoever saw it made."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.facts import closed_of
from everthread.domain.gleaning.open_items.thanked_work import is_glad_of
from everthread.domain.gleaning.person_statements import take_apart
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
