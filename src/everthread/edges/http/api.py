"""The API as an ASGI application: from the request to the answer, in one place."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from everthread.domain.errors import EverthreadError, StoreFailed
from everthread.domain.safety.sandbox import door_allowed

from .access import Gate, by_command
from .call import Call
from .events import Events
from .export import BYTES, backup_file, export_file, file_response
from .keys import COMMAND_KEY
from .open_turns import IDLE_SECONDS, OpenTurns
from .openapi import document
from .paths import Paths, RouteMatch
from .problems import Refused, error_response
from .redaction import redact_document
from .request_reader import read_request
from .route import LINES
from .routes import ROUTES, Route
from .routes_tasks import TASKS

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from .call import DaemonCore
    from .inputs import Asked
    from .keys import Key

log = logging.getLogger("everthread.http")

OPENAPI, EVENTS, EXPORT = "/api/openapi.json", "/api/events", "/api/agents/{agent}/export"
BACKUP = "/api/backup"
OTHERS = {OPENAPI: "read", EVENTS: "read", EXPORT: "admin", BACKUP: "admin"}
"""What is not in the table because its answer is no document, and the scope it needs."""

QUICK, SLOW = 4, 2
"""Requests that run at once. Fewer together than the pool has threads: hooks come first."""

MOST_WAITING = 256
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'",
    "Referrer-Policy": "no-referrer",
}


def create(served: DaemonCore) -> Api:
    """The API of this process, to be mounted under /api."""
    return Api(served)


class Api:
    """Reads a request, lets one verb of the engine answer it, and sends that without secrets."""

    def __init__(self, served: DaemonCore) -> None:
        self._served = served
        self._gate = Gate(served)
        self._desk = OpenTurns()
        self._events = Events(served, self._gate)
        self._waiting = 0
        self._lanes = {False: asyncio.Semaphore(QUICK), True: asyncio.Semaphore(SLOW)}
        others = [(path, path) for path in OTHERS]
        self._paths: Paths[Route | str] = Paths([*((r.path, r) for r in ROUTES), *others])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _refuse(scope, send)
            return
        request = Request(scope, receive, send)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the outermost boundary
            response = _error_response(request, error)
        response.headers.update(HEADERS)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        key = await self._gate.key_of(request)
        matched = self._match_route(request)
        route = matched.route
        if isinstance(route, str):
            return await self._other(request, key, route, matched.values)
        _must_be_able(key, route.scope)
        asked = await read_request(request, route, self._served)
        try:
            body = await self._done(route, key, matched.values, asked)
        finally:
            asked.close()
        if route.name == "turns_begin":
            asyncio.get_running_loop().call_later(IDLE_SECONDS + 1, self._sweep)
        return Response(body, route.status, media_type="application/json")

    async def _other(
        self, request: Request, key: Key, path: str, values: dict[str, str]
    ) -> Response:
        """What is no document: the description, the stream of events, an export, a backup."""
        _must_be_able(key, OTHERS[path])
        if path == OPENAPI:
            return Response(document(), media_type="application/json")
        if request.method == "HEAD":
            return Response()
        if path == EVENTS:
            return await self._events.stream(request, key)
        if request.url.query:
            raise Refused(400, "this route takes no query")
        make, kind = (backup_file, BYTES) if path == BACKUP else (export_file, LINES)
        async with self._lanes[True]:
            file = await self._served.run(lambda: make(self._call(key, values)))
        return file_response(self._served, file, kind)

    def _match_route(self, request: Request) -> RouteMatch[Route | str]:
        method = "GET" if request.method == "HEAD" else request.method
        raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
        allowed: list[str] = []
        for found in self._paths.matching(raw.partition(b"?")[0]):
            own = "GET" if isinstance(found.route, str) else found.route.method
            if own == method:
                return found
            allowed.append(own)
        if not allowed:
            raise Refused(404, "there is nothing here; /api/openapi.json tells what there is")
        raise Refused(
            405, f"{method:.20} does not go with this path", {"Allow": ", ".join(sorted(allowed))}
        )

    async def _done(self, route: Route, key: Key, values: dict[str, str], asked: Asked) -> bytes:
        if self._waiting >= MOST_WAITING:
            raise Refused(503, "too many requests wait already; try again", {"Retry-After": "1"})
        self._waiting += 1
        try:
            async with self._lanes[route.slow]:
                return await self._served.run(self._do, route, key, values, asked)
        finally:
            self._waiting -= 1

    def _do(self, route: Route, key: Key, values: dict[str, str], asked: Asked) -> bytes:
        """In a thread: the verb, and its document without secrets."""
        try:
            call = self._call(key, values)
        except StoreFailed as wrong:
            if key is COMMAND_KEY:  # before anything was done: the command opens the store itself
                raise Refused(503, str(wrong)) from wrong
            raise
        _must_be_free(route, call, asked)
        answer = route.verb(call, asked)
        clean = redact_document(answer, route.answer)
        if route.told:
            clean[route.told] = answer[route.told]
        return msgspec.json.encode(clean)

    def _call(self, key: Key, values: dict[str, str]) -> Call:
        return Call(self._served.engine(), key, values, self._desk, self._served.settings)

    def _sweep(self) -> None:
        self._served.run(self._desk.sweep)


def _must_be_able(key: Key, scope: str) -> None:
    lacking = next((each for each in scope.split() if not key.may(each)), None)
    if lacking is not None:
        raise Refused(403, f"this token has no scope `{lacking}`")


ENDING = ("tasks_checkpoint", "tasks_end", "tasks_stop")
"""By these a session in a sandbox says where it stands, and ends."""


def _must_be_free(route: Route, call: Call, asked: Asked) -> None:
    """Refuse to write for an agent that may only read, unless it writes into another project alone."""
    if call.key is COMMAND_KEY:
        return  # a person's own command writes, as it does without us
    decision = door_allowed(route.method, route.scope)
    if not decision.allow and "agent" in call.path and route.name not in ENDING:
        with suppress(Refused):  # one that is not there holds nobody; the verb says so, or makes it
            call.agent.must_be_free(decision.reason, project=_only_place(route, asked))


def _only_place(route: Route, asked: Asked) -> str | None:
    """The project into which alone the call writes; None where that is not certain."""
    project: object = getattr(asked, "project", None)
    alone = route in TASKS or getattr(asked, "scope", None) == "project"
    return project if alone and isinstance(project, str) else None


def _error_response(request: Request, error: Exception) -> Response:
    if not isinstance(error, Refused | EverthreadError):
        log.exception("%s failed", request.method)
    return error_response(error, whole=by_command(request))


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
