"""A daemon seen from outside: is one there, which, and how to ask it to finish."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast

from everthread import __version__

from .places import Places

SECONDS = 2.0
LOOK_AGAIN = 0.05


class RunningDaemon(NamedTuple):
    """A daemon that answers."""

    pid: int
    version: str
    port: int
    store_open: bool
    trouble: str = ""
    """Why it could not open its store."""

    @property
    def settled(self) -> bool:
        """Does it serve its store, or is it known why not?"""
        return self.store_open or bool(self.trouble)

    @property
    def older(self) -> bool:
        return _version_parts(self.version) < _version_parts(__version__)


def find(places: Places, *, seconds: float = SECONDS) -> RunningDaemon | None:
    """The daemon of this home folder, if one answers."""
    status, body = talk(places, "GET", "/health", seconds=seconds)
    if status != 200:  # noqa: PLR2004 - OK
        return None
    try:
        said = cast("dict[str, Any]", json.loads(body))
        return RunningDaemon(
            int(said["pid"]),
            str(said["version"]),
            int(said["port"]),
            bool(said["store_open"]),
            str(said.get("trouble", "")),
        )
    except (ValueError, KeyError, TypeError):
        return None


def port_before(places: Places, port: int) -> int:
    """The port that the daemon had before and that another program had taken; 0 if it is the same."""
    try:
        said = cast("dict[str, Any]", json.loads(places.state.read_text()))
        return int(said["port_before"]) if said["port"] == port else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def port_text(places: Places, port: int) -> str:
    """The port for people; with the one before, where that is another."""
    before = port_before(places, port)
    moved = f" (it was {before}, which another program has taken)"
    return f"port {port}{moved if before else ''}"


def stop(places: Places, *, seconds: float = 15.0) -> bool:
    """Ask the daemon to finish, and wait for it. One that does not hear gets a signal. False: it stays."""
    pid = lock_holder(places)
    status, _ = talk(places, "POST", "/control/stop")
    if status != 200 and pid is not None:  # noqa: PLR2004 - OK
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
    return wait_until(lambda: lock_holder(places) is None, seconds)


def lock_holder(places: Places) -> int | None:
    """The process that holds the lock: it may be starting, serving or on its way out."""
    try:
        with places.lock.open("rb") as file:
            # The lock tells, not the number: that may be somebody else's by now.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
    except BlockingIOError:
        pass
    except OSError:
        return None
    try:
        return int(json.loads(places.lock.read_text())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def silence_text(pid: int) -> str:
    """What to tell of a process that holds the lock and does not answer, and what to do."""
    return (
        f"process {pid} has the daemon's place and does not answer: it starts, leaves or hangs; "
        f"if that lasts, kill it (kill -9 {pid}): nothing is lost, and the next session starts another"
    )


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Did it come true in that time?"""
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_AGAIN)
    return True


def talk(places: Places, method: str, path: str, *, seconds: float = SECONDS) -> tuple[int, bytes]:
    """One request over the Unix socket: status and body; 0 if nobody answers."""
    asked = (
        f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        f"x-everthread-version: {__version__}\r\ncontent-length: 0\r\n\r\n"
    )
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            line.connect(str(places.socket))
            line.sendall(asked.encode())
            parts: list[bytes] = []
            while part := line.recv(65_536):
                parts.append(part)
        head, _, body = b"".join(parts).partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), body
    except (OSError, ValueError, IndexError):
        return 0, b""


def _version_parts(version: str) -> tuple[int, ...]:
    """A version to compare; what is no number counts as none."""
    return tuple(int(part) if part.isdigit() else -1 for part in version.split("."))
