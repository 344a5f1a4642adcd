"""Where something is: a later place takes that of the earlier, and what only looks like one does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.memory.contradictions import contradicts
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("LA-18")

MOVED = [
    ("The office is in Munich", "The office is in Berlin"),
    ("The office is now in Munich.", "The office is in Berlin"),
    ("Actually, the office is in Munich", "The office is in Berlin."),
    ("The office is in Munich now", "The office is in Berlin"),
    ("Our office is in Munich", "Our office is in Berlin"),
    ("The office is located in Munich", "The office is in Berlin"),
    ("The office is in Munich", "The office is based in Berlin"),
    ("Acme's office is in New York", "Acme's office is in San Francisco"),
    ("The office of Acme is in Munich", "The office of Acme is in Berlin"),
    ("The new headquarters is in Vienna", "The new headquarters is in Graz"),
    ("The office is on Baker Street", "The office is on Main Street"),
    ("The office is at Main Street 7", "The office is at Main Street 5"),
    ("My apartment is in Lyon", "My apartment is in Paris"),
    ("The warehouse is in Rotterdam", "The warehouse is in Antwerp"),
    ("The conference is in Oslo", "The conference is in Bergen"),
    ("The conference is in April", "The conference is in March"),
    ("The meeting is on Tuesday", "The meeting is on Monday"),
    ("The meeting is on Teams", "The meeting is on Zoom"),
    ("The meeting is at 11:00", "The meeting is at 10:00"),
    ("The meeting is in Room 5", "The meeting is in Room 4"),
    ("The wedding is in June 2027", "The wedding is in May 2027"),
    ("The server is in Dublin", "The server is in Frankfurt"),
    ("The backup is in us-west-2", "The backup is in us-east-1"),
    ("The car is in Hamburg", "The car is in Bremen"),
    ("The release is in 2027", "The release is in 2026"),
    ("The offsite is in Porto in May", "The offsite is in Lisbon in May"),
    ("The exam is on Friday", "The exam is on Thursday"),
]
"""(later, earlier)"""

BESIDE = [
    ("The office in Berlin is large", "The office is in Munich"),
    ("The office in Berlin is large", "The office in Munich is large"),
    ("The Munich office has 5 people", "The office is in Berlin"),
    ("The Munich office is in Schwabing", "The Berlin office is in Mitte"),
    ("The new office is in Munich", "The office is in Berlin"),
    ("Our office is in Munich", "Their office is in Berlin"),
    ("An office is in Munich", "An office is in Berlin"),
    ("Another office is in Munich", "Another office is in Berlin"),
    ("One of our offices is in Munich", "One of our offices is in Berlin"),
    ("There is an office in Munich", "There is an office in Berlin"),
    ("The office was in Munich", "The office is in Berlin"),
    ("The office might be in Munich", "The office is in Berlin"),
    ("The office is not in Munich", "The office is in Berlin"),
    ("The office is in Munich on Fridays", "The office is in Berlin on Mondays"),
    ("The office is in Munich on Fridays", "The office is in Berlin"),
    ("The office is in Berlin and Munich", "The office is in Berlin"),
    ("The office is in Berlin Mitte", "The office is in Berlin"),
    ("The office is in use", "The office is in Berlin"),
    ("The office is in a tower", "The office is in Berlin"),
    ("The office is in Building 7", "The office is in Berlin"),
    ("The office is in Building 7", "The office is in Room 12"),
    ("The office is at Siemens", "The office is in Munich"),
    ("The meeting is in March", "The meeting is in Berlin"),
    ("The meeting is on Zoom", "The meeting is in Berlin"),
    ("The meeting is on Monday", "The meeting is at 10:00"),
    ("The meeting is in progress", "The meeting is in Berlin"),
    ("The documentation is in English", "The documentation is in Markdown"),
    ("The parser is in Rust", "The parser is in Docker"),
    ("Is the office in Munich?", "The office is in Berlin"),
    ("The office is in Munich. It is large.", "The office is in Berlin. It is small."),
    ("The warehouse is in Munich", "The office is in Berlin"),
    ("If we grow, the office is in Munich", "The office is in Berlin"),
]
"""(later, earlier): both can hold"""


def test_there_are_enough_of_each() -> None:
    assert len(MOVED) >= 25
    assert len(BESIDE) >= 25


@pytest.mark.parametrize(("new", "old"), MOVED)
def test_what_moved_takes_the_place_of_where_it_was(new: str, old: str) -> None:
    assert contradicts(new, old)
    assert contradicts(old, new), "it may move back"
    assert not contradicts(new, new)


@pytest.mark.parametrize(("new", "old"), BESIDE)
def test_what_can_both_be_true_stands_beside(new: str, old: str) -> None:
    assert not contradicts(new, old)
    assert not contradicts(old, new)


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et.agent("ada")


def test_what_is_remembered_later_supersedes(ada: Agent) -> None:
    old = ada.remember("The office is in Berlin", kind="fact")
    beside = ada.remember("The Munich office has 5 people", kind="fact")
    new = ada.remember("The office is in Munich", kind="fact")
    assert {each.id for each in ada.memories()} == {beside.id, new.id}
    assert ada.memory(old.id).state == "superseded"
