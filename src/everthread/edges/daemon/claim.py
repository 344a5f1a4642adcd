"""One daemon per home folder: the lock, the sockets, the port, the token."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import socket
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from everthread import __version__
from everthread.domain.errors import EverthreadError

from .places import Places
from .trace import write_whole

log = logging.getLogger("everthread.daemon")

LOOPBACK = "127.0.0.1"
BACKLOG = 512
LOOK_AGAIN = 0.02


class HomeTaken(EverthreadError):
    """Another daemon serves this home folder."""


class Claim:
    """The right to serve a home folder, and what one serves it with. Given back by `close`."""

    def __init__(self, places: Places, *, seconds: float = 0.0) -> None:
        self.places = places
        places.make()
        self._lock = _open_lock_file(places.lock)
        until = time.monotonic() + seconds
        while not self._locked():
            if time.monotonic() >= until:
                os.close(self._lock)
                # Whoever asked for us has a daemon; should that one die, the next hook may ask anew.
                places.starting.unlink(missing_ok=True)
                raise HomeTaken(f"a daemon already serves {places.home}")
            time.sleep(LOOK_AGAIN)
        self._write({"pid": os.getpid(), "version": __version__})
        self.sockets: list[socket.socket] = []
        self.port = 0
        self._door: tuple[int, int] | None = None
        """Which file our socket is."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        self.close()

    def _locked(self) -> bool:
        """Do we have the lock, of the file that others find there?"""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if self.holds():
            return True
        # The folder was removed and made anew between opening and locking.
        self.places.make()
        os.close(self._lock)
        self._lock = _open_lock_file(self.places.lock)
        return False

    def holds(self) -> bool:
        """Is the folder still ours? Who removes it and makes it anew has another lock in it."""
        seen = os.fstat(self._lock)
        return _file_identity(self.places.lock) == (seen.st_dev, seen.st_ino)

    def _write(self, facts: dict[str, Any]) -> None:
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, json.dumps(facts).encode(), 0)

    def listen(self) -> None:
        """Open both doors and say where they are. A socket left behind by a dead daemon is ours now."""
        self.sockets.append(_unix_socket(self.places.socket))
        self._door = _file_identity(self.places.socket)
        kept = _kept_port(self.places.port)
        loopback = _loopback_socket(kept)
        self.sockets.append(loopback)
        self.port = int(loopback.getsockname()[1])
        moved = kept if kept not in (0, self.port) else 0
        if moved:
            log.warning(
                "port %d is taken by another program: from now on it is %d", kept, self.port
            )
        write_whole(self.places.port, f"{self.port}\n".encode())
        state = {
            "pid": os.getpid(),
            "port": self.port,
            "port_before": moved,
            "version": __version__,
            "started": time.time(),
            "socket": str(self.places.socket),
        }
        write_whole(self.places.state, json.dumps(state).encode())
        for mark in (self.places.starting, self.places.stopped):
            mark.unlink(missing_ok=True)

    def present(self) -> bool:
        """Can we still be found? The folder may have been removed, or the socket swept away; then the
        files that are there now are another daemon's."""
        return (
            self.holds()
            and self._door is not None
            and _file_identity(self.places.socket) == self._door
        )

    def close(self) -> None:
        """Close the doors and give the folder back. The lock file stays: only its lock counts."""
        for each in self.sockets:
            each.close()
        with suppress(OSError):
            if self._door is not None and _file_identity(self.places.socket) == self._door:
                self.places.socket.unlink()
                if self.places.socket.parent != self.places.run:
                    self.places.socket.parent.rmdir()
        with suppress(OSError):
            if self.holds():
                self.places.starting.unlink(missing_ok=True)
                if self.sockets:
                    self.places.state.unlink(missing_ok=True)
        with suppress(OSError):
            os.ftruncate(self._lock, 0)
            os.close(self._lock)


def _open_lock_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Which file this is, whatever it is called."""
    try:
        seen = path.lstat()
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


def _unix_socket(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    door = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        door.bind(str(path))
    finally:
        os.umask(before)
    door.listen(BACKLOG)
    return door


def _kept_port(path: Path) -> int:
    try:
        port = int(path.read_text())
    except (OSError, ValueError):
        return 0
    return port if 0 < port < 65_536 else 0  # noqa: PLR2004 - what ports there are


def _loopback_socket(port: int) -> socket.socket:
    """The port of last time; if it is taken, another one, which is kept from then on."""
    # Named, or asyncio does not switch off the delay of small answers.
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((LOOPBACK, port))
    except OSError:
        door.bind((LOOPBACK, 0))
    door.listen(BACKLOG)
    return door


def local_token(places: Places) -> str:
    """The secret of this machine's admin; made on first use."""
    with suppress(FileNotFoundError):
        if kept := places.token.read_text().strip():
            return kept
    write_whole(places.token, f"{secrets.token_urlsafe(32)}\n".encode())
    return places.token.read_text().strip()
