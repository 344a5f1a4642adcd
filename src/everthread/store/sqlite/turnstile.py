"""The queue in front of a SQLite file.

SQLite lets waiting processes poll, and the unlucky starve. Two lock files make them queue: whoever
holds the first is next, whoever holds the second writes. A process that was stopped or hangs in there
must not hold up the others without end, so a wait has one.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from functools import partial
from pathlib import Path

from everthread.domain.errors import StoreBusy

from .lock_holder import holder_advice
from .lock_wait import LockWait
from .open_files import ForkAware, identity, leave_in_child

PATIENCE = 30.0
"""Seconds that a writer waits for its turn: as long as for a row of PostgreSQL that another holds."""

LOOK_AGAIN = 0.002
AT_ONCE = LOCK_EX | LOCK_NB


class Turnstile(ForkAware):
    leave: Callable[[], object]
    """Not a method: Ctrl-C strikes at the first line of Python's functions, never of C's."""

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self._path = str(path)
        self.patience = patience
        self._file = identity(self._path)
        self._locks = path.with_name(path.name + "-writer"), path.with_name(path.name + "-queue")
        self._queue = _open_lock_file(self._locks[1])
        try:
            self._writer = _open_lock_file(self._locks[0])
        except OSError:
            os.close(self._queue)
            raise
        self._descriptors = self._queue, self._writer
        self._standing: LockWait | None = None
        self.leave = partial(flock, self._writer, LOCK_UN)
        leave_in_child(self)

    def enter(self, since: float | None = None) -> None:
        """Wait until it is our turn; whoever is interrupted meanwhile keeps no place.

        `since` when this was waited for, if not since now.
        """
        try:
            if self._standing is not None or not self._walked_through():
                self._wait((time.monotonic() if since is None else since) + self.patience)
            # SQLite would write on into a file that nobody can find any more, and call it a success.
            if identity(self._path) != self._file:
                raise FileNotFoundError(
                    errno.ENOENT, "the file was moved or removed while it was open; put it back"
                )
        except BaseException:
            if self._standing is None or not self._standing.left():
                flock(self._queue, LOCK_UN)
                flock(self._writer, LOCK_UN)
                self._standing = None
            raise

    def _walked_through(self) -> bool:
        """Nobody is there, as mostly. Else we may be the next by now, and stay it."""
        try:
            flock(self._queue, AT_ONCE)
            flock(self._writer, AT_ONCE)
            flock(self._queue, LOCK_UN)
        except BlockingIOError:
            return False
        return True

    def _wait(self, until: float) -> None:
        while self._standing is not None or not self._walked_through():
            standing = self._standing = self._standing or LockWait(self._queue, self._writer)
            try:
                over = standing.wait(until - time.monotonic())
            except RuntimeError:
                # No thread can be had, as when the interpreter is about to end.
                standing.left()
                self._standing = None
                return self._look_again(until)
            if not over:
                raise self._busy()
            if standing.came:
                self._standing = None
                return None
            self._standing = None
        return None

    def _look_again(self, until: float) -> None:
        while not self._walked_through():
            if time.monotonic() >= until:
                raise self._busy()
            time.sleep(LOOK_AGAIN)

    def _busy(self) -> StoreBusy:
        return StoreBusy(
            f"{self._path}: waited {self.patience:g} s for the lock of its writer; "
            f"{holder_advice(*self._locks)}; then try again. Nothing was changed"
        )

    def close(self) -> None:
        """Once: what is closed twice may by then be somebody else's file."""
        standing, self._standing = self._standing, None
        if standing is not None:
            standing.left()  # its thread closes what it has, once the system lets it go on
        self._let_go()

    def leave_in_child(self) -> None:
        # Closed, not unlocked: the lock is the parent's, and must end with the parent.
        standing, self._standing = self._standing, None
        if standing is not None:
            standing.close()
        self._let_go()

    def _let_go(self) -> None:
        descriptors, self._descriptors = self._descriptors, ()
        for descriptor in descriptors:
            os.close(descriptor)


class OpenTurnstile:
    """A turnstile nobody has to wait at: a store that no other process can see."""

    patience = PATIENCE

    def enter(self, _since: float | None = None) -> None:
        return None

    def leave(self) -> None:
        return None

    def close(self) -> None:
        return None


def _open_lock_file(path: Path) -> int:
    # Not inherited: a child that outlives us must not keep our place in the queue.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
