"""What a person leaves open is told with what she speaks of, where her last sentence does not name it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.roots import roots
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    "said",
    [
        "Do we sell to the cafés by the harbour? Two have asked. Not now, I can't think about it yet.",
        "do we sell to the cafes by the harbour? 2 have asked. not now, cant think abt it yet",
    ],
)
def test_it_is_told_with_the_sentences_before_it(said: str) -> None:
    digest = read(said, "Fine.", "How high is the tower?", "It is 40 metres high.")
    left = [p.text for p in digest.points if p.kind == "open_item"]
    assert any(each.casefold().startswith("do we sell to") for each in left), left


def test_what_names_its_thing_is_told_alone() -> None:
    said = "The oven works. The colour of the sign for the second shop is still undecided."
    digest = read(said, "Fine.", "How high is the tower?", "It is 40 metres high.")
    [left] = [p.text for p in digest.points if p.kind == "open_item"]
    assert left.startswith("The colour")


def test_small_words_typed_in_haste_tell_nothing() -> None:
    assert roots("cant dont abt yet dunno") == frozenset()
    assert roots("dont paint the fence yet") == roots("don't paint the fence yet")
