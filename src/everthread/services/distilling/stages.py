"""The stages of a distillation: named as they begin, timed, and held to their time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from everthread.domain.errors import EverthreadError

STAGES = ("plan", "shorten", "extract", "summarize", "flush", "commit", "verify", "score", "repair")

RENEW = 30.0
"""Seconds after which a distillation that goes on prolongs its lease."""

LONGEST_AWAITED, LEAST_READ = 0.25, 1.0
"""Seconds that a turn without room waits, and that must have gone into reading before it is broken off: what
was read by then is summarized, and is room enough."""

READING = frozenset({"plan", "extract"})
"""The stages that take longer the more there is to read; what follows them is short, and finished."""

Pause = Callable[[], None]
Between = Callable[[], float]
"""Does what is urgent, and says how many seconds that took."""
Progress = Callable[[str], None]
"""Told the name of each stage as it begins."""


NOT_WITHIN = "it was not done within"
PART_ONLY = "extract: there was time for the oldest messages only"


def lacked_time(errors: Iterable[str]) -> bool:
    """Do they tell of a distillation that came to nothing for want of time alone?"""
    return any(NOT_WITHIN in error or error == PART_ONLY for error in errors)


class Late(EverthreadError):
    """There was no time left for it."""


LEFT_OFF = "left off: the program ended"
OVERTAKEN = "left off: another worker was given it meanwhile"


class LeftOff(Exception):
    """The program ends: what is not done is done another time."""


def nothing() -> None:
    return None


def silent(_stage: str) -> None:
    return None


def at_leisure() -> float:
    return 0.0


def uninterrupted() -> float:
    """Nothing else is done in between; it took no time."""
    return 0.0


class Stages:
    """Which stage is under way, since when, and how long the others took."""

    def __init__(
        self,
        pause: Pause,
        progress: Progress,
        seconds: float | None,
        *,
        renew: Pause,
        awaited: Callable[[], float] = at_leisure,
    ) -> None:
        self._pause, self._progress, self._renew = pause, progress, renew
        self._seconds = seconds
        self._awaited = awaited
        self._began = self._since = self._renewed = time.monotonic()
        self._timings: dict[str, int] = {}
        self.stage = ""

    def begin(self, stage: str) -> None:
        """A stage begins."""
        if self.stage:
            self._timings[self.stage] = self._lap()
        self.stage, self._since = stage, time.monotonic()
        self._progress(stage)

    @property
    def timings(self) -> dict[str, int]:
        """Milliseconds of each stage so far."""
        return {**self._timings, self.stage: self._lap()}

    def _lap(self) -> int:
        return round((time.monotonic() - self._since) * 1_000)

    def late(self) -> bool:
        """Is half of the time over? The other half is for all that follows. Or does somebody wait?"""
        if self._elapsed > LEAST_READ and self._awaited() > LONGEST_AWAITED:
            return True
        return self._seconds is not None and 2 * self._elapsed > self._seconds

    def pause(self) -> None:
        """Let others in between, keep the lease, and give up what takes too long."""
        now = time.monotonic()
        if (
            self._seconds is not None
            and now - self._began > self._seconds
            and self.stage in READING
        ):
            raise Late(f"{NOT_WITHIN} {self._seconds:g} s")
        if now - self._renewed > RENEW:
            self._renewed = now
            self._renew()
        self._pause()

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began
