"""Step aside: work beside a serving thread gives the interpreter back every half millisecond."""

from __future__ import annotations

import time
from collections.abc import Callable

WORK_SECONDS = 0.0005
REST_PER_WORK = 4.0
"""A thread that rests four times as long as it works leaves its neighbours undisturbed."""

LONGEST_REST = 0.05
"""Work that takes longer at a stretch computes outside the interpreter, and disturbs nobody there."""


class Leaving(Exception):
    """The program ends: what is not done stays to be done."""


def staying() -> bool:
    return False


class Pause:
    """Call it often. It sleeps when it is time to, and keeps the job's lease alive."""

    def __init__(
        self,
        keep: Callable[[], None],
        *,
        keep_every: float,
        rest: float,
        leaving: Callable[[], bool] = staying,
        overdue: Callable[[], bool] = staying,
    ) -> None:
        self._keep = keep
        self._keep_every = keep_every
        self._rest = rest
        self._leaving = leaving
        self._overdue = overdue
        self._since = self._kept = time.perf_counter()

    def __call__(self) -> None:
        now = time.perf_counter()
        worked = now - self._since
        if worked < WORK_SECONDS:
            return
        if now - self._kept >= self._keep_every:
            self._keep()
            self._kept = now
        # Who waits for the end of the program is not disturbed by work, but by waiting.
        if self._rest and not self._leaving():
            time.sleep(min(worked * self._rest, LONGEST_REST))
        self._since = time.perf_counter()

    def or_leave(self) -> None:
        """The same for work that can be left off at any time, and is when the program ends."""
        if self._leaving():
            raise Leaving
        self()

    def or_give_up(self) -> None:
        """The same for work that is better finished: it is left off when its last time is over."""
        if self._overdue():
            raise Leaving
        self()
