"""What happens to a store by its own commands is never called unsound: the check of who belongs where."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from everthread import Everthread
from everthread.services.distilling.stages import nothing
from everthread.services.upkeep.purge import purge
from support.desk import Desk, desk_in

pytestmark = pytest.mark.req("R-33")

BEAT = "heartbeat:noon"
WEEK = 7 * 24


def wrong(et: Everthread) -> list[tuple[str, str]]:
    return [(fault.event, fault.problem) for a in et.agents() for fault in et.verify(a).faults]


def brought(et: Everthread, place: str) -> Everthread:
    """All of it, in another store."""
    lines: list[str] = []
    et.export(lines.append)
    other = everthread.connect(place, background=False)
    other.import_lines(lines)
    return other


def live(desk: Desk) -> None:
    """Channels, a thread beside, a session by name, and a heartbeat that is distilled and purged."""
    beat = desk.ada.thread(BEAT, kind="background")
    desk.talk(0, 30, beat)
    desk.work()
    desk.clock.forward(hours=WEEK + 1)
    assert purge(desk.et.house, nothing)
    hello = {"role": "user", "content": "Hello."}
    desk.ada.record([hello, {"role": "assistant", "content": "Hi."}], channel="slack")
    desk.ada.record([hello], channel="mail", thread=beat)
    beside = desk.ada.thread("sub:1", kind="background")
    desk.ada.record([hello], thread=beside, session="s9")


def test_what_was_purged_carried_over_and_erased_is_sound(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        live(desk)
        assert wrong(desk.et) == []
        with brought(desk.et, "memory://") as second:
            assert wrong(second) == []
            with brought(second, str(tmp_path / "third.db")) as third:
                third.erase("ada", thread=BEAT)
                assert wrong(third) == []
                with brought(third, "memory://") as fourth:
                    assert wrong(fourth) == []
            second.erase("ada")
            assert wrong(second) == []


def test_what_was_distilled_taken_back_and_distilled_again_is_sound(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.talk(0, 30, desk.ada.thread(BEAT, kind="background"))
        desk.work()
        (receipt,) = desk.ada.receipts()
        desk.et.undo(receipt)
        assert wrong(desk.et) == []
        desk.work()
        desk.clock.forward(hours=90 * 24)
        desk.work()
        assert wrong(desk.et) == []
