"""Streamable HTTP with the official SDK, one exchange at a time: nothing is kept between two requests.

So a daemon can be stopped and started between any two calls of a session. The SDK is slow to load;
that happens in a thread, with the first request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from everthread.domain.errors import EverthreadError
from everthread.domain.redaction.secrets import strip_secrets
from everthread.edges.http.problems import Refused, problem, status_of

from .access import Guard
from .caller import DaemonCore

if TYPE_CHECKING:
    from .protocol import Exchange

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def create(served: DaemonCore) -> App:
    """The door as an ASGI app; the daemon mounts it at `/mcp`."""
    return Door(served)


class Door:
    """Loads the SDK with the first request, and hands every request to it."""

    def __init__(self, served: DaemonCore) -> None:
        self._served = served
        self._guard = Guard(served)
        self._loading: asyncio.Future[Exchange] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("this door takes HTTP requests alone")
        if scope["method"] != "POST":
            # We never speak first, and there is no session to end.
            await problem(405, "POST alone", headers={"allow": "POST"})(scope, receive, send)
            return
        try:
            scope["everthread.key"] = await self._guard.let_in(scope)
        except Refused as refused:
            answer = problem(refused.status, refused.detail, headers=refused.headers)
            await answer(scope, receive, send)
            return
        except EverthreadError as error:
            told = strip_secrets(str(error))
            answer = problem(status_of(error), told, name=type(error).__name__)
            await answer(scope, receive, send)
            return
        exchange = await self._loaded()
        await exchange(scope, receive, send)

    async def _loaded(self) -> Exchange:
        if self._loading is None:
            self._loading = asyncio.ensure_future(self._served.run(_load, self._served))
        try:
            # Whoever leaves while it loads must not stop it for the others.
            return await asyncio.shield(self._loading)
        except Exception:
            self._loading = None
            raise


def _load(served: DaemonCore) -> Exchange:
    from .protocol import Exchange  # noqa: PLC0415 - slow to load: the first request pays

    return Exchange(served)
