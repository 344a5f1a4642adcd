"""The worker in a process of its own: spawned on demand, niced, dead when its parent is."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from everthread.domain.errors import EverthreadError

from .worker import Worker

log = logging.getLogger("everthread.worker")

NICENESS = 10
IDLE_SECONDS = 30.0
AFTER_TROUBLE = 5.0
PR_SET_PDEATHSIG = 1


class ApartWorker:
    """The parent's side: at most one child, reached through a pipe whose end tells it to go."""

    def __init__(
        self, command: Sequence[str], order: Mapping[str, Any], *, drain_seconds: float
    ) -> None:
        self._command = list(command)
        self._order = json.dumps(order).encode() + b"\n"
        self._drain = drain_seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._stopping = False

    @property
    def pid(self) -> int | None:
        child = self._child
        return None if child is None or child.poll() is not None else child.pid

    def wake(self) -> None:
        with self._lock:
            if self._stopping:
                return
            if self.pid is None:
                self._spawn()
            assert self._child is not None and self._child.stdin is not None
            # A child that has just left for idleness misses this; its work stays due.
            with suppress(BrokenPipeError):
                self._child.stdin.write(b"\n")
                self._child.stdin.flush()

    def _spawn(self) -> None:
        if self._child is not None:
            self._child.wait()
            self._close_pipe()
        # The order travels through the pipe: a password must not show in the list of processes.
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        assert self._child.stdin is not None
        self._child.stdin.write(self._order)

    def _close_pipe(self) -> None:
        if self._child is not None and self._child.stdin is not None:
            with suppress(BrokenPipeError):
                self._child.stdin.close()

    def stop(self) -> None:
        """Close the pipe; what is under way gets a little time, then the child is killed."""
        with self._lock:
            self._stopping = True
            if self._child is None:
                return
            self._close_pipe()
            try:
                self._child.wait(self._drain)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()


def read_order() -> dict[str, Any]:
    """The child's first line: what its parent wants it to work on."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            os._exit(0)  # the parent went before it could say anything
        line += byte
    return json.loads(line)


def die_with_parent(parent: int) -> None:
    """Linux kills the child with its parent; everywhere else the closed pipe ends it."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - only this process needs it

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)  # it died before we asked


def serve(worker: Worker) -> None:
    """The child's life: work while there is some, nap until called, leave when idle or orphaned."""
    os.nice(NICENESS)
    threading.Thread(target=_leave_with_pipe, daemon=True).start()
    idle = 0.0
    while idle < IDLE_SECONDS:
        nap = AFTER_TROUBLE
        try:
            while worker.step():
                idle = 0.0
            nap = worker.nap()
        except EverthreadError as error:
            log.warning("background work waits: %s", error)
        nap = min(nap, IDLE_SECONDS - idle)
        if _CALLED.wait(nap):
            _CALLED.clear()
            idle = 0.0
        else:
            idle += max(nap, 0.01)


_CALLED = threading.Event()


def _leave_with_pipe() -> None:
    """A line is a call; the end of the pipe is the end of the parent, or its wish that we go."""
    while os.read(sys.stdin.fileno(), 4_096):
        _CALLED.set()
    os._exit(0)
