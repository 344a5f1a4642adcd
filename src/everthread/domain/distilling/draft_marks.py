"""The marks by which a model's answer names what it was shown: `m12`, `s3`, `k2`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, cast

from everthread.domain.conversation.messages import Origin
from everthread.domain.gleaning.digest import Point
from everthread.domain.text.patterns import lazy_pattern

MOST_READ = 48
"""Marks that are looked at in one place of an answer."""

_MARK = lazy_pattern(r"(?:\b([a-z]))?\s*(\d{1,9})", re.IGNORECASE)
_MESSAGE = "m"


class Citable(NamedTuple):
    """What a statement may rest on: a message that was shown, or a point that stands already."""

    keys: tuple[bytes, ...]
    by: Origin
    at_ms: int
    text: str
    point: Point | None = None
    name: str = ""
    """What the person is called who said it, where that is known."""


def marks_in(value: object) -> list[str]:
    """The marks of a text, a number or a list of them, each once; a bare number means a message."""
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    marks: dict[str, None] = {}
    for item in items[:MOST_READ]:
        if isinstance(item, bool) or not isinstance(item, int | str):
            continue
        for letter, number in _MARK.findall(str(item)[:80]):
            marks[f"{letter.lower() or _MESSAGE}{int(number)}"] = None
    return [*marks]


def cited_marks(value: object, citable: Mapping[str, Citable]) -> list[str]:
    """Those of the marks that exist."""
    return [mark for mark in marks_in(value) if mark in citable]
