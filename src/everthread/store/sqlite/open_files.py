"""What of SQLite's this process holds open, and what a fork makes of it.

SQLite guards a file with POSIX locks. They belong to the process, and it loses all of them as soon
as it closes any descriptor of the file; a child does not inherit them, though SQLite's memory in the
child believes so. Either way another program would take the log in use for a dead one and delete it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from weakref import WeakSet

from everthread.domain.errors import StoreAway, StoreFailed

File = tuple[int, int]


class Connection(sqlite3.Connection):
    """SQLite's own, but one that can be found again in a child."""


class _OpenFiles:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.files: Counter[File] = Counter()
        self.inherited: set[File] = set()
        self.connections: WeakSet[Connection] = WeakSet()
        self.left_in_child: WeakSet[ForkAware] = WeakSet()


class ForkAware:
    """Something with descriptors of its own that a child must let go."""

    def leave_in_child(self) -> None:
        raise NotImplementedError


_HELD = _OpenFiles()


def hold(path: Path, prepare: Callable[[], None]) -> File:
    """Note the file as held; `prepare`, which may open it raw, runs only if nobody holds it yet."""
    # Under the lock to the end: else two who open at once take each other's locks away.
    with _HELD.lock:
        file = identity(path)
        if file in _HELD.inherited:
            raise StoreFailed(
                f"{path} was open when this process was forked, and SQLite cannot open it safely "
                "here any more; connect only after the fork, or close the store before it"
            )
        if file is None or not _HELD.files[file]:
            prepare()
            file = identity(path)
        if file is None:
            raise StoreAway(f"{path} vanished while it was opened; try again")
        _HELD.files[file] += 1
        return file


def let_go(file: File) -> None:
    with _HELD.lock:
        _HELD.files[file] -= 1
        _HELD.files += Counter()  # without the zeros


def is_held(path: Path) -> bool:
    with _HELD.lock:
        file = identity(path)
        return file is not None and (_HELD.files[file] > 0 or file in _HELD.inherited)


def identity(path: str | Path) -> File | None:
    try:
        seen = os.stat(path)  # noqa: PTH116 - on every commit, so without a Path in between
    except (FileNotFoundError, NotADirectoryError):
        return None
    return seen.st_dev, seen.st_ino


def watch(connection: Connection) -> None:
    _HELD.connections.add(connection)


def leave_in_child(what: ForkAware) -> None:
    _HELD.left_in_child.add(what)


def _before_fork() -> None:
    """Load in the parent what the child needs.

    A thread of the parent that imports at this moment does not exist in the child, and there nobody would
    ever end its import: the child would wait for it for ever.
    """
    if _HELD.connections:
        import_module("ctypes")


def _after_fork() -> None:
    _HELD.lock = threading.Lock()
    _HELD.inherited.update(_HELD.files)
    _HELD.files.clear()
    _pin()
    for what in list(_HELD.left_in_child):
        what.leave_in_child()


def _pin() -> None:
    """Keep what was inherited for ever: to close it rolls back what the parent is writing."""
    for connection in list(_HELD.connections):
        pin(connection)


def pin(connection: Connection) -> None:
    """Keep a connection open until the process ends, however nobody refers to it any more."""
    import ctypes  # noqa: PLC0415 - rarely needed

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
