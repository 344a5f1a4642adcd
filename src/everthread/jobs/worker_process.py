"""The worker in a process of its own: spawned on demand, niced, dead when its parent is.

The pipe by which it is called is a pair of sockets. A child that leaves shuts its end before it looks one
last time whether something is due: a call that comes later fails, and has another child spawned; for one
that came just before, the child asks for its successor. So none is lost.
"""

from __future__ import annotations

import json
import logging
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everthread.domain.errors import EverthreadError

from .line import AskingEnd, LineClosed
from .worker_embedder import EmbeddingServer

if TYPE_CHECKING:
    from everthread.ports import Embedder

    from .worker import Worker

log = logging.getLogger("everthread.worker")

NICENESS = 10
IDLE_SECONDS = 30.0
AFTER_TROUBLE = 5.0
LOOK_AGAIN = 0.01
BROKEN_OFF = 0.75
"""After so much of the time to leave, what is under way is broken off and put back; then it is killed."""
PR_SET_PDEATHSIG = 1

CALL = b"\n"
LEAVE = b"leave\n"
NEEDED = 75
"""The code with which a child ends that leaves something due behind."""


class ProcessWorker:
    """The parent's side: at most one child, reached through a pipe whose end tells it to go."""

    def __init__(
        self, command: Sequence[str], order: Mapping[str, Any], *, drain_seconds: float
    ) -> None:
        self._command = list(command)
        self._order = json.dumps(order).encode() + b"\n"
        self._drain = drain_seconds
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._line: AskingEnd | None = None
        self._asking = threading.Lock()
        self._keeper: threading.Thread | None = None
        self._stopping = False

    @property
    def pid(self) -> int | None:
        child = self._child
        return None if child is None else child.pid

    def wake(self) -> None:
        """There may be work: call the child, or have one spawned. Waits for neither."""
        with self._lock:
            if self._stopping:
                return
            if self._keeper is None:
                self._keeper = threading.Thread(
                    target=self._keep, name="everthread-keeper", daemon=True
                )
                self._keeper.start()
            if not self._send_line(CALL):
                self._wanted.set()

    def ask(self, body: bytes, *, seconds: float, patient: bool = False) -> bytes | None:
        """What the child answers; None if it is not there, does not, or is not done in time.

        Where there is no child one is called. Only who is patient waits for it to come up.
        """
        until = time.monotonic() + seconds
        self._call(until if patient else None)
        if not self._asking.acquire(timeout=max(0.0, until - time.monotonic())):
            return None
        try:
            line, left = self._line, until - time.monotonic()
            return None if line is None else line.ask(body, seconds=left, patient=patient)
        except LineClosed:
            self._line = None
            return None
        finally:
            self._asking.release()

    def _call(self, until: float | None) -> None:
        """Have a child spawned if there is none, and wait for it as long as that."""
        while self._line is None:
            self.wake()
            if until is None or self._stopping or time.monotonic() >= until:
                return
            time.sleep(LOOK_AGAIN)

    def stop(self) -> None:
        """Ask the child to finish what is due; after a little time it is killed."""
        with self._lock:
            self._stopping = True
            keeper = self._keeper
        self._wanted.set()
        if keeper is None:
            return
        until = time.monotonic() + self._drain
        while not self._tell_to_leave() and keeper.is_alive() and time.monotonic() < until:
            time.sleep(LOOK_AGAIN)
        keeper.join(max(0.0, until - time.monotonic()))
        if keeper.is_alive():
            child = self._child
            if child is not None:
                child.kill()
            keeper.join()

    def _tell_to_leave(self) -> bool:
        """Did it find room? A child that is slow to listen has calls enough in its pipe."""
        with self._lock:
            if self._child is None or self._child.stdin is None:
                return False
            try:
                written: int | None = self._child.stdin.write(LEAVE)  # None where it found no room
            except ConnectionError:
                return False  # it leaves by itself
            return bool(written)

    def _keep(self) -> None:
        """Spawn when wanted, and reap. One thread does it and stays, since the kernel's death signal
        follows the thread that spawned a child, not the process."""
        while True:
            self._wanted.wait()
            with self._lock:
                if self._stopping:
                    return
                self._wanted.clear()
                ours, its = socket.socketpair()
                child = self._child = self._spawn(its)
                self._line = AskingEnd(ours)
            if child.wait() == NEEDED:
                self._wanted.set()
            with self._lock:
                self._child = self._line = None
                assert child.stdin is not None
                child.stdin.close()
            with self._asking:  # who is still asking has its answer first: that nobody is there
                ours.close()

    def _spawn(self, line: socket.socket) -> subprocess.Popen[bytes]:
        ours, its = socket.socketpair()
        with line, its:
            child = subprocess.Popen(
                self._command, stdin=its.fileno(), stdout=line.fileno(), start_new_session=True
            )
        self._give_order(child, ours)
        return child

    def _give_order(self, child: subprocess.Popen[bytes], pipe: socket.socket) -> None:
        """It travels through the pipe: a password must not show in the list of processes."""
        child.stdin = os.fdopen(pipe.detach(), "wb", buffering=0)
        self._write(child, self._order)
        # From now on nobody waits for a child that does not listen: it has calls enough.
        os.set_blocking(child.stdin.fileno(), False)

    def _send_line(self, line: bytes) -> bool:
        return self._child is not None and self._write(self._child, line)

    def _write(self, child: subprocess.Popen[bytes], line: bytes) -> bool:
        assert child.stdin is not None
        try:
            child.stdin.write(line)
        except ConnectionError:
            return False  # it has just left
        return True


def read_order() -> dict[str, Any]:
    """The child's first line: what its parent wants it to work on."""
    line = _line()
    if not line:
        os._exit(0)  # the parent went before it could say anything
    return json.loads(line)


def _line() -> bytes:
    """A line from the parent; empty at the end of the pipe. Takes nothing that comes after it."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            return b""
        line += byte
    return line


def die_with_parent(parent: int) -> None:
    """Linux kills the child with its parent; everywhere else the closed pipe ends it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)  # it died before we asked


class Calls:
    """What the parent says through the pipe, heard by a thread of its own."""

    def __init__(self) -> None:
        self.heard = threading.Event()
        self.asked = threading.Event()
        self.leaving = False
        self.deaf = False
        self.left_at = 0.0
        """When it was told to leave."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """A line is a call, one of them the wish that we go; the end of the pipe is the parent's."""
        while line := _line():
            if line == LEAVE and not self.leaving:
                self.left_at = time.monotonic()
                self.leaving = True
            self.heard.set()
        if not (self.leaving or self.deaf):
            os._exit(0)

    def stop_listening(self) -> None:
        """Whoever calls from here on is told that nobody listens any more."""
        self.deaf = True
        with socket.socket(fileno=os.dup(sys.stdin.fileno())) as pipe:
            pipe.shutdown(socket.SHUT_RD)


def line_to_parent() -> socket.socket:
    """The line by which the parent asks. It came as our stdout, where nothing else may be written."""
    line = socket.socket(fileno=os.dup(1))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return line


def serve(
    worker: Worker,
    *,
    drain_seconds: float = math.inf,
    idle_seconds: float = IDLE_SECONDS,
    embedder: Embedder | None = None,
) -> bool:
    """The child's life: work while there is some, nap until called, leave when idle or orphaned.

    `drain_seconds`: so long after it was told to leave it is killed. Is another one needed at once?
    """
    calls, line = Calls(), line_to_parent()
    if embedder is None:
        line.close()
    else:
        EmbeddingServer(line, embedder, calls.asked.set)
    worker.leaving = lambda: calls.leaving
    left = BROKEN_OFF * drain_seconds
    worker.overdue = lambda: calls.leaving and time.monotonic() - calls.left_at >= left
    os.nice(NICENESS)
    idle = 0.0
    while idle < idle_seconds:
        nap, busy = _do_what_is_due(worker)
        idle = 0.0 if busy else idle
        if calls.leaving:
            return False
        nap = min(nap, idle_seconds - idle)
        if calls.heard.wait(nap) or calls.asked.is_set():
            calls.heard.clear()
            calls.asked.clear()  # a question is no work for us, but who asks may ask again
            idle = 0.0
        else:
            idle += max(nap, 0.01)
    calls.stop_listening()
    return _is_needed(worker)  # who called before that does not call again


def _is_needed(worker: Worker) -> bool:
    try:
        return worker.has_due()
    except EverthreadError as error:
        log.warning("background work waits: %s", error)
        return False


def _do_what_is_due(worker: Worker) -> tuple[float, bool]:
    """Until when there is nothing more to do; and was there more than its duties?"""
    nap, busy = AFTER_TROUBLE, False
    try:
        while not worker.overdue() and worker.step():
            busy = busy or not worker.on_duty
        nap = worker.nap()
    except EverthreadError as error:
        log.warning("background work waits: %s", error)
    return nap, busy
