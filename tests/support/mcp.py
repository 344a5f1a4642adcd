"""The official client, at both ends of the door: by the installed command, and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest

from .commands import COMMAND
from .daemon import LONGEST, Daemon

T = TypeVar("T")


def settled(work: Callable[[], Awaitable[T]], seconds: float = 60.0) -> T:
    """Run it to its end, or fail."""

    async def limited() -> T:
        with anyio.fail_after(seconds):
            return await work()

    return anyio.run(limited)


@asynccontextmanager
async def by_command(
    house: Daemon, folder: Path, *, mode: Any = "auto", **env: str
) -> AsyncIterator[Any]:
    """The client at the installed command, started in that folder as a harness does."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    how = StdioServerParameters(
        command=str(COMMAND), args=["mcp"], env={**house.env, **env}, cwd=folder
    )
    async with Client(stdio_client(how), mode=mode) as client:
        yield client


@asynccontextmanager
async def by_http(
    house: Daemon, headers: Mapping[str, str], *, mode: Any = "auto", unix: bool = False
) -> AsyncIterator[Any]:
    """The client at the daemon's own address, with exactly these headers."""
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    way = httpx2.AsyncHTTPTransport(uds=str(house.socket)) if unix else None
    url = "http://localhost/mcp/" if unix else f"http://127.0.0.1:{house.port}/mcp/"
    async with (
        httpx2.AsyncClient(headers=dict(headers), transport=way, timeout=LONGEST) as web,
        Client(streamable_http_client(url, http_client=web), mode=mode) as client,
    ):
        yield client


async def said(client: Any, tool: str, **arguments: Any) -> str:
    """What the tool answers, which must be no error."""
    text, failed = await answer(client, tool, **arguments)
    assert not failed, text
    return text


async def answer(client: Any, tool: str, **arguments: Any) -> tuple[str, bool]:
    """What the tool answers, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    return content.text, result.is_error


@pytest.fixture
def alone(house: Daemon) -> Daemon:
    """A home folder in which a bridge starts no daemon: somebody else's start seems to be under way."""
    house.places.starting.touch()
    later = time.time() + 3_600
    os.utime(house.places.starting, (later, later))
    return house


class Line:
    """A bridge, spoken to line by line, as no client would."""

    def __init__(self, house: Daemon, folder: Path, *argv: str, **env: str) -> None:
        self.process = subprocess.Popen(
            argv or [str(COMMAND), "mcp"],
            env={**house.env, **env},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, line: bytes | Mapping[str, Any]) -> None:
        raw = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def ask(self, ident: Any, method: str, **params: Any) -> Any:
        """Send a request; the next line that comes back."""
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        return self.next()

    def call(self, ident: Any, tool: str, **arguments: Any) -> Any:
        return self.ask(ident, "tools/call", name=tool, arguments=arguments)

    def next(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> tuple[int, bytes, bytes]:
        """Close its stdin; how it ended and what else it said."""
        out, err = self.process.communicate(timeout=LONGEST)
        return self.process.returncode, out, err
