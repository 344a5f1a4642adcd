"""Which values a field takes that takes only a few, for who chose another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .inputs import Asked

_PLACE = re.compile(r" - at `\$([^`]+)`$")
_STEPS = re.compile(r"\.([^.\[]+)|\[[^\]]*\]")


def allowed_values(complaint: str, asks: type[Asked]) -> str:
    """The values that may stand where the complaint points to, as the end of its sentence."""
    from msgspec import inspect  # noqa: PLC0415 - only where something is wrong

    place = _PLACE.search(complaint)
    if place is None:
        return ""
    found: list[Any] = [inspect.type_info(asks)]
    for name in _STEPS.findall(place[1]):
        found = [inner for each in found for inner in _inner_types(each, name)]
    values = [value for each in found for value in _literals(each)]
    return f"; it takes {', '.join(map(str, values))}" if values else ""


def _inner_types(kind: Any, name: str) -> Iterator[Any]:
    """The types of a field, or of what a list or a dict holds."""
    for each in getattr(kind, "types", (kind,)):
        for field in getattr(each, "fields", ()):
            if field.encode_name == name:
                yield field.type
        if not name:
            yield from (t for t in (getattr(each, "item_type", None),) if t is not None)


def _literals(kind: Any) -> Iterator[object]:
    for each in getattr(kind, "types", (kind,)):
        yield from getattr(each, "values", ())
