"""What is not mended stays open by what it is about; who orders something else has moved on."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.open_items.complaints import is_unhappy, names_nothing
from everthread.domain.gleaning.open_items.deferrals import advice_of
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

LID = "Mend the lid of the kiln, it slides off the rim."
MENDED = "I've mended the lid of the kiln."
LOOKS = "Let me look at the rim of it."
OTHER = ("Which oak is it?", "It is a red oak.")


def open_items(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item"]


@pytest.mark.parametrize("reply", [MENDED, LOOKS])
@pytest.mark.parametrize(
    "again",
    ["Still not working, please fix it.", "It's still the same.", "It still doesn't work."],
)
def test_a_complaint_without_a_name_is_told_by_what_it_is_about(reply: str, again: str) -> None:
    digest = read(LID, reply, again, LOOKS)
    assert open_items(digest) == [LID]
    told = next(p for p in digest.points if p.text == LID)
    assert len(told.sources) == 2


def test_who_complains_again_and_again_waits_for_the_first_thing() -> None:
    digest = read(LID, MENDED, "It still doesn't work.", MENDED, "still not working", LOOKS)
    assert open_items(digest) == [LID]
    digest = read(LID, MENDED, "It still doesn't work.", MENDED, "Great, it works now.", "Good.")
    assert open_items(digest) == []


def test_what_comes_after_the_comma_is_not_what_is_wrong() -> None:
    again = "Still not working, there is no smoke and the lamp of the chimney goes on"
    assert LID in open_items(read(LID, LOOKS, again, LOOKS))


def test_a_short_complaint_speaks_of_what_the_agent_was_at() -> None:
    assert LID in open_items(read(LID, LOOKS, "The thing is still loose.", LOOKS))


@pytest.mark.parametrize(
    "words",
    [
        "The pump of the well behind the house is still loud.",
        "It still works fine, thanks.",
        "I still want the red one for the hall.",
        "Is the shop still open?",
    ],
)
def test_who_speaks_of_another_thing_complains_of_none(words: str) -> None:
    assert LID not in open_items(read(LID, MENDED, words, "All right."))


@pytest.mark.parametrize(
    ("words", "unhappy"),
    [
        ("The lid is still loose.", True),
        ("La tapa sigue igual.", True),
        ("Der Deckel ist immer noch lose.", True),
        ("\u76d6\u5b50\u8fd8\u662f\u4e0d\u7d27", True),
        ("\u8fd8\u662f\u7528\u7ea2\u8272\u5427", False),
        ("I still need the key.", False),
        ("Is the lid still loose?", False),
        ("Mend it again.", False),
        ("The lid is on.", False),
    ],
)
def test_what_is_as_it_was_is_a_complaint(words: str, unhappy: bool) -> None:
    assert is_unhappy(parse_sentence(words)) is unhappy


def test_words_that_say_only_that_something_is_wrong() -> None:
    assert names_nothing("Sigue sin funcionar, por favor arr\u00e9glalo")
    assert names_nothing("still not working, please fix it")
    assert not names_nothing("the lid is still not working")
    assert not names_nothing("Undo it, please.")


# Who moves on


def test_who_orders_something_else_has_moved_on() -> None:
    bricks = "Order 40 bricks for the wall."
    assert open_items(read(LID, LOOKS, bricks, "Let me see the prices.")) == [bricks]


@pytest.mark.parametrize(
    "words",
    [
        "And order 40 bricks for the wall.",
        "Also order 40 bricks for the wall.",
        "How many bricks do we have?",
        "The lid weighs 4 kg.",
        "continue",
    ],
)
def test_what_comes_beside_it_leaves_it_open(words: str) -> None:
    assert LID in open_items(read(LID, LOOKS, words, "Let me see."))


# The agent's last words


def test_what_the_last_words_go_about_is_not_done() -> None:
    asked = "Build the shelves in oak, they bend again."
    told = "You want them in oak. I've changed the height of one shelf before. The shelves bend."
    assert open_items(read(asked, f"{told} They are 2 m wide. Let me measure the wall.")) == [asked]
    assert open_items(read(asked, f"Let me measure the wall. {told} All of them are built.")) == []


def test_what_hindered_it_before_another_try_is_overcome() -> None:
    asked = "Open the door of the shed."
    stuck = "I couldn't open the door of the shed with the key."
    again = "Let me try the other one:"
    assert open_items(read(asked, f"{stuck} {again}\n\nIt is open now.", *OTHER)) == []
    told = "Let me show you what I found: the lock is from 1950."
    for reply in (
        f"Let me try the key. {stuck}",
        f"{again}\n\nNo luck. {stuck}",
        f"{stuck} {told}",
    ):
        assert asked in open_items(read(asked, reply, *OTHER))


def test_what_the_agent_is_about_to_do_is_no_advice() -> None:
    assert advice_of(take_apart("It is the hinge. Let me look at the rim.")) == ""
    advice = "Check the oven before noon."
    assert advice_of(take_apart(f"It is the hinge. {advice}")) == advice


# What she wants to know


def test_what_she_wants_to_know_she_asks() -> None:
    why = "I'd like to find out why the hinge squeaks."
    asked = f"No. We keep the steel hinge but {why} So take it apart and start anew."
    assert open_items(read(asked, "Let me take the hinge apart.", *OTHER, *OTHER)) == []


@pytest.mark.parametrize(
    "own",
    [
        "I'll ask Tom whether the lid fits.",
        "I need to find out what Tom charges.",
        "I need to ask Tom about the price.",
    ],
)
def test_what_she_will_do_herself_stays(own: str) -> None:
    asked = f"{own} Please measure the rim of the kiln."
    assert open_items(read(asked, "It is 40 cm wide.", *OTHER)) == [own]
