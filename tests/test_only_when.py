"""A reply that only says when has promised what was ordered, and done nothing of it: that stays open."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")


def _open(*texts: str) -> list[str]:
    return [p.text for p in gleaned_in_turn(*texts).points if p.kind == "open_item"]


ORDER = "Can you book the physio for next week?"


@pytest.mark.parametrize(
    "reply",
    ["On Friday, yes.", "Tomorrow, sure.", "Later today.", "By Thursday.", "After lunch, okay.",
     "In the afternoon.", "Yes, first thing tomorrow."],
)  # fmt: skip
def test_what_is_promised_for_then_is_open(reply: str) -> None:
    assert _open(ORDER, reply) == [ORDER]


@pytest.mark.parametrize(
    "reply", ["Done.", "Booked for Friday.", "I booked it for Friday at nine."]
)
def test_what_is_done_is_not(reply: str) -> None:
    assert _open(ORDER, reply) == []


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("When does the course begin?", "On Friday."),
        ("Can we meet at three?", "On Friday, yes."),
        ("Did the parcel arrive?", "This morning, yes."),
        ("Can you tell me when it opens?", "On Friday."),
        ("Suggest a day for the party.", "Saturday."),
        ("Give me a date for the launch.", "May 4."),
        ("Convert 3 pm CET to Tokyo time.", "11 at night."),
    ],
)
def test_to_who_only_asks_it_is_an_answer(asked: str, reply: str) -> None:
    assert _open(asked, reply) == []
