"""Commands beside a running daemon, and somebody else in its place."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import everthread
from support.commands import Answer, Cli, Here
from support.daemon import Daemon
from support.harness import bench

SECRET = "sk-ant-api03-" + "aB3dE6gH9jK2mN5p" * 5
HARNESSED = "project-1a2b3c"
DIRECT = {"EVERTHREAD_DIRECT": "on"}


class Beside:
    """A home folder with a store, its daemon, and commands in a project."""

    def __init__(self, daemon: Daemon, home: Path) -> None:
        self.daemon = daemon
        self.cli = Cli(home)
        self.cli.env = daemon.env
        self.here: Here | None = None
        """Runs what needs no process of its own, where there is one."""
        self.project = home / "shop"
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    @property
    def store(self) -> Path:
        return Path(self.daemon.settings.store_target)

    def __call__(self, *words: str, **more: Any) -> Answer:
        """As everybody calls it: through the daemon."""
        return self.cli(*words, cwd=more.pop("cwd", self.project), **more)

    def inside(self, *words: str, **more: Any) -> Answer:
        """The same, in this process: what happens at the door is shown by another command."""
        return (self.here or self.cli)(*words, cwd=more.pop("cwd", self.project), **more)

    def direct(self, *words: str, **more: Any) -> Answer:
        return self.inside(*words, env={**more.pop("env", {}), **DIRECT}, **more)

    def said(self) -> None:
        """What there is to see."""
        with everthread.connect(settings=self.daemon.settings, background=False) as et:
            ada = et.agent("ada")
            et.agent("shop")
            ada.turn("We decided to use port 8123 for the parser.", channel="webchat").done("Good.")
            ada.turn([{"type": "text", "text": f"my key is {SECRET}"}]).done("Noted.")
            ada.remember(f"Prefers tabs; the key is {SECRET}", kind="preference", tags=["style"])
            old = ada.remember("critical: [release]: never tag on a Friday", kind="rule")
            ada.edit(old.id, "never tag on a weekend")
            ada.note("Ask Mel about it \x1b[31m", category="question")
            ada.send("shop", "The API answers 409 now")
            ada.checkpoint("half way", decisions=["one pass"])
        self._harnessed()

    def _harnessed(self) -> None:
        """A session in a harness, which compacted it."""
        with bench(self.cli.home, str(self.store)) as made:
            window = made.window()
            window.start()
            window.turn("Always run make check before you commit.", "Understood.")
            window.turn("Deploy to port 8443 of the gateway.", "Done.")
            window.compact("The user works on a gateway.")
            made.work()


def opened(house: Daemon) -> Beside:
    """With something to see in the store, and the daemon up."""
    home = house.home.parent
    house.env |= {"HOME": str(home), "EVERTHREAD_EMBEDDER": "off", "TERM": "xterm"}
    house.settings = house.settings.with_(embedder="off")
    made = Beside(house, home)
    made.said()
    house.up()
    assert house.get("/api/agents/ada")[0] == 200, "it has opened the store"
    return made


@pytest.fixture
def beside(house: Daemon) -> Beside:
    return opened(house)


class Alone(Here):
    """A command that cannot open the store: whatever it tells it has from the daemon."""

    def __call__(self, *words: str | Path, **more: Any) -> Answer:
        with self._monkeypatch.context() as patch:
            patch.setattr("everthread.wiring.connect", refused)
            return super().__call__(*words, **more)


def refused(*_: object, **__: object) -> None:
    raise AssertionError("the command opened the store itself")


@pytest.fixture
def alone(beside: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    return alone_at(beside, monkeypatch, capsys)


def alone_at(beside: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    here = Alone(beside.project, monkeypatch, capsys)
    here.env = beside.daemon.env
    be_patient(monkeypatch)
    return here


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a second is soon over: right to go on then, but not what a test asks."""
    monkeypatch.setattr("everthread.edges.http.local_daemon.MEETS", 30.0)
    monkeypatch.setattr("everthread.edges.http.local_daemon.READS", 30.0)


def asked_itself(here: Here, *words: str, **more: Any) -> bool:
    """Did the command open the store itself?"""
    return "opened the store itself" in here(*words, "--agent", "ada", **more).err


@contextmanager
def listening(place: Path, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """Somebody else at the daemon's place."""
    place.unlink(missing_ok=True)
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(place))
    door.listen()

    def serve() -> None:
        while True:
            try:
                line, _ = door.accept()
            except OSError:
                return
            with line:
                answer(line)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        door.shutdown(socket.SHUT_RDWR)
        door.close()
        thread.join(10)


def one_request(line: socket.socket) -> bytes:
    """A whole request, head and body."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += line.recv(65_536)
    head, _, body = got.partition(b"\r\n\r\n")
    size = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
    while len(body) < size:
        body += line.recv(65_536)
    return head


def reply(line: socket.socket, status: int, document: object) -> None:
    body = json.dumps(document).encode()
    line.sendall(b"HTTP/1.1 %d x\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body))
