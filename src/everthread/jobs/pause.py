"""Step aside: work beside a serving thread gives the interpreter back every half millisecond."""

from __future__ import annotations

import time
from collections.abc import Callable

from everthread.services.foreground import (
    is_foreground_busy,
    is_worker_awaited,
    wait_until_idle,
)

WORK_SECONDS = 0.0005
REST_PER_WORK = 4.0
"""A thread that rests four times as long as it works leaves its neighbours undisturbed."""

LONGEST_REST = 0.05
"""Work that takes longer at a stretch computes outside the interpreter, and disturbs nobody there."""


LONGEST_STAND = 0.5
"""Seconds that the worker stands still at most, however long nobody was served before."""

HURRIED_REST = 1.0
"""Work that others will soon have to wait for takes half of the time, and no more while they are served."""

PRESSING = 0.5
"""From here on it stands still for nobody: the later it ends, the longer somebody waits for all of it."""


class WorkerLeaving(Exception):
    """The program ends: what is not done stays to be done."""


def never_leaving() -> bool:
    return False


def no_time() -> float:
    return 0.0


class Patience:
    """The worker stands still while somebody is served, as long in all as nobody was before that.

    A model's answer takes seconds and a turn milliseconds, so there is always time left. Beside turns
    without any pause it would never come to an end: there it goes on as if nobody said that he waits.
    """

    def __init__(self) -> None:
        self._left = LONGEST_STAND
        self._looked = time.perf_counter()

    def stand(self) -> None:
        now = time.perf_counter()
        if not is_foreground_busy():
            self._left = min(LONGEST_STAND, self._left + now - self._looked)
        elif self._left > 0.0:
            wait_until_idle(self._left)
            stood_until = time.perf_counter()
            self._left -= stood_until - now
            now = stood_until
        self._looked = now


class Pause:
    """Call it often. It sleeps when it is time to, and keeps the job's lease alive.

    `WorkerLeaving` where the program ends and even the time that was left for the work is over.
    """

    def __init__(
        self,
        keep: Callable[[], None],
        *,
        keep_every: float,
        rest: float,
        patience: Patience | None = None,
        leaving: Callable[[], bool] = never_leaving,
        overdue: Callable[[], bool] = never_leaving,
        between: Callable[[], float] = no_time,
    ) -> None:
        self._keep = keep
        self._keep_every = keep_every
        self._rest = rest
        self._patience = patience or Patience()
        self._leaving = leaving
        self._overdue = overdue
        self._since = self._kept = time.perf_counter()
        self.between = between
        """Do what is urgent, and say how many seconds it took. Only where nothing is held, and by name."""
        self.pressure: Callable[[], float] = no_time
        """How soon somebody has to wait for the work: 0, it has time, to 1, at once. Set by its handler."""

    def __call__(self) -> None:
        now = time.perf_counter()
        worked = now - self._since
        if worked < WORK_SECONDS:
            return
        if self._overdue():
            raise WorkerLeaving
        if now - self._kept >= self._keep_every:
            self._keep()
            self._kept = now
        # Who waits for the end of the program is not disturbed by work, but by waiting.
        if self._rest and not self._leaving():
            self._step_aside(worked)
        self._since = time.perf_counter()

    def _step_aside(self, worked: float) -> None:
        awaited = is_worker_awaited()
        if awaited and not is_foreground_busy():
            return
        pressure = 1.0 if awaited else self.pressure()
        rest = max(min(HURRIED_REST, self._rest), self._rest * (1.0 - pressure))
        time.sleep(min(worked * rest, LONGEST_REST))
        if pressure < PRESSING:
            self._patience.stand()

    def or_leave(self) -> None:
        """The same for work that can be left off at any time, and is when the program ends."""
        if self._leaving():
            raise WorkerLeaving
        self()
