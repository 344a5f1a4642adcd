"""Who asks without a question mark asks all the same; who tells how it shall be made chooses nothing."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import gleaned_in_turn as read


@pytest.mark.parametrize(
    "said",
    [
        "so how many rehearsals can we afford",
        "ok so which one is cheaper",
        "but why does it fail on friday",
        "and what about the venue",
        "ok can we still move it",
    ],
)
def test_a_question_is_one_without_its_mark_and_after_small_words(said: str) -> None:
    assert parse_sentence(said).asks


@pytest.mark.parametrize(
    "said",
    [
        "so do I most of the time",
        "and what we need is a plan",
        "but when it rains we stay in",
        "then the hall is booked by noon",
        "So how we do it is: first the posts.",
    ],
)
def test_what_only_begins_like_a_question_is_none(said: str) -> None:
    assert not parse_sentence(said).asks


@pytest.mark.parametrize(
    "said",
    [
        "Can you write a label for the figs? Short, the tag is tiny.",
        "Could you make the badge for Ines? Round, with a pin.",
    ],
)
def test_how_a_thing_shall_be_made_is_part_of_what_is_asked(said: str) -> None:
    digest = read(said, "Here it is.")
    assert [p.kind for p in digest.points if p.by == "user"] == ["request"]


def test_who_chooses_after_asking_still_chooses() -> None:
    digest = read("Can you set up the store? We go with PostgreSQL, MySQL is out.", "Yes.")
    assert "decision" in {point.kind for point in digest.points}
