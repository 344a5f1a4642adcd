"""The daemon's routes: hooks, health, control; behind them the API and MCP, loaded when first asked for."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, cast

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from everthread import __version__

from .access import UNAUTHORIZED, foreign_status, is_admin, is_local, may_bring_events
from .core import DaemonCore
from .events import MAY_PASS, Event, EventLate, Hooks
from .stand_in import may_stand_in, meant_by

log = logging.getLogger("everthread.daemon")

Scope = MutableMapping[str, Any]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]

LARGEST_BODY = 16_000_000

OK, NOT_FOUND, NOT_ALLOWED, CONFLICT, TOO_LARGE, UNAVAILABLE = 200, 404, 405, 409, 413, 503

HOOK = "/hook/"
NAMED = ("harness", "event")
"""What the address of a hook names."""
PLAIN = [(b"content-type", b"application/json")]


class LazyApp:
    """A door whose module is loaded at its first request: its imports take long."""

    def __init__(self, module: str, served: DaemonCore) -> None:
        self._module = module
        self._served = served
        self._app: Asgi | None = None
        self._once = asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._app is None:
            async with self._once:
                if self._app is None:
                    self._app = await self._served.run(self._load)
        await self._app(scope, receive, send)

    def _load(self) -> Asgi:
        return importlib.import_module(self._module).create(self._served)


class Doors:
    """What the daemon answers itself."""

    def __init__(self, served: DaemonCore, hooks: Hooks, stop: Callable[[], None]) -> None:
        self._served = served
        self._hooks = hooks
        self._stop = stop

    def app(self) -> Asgi:
        routes: list[BaseRoute] = [
            Route("/health", self.health, methods=["GET"]),
            Route("/control/stop", self.stop, methods=["POST"]),
            Route("/near", self.near, methods=["POST"]),
            Mount("/api", LazyApp("everthread.edges.http.api", self._served)),
            Mount("/mcp", LazyApp("everthread.edges.mcp.server", self._served)),
        ]
        rest: Asgi = Starlette(routes=routes)

        async def door(scope: Scope, receive: Any, send: Any) -> None:
            # Nearly all that comes is a hook, and somebody waits for it: it goes by the shortest way.
            if scope["type"] == "http" and scope["path"].startswith(HOOK):
                status, body = await self._hooked(scope, receive)
                head = [*PLAIN, (b"content-length", b"%d" % len(body))]
                await send({"type": "http.response.start", "status": status, "headers": head})
                await send({"type": "http.response.body", "body": body})
            else:
                await rest(scope, receive, send)

        return door

    async def _hooked(self, scope: Scope, receive: Any) -> tuple[int, bytes]:
        """The answer to what was sent to a hook's address, and its status."""
        parts = scope["path"].removeprefix(HOOK).split("/")
        if len(parts) != len(NAMED) or not all(parts):
            return NOT_FOUND, b""
        if scope["method"] != "POST":
            return NOT_ALLOWED, b""
        return await self.hook(Request(scope, receive), dict(zip(NAMED, parts, strict=True)))

    async def hook(self, request: Request, named: Mapping[str, str]) -> tuple[int, bytes]:
        """One event of a harness. It fails open: whatever goes wrong, the harness goes on."""
        if refused := foreign_status(self._served, request):
            return refused, b""
        try:
            if not await may_bring_events(self._served, request):
                return UNAUTHORIZED, b""
            body = await _read_body(request)
            if body is None:
                return TOO_LARGE, b""
            event = Event.of(named, _headers(request), body, near=is_local(request))
            return OK, await self._hooks.answer(event)
        except (EventLate, ClientDisconnect):
            return UNAVAILABLE, b""
        except MAY_PASS as error:
            log.warning("%s: %s; the hook spools it", request.url.path, error)
            return UNAVAILABLE, b""

    async def health(self, request: Request) -> Response:
        """Is anybody there? Whoever may know more is told more."""
        if refused := foreign_status(self._served, request):
            return Response(status_code=refused)
        facts: dict[str, Any] = {"name": "everthread", "version": __version__}
        if is_admin(self._served, request):
            facts |= {
                "pid": os.getpid(),
                "home": str(self._served.settings.home),
                "port": self._served.port,
                "store_open": self._served.opened,
                "trouble": self._served.trouble,
            }
        return JSONResponse(facts)

    async def near(self, request: Request) -> Response:
        """May we stand in for a command of this machine's owner, and for which agent?"""
        if not is_local(request):
            return Response(status_code=NOT_FOUND)
        body = await _read_body(request)
        try:
            said = json.loads(body or b"null")
        except ValueError:
            said = None
        if not isinstance(said, dict) or not may_stand_in(
            self._served, cast("dict[str, Any]", said)
        ):
            return Response(status_code=CONFLICT)
        meant = await self._served.run(meant_by, self._served, cast("dict[str, Any]", said))
        return JSONResponse(meant)

    async def stop(self, request: Request) -> Response:
        """Finish: a newer version, or `everthread down`, asks for it."""
        if refused := foreign_status(self._served, request):
            return Response(status_code=refused)
        if not is_admin(self._served, request):
            return Response(status_code=UNAUTHORIZED)
        version = request.headers.get("x-everthread-version", "?")[:20]
        log.info("asked to stop by version %s", version)
        self._stop()
        return JSONResponse({"stopping": True, "pid": os.getpid()})


def _headers(request: Request) -> dict[str, str]:
    """By name; of one that comes twice, the first."""
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in reversed(request.scope["headers"])
    }


async def _read_body(request: Request) -> bytes | None:
    """The body, or None if it is larger than any event we take."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)
