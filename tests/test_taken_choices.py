"""What is taken by its name is decided, what is gone back to holds again, and a fault decides nothing.

People choose in a dozen ways that name neither a decision nor an option: `let's take pine`, `let's say 20`,
`back to oak`. As many short messages only tell how things stand: `new errors`, `still blocked`.
"""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

TOP = "Oak or pine for the worktop?"
BOTH = "Oak is harder, pine is cheaper."
WALL = "What could we do for the wall?"
LIME = "I'd suggest lime plaster. Clay is an alternative."
NOTED = "Noted."


def of(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize(
    ("talk", "chosen"),
    [
        ((TOP, BOTH), "Let's take pine for the worktop."),
        ((TOP, BOTH), "Let's go with pine."),
        ((TOP, BOTH), "We take pine."),
        ((WALL, LIME), "OK, let's take lime plaster."),
        (("Who does the electrics?", "Petra Lindqvist or Okafor."), "We take Petra Lindqvist."),
        (("Plan the party.", "How many guests will come?"), "Let's say 20 guests."),
    ],
)
def test_what_is_taken_by_its_name_is_decided(talk: tuple[str, ...], chosen: str) -> None:
    found = read(*talk, chosen, NOTED)
    assert chosen in of(found, "decision")
    assert chosen not in of(found, "request")


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        ((WALL, LIME), "Let's take a look at the clay first."),
        ((WALL, LIME), "Let's take a break."),
        ((WALL, LIME), "We take the bus to school."),
        (("It rains.", "So it does."), "Let's say 20 guests."),
    ],
)
def test_what_takes_nothing_that_was_spoken_of_decides_nothing(
    talk: tuple[str, ...], said: str
) -> None:
    assert said not in of(read(*talk, said, NOTED), "decision")


@pytest.mark.parametrize(
    "talk",
    [
        (TOP, BOTH, "Let's take pine.", NOTED, "Back to oak, final!"),
        (
            "Which worktop?",
            "Oak or granite.",
            "Granite then.",
            NOTED,
            "Granite is too dear. Back to oak.",
        ),
        (TOP, BOTH, "We decided on pine.", NOTED, "I don't like pine. OK, back to oak then."),
    ],
)
def test_who_goes_back_to_one_thing_gives_up_the_other(talk: tuple[str, ...]) -> None:
    chosen = [text.lower() for text in of(read(*talk, NOTED), "decision")]
    assert any("back to oak" in text for text in chosen)
    assert not any("oak" not in text and ("pine" in text or "granite" in text) for text in chosen)


@pytest.mark.parametrize(
    "turned",
    [
        "The Vaillant takes nine months to come. Then Viessmann.",
        "Vaillant takes nine months. Then we take Viessmann.",
        "I don't want the Vaillant any more. Let's take the Viessmann.",
    ],
)
def test_of_two_that_were_offered_the_one_that_is_taken_later_holds(turned: str) -> None:
    asked, taken = "Vaillant or Viessmann for the heat pump?", "OK, Vaillant."
    chosen = of(read(asked, "I'd take the Vaillant.", taken, NOTED, turned, NOTED), "decision")
    assert taken not in chosen
    assert any("Viessmann" in text and text != asked for text in chosen)


def test_what_is_taken_for_two_places_stands_side_by_side() -> None:
    first, second = "Pine for the table.", "And let's take oak for the shelf."
    asked = "Oak or pine for the table and the shelf?"
    chosen = of(read(asked, BOTH, first, NOTED, second, NOTED), "decision")
    assert any("Pine for the table" in text for text in chosen)
    assert second in chosen


@pytest.mark.parametrize(
    "said",
    [
        "Back to the party. On Saturday we need red napkins.",
        "Going back to Friday, I saw Anna there.",
        "So back to Friday - I need a lift then.",
        "I'll take Rex to the vet on Friday.",
        "We'll go with the red cups since Saturday is the party.",
    ],
)
def test_who_only_comes_back_to_something_gives_up_nothing(said: str) -> None:
    talk = ("Which day?", "Friday or Saturday?", "Saturday then.", "OK.")
    chosen = of(read(*talk, said, NOTED), "decision")
    assert "Saturday then." in chosen


def test_who_asks_for_something_of_it_asks() -> None:
    said = "Back to Redis, please raise the queue timeout to 30 s."
    found = read("Let's use Redis for the queue.", "OK.", said, "I'll do that tomorrow.")
    assert said in of(found, "open_item")


@pytest.mark.parametrize(
    ("talk", "chosen"),
    [
        ((TOP, "Both work. Which one?"), "Still the same answer: pine."),
        (
            ("Should we pay before or after delivery?", "Both are possible."),
            "We pay when it has arrived.",
        ),
        (
            ("Rust?", "Rust or Python?"),
            "If we had more time we would use Rust, but let's use Python.",
        ),
    ],
)
def test_what_is_chosen_beside_how_things_stand_is_chosen(
    talk: tuple[str, ...], chosen: str
) -> None:
    assert chosen in of(read(*talk, chosen, NOTED), "decision")


@pytest.mark.parametrize(
    "back", ["Back to work!", "Back to the office tomorrow.", "Back to school."]
)
def test_who_goes_back_to_work_gives_up_nothing(back: str) -> None:
    chosen = of(read(TOP, BOTH, "Let's take pine.", NOTED, back, NOTED), "decision")
    assert "Let's take pine." in chosen
    assert back not in chosen


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (("Fix the build.", "Shall I run ruff or look at new errors?"), "new errors"),
        (("Write the tests.", "Done. Shall I run dimension.py?"), "@dimension.py error"),
        (("Why twice?", "Does the popup still open?"), "still popup gets blocked"),
        (("Order paint.", "Which paint? White or cream?"), "The paint has arrived."),
        (("Write to Ito.", "Shall I send the letter or will you?"), "Just sent it."),
    ],
)
def test_how_things_stand_is_no_choice(talk: tuple[str, ...], said: str) -> None:
    assert said not in of(read(*talk, said, NOTED), "decision")


def test_what_would_be_is_no_choice() -> None:
    said = "If we used Postgres instead of SQLite it would be faster."
    assert said not in of(read("What is slow?", "The parser.", said, "True."), "decision")


def test_a_question_in_a_drafted_letter_is_nobodys_question() -> None:
    asks = "the heating is broken. When can you send somebody?"
    letter = f"Here you go:\n\nDear Mr Ito,\n\n{asks}\n\nKind regards\nMel"
    found = read("Draft an email to the landlord.", letter, "I chose Tuesday.", "OK.")
    assert not any("When can you" in text for text in of(found, "decision"))
