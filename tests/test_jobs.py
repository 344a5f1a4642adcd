"""Jobs: durable, leased, fenced, retried; duties on time; housekeeping that takes what it should."""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import everthread
from everthread import Settings
from everthread.domain.errors import LeaseLost, StoreAway, StoreBusy, StoreFull
from everthread.domain.jobs import Duty, Job, retry_delay
from everthread.domain.times import DAY, HOUR, MINUTE
from everthread.jobs.duties import (
    ASK_SCORES,
    CHECK,
    DUTIES,
    FOLLOW,
    KEEP_WITHIN,
    PRUNE,
    PURGE,
    REMOVE_EPHEMERAL,
    SWEEP_DAILY,
    SWEEP_EXCHANGES,
    SWEEP_RECEIPTS,
    SWEEP_SESSIONS,
    SWEEP_TURNS,
    WATCH,
    Handler,
)
from everthread.jobs.pause import Pause
from everthread.jobs.worker import Worker
from everthread.jobs.worker_thread import BackgroundWorker
from everthread.ports import House, Records, Store
from everthread.services.job_names import LEARN
from everthread.testing import FrozenClock
from support.born import Talking
from support.stores import EACH, Place, fresh

PATIENCE = 60.0


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[everthread.Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as engine:
        yield engine


def ask(house: House, kind: str = "k", payload: str = "{}") -> None:
    now = house.clock.now()
    house.store.write(lambda r: r.jobs.add(kind, payload, due_at=now, now=now))


def jobs(house: House) -> list[Job]:
    return list(house.store.read(lambda r: r.jobs.all()))


def worker(house: House, handler: Handler, *, duties: tuple[Duty, ...] = ()) -> Worker:
    return Worker(house, handlers={"k": handler}, duties=duties, rest=0.0)


def drain(worker: Worker) -> int:
    """Everything that is due; how many jobs there were."""
    count = 0
    while worker.step():
        count += 1
    return count


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)


# ---- durable


def test_a_job_survives_its_program(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:
        ask(et.house, payload='{"a":1}')
    done: list[str] = []
    with everthread.connect(place.target, background=False) as et:
        assert drain(worker(et.house, lambda _h, job, _p: done.append(job.payload))) == 1
        assert jobs(et.house) == []
    assert done == ['{"a":1}']


def test_a_job_is_asked_for_in_the_transaction_that_needs_it(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:

        def work(records: Records) -> None:
            records.agents.add("ada", window=1_000, now=0)
            records.jobs.add("k", "{}", due_at=0, now=0)
            raise RuntimeError("no")

        with pytest.raises(RuntimeError):
            et.house.store.write(work)
        assert jobs(et.house) == []
        assert et.agents() == []


# ---- one at a time


def test_workers_in_threads_never_run_one_job_at_the_same_time(place: Place) -> None:
    runs: list[str] = []
    running: set[str] = set()
    clashes: list[str] = []
    lock = threading.Lock()

    def handle(_house: House, job: Job, pause: Pause) -> None:
        with lock:
            if job.payload in running:
                clashes.append(job.payload)
            running.add(job.payload)
            runs.append(job.payload)
        time.sleep(0.001)
        pause()
        with lock:
            running.discard(job.payload)

    engines = [everthread.connect(place.target, background=False) for _ in range(4)]
    for i in range(60):
        ask(engines[0].house, payload=str(i))
    threads = [
        threading.Thread(target=drain, args=(worker(e.house, handle),), daemon=True)
        for e in engines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert clashes == []
    assert sorted(runs, key=int) == [str(i) for i in range(60)]
    assert jobs(engines[0].house) == []
    for engine in engines:
        engine.close()


WORKS = """
import os, sys, time
import everthread
from everthread.jobs.worker import Worker
target, log, lease = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND), sys.argv[3]
settings = everthread.Settings(job_lease_seconds=float(lease))
et = everthread.connect(target, background=False, settings=settings)
def others():
    with open(sys.argv[2]) as file:
        return {line.split()[1] for line in file if line[-1] == "\\n"} - {str(os.getpid())}
def handle(house, job, pause):
    os.write(log, f"{job.payload} {os.getpid()} begins\\n".encode())
    time.sleep(float(sys.argv[4]))
    while time.monotonic() < end and not others():
        time.sleep(0.001)
    os.write(log, f"{job.payload} {os.getpid()} ends\\n".encode())
worker = Worker(et.house, handlers={"k": handle}, duties=(), rest=0.0)
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[5])
while worker.step():
    pass
print("done", flush=True)
"""


def spawn(place: Place, log: Path, *, lease: float, takes: float, company: float = 0.0) -> Talking:
    """`company`: the seconds that it waits at most in its jobs until another process works too."""
    log.touch()
    return Talking(WORKS, place.target, str(log), str(lease), str(takes), str(company))


@pytest.mark.slow
def test_workers_in_processes_never_run_one_job_at_the_same_time(
    place: Place, tmp_path: Path
) -> None:
    with everthread.connect(place.target, background=False) as et:
        for i in range(80):
            ask(et.house, payload=str(i))
        log = tmp_path / "log"
        # Else the first may have done all of it before a busy machine lets the others begin.
        children = [spawn(place, log, lease=60, takes=0.001, company=30) for _ in range(4)]
        for child in children:
            assert child.stdout.readline() == "ready\n"
        for child in children:
            child.stdin.write("\n")
        for child in children:
            assert child.end(PATIENCE) == (0, "done\n")
        lines = [line.split() for line in log.read_text().splitlines()]
        began = [payload for payload, _, what in lines if what == "begins"]
        assert sorted(began, key=int) == [str(i) for i in range(80)]
        assert len({pid for _, pid, _ in lines}) > 1, "only one of them worked"
        assert jobs(et.house) == []


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_a_job_is_taken_over(place: Place, tmp_path: Path) -> None:
    clock = FrozenClock(time.time())
    with everthread.connect(place.target, clock=clock, background=False) as et:
        ask(et.house, payload="7")
        log = tmp_path / "log"
        child = spawn(place, log, lease=60, takes=60)
        child.stdin.write("\n")
        until(lambda: "begins" in log.read_text())
        child.child.kill()
        child.end()
        ran: list[int] = []
        taker = worker(et.house, lambda _h, job, _p: ran.append(job.attempts))
        (job,) = jobs(et.house)
        clock.forward(seconds=(job.lease_until - clock.now()) / 1_000 - 0.5)
        assert not taker.step(), "its lease has not run out yet"
        assert 0 < taker.nap() <= 1
        clock.forward(seconds=1)
        assert taker.step()
        assert ran == [2]
        assert jobs(et.house) == []


def test_a_late_worker_is_fenced_off(tmp_path: Path, clock: FrozenClock) -> None:
    target = tmp_path / "everthread.db"
    first = everthread.connect(target, clock=clock, background=False)
    second = everthread.connect(target, clock=clock, background=False)
    ask(first.house)
    began, go_on = threading.Event(), threading.Event()
    seen: list[str] = []

    def slow(house: House, job: Job, _pause: Pause) -> None:
        began.set()
        go_on.wait(PATIENCE)
        seen.append("slow")
        house.store.write(lambda r: r.jobs.hold(job, until=0))

    late = threading.Thread(target=worker(first.house, slow).step, daemon=True)
    late.start()
    began.wait(PATIENCE)
    clock.forward(seconds=61)
    assert worker(second.house, lambda _h, _j, _p: seen.append("taker")).step()
    ask(first.house, payload='"newer"')
    go_on.set()
    late.join(PATIENCE)
    assert seen == ["taker", "slow"]
    # Neither did the late one finish somebody else's job, nor did it put its own back.
    assert [(j.payload, j.state, j.error) for j in jobs(first.house)] == [('"newer"', "due", None)]
    first.close()
    second.close()


def test_pausing_keeps_the_lease_and_tells_a_late_worker(et: everthread.Everthread) -> None:
    kept: list[float] = []

    def keep() -> None:
        kept.append(time.perf_counter())
        if len(kept) == 3:
            raise LeaseLost("taken")

    pause = Pause(keep, keep_every=0.02, rest=0.0)
    started = time.perf_counter()
    with pytest.raises(LeaseLost):
        while time.perf_counter() < started + PATIENCE:
            pause()
            time.sleep(0.001)
    assert kept[2] - started >= 0.06
    assert et.agents() == []


# ---- failing


def test_a_failing_job_is_tried_again_ever_later_and_then_given_up(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    tries: list[int] = []

    def fail(_house: House, job: Job, _pause: Pause) -> None:
        tries.append(job.attempts)
        raise OSError("no luck")

    ask(et.house)
    failing = worker(et.house, fail)
    for attempt in range(1, 5):
        assert drain(failing) == 1
        (job,) = jobs(et.house)
        assert (job.state, job.error) == ("due", "OSError: no luck")
        assert job.due_at - clock.now() == retry_delay(attempt) == 1_000 * 2 ** (attempt - 1)
        clock.forward(seconds=retry_delay(attempt) / 1000 - 0.001)
        assert drain(failing) == 0
        clock.forward(seconds=0.001)
    assert drain(failing) == 1
    assert tries == [1, 2, 3, 4, 5]
    clock.forward(hours=1_000)
    assert drain(failing) == 0
    (dead,) = et.report().jobs
    assert (dead.state, dead.attempts, dead.error) == ("dead", 5, "OSError: no luck")


def test_a_job_that_kills_its_worker_each_time_is_given_up(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    ask(et.house)
    now = clock.now
    for _ in range(5):
        claimed = et.house.store.write(
            lambda r: r.jobs.claim("dies", ["k"], now=now(), until=now() + 60_000)
        )
        assert claimed is not None
        clock.forward(seconds=60)
    ran: list[int] = []
    assert drain(worker(et.house, lambda _h, job, _p: ran.append(job.attempts))) == 1
    (dead,) = jobs(et.house)
    assert ran == []
    assert dead.state == "dead"
    assert "died" in str(dead.error)


OUTAGE = {
    "away": StoreAway("the server is away"),
    "locked": StoreBusy("another program holds it"),
    "full": StoreFull("no space is left"),
    "a file beside it": OSError(errno.ENOSPC, "No space left on device"),
}


@pytest.mark.req("R-45")
@pytest.mark.parametrize("kind", OUTAGE)
def test_an_outage_costs_a_job_no_attempt(place: Place, clock: FrozenClock, kind: str) -> None:
    """It comes back ever later, however often; when it fails by itself, that counts from the first."""
    trouble: list[Exception] = [OUTAGE[kind]] * 12
    tries: list[int] = []

    def handle(_house: House, job: Job, _pause: Pause) -> None:
        tries.append(job.attempts)
        raise trouble.pop() if trouble else ValueError("its own fault")

    with everthread.connect(place.target, clock=clock, background=False) as et:
        ask(et.house)
        mine = worker(et.house, handle)
        for claims in range(1, 13):
            assert drain(mine) == 1
            (job,) = jobs(et.house)
            assert (job.state, job.attempts) == ("due", 0)
            assert type(OUTAGE[kind]).__name__ in str(job.error)
            assert job.due_at - clock.now() == retry_delay(claims)
            clock.forward(minutes=10)
        for _ in range(5):
            assert drain(mine) == 1
            clock.forward(minutes=10)
        assert tries == [1] * 12 + [1, 2, 3, 4, 5]
        (dead,) = jobs(et.house)
        assert (dead.state, dead.attempts) == ("dead", 5)


class Breaking:
    """A store that can be taken away."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.away = False

    def __getattr__(self, name: str) -> Any:
        if self.away and name in ("read", "write"):
            raise StoreAway("the server is away")
        return getattr(self._store, name)


def test_a_job_during_which_the_store_went_away_is_put_back_when_it_is_there_again(
    place: Place, clock: FrozenClock
) -> None:
    """Nobody could be told: the job seems to run, and its lease runs out."""
    tries: list[int] = []

    with everthread.connect(place.target, clock=clock, background=False) as et:
        store = Breaking(et.house.store)
        house = replace(et.house, store=cast("Store", store))

        def handle(_house: House, job: Job, _pause: Pause) -> None:
            tries.append(job.attempts)
            store.away = len(tries) < 8

        ask(house)
        mine = worker(house, handle)
        for _ in range(7):
            with pytest.raises(StoreAway):
                drain(mine)
            clock.forward(hours=1)
            with pytest.raises(StoreAway):
                drain(mine)
            store.away = False
            assert drain(mine) == 0, "it waits a moment, however long the store was away"
            (job,) = jobs(house)
            assert (job.state, job.attempts) == ("due", 0)
            clock.forward(minutes=10)
        assert drain(mine) == 1
        assert jobs(house) == []
        assert tries == [1] * 8


def test_a_failing_job_does_not_stop_the_others(et: everthread.Everthread) -> None:
    done: list[str] = []

    def handle(_house: House, job: Job, _pause: Pause) -> None:
        if json.loads(job.payload) % 2:
            raise ValueError("odd")
        done.append(job.payload)

    for i in range(6):
        ask(et.house, payload=str(i))
    assert drain(worker(et.house, handle)) == 6
    assert done == ["0", "2", "4"]
    assert len(jobs(et.house)) == 3


# ---- the scheduler


def counting(house: House, seen: list[str]) -> Worker:
    def handle(_house: House, job: Job, _pause: Pause) -> None:
        seen.append(job.kind)

    return Worker(house, handlers={duty.name: handle for duty in DUTIES}, rest=0.0)


def test_each_duty_has_its_interval() -> None:
    """(X-23, X-8, R-6, R-47)"""
    assert {duty.name: duty.every_ms for duty in DUTIES} == {
        SWEEP_TURNS: MINUTE,
        REMOVE_EPHEMERAL: HOUR,
        FOLLOW: MINUTE,
        CHECK: DAY,
        KEEP_WITHIN: HOUR,
        PURGE: HOUR,
        SWEEP_RECEIPTS: MINUTE,
        ASK_SCORES: HOUR,
        PRUNE: HOUR,
        SWEEP_SESSIONS: HOUR,
        SWEEP_DAILY: DAY,
        LEARN: 10 * MINUTE,
        WATCH: MINUTE,
        SWEEP_EXCHANGES: MINUTE,
    }


def test_duties_are_done_at_their_intervals(et: everthread.Everthread, clock: FrozenClock) -> None:
    """(X-23)"""
    seen: list[str] = []
    scheduler = counting(et.house, seen)
    for _ in range(121):
        drain(scheduler)
        clock.forward(minutes=1)
    assert (seen.count(SWEEP_TURNS), seen.count(REMOVE_EPHEMERAL)) == (121, 3)


def test_after_three_days_of_downtime_each_duty_is_done_once(
    tmp_path: Path, clock: FrozenClock
) -> None:
    """(X-23)"""
    target = tmp_path / "everthread.db"
    for _ in range(2):
        with everthread.connect(target, clock=clock, background=False) as et:
            seen: list[str] = []
            drain(counting(et.house, seen))
            assert sorted(seen) == sorted(duty.name for duty in DUTIES)
        clock.forward(hours=72)


def test_the_same_worker_catches_up_after_a_sleep_of_its_machine(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    """(X-23)"""
    seen: list[str] = []
    scheduler = counting(et.house, seen)
    drain(scheduler)
    clock.forward(hours=72)
    drain(scheduler)
    assert len(seen) == 2 * len(DUTIES)
    clock.forward(hours=-30)  # and the clock was wrong
    drain(scheduler)
    assert len(seen) == 3 * len(DUTIES)


def test_two_schedulers_do_a_duty_once(tmp_path: Path, clock: FrozenClock) -> None:
    """(X-23)"""
    target = tmp_path / "everthread.db"
    engines = [everthread.connect(target, clock=clock, background=False) for _ in range(2)]
    seen: list[str] = []
    schedulers = [counting(engine.house, seen) for engine in engines]
    for _ in range(3):
        for scheduler in (*schedulers, *schedulers):
            drain(scheduler)
        clock.forward(hours=2)
    assert (seen.count(SWEEP_TURNS), seen.count(REMOVE_EPHEMERAL)) == (3, 3)
    for engine in engines:
        engine.close()


def test_a_worker_knows_when_to_look_again(et: everthread.Everthread, clock: FrozenClock) -> None:
    scheduler = counting(et.house, [])
    drain(scheduler)
    assert scheduler.nap() == 60
    clock.forward(seconds=45)
    assert scheduler.nap() == 15
    now = clock.now()
    et.house.store.write(lambda r: r.jobs.add(SWEEP_TURNS, "{}", due_at=now + 5_000, now=now))
    assert scheduler.nap() == 5


# ---- abandoned turns


def test_a_turn_whose_process_is_gone_is_closed_a_minute_later(
    tmp_path: Path, clock: FrozenClock
) -> None:
    """(R-6, X-23)"""
    target = tmp_path / "everthread.db"
    gone = everthread.connect(target, clock=clock, background=False)
    gone.agent("ada").turn("are you there?")
    with everthread.connect(target, clock=clock, background=False) as et:
        ada, sweeper = et.agent("ada"), Worker(et.house)
        clock.forward(seconds=59)
        drain(sweeper)
        assert ada.turns()[0].state == "open"
        clock.forward(seconds=60)
        drain(sweeper)
        (turn,) = ada.turns()
        assert turn.state == "failed"
        assert str(turn.error).startswith("abandoned")
        assert [m.text for m in ada.messages()] == ["are you there?"]
        assert et.verify(ada).faults == []
    gone.close()


def test_a_turn_whose_process_lives_is_left_alone(tmp_path: Path, clock: FrozenClock) -> None:
    """(R-6)"""
    target = tmp_path / "everthread.db"
    with (
        everthread.connect(target, clock=clock, background=False) as alive,
        everthread.connect(target, clock=clock, background=False) as other,
    ):
        turn = alive.agent("ada").turn("a long thought")
        clock.forward(seconds=45)
        until_ms = clock.now() + 60_000
        house = alive.house
        refs = [row.ref for row in alive.agent("ada").turns()]
        assert house.store.write(lambda r: r.turns.renew(house.owner, refs, until=until_ms)) == 1
        clock.forward(seconds=45)
        drain(Worker(other.house))
        turn.done("found it")
        assert other.agent("ada").turns()[0].state == "done"


# ---- retention

CHILDREN = ("threads", "sessions", "turns", "messages", "marks", "channels", "bodies", "packed")


def rows(place: Place) -> dict[str, int]:
    return {table: place.raw(f"SELECT count(*) FROM {table}")[0][0] for table in CHILDREN}


def test_ten_ephemeral_threads_are_gone_with_all_their_rows_after_25_hours(
    place: Place, clock: FrozenClock
) -> None:
    """(A-20, A-71, LA-13, A-78, X-8)"""
    with everthread.connect(place.target, clock=clock, background=False) as et:
        ada = et.agent("ada")
        ada.turn("hello").done("hi")
        ada.thread("heartbeat", kind="background").turn("tick").done("tock")
        before = rows(place)
        for i in range(10):
            thread = ada.thread(f"ask-{i}", kind="ephemeral")
            thread.turn(f"question {i}", channel=f"signal:{i}").done("answer " * 2_000)
            thread.record([{"id": f"r{i}-{n}", "role": "user", "content": "x"} for n in range(15)])
            thread.record([{"role": "user", "content": "old", "at": "2020-01-01T00:00:00Z"}])
            thread.turn("more").failed("enough")
        assert rows(place)["threads"] == 12
        sweeper = Worker(et.house)
        clock.forward(hours=23)
        drain(sweeper)
        assert rows(place)["threads"] == 12
        clock.forward(hours=2)
        drain(sweeper)
        assert rows(place) == before
        assert [t.kind for t in ada.threads()] == ["primary", "background"]
        assert [m.text for m in ada.messages()] == ["hello", "hi"]
        assert et.verify(ada).faults == []
        assert jobs(et.house) == []


def test_more_ephemeral_threads_than_fit_into_one_go_are_gone_too(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    """(A-78)"""
    for name in ("ada", "bob"):
        agent = et.agent(name)
        for i in range(25):
            agent.thread(f"ask-{i}", kind="ephemeral")
    clock.forward(hours=24, seconds=1)
    drain(Worker(et.house))
    assert [len(agent.threads()) for agent in et.agents()] == [1, 1]


def test_an_ephemeral_thread_that_is_used_again_lives_on(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    """(X-8)"""
    ada = et.agent("ada")
    for key in ("used", "unused"):
        ada.thread(key, kind="ephemeral").turn("hi").done("hello")
    clock.forward(hours=23)
    ada.thread("used", kind="ephemeral").turn("again").done("of course")
    clock.forward(hours=2)
    drain(Worker(et.house))
    assert [t.key for t in ada.threads()] == ["agent:ada:main", "used"]
    assert len(ada.messages(thread="used")) == 4


def test_an_old_primary_is_untouched(et: everthread.Everthread, clock: FrozenClock) -> None:
    """(A-15, A-22, X-29)"""
    ada = et.agent("ada")
    ada.turn("hello").done("hi")
    clock.forward(hours=24 * 3_650)
    drain(Worker(et.house))
    assert [m.text for m in ada.messages()] == ["hello", "hi"]


def test_erased_and_closed_ephemeral_threads_do_not_stop_retention(
    et: everthread.Everthread, clock: FrozenClock
) -> None:
    """(X-8, X-29)"""
    ada = et.agent("ada")
    for key in ("erased", "left"):
        ada.thread(key, kind="ephemeral").turn("hi").done("hello")
    et.erase(ada, thread="erased", reason="asked")
    clock.forward(hours=25)
    drain(Worker(et.house))
    assert [t.key for t in ada.threads()] == ["agent:ada:main"]
    assert jobs(et.house) == []
    assert et.verify(ada).faults == []


# ---- the thread that works


STRANGERS: set[threading.Thread] = set()


@pytest.fixture(autouse=True)
def strangers() -> None:
    """Threads of an earlier test, which may still be ending, are told apart by identity."""
    STRANGERS.clear()
    STRANGERS.update(threading.enumerate())


def working() -> list[str]:
    names = [t.name for t in threading.enumerate() if t not in STRANGERS]
    return [name for name in names if name in ("everthread-worker", "everthread-keeper")]


def test_background_false_runs_nothing(tmp_path: Path) -> None:
    """(R-13)"""
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        ask(et.house, SWEEP_TURNS)
        et.agent("ada").turn("hi").done("hello")
        assert working() == []
        time.sleep(0.1)
        assert len(jobs(et.house)) == 1


def test_the_worker_starts_with_the_first_finished_turn(tmp_path: Path) -> None:
    """(R-13)"""
    target = tmp_path / "everthread.db"
    # On a busy machine its first round may take longer than closing waits for by default.
    with everthread.connect(target, settings=Settings(drain_seconds=PATIENCE)) as et:
        ada = et.agent("ada")
        turn = ada.turn("hi")
        assert working() == []
        turn.done("hello")
        assert working() == ["everthread-worker"]
        until(
            lambda: (
                Place("sqlite", str(target)).raw("SELECT count(*) FROM schedule")
                == [(len(DUTIES),)]
            )
        )
    assert working() == []


def test_what_an_earlier_program_left_runs_at_the_next_connect(tmp_path: Path) -> None:
    """(R-13)"""
    target = tmp_path / "everthread.db"
    with everthread.connect(target, background=False) as et:
        ask(et.house, SWEEP_TURNS)
    with everthread.connect(target, settings=Settings()) as et:
        until(lambda: jobs(et.house) == [])


def test_closing_drains_what_is_due(tmp_path: Path) -> None:
    """(R-13)"""
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        done: list[str] = []

        def handle(_house: House, job: Job, _pause: Pause) -> None:
            time.sleep(0.05)
            done.append(job.payload)

        background = BackgroundWorker(worker(et.house, handle), drain_seconds=PATIENCE)
        for i in range(4):
            ask(et.house, payload=str(i))
        background.wake()
        background.stop()
        assert done == ["0", "1", "2", "3"]
        background.wake()
        assert working() == []


def test_closing_waits_only_so_long_and_leaves_the_rest(tmp_path: Path) -> None:
    """(R-13)"""
    release = threading.Event()
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        background = BackgroundWorker(
            worker(et.house, lambda _h, _j, _p: release.wait(PATIENCE) and None), drain_seconds=0.2
        )
        for i in range(2):
            ask(et.house, payload=str(i))
        background.wake()
        until(lambda: jobs(et.house)[0].state == "running")
        started = time.monotonic()
        background.stop()
        assert 0.15 < time.monotonic() - started < PATIENCE / 2
        assert [job.state for job in jobs(et.house)] == ["running", "due"]
        release.set()
        until(lambda: working() == [])
        assert [job.payload for job in jobs(et.house)] == ["1"]


def test_closing_the_store_under_a_working_thread_harms_nothing(tmp_path: Path) -> None:
    """(R-13)"""
    target = tmp_path / "everthread.db"
    for _ in range(5):
        et = everthread.connect(target, background=False)
        ada = et.agent("ada")

        def handle(_house: House, _job: Job, _pause: Pause, ada: everthread.Agent = ada) -> None:
            while True:
                ada.record([{"role": "user", "content": "x"}])

        background = BackgroundWorker(worker(et.house, handle), drain_seconds=0.02)
        ask(et.house)
        background.wake()
        time.sleep(0.05)
        background.stop()
        et.close()
        until(lambda: working() == [])
    with everthread.connect(target, background=False) as et:
        assert et.verify(et.agent("ada")).faults == []
