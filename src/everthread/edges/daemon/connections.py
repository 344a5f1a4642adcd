"""Connections over TCP: so many at once, and none that stays without asking anything.

Whoever may open a port may open a thousand. Hooks come by the Unix socket; for them there always has to
be a file descriptor left.
"""

from __future__ import annotations

import asyncio
import resource
from contextlib import suppress
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 200
"""Connections over TCP at once; the next is closed."""
AT_ONCE = 256
"""Connections that are taken from the queue before the first of them can be closed."""
FILES = 4_096
"""File descriptors that we ask for, where the system lets us."""

SECONDS: dict[object, float] = {h11.IDLE: 5.0, h11.SEND_BODY: 60.0}
"""How long a head and a body may take to come."""


class Connection(H11Protocol):
    """One connection."""

    _limit: asyncio.TimerHandle | None = None
    _coming: object = None
    """What the limit is for."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if self.client is None:
            return  # the Unix socket, which is its owner's
        others = cast("set[H11Protocol]", self.connections)
        if sum(other.client is not None for other in others) > MOST:
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.client is not None:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._limit is not None:
            self._limit.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Set the limit for what has to come now; more of the same does not put it off."""
        coming = cast("object", self.conn.their_state)
        if coming is self._coming:
            return
        self._coming = coming
        if self._limit is not None:
            self._limit.cancel()
        seconds = SECONDS.get(coming)
        self._limit = None if seconds is None else self.loop.call_later(seconds, self._over)

    def _over(self) -> None:
        # Between two requests the server itself closes who says nothing.
        if cast("object", self.conn.their_state) is self._coming:
            self.transport.abort()


def raise_file_limit() -> None:
    """Have as many file descriptors as the system lets us, up to what we can use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
