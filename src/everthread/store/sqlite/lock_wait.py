"""A wait for a lock that can end.

The system ends no wait for a lock file, and to ask again and again would starve the unlucky. So a
thread stands in line for us. Who gives up leaves it there, and finds it still standing when they come
again; if it is its turn meanwhile and nobody wants it, it lets the next one pass.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, get_ident, start_new_thread
from fcntl import LOCK_EX, LOCK_UN, flock


class LockWait:
    """One place in the line. The locks are those of the descriptors that it was made from.

    What is decided is put down by one call into C: Ctrl-C cannot come in between, and asked twice it
    answers the same.
    """

    def __init__(self, queue: int, writer: int) -> None:
        self._descriptors: tuple[int, ...] = os.dup(queue), os.dup(writer)
        self._decided: dict[str, object] = {}
        self._told = allocate_lock()
        self._told.acquire()
        self._error: OSError | None = None
        self._over = False

    def wait(self, seconds: float) -> bool:
        """Has the thread left the line within so many seconds? Whether it was our turn, `came` says."""
        if self._decided.get("turn") == "left":
            self._decided.pop("turn", None)
        if not self._over:
            if "thread" not in self._decided:
                start_new_thread(self._stand, ())
            self._told.acquire(timeout=max(0.0, seconds))
        return self._over

    @property
    def came(self) -> bool:
        if self._error is not None:
            raise self._error
        return self._decided.get("turn") == "came"

    def left(self) -> bool:
        """Nobody wants it any more. True if a thread stands on, and gives back whatever it gets."""
        if self._decided.setdefault("thread", None) is None:
            self.close()  # it never began, or begins too late
            return False
        return self._decided.setdefault("turn", "left") == "left"

    def close(self) -> None:
        descriptors, self._descriptors = self._descriptors, ()
        for descriptor in descriptors:
            os.close(descriptor)

    def _stand(self) -> None:
        if self._decided.setdefault("thread", get_ident()) != get_ident():
            return  # nobody waits for it, or it began twice: Ctrl-C struck right after the first
        queue, writer = self._descriptors
        try:
            flock(queue, LOCK_EX)
            flock(writer, LOCK_EX)
            flock(queue, LOCK_UN)
        except OSError as error:
            self._error = error
        if self._decided.setdefault("turn", "came") == "left":
            # Unlocked, not only closed: a child that was forked meanwhile has copies.
            flock(queue, LOCK_UN)
            flock(writer, LOCK_UN)
        self.close()
        self._over = True
        self._told.release()
