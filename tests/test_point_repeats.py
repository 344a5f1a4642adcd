"""Reports that say the same in other words are told once, and few vectors are made to see it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.point_repeats import without_repeats

numpy = pytest.importorskip("numpy")

pytestmark = pytest.mark.req("A-6")


def reports(*texts: str) -> list[Point]:
    return [Point("done", text, (b"k",), "agent", n) for n, text in enumerate(texts)]


class Vectors:
    """Every text that has a word of `same` points the same way; each other one its own."""

    def __init__(self, same: str) -> None:
        self.same, self.asked = same, list[str]()

    def __call__(self, texts: Sequence[str]):
        self.asked += texts
        rows = numpy.eye(len(texts) + 1, dtype=numpy.float32)[: len(texts)]
        for row, text in enumerate(texts):
            if self.same in text:
                rows[row] = numpy.eye(len(texts) + 1, dtype=numpy.float32)[-1]
        return rows


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The login bug is fixed.", "I fixed the login bug."),
        ("The backup of the database is finished.", "The database backup finished."),
        ("All twelve tests are passing.", "All 12 tests pass."),
        ("Ich habe die Rechnung verschickt.", "Die Rechnung habe ich verschickt."),
        (
            "\u30c7\u30d7\u30ed\u30a4\u306f\u5b8c\u4e86\u3057\u307e\u3057\u305f\u3002",
            "\u30c7\u30d7\u30ed\u30a4\u304c\u5b8c\u4e86\u3057\u307e\u3057\u305f\u3002",
        ),
    ],
)
def test_of_two_that_say_the_same_the_newer_is_told(one, other):
    apart = "Ordered ten chairs of oak."
    told = reports(one, apart, other)
    vectors = Vectors("")
    assert without_repeats(told, vectors) == [told[1], told[2]]
    assert apart not in vectors.asked


def test_what_is_spelt_like_no_other_needs_no_vector():
    told = reports("The login bug is fixed.", "Ordered ten chairs.", "Wrote to the landlord.")
    vectors = Vectors("")
    assert without_repeats(told, vectors) == told
    assert vectors.asked == []


def test_what_is_spelt_alike_and_tells_another_thing_stays():
    told = reports("The port of the web server is 80.", "The port of the mail server is 25.")
    vectors = Vectors("chairs")
    assert without_repeats(told, vectors) == told
    assert len(vectors.asked) == 2
