"""What an agent says is not done: is it left to be done, or only named on the way?"""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.open_items.leftovers import asks_itself, left_undone
from everthread.domain.gleaning.open_items.standings import LEFT
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import leaves_open, parse_sentence
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

BOAT = """
The keel is laid.
The ribs are bent.
I caulked the seams.
The mast is up.
The sails are cut.
The ropes are spliced.
I oiled the deck.
The rudder hangs.
The lamp is hung.
The name is painted.
"""
OTHER = ("Which oak is it?", "It is a red oak.")


def open_items(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item"]


@pytest.mark.parametrize(
    "step",
    [
        "Let me make the page:",
        "Now let me do that.",
        "Good, let's make the page for the hut:",
    ],
)
def test_what_the_next_step_deals_with_is_not_left(step: str) -> None:
    left = "We haven't created the page of the hut yet."
    assert not left_undone(take_apart(f"{left} {step}\n\nIt is up."), left)
    digest = read("Why is there no page of the hut?", f"{left} {step}\n\nIt is up.", *OTHER)
    assert open_items(digest) == []


@pytest.mark.parametrize(
    "after",
    [
        "Let me know if you want cheaper ones.",
        "Let me just tell you about the planks: they cost 40 euros.",
        "Let me explain it: the mill is closed.",
        "Let's hope for sun.",
        "The rest is done.",
    ],
)
def test_what_no_step_deals_with_is_left(after: str) -> None:
    left = "Two planks of the boat are still missing."
    assert left_undone(take_apart(f"The keel is laid. {left} {after}"), left)


def test_in_a_long_message_it_is_left_where_one_tells_how_far_the_work_is() -> None:
    left = "The anchor chain is not welded yet."
    rows = BOAT.strip().splitlines()
    middle = "\n".join([*rows[:5], left, *rows[5:]])
    assert not left_undone(take_apart(middle), left)
    assert left_undone(take_apart(middle), left, "Weld the anchor chain.")
    listed = "\n".join([*rows[:5], "", "Still to do:", f"- {left}", "", *rows[5:]])
    assert left_undone(take_apart(listed), left)
    assert left_undone(take_apart(f"{BOAT}\n{left}"), left)


@pytest.mark.parametrize("text", ["In short: **Not entirely yet.**", "Status: pending."])
def test_what_names_nothing_is_not_left(text: str) -> None:
    assert not left_undone(take_apart(f"{text} It must dry for 4 hours."), text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The kiln still has the old lid.", False),
        ("Elimin\u00e9 todo el c\u00f3digo duplicado.", False),
        ("Todo parece estar correcto.", False),
        ("The surveyor still has to sign the papers.", True),
        ("We still have two seams to caulk.", True),
        ("The boat still needs an anchor.", True),
        ("There is a todo in the log of the boat.", True),
        ("Todo: the anchor chain.", True),
    ],
)
def test_words_of_what_is_left(text: str, left: bool) -> None:
    assert leaves_open(parse_sentence(text)) is left


def test_what_she_is_to_do_herself_is_told_for_some_turns_as_well() -> None:
    hers = "You still have to sign version 3 in the console."
    begun = ("Publish the app.", f"I built version 3. {hers}")
    assert hers in open_items(read(*begun, *(LEFT - 1) * OTHER))
    assert open_items(read(*begun, *(LEFT + 2) * OTHER)) == []


def test_what_an_agent_left_is_told_for_some_turns() -> None:
    left = "The gate is still to be painted."
    begun = ("Paint the fence.", f"I've painted the fence. {left}")
    assert left in open_items(read(*begun, *(LEFT - 1) * OTHER))
    assert open_items(read(*begun, *(LEFT + 2) * OTHER)) == []


@pytest.mark.parametrize(
    ("question", "after", "asks"),
    [
        ("**Why are there two lamps?**", "\n\nBecause one lights the stairs.", False),
        ("**How is it wired?**", "\n\nBy two wires.", False),
        ("**Which lamp do you want?**", "\n\nBoth cost 40 euros.", True),
        ("What is the budget?", " I need it for the order.", True),
        ("**Why are there two lamps?**", "", True),
    ],
)
def test_a_question_that_heads_its_answer_asks_nobody(
    question: str,
    after: str,
    asks: bool,
) -> None:
    assert asks_itself(question, take_apart(f"Fine. {question}{after}")) is asks
