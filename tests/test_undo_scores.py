"""Undoing an old distillation of many: what is scored anew, what keeps its score, what stays mended."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.agents import Scope
from everthread.domain.distilling.continuity import items_kept
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.summaries_lines import unfold_paths
from everthread.domain.recall.hits import Hit
from everthread.domain.times import text_of
from everthread.services.distilling import review, score
from everthread.services.distilling.distill import distill
from everthread.services.distilling.order import Order
from everthread.testing import FrozenClock
from support.desk import Desk, desk_in

pytestmark = pytest.mark.req("R-15", "R-16", "LA-19")

MANY = 8
STORE = "everthread.db"
SCORED: dict[str, Any] = {"score_seconds": 30.0, "summary_tokens": 700}
"""So little room that a summary of now shows not half of what older ones showed."""


def turns(desk: Desk, n: int) -> None:
    """Words of which a summary loses some, and of which later ones show ever less."""
    for m in range(6 * n, 6 * n + 6):
        desk.turn(
            f"Please move src/mod_{m}.py to port {m + 7000}. " + "It is not urgent. " * 20,
            f"It is moved; `make mod-{m}` took {m + 300} seconds. " + "All is well. " * 20,
        )


def nothing(*_: object) -> list[Hit]:
    return []


@pytest.fixture(scope="module", autouse=True)
def unfound() -> Iterator[None]:
    """No recall brings anything back, so that whatever is not in view is lost."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(score, "recall", nothing)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("many")
    with desk_in(folder, str(folder / STORE), **SCORED) as desk:
        for n in range(MANY):
            turns(desk, n)
            desk.ada.distill()
        until = text_of(desk.clock.now())
    shutil.copytree(folder, folder.with_name("many-kept"))
    return folder, until


@pytest.fixture
def desk(made: tuple[Path, str]) -> Iterator[Desk]:
    """A desk at the chain as it was made, and where: a store that lies elsewhere has other files."""
    folder, until = made
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name("many-kept"), folder)
    with desk_in(folder, str(folder / STORE), clock=FrozenClock(until), **SCORED) as found:
        yield found


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The contexts in which scores look for something."""
    contexts: list[str] = []

    def counted(*args: Any, **kwargs: Any) -> score.ScoreResult:
        contexts.append(args[4])
        return score.score(*args, **kwargs)

    monkeypatch.setattr(review, "score", counted)
    return contexts


def standing(desk: Desk) -> list[Receipt]:
    """Oldest first."""
    return [each for each in reversed(desk.ada.receipts()) if each.standing]


def carried(receipt: Receipt) -> list[str]:
    return [error for error in receipt.errors if error.startswith("carried:")]


def shows(desk: Desk, receipt: Receipt) -> set[str]:
    """What its summary shows of what it is asked for."""
    items = review.draw_items(desk.et.house, Scope(desk.ada.row.ref), receipt, lambda: None)
    return {
        items[n].text for n in items_kept(items, unfold_paths(desk.ada.receipt(receipt.id).text))
    }


def test_an_old_one_is_undone_without_an_alarm_and_one_is_scored(
    desk: Desk, measured: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = standing(desk)
    caplog.set_level(logging.ERROR, "everthread")
    desk.et.undo(before[2].id)
    desk.work()
    after = standing(desk)
    assert [r.id for r in after] == [r.id for r in before if r != before[2]]
    assert 1 <= len(measured) <= 2, "what is shown: as it was made, and mended"
    assert "lost too much" not in caplog.text
    assert all(found.fine for found in desk.et.diagnose() if found.check == "scores")


def test_what_is_shown_is_scored_as_it_reads_and_what_others_stand_on_tells_of_its_time(
    desk: Desk,
) -> None:
    before = {r.id: r for r in standing(desk)}
    gone = standing(desk)[2]
    desk.et.undo(gone.id)
    *older, newest = standing(desk)
    for receipt in older:
        assert receipt.score == before[receipt.id].score
        later = (receipt.number or 0) > (gone.number or 0)
        assert bool(carried(receipt)) == later, "what was not made anew has nothing to say"
    assert newest.score is not None and not carried(newest)
    desk.et.redo(gone.id)
    assert {r.id: r.errors for r in standing(desk)} == {k: r.errors for k, r in before.items()}


def test_twice_carried_it_is_said_once(desk: Desk) -> None:
    first, second = standing(desk)[2:4]
    desk.et.undo(first.id)
    desk.et.undo(second.id)
    notes = [carried(receipt) for receipt in standing(desk)[2:-1]]
    assert notes and all(len(each) == 1 and first.id[-8:] in each[0] for each in notes)


def test_one_that_comes_to_be_shown_is_scored_then(desk: Desk, measured: list[str]) -> None:
    """What it was scored for before reads otherwise."""
    desk.et.undo(standing(desk)[2].id)
    *_, beside, newest = standing(desk)
    assert carried(beside)
    measured.clear()
    desk.et.undo(newest.id)
    shown = standing(desk)[-1]
    assert shown.id == beside.id
    assert shown.score is not None and measured
    assert not carried(shown)


def test_what_was_mended_stays_mended(desk: Desk) -> None:
    """Of what is asked for, a summary that is made anew shows what it showed; room may shift by a line."""
    before = standing(desk)
    was = {r.id: shows(desk, r) for r in before}
    assert sum(any("repaired" in e for e in r.errors) for r in before) > MANY / 2
    desk.et.undo(before[2].id)
    gone = [was[r.id] - shows(desk, r) for r in standing(desk)]
    assert max(map(len, gone)) <= 2, "the file and the port of one request"
    assert sum(map(len, gone)) <= 0.02 * sum(map(len, was.values()))


def test_scored_late_an_older_one_is_asked_for_what_it_led_to(desk: Desk) -> None:
    """Not for what eleven later summaries found no room for."""
    first = standing(desk)[1]
    late = review.score_receipt(desk.et.house, desk.ada.row, first.ref)
    assert first.score is not None and late.score is not None
    assert late.score.kept == first.score.kept
    context = unfold_paths(desk.ada.context().summary or "")
    items = review.draw_items(desk.et.house, Scope(desk.ada.row.ref), first, lambda: None)
    assert len(items_kept(items, context)) < late.score.kept * len(items)


def test_one_that_was_unscored_when_an_older_one_was_undone_is_scored_after_the_redo(
    tmp_path: Path,
) -> None:
    """With the summary comes back that it has no score: somebody must be asked for it again."""
    with desk_in(tmp_path, **SCORED) as desk:
        for n in range(3):
            turns(desk, n)
            order = Order(desk.ada.row, desk.ada.threads()[0].ref, by="guard", fixed=10**6)
            assert distill(desk.et.house, order)
        oldest = desk.ada.receipts()[-1]
        desk.et.undo(oldest.id)
        desk.work()
        desk.et.redo(oldest.id)
        desk.clock.forward(minutes=5)
        desk.work()
        assert [receipt.unscored for receipt in desk.ada.receipts()] == [False] * 3
