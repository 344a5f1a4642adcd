"""What she said later and may change what she said before: the older is never told without it."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.summaries import render
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.later_words import later_words
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-8", "R-18")

CHANGED = [
    ("Mia is allergic to hazelnuts.", "It's not hazelnuts after all, it's cashews."),
    ("I go to the gym on Mondays.", "I've quit the gym."),
    ("Team meeting is on Thursdays at 10.", "We've swapped the team meeting to Tuesdays."),
    ("I drive a Golf.", "I've traded the Golf for a Kona."),
    ("Decided: the Golf gets sold in May.", "We keep the Golf, my brother wants it."),
    ("Our cat is called Momo.", "We've rehomed Momo with my aunt."),
]
APART = [
    ("Mia is allergic to hazelnuts.", "We have no milk left."),
    ("I drive a Golf.", "Is the Golf sold now?"),
    ("I drive a Golf.", "The Golf is parked in the yard."),
    ("I go to the gym on Mondays.", "I go to the gym on Mondays."),
]


def gleaned(*said: str, answer: str = "Noted.") -> Digest:
    gleaner = Gleaner()
    for n, text in enumerate(said):
        gleaner.read(spoken(text, "user", n=2 * n + 1))
        gleaner.read(spoken(answer, "agent", n=2 * n + 2))
    return gleaner.digest()


def paired(digest: Digest) -> list[tuple[str, str]]:
    return [(old.text, new.text) for old, new in later_words(digest.points).items()]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_both_are_memories(old: str, new: str) -> None:
    digest = gleaned(old, new)
    assert paired(digest) == [(old, new)]
    assert {old, new} <= {fact.text for fact in memories_of(EMPTY, digest)}


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_a_change_is_kept_too_where_the_older_was_kept_before(old: str, new: str) -> None:
    gleaner = Gleaner()
    gleaner.read(spoken(old, "user", n=1))
    before = gleaner.digest()
    gleaner.read(spoken(new, "user", n=2))
    assert new in {fact.text for fact in memories_of(before, gleaner.digest())}


@pytest.mark.parametrize(("old", "new"), APART)
def test_what_only_looks_like_it_is_no_pair(old: str, new: str) -> None:
    assert paired(gleaned(old, new)) == []


def test_a_word_of_which_all_is_about_pairs_nothing() -> None:
    talk = [
        f"The kitchen needs {thing}." for thing in ("tiles", "a sink", "lamps", "an oven", "paint")
    ]
    assert paired(gleaned(*talk, "The kitchen is not cheap.")) == []


@pytest.mark.parametrize("tokens", range(60, 400, 20))
def test_however_little_room_there_is_the_older_is_not_told_alone(tokens: int) -> None:
    """The newer goes first; where that has no room, neither is told."""
    digest = gleaned(*(text for pair in CHANGED for text in pair))
    told = render(digest, number=1, tokens=tokens, count=lambda text: len(text) // 4).text
    alone = [old for old, new in paired(digest) if old in told and new not in told]
    assert alone == []


def test_with_room_both_are_told() -> None:
    digest = gleaned(*(text for pair in CHANGED for text in pair))
    told = render(digest, number=1, tokens=2_000, count=lambda text: len(text) // 4).text
    assert [pair for pair in paired(digest) if pair[0] in told and pair[1] in told]
