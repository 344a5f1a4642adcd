"""A plan of numbered steps, and what a person says to single ones: what she leaves out she did not choose."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.text.sentences import stretches
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")

PLAN = (
    "This is how I would do it:\n1. Dig the beds.\n2. Lay the drip hose.\n3. Plant the beeches.\n"
    "4. Put up a fence.\n5. Spread the mulch.\n\nShall I go ahead?"
)


def said_to_plan(words: str) -> Digest:
    return gleaned(
        ("user", "I want a hedge."), ("agent", PLAN), ("user", words), ("agent", "Good.")
    )


def texts(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize(
    "words",
    [
        "Skip step 3",
        "Yes, but skip step 3",
        "Good, drop step 3",
        "Step 3 is not needed",
        "Ja, aber ohne Eile: Schritt 3 nicht",
    ],
)
def test_a_step_that_is_left_out_is_told_by_what_it_is(words: str) -> None:
    digest = said_to_plan(words)
    assert any("Plant the beeches" in text for text in texts(digest, "correction"))
    assert not any("Plant the beeches" in text for text in texts(digest, "decision"))


@pytest.mark.parametrize("words", ["Yes, but skip step 3 and 4", "Yes, but skip steps 3 and 4"])
def test_none_of_several_that_are_left_out_is_chosen(words: str) -> None:
    digest = said_to_plan(words)
    out = " ".join(texts(digest, "correction"))
    assert "Plant the beeches" in out
    assert "Put up a fence" in out
    assert not any("Put up a fence" in text for text in texts(digest, "decision"))


def test_a_step_that_can_wait_is_left_open() -> None:
    assert any(
        "Spread the mulch" in text for text in texts(said_to_plan("Step 5 can wait"), "open_item")
    )


@pytest.mark.parametrize("words", ["4: only on the road side", "4: make it a low one, please"])
def test_what_she_says_of_a_step_is_told_with_it(words: str) -> None:
    told = texts(said_to_plan(words), "decision")
    assert any("Put up a fence" in text for text in told)
    assert words in told


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("4: make it a low one", True),
        ("12: that one is too dear", True),
        ("4: x = make(it);", False),
        ("4:     return made", False),
        ("120: that is where the list ends", False),
        ("4| a low one", False),
    ],
)
def test_a_number_before_words_is_hers_and_before_code_a_line_of_a_file(
    line: str, read: bool
) -> None:
    assert bool([*stretches(line, own=True)]) is read
