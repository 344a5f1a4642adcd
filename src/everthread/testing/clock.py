"""A clock that moves only when told to."""

from __future__ import annotations

import threading
from datetime import datetime

from everthread.domain.times import HOUR, SECOND, moment_of, ms_of


class FrozenClock:
    """Starts where you say; `sleep`, `forward` and `set` move it, nothing else does.

    Times are given as a datetime, ISO-8601 text or seconds since 1970. A clock tells Everthread whole
    milliseconds since 1970, UTC; `at` is the same for people.
    """

    def __init__(self, at: datetime | str | float = "2026-02-20T10:00:00Z") -> None:
        self._now = ms_of(at)
        self._lock = threading.Lock()

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return self._now

    @property
    def at(self) -> datetime:
        """The same as a datetime, in UTC."""
        return moment_of(self._now)

    def set(self, at: datetime | str | float) -> None:
        """Make it that time, later or earlier than it is."""
        with self._lock:
            self._now = ms_of(at)

    def sleep(self, seconds: float) -> None:
        """Let so much time pass at once; nobody waits."""
        self.forward(seconds=seconds)

    def forward(self, *, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        """Let time pass; a negative amount steps the clock back."""
        with self._lock:
            self._now += int(hours * HOUR + minutes * 60 * SECOND + seconds * SECOND)
