"""What a person asks twice in the very same words is carried once, with both messages as its sources."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.point_repeats import once

pytestmark = pytest.mark.req("A-13", "A-21")

ASKED = "List what is wrong with the branch, and leave the folder history out."


def asked(n: int, kind: str = "request", *, pinned: bool = False, name: str = "") -> Point:
    return Point(kind, ASKED, (bytes([n]) * 16,), "user", n, pinned=pinned, name=name)


def test_a_request_that_came_again_is_told_once_and_last() -> None:
    between = asked(2)._replace(text="And the tests?")
    told = once([asked(1), between, asked(3)])
    assert [p.text for p in told] == ["And the tests?", ASKED]
    assert told[-1].sources == (asked(1).sources[0], asked(3).sources[0])
    assert told[-1].at_ms == 3


def test_what_is_open_what_another_asked_and_what_is_no_request_stand_for_themselves() -> None:
    every = [asked(1), asked(2, "open_item", pinned=True), asked(3, "rule"), asked(4, name="Mel")]
    assert once(every) == every
