"""A scripted model server that speaks the real protocols and refuses what the real ones refuse.

Anthropic: POST /v1/messages and /v1/messages/count_tokens. OpenAI: POST /v1/chat/completions.
Plain and streaming: the official clients work against it unchanged with base_url=server.url.
"""

from __future__ import annotations

import hashlib
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias, cast

from .legality import anthropic_problems
from .model_usage import Count, Meter, Overhead, by_characters, compact, parts_of, texts_of
from .model_wire import ANTHROPIC, OPENAI, Answer, Dialect, Failure, Say, ToolCall, signature
from .shapes import Json

__all__ = [
    "Broken",
    "Failure",
    "ModelServer",
    "Nonsense",
    "Overhead",
    "Reply",
    "Request",
    "Say",
    "Slow",
    "ToolCall",
    "by_characters",
    "signature",
]

NO_OVERHEAD = Overhead()
COUNTING = "/messages/count_tokens"
DIALECTS = {"/messages": ANTHROPIC, COUNTING: ANTHROPIC, "/chat/completions": OPENAI}
JSON, EVENTS = "application/json", "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent, and what was wrong with it."""

    path: str
    headers: dict[str, str]
    raw: bytes
    body: Json
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """A reply that breaks off after so many events: the connection goes, or an error comes."""

    reply: Say | str
    after: int
    error: Failure | None = None


@dataclass(frozen=True, slots=True)
class Nonsense:
    """An answer that no provider ever gave."""

    content: bytes = b"<html>502 Bad Gateway</html>"
    kind: str = "text/html"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Slow:
    """A reply whose every event takes so long to come; `silent`: not even its head comes before."""

    reply: Say | str
    seconds: float
    silent: bool = False


Fixed: TypeAlias = str | Say | Failure | Broken | Nonsense | Slow
Reply: TypeAlias = Fixed | Callable[[Request], Fixed]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An answer ready to be sent; `broken`: the connection goes before the answer is whole."""

    status: int
    kind: str
    parts: list[bytes]
    streamed: bool = False
    broken: bool = False
    delay: float = 0.0
    silent: bool = False
    headers: dict[str, str] = field(default_factory=dict[str, str])


class ModelServer:
    """Answers with the scripted replies in turn, then with an echo. Runs from the start to close.

    count: the vocabulary, text to tokens. overhead: what the provider adds. cache: report prompt
    caching as the provider would (Anthropic: up to the cache_control marks; OpenAI: every prompt).
    signed: accept only thinking blocks that are byte for byte what this server once sent.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        count: Count = by_characters,
        overhead: Overhead = NO_OVERHEAD,
        cache: bool = False,
        signed: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self.faults: list[Exception] = []
        self._script = list(replies)
        self._meter = Meter(count, overhead, cache=cache)
        self._signed = signed
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._listener = _Listener(self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_port}"

    def script(self, *replies: Reply) -> None:
        """Append to what the server will answer."""
        with self._lock:
            self._script.extend(replies)

    def close(self) -> None:
        """End the server and cut the connections that clients still hold open."""
        self.closing.set()
        if self._thread.is_alive():
            self._listener.shutdown()
            self._thread.join()
        self._listener.cut()
        self._listener.server_close()

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None and self.faults:
            # A failed assertion in a scripted reply must not end as a mere status 500.
            raise self.faults[0]

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> Outgoing:
        """What to send back for this request. Only legal requests use up a scripted reply."""
        route = path.partition("?")[0].removeprefix("/v1")
        dialect = DIALECTS.get(route)
        if dialect is None:
            return _error(ANTHROPIC, Failure(404, "not_found_error", f"no such path: {path}"))
        request = self._parsed(route, dialect, Request(path, headers, raw, {}))
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        refusal = dialect.refusal(headers)
        if refusal is None and request.problems:
            refusal = Failure(400, "invalid_request_error", request.problems[0])
        if refusal is not None:
            return _error(dialect, refusal)
        if route == COUNTING:
            return _json(200, {"input_tokens": self._meter.prompt(request.body)})
        return self._reply(dialect, request, number)

    def _parsed(self, route: str, dialect: Dialect, request: Request) -> Request:
        try:
            body = json.loads(request.raw)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return replace(request, problems=("body: the request is not a valid JSON object",))
        problems = (
            anthropic_problems(body, counting=True) if route == COUNTING else dialect.problems(body)
        )
        if self._signed and not problems:
            problems = [*_forgeries(body)]
        return replace(request, body=body, problems=tuple(problems))

    def _reply(self, dialect: Dialect, request: Request, number: int) -> Outgoing:
        with self._lock:
            planned = self._script.pop(0) if self._script else _echo
        try:
            reply = planned(request) if callable(planned) else planned
        except Exception as fault:  # noqa: BLE001 - a test's own code; kept for the test to see
            self.faults.append(fault)
            reply = Failure(500, "api_error", f"the scripted reply raised {fault!r}")
        if isinstance(reply, Failure):
            return _error(dialect, reply)
        if isinstance(reply, Nonsense):
            return Outgoing(reply.status, reply.kind, [reply.content])
        said = reply.reply if isinstance(reply, Broken | Slow) else reply
        say = Say(said) if isinstance(said, str) else said
        whole = self._written(dialect, request, self._named(dialect, say, request, number))
        if isinstance(reply, Slow):
            return replace(whole, delay=reply.seconds, silent=reply.silent)
        return _broken(dialect, whole, reply) if isinstance(reply, Broken) else whole

    def _named(self, dialect: Dialect, say: Say, request: Request, number: int) -> Answer:
        """Give the answer and its calls ids: the same in every run, new in every answer."""
        unique = hashlib.sha256(b"%d %s" % (number, request.raw)).hexdigest()[:20]
        calls = [
            replace(call, id=call.id or f"{dialect.call_prefix}{unique}{n:02d}")
            for n, call in enumerate(say.calls)
        ]
        usage = self._meter.usage(request.body, say.texts, automatic=dialect.caches_everything)
        return Answer(unique, request.body["model"], replace(say, calls=calls), usage)

    def _written(self, dialect: Dialect, request: Request, answer: Answer) -> Outgoing:
        if request.body.get("stream") is True:
            frames = [*dialect.frames(answer, request.body)]
            return Outgoing(200, EVENTS, frames, streamed=True)
        return _json(200, dialect.body(answer))


def _echo(request: Request) -> str:
    texts = [text for part in parts_of(request.body["messages"][-1]) for text in texts_of(part)]
    return f"You said: {' '.join(texts)}".strip()


def _forgeries(body: Json) -> Iterable[str]:
    for n, message in enumerate(body["messages"]):
        for part in parts_of(message):
            if part["type"] == "thinking" and part["signature"] != signature(part["thinking"]):
                yield f"messages.{n}: Invalid `signature` in `thinking` block"


def _json(status: int, content: Json) -> Outgoing:
    return Outgoing(status, JSON, [compact(content).encode()])


def _error(dialect: Dialect, failure: Failure) -> Outgoing:
    return replace(_json(failure.status, dialect.error(failure)), headers=failure.headers)


def _broken(dialect: Dialect, whole: Outgoing, reply: Broken) -> Outgoing:
    if not whole.streamed:
        return replace(whole, broken=True)
    parts = whole.parts[: reply.after]
    if reply.error is not None:
        return replace(whole, parts=[*parts, dialect.error_frame(reply.error)])
    return replace(whole, parts=parts, broken=True)


class _Listener(ThreadingHTTPServer):
    # Threads that are waited for: a test that closes the server leaves none behind.
    daemon_threads = False

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong for the test; a client that hangs up in the middle is normal."""
        fault = sys.exception()
        if isinstance(fault, Exception) and not isinstance(fault, ConnectionError):
            self.owner.faults.append(fault)

    def cut(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                # Closed by the client, or by its thread, in this very moment.
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def owner(self) -> ModelServer:
        return cast("_Listener", self.server).owner

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        outgoing = self.owner.answer(self.path, headers, raw)
        if outgoing.silent:
            self.owner.closing.wait(outgoing.delay)
        self._head(outgoing)
        if outgoing.streamed:
            for part in outgoing.parts:
                self.owner.closing.wait(outgoing.delay)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            if not outgoing.broken:
                self.wfile.write(b"0\r\n\r\n")
        else:
            content = b"".join(outgoing.parts)
            self.wfile.write(content[: len(content) // 2] if outgoing.broken else content)
        self.close_connection = self.close_connection or outgoing.broken

    def _head(self, outgoing: Outgoing) -> None:
        number = len(self.owner.requests)
        self.send_response(outgoing.status)
        self.send_header("content-type", outgoing.kind)
        self.send_header("request-id", f"req_{number:06d}")
        self.send_header("x-request-id", f"req_{number:06d}")
        for name, value in outgoing.headers.items():
            self.send_header(name, value)
        if outgoing.streamed:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(sum(map(len, outgoing.parts))))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Tests speak for themselves."""
