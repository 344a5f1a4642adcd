"""Who may speak to the daemon itself. The Unix socket is its owner's; over TCP the token tells."""

from __future__ import annotations

import hmac
import json

from starlette.requests import Request

from .core import DaemonCore

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

UNAUTHORIZED, FORBIDDEN, MISDIRECTED = 401, 403, 421


def foreign_status(served: DaemonCore, request: Request) -> int:
    """The status for a request that a web page made, or that means another host; 0 for all others."""
    if is_local(request):
        return 0
    own = {f"{name}:{served.port}" for name in LOOPBACK}
    more = {name.strip().lower() for name in served.settings.api_hosts.split(",")}
    if request.headers.get("host", "").lower() not in own | (more - {""}):
        return MISDIRECTED
    return FORBIDDEN if "origin" in request.headers else 0


def is_local(request: Request) -> bool:
    """Did it come by the Unix socket, which nobody else can open?"""
    return request.scope["client"] is None


def is_admin(served: DaemonCore, request: Request) -> bool:
    """Is it this machine's owner?"""
    if is_local(request):
        return True
    given, own = _secret(request).encode(), served.token.encode()
    return bool(own) and hmac.compare_digest(given, own)


async def may_bring_events(served: DaemonCore, request: Request) -> bool:
    """May it bring events? They choose their agent, and say in which projects harnesses work, by which
    other tokens are bound: over TCP only who may do everything brings them."""
    if is_admin(served, request):
        return True
    secret = _secret(request)
    return bool(secret) and await served.run(_may_rule, served, secret)


def _secret(request: Request) -> str:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret if kind.lower() == "bearer" else ""


def _may_rule(served: DaemonCore, secret: str) -> bool:
    token = served.engine().token_of(secret)
    if token is None or json.loads(token.agents_json):
        return False
    return "admin" in json.loads(token.scopes_json)
