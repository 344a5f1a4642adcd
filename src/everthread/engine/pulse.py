"""Know the living turns of an engine, and keep their leases alive for as long as it lives."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

log = logging.getLogger("everthread.pulse")

BEATS_PER_LEASE = 3
UNSTORED = 0
"""Stands for the reference of a turn that is about to be stored."""

Beat = Callable[[Sequence[int], Sequence[int]], object]
"""Renews the leases of the living turns, and ends those of the dropped ones."""


class Pulse:
    """A thread that beats while turns are open, and sleeps while none is."""

    def __init__(self, beat: Beat, *, lease_seconds: float) -> None:
        self._beat = beat
        self._every = lease_seconds / BEATS_PER_LEASE
        self._changed = threading.Condition()
        # Changed without a lock, by single steps alone: a finalizer may run anywhere, in any thread.
        self._living: dict[bytes, int] = {}
        self._dropped: list[int] = []
        self._asleep = False
        self._over = False
        self._thread: threading.Thread | None = None
        self._problem: str | None = None

    def living(self, key: bytes) -> bool:
        """Does someone in this program still hold the turn?"""
        return key in self._living

    @contextmanager
    def opening(self, key: bytes) -> Generator[None]:
        """A turn lives before it is stored: nobody may find it and take it for a dropped one."""
        self._living[key] = UNSTORED
        try:
            yield
        except BaseException:
            self.dropped(key)
            raise

    def opened(self, turn: object, key: bytes, ref: int) -> None:
        """The turn is stored; it lives until it ends or nobody holds it any more."""
        self._living[key] = ref
        # At the end of the program the engine's own end, or its lease, lets go of it.
        weakref.finalize(turn, self.dropped, key).atexit = False
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="everthread-pulse", daemon=True
                )
                self._thread.start()
            elif self._asleep:
                self._changed.notify()

    def closed(self, key: bytes) -> None:
        """The turn ended, and that is stored."""
        self._living.pop(key, None)

    def dropped(self, key: bytes) -> None:
        """The turn is held no longer, and nothing of that is stored. Runs in finalizers: no lock, no I/O."""
        ref = self._living.pop(key, UNSTORED)
        if ref != UNSTORED:
            self._dropped.append(ref)

    def stop(self) -> list[int]:
        """No more beats; the turns that are still open."""
        with self._changed:
            self._over = True
            self._changed.notify()
        return [*self._refs(), *self._dropped]

    def _refs(self) -> list[int]:
        return [ref for ref in self._living.copy().values() if ref != UNSTORED]

    def _run(self) -> None:
        while self._wait():
            dropped = tuple(self._dropped)
            try:
                self._beat(self._refs(), dropped)
            except Exception as error:  # noqa: BLE001 - a full disk now must not end the beat for good
                self._complain(error)
            else:
                self._problem = None
                del self._dropped[: len(dropped)]

    def _complain(self, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        if problem != self._problem and not self._over:
            log.warning("the leases of open turns could not be renewed: %s", problem)
        self._problem = problem

    def _wait(self) -> bool:
        """Until the next beat is due; False when it is all over."""
        with self._changed:
            while not self._over:
                if not self._living and not self._dropped:
                    self._asleep = True
                    self._changed.wait()
                    self._asleep = False
                elif not self._changed.wait(self._every) and (self._living or self._dropped):
                    return True
            return False
