"""Asking over the web: one request, an answer that streams in, and never longer than we want to wait.

A read waits in short slices and pauses in between, so a slow model neither holds up the program's end
nor lets a lease run out, and a limit holds for the whole answer however slowly it drips.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from everthread.domain.distilling.drafts import NOTHING

from .calls import LONGEST_ANSWER, CallFailed

SLICE_SECONDS = 0.2
CONNECT_SECONDS = 5.0

_TROUBLE = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
)


class Limit(NamedTuple):
    """How long to wait, and what to do meanwhile."""

    until: float
    """By the monotonic clock."""
    pause: Callable[[], None]

    def left(self) -> float:
        return self.until - time.monotonic()


class Answer:
    """What came back, read as it comes."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code

    def header(self, name: str) -> str:
        return str(self._response.headers.get(name, ""))

    @property
    def streams(self) -> bool:
        return self.header("content-type").startswith("text/event-stream")

    def text(self) -> str:
        return b"".join(_within_limit(self._response.iter_bytes())).decode("utf-8", "replace")

    def body(self) -> Mapping[str, Any]:
        """The answer as an object; empty where it is none."""
        return read_object(self.text())

    def events(self) -> Iterator[Mapping[str, Any]]:
        """The data of each event of a stream; what is no object is passed over."""
        for line in _lines(_within_limit(self._response.iter_bytes())):
            if line.startswith("data:"):
                yield read_object(line.removeprefix("data:").strip())


@contextmanager
def post_request(
    url: str,
    body: Mapping[str, Any] | bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    pause: Callable[[], None],
) -> Generator[Answer]:
    """Send it and give what comes back. Redirects are not followed: a key is for one host only."""
    limit = Limit(time.monotonic() + seconds, pause)
    content = body if isinstance(body, bytes) else _json(body)
    sent = {"content-type": "application/json", "accept-encoding": "identity", **headers}
    # The libraries would quote it in their complaint, and that goes to a log.
    if not all(value.isascii() and value.isprintable() for value in sent.values()):
        raise CallFailed("auth", "the key has characters that no key has", spent=NOTHING)
    try:
        with (
            httpx.Client(transport=_Transport(url, limit), trust_env=False) as client,
            client.stream("POST", url, content=content, headers=sent) as response,
        ):
            yield Answer(response)
    # Not chained: the text of such an error may quote a header, and so the key.
    except httpcore.ConnectTimeout:
        raise CallFailed("unreachable", "no connection in time", again=True) from None
    except httpcore.TimeoutException:
        raise CallFailed("timeout", f"no whole answer in {seconds:g} s") from None
    except _TROUBLE as trouble:
        raise CallFailed("unreachable", type(trouble).__name__, again=True) from None


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _within_limit(parts: Iterator[bytes]) -> Iterator[bytes]:
    total = 0
    for part in parts:
        total += len(part)
        if total > LONGEST_ANSWER:
            raise CallFailed("nonsense", f"more than {LONGEST_ANSWER:,} bytes came")
        yield part


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.decode("utf-8", "replace").rstrip("\r") for line in whole)
    yield rest.decode("utf-8", "replace")


def read_object(text: str) -> Mapping[str, Any]:
    """The object that the text holds; empty where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


class _Transport(httpx.BaseTransport):
    """What httpx has by itself, but over connections that pause."""

    def __init__(self, url: str, limit: Limit) -> None:
        self._pool = _pool(url, _Backend(limit))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        asked = httpcore.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=cast("Iterable[bytes]", request.stream),
        )
        answer = self._pool.handle_request(asked)
        stream = _Body(cast("Iterable[bytes]", answer.stream))
        return httpx.Response(answer.status, headers=answer.headers, stream=stream)

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts

    def close(self) -> None:
        close = getattr(self._parts, "close", None)
        if close is not None:
            close()


def _pool(url: str, backend: httpcore.NetworkBackend) -> httpcore.ConnectionPool:
    asked = httpx.URL(url)
    proxy = getproxies().get(asked.scheme)
    trust = httpx.create_ssl_context() if asked.scheme == "https" else None
    if proxy and not proxy_bypass(asked.host):
        return httpcore.HTTPProxy(proxy, ssl_context=trust, network_backend=backend)
    return httpcore.ConnectionPool(ssl_context=trust, network_backend=backend)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        wait = max(0.01, min(CONNECT_SECONDS, self._limit.left()))
        real = self._real.connect_tcp(host, port, wait, local_address, socket_options)
        return _Stream(real, self._limit)


class _Stream(httpcore.NetworkStream):
    """A connection whose reads wait in slices."""

    def __init__(self, real: httpcore.NetworkStream, limit: Limit) -> None:
        self._real = real
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while (left := self._limit.left()) > 0:
            self._limit.pause()
            try:
                return self._real.read(max_bytes, min(SLICE_SECONDS, left))
            except httpcore.ReadTimeout:
                continue
        raise httpcore.ReadTimeout

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._real.write(buffer, max(0.01, self._limit.left()))

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        wait = max(0.01, min(CONNECT_SECONDS, self._limit.left()))
        return _Stream(self._real.start_tls(ssl_context, server_hostname, wait), self._limit)

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)
