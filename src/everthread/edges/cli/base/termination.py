"""How a command is told to end: by Ctrl-C, and by SIGTERM in the middle of a ritual.

The way out is the same, so that nothing is left half done.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class TerminationSignal(KeyboardInterrupt):
    """Somebody told this command to end, such as a tool whose time was over."""


_interrupts: list[int] = []


def note_interrupts() -> None:
    """Remember from now on that Ctrl-C was pressed: a library of C that is being loaded then tells of it as
    of a fault of its own."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


def was_interrupted() -> bool:
    return bool(_interrupts)


def _note(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    signal.default_int_handler(number, frame)


@contextmanager
def sigterm_interrupts() -> Generator[None]:
    """While this goes on, SIGTERM interrupts; what was begun is put right on the way out."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    # Said once is enough: the way out must not be interrupted as well.
    signal.signal(number, signal.SIG_IGN)
    raise TerminationSignal
