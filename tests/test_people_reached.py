"""Who was to be asked was reached: then nobody is to be asked any more."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("How high is the tower?", "40 metres.")


def open_items(*said: str) -> list[str]:
    return [p.text for p in read(*OTHER, *said, *OTHER).points if p.kind == "open_item"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("i'll ask Werner", "talked to Werner: the wall is load bearing"),
        ("i'll ask my uncle Werner", "heard back from Werner, the wall stays"),
        ("I'll call Ida", "Ida says it is fine"),
        ("I'll check with Dmitri on Friday", "Dmitri confirmed they use prepared statements"),
        (
            "Werner is one, and my aunt is not. My uncle Otto knows him, i'll ask him",
            "Otto said yes",
        ),
        ("I'll ask Werner whether he can lend us his van", "Werner said yes"),
        ("my cousin Fien can do the labels. i'll call her", "fien says yes but only by 25 nov"),
    ],
)
def test_it_is_open_until_they_are_reached(said: str, told: str) -> None:
    assert any(
        said.endswith(text) or text in said for text in open_items(said, "Good.", "ok", "Yes.")
    )
    assert open_items(said, "Good.", told, "Nice.") == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("i'll ask Werner to bring the ladder", "Werner says hi"),
        ("i'll call Werner tomorrow", "called Werner but nobody there"),
        ("i'll ask Werner", "I will talk to Werner on Sunday"),
        ("i'll ask Werner", "Werner's wife says hi"),
        ("i'll ask Werner", "Did Werner say anything?"),
        ("i'll ask Werner", "Ida says Werner is ill"),
        ("I'll call a plumber tomorrow.", "I called a friend last night"),
        (
            "I'll ask Werner whether he can lend us his van.",
            "Werner told me a funny joke yesterday.",
        ),
    ],
)
def test_who_was_not_reached_is_still_to_be(said: str, told: str) -> None:
    assert said in open_items(said, "Good.", told, "Nice.")


@pytest.mark.parametrize(
    "reply",
    ["I'll look at them. They might be the old rows.", "On it. It may take a while."],
)
def test_a_guess_beside_consent_does_nothing(reply: str) -> None:
    asked = "Fix those three rows please"
    assert asked in open_items(asked, reply, "nice weather today", "Yes.")


def test_what_is_told_beside_consent_may_be_the_answer() -> None:
    asked = "Fix those three rows please"
    assert asked not in open_items(asked, "Sure. They are fixed now.", "nice weather", "Yes.")


@pytest.mark.parametrize(
    "said",
    [
        "let me check with Dmitri if they use prepared statements",
        "ok put the review of the 64 on the list, I'll do that with Olaf next week",
    ],
)
def test_what_she_does_first_is_hers(said: str) -> None:
    assert said in open_items(said, "Noted.", "nice weather today", "Yes.")
