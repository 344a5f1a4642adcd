"""Ids are UUIDv7: sixteen bytes in the store, the usual text for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .errors import BadInput

_HEX = re.compile(r"[0-9a-f]{4,32}")


def id_text(raw: bytes) -> str:
    """`018f…` with the usual dashes."""
    h = raw.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def id_bytes(text: str) -> bytes:
    """The sixteen bytes behind an id's text."""
    try:
        raw = bytes.fromhex(text.replace("-", ""))
    except ValueError as wrong:
        raise BadInput(f"{text!r} is not an id") from wrong
    if len(raw) != 16:  # noqa: PLR2004 - the length of a UUID
        raise BadInput(f"{text!r} is not an id: an id has 32 hexadecimal digits")
    return raw


def id_ending(text: str) -> str | None:
    """The hexadecimal digits by which an id may be named from its end; None if it has others."""
    digits = text.lower().replace("-", "")
    return digits if _HEX.fullmatch(digits) else None


def short(raw: bytes) -> str:
    """The last eight digits: enough to name a row by hand."""
    return raw.hex()[-8:]


def with_ending(ids: Iterable[bytes], ending: str) -> Sequence[bytes]:
    """Those ids that end so."""
    return [raw for raw in ids if raw.hex().endswith(ending)]
