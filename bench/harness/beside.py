"""A daemon of its own to measure, events to send it, and a line to send them over."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from words import said

import everthread
from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.hooks.command import start_command
from everthread.settings import Settings
from everthread.wiring import project_agent

TICKS = os.sysconf("SC_CLK_TCK")
HERE = Path(__file__).resolve().parent


class Server:
    """A process that listens on a Unix socket."""

    def __init__(self, words: list[str], path: Path) -> None:
        env = {**os.environ, "EVERTHREAD_EMBEDDER": "off"}
        self.socket = path
        self.process = subprocess.Popen(words, env=env, stderr=subprocess.DEVNULL)

    @property
    def cpu(self) -> int:
        """Nanoseconds that it has spent, all of its threads; not those of its worker."""
        spent = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(spent[11]) + int(spent[12])) * 1_000_000_000 // TICKS

    @property
    def rss(self) -> float:
        """Megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


class Place:
    """A home folder, a project, its agent."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(home=folder / "home", embedder="off")
        self.places = Places(self.settings.home)
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        name = project_agent(self.project)
        assert name is not None
        self.agent = name

    def daemon(self) -> Server:
        server = Server(start_command(self.settings), self.places.socket)
        assert running_daemon.wait_until(self._opened, 60), "the daemon did not come up"
        return server

    def _opened(self) -> bool:
        found = running_daemon.find(self.places)
        return found is not None and found.store_open

    def bare(self) -> Server:
        """Starlette alone, with the same verb of the library behind it."""
        path = self.settings.home / "bare.sock"
        store, folder = self.settings.home / "bare.db", str(self.project)
        words = [sys.executable, str(HERE / "floor.py"), str(path), str(store), folder]
        server = Server(words, path)
        assert running_daemon.wait_until(path.exists, 60), "the floor did not come up"
        return server

    def open(self) -> everthread.Everthread:
        return everthread.connect(settings=self.settings, background=False)

    def event(self, name: str, session: str, **fields: Any) -> bytes:
        told = {"session_id": session, "cwd": str(self.project), "hook_event_name": name, **fields}
        return json.dumps(told).encode()

    def filled(self, count: int, *, session: str = "filled") -> None:
        """So many messages of a session that went on until a moment ago."""
        began = time.time() - 3_600
        with self.open() as engine:
            agent = engine.agent(self.agent)
            for first in range(0, count, 1_000):
                rows = [
                    {
                        "id": f"{session}-{n}",
                        "role": ("user", "assistant")[n % 2],
                        "content": said(n),
                        "at": stamp(began + 3_000 * n / count),
                    }
                    for n in range(first, min(first + 1_000, count))
                ]
                agent.record(rows, source="hook", session=session, project=str(self.project))
            agent.index()


def stamp(seconds: float) -> str:
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03}Z"
    )


class Line:
    """A connection to a Unix socket: kept, or one for each request as hooks have it."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rb")

    def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        # As the client of a harness that waits long: what is late would be answered with nothing.
        head = (
            f"POST {path} HTTP/1.1\r\nhost: localhost\r\nx-everthread-ms: 20000\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + body)
        status, size = int(self._file.readline().split()[1]), 0
        while (line := self._file.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return status, self._file.read(size)

    def timed(self, path: str, body: bytes) -> tuple[int, bytes]:
        """(nanoseconds, answer); whatever is not a success breaks the bench."""
        began = time.perf_counter_ns()
        status, answer = self.ask(path, body)
        taken = time.perf_counter_ns() - began
        assert status == 200, (status, path)
        return taken, answer

    def close(self) -> None:
        self._file.close()
        self._socket.close()


def once(path: Path, way: str, body: bytes) -> int:
    """One request on a connection of its own, from connecting to the end of the answer."""
    began = time.perf_counter_ns()
    line = Line(path)
    try:
        line.timed(way, body)
    finally:
        line.close()
    return time.perf_counter_ns() - began
