"""Two points are one only where nothing tells them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.open_items.follow_ups import lays_aside
from everthread.domain.gleaning.points import Points
from everthread.domain.text.acts.speech import parse_sentence

pytestmark = pytest.mark.req("A-13", "LA-10")

LONG = "Please rename the export column in the orders table, update the manual pages and tell {} about it."


def joined(*texts: str, kind: str = "request") -> list[str]:
    points = Points()
    for n, text in enumerate(texts, start=1):
        points.add(Point(kind, text, (bytes([n]),), "user", n, 0.5, verbatim=True))
    return [point.text for point in points]


@pytest.mark.parametrize("kind", ["request", "open_item", "words", "done", "failure"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG.format("Priya"), LONG.format("Dmitri")),
        (LONG.format("everybody"), LONG.format("accounting")),
        (LONG.format("Priya"), LONG.format("Priya and Lena")),
        (LONG.format("them"), LONG.format("them 3 times")),
        (LONG.format("them"), LONG.format("them").replace("update", "don't update")),
    ],
)
def test_two_that_differ_in_a_telling_word_stay_two(kind: str, one: str, other: str) -> None:
    assert sorted(joined(one, other, kind=kind)) == sorted([one, other])
    assert len(joined(other, one, kind=kind)) == 2


@pytest.mark.parametrize(
    "other",
    [
        LONG.format("them").replace("Please r", "R"),
        LONG.format("them").replace("pages", "page"),
        LONG.format("them").replace("Please", "Please, again,"),
    ],
)
def test_the_same_in_nearly_the_same_words_is_one(other: str) -> None:
    before = "Before the meeting with the auditors: "
    assert len(joined(before + LONG.format("them"), before + other)) == 1


def test_the_fuller_words_stay() -> None:
    short, full = LONG.format("them"), LONG.format("them quickly")
    assert joined(short, full) == joined(full, short) == [full]


@given(st.integers(2, 999), st.integers(2, 999))
def test_another_number_is_another_request(one: int, other: int) -> None:
    texts = [LONG.format(f"table {n}") for n in (one, other)]
    assert len(joined(*texts)) == len({*texts})


@pytest.mark.parametrize(
    "text",
    ["It works now.", "It works now", "Ok, it works!", "That worked.", "It's working now, thanks."],
)
def test_who_says_that_it_works_has_done_with_it(text: str) -> None:
    assert lays_aside(parse_sentence(text))


@pytest.mark.parametrize(
    "text", ["That works.", "That works for me.", "it works on my machine", "Does it work now?"]
)
def test_who_agrees_still_waits(text: str) -> None:
    assert not lays_aside(parse_sentence(text))
