"""A scripted model for real clients: Anthropic, OpenAI chat and Responses, Gemini on one port.

Unlike ModelServer it takes any request that a client makes. Side requests (a title, the summary of
a compaction) have rules; the conversation itself is answered from a script, in order. All requests
are kept for the test to look at.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias, cast

from .model_script_wire import Reply, Wire, streamed, wire_of
from .model_usage import compact
from .model_wire import Failure, ToolCall
from .shapes import Json

__all__ = ["TOO_LONG", "Asked", "Failure", "Hold", "Reply", "ScriptedModel", "ToolCall"]

# How each client asks for the summary of a compaction.
SUMMARY_MARKS = (
    "CRITICAL: Respond with TEXT ONLY",
    "CONTEXT CHECKPOINT COMPACTION",
    "<state_snapshot>",
    "Summarize only the older turns",
    "anchored summary",
    "Keep each section concise. Preserve exact file paths",
)
SUMMARY = "<summary>The person and the assistant talked about the project.</summary>"
DEFAULT = Reply("Understood.")
TOO_LONG = Failure(
    400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a client."""

    path: str
    body: Json
    wire: Wire

    @property
    def history(self) -> list[Json]:
        return self.wire.history(self.body)

    @property
    def tools(self) -> bool:
        """Whether tools are offered: the conversation does, side requests mostly do not."""
        return self.wire.tools(self.body)

    @property
    def text(self) -> str:
        """All that the model gets to read except the descriptions of tools."""
        return "\n".join(
            text for name, part in self.body.items() if name != "tools" for text in texts(part)
        )

    @property
    def newest(self) -> str:
        """What came after the model's last words."""
        history = self.history
        since = max((n for n, entry in enumerate(history) if self.wire.ours(entry)), default=-1)
        return "\n".join(texts(history[since + 1 :]))

    @property
    def summarizing(self) -> bool:
        newest = self.newest
        return any(mark in newest for mark in SUMMARY_MARKS)


@dataclass(frozen=True, slots=True)
class Hold:
    """The reply begins and then stands still until the test releases it or the client goes."""

    begun: threading.Event
    release: threading.Event

    @classmethod
    def new(cls) -> Hold:
        return cls(threading.Event(), threading.Event())


Move: TypeAlias = Reply | Failure | Hold | str
Rule: TypeAlias = tuple[Callable[[Asked], bool], Move]


class ScriptedModel:
    """Runs from the start to close; `url` is what a client is pointed at."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.summary: Move = SUMMARY
        self._script: list[Move] = []
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._listener = _Listener(self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_port}"

    @property
    def turns(self) -> list[Asked]:
        """The requests of the conversation itself, without titles and summaries."""
        return [asked for asked in self.requests if asked.tools and not asked.summarizing]

    def script(self, *moves: Move) -> None:
        """Append to what the conversation is answered; after that comes a plain word."""
        with self._lock:
            self._script.extend(moves)

    def on(self, when: Callable[[Asked], bool], move: Move) -> None:
        """Answer so whenever this is asked, whatever the script says."""
        with self._lock:
            self._rules.append((when, move))

    def close(self) -> None:
        self.closing.set()
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def move(self, asked: Asked) -> Move:
        with self._lock:
            self.requests.append(asked)
            for when, move in self._rules:
                if when(asked):
                    return move
            if asked.summarizing:
                return self.summary
            if not asked.tools:
                return "A title"
            return self._script.pop(0) if self._script else DEFAULT


def texts(part: object) -> Iterator[str]:
    """All strings in a piece of JSON."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in cast("Json", part).values():
            yield from texts(value)
    elif isinstance(part, list):
        for value in cast("list[object]", part):
            yield from texts(value)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: ScriptedModel) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or was killed, is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def owner(self) -> ScriptedModel:
        return cast("_Listener", self.server).owner

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        self._send(404, {"error": {"message": f"no such path: {self.path}"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        wire = wire_of(self.path)
        if wire is None:
            return self._send(404, {"error": {"message": f"no such path: {self.path}"}})
        asked = Asked(self.path, json.loads(raw), wire)
        move = self.owner.move(asked)
        if isinstance(move, Failure):
            return self._send(move.status, wire.error(move))
        if isinstance(move, Hold):
            return self._hold(move, asked)
        answer = (Reply(move) if isinstance(move, str) else move).answer(
            str(asked.body.get("model", "model"))
        )
        if not streamed(self.path, asked.body):
            return self._send(200, wire.body(answer))
        return self._stream(wire.frames(answer, asked.body))

    def _hold(self, move: Hold, asked: Asked) -> None:
        answer = Reply("One moment").answer(str(asked.body.get("model", "model")))
        frames = [*asked.wire.frames(answer, asked.body)]
        self._begin()
        self._chunk(frames[0])
        move.begun.set()
        while not (move.release.wait(0.05) or self.owner.closing.is_set()):
            continue
        for frame in frames[1:]:
            self._chunk(frame)
        self.wfile.write(b"0\r\n\r\n")

    def _stream(self, frames: Iterator[bytes]) -> None:
        self._begin()
        for frame in frames:
            self._chunk(frame)
        self.wfile.write(b"0\r\n\r\n")

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _chunk(self, frame: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
        self.wfile.flush()

    def _send(self, status: int, content: Json) -> None:
        raw = compact(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        """Tests speak for themselves."""
