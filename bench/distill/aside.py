"""How long a turn would wait for the worker beside it, by the worker's own CPU: load does not count.

The worker works with a clock of its own, that shows the CPU it spent and the rests it would have taken.
Turns that begin anywhere in that time stand still while it works: one interpreter serves both.
"""

from __future__ import annotations

import shutil
import time
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import everthread
from everthread import Settings
from everthread.jobs import pause
from everthread.jobs.duties import HANDLERS
from everthread.jobs.worker import Worker
from everthread.services.job_names import DISTILL, SCORE

OWN = 6.0
"""Milliseconds that a turn takes by itself, with nobody beside it."""
TURNS = 20_000


class Spell(NamedTuple):
    """Work at a stretch, and the rest after it, in milliseconds."""

    work: float
    rest: float


class Clock:
    """Stands where the worker's pause looks for the time."""

    def __init__(self) -> None:
        self.spells: list[Spell] = []
        self._rested = 0.0
        self._since = time.thread_time()

    def perf_counter(self) -> float:
        return time.thread_time() + self._rested

    def sleep(self, seconds: float) -> None:
        worked = time.thread_time() - self._since
        self.spells.append(Spell(worked * 1000, seconds * 1000))
        self._rested += seconds
        self._since = time.thread_time()


def measure(filled: Path) -> dict[str, Any]:
    """A thread that is due, twice: the first distillation of a program loads what it needs."""
    told: dict[str, Any] = {}
    for first in (True, False):
        copy = filled.with_name("aside")
        shutil.copytree(filled, copy)
        settings = Settings(home=copy / "home", embedder="off")
        with everthread.connect(copy / "bench.db", background=False, settings=settings) as et:
            ada = et.agent("ada")
            ada.index()  # else the first recall of the score would do that
            ada.turn("And what is left to do now?").done("The tests, then the notes.")
            for kind, name in ((DISTILL, "distilling"), (SCORE, "scoring")):
                told[f"{name}, first of a program" if first else name] = _job(et, kind)
        shutil.rmtree(copy)
    return told


def _job(et: everthread.Everthread, kind: str) -> dict[str, Any]:
    worker = Worker(et.house, handlers={kind: HANDLERS[kind]}, duties=())
    clock, usual = Clock(), pause.time
    setattr(pause, "time", clock)  # noqa: B010 - only this bench puts another clock there
    try:
        if not worker.step():
            raise RuntimeError(f"nothing to do: {kind}")
    finally:
        setattr(pause, "time", usual)  # noqa: B010 - see above
    clock.sleep(0.0)
    waits = sorted(_waits(clock.spells))
    return {
        "CPU, ms": sum(spell.work for spell in clock.spells),
        "with rests, ms": sum(map(sum, clock.spells)),
        "longest work, ms": max(spell.work for spell in clock.spells),
        "a turn waits, ms": {
            "p50": waits[TURNS // 2],
            "p99": waits[TURNS * 99 // 100],
            "worst": waits[-1],
        },
    }


def _waits(spells: list[Spell]) -> list[float]:
    """Of turns that begin at any moment: how much work they see, until they had their own time."""
    starts = [0.0, *accumulate(map(sum, spells))]
    chance, found = Random(1), list[float]()
    for _ in range(TURNS):
        at = chance.random() * starts[-1]
        n = bisect_right(starts, at) - 1
        gone = at - starts[n]
        waited = max(0.0, spells[n].work - gone)
        left = OWN - (spells[n].rest - max(0.0, gone - spells[n].work))
        while left > 0 and (n := n + 1) < len(spells):
            waited, left = waited + spells[n].work, left - spells[n].rest
        found.append(waited)
    return found
