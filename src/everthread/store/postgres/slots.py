"""How many may be at work at once: who comes later waits, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

from everthread.domain.errors import StoreBusy


class Slots:
    def __init__(self, most: int) -> None:
        self._most = most
        self._free = most
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._mine = threading.local()

    @contextmanager
    def taken(self, where: str, *, patience: float) -> Generator[None]:
        """A place for the time of the block; `StoreBusy` where none gets free in so many seconds."""
        held: int = getattr(self._mine, "held", 0)
        # Who has one never waits for a second: the others might all wait for the first.
        if not held:
            self._enter(where, patience)
        self._mine.held = held + 1
        try:
            yield
        finally:
            self._mine.held = held
            if not held:
                self._leave()

    def _enter(self, where: str, patience: float) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            if turn.wait(patience) or not self._gave_up(turn):
                return
        except BaseException:
            if not self._gave_up(turn):
                self._leave()
            raise
        raise StoreBusy(
            f"{where}: for {patience:g} s all {self._most} connections of this program were in use; "
            "try again, or raise postgres_connections"
        )

    def _gave_up(self, turn: threading.Event) -> bool:
        """False if the place was given in this very moment."""
        with self._lock:
            if turn not in self._waiting:
                return False
            self._waiting.remove(turn)
            return True

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()  # the place goes from hand to hand
            else:
                self._free += 1
