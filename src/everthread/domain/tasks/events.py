"""Events for others: the CloudEvents 1.0 envelope, where one goes, and how it is signed."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit

from everthread.domain.conversation.contents import compact
from everthread.domain.errors import BadInput
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.times import text_of

from .commands import Command, NamedCommand

SPEC = "1.0"
TTL_MS = 60_000
CONTENT_TYPE = "application/cloudevents+json"
SIGNATURE = "Everthread-Signature"
COMPLETE = "session.complete"

_URI = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")
_TIME = lazy_pattern(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_TRACE = lazy_pattern(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_LOOPBACK = lazy_pattern(r"127(\.[0-9]{1,3}){3}")
_ATTRIBUTE = lazy_pattern(r"[A-Za-z0-9]+")
_REQUIRED = ("id", "source", "specversion", "type")
_TEXTS = ("subject", "datacontenttype", "dataschema", "causationId", "correlationId")
_TRACES = ("tracestate", "baggage")


@dataclass(frozen=True, slots=True)
class Trail:
    """What an event belongs to, where that is known."""

    causation: str | None = None
    correlation: str | None = None
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class ToFile:
    """A file that grows by one line an event."""

    path: str


@dataclass(frozen=True, slots=True)
class ToWebhook:
    """An address that takes events by POST."""

    url: str
    secret: str = field(repr=False)
    """Signs what is sent, so that the other side knows that it is ours."""
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class ToCommand:
    """A command that gets the event on its standard input."""

    command: Command
    folder: str
    seconds: float = 60.0
    named: NamedCommand | None = None
    """The file that names it, which must be trusted; None: it is from the user's own settings."""


Target: TypeAlias = ToFile | ToWebhook | ToCommand


def cloud_event(
    id: str,
    *,
    type: str,
    source: str,
    at: int,
    data: Mapping[str, Any],
    subject: str | None = None,
    trail: Trail = Trail(),  # noqa: B008 - a frozen value
) -> str:
    """One event as JSON on one line, without secrets. The same arguments give the same bytes."""
    wanted: dict[str, Any] = {
        "specversion": SPEC,
        "id": id,
        "type": type,
        "source": source,
        "time": text_of(at),
        "subject": subject,
        "datacontenttype": "application/json",
        "causationId": trail.causation,
        "correlationId": trail.correlation,
        "ttlMs": TTL_MS,
        "traceparent": trail.traceparent,
        "data": Redactor().value(data, sealed=False),
    }
    event = {name: value for name, value in wanted.items() if value is not None}
    if wrong := faults(event):
        raise BadInput(f"no event can be made of this: {'; '.join(wrong)}")
    return compact(event)


def faults(event: object) -> Sequence[str]:
    """What is wrong with an envelope, by CloudEvents 1.0 and what we add to it; empty if nothing."""
    if not isinstance(event, Mapping):
        return ["an event is an object"]
    fields = cast("Mapping[str, Any]", event)
    wrong = [f"{name} is missing" for name in _REQUIRED if name not in fields]
    wrong += [
        f"{name} must be a text that is not empty"
        for name in (*_REQUIRED, *_TEXTS, *_TRACES)
        if name in fields and not (isinstance(fields[name], str) and fields[name])
    ]
    wrong += [f"{name!r} is no name of an attribute" for name in fields if not _is_attribute(name)]
    return wrong or [*_shapes(fields)]


def _is_attribute(name: object) -> bool:
    return isinstance(name, str) and _ATTRIBUTE.fullmatch(name) is not None


def _shapes(fields: Mapping[str, Any]) -> list[str]:
    ttl = fields.get("ttlMs", TTL_MS)
    checks = {
        'specversion must be "1.0"': fields["specversion"] == SPEC,
        "source must be a URI": _URI.fullmatch(fields["source"]) is not None,
        "time must be a time with an offset (RFC 3339)": _fits(_TIME, fields.get("time")),
        "traceparent must be one of W3C's trace context": _fits(_TRACE, fields.get("traceparent")),
        "dataschema must be a URI": _fits(_URI, fields.get("dataschema")),
        "ttlMs must be a whole number above 0": type(ttl) is int and ttl > 0,
        "headers must be an object": isinstance(fields.get("headers", {}), Mapping),
    }
    return [told for told, fine in checks.items() if not fine]


def _fits(shape: re.Pattern[str], value: object) -> bool:
    return value is None or (isinstance(value, str) and shape.fullmatch(value) is not None)


def signature(secret: str, body: bytes, *, seconds: int) -> str:
    """The header that a receiver checks: `t=<unix time>,v1=<HMAC-SHA256 of "t.body", in hex>`."""
    signed = hmac.new(secret.encode(), b"%d.%s" % (seconds, body), hashlib.sha256)
    return f"t={seconds},v1={signed.hexdigest()}"


def why_no_address(url: str) -> str | None:
    """Why events cannot be sent to this address; None if they can. The address is not quoted."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "the webhook's address cannot be read; write https://HOST/PATH"
    if parts.scheme not in ("https", "http") or not host:
        return "the webhook's address must be https://HOST/PATH"
    if "@" in parts.netloc:
        return "the webhook's address must not hold a name or a password; the secret signs instead"
    if not url.isascii() or not url.isprintable() or " " in url:
        return "the webhook's address has characters that no address has; encode them"
    if parts.scheme == "http" and not _loopback(host):
        return "http is for this machine alone; write https://"
    return None


def _loopback(host: str) -> bool:
    return host in ("localhost", "::1") or _LOOPBACK.fullmatch(host) is not None
