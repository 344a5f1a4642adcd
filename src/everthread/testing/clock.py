"""A clock that moves only when told to."""

from __future__ import annotations

import threading
from datetime import datetime

from everthread.domain.times import HOUR, SECOND, ms_of


class FrozenClock:
    """Starts where you say; `sleep` and `forward` move it, nothing else does."""

    def __init__(self, at: datetime | str | float = "2026-02-20T10:00:00Z") -> None:
        self._now = ms_of(at)
        self._lock = threading.Lock()

    def now(self) -> int:
        return self._now

    def sleep(self, seconds: float) -> None:
        self.forward(seconds=seconds)

    def forward(self, *, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        """Let time pass; a negative amount steps the clock back."""
        with self._lock:
            self._now += int(hours * HOUR + minutes * 60 * SECOND + seconds * SECOND)
