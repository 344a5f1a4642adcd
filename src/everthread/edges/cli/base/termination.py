"""SIGTERM in the middle of a ritual: the same way out as Ctrl-C, so that nothing is left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class TerminationSignal(KeyboardInterrupt):
    """Somebody told this command to end, such as a tool whose time was over."""


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
