"""The daemon's routes: hooks, health, control; behind them the API and MCP, loaded when first asked for."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from everthread import __version__

from .events import MAY_PASS, Event, Hooks, Late
from .gate import UNAUTHORIZED, admin, foreign, local, writer
from .served import Served

log = logging.getLogger("everthread.daemon")

Scope = Mapping[str, Any]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]

LARGEST_BODY = 16_000_000

TOO_LARGE, UNAVAILABLE = 413, 503


class Lazily:
    """A door whose module is loaded at its first request: its imports are dear."""

    def __init__(self, module: str, served: Served) -> None:
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

    def __init__(self, served: Served, hooks: Hooks, stop: Callable[[], None]) -> None:
        self._served = served
        self._hooks = hooks
        self._stop = stop

    def app(self) -> Starlette:
        routes: list[BaseRoute] = [
            Route("/hook/{harness}/{event}", self.hook, methods=["POST"]),
            Route("/health", self.health, methods=["GET"]),
            Route("/control/stop", self.stop, methods=["POST"]),
            Mount("/api", Lazily("everthread.edges.http.api", self._served)),
            Mount("/mcp", Lazily("everthread.edges.mcp.server", self._served)),
        ]
        return Starlette(routes=routes)

    async def hook(self, request: Request) -> Response:
        """One event of a harness. It fails open: whatever goes wrong, the harness goes on."""
        if refused := foreign(self._served, request):
            return Response(status_code=refused)
        try:
            if not await writer(self._served, request):
                return Response(status_code=UNAUTHORIZED)
            body = await _bounded(request)
            if body is None:
                return Response(status_code=TOO_LARGE)
            event = Event.of(request.path_params, request.headers, body)
            event = event._replace(near=local(request))
            return Response(await self._hooks.answer(event), media_type="application/json")
        except Late:
            return Response(status_code=UNAVAILABLE)
        except MAY_PASS as error:
            log.warning("%s: %s; the hook spools it", request.url.path, error)
            return Response(status_code=UNAVAILABLE)

    async def health(self, request: Request) -> Response:
        """Is anybody there? Whoever may know more is told more."""
        if refused := foreign(self._served, request):
            return Response(status_code=refused)
        facts: dict[str, Any] = {"name": "everthread", "version": __version__}
        if admin(self._served, request):
            facts |= {
                "pid": os.getpid(),
                "home": str(self._served.settings.home),
                "port": self._served.port,
                "store_open": self._served.opened,
            }
        return JSONResponse(facts)

    async def stop(self, request: Request) -> Response:
        """Finish: a newer version, or `everthread down`, asks for it."""
        if refused := foreign(self._served, request):
            return Response(status_code=refused)
        if not admin(self._served, request):
            return Response(status_code=UNAUTHORIZED)
        version = request.headers.get("x-everthread-version", "?")[:20]
        log.info("asked to stop by version %s", version)
        self._stop()
        return JSONResponse({"stopping": True, "pid": os.getpid()})


async def _bounded(request: Request) -> bytes | None:
    """The body, or None if it is larger than any event we take."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)
