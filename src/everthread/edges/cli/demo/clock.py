"""Days in seconds: a clock that the example moves by hand."""

from __future__ import annotations

from threading import Lock


class DemoClock:
    """Fills the port `Clock`. It only ever goes forward; `sleep` lets time pass without waiting."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._lock = Lock()

    def now(self) -> int:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._now += int(seconds * 1000)

    def reach(self, moment: int) -> None:
        """Go on to that moment, unless it has passed."""
        with self._lock:
            self._now = max(self._now, moment)
