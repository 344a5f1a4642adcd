"""The queue in front of a SQLite file.

SQLite lets waiting processes poll, and the unlucky starve. Two lock files make them queue: whoever
holds the first is next, whoever holds the second writes.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path


class Turnstile:
    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._file = _identity(self._path)
        self._queue = _opened(path.with_name(path.name + "-queue"))
        try:
            self._writer = _opened(path.with_name(path.name + "-writer"))
        except OSError:
            os.close(self._queue)
            raise

    def __enter__(self) -> None:
        fcntl.flock(self._queue, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._writer, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)
        try:
            self._must_be_there()
        except OSError:
            fcntl.flock(self._writer, fcntl.LOCK_UN)
            raise

    def _must_be_there(self) -> None:
        # SQLite would write on into a file that nobody can find any more, and call it a success.
        try:
            there = _identity(self._path) == self._file
        except FileNotFoundError:
            there = False
        if not there:
            raise FileNotFoundError(
                errno.ENOENT, "the file was moved or removed while it was open; put it back"
            )

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._writer, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._queue)
        os.close(self._writer)


class Open:
    """A turnstile nobody has to wait at: a store that no other process can see."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def close(self) -> None:
        return None


def _identity(path: str) -> tuple[int, int]:
    seen = os.stat(path)  # noqa: PTH116 - on every commit, so without a Path in between
    return seen.st_ino, seen.st_dev


def _opened(path: Path) -> int:
    # Not inherited: a child that outlives us must not keep our place in the queue.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
