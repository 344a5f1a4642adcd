"""The worker in a thread of this program: started when there is work, gone with the program."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from everthread.domain.errors import EverthreadError, StoreClosed

if TYPE_CHECKING:
    from .worker import Worker

log = logging.getLogger("everthread.worker")

AFTER_TROUBLE = 5.0
HAND_BACK = 0.5
"""Seconds more in which work that is broken off is put back. Who does not pause is not waited for longer."""


class BackgroundWorker:
    def __init__(self, worker: Worker, *, drain_seconds: float) -> None:
        self._worker = worker
        self._drain = drain_seconds
        self._lock = threading.Lock()
        self._called = threading.Event()
        self._deadline: float | None = None
        self._thread: threading.Thread | None = None
        worker.leaving = lambda: self._deadline is not None
        worker.overdue = lambda: not self._in_time()

    def wake(self) -> None:
        """There may be work: begin, or go on."""
        with self._lock:
            if self._deadline is not None:
                return
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="everthread-worker", daemon=True
                )
                self._thread.start()
        self._called.set()

    def stop(self) -> None:
        """Do what is due, for a little time; what is left by then is due for whoever comes next."""
        with self._lock:
            self._deadline = time.monotonic() + self._drain
            thread = self._thread
        self._called.set()
        if thread is not None:
            thread.join(self._drain + HAND_BACK)

    def _run(self) -> None:
        while True:
            self._called.clear()
            nap = AFTER_TROUBLE
            try:
                while self._in_time() and self._worker.step():
                    pass
                if self._deadline is not None:
                    return
                nap = self._worker.nap()
            except StoreClosed:
                return
            except EverthreadError as error:
                # A full disk or a server that is away: nothing is lost, the work stays due.
                log.warning("background work waits: %s", error)
            if self._deadline is not None:
                return
            self._called.wait(nap)

    def _in_time(self) -> bool:
        return self._deadline is None or time.monotonic() < self._deadline
