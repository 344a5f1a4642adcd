"""A client in a terminal, as a person has it: typed to, and looked at."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

PATIENCE = 120.0
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|\x1b.")
ROWS, COLUMNS = 40, 160


class Terminal:
    """Keeps all that the program writes; moves of the cursor are left out, and so are spaces."""

    def __init__(self, command: list[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._written = b""
        try:
            self.process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environ) | {"TERM": "xterm-256color"},
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        finally:
            os.close(theirs)

    @property
    def shown(self) -> str:
        plain = ESCAPES.sub(b"", self._written).decode(errors="replace")
        return "".join(plain.split())

    def wait(self, right: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Read what it writes until it is right; a program that is not read from stands still."""
        end = time.monotonic() + seconds
        while not right():
            assert time.monotonic() < end, f"waited in vain; shown: {self.shown[-2_000:]}"
            self._read()

    def _read(self) -> None:
        ready, _, _ = select.select([self._ours], [], [], 0.05)
        if ready:
            with contextlib.suppress(OSError):  # it has gone
                self._written += os.read(self._ours, 65_536)

    def enter(self, text: str) -> None:
        """Type a line. Enter comes when the text is seen: sooner, it would be part of it."""
        before = len(self.shown)
        os.write(self._ours, text.encode())
        self.wait(lambda: "".join(text.split()) in self.shown[before:])
        os.write(self._ours, b"\r")

    def gone(self) -> bool:
        return self.process.poll() is not None

    def close(self) -> None:
        if not self.gone():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._ours)


@contextlib.contextmanager
def terminal(command: list[str], cwd: Path, environ: Mapping[str, str]) -> Iterator[Terminal]:
    made = Terminal(command, cwd, environ)
    try:
        yield made
    finally:
        made.close()
