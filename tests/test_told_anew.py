"""A fact that changed is told anew in other words: it takes the place of the first, and of no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.purposes import (
    has_another_subject,
    is_of_another_owner,
    is_of_another_property,
    is_supposed,
)
from everthread.testing import FrozenClock
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

ROWS = Path(__file__).parent.parent / "bench" / "acts" / "ended.jsonl"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My dentist is Dr Abara", "I changed dentists, it's Dr Quist now"),
        ("My dentist is Dr Abara", "I'm with Dr Quist now, changed dentists"),
        ("My dentist is Dr Abara", "I switched to Dr Quist as my dentist"),
        ("Our tutor is Ms Vale", "Our tutor is Mr Oduya now"),
        ("Our tutor is Ms Vale", "Mr Oduya replaced Ms Vale as our tutor"),
        ("The tutor of the twins is Ms Vale", "Ms Vale left, the tutor is Mr Oduya now"),
        ("The gym opens at 6", "the gym opens at 7 now"),
        ("The gym opens at 6", "gym opens at 7 these days"),
        ("My ferry leaves at 14:20", "ferry leaves at 16:05 now"),
        ("Our club shuts at 22", "club shuts at 23 now"),
        ("Anna's birthday is on 3 May", "sorry, Anna's birthday is on 5 May"),
        ("Anna's birthday is on 3 May", "correction: Anna's birthday is the 5th of May"),
        ("Anna's birthday is May 3", "no wait, Anna's birthday is May 5"),
        ("Choir is at 19:00", "choir's at 19:30 now"),
        ("The fee is 40 euros", "they raised the fee to 45 euros"),
        ("I drive a Fiat", "I drive a Renault now"),
        ("The papers are collected on Mondays", "The papers are collected on Fridays now"),
        ("The wifi at the shop is called oak", "we renamed the shop wifi to elm"),
    ],
)
def test_the_later_takes_the_place_of_the_first(old: str, new: str) -> None:
    assert contradicts(new, old)
    # At what hour a place opens is told anew without a `now`, too.
    assert not contradicts(old, new) or "now" not in new or "opens at" in old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # of another, or of something else
        ("My tutor is Ms Vale", "My brother's tutor is Mr Oduya now"),
        ("My tutor is Ms Vale", "My piano tutor is Mr Oduya now"),
        ("My manager is Ilse", "My manager's manager is Rolf now"),
        ("The pool closes at 8", "The pool opens at 9 now"),
        ("The pool closes at 8", "The pool bar closes at 9 now"),
        ("Our rent is 900", "Our rent for the studio is 400 now"),
        # in another respect
        ("Lou is 9", "Lou is 140 cm tall"),
        ("My doctor is Dr Roth", "My doctor is in Room 4 now"),
        ("My sister is Anna", "My sister is Head of Sales now"),
        ("Anna is Bob's boss", "Anna is Head of Sales now"),
        ("I drive a Fiat", "I drive to Rome now"),
        # once, in the past, or only thought of
        ("The bins are collected on Mondays", "This week the bins are collected on Tuesday"),
        ("I sit in row 4", "Today I sit in row 9"),
        ("My dentist is Dr Abara", "maybe I changed dentists, it's Dr Quist now"),
        ("Choir is at 19:00", "Choir is at 19:30 tomorrow"),
    ],
)
def test_what_is_told_of_something_else_leaves_it(old: str, new: str) -> None:
    assert not contradicts(new, old)


def test_a_figure_in_the_same_unit_and_an_age_are_still_told_anew() -> None:
    assert contradicts("Lou is 10 years old", "Lou is 9")
    assert contradicts("Lou is 10", "Lou is 9")


@pytest.mark.parametrize(("part", "least"), [("dev", 36), ("held", 21)])
def test_of_the_rows_of_the_bench_nothing_goes_wrongly(part: str, least: int) -> None:
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    rows = [row for row in rows if row["kind"] == "fact" and row["part"] == part]
    known = [*dict.fromkeys(text for row in rows for text in row["known"])]
    right = wrong = 0
    for row in rows:
        meant = None if row["ends"] is None else row["known"][row["ends"]]
        gone = [text for text in known if contradicts(row["said"], text)]
        right += meant in gone
        wrong += len([text for text in gone if text != meant])
    assert wrong == 0
    assert right >= least


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et.agent("ada")


def test_what_is_remembered_later_takes_its_place(ada: Agent) -> None:
    old = ada.remember("My dentist is Dr Abara")
    beside = ada.remember("My doctor is Dr Roth")
    new = ada.remember("I changed dentists, it's Dr Quist now")
    assert {each.id for each in ada.memories()} == {beside.id, new.id}
    assert ada.memory(old.id).successor == new.key_id


def told(*said: str) -> list[str]:
    gleaner = Gleaner()
    for n, text in enumerate(("Good morning.", *said)):
        gleaner.read(spoken(text, n=2 * n + 1))
        gleaner.read(spoken("Understood.", "agent", n=2 * n + 2))
    return [p.text for p in gleaner.digest().points if p.kind == "fact"]


@pytest.mark.parametrize(
    ("old", "later"),
    [
        ("Our rent is 1,250 a month.", "Tom's rent went up to 1,340 now"),
        ("Our vet is Dr Lindqvist.", "maybe we should switch to Dr Marsh as our vet"),
        ("Our health insurer is Concordia.", "our health insurer is expensive now"),
    ],
)
def test_in_a_talk_anothers_and_what_might_be_leave_it(old: str, later: str) -> None:
    assert old in told(old, later)


def test_of_whom_and_in_which_respect_it_is_told() -> None:
    assert is_of_another_owner("Tom's rent is 1,340 now", "Our rent is 1,250")
    assert not is_of_another_owner("Tom's rent is 1,340 now", "Tom's rent is 1,250")
    assert is_of_another_property("my class is full now", "My class is on Tuesdays")
    assert is_of_another_property(
        "the cabin wifi is slow now", "The wifi at the cabin is called larch"
    )
    assert not is_of_another_property("my class is on Fridays now", "My class is on Tuesdays")
    assert is_supposed("I may change banks to Kestrel")
    assert not is_supposed("I changed banks to Kestrel")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I wear size 38", "My husband wears size 44 now"),
        ("The pool closes at 8", "The pool bar closes at 9 now"),
        ("Our rent is 900", "Their rent is 1000 now"),
        ("The bus leaves at 7", "The bus leaves from Gate 4 now"),
        ("I drive a Fiat", "I drive to Rome now"),
    ],
)
def test_somebody_else_or_in_another_way(old: str, new: str) -> None:
    assert has_another_subject(new, old)
    assert f"{old}." in told(f"{old}.", f"{new}.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The bus leaves at 7", "the bus now leaves at 8"),
        ("Our rent is 900", "The rent is 950 now"),
        ("The fair is on 3 May", "The fair is 5 May now"),
        ("The fair is on 3 May", "We moved the fair to 5 May"),
        ("Standup", "Standup is at 9"),
    ],
)
def test_the_same_in_the_same_way(old: str, new: str) -> None:
    assert not has_another_subject(new, old)
