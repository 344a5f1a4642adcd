"""Who waits for an answer of this program right now, so that work which can wait stands still.

One interpreter does the work of both: each time a turn asks the database the worker is let in, and a turn
that asks forty times waits for it forty times. Where a turn waits for the worker itself, it is the other
way round: a worker that stepped aside for it would let it wait for ever longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


AGAIN = 0.5
"""Who looks again within so many seconds has been waiting all the time."""


class _Wait(NamedTuple):
    since: float
    last: float


class _ForegroundCalls:
    """How many calls somebody waits for at this moment, in any thread of the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self.awaiting = 0
        """So many of them do nothing but wait for the worker."""
        self._awaited: dict[tuple[int, int], _Wait] = {}
        self.nobody = threading.Event()
        self.nobody.set()

    def __enter__(self) -> None:
        self._count(calls=1)

    def __exit__(self, *_: object) -> None:
        self._count(calls=-1)

    @contextmanager
    def wait_for_worker(self, store: object, thread: int) -> Generator[None]:
        where = id(store), thread  # it is not held here
        begun = time.monotonic()
        held = self._awaited.get(where)
        since = begun if held is None or begun - held.last > AGAIN else held.since
        self._count(awaiting=1)
        try:
            yield
        finally:
            self._count(awaiting=-1)
            self._awaited[where] = _Wait(since, time.monotonic())

    def waited_for(self, store: object, thread: int) -> float:
        where = id(store), thread  # it is not held here
        wait = self._awaited.get(where)
        if wait is None or time.monotonic() - wait.last > AGAIN:
            self._awaited.pop(where, None)
            return 0.0
        return wait.last - wait.since

    def _count(self, *, calls: int = 0, awaiting: int = 0) -> None:
        with self._lock:
            self._calls += calls
            self.awaiting += awaiting
            if self._calls > self.awaiting:
                self.nobody.clear()
            else:
                self.nobody.set()


_foreground_calls = _ForegroundCalls()


def foreground(call: Callable[Params, Result]) -> Callable[Params, Result]:
    """Somebody waits for what this call does: work that can wait stands still meanwhile."""

    @wraps(call)
    def answered(*args: Params.args, **named: Params.kwargs) -> Result:
        with _foreground_calls:
            return call(*args, **named)

    return answered


awaiting_worker = _foreground_calls.wait_for_worker
"""Within it, a call waits for what the worker does to that thread of the store, and for nothing else."""

awaited_seconds = _foreground_calls.waited_for
"""How long somebody has been waiting for the worker to be done with that thread; 0 if nobody is."""


def is_worker_awaited() -> bool:
    """Does somebody wait for the worker right now?"""
    return _foreground_calls.awaiting > 0


def is_foreground_busy() -> bool:
    """Does somebody wait for an answer of this program right now, other than for the worker's?"""
    return not _foreground_calls.nobody.is_set()


def wait_until_idle(seconds: float) -> None:
    """Stand still until nobody waits any more, but only so long."""
    _foreground_calls.nobody.wait(seconds)
