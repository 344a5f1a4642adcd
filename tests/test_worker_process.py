"""The worker in a process of its own: on demand, one at most, gone with its parent; and beside turns."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Settings
from everthread.domain.jobs import Job
from everthread.jobs.pause import WORK_SECONDS, Pause
from everthread.jobs.worker import Worker
from everthread.jobs.worker_process import ProcessWorker
from everthread.jobs.worker_thread import BackgroundWorker
from everthread.ports import House
from support.stores import Place

PATIENCE = 90.0
WORKER = "everthread.edges.worker"

# A worker process with work of our own: `kind` k runs as long as its payload says, and may be
# followed by the log. Its arguments are what the shipped door is given through the pipe.
CHILD = """
import os, sys, time
import everthread
from everthread.jobs.worker_process import NEEDED, die_with_parent, read_order, serve
from everthread.jobs.worker import Worker
from everthread.domain.jobs import Duty
order = read_order()
die_with_parent(order["parent"])
et = everthread.connect(order["store"], background=False)
log = os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def handle(house, job, pause):
    os.write(log, f"{os.getpid()} begins\\n".encode())
    end = time.monotonic() + (0.0 if job.payload == "{}" else float(job.payload))
    while time.monotonic() < end:
        sum(range(1000))
    os.write(log, f"{os.getpid()} ends\\n".encode())
duties = [Duty("k", every) for every in order["duties"]]
needed = serve(
    Worker(et.house, handlers={"k": handle}, duties=duties, rest=0.0), idle_seconds=order["idle"]
)
et.close()
os.write(log, f"{os.getpid()} leaves\\n".encode())
time.sleep(order["lingers"])
sys.exit(NEEDED if needed else 0)
"""

# A program with such a worker, at work; it says the worker's pid and then waits to be killed.
PROGRAM = """
import os, sys, time
from pathlib import Path
sys.path[:0] = [sys.argv[3]]
from test_worker_process import apart
import everthread
et = everthread.connect(sys.argv[1], background=False)
worker = apart(Path(sys.argv[1]), Path(sys.argv[2]))
now = et.house.clock.now()
et.house.store.write(lambda r: r.jobs.add("k", "600", due_at=now, now=now))
worker.wake()
while "begins" not in Path(sys.argv[2]).read_text():
    time.sleep(0.01)
print(worker.pid, flush=True)
time.sleep(600)
"""

# A program that would have a worker process; it says with which command.
ASKING = """
import sys
import everthread
from everthread.jobs import worker_process
class Told(worker_process.ProcessWorker):
    def __init__(self, command, *args, **more):
        print(*command[1:])
        super().__init__(command, *args, **more)
worker_process.ProcessWorker = Told
everthread.connect(sys.argv[1], settings=everthread.Settings(worker="process")).close()
"""


def apart(
    store: Path,
    log: Path,
    *,
    code: str = CHILD,
    idle: float = 30.0,
    drain: float = 2.0,
    duties: tuple[int, ...] = (),
    lingers: float = 0.0,
) -> ProcessWorker:
    log.touch()
    order = {"parent": os.getpid(), "store": str(store), "log": str(log), "idle": idle}
    order |= {"duties": list(duties), "lingers": lingers}
    return ProcessWorker((sys.executable, "-c", code), order, drain_seconds=drain)


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)


def alive(pid: int) -> bool:
    """Is it there, and not a zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(autouse=True)
def strangers() -> None:
    """Children that an earlier test in this process has left: they are none of ours."""
    STRANGERS.clear()
    STRANGERS.update(children(""))


STRANGERS: set[int] = set()


def children(word: str = WORKER) -> list[int]:
    """Our own child processes, zombies too, whose command has that word in it (a zombie has none)."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            command = (process / "cmdline").read_bytes().decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid() and (word in command or fields[0] == "Z"):
            found.append(int(process.name))
    return [pid for pid in found if pid not in STRANGERS]


def ask(house: House, payload: str = "0", kind: str = "k") -> None:
    now = house.clock.now()
    house.store.write(lambda r: r.jobs.add(kind, payload, due_at=now, now=now))


def jobs(house: House) -> list[Job]:
    return list(house.store.read(lambda r: r.jobs.all()))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "everthread.db"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def et(store: Path) -> Iterator[everthread.Everthread]:
    with everthread.connect(store, background=False) as engine:
        yield engine


@pytest.mark.slow
def test_the_worker_process_does_the_housekeeping(store: Path) -> None:
    """Spawned by the first finished turn, not before; gone when the program closes (R-13, R-47)."""
    with everthread.connect(store, settings=Settings(worker="process")) as et:
        ada = et.agent("ada")
        ada.thread("ask", kind="ephemeral").record([{"role": "user", "content": "x"}])
        Place("sqlite", str(store)).raw(
            "UPDATE threads SET last_activity_at = 0 WHERE kind = 'ephemeral'"
        )
        assert children() == []
        ada.turn("hi").done("hello")
        until(lambda: len(ada.threads()) == 1)
        (pid,) = children()
        assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 10
        assert str(store) not in Path(f"/proc/{pid}/cmdline").read_text()
    assert not alive(pid)
    assert children() == []


@pytest.mark.parametrize(("flag", "told"), [("-E", "-PEm"), ("-B", "-Pm")])
def test_the_worker_process_takes_no_more_from_the_environment_than_its_parent(
    store: Path, flag: str, told: str
) -> None:
    """Who ignores what PYTHONPATH says has no worker that listens to it (R-47)."""
    asked = subprocess.run(
        [sys.executable, flag, "-c", ASKING, str(store)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (asked.stdout, asked.stderr) == (f"{told} {WORKER}\n", "")


@pytest.mark.slow
def test_a_closing_program_lets_its_worker_finish_what_is_due(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-13)"""
    for _ in range(3):
        ask(et.house, "0.1")
    worker = apart(store, log, drain=PATIENCE)
    worker.wake()
    until(lambda: "begins" in log.read_text())
    worker.stop()
    assert jobs(et.house) == []
    assert log.read_text().count("ends") == 3
    assert worker.pid is None
    assert children("read_order") == []


@pytest.mark.slow
def test_a_worker_that_takes_too_long_is_killed_at_the_end(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-13, R-47)"""
    ask(et.house, "600")
    worker = apart(store, log, drain=0.2)
    worker.wake()
    until(lambda: "begins" in log.read_text())
    pid = worker.pid
    assert pid is not None
    started = time.monotonic()
    worker.stop()
    assert time.monotonic() - started < PATIENCE
    assert not alive(pid)
    assert [job.state for job in jobs(et.house)] == ["running"]
    worker.wake()
    assert worker.pid is None


@pytest.mark.slow
def test_there_is_at_most_one_worker_process(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-47)"""
    worker = apart(store, log)
    for _ in range(10):
        ask(et.house, "0.02")
    threads = [threading.Thread(target=worker.wake) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: jobs(et.house) == [])
    assert len({line.split()[0] for line in log.read_text().splitlines()}) == 1
    assert children("read_order") == [worker.pid]
    worker.stop()


@pytest.mark.slow
def test_a_worker_outlives_the_thread_that_asked_for_it(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """A turn may end in a thread that is gone a moment later; its worker goes on (R-47)."""
    worker = apart(store, log)
    ask(et.house, "0.5")
    thread = threading.Thread(target=worker.wake)
    thread.start()
    thread.join()
    until(lambda: "ends" in log.read_text())
    assert log.read_text().count("begins") == 1
    worker.stop()


@pytest.mark.slow
def test_an_idle_worker_leaves_without_a_trace_and_comes_again(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-47)"""
    worker = apart(store, log, idle=0.3)
    ask(et.house)
    worker.wake()
    until(lambda: "leaves" in log.read_text())
    until(lambda: worker.pid is None)
    assert children("read_order") == []  # not even a zombie
    ask(et.house)
    worker.wake()
    until(lambda: log.read_text().count("leaves") == 2)
    assert jobs(et.house) == []
    assert len({line.split()[0] for line in log.read_text().splitlines()}) == 2
    worker.stop()


@pytest.mark.slow
def test_a_worker_with_nothing_but_its_duties_is_idle(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """They come more often than its patience ends, and must not keep it for ever (R-47)."""
    # Much more often: even where it is seldom let in, it comes to two of them.
    worker = apart(store, log, idle=1.0, duties=(20,))
    worker.wake()
    until(lambda: "leaves" in log.read_text())
    assert log.read_text().count("begins") > 1
    until(lambda: worker.pid is None)
    worker.stop()


@pytest.mark.slow
def test_a_called_worker_does_not_leave(et: everthread.Everthread, store: Path, log: Path) -> None:
    idle = 0.6
    worker = apart(store, log, idle=idle)
    for _ in range(20):
        ask(et.house)
        worker.wake()
        until(lambda: jobs(et.house) == [])
        first, last, longest, stayed = worker.pid, time.monotonic(), 0.0, True
        for _ in range(6):
            ask(et.house)
            worker.wake()
            until(lambda: jobs(et.house) == [])
            stayed = stayed and worker.pid == first
            now = time.monotonic()
            longest, last = max(longest, now - last), now
            time.sleep(0.2)
        if longest < idle - 0.1:
            break  # else we may have let it wait too long ourselves: once more
    assert longest < idle - 0.1
    assert stayed
    worker.stop()


@pytest.mark.slow
def test_a_call_that_comes_as_a_worker_leaves_is_not_lost(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """To end takes a moment, in which it does not listen any more (R-47)."""
    worker = apart(store, log, idle=0.2, lingers=1.0)
    worker.wake()
    until(lambda: "leaves" in log.read_text())
    ask(et.house)
    worker.wake()
    until(lambda: jobs(et.house) == [])
    worker.stop()


# A call comes while it makes up its mind: it is in the pipe, and what it is about in the store.
CALLED_AT_LAST = CHILD.replace(
    "needed = serve(",
    """from everthread.jobs.worker_process import Calls
plain = Calls.stop_listening
def called_first(calls):
    if "ends" not in open(order["log"]).read():
        now = et.house.clock.now()
        et.house.store.write(lambda r: r.jobs.add("k", "0", due_at=now, now=now))
    plain(calls)
Calls.stop_listening = called_first
needed = serve(""",
)


@pytest.mark.slow
def test_what_a_worker_that_leaves_finds_due_at_last_is_done_by_its_successor(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """Not by itself: nobody could tell it any more to leave (R-47)."""
    worker = apart(store, log, code=CALLED_AT_LAST, idle=0.2)
    worker.wake()
    until(lambda: "ends" in log.read_text())
    until(lambda: jobs(et.house) == [])
    left, done = (
        next(line for line in log.read_text().splitlines() if word in line).split()[0]
        for word in ("leaves", "ends")
    )
    assert left != done
    worker.stop()


def test_a_worker_with_a_pipe_full_of_calls_still_hears_that_it_is_to_leave(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-13)"""
    slow = CHILD.replace("needed = serve(", "time.sleep(1)\nneeded = serve(")
    worker = apart(store, log, code=slow, drain=PATIENCE)
    worker.wake()
    until(lambda: worker.pid is not None)
    for _ in range(5_000):
        worker.wake()
    started = time.monotonic()
    worker.stop()
    assert time.monotonic() - started < PATIENCE / 2
    assert "leaves" in log.read_text()


def test_a_worker_that_does_not_listen_holds_up_nobody_who_calls_it(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    """(R-47)"""
    worker = apart(store, log, drain=0.0)
    worker.wake()
    until(lambda: worker.pid is not None)
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    calls = threading.Thread(target=lambda: [worker.wake() for _ in range(5_000)])
    calls.start()
    calls.join(PATIENCE)
    assert not calls.is_alive()
    worker.stop()
    assert not alive(pid)


@pytest.mark.slow
def test_a_killed_worker_is_replaced_at_the_next_call(
    et: everthread.Everthread, store: Path, log: Path
) -> None:
    worker = apart(store, log)
    worker.wake()
    until(lambda: worker.pid is not None)
    first = worker.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    until(lambda: worker.pid != first)
    ask(et.house)
    worker.wake()
    until(lambda: jobs(et.house) == [])
    assert worker.pid not in (None, first)
    worker.stop()


@pytest.mark.slow
def test_no_worker_outlives_the_kill_of_its_parent(store: Path, log: Path) -> None:
    """At once, although it is in the middle of its work, which takes ten minutes (R-31, R-47)."""
    log.touch()
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(store), str(log), here],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        pid = int(program.stdout.readline())
        assert alive(pid)
        program.kill()
        program.wait()
        until(lambda: not alive(pid))
    # What it was doing is done by the next one, once the lease has run out.
    with everthread.connect(store, background=False) as et:
        assert [job.state for job in jobs(et.house)] == ["running"]


# ---- beside turns


@pytest.mark.slow
def test_a_busy_job_leaves_the_processor_to_the_turns_beside_it(et: everthread.Everthread) -> None:
    """Held by the worker's own processor time, which no other load can raise (R-47)."""
    over = threading.Event()
    shares: list[float] = []
    stretches: list[float] = []

    def handle(_house: House, _job: Job, pause: Pause) -> None:
        began, worked = time.perf_counter(), time.thread_time()
        stretch = worked
        while not over.is_set():
            sum(range(1_000))
            rested = time.perf_counter()
            pause()
            if time.perf_counter() - rested > WORK_SECONDS:
                stretches.append(time.thread_time() - stretch)
                stretch = time.thread_time()
        shares.append((time.thread_time() - worked) / (time.perf_counter() - began))

    background = BackgroundWorker(
        Worker(et.house, handlers={"k": handle}, duties=()), drain_seconds=PATIENCE
    )
    ask(et.house)
    background.wake()
    ada = et.agent("ada")
    for _ in range(20):
        ada.turn("Shall we?").done("We shall.")
    until(lambda: len(stretches) > 50)
    over.set()
    background.stop()
    assert shares[0] < 0.35, "it rests four times as long as it works"
    assert statistics.median(stretches) < 4 * WORK_SECONDS, "and works for a moment at a time"
