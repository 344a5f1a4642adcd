"""Whether a picture or a document can be sent: no provider takes one without its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

LOOKED_AT = 256
"""So much of the content is looked at, from either end: it may be megabytes, and is sent each time."""

UNSHOWN = "(An attachment that cannot be shown here.)"
"""What a request says in place of one that its provider does not take."""

_ENCODED = re.compile(r"[A-Za-z0-9+/=_\s-]++")
_CARRIES = {"url": "url", "file": "file_id", "text": "data"}


def is_usable_source(source: Mapping[str, Any]) -> bool:
    """Does it name something that can be shown? Kinds that are new to us are taken as they are."""
    kind = source.get("type")
    if kind == "base64":
        return _is_text(source.get("media_type")) and is_encoded(source.get("data"))
    return _is_text(kind) and (kind not in _CARRIES or _is_text(source.get(_CARRIES[kind])))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value)


def is_encoded(data: object) -> bool:
    """Is it in base64, as far as one sees at a glance?"""
    if not isinstance(data, str) or not data.strip():
        return False
    return all(_ENCODED.fullmatch(part) for part in (data[:LOOKED_AT], data[-LOOKED_AT:]))
