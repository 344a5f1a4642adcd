"""Of one message no memory says only what another of its memories says as well."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.facts import memories_of

pytestmark = pytest.mark.req("A-44", "B-16")

BLOAT = "I feel like the second hook is bloat, and it's still not secure."
ONE, OTHER = b"1" * 16, b"2" * 16


def point(kind: str, text: str, source: bytes = ONE) -> Point:
    return Point(kind, text, (source,), "user", 1, weight=0.9, verbatim=True)


def kept(*points: Point) -> list[tuple[str, str]]:
    digest = Digest(points, (), 1, 1, 1)
    return [(fact.kind, fact.text) for fact in memories_of(EMPTY, digest)]


def test_a_part_of_a_correction_is_not_kept_beside_it() -> None:
    whole = f"No, that is wrong. {BLOAT}"
    assert kept(point("correction", BLOAT), point("correction", whole)) == [("correction", whole)]


def test_what_is_kept_as_a_preference_is_no_fact_besides() -> None:
    text = "I prefer the small hook in guard.sh to the large one."
    assert kept(point("fact", text), point("preference", text)) == [("preference", text)]


def test_a_rule_stays_beside_what_is_open_and_holds_it() -> None:
    rule = "We must look at one hook at a time."
    whole = f"{rule} I want to test the guard first."
    assert ("rule", rule) in kept(point("rule", rule), point("open_item", whole))


def test_what_was_said_in_another_message_stands_for_itself() -> None:
    whole = f"No, that is wrong. {BLOAT}"
    twice = kept(point("fact", BLOAT, OTHER), point("correction", whole))
    assert [text for _, text in twice] == [whole, BLOAT]
