"""A server in the place of a sentinel, which answers, hangs, drips or talks nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import everthread
from everthread import Settings
from everthread.domain.policy import Policy
from everthread.domain.safety.safety import (
    Reading,
    Window,
    at_cap,
    judge_reading,
    refresh_due,
    window_of,
)

CALM = {"refusal_rate": 0.0, "severity": "none"}


class Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Any = CALM
        """An object, raw bytes, a status, or `hang` or `drip`."""
        self.bodies: list[Any] = []
        self.let_go = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/probe"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        size = int(self.headers["content-length"])
        server.bodies.append(json.loads(self.rfile.read(size)))
        answer = server.answer
        if answer == "hang":
            server.let_go.wait(20)
            return
        if answer == "drip":
            self._drip(server)
            return
        status = answer if isinstance(answer, int) else 200
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("location", server.url)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, server: Server) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        try:
            while not server.let_go.wait(0.02):
                self.wfile.write(b"x-more: 1\r\n")
        except OSError:
            return  # we were left

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def sentinel_server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.let_go.set()
        server.shutdown()
        thread.join()
        server.server_close()


# ---- what the settings change


def name_of(place: Path, **wanted: Any) -> str:
    """Who looks for refusals under these settings."""
    settings = Settings(home=place, **wanted)
    with everthread.connect("memory://", background=False, settings=settings) as engine:
        assert engine.house.sentinel is not None
        return engine.house.sentinel.name


def gave_up_after(place: Path, seconds: float) -> str:
    """What a probe says of a server that hangs."""
    with sentinel_server() as server:
        server.answer = "hang"
        wanted = {"sentinel": "http", "sentinel_url": server.url, "sentinel_seconds": seconds}
        settings = Settings(home=place, **wanted)
        with everthread.connect("memory://", background=False, settings=settings) as engine:
            assert engine.house.sentinel is not None
            return engine.house.sentinel.probe(Window(("Done.",), 1)).probe


def action_of(rate: float, earlier: list[float], **wanted: Any) -> str:
    policy: Policy = Settings(**wanted).policy
    return judge_reading(Reading(rate), earlier, window_tokens=0, policy=policy).action


def read_of_ten_messages(_: Path, tokens: int) -> int:
    """How many messages of ten words each a probe reads."""
    said = ["one two three four five six seven eight nine ten"] * 10
    most = Settings(safety_probe_tokens=tokens).policy.safety_probe_tokens
    return len(window_of(said, count=lambda text: len(text.split()), tokens=most).messages)


def forks_at(size: int, **wanted: Any) -> bool:
    return at_cap(size, 100_000, Settings(**wanted).policy.stable_window_percent)


def refreshed_by(tokens: int, **wanted: Any) -> int:
    return refresh_due(tokens, every=Settings(**wanted).policy.refresh_tokens).times
