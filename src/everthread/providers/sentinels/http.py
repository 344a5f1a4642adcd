"""A sentinel behind an address: `POST {text}`, redacted; it answers `{refusal_rate, severity, alert_id?}`."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from urllib.parse import urlsplit

from everthread.domain.safety.safety import Reading, Window, read_answer

from .plain import plain_fallback

LARGEST_ANSWER = 65_536
OK = 200


class HttpSentinel:
    """Asks once, within a limit for all of it. Redirects are not followed: the text is for one host."""

    def __init__(self, url: str, *, seconds: float) -> None:
        self._url = url
        self._seconds = seconds

    @property
    def name(self) -> str:
        return f"http:{urlsplit(self._url).hostname or '?'}"

    def probe(self, window: Window) -> Reading:
        try:
            return read_answer(json.loads(self._post(window.text)), "http")
        except TimeoutError:
            why = f"no whole answer in {self._seconds:g} s"
        except (OSError, HTTPException) as trouble:
            # The text of such an error may quote the address, and so a key in it.
            why = type(trouble).__name__
        except (ValueError, RecursionError) as trouble:
            why = str(trouble) or "the answer is no JSON"
        return plain_fallback(window, "http", why)

    def _post(self, text: str) -> bytes:
        place = urlsplit(self._url)
        if place.scheme not in {"http", "https"} or not place.hostname:
            raise ValueError("sentinel_url is no http(s) address")
        until = time.monotonic() + self._seconds
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        link = kind(place.hostname, place.port, timeout=self._seconds)
        path = (place.path or "/") + (f"?{place.query}" if place.query else "")
        try:
            link.connect()
            with _cut_off_at(link.sock, until):
                body = json.dumps({"text": text}).encode()
                link.request("POST", path, body, {"content-type": "application/json"})
                found = _read_body(link.getresponse())
            if time.monotonic() < until:
                return found
            raise TimeoutError
        except (OSError, HTTPException, ValueError):
            if time.monotonic() >= until:
                raise TimeoutError from None
            raise
        finally:
            link.close()


@contextmanager
def _cut_off_at(wire: socket.socket, until: float) -> Generator[None]:
    """At the limit the connection is cut, however slowly an answer drips in."""

    def cut() -> None:
        with suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)

    timer = Timer(max(0.0, until - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _read_body(answer: HTTPResponse) -> bytes:
    if answer.status != OK:
        raise ValueError(f"the server answered {answer.status}")
    found = answer.read(LARGEST_ANSWER + 1)
    if len(found) > LARGEST_ANSWER:
        raise ValueError(f"more than {LARGEST_ANSWER:,} bytes came")
    return found
