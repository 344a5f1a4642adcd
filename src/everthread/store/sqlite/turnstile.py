"""The queue in front of a SQLite file.

SQLite lets waiting processes poll, and the unlucky starve. Two lock files make them queue: whoever
holds the first is next, whoever holds the second writes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from fcntl import LOCK_EX, LOCK_UN, flock
from functools import partial
from pathlib import Path

from .held import Leaving, identity, leave_in_child


class Turnstile(Leaving):
    leave: Callable[[], object]
    """Not a method: Ctrl-C strikes at the first line of Python's functions, never of C's."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._file = identity(self._path)
        self._queue = _opened(path.with_name(path.name + "-queue"))
        try:
            self._writer = _opened(path.with_name(path.name + "-writer"))
        except OSError:
            os.close(self._queue)
            raise
        self._descriptors = self._queue, self._writer
        self.leave = partial(flock, self._writer, LOCK_UN)
        leave_in_child(self)

    def enter(self) -> None:
        """Wait until it is our turn; whoever is interrupted meanwhile keeps no place."""
        try:
            flock(self._queue, LOCK_EX)
            flock(self._writer, LOCK_EX)
            flock(self._queue, LOCK_UN)
            # SQLite would write on into a file that nobody can find any more, and call it a success.
            if identity(self._path) != self._file:
                raise FileNotFoundError(
                    errno.ENOENT, "the file was moved or removed while it was open; put it back"
                )
        except BaseException:
            flock(self._queue, LOCK_UN)
            flock(self._writer, LOCK_UN)
            raise

    def close(self) -> None:
        """Once: what is closed twice may by then be somebody else's file."""
        descriptors, self._descriptors = self._descriptors, ()
        for descriptor in descriptors:
            os.close(descriptor)

    def leave_in_child(self) -> None:
        # Closed, not unlocked: the lock is the parent's, and must end with the parent.
        self.close()


class Open:
    """A turnstile nobody has to wait at: a store that no other process can see."""

    def enter(self) -> None:
        return None

    def leave(self) -> None:
        return None

    def close(self) -> None:
        return None


def _opened(path: Path) -> int:
    # Not inherited: a child that outlives us must not keep our place in the queue.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
