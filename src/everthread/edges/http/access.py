"""Who may come in: the Host and Origin of a request, its token, and how often it asks."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING

import msgspec

from everthread.services.upkeep.tokens import PREFIX, secret_hash

from .keys import COMMAND_KEY, LOCAL_KEY, Key, equal_secrets
from .problems import Refused
from .rates import Rates

if TYPE_CHECKING:
    from starlette.requests import Request

    from .call import DaemonCore

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SAFE = ("GET", "HEAD", "OPTIONS")
PLAIN_PORT = 80
LOOKING = 2
"""Tokens that are looked up at once."""

STRANGERS = "strangers"
"""The bucket of all whose token is none."""

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="everthread"'}


class Gate:
    """Every request passes here before anything of it is read."""

    def __init__(self, served: DaemonCore) -> None:
        self._served = served
        self._looking = asyncio.Semaphore(LOOKING)
        self._rates = Rates(served.settings.api_rate)
        self._more = frozenset(
            name.strip().lower() for name in served.settings.api_hosts.split(",") if name.strip()
        )

    async def key_of(self, request: Request) -> Key:
        """Whose request it is; `Refused` where it may not come in."""
        if request.scope.get("client") is None and "authorization" not in request.headers:
            # The Unix socket: whoever can open it is its owner.
            return COMMAND_KEY if by_command(request) else LOCAL_KEY
        self._must_mean_us(request)
        self._must_be_ours(request)
        secret = secret_of(request)
        key = None if secret is None else await self.key(secret)
        wait = self._rates.wait(STRANGERS if key is None else key.name, time.monotonic())
        if wait:
            seconds = math.ceil(wait)
            raise Refused(
                429,
                f"too many requests; try again in {seconds} s",
                {"Retry-After": str(seconds)},
            )
        if key is None:
            wrong = "send a token" if secret is None else "this token is not known or was revoked"
            raise Refused(
                401,
                f"{wrong}: `Authorization: Bearer …`. The local one is in run/token of the home "
                "folder; `everthread token create` makes more",
                _CHALLENGE,
            )
        return key

    async def key(self, secret: str) -> Key | None:
        """The key of that secret."""
        local = self._served.token
        if local and equal_secrets(secret_hash(secret), secret_hash(local)):
            return LOCAL_KEY
        if not secret.startswith(PREFIX):
            return None
        async with self._looking:  # strangers must not fill the threads that hooks wait for
            return await self._served.run(self._stored, secret)

    def _stored(self, secret: str) -> Key | None:
        token = self._served.engine().token_of(secret)
        if token is None:
            return None
        scopes = msgspec.json.decode(token.scopes_json, type=frozenset[str])
        agents = msgspec.json.decode(token.agents_json, type=frozenset[str])
        return Key(token.id, scopes, agents)

    def _must_mean_us(self, request: Request) -> None:
        """A name that leads here by somebody else's doing is not ours (DNS rebinding)."""
        server = request.scope.get("server")
        port = None if server is None else server[1]
        if port is None:
            return  # the Unix socket, which no name leads to
        given = [v for k, v in request.headers.raw if k.lower() == b"host"]
        host = given[0].decode("latin-1").lower() if len(given) == 1 else ""
        own = {f"{name}:{port}" for name in LOOPBACK}
        if port == PLAIN_PORT:
            own.update(LOOPBACK)
        if host not in own and host not in self._more:
            raise Refused(
                421,
                "this is not the host that was asked for; use 127.0.0.1 or localhost with the "
                "daemon's port, or add the name to the setting api_hosts",
            )

    def _must_be_ours(self, request: Request) -> None:
        """What a page of another site sends in a browser is refused, whatever it carries."""
        origin = request.headers.get("origin")
        if request.method in SAFE or origin is None:
            return
        host = request.headers.get("host", "").lower()
        if origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise Refused(403, "a page of another site may not change anything here")


def by_command(request: Request) -> bool:
    """Does a command ask over the Unix socket, in place of opening the store?"""
    return request.scope.get("client") is None and "x-everthread-command" in request.headers


def secret_of(request: Request) -> str | None:
    """The secret that a request carries, if it carries one."""
    given = request.headers.getlist("authorization")
    if len(given) != 1:
        return None
    scheme, _, secret = given[0].partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and secret.strip() else None
