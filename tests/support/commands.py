"""The command `everthread` as people run it: piped, or on a terminal of a given width."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from everthread.edges.cli.app import run

from .born import lived

COMMAND = Path(sys.executable).with_name("everthread")

LONGEST = 60.0


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        return json.loads(self.err)["error"]


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of somebody who has set nothing of ours."""
    ours = ("EVERTHREAD", "SESSION_INACTIVITY", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {
        **kept,
        "HOME": str(home),
        "EVERTHREAD_HOME": str(home / "data"),
        "TERM": "xterm",
        **more,
    }


class Cli:
    """Runs the command in a process of its own, with a home folder of its own.

    Of those that the tests of this process run, the first is the installed command; the others are forks
    of one that has loaded everything. To load it takes five times as long as what most are asked.
    """

    forks = False

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = clean_environment(home)

    def __call__(
        self,
        *words: str | Path,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        wanted, folder = {**self.env, **(env or {})}, cwd or self.home
        told = [str(word) for word in words]
        if self.forks and not _for_python(wanted):
            done = lived("everthread", told, wanted, folder, stdin=stdin, seconds=LONGEST)
        else:
            Cli.forks = True
            done = _installed(told, wanted, folder, stdin)
        return Answer(done.returncode, done.stdout, done.stderr)


class Installed(Cli):
    """Always the installed command itself: for what shows only as a new program begins."""

    forks = False


def _for_python(env: Mapping[str, str]) -> bool:
    """Is something told to the interpreter, which it hears only as it starts?"""
    named = {name for name in {*env, *os.environ} if name.startswith(("PYTHON", "LANG", "LC_"))}
    return any(env.get(name) != os.environ.get(name) for name in named)


def _installed(
    words: list[str], env: Mapping[str, str], folder: Path, stdin: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words],
        input=stdin,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )


class Here(Cli):
    """The same door without a process of its own: much faster, and for most questions enough."""

    def __init__(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        super().__init__(home)
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(
        self,
        *words: str | Path,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        wanted = {**self.env, **(env or {})}
        with self._monkeypatch.context() as patch:
            _surround(patch, wanted, cwd or self.home)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            self._capsys.readouterr()
            return Answer(run([str(word) for word in words]), *self._capsys.readouterr())

    def on_terminal(self, width: int, *words: str | Path) -> tuple[int, str]:
        """The same on a terminal of that width: exit code, and what was shown."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        shown: list[bytes] = []
        reader = threading.Thread(target=lambda: shown.extend(_pieces(master)))
        reader.start()
        usual = os.dup(0)
        try:
            os.dup2(slave, 0)  # who wants to know the width asks there
            with (
                self._monkeypatch.context() as patch,
                os.fdopen(slave, "w", encoding="utf-8") as seen,
            ):
                for name in ("stdout", "stderr"):
                    patch.setattr(sys, name, seen)
                _surround(patch, self.env, self.home)
                code = run([str(word) for word in words])
        finally:
            os.dup2(usual, 0)  # nobody holds the terminal any more, so that its reader ends
            os.close(usual)
            reader.join(LONGEST)
            os.close(master)
        return code, b"".join(shown).decode().replace("\r\n", "\n")


def _surround(patch: pytest.MonkeyPatch, env: Mapping[str, str], cwd: Path) -> None:
    """That environment and no other, in that folder."""
    for name in set(os.environ) - set(env):
        patch.delenv(name)
    for name, value in env.items():
        patch.setenv(name, value)
    patch.chdir(cwd)


def _pieces(master: int) -> Iterator[bytes]:
    """What comes out of a terminal until nobody holds its other end."""
    try:
        while piece := os.read(master, 65_536):
            yield piece
    except OSError:  # how Linux says that it is over
        return


class Terminal:
    """A command on a terminal: what it shows, keys to press, the way it ends."""

    def __init__(
        self, words: list[str | Path], env: Mapping[str, str], cwd: Path, width: int
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        self.process = subprocess.Popen(
            [COMMAND, *map(str, words)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        os.set_blocking(self._master, False)
        self.shown = ""

    def until(self, wanted: Callable[[str], bool]) -> str:
        """Read until what is shown will do, or the command has ended."""
        deadline = time.monotonic() + LONGEST
        while not wanted(self.shown):
            ended = self.process.poll() is not None
            if not self._read() and ended:
                break
            assert time.monotonic() < deadline, self.shown
        return self.shown

    def _read(self) -> bool:
        try:
            piece = os.read(self._master, 65_536)
        except BlockingIOError:
            time.sleep(0.01)
            return False
        except OSError:  # nobody holds the other end any more
            return False
        self.shown += piece.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(piece)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def interrupt(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """Exit code and everything that was shown."""
        self.until(lambda _: False)
        code = self.process.wait(LONGEST)
        os.close(self._master)
        return code, self.shown
