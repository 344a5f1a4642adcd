"""`everthread mcp`: lines on stdin and stdout, carried to the daemon. Light to start; standard library only.

    PYTHON -I -m everthread.edges.mcp.bridge HOME SOCKET

What every client asks at its start is answered here, at once, from the catalogue. Calls go to the
daemon, which is started if it is not there, and asked again if it goes away before it has answered.
Each call is an exchange of its own, so a new daemon takes over in the middle of a session.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any, NoReturn, cast
from urllib.parse import unquote

from everthread import __version__

from .catalogue import (
    CAPABILITIES,
    INSTRUCTIONS,
    NAME,
    PROMPTS,
    PROTOCOLS,
    RESOURCES,
    TITLE,
    Schema,
    tools_for,
)
from .daemon_request import AnswerLate, Daemon, DaemonGone, Reply, daemon_at, post, surroundings

LARGEST = 4_000_000
"""Bytes of a message that the daemon takes."""

LONGEST_LINE = 64_000_000
"""Bytes of a line that are looked at, to answer it by its id."""

AT_ONCE = 16
PATIENCE = 20.0
"""Seconds that a call waits for a daemon to come up."""

SHORT = 3.0
"""The same for a daemon that is not ours to start."""

LONGEST_CALL = 60.0
PAUSE = 0.05
EVERY = 0.5
"""Seconds between two tries to start the daemon."""

WAKE = (
    "import sys; from everthread.edges.hooks.client import wake; "
    "wake(sys.argv[1], start=bool(sys.argv[2]))"
)

PARSE, INVALID, UNKNOWN, INTERNAL = -32700, -32600, -32601, -32603
BUSY = 503

Object = dict[str, Any]
Ident = str | int | float | None


class Bridge:
    """One client's line to the daemon."""

    def __init__(self, daemon: Daemon, start: Callable[[], bool], out: IO[bytes]) -> None:
        self._daemon = daemon
        self._start = start
        self._out = out
        self._writing = threading.Lock()
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._headers = surroundings()
        self._protocol = PROTOCOLS[-1]
        self._listed: int | None = None

    def run(self, lines: IO[bytes]) -> None:
        """Serve until the client closes its end and every call has been answered."""
        while line := lines.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self._passed_over(lines)
            elif line.strip():
                self._take_line(line.strip())
        self._finish()

    def _passed_over(self, lines: IO[bytes]) -> None:
        while (rest := lines.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        self._write_error(None, INVALID, "the message is too large")

    def _take_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write_error(None, PARSE, "this line is not JSON")
            return
        if not isinstance(message, dict):
            self._write_error(None, INVALID, "one message a line, each an object")
            return
        self._message(cast("Object", message), line)

    def _message(self, message: Object, line: bytes) -> None:
        ident, method = message.get("id"), message.get("method")
        if not isinstance(method, str):
            if "result" not in message and "error" not in message:
                self._write_error(_ident(ident), INVALID, "the message names no method")
            return  # an answer: we never ask
        if "id" not in message:
            return  # a notification: nothing depends on one
        if not isinstance(ident, str | int | float) or isinstance(ident, bool):
            self._write_error(None, INVALID, "an id is a text or a number")
        elif method in FORWARDED:
            self._forward(ident, method, line)
        elif method in LOCAL:
            self._answered(ident, LOCAL[method](self, message))
        else:
            self._write_error(ident, UNKNOWN, f"there is no method {method[:60]}")

    # Answered here -------------------------------------------------------------------------------

    def initialize(self, message: Object) -> Object:
        """The handshake: the client's version, if we know it, else our newest."""
        params = message.get("params")
        told = cast("Object", params) if isinstance(params, dict) else {}
        wished = told.get("protocolVersion")
        self._protocol = wished if wished in PROTOCOLS else PROTOCOLS[-1]
        client = told.get("clientInfo")
        named = cast("Object", client).get("name") if isinstance(client, dict) else None
        self._headers = surroundings(str(named or ""))
        return {
            "protocolVersion": self._protocol,
            "capabilities": {**CAPABILITIES, "tools": {"listChanged": True}},
            "serverInfo": {"name": NAME, "title": TITLE, "version": __version__},
            "instructions": INSTRUCTIONS,
        }

    def offered(self) -> list[Schema]:
        """The tools that are of use where the client works."""
        tools = tools_for(unquote(self._headers.get("x-everthread-folder", "")))
        self._listed = len(tools)
        return tools

    # Carried to the daemon -----------------------------------------------------------------------

    def _forward(self, ident: Ident, method: str, line: bytes) -> None:
        if len(line) > LARGEST:
            self._trouble(ident, method, f"a call has at most {LARGEST:,} bytes; shorten it")
            return
        self._room.acquire()
        threading.Thread(target=self._carry, args=(ident, method, line), daemon=True).start()

    def _carry(self, ident: Ident, method: str, line: bytes) -> None:
        try:
            self._pass_reply(ident, method, self._ask_daemon(line))
            self._changed()
        except AnswerLate:
            self._trouble(ident, method, "the daemon did not answer in time; try again later")
        except DaemonGone as broken:
            self._trouble(ident, method, f"{self._hint()} ({broken})")
        finally:
            self._room.release()

    def _changed(self) -> None:
        """The first task of a project brings tools with it: who has listed them is told to look again."""
        before = self._listed
        if before is not None and len(self.offered()) != before:
            self._put({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def _ask_daemon(self, line: bytes) -> Reply:
        """The daemon's answer. One that is down, or goes away, is started and asked again."""
        until = time.monotonic() + (SHORT if self._daemon.elsewhere else PATIENCE)
        headers = {**self._headers, "mcp-protocol-version": self._protocol}
        while True:
            left = until - time.monotonic()
            try:
                reply = post(self._daemon, line, headers, seconds=LONGEST_CALL)
                if reply.status != BUSY or left <= 0:
                    return reply
            except DaemonGone:
                if left <= 0 or not self._start():
                    raise
            time.sleep(PAUSE)

    def _hint(self) -> str:
        if self._daemon.elsewhere:
            return "the daemon that EVERTHREAD_URL names does not answer"
        return (
            "the Everthread daemon is not running; `everthread up` starts it and says what is wrong"
        )

    def _pass_reply(self, ident: Ident, method: str, reply: Reply) -> None:
        body = reply.body.replace(b"\r", b" ").replace(b"\n", b" ").strip()
        if body.startswith(b"{") and b'"jsonrpc"' in body and _answers(body, ident):
            self._write(body)
        elif reply.status in {401, 403}:
            self._trouble(ident, method, "the daemon refused the token; set EVERTHREAD_TOKEN")
        else:
            self._trouble(ident, method, f"the daemon answered with status {reply.status}")

    # Written -------------------------------------------------------------------------------------

    def _answered(self, ident: Ident, result: Object) -> None:
        self._put({"jsonrpc": "2.0", "id": ident, "result": result})

    def _write_error(self, ident: Ident, code: int, message: str) -> None:
        self._put({"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": message}})

    def _trouble(self, ident: Ident, method: str, why: str) -> None:
        """Tell a model in the answer of its call; tell a client by an error."""
        if method == "tools/call":
            content = [{"type": "text", "text": f"Everthread: {why}"}]
            self._answered(ident, {"content": content, "isError": True})
        else:
            self._write_error(ident, INTERNAL, f"Everthread: {why}")

    def _put(self, message: Object) -> None:
        self._write(json.dumps(message, separators=(",", ":")).encode())

    def _write(self, line: bytes) -> None:
        try:
            with self._writing:
                self._out.write(line + b"\n")
                self._out.flush()
        except (OSError, ValueError):
            os._exit(0)  # nobody reads any more

    def _finish(self) -> None:
        """Wait for the calls that are under way, as long as somebody reads their answers."""
        watch = select.poll()
        watch.register(self._out, 0)
        for _ in range(AT_ONCE):
            while not self._room.acquire(timeout=PAUSE):
                if watch.poll(0):
                    return


LOCAL: dict[str, Callable[[Bridge, Object], Object]] = {
    "initialize": Bridge.initialize,
    "ping": lambda _bridge, _message: {},
    "tools/list": lambda bridge, _message: {"tools": bridge.offered()},
    "resources/list": lambda _bridge, _message: {"resources": list(RESOURCES)},
    "prompts/list": lambda _bridge, _message: {"prompts": list(PROMPTS)},
}
FORWARDED = frozenset({"tools/call", "resources/read", "prompts/get"})


def _ident(value: object) -> Ident:
    return value if isinstance(value, str | int | float) else None


def _answers(body: bytes, ident: Ident) -> bool:
    """Is this the answer to that request? An error about the envelope has no id, and nobody to go to."""
    try:
        return json.loads(body).get("id") == ident
    except ValueError:
        return False


class Starter:
    """Starts the daemon of a home folder, if it is to be started."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._began = time.monotonic()
        self._last = self._began - EVERY
        self._lock = threading.Lock()

    def __call__(self) -> bool:
        """See that it comes up; False where nobody may hope for that."""
        with self._lock:
            now = time.monotonic()
            # A session that begins starts it in any case; later `everthread down` has the last word.
            session = now - self._began < PATIENCE
            if not session and os.path.exists(f"{self._home}/run/stopped"):  # noqa: PTH110 - pathlib is slow to load
                return False
            if now - self._last < EVERY:
                return True
            self._last = now
            return self._woken(session=session)

    def _woken(self, *, session: bool) -> bool:
        import subprocess  # noqa: PLC0415 - only without a daemon

        from everthread.edges.hooks import command  # noqa: PLC0415 - as above
        from everthread.settings import Settings  # noqa: PLC0415 - as above

        # By a program in between: a harness that ends us with all our children leaves the daemon.
        wake = [sys.executable, "-I", "-c", WAKE, self._home, "session" if session else ""]
        quiet = subprocess.DEVNULL
        try:
            command.install_client(Settings.load(command.Path(self._home)))
            subprocess.run(
                wake, stdin=quiet, stdout=quiet, stderr=quiet, check=False, timeout=PATIENCE
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
        return True


def main() -> NoReturn:
    """Carry lines until stdin ends. Nothing but the protocol is written to stdout."""
    _, home, path = sys.argv
    serve(home, path)


def serve_here() -> NoReturn:
    """The same for the home folder that the environment names."""
    from everthread.edges.daemon.places import Places  # noqa: PLC0415 - `install` writes the places down
    from everthread.settings import home_folder  # noqa: PLC0415 - as above

    places = Places(home_folder(os.environ))
    serve(str(places.home), str(places.socket))


def serve(home: str, path: str) -> NoReturn:
    """Serve the client at stdin and stdout; where one of them is closed, nobody is there."""
    if not sys.stdin or not sys.stdout:
        os._exit(0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    env = os.environ
    daemon = daemon_at(path, env.get("EVERTHREAD_URL", ""), env.get("EVERTHREAD_TOKEN", ""))
    start = (lambda: True) if daemon.elsewhere else Starter(home)
    bridge = Bridge(daemon, start, sys.stdout.buffer)
    if not daemon.listens():
        threading.Thread(target=start, daemon=True).start()
    bridge.run(sys.stdin.buffer)
    sys.stdout.flush()
    os._exit(0)  # threads that still wait for a daemon must not keep us


if __name__ == "__main__":
    main()
