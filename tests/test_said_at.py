"""A memory is dated by when it was said, not by when it was distilled: it may speak of "tomorrow"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.testing import FrozenClock
from support.desk import Desk, desk_in

ORDER = "Please order food for the carp, the vet comes tomorrow to look at them."
PUT_OFF = "I cannot do that yet: the shop is closed. I will do it later."
SAID, DISTILLED = "2026-02-03 08:16", "2026-02-20"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, clock=FrozenClock("2026-02-03T08:15:00Z")) as found:
        yield found


def told(desk: Desk) -> None:
    """The order, so much after it that a distillation is worth it, and that days later."""
    desk.turn(ORDER, PUT_OFF)
    desk.talk(0, 12)
    desk.clock.forward(hours=17 * 24)
    desk.ada.distill()
    (kept,) = [memory for memory in desk.ada.memories(limit=999) if memory.text == ORDER]
    assert f"{kept.updated_at:%Y-%m-%d}" == DISTILLED


def test_a_memory_is_found_with_the_day_on_which_it_was_said(desk: Desk) -> None:
    told(desk)
    found = [hit for hit in desk.ada.recall("food for the carp", limit=9) if hit.text == ORDER]
    assert [hit.kind for hit in found] == ["open_item"]
    assert f"{found[0].at:%Y-%m-%d %H:%M}" == SAID


def test_what_is_primed_tells_that_day_too(desk: Desk) -> None:
    told(desk)
    given = json.dumps(desk.ada.turn("Good morning.").failed().messages[-1], ensure_ascii=False)
    assert ORDER in given
    assert f"{SAID} UTC · user · open" in given
    assert DISTILLED not in given


def test_what_rests_on_no_message_has_the_day_on_which_it_was_kept(desk: Desk) -> None:
    desk.ada.remember("The carp are fed before noon.", kind="rule")
    assert f"{desk.ada.recall('feed the carp')[0].at:%Y-%m-%d %H:%M}" == "2026-02-03 08:15"
