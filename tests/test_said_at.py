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


# ---- to whom it may be told


SECRET, TOLD = "I see the doctor at nine.", "The carp were moved to the pond."
KEPT = "Nobody feeds the carp on Sunday."


def of_two(desk: Desk) -> None:
    """A memory that rests on what all may know, and then on what was said to one alone; it is primed."""
    desk.ada.turn(TOLD, name="Nora").done("Good.")
    first = desk.ada.messages(limit=2)[0]
    desk.clock.forward(hours=24)
    desk.ada.turn(SECRET, name="Olu", principal="olu").done("I see.")
    second = desk.ada.messages(limit=2)[0]
    desk.clock.forward(hours=24)
    made = desk.ada.remember(KEPT, sources=[second, first])
    store, scope = desk.et.house.store, desk.ada.scope
    kept = store.read(lambda r: r.memories.ending(scope, made.id.replace("-", "")))
    ref, now = desk.ada.primary.row.ref, desk.clock.now()
    store.write(lambda r: r.memories.prime(scope, ref, kept, now=now))


def primed_for(desk: Desk, principal: str | None) -> str:
    turn = desk.ada.turn("Good morning.", principal=principal).failed()
    shown = json.dumps(turn.messages[-1], ensure_ascii=False)
    assert KEPT in shown
    return shown


@pytest.mark.req("R-44")
def test_what_is_primed_tells_neither_name_nor_day_of_what_another_said(desk: Desk) -> None:
    of_two(desk)
    assert "2026-02-03 08:15 UTC · Nora · fact" in primed_for(desk, "piet")
    assert "2026-02-04 08:15 UTC · user · fact" in primed_for(desk, "olu"), "of two, by no name"


@pytest.mark.req("R-44")
def test_what_is_recalled_tells_neither_name_nor_day_of_what_another_said(desk: Desk) -> None:
    of_two(desk)
    for principal, day, names in (("piet", 3, ["Nora"]), ("olu", 4, ["Olu", "Nora"])):
        (hit,) = [h for h in desk.ada.recall(KEPT, principal=principal) if h.text == KEPT]
        assert (hit.at.day, [m.name for m in hit.messages]) == (day, names)


@pytest.mark.req("R-43")
def test_what_is_primed_tells_nothing_of_a_message_that_was_forgotten(desk: Desk) -> None:
    of_two(desk)
    said = [message for message in desk.ada.messages(limit=9) if message.text == SECRET]
    other = desk.ada.remember("Olu is with the doctor at nine.", principal="olu", sources=said)
    desk.ada.forget(other.id)
    shown = primed_for(desk, None)
    assert "2026-02-03 08:15 UTC · Nora · fact" in shown
    assert "Olu" not in shown
