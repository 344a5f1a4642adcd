"""Who is one person to those who speak is told once; so is where a thing is, and how many they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.digest import EMPTY, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.value_claims import is_address, kind_of
from everthread.domain.text.attributes import states_attribute
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "LA-18")

CHANGED = [
    ("Our accountant is Beatrix.", "Jonas is our accountant now."),
    ("Our accountant is Beatrix.", "Our new accountant is Jonas."),
    ("My dentist is Dr Hale.", "My new dentist is Dr Quist."),
    ("My dentist is Dr Hale.", "Dr. Quist is my dentist now."),
    ("The landlord is Mr Osei.", "Mrs Krag is the landlord now."),
    ("Staging is at https://stg.example.com.", "Staging moved, it's https://new.example.com."),
    ("The wiki is at https://wiki.example.com.", "The wiki moved to https://know.example.com."),
    ("The clinic is at 14 Mill Lane.", "The clinic has moved, it's at 3 Harbour Street now."),
    ("We are 24 people.", "We are 22 now."),
    ("We are 31 singers.", "We're down to 28 singers."),
]

KEPT = [
    ("Our accountant is Beatrix.", "Jonas is an accountant now."),
    ("Our accountant is Beatrix.", "Jonas is our accountant's assistant now."),
    ("Our accountant is Beatrix.", "Jonas is our tax accountant now."),
    ("Our accountant is Beatrix.", "Jonas is our accountant in Vienna now."),
    ("Our accountant is Beatrix.", "Our accountant is Portuguese."),
    ("Our accountant is Beatrix.", "Beatrix is our neighbour now."),
    ("My colleague is Hugo.", "Vera is my colleague now."),
    ("My colleague is Hugo.", "My new colleague is Vera."),
    ("One of our testers is Mia.", "Ravi is one of our testers now."),
    ("Our tester is Mia.", "Ravi is our tester now."),
    ("My doctor is Dr Hale.", "Dr Quist is my mother's doctor now."),
    ("My doctor is Dr Hale.", "My new heart doctor is Dr Quist."),
    ("Our cleaner is Ana.", "Our new cleaner is a Bosch."),
    ("The captain of our team is Bea.", "Rita is the vice captain of our team now."),
    ("Staging is at https://stg.example.com.", "Staging moved, it's slow today."),
    ("Staging is at https://stg.example.com.", "Production moved, it's https://new.example.com."),
    ("The docs are at https://docs.example.com.", "The API docs moved to https://api.example.com."),
    ("We are 24 people.", "We are 22 in the Berlin office."),
    ("We are 24 people.", "We are 22 days behind now."),
    ("We are 24 people.", "They are 22 now."),
    ("We are 6 cousins.", "We are 35 now."),
    ("We have 20 guests.", "We have up to 30 guests."),
    ("We are 24 people.", "The support team has 7 people now."),
    ("There are 68 guests on the list.", "There are 71 chairs on the list now."),
]


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


def _stands(old: str, new: str) -> bool:
    """Does a talk carry it on, in which the other is said?"""
    known = Point("fact", old, (bytes(16),), "user", 1, 0.8)
    said = ("Good morning.", "Good morning.", new, "Understood.")
    digest = gleaned_in_turn(*said, before=EMPTY._replace(points=(known,)))
    return any(p.text == old for p in digest.points)


def _drawn(*said: str) -> list[str]:
    turns = [text for each in ("Good morning.", *said) for text in (each, "Understood.")]
    return [fact.text for fact in memories_of(EMPTY, gleaned_in_turn(*turns))]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_the_later_takes_the_place_of_the_earlier(old: str, new: str, ada: Agent) -> None:
    assert contradicts(new, old)
    assert not _stands(old, new)
    assert _drawn(old, new) == [new]
    ada.remember(old)
    ada.remember(new)
    assert [m.text for m in ada.memories()] == [new]


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_what_is_of_another_leaves_it(old: str, new: str) -> None:
    assert not contradicts(new, old)
    assert _stands(old, new)


@pytest.mark.parametrize(
    "text",
    [
        "That is our plan now.",
        "Rita is happy now.",
        "We are 2.",
    ],
)
def test_not_all_that_is_so_now_is_worth_a_memory(text: str) -> None:
    assert not states_attribute(text)
    assert text not in _drawn(text)


@pytest.mark.parametrize("text", ["Docker is the problem now.", "We are 2 days late."])
def test_what_is_so_now_takes_no_place(text: str) -> None:
    assert not states_attribute(text)


def test_an_address_is_no_count() -> None:
    assert kind_of("14 Mill Lane") == "name" and kind_of("14 euros") == "number"
    assert is_address("https://x.example.com/a") and is_address("3 Harbour Street")
    assert not is_address("slow") and not is_address("12 GB")
