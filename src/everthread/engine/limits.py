"""Wait for something only so long: it runs in a thread of its own, which may finish unheard."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Limited:
    """Runs work with a time limit. While something late is under way, nothing new begins."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._late: threading.Thread | None = None

    def run(self, work: Callable[[], T]) -> T:
        """What the work returns or raises; `TimeoutError` where that takes too long."""
        if self._late is not None and self._late.is_alive():
            raise TimeoutError("the recall of an earlier turn is still under way")
        done: list[T] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                done.append(work())
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                failed.append(error)

        thread = threading.Thread(target=run, name="everthread-recall", daemon=True)
        thread.start()
        thread.join(self._seconds)
        if failed:
            raise failed[0]
        if not done:
            self._late = thread
            raise TimeoutError(f"it took longer than {self._seconds:g} s")
        return done[0]

    def stop(self) -> None:
        """Give what is late one more such time to end: the store is about to close under it."""
        if self._late is not None:
            self._late.join(self._seconds)
