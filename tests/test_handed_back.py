"""What a program that closes breaks off is due at once for whoever comes next; of a killed one it is not."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Settings
from everthread.domain.distilling.continuity import Item
from everthread.domain.jobs import Job
from everthread.jobs import duties, worker_thread
from everthread.jobs.pause import Pause
from everthread.jobs.worker import LEFT_OFF, Worker
from everthread.jobs.worker_process import ProcessWorker
from everthread.jobs.worker_thread import BackgroundWorker
from everthread.ports import House
from everthread.services.distilling import review, stages
from everthread.services.distilling.notice import ask_distillation
from everthread.services.distilling.score import score
from everthread.services.job_names import DISTILL, SCORE
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.req("R-13", "R-47")

PATIENCE = 60.0


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer than that to put work back; who has done so is not waited for."""
    monkeypatch.setattr(worker_thread, "HAND_BACK", PATIENCE)


def ask(house: House, kind: str = "k") -> None:
    now = house.clock.now()
    house.store.write(lambda r: r.jobs.add(kind, "{}", due_at=now, now=now))


def jobs(house: House) -> list[Job]:
    return list(house.store.read(lambda r: r.jobs.all()))


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)


class Endless:
    """A job that pauses all the time and never comes to its end."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()

    def __call__(self, _house: House, _job: Job, pause: Pause) -> None:
        self.begun.set()
        try:
            while True:
                sum(range(1_000))
                pause()
        finally:
            self.over.set()


def stopped(house: House, kind: str, handler: duties.Handler, begun: threading.Event) -> None:
    """A worker thread that was stopped while it was at that."""
    worker = Worker(house, handlers={kind: handler}, duties=())
    background = BackgroundWorker(worker, drain_seconds=0.1)
    background.wake()
    assert begun.wait(PATIENCE)
    background.stop()


def test_a_job_broken_off_at_the_end_is_due_at_once(place: Place) -> None:
    """As if nobody had tried it, and on time for a worker that has not waited a second."""
    endless, taken = Endless(), list[int]()
    with everthread.connect(place.target, background=False) as et:
        ask(et.house)
        stopped(et.house, "k", endless, endless.begun)
        assert endless.over.is_set(), "it was not told"
        (job,) = jobs(et.house)
        assert (job.state, job.attempts, job.owner, job.error) == ("due", 0, None, LEFT_OFF)
    with everthread.connect(place.target, background=False) as et:
        next_one = Worker(
            et.house,
            handlers={"k": lambda _h, job, _p: taken.append(job.attempts)},
            duties=(),
            rest=0.0,
        )
        assert next_one.step()
        assert jobs(et.house) == []
    assert taken == [1]


def test_a_score_that_a_program_left_is_made_by_the_next(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it by `connect` and `close`, with the leases as they are."""
    begun, real = threading.Event(), review.score_receipt

    def endless(_house: House, _agent: object, _ref: int, *, pause: Pause, **_: object) -> None:
        begun.set()
        while True:
            sum(range(1_000))
            pause()

    monkeypatch.setattr(review, "score_receipt", endless)
    with everthread.connect(place.target, settings=Settings(drain_seconds=0.1)) as et:
        ada = et.agent("ada", window=200_000)
        for n in range(8):
            ada.turn(f"The port of service {n} is 80{n}0.").done(f"Noted: 80{n}0.")
        receipt = distil_plainly(et.house, ada)
        et.call()
        assert begun.wait(PATIENCE)
    monkeypatch.setattr(review, "score_receipt", real)
    with everthread.connect(place.target) as et:
        ada = et.agent("ada")
        until(lambda: ada.receipt(receipt).receipt.score is not None)


def distil_plainly(house: House, ada: everthread.Agent) -> str:
    """A distillation that waits to be scored; its receipt."""
    from everthread.services.distilling.distill import distill
    from everthread.services.distilling.order import Order

    made = distill(house, Order(ada.row, ada.threads()[0].ref, by="guard", fixed=10**6))
    assert made is not None
    assert made.standing
    return made.id


def test_a_distillation_that_was_left_off_is_asked_for_still(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everthread.services.distilling import distill_job

    begun = threading.Event()

    def endless(_house: House, _agent: int, _thread: int, *, pause: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                sum(range(1_000))
                pause()
        except stages.LeftOff:
            return  # as a distillation does, which leaves a receipt

    monkeypatch.setattr(distill_job, "run_distill_job", endless)
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        ada.turn("Hello").done("Hello")
        ask_distillation(et.house, ada.scope, ada.threads()[0].ref)
        stopped(et.house, DISTILL, duties.HANDLERS[DISTILL], begun)
        (job,) = jobs(et.house)
        assert (job.kind, job.state, job.attempts) == (DISTILL, "due", 0)


def test_who_does_not_pause_is_not_waited_for_and_keeps_its_lease(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can tell how far it is: another must not begin beside it."""
    monkeypatch.setattr(worker_thread, "HAND_BACK", 0.1)
    begun, go_on = threading.Event(), threading.Event()

    def deaf(_house: House, _job: Job, _pause: Pause) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    with everthread.connect(place.target, background=False) as et:
        ask(et.house)
        stopped(et.house, "k", deaf, begun)
        (job,) = jobs(et.house)
        assert job.state == "running"
        go_on.set()
        until(lambda: jobs(et.house) == [])


CHILD = """
import os
import everthread
from everthread.jobs.worker_process import die_with_parent, read_order, serve
from everthread.jobs.worker import Worker
order = read_order()
die_with_parent(order["parent"])
et = everthread.connect(order["store"], background=False)
def endless(house, job, pause):
    while True:
        sum(range(1000))
        pause()
worker = Worker(et.house, handlers={"k": endless}, duties=(), rest=0.0)
serve(worker, drain_seconds=order["drain"])
et.close()
"""


@pytest.mark.slow
def test_a_worker_process_hands_back_what_it_is_at_before_it_is_killed(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:
        ask(et.house)
        order = {"parent": os.getpid(), "store": place.target, "drain": 4.0}
        # It has a quarter of that time for it, and is let go as soon as it is done.
        worker = ProcessWorker((sys.executable, "-c", CHILD), order, drain_seconds=PATIENCE)
        worker.wake()
        until(lambda: jobs(et.house)[0].state == "running")
        worker.stop()
        (job,) = jobs(et.house)
        assert (job.state, job.attempts, job.error) == ("due", 0, LEFT_OFF)


# ---- a thread that fills up waits for no score


def test_a_distillation_is_done_in_the_middle_of_a_score(place: Place) -> None:
    """Both are held meanwhile: nobody takes the score away while it waits."""
    done: list[str] = []
    held: list[int] = []
    with everthread.connect(
        place.target, background=False, settings=Settings(job_lease_seconds=1.0)
    ) as et:

        def score(house: House, _job: Job, pause: Pause) -> None:
            done.append("score begins")
            ask(house, DISTILL)
            for _ in range(1_000):
                pause()  # may be in the middle of anything: nothing else is begun by it
            done.append("score goes on")
            until(lambda: pause.between() > 0 and "distilled" in done)
            done.append("score ends")

        def distil(house: House, _job: Job, pause: Pause) -> None:
            first = {job.kind: job.lease_until for job in jobs(house)}
            until(lambda: bool(pause() or all(j.lease_until > first[j.kind] for j in jobs(house))))
            held.extend(job.lease_until - first[job.kind] for job in jobs(house))
            assert pause.between() == 0.0, "no other in the middle of it"
            done.append("distilled")

        ask(et.house, SCORE)
        worker = Worker(et.house, handlers={SCORE: score, DISTILL: distil}, duties=(), rest=0.0)
        assert worker.step()
        assert jobs(et.house) == []
    assert done == ["score begins", "score goes on", "distilled", "score ends"]
    assert len(held) == 2


def test_what_a_distillation_takes_of_a_score_is_not_its_time() -> None:
    now = 0.0

    def between() -> float:
        nonlocal now
        now += 100.0
        return 100.0

    items = [
        Item("numbers", f"{n}1", f"We counted {n}1 crates.", b"", "crates?", "") for n in range(9)
    ]
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.turn("Hello").done("Hello.")
        place, ways = ada.primary.ref, {"between": between, "elapsed": lambda: now}
        found = score(et.house, ada.row, place, items, "", seconds=60, **ways)
    assert found.score.items == 9
    assert found.score.unprobed == 0
