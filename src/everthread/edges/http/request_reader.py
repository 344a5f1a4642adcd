"""Reading what a request says: its query or its body, bounded, and nothing that is not asked for."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from .allowed_values import allowed_values
from .inputs import Lines
from .problems import Refused
from .route import JSON

if TYPE_CHECKING:
    from starlette.requests import Request

    from .call import DaemonCore
    from .inputs import Asked
    from .routes import Route


async def read_request(request: Request, route: Route, served: DaemonCore) -> Asked:
    """The query or the body as the route takes it; `Refused` says which field is wrong."""
    if route.by_query:
        return _query(request, route)
    _must_say_nothing(request)
    if route.takes != JSON:
        return await _lines(request, route, served)
    body = b"".join([part async for part in _parts(request, route.most)])
    if not body.strip():
        body = b"{}"  # where nothing must be said, nothing need be sent
    elif not _has_type(request, JSON):
        raise Refused(415, "send JSON: Content-Type: application/json")
    try:
        return msgspec.json.decode(body, type=route.asks)
    except msgspec.ValidationError as wrong:
        raise Refused(422, f"the body does not fit: {wrong}{_takes(wrong, route)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise Refused(400, f"the body is no JSON: {wrong}") from None


def _query(request: Request, route: Route) -> Asked:
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(400, f"`{twice:.60}` is given more than once")
    try:
        asked = msgspec.convert(dict(given), type=route.asks, strict=False)
    except msgspec.ValidationError as wrong:
        raise Refused(400, f"the query does not fit: {wrong}{_takes(wrong, route)}") from None
    nothing = next((name for name in names if getattr(asked, name) is None), None)
    if nothing is not None:
        raise Refused(400, f"`{nothing}` is null; leave it out instead")
    return asked


def _takes(wrong: msgspec.ValidationError, route: Route) -> str:
    """What it takes, for who chose a value that is none of a few, named an unknown field or left one out."""
    if str(wrong).startswith("Invalid enum value"):
        return allowed_values(str(wrong), route.asks)
    if "field `" not in str(wrong) or " - at `$" in str(wrong):
        return ""
    names = ", ".join(f"`{name}`" for name in route.asks.__struct_fields__)
    return f"; it takes {names}" if names else "; it takes none"


def _must_say_nothing(request: Request) -> None:
    if request.url.query:
        raise Refused(400, "this route takes no query; say it in the body")


async def _lines(request: Request, route: Route, served: DaemonCore) -> Asked:
    """The body in a file that nobody else can open: it may be larger than memory should hold."""
    if not _has_type(request, route.takes):
        raise Refused(415, f"send JSON lines: Content-Type: {route.takes}")
    try:
        file = tempfile.TemporaryFile(dir=served.settings.home)  # noqa: SIM115 - closed when it was read
        try:
            async for part in _parts(request, route.most):
                await served.run(file.write, part)
            await served.run(file.seek, 0)
        except BaseException:
            file.close()
            raise
    except OSError as wrong:
        raise Refused(507, f"there is no room for it here: {wrong.strerror}") from wrong
    return Lines(file=file)


async def _parts(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body piece by piece, as much as it may have."""
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most:
        raise Refused(413, f"a body may have {most:,} bytes at most; this one has {int(told):,}")
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Refused(413, f"a body may have {most:,} bytes at most")
        yield part


def _has_type(request: Request, wanted: str) -> bool:
    kind, _, rest = request.headers.get("content-type", "").partition(";")
    charset = rest.strip().lower().removeprefix("charset=").strip('"')
    return kind.strip().lower() == wanted and charset in ("", "utf-8", "utf8")
