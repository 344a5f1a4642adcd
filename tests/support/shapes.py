"""How the rules say what an object must look like: its fields, and which kinds may stand where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Found: TypeAlias = Iterator[str]

USER, ASSISTANT = frozenset({"user"}), frozenset({"assistant"})


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields one kind of object must and may have, and in whose messages it may stand."""

    required: Mapping[str, type] = field(default_factory=dict[str, type])
    optional: frozenset[str] = frozenset()
    roles: frozenset[str] = USER | ASSISTANT


def shape(roles: frozenset[str], optional: str = "", **required: type) -> Shape:
    return Shape(required, frozenset(optional.split()), roles)


def fields(value: object, shape: Shape, place: str, *, tag: str = "") -> Found:
    """Missing, mistyped and unknown fields."""
    if not isinstance(value, dict):
        yield f"{place}: Input should be an object"
        return
    prefix = f"{place}." if place else ""
    for name, kind in shape.required.items():
        if name not in value:
            yield f"{prefix}{name}: Field required"
        elif not isinstance(value[name], kind):
            yield f"{prefix}{name}: Input should be a valid {kind.__name__}"
    for name in value.keys() - shape.required.keys() - shape.optional - {tag}:
        yield f"{prefix}{name}: Extra inputs are not permitted"


def typed(value: object, shapes: Mapping[str, Shape], place: str, allowed: Sequence[str]) -> Found:
    """An object that names its own kind in `type`."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in allowed:
        expected = ", ".join(allowed)
        yield f"{place}: Input tag '{kind}' found using 'type', expected tags: {expected}"
        return
    yield from fields(value, shapes[kind], place, tag="type")
