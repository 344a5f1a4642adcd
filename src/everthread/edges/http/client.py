"""The other end of the API: what a command asks of a daemon that EVERTHREAD_URL names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from everthread.domain import errors
from everthread.domain.conversation.contents import mapping

if TYPE_CHECKING:
    from http.client import HTTPConnection

    from everthread.settings import Settings

SECONDS = 60.0
LARGEST = 64_000_000
FAILED = 400
LOOPBACK = ("127.0.0.1", "localhost", "::1")
URN = "urn:everthread:error:"


class DaemonClient:
    """Whom a command can ask: the verbs of the API. Each says whether it may change something."""

    url = ""
    """Where it is, for messages."""

    def get(self, *path: str, **query: object) -> dict[str, Any]:
        """What is there; each part of the path is a name, whatever it holds."""
        given = {name: value for name, value in query.items() if value is not None}
        asked = f"?{urlencode(given)}" if given else ""
        return self.ask("GET", _path(path) + asked, None, writes=False)

    def find(self, *path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """What is found; nothing is changed by looking."""
        return self.ask("POST", _path(path), _given_fields(body), writes=False)

    def delete(self, *path: str) -> dict[str, Any]:
        """What went."""
        return self.ask("DELETE", _path(path), None, writes=True)

    def patch(self, *path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """What it became."""
        return self.ask("PATCH", _path(path), dict(body), writes=True)

    def post(self, *path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """What became of it."""
        return self.ask("POST", _path(path), _given_fields(body), writes=True)

    def ask(self, method: str, target: str, body: object, *, writes: bool) -> dict[str, Any]:
        raise NotImplementedError


def _given_fields(body: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if value is not None}


class RemoteDaemon(DaemonClient):
    """A daemon somewhere; its errors are raised here as if they had happened here."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.SettingInvalid(
                f"url must be http://HOST:PORT or https://HOST:PORT; got {url!r:.60}"
            )
        self.url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._parts = parts
        self._token = token

    def ask(self, method: str, target: str, body: object, *, writes: bool) -> dict[str, Any]:
        from http.client import HTTPException  # noqa: PLC0415 - slow to load, and few speak to another

        headers = {"Authorization": f"Bearer {self._token}"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        line = self._line()
        told = False
        try:
            line.connect()
            told = True
            line.request(method, target, data, headers)
            got = line.getresponse()
            status, text = got.status, got.read(LARGEST)
        except (OSError, HTTPException) as wrong:
            if told and writes:
                raise errors.OutcomeUnknown(
                    f"the daemon at {self.url} was told and did not answer ({wrong}): whether it was "
                    "done is not known"
                ) from wrong
            raise errors.DaemonFailed(
                f"the daemon at {self.url} does not answer ({wrong}); see that it runs, or unset "
                "EVERTHREAD_URL to use the store of this machine"
            ) from wrong
        finally:
            line.close()
        return _read_answer(status, text, self.url)

    def _line(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415 - as above

        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        return kind(str(self._parts.hostname), self._parts.port, timeout=SECONDS)


def remote_daemon(settings: Settings) -> RemoteDaemon | None:
    """The daemon that the settings name, if they name one."""
    return RemoteDaemon(settings.url, _token(settings)) if settings.url else None


def _token(settings: Settings) -> str:
    """The local token goes to this machine alone, whatever the address says."""
    if settings.token or urlsplit(settings.url).hostname not in LOOPBACK:
        return settings.token
    try:
        return Path(settings.home, "run", "token").read_text().strip()
    except OSError:
        return ""


def _path(parts: tuple[str, ...]) -> str:
    return "/api/" + "/".join(quote(part, safe="") for part in parts)


def _read_answer(status: int, text: bytes, url: str) -> dict[str, Any]:
    try:
        document = mapping(json.loads(text))
    except ValueError:
        document = None
    if document is None:
        raise errors.DaemonFailed(f"what answers at {url} is no Everthread daemon")
    if status < FAILED:
        return dict(document)
    detail = str(document.get("detail", "")) or f"status {status}"
    raise (error_class_of(document) or _kind(status))(f"{url}: {detail}")


def error_class_of(document: Mapping[str, object]) -> type[errors.EverthreadError] | None:
    """The error of ours that a problem names; none where the request itself was refused."""
    name = str(document.get("type", "")).removeprefix(URN)
    return getattr(errors, name, None) if name in errors.__all__ else None


def _kind(status: int) -> type[errors.EverthreadError]:
    by_status: dict[int, type[errors.EverthreadError]] = {
        400: errors.BadInput,
        404: errors.AgentUnknown,
        413: errors.BadInput,
        422: errors.BadInput,
    }
    return by_status.get(status, errors.DaemonFailed)
