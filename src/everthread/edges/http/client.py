"""The other end of the API: what a command asks of a daemon that EVERTHREAD_URL names."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from everthread.domain import errors
from everthread.domain.conversation.contents import mapping

if TYPE_CHECKING:
    from everthread.settings import Settings

SECONDS = 60.0
LARGEST = 64_000_000
FAILED = 400
LOOPBACK = ("127.0.0.1", "localhost", "::1")
URN = "urn:everthread:error:"


class Far:
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

    def get(self, *path: str, **query: object) -> dict[str, Any]:
        """What is there; each part of the path is a name, whatever it holds."""
        given = {name: value for name, value in query.items() if value is not None}
        asked = f"?{urlencode(given)}" if given else ""
        return self._ask("GET", _path(path) + asked, None)

    def delete(self, *path: str) -> dict[str, Any]:
        """What went."""
        return self._ask("DELETE", _path(path), None)

    def patch(self, *path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """What it became."""
        return self._ask("PATCH", _path(path), dict(body))

    def post(self, *path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """What became of it."""
        said = {name: value for name, value in body.items() if value is not None}
        return self._ask("POST", _path(path), said)

    def _ask(self, method: str, target: str, body: object) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        line = self._line()
        try:
            line.request(method, target, data, headers)
            got = line.getresponse()
            status, text = got.status, got.read(LARGEST)
        except (OSError, http.client.HTTPException) as wrong:
            raise errors.DaemonFailed(
                f"the daemon at {self.url} does not answer ({wrong}); see that it runs, or unset "
                "EVERTHREAD_URL to use the store of this machine"
            ) from wrong
        finally:
            line.close()
        return _read(status, text, self.url)

    def _line(self) -> http.client.HTTPConnection:
        kind = (
            http.client.HTTPSConnection
            if self._parts.scheme == "https"
            else http.client.HTTPConnection
        )
        return kind(str(self._parts.hostname), self._parts.port, timeout=SECONDS)


def far(settings: Settings) -> Far | None:
    """The daemon that the settings name, if they name one."""
    return Far(settings.url, _token(settings)) if settings.url else None


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


def _read(status: int, text: bytes, url: str) -> dict[str, Any]:
    try:
        document = mapping(json.loads(text))
    except ValueError:
        document = None
    if document is None:
        raise errors.DaemonFailed(f"what answers at {url} is no Everthread daemon")
    if status < FAILED:
        return dict(document)
    name = str(document.get("type", "")).removeprefix(URN)
    detail = str(document.get("detail", "")) or f"status {status}"
    kind = getattr(errors, name, None) if name in errors.__all__ else None
    raise (kind or _kind(status))(f"{url}: {detail}")


def _kind(status: int) -> type[errors.EverthreadError]:
    by_status: dict[int, type[errors.EverthreadError]] = {
        400: errors.BadInput,
        404: errors.AgentUnknown,
        413: errors.BadInput,
        422: errors.BadInput,
    }
    return by_status.get(status, errors.DaemonFailed)
