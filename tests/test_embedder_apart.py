"""A question's vector, asked of the worker process: the program that asks never loads the model."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.errors import EmbedderFailed
from everthread.jobs.line import HEAD, AskingEnd, Line, LineClosed
from everthread.jobs.worker_embedder import WorkerEmbedder
from everthread.jobs.worker_process import ProcessWorker
from everthread.providers.embedder import DIMENSIONS, NAME, MiniLm
from support.toys import ToyEmbedder

PATIENCE = 50.0
"""Less than what makes an embedder a patient one, which waits for its worker."""
TEXTS = ["I prefer tabs.", "What did we say about the parser?", "今天我们决定使用制表符。", ""]

pytestmark = pytest.mark.req("R-47")

PROGRAM = """
import sys, time
import everthread
from everthread import Settings
et = everthread.connect(sys.argv[1], settings=Settings(worker="process"))
while et.house.embedder.ask("hello") is None:
    time.sleep(0.01)
print(et.house.embedder._worker.pid, "onnxruntime" in sys.modules, flush=True)
time.sleep(600)
"""

IDLE = 0.6
# A worker process with an embedder of our own, that fails at one word; it leaves when idle.
CHILD = (
    f"IDLE = {IDLE}"
    + """
import numpy, everthread
from everthread.jobs.worker_process import die_with_parent, read_order, serve
from everthread.jobs.worker import Worker
class Embedder:
    def embed(self, texts):
        assert "boom" not in texts
        print("stray words do no harm", flush=True)
        return numpy.array([[len(text)] for text in texts], dtype=numpy.float32)
order = read_order()
die_with_parent(order["parent"])
et = everthread.connect(order["store"], background=False)
worker = Worker(et.house, handlers={}, duties=(), rest=0.0)
serve(worker, idle_seconds=IDLE, embedder=Embedder())
et.close()
"""
)


def until(true: Callable[[], object], patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def worker_at(place: Path) -> ProcessWorker:
    order = {
        "parent": os.getpid(),
        "store": str(place),
        "settings": {**Settings().plain(), "home": str(place.parent)},
    }
    command = (sys.executable, "-m", "everthread.edges.worker")
    return ProcessWorker(command, order, drain_seconds=PATIENCE)


def asking(worker: ProcessWorker, wait: float = 0.15) -> WorkerEmbedder:
    return WorkerEmbedder(worker, name=NAME, dimensions=DIMENSIONS, wait_seconds=wait)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[ProcessWorker]:
    everthread.connect(tmp_path / "everthread.db", background=False).close()
    made = worker_at(tmp_path / "everthread.db")
    yield made
    made.stop()


# ---- the real process


@pytest.mark.slow
def test_the_worker_process_gives_the_very_vectors_that_this_one_would_compute(
    worker: ProcessWorker,
):
    embedder = asking(worker, wait=PATIENCE)
    here = MiniLm(idle_seconds=60)
    assert np.array_equal(embedder.embed(TEXTS), here.embed(TEXTS))
    assert np.array_equal(embedder.ask(TEXTS[1]), here.embed(TEXTS)[1])
    assert embedder.embed([]).shape == (0, DIMENSIONS)
    many = [f"sentence number {n}" for n in range(20)]
    assert np.array_equal(embedder.embed(many), here.embed(many))
    # A megabyte, half a surrogate pair: cut and sent like any other text.
    assert embedder.ask("word " * 200_000) is not None
    assert embedder.ask("\ud800") is not None


@pytest.mark.slow
def test_the_first_question_calls_the_worker_and_does_not_wait_for_it(
    worker: ProcessWorker, monkeypatch: pytest.MonkeyPatch
):
    called, spawn = threading.Event(), worker._spawn

    def when_asked(line: socket.socket) -> subprocess.Popen[bytes]:
        called.wait(PATIENCE)
        return spawn(line)

    monkeypatch.setattr(worker, "_spawn", when_asked)
    started = time.monotonic()
    assert asking(worker, wait=PATIENCE).ask("hello") is None
    assert time.monotonic() - started < PATIENCE / 2
    called.set()
    until(lambda: worker._line is not None)
    # While it starts and loads, a question costs its limit once and nothing after that.
    embedder, line = asking(worker, wait=0.3), worker._line
    assert line is not None
    embedder.ask("hello")
    waits: list[float] = []
    while not line._answered:
        started = time.monotonic()
        embedder.ask("hello")
        waits.append(time.monotonic() - started)
        assert sum(waits) < 2 * PATIENCE, "it never answered"
        time.sleep(0.005)
    assert line._asked <= 2, "who owes an answer is not asked again"
    assert min(waits[:-1], default=0.0) < 0.3


@pytest.mark.slow
def test_a_killed_worker_is_no_vector_at_once_and_the_next_one_answers(worker: ProcessWorker):
    embedder = asking(worker, wait=PATIENCE)
    embedder.embed(["hello"])
    first = worker.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    started = time.monotonic()
    assert embedder.ask("hello") is None
    assert time.monotonic() - started < PATIENCE / 2
    assert embedder.embed(["hello"]).shape == (1, DIMENSIONS)
    assert worker.pid not in (None, first)
    assert not alive(first)


@pytest.mark.slow
def test_a_worker_that_is_stopped_in_the_middle_costs_its_limit_and_no_more(worker: ProcessWorker):
    asking(worker).embed(["hello"])
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)  # a signal takes its time to arrive
    started = time.monotonic()
    assert asking(worker).ask("hello") is None
    assert 0.1 < time.monotonic() - started < PATIENCE
    embedder = asking(worker, wait=PATIENCE)
    started = time.monotonic()
    assert embedder.ask("hello again") is None  # it still owes an answer, and is not asked
    assert time.monotonic() - started < PATIENCE / 2
    os.kill(pid, signal.SIGCONT)
    until(lambda: embedder.ask("third") is not None)
    # The late answer to the first question was not taken for that of the third.
    here = MiniLm(idle_seconds=60)
    assert np.array_equal(embedder.ask("fourth"), here.ask("fourth"))


@pytest.mark.slow
def test_many_threads_each_get_their_own_answer(worker: ProcessWorker):
    embedder = asking(worker, wait=PATIENCE)
    texts = [f"sentence number {n}" for n in range(24)]
    expected = embedder.embed(texts)
    found: dict[int, object] = {}

    def ask(n: int) -> None:
        found[n] = embedder.ask(texts[n])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[n], expected[n]) for n in range(len(texts)))


@pytest.mark.slow
def test_a_stopped_worker_is_not_called_again(worker: ProcessWorker):
    embedder = asking(worker)
    embedder.embed(["hello"])
    pid = worker.pid
    assert pid is not None
    worker.stop()
    assert not alive(pid)
    assert embedder.ask("hello") is None
    with pytest.raises(EmbedderFailed, match="worker process"):
        embedder.embed(["hello"])
    assert worker.pid is None


@pytest.mark.slow
@pytest.mark.req("R-31")
def test_a_killed_program_leaves_no_worker_behind_and_never_loaded_the_model(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "everthread.db")],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        pid, loaded = program.stdout.readline().split()
        assert loaded == "False"
        assert alive(int(pid))
        program.kill()
        program.wait()
        until(lambda: not alive(int(pid)))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[ProcessWorker]:
    order = {"parent": os.getpid(), "store": str(tmp_path / "everthread.db")}
    made = ProcessWorker((sys.executable, "-c", CHILD), order, drain_seconds=PATIENCE)
    yield made
    made.stop()


def measuring(worker: ProcessWorker) -> WorkerEmbedder:
    return WorkerEmbedder(worker, name="length", dimensions=1, wait_seconds=PATIENCE)


def asked_for_a_while(worker: ProcessWorker, embedder: WorkerEmbedder) -> int | None:
    """Longer than it stays idle. On a busy machine we may be the ones who let it wait: then once more."""
    for _ in range(20):
        embedder.embed(["hello"])
        first, last, longest, stayed = worker.pid, time.monotonic(), 0.0, True
        for _ in range(8):
            time.sleep(0.2)
            stayed = embedder.ask("hello") is not None and worker.pid == first and stayed
            now = time.monotonic()
            longest, last = max(longest, now - last), now
        if longest < IDLE - 0.1:
            assert stayed
            return first
    pytest.fail("it left, or we never asked for a while without a break")


@pytest.mark.slow
def test_a_worker_that_is_asked_stays_and_one_that_is_not_leaves(small: ProcessWorker):
    embedder = measuring(small)
    embedder.embed(["hello"])
    first = asked_for_a_while(small, embedder)
    until(lambda: small.pid is None)
    assert embedder.embed(["hi"]).tolist() == [[2.0]]  # and comes again
    assert small.pid not in (None, first)


@pytest.mark.slow
def test_who_is_patient_waits_until_the_worker_is_there(small: ProcessWorker):
    quick = WorkerEmbedder(small, name="length", dimensions=1, wait_seconds=0.01)
    assert quick.ask("four") is None
    vector = quick.patient().ask("four")
    assert vector is not None
    assert vector.tolist() == [4.0]


class Hasty(ToyEmbedder):
    """Has no time for a question, unless asked to take it."""

    def __init__(self, heard: list[str], *, waits: bool = False) -> None:
        super().__init__()
        self._heard, self._waits = heard, waits

    def patient(self) -> Hasty:
        return Hasty(self._heard, waits=True)

    def ask(self, text: str) -> Any:
        if self._waits:
            self._heard.append(text)
        return super().ask(text) if self._waits else None

    def embed(self, texts: Sequence[str]) -> Any:
        return ToyEmbedder().embed(texts)


def test_a_recall_is_as_patient_as_it_is_asked_to_be():
    heard: list[str] = []
    chosen = Settings(embedder="off")
    with everthread.connect("memory://", background=False, settings=chosen) as et:
        ada = Everthread(replace(et.house, embedder=Hasty(heard))).agent("ada")
        ada.record([{"role": "user", "content": "The parser is slow."}])
        ada.index()
        ada.recall("parser")
        assert heard == []
        ada.recall("parser", patient=True)
        assert heard == ["parser"]


@pytest.mark.slow
def test_a_worker_whose_model_fails_says_so_and_goes_on(small: ProcessWorker):
    embedder = measuring(small)
    with pytest.raises(EmbedderFailed, match="embed status"):
        embedder.embed(["boom"])
    first = small.pid
    assert embedder.ask("boom") is None
    assert embedder.ask("well") is not None
    assert small.pid == first


@pytest.mark.slow
def test_the_worker_is_nice_but_the_thread_that_answers_is_as_quick_as_its_program(
    small: ProcessWorker,
):
    measuring(small).embed(["hello"])
    pid, ours = small.pid, os.getpriority(os.PRIO_PROCESS, 0)
    assert pid is not None
    until(lambda: os.getpriority(os.PRIO_PROCESS, pid) == ours + 10)
    tasks = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    assert ours in [os.getpriority(os.PRIO_PROCESS, task) for task in tasks]


def test_without_the_extra_there_is_nobody_to_ask(tmp_path: Path):
    settings = Settings(worker="process", embedder="off")
    with everthread.connect(tmp_path / "everthread.db", settings=settings) as et:
        assert et.house.embedder is None


# ---- the line


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, its = socket.socketpair()
    with ours, its:
        yield ours, its


def test_a_frame_that_comes_in_crumbs_is_one_frame(ends: tuple[socket.socket, socket.socket]):
    ours, its = ends
    line = Line(ours)
    frame = HEAD.pack(7, 5) + b"hello"
    for byte in frame[:-1]:
        its.sendall(bytes([byte]))
        assert line.receive(seconds=0.0) is None
    its.sendall(frame[-1:] + HEAD.pack(8, 0))
    assert line.receive(seconds=1.0) == (7, b"hello")
    assert line.receive(seconds=1.0) == (8, b"")
    assert line.receive(seconds=0.01) is None


def test_a_line_without_anyone_at_its_end_is_closed(ends: tuple[socket.socket, socket.socket]):
    ours, its = ends
    line = Line(ours)
    its.close()
    with pytest.raises(LineClosed):
        line.receive(seconds=1.0)
    with pytest.raises(LineClosed):
        line.send(1, b"hello")


def test_a_late_answer_is_dropped(ends: tuple[socket.socket, socket.socket]):
    ours, its = ends
    asks, answers = AskingEnd(ours), Line(its)
    assert asks.ask(b"first", seconds=0.01) is None
    assert asks.ask(b"second", seconds=PATIENCE) is None  # owed: not asked, and not waited for
    assert answers.receive(seconds=1.0) == (1, b"first")
    assert answers.receive(seconds=0.0) is None
    answers.send(1, b"late")
    thread = threading.Thread(
        target=lambda: answers.send(answers.receive(seconds=PATIENCE).number, b"3")
    )
    thread.start()
    assert asks.ask(b"third", seconds=PATIENCE) == b"3"
    thread.join()
