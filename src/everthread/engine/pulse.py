"""Keep the leases of open turns alive for as long as their process lives."""

from __future__ import annotations

import threading
from collections.abc import Callable

BEATS_PER_LEASE = 3


class Pulse:
    """A thread that beats while turns are open, and sleeps while none is."""

    def __init__(self, beat: Callable[[], int], *, lease_seconds: float) -> None:
        self._beat = beat
        self._every = lease_seconds / BEATS_PER_LEASE
        self._changed = threading.Condition()
        self._open = 0
        self._over = False
        self._thread: threading.Thread | None = None
        self.problem: Exception | None = None

    def opened(self) -> None:
        with self._changed:
            self._open += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="everthread-pulse", daemon=True
                )
                self._thread.start()
            elif self._open == 1:
                self._changed.notify()

    def closed(self) -> None:
        with self._changed:
            self._open -= 1

    def stop(self) -> int:
        """No more beats; how many turns are still open."""
        with self._changed:
            self._over = True
            self._changed.notify()
            return self._open

    def _run(self) -> None:
        while self._wait():
            try:
                self._beat()
                self.problem = None
            except Exception as error:  # noqa: BLE001 - a full disk now must not end the beat for good
                self.problem = error

    def _wait(self) -> bool:
        """Until the next beat is due; False when it is all over."""
        with self._changed:
            while not self._over:
                if not self._open:
                    self._changed.wait()
                elif not self._changed.wait(self._every) and self._open:
                    return True
            return False
