"""A daemon on a home folder of its own, as hooks and people meet it.

def test_something(daemon: Daemon):          # `pytest_plugins` or an import brings the fixture
    daemon.hook("claude-code", "SessionStart", {"session_id": "s", ...})
    daemon.get("/api/…", token=True)
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.hooks.command import command_for, install_client, start_command
from everthread.settings import Settings

from .born import Child, mother

LONGEST = 90.0

# On a busy machine a prompt that waits 300 ms would often be spooled: right, but not what a test asks.
PATIENT = {"EVERTHREAD_HOOK_PROMPT_MS": "20000", "EVERTHREAD_HOOK_START_SECONDS": "20"}

# Its worker would load the model with the first event, which takes longer than all the rest. Who asks
# what vectors find turns them on.
WORDS_ALONE = {"EVERTHREAD_EMBEDDER": "off"}


class Hooked(NamedTuple):
    """How a hook command ended."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Daemon:
    """One home folder, and the daemon that serves it while it is up."""

    def __init__(self, home: Path, **env: str) -> None:
        self.home = home
        self.env = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith("EVERTHREAD")
            },
            "EVERTHREAD_HOME": str(home),
            **PATIENT,
            **WORDS_ALONE,
            **env,
        }
        self.settings = Settings.load(home, self.env)
        self.places = Places(home)
        self.process: subprocess.Popen[bytes] | Child | None = None
        install_client(self.settings)

    @property
    def socket(self) -> Path:
        return self.places.socket

    @property
    def port(self) -> int:
        return int(self.places.port.read_text())

    @property
    def token(self) -> str:
        return self.places.token.read_text().strip()

    @property
    def log(self) -> str:
        return self.places.log.read_text() if self.places.log.exists() else ""

    def impatient(self) -> Daemon:
        """Hooks wait no longer than they do by default."""
        usual = Settings()
        self.settings = self.settings.with_(
            hook_prompt_ms=usual.hook_prompt_ms, hook_start_seconds=usual.hook_start_seconds
        )
        return self

    def up(self) -> Daemon:
        """Start it and wait until it answers. What it loads was loaded before: this shows no start."""
        self.process = started(self.home, self.env)
        return self

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start one more, as hooks do, without waiting."""
        command = [sys.executable, *start_command(self.settings)[1:]]
        return subprocess.Popen(
            command,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def answers(self) -> bool:
        return running_daemon.find(self.places, seconds=LONGEST) is not None

    def down(self) -> int:
        """Stop it as a service manager does; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(LONGEST)

    def kill(self) -> None:
        """No chance to tidy up."""
        pid = running_daemon.lock_holder(self.places)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        if self.process is not None and self.process.pid == pid:
            self.process.wait(LONGEST)
        else:
            wait_for(lambda: running_daemon.lock_holder(self.places) is None, "it does not die")

    def keeps_port(self, end: Callable[[], object]) -> bool:
        """Has it the same port after it was ended? While it has none, the system may give it to another
        program, which is right and rare: it does not happen each time."""
        for _ in range(3):
            port = self.port
            end()
            if self.up().port == port:
                return True
        return False

    def close(self) -> None:
        """Leave nothing running, whoever started it."""
        for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            pid = running_daemon.lock_holder(self.places)
            if pid is None or pid == os.getpid():
                break
            os.kill(pid, number)
            if number != signal.SIGCONT:
                running_daemon.wait_until(self._ended, 10)
        if self.process is not None:
            self.process.wait(LONGEST)

    def _ended(self) -> bool:
        if self.process is not None:
            self.process.poll()
        return running_daemon.lock_holder(self.places) is None

    def hook(
        self,
        harness: str,
        event: str,
        payload: object = b"",
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Hooked:
        """Run the hook command as the harness does."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        began = time.monotonic()
        done = subprocess.run(
            command_for(self.settings, harness, event),
            input=body,
            env={**self.env, **(env or {})},
            cwd=cwd or self.home,
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
        return Hooked(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        """A GET over TCP with the local token."""
        return self.ask("GET", path, headers={**self.bearer(), **(headers or {})})

    def post(
        self, path: str, body: object, *, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """A POST of JSON over TCP with the local token."""
        wanted = {"content-type": "application/json", **self.bearer(), **(headers or {})}
        return self.ask("POST", path, json.dumps(body).encode(), wanted)

    def bearer(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        unix: bool = False,
    ) -> tuple[int, bytes]:
        """One request, over TCP or the Unix socket, with exactly these headers."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            if unix:
                line.sock = socket.socket(socket.AF_UNIX)
                line.sock.settimeout(LONGEST)
                line.sock.connect(str(self.socket))
            line.request(method, path, body, dict(headers or {}))
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()


def started(home: Path, env: Mapping[str, str]) -> Child:
    """A daemon that answers there, and has loaded already what others load as they begin."""
    places = Places(home)
    with Path(os.devnull).open("r+b") as nothing:
        streams = [nothing.fileno()] * 3
        words = ["--detached", str(home)]
        found = mother().bear("daemon", words, env, home.parent, streams)
    if not running_daemon.wait_until(lambda: running_daemon.find(places) is not None, LONGEST):
        said = places.log.read_text() if places.log.exists() else ""
        raise AssertionError(f"the daemon does not answer: {said}")
    return found


def wait_for(done: Callable[[], bool], why: str, seconds: float = LONGEST) -> None:
    assert running_daemon.wait_until(done, seconds), why


@pytest.fixture
def short_home() -> Iterator[Path]:
    """A home folder whose path leaves room for a socket's name."""
    folder = Path(tempfile.mkdtemp(prefix="et-"))
    yield folder / "home"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def house(short_home: Path) -> Iterator[Daemon]:
    """A home folder with the client installed; no daemon yet."""
    made = Daemon(short_home)
    yield made
    made.close()


@pytest.fixture
def daemon(house: Daemon) -> Daemon:
    """A running daemon."""
    return house.up()


@pytest.fixture
def begun(house: Daemon) -> Daemon:
    """A running daemon that began as hooks begin it: it has loaded what it needs and no more."""
    house.process = house.spawn()
    wait_for(house.answers, "the daemon does not answer")
    return house


@pytest.fixture(scope="module")
def standing() -> Iterator[Daemon]:
    """A running daemon for all of a file who only ask, or work in a project of their own."""
    folder = Path(tempfile.mkdtemp(prefix="et-"))
    made = Daemon(folder / "home").up()
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)
