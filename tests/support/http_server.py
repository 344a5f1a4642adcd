"""The HTTP API on a real port, and a client that speaks to it byte by byte."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from everthread import Everthread, Settings
from everthread.edges.daemon.core import DaemonCore
from everthread.edges.http.api import create

TOKEN = "local-token-of-the-tests"
LONGEST = 90.0


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def detail(self) -> str:
        """What a problem says; it must be one."""
        assert self.headers["content-type"] == "application/problem+json", self
        told = self.json
        assert told["status"] == self.status and told["title"] and told["type"], told
        return told["detail"]


class Server:
    """One API and the engine behind it."""

    def __init__(self, served: DaemonCore, port: int) -> None:
        self.served = served
        self.port = port

    @property
    def engine(self) -> Everthread:
        return self.served.engine()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = TOKEN,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Answer:
        """One request; `body` is sent as JSON, `raw` as it is."""
        sent = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = raw
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            line.request(method, path, data, sent)
            got = line.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            line.close()

    def get(self, path: str, **options: Any) -> Answer:
        return self.ask("GET", path, **options)

    def post(self, path: str, body: object = None, **options: Any) -> Answer:
        return self.ask("POST", path, {} if body is None else body, **options)

    @contextmanager
    def stream(
        self, path: str, *, token: str = TOKEN, headers: Mapping[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        """An answer that goes on."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            line.request(
                "GET", path, headers={"Authorization": f"Bearer {token}", **(headers or {})}
            )
            with line.getresponse() as got:
                yield got
        finally:
            line.close()


@contextmanager
def serving(home: Path, *, unix: Path | None = None, **settings: Any) -> Iterator[Server]:
    """The API on a port of its own, or on a Unix socket, with a store in that folder."""
    home.mkdir(parents=True, exist_ok=True)
    chosen = Settings(home=home, **{"store": str(home / "store.db"), "worker": "off", **settings})
    # By its protocol asyncio knows it for TCP and does not let small answers wait for an acknowledgement.
    tcp = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener = socket.socket(*tcp) if unix is None else socket.socket(socket.AF_UNIX)
    listener.bind(("127.0.0.1", 0) if unix is None else str(unix))
    port = listener.getsockname()[1] if unix is None else 0
    served = DaemonCore(chosen, port=port, token=TOKEN)
    config = uvicorn.Config(
        create(served), lifespan="off", ws="none", log_config=None, access_log=False
    )
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        until = time.monotonic() + LONGEST
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        yield Server(served, port)
    finally:
        server.should_exit = True
        thread.join(LONGEST)
        with suppress(OSError):
            listener.close()
        served.close()
