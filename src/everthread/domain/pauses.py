"""Stepping aside in the middle of work, without being handed the way to do so.

A worker beside a serving thread lets it in every half millisecond. Whoever reads a long text matches
patterns all the time (`text.patterns`), so that is where it happens; loops without any say it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar


def _go_on() -> None:
    pass


_way: ContextVar[Callable[[], None]] = ContextVar("way", default=_go_on)
"""Of the thread that is at work, and of no other."""


way_aside = _way.get
"""How this thread steps aside: for who does so between any two steps, and has no time for a call more."""


def step_aside() -> None:
    """Pause, if this thread works beside others and the time has come."""
    _way.get()()


@contextmanager
def stepping_aside(pause: Callable[[], None]) -> Generator[None]:
    """What computes in this block pauses by that; who takes a lock in it stands still meanwhile."""
    before = _way.set(pause)
    try:
        yield
    finally:
        _way.reset(before)


def standing_still() -> AbstractContextManager[None]:
    """Nobody pauses in this block: others wait for what it holds."""
    return stepping_aside(_go_on)
