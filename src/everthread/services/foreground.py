"""Who waits for an answer of this program right now, so that work which can wait stands still.

One interpreter does the work of both: each time a turn asks the database the worker is let in, and a turn
that asks forty times waits for it forty times.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


class _ForegroundCalls:
    """How many calls somebody waits for at this moment, in any thread of the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self.nobody = threading.Event()
        self.nobody.set()

    def __enter__(self) -> None:
        with self._lock:
            self._calls += 1
            self.nobody.clear()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._calls -= 1
            if not self._calls:
                self.nobody.set()


_foreground_calls = _ForegroundCalls()


def foreground(call: Callable[Params, Result]) -> Callable[Params, Result]:
    """Somebody waits for what this call does: work that can wait stands still meanwhile."""

    @wraps(call)
    def answered(*args: Params.args, **named: Params.kwargs) -> Result:
        with _foreground_calls:
            return call(*args, **named)

    return answered


def is_foreground_busy() -> bool:
    """Does somebody wait for an answer of this program right now?"""
    return not _foreground_calls.nobody.is_set()


def wait_until_idle(seconds: float) -> None:
    """Stand still until nobody waits any more, but only so long."""
    _foreground_calls.nobody.wait(seconds)
