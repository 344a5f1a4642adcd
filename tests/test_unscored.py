"""Distillations that nobody scored and for which no job waits: a sweep asks for some of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from everthread.domain.distilling.receipts import NOT_ASKED
from everthread.domain.jobs import Job
from everthread.services.distilling import unscored
from everthread.services.distilling.distill import distill
from everthread.services.distilling.order import Order
from everthread.services.distilling.unscored import ask_unscored
from everthread.services.job_names import SCORE
from support.desk import Desk, desk_in

ROUNDS = 3


def distilled(desk: Desk) -> None:
    """As an old store has them: in force, without a score, and nobody was asked for one."""
    for n in range(ROUNDS):
        for m in range(6 * n, 6 * n + 6):
            desk.turn(f"Please move src/mod_{m}.py to port {m + 7000}.", "It is moved. " * 40)
        assert distill(
            desk.et.house, Order(desk.ada.row, desk.ada.threads()[0].ref, by="guard", fixed=10**6)
        )
    for receipt in desk.ada.receipts():
        desk.et.house.store.write(lambda r, n=str(receipt.ref): r.jobs.cancel(SCORE, once=n))


def jobs(desk: Desk) -> Sequence[Job]:
    return [j for j in desk.et.house.store.read(lambda r: r.jobs.all()) if j.kind == SCORE]


def asked(desk: Desk) -> list[int]:
    return [json.loads(job.payload)["receipt"] for job in jobs(desk)]


def test_they_are_scored_in_the_end(tmp_path: Path) -> None:
    with desk_in(tmp_path, score_seconds=30.0) as desk:
        distilled(desk)
        desk.work()
        assert [one.unscored for one in desk.ada.receipts()] == [True] * ROUNDS
        desk.clock.forward(hours=2)
        desk.work()
        assert [one.unscored for one in desk.ada.receipts()] == [False] * ROUNDS


def test_a_few_at_a_time_the_newest_first_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unscored, "FEW", 2)
    with desk_in(tmp_path) as desk:
        distilled(desk)
        newest = [one.ref for one in desk.ada.receipts()]
        assert ask_unscored(desk.et.house) == 0, "who distilled may still be at it"
        desk.clock.forward(hours=2)
        assert ask_unscored(desk.et.house) == 2
        assert asked(desk) == newest[:2]
        assert ask_unscored(desk.et.house) == 1
        assert ask_unscored(desk.et.house) == 0
        assert asked(desk) == newest


def nobody_writes(_work: object) -> None:
    pytest.fail("it holds up whoever writes")


def test_what_was_given_up_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desk_in(tmp_path) as desk:
        distilled(desk)
        desk.clock.forward(hours=2)
        ask_unscored(desk.et.house)
        store, now = desk.et.house.store, desk.clock.now()
        for _ in range(ROUNDS):
            job = store.write(lambda r: r.jobs.claim("me", [SCORE], now=now, until=now + 9))
            assert job is not None
            store.write(lambda r, j=job: r.jobs.retry(j, error="no", due_at=None))
        monkeypatch.setattr(desk.et.house.store, "write", nobody_writes)
        assert ask_unscored(desk.et.house) == 0, "and nobody has to wait for the look at them"
        monkeypatch.undo()
        assert {job.state for job in jobs(desk)} == {"dead"}


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one._replace(errors_json=json.dumps(["odd", NOT_ASKED])),
        lambda one: one._replace(outcome="undone", undone_ms=one.closed_ms, undone_seq=1),
        lambda one: one._replace(mode="light"),
        lambda one: one._replace(score_json="{}"),
    ],
    ids=["nothing to ask", "undone", "light", "scored"],
)
def test_what_needs_no_score_is_not_asked_for(
    tmp_path: Path, change: Callable[..., object]
) -> None:
    with desk_in(tmp_path) as desk:
        distilled(desk)
        store, scope = desk.et.house.store, desk.ada.scope
        now = desk.clock.now()
        for receipt in desk.ada.receipts():
            changed: object = change(receipt)
            store.write(lambda r, c=changed: r.receipts.change(scope, c, "receipt.scored", now=now))  # pyright: ignore[reportArgumentType]
        desk.clock.forward(hours=2)
        assert ask_unscored(desk.et.house) == 0
