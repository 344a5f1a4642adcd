"""What a person settles in passing is a decision: one way and not the other, or what it shall be."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.said import from_person, take_apart
from everthread.domain.text.settling import contrasts, settled
from everthread.domain.text.speech import decides, heard

pytestmark = pytest.mark.req("A-13", "LA-10")


def kinds(text: str) -> dict[str, str]:
    found = from_person(take_apart(text, own=True), opening=False, back={})
    return {each.kind: each.text for each in found}


@pytest.mark.parametrize(
    "text",
    [
        "Use Redis, not Memcached.",
        "We'll leave on Friday, not Thursday.",
        "Let's meet at the mill rather than the barn.",
        "Book the night train instead of the bus.",
        "Take the blue tiles over the green ones.",
        "Wir nehmen den Zug statt des Busses.",
        "Usa tabuladores en vez de espacios.",
        "Prenons le train plutôt que le bus.",
        "Stay with 1913.",
        "Make it 30.",
        "Use the paired one then.",
        "I'm keeping the old gate.",
        "Friday it is.",
        "Plums and pears then.",
        "Weekly and monthly only.",
        "Let's go for the mill instead.",
        "En la playa entonces.",
        "还是坐火车吧。",
    ],
)
def test_who_names_one_of_two_ways_decides(text: str) -> None:
    assert "decision" in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should we use Redis, not Memcached?",
        "Maybe use Redis rather than Memcached.",
        "If we use Redis, not Memcached, it is faster.",
        "Use it, not only for mails.",
        "See you then.",
        "I lived in Rome then.",
        "Yes it is.",
        "Here it is.",
        "Good night then.",
        "Read only.",
        "Make it faster.",
        "Stick to it.",
        "Let's go for a walk.",
        "I'm keeping busy.",
        "My sister moved over the river.",
        "Write a poem about the sea.",
    ],
)
def test_what_only_looks_so_decides_nothing(text: str) -> None:
    said = heard(text)
    assert not contrasts(said)
    assert not settled(said)


@pytest.mark.parametrize(
    "text",
    ["No, the dentist, not the vet.", "It's the owner of the shop, not of the house."],
)
def test_who_puts_something_right_corrects(text: str) -> None:
    assert set(kinds(text)) == {"correction"}


def test_an_order_that_decides_is_asked_for_as_well() -> None:
    text = "Use Redis, not Memcached."
    assert kinds(text) == {"request": text, "decision": text}


def test_a_choice_of_few_words_is_told_with_what_it_is_of() -> None:
    text = "My group says the image of the bandage is too much. I'm keeping it."
    assert kinds(text) == {"decision": text}


@pytest.mark.parametrize(
    "text",
    [
        "Let's keep going and chase our dreams!",
        "We'll keep pushing each other.",
        "I'm gonna keep it up.",
        "Let's keep an eye on it.",
    ],
)
def test_who_goes_on_as_before_has_chosen_nothing(text: str) -> None:
    assert not decides(heard(text))
    assert not {"decision", "request"} & kinds(text).keys()


def test_who_keeps_a_thing_has_chosen() -> None:
    assert decides(heard("Let's keep the old logo."))
    assert "request" in kinds("Let's keep working on `parser.py` and src/lexer.py.")
