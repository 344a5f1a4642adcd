"""Keep the leases of open turns alive for as long as their process lives."""

from __future__ import annotations

import threading
from collections.abc import Callable

BEATS_PER_LEASE = 3


class Pulse:
    """A thread that beats while turns are open, and only then."""

    def __init__(self, beat: Callable[[], int], *, lease_seconds: float) -> None:
        self._beat = beat
        self._every = lease_seconds / BEATS_PER_LEASE
        self._lock = threading.Lock()
        self._open = 0
        self._quiet = threading.Event()
        self._thread: threading.Thread | None = None
        self.problem: Exception | None = None

    def opened(self) -> None:
        with self._lock:
            self._open += 1
            if self._thread is None:
                self._quiet = threading.Event()
                self._thread = threading.Thread(
                    target=self._run, args=(self._quiet,), name="everthread-pulse", daemon=True
                )
                self._thread.start()

    def closed(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open <= 0:
                self._quiet.set()
                self._thread = None

    def stop(self) -> None:
        with self._lock:
            self._open = 0
            self._quiet.set()
            self._thread = None

    def _run(self, quiet: threading.Event) -> None:
        while not quiet.wait(self._every):
            try:
                self._beat()
            except Exception as error:  # noqa: BLE001 - a full disk now must not end the beat for good
                self.problem = error
