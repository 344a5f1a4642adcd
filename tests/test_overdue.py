"""`doctor` tells of a thread that outgrew its limit because no program stayed long enough to distil it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.services.distilling.distill_job import run_distill_job
from everthread.services.distilling.stages import LeftOff
from everthread.services.upkeep.diagnose import Finding
from support.desk import Desk, desk_in

LIMIT = 40


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, distill_messages=LIMIT) as found:
        yield found


def found(desk: Desk) -> list[Finding]:
    told = (one for one in desk.et.diagnose("ada") if one.check == "distillations")
    return [one for one in told if not one.fine]


def break_off(desk: Desk) -> None:
    """The program ends while the worker distils."""

    def end() -> None:
        raise LeftOff

    receipt = run_distill_job(desk.et.house, desk.ada.scope.agent, desk.ada.primary.ref, pause=end)
    assert receipt is not None and receipt.outcome == "refused"


def test_a_thread_whose_distillations_were_broken_off_is_told_with_what_to_do(desk: Desk) -> None:
    desk.talk(0, 22)
    assert found(desk) == []
    break_off(desk)
    (one,) = found(desk)
    assert "44 messages in the view, where 40 are the limit" in one.says
    assert "broken off once because the program ended" in one.says
    desk.talk(22, 23)
    break_off(desk)
    (one,) = found(desk)
    assert "46 messages" in one.says and "broken off 2 times" in one.says
    key = desk.ada.primary.key
    assert f"everthread distill --thread {key} does it now" in one.advice
    assert "`everthread up`" in one.advice and one.agent == "ada"
    desk.ada.distill()
    assert found(desk) == []


def test_a_thread_far_over_its_limit_is_told_though_no_distillation_was_begun(desk: Desk) -> None:
    desk.talk(0, 39)
    assert found(desk) == []
    desk.talk(39, 40)
    (one,) = found(desk)
    assert "80 messages in the view" in one.says and "no distillation was begun" in one.says
    desk.ada.distill()
    assert found(desk) == []
