"""What a later distillation saw end stays ended when one before it is undone. (R-15)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.gleaning.closed_points import keep_closed, points_closed
from everthread.domain.gleaning.digest import Digest, Point, mark_of
from support.desk import Desk, desk_in

pytestmark = pytest.mark.req("R-15")

ITEM = "Remind me to ring the electrician about the extra socket behind the fridge."
ONE, TWO = b"1" * 16, b"2" * 16


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def given(desk: Desk) -> str:
    """What the next turn is given of all that was distilled."""
    turn = desk.ada.turn("Hello?")
    first = str(turn.messages[0]["content"])
    turn.failed("enough seen")
    return first


def open_memories(desk: Desk) -> list[str]:
    return [m.text for m in desk.ada.memories(kind="open_item") if m.valid_to is None]


def test_what_the_third_closed_is_not_opened_by_undoing_the_second(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It closed it after so many messages, of which the second held half."""
    monkeypatch.setattr("everthread.domain.gleaning.open_items.requests.DEFERRED", 100)
    desk.turn(ITEM, "I will remind you.")
    ids: list[str] = []
    for part, count in enumerate((14, 60, 60)):
        for n in range(count):
            desk.turn(f"Lamp {part}-{n} is at street {n}.", f"Lamp {part}-{n} is on the list.")
        ids.append(desk.ada.distill().id)
        assert (f'open: "{ITEM}"' in given(desk)) is (ITEM in open_memories(desk)) is (part < 2)
    before = given(desk)
    desk.et.undo(ids[1])
    assert f'open: "{ITEM}"' not in given(desk)
    assert ITEM not in open_memories(desk)
    desk.et.redo(ids[1])
    assert given(desk) == before
    assert desk.et.verify(desk.ada).faults == []


def test_what_the_undone_one_closed_itself_is_open_again(desk: Desk) -> None:
    desk.turn(ITEM, "I will remind you.")
    ids: list[str] = []
    for part in range(3):
        for n in range(14):
            desk.turn(f"Lamp {part}-{n} is at street {n}.", f"Lamp {part}-{n} is on the list.")
            if (part, n) == (1, 0):
                desk.turn("I rang the electrician, he comes on the 20th.", "Good.")
        ids.append(desk.ada.distill().id)
    assert f'open: "{ITEM}"' not in given(desk)
    desk.et.undo(ids[1])
    assert f'open: "{ITEM}"' in given(desk)
    assert ITEM in open_memories(desk)


def test_what_was_said_once_more_is_not_closed() -> None:
    item = Point("open_item", ITEM, (ONE,), "user", 1, pinned=True)
    rule = Point("rule", "Never deploy on Fridays.", (ONE,), "user", 1)
    again = rule._replace(sources=(ONE, TWO))
    closed = points_closed(Digest((item, rule)), Digest(gone=(mark_of(item), mark_of(rule))))
    assert closed == [item, rule]
    kept = keep_closed(Digest((item, again)), closed)
    assert kept.points == (item._replace(kind="request", pinned=False), again)
    assert kept.gone == (mark_of(item),)
    assert keep_closed(Digest((again,)), closed) == Digest((again,))


def test_what_the_view_answers_is_not_opened_by_undoing_an_older_one(desk: Desk) -> None:
    """The later summary ends with a question whose answer stands behind it."""
    desk.tools(0, 8)
    older = desk.ada.distill()
    desk.tools(8, 16)
    desk.ada.distill()
    assert "open:" not in given(desk)
    desk.et.undo(older.id)
    assert "open:" not in given(desk)
    assert b"Open items" not in (desk.memory or b"")
    assert desk.ada.receipts()[0].number == 2, "the later one, made anew"
    assert desk.et.verify(desk.ada).faults == []
