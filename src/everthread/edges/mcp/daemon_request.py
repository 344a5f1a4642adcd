"""One HTTP request to the daemon, over its Unix socket or to EVERTHREAD_URL. Standard library only.

`http.client` and `urllib` take longer to load than a whole exchange lasts.
"""

from __future__ import annotations

import os
import socket
from typing import NamedTuple

LARGEST_ANSWER = 16_000_000
CONNECT = 5.0
"""Seconds that a connection may take."""


class DaemonGone(Exception):
    """There is no daemon, or it went away before it answered."""


class AnswerLate(Exception):
    """It was told, and has not answered in time."""


class Reply(NamedTuple):
    status: int
    body: bytes


class Daemon(NamedTuple):
    """Where the daemon is."""

    path: str
    """Of the Unix socket; unused where there is a host."""
    host: str = ""
    port: int = 0
    secure: bool = False
    token: str = ""

    @property
    def elsewhere(self) -> bool:
        """Somebody else's to start."""
        return bool(self.host)

    def listens(self) -> bool:
        """Does somebody answer there, or is it not ours to know?"""
        try:
            if not self.elsewhere:
                self.connected(1.0).close()
        except OSError:
            return False
        return True

    def connected(self, seconds: float) -> socket.socket:
        """A connection; `OSError` where nobody listens."""
        if not self.host:
            # In a folder that others may write to, the socket could be somebody else's.
            if os.stat(self.path.rpartition("/")[0]).st_uid != os.getuid():  # noqa: PTH116 - pathlib is slow to load
                raise PermissionError(f"{self.path} lies in a folder that is not yours")
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                made.settimeout(seconds)
                made.connect(self.path)
            except BaseException:
                made.close()
                raise
            return made
        made = socket.create_connection((self.host, self.port), timeout=seconds)
        if not self.secure:
            return made
        import ssl  # noqa: PLC0415 - slow to load, and only for a daemon far away

        return ssl.create_default_context().wrap_socket(made, server_hostname=self.host)


def daemon_at(path: str, url: str = "", token: str = "") -> Daemon:
    """The daemon of this machine, or the one that the URL names."""
    if not url:
        return Daemon(path)
    scheme, _, rest = url.partition("://")
    place = rest.partition("/")[0]
    host, _, port = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    if not host:
        host, port = place, ""
    secure = scheme == "https"
    if scheme not in {"http", "https"} or not host or (port and not port.isdecimal()):
        raise ValueError("EVERTHREAD_URL must be http://HOST:PORT or https://HOST:PORT")
    return Daemon(path, host.strip("[]"), int(port or (443 if secure else 80)), secure, token)


def post(daemon: Daemon, body: bytes, headers: dict[str, str], *, seconds: float) -> Reply:
    """Send it and wait for the answer."""
    told = {
        "host": f"{daemon.host}:{daemon.port}" if daemon.host else "localhost",
        "connection": "close",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(body)),
        **({"authorization": f"Bearer {daemon.token}"} if daemon.token else {}),
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    try:
        with daemon.connected(CONNECT) as line:
            line.settimeout(seconds)
            line.sendall(b"POST /mcp/ HTTP/1.1\r\n" + head.encode("latin-1") + b"\r\n" + body)
            return _answer(line)
    except OSError as error:
        raise DaemonGone(str(error) or type(error).__name__) from error


def _answer(line: socket.socket) -> Reply:
    try:
        return _read_reply(line)
    except TimeoutError as late:
        raise AnswerLate from late


def _read_reply(line: socket.socket) -> Reply:
    parts: list[bytes] = []
    size = 0
    while part := line.recv(65_536):
        parts.append(part)
        size += len(part)
        if size > LARGEST_ANSWER:
            raise DaemonGone("the answer is too large")
    head, found, rest = b"".join(parts).partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    fields = lines[0].split(None, 2)
    if not found or len(fields) < 2 or not fields[1].isdigit():  # noqa: PLR2004 - version, status
        raise DaemonGone("the daemon went away before it answered")
    told = dict(_field(each) for each in lines[1:])
    if told.get(b"transfer-encoding", b"").lower() == b"chunked":
        rest = _join_chunks(rest)
    elif len(rest) < int(told.get(b"content-length", b"0")):
        raise DaemonGone("the daemon went away in the middle of its answer")
    return Reply(int(fields[1]), rest)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()


def _join_chunks(rest: bytes) -> bytes:
    parts: list[bytes] = []
    while True:
        size, found, rest = rest.partition(b"\r\n")
        if not found:
            raise DaemonGone("the daemon went away in the middle of its answer")
        length = int(size.partition(b";")[0], 16)
        if not length:
            return b"".join(parts)
        if len(rest) < length + 2:
            raise DaemonGone("the daemon went away in the middle of its answer")
        parts.append(rest[:length])
        rest = rest[length + 2 :]


class HarnessSign(NamedTuple):
    """By what a harness is known: the name its client gives, and what it puts into the environment."""

    client: str
    sign: str
    folder: str = ""
    session: str = ""


HARNESSES = {
    "claude-code": HarnessSign(
        "claude-code", "CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"
    ),
    "gemini": HarnessSign("gemini", "GEMINI_CLI", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"),
    "opencode": HarnessSign("opencode", "OPENCODE"),
    "codex": HarnessSign("codex", "CODEX_HOME"),
    "openclaw": HarnessSign("openclaw", "OPENCLAW"),
}


def surroundings(client: str = "") -> dict[str, str]:
    """What is known of our caller, as headers: from its name, if it has given it, and our environment."""
    env = os.environ
    harness = _harness(client)
    known = HARNESSES.get(harness)
    found = {
        "folder": (env.get(known.folder) if known else "") or _current_folder(),
        # One harness may run inside another: only its own variables speak of its session.
        "session": (env.get(known.session) if known else "") or "",
        "private": env.get("EVERTHREAD_PRIVATE", ""),
        "harness": harness,
    }
    return {
        f"x-everthread-{name}": _percent_encoded(value) for name, value in found.items() if value
    }


def _harness(client: str) -> str:
    named = (h for h, known in HARNESSES.items() if client.lower().startswith(known.client))
    seen = (h for h, known in HARNESSES.items() if known.sign in os.environ and not client)
    return next(named, "") or next(seen, "")


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib is slow to load
    except OSError:
        return ""  # the folder was removed under our feet


def _percent_encoded(value: str) -> str:
    """Percent-encoded, so that a header can carry any path."""
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte != 0x25 else f"%{byte:02X}"  # noqa: PLR2004 - visible ASCII
        for byte in os.fsencode(value)
    )
