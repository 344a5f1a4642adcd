"""Hold the arguments of a call against its tool's schema; say what is wrong so that a model can mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from everthread.domain.errors import BadInput

TYPES: Mapping[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "array": (list, "a list"),
    "boolean": (bool, "true or false"),
    "object": (dict, "an object with named fields"),
}

MOST_NAMES = 50


def check_arguments(schema: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """The arguments, with defaults where something was left out; null is the same as left out."""
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise BadInput("the arguments must be an object with named fields")
    fields: Mapping[str, Mapping[str, Any]] = schema["properties"]
    named = cast("Mapping[object, object]", arguments)
    given = {str(name): value for name, value in named.items() if value is not None}
    for name in given:
        if name not in fields:
            raise BadInput(f"there is no argument {name[:40]!r}; it takes {', '.join(fields)}")
    for name in cast("Sequence[str]", schema.get("required", ())):
        if name not in given:
            raise BadInput(f"{name!r} is missing: {fields[name]['description']}")
    values = {name: _value(name, fields[name], value) for name, value in given.items()}
    usual = {name: field["default"] for name, field in fields.items() if "default" in field}
    return {**usual, **values}


def _value(name: str, field: Mapping[str, Any], value: object) -> object:
    kind, called = TYPES[field["type"]]
    if kind is int and isinstance(value, str) and value.strip().isdecimal():
        value = int(value)  # models write numbers as texts now and then
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        raise BadInput(f"{name!r} must be {called}; got {type(value).__name__}")
    if isinstance(value, str):
        return _text(name, field, value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _number(name, field, value)
    if isinstance(value, dict):
        return _object(name, field, cast("dict[object, object]", value))
    items = cast("list[object]", value)
    if len(items) > field["maxItems"]:
        raise BadInput(f"{name!r} holds at most {field['maxItems']} entries; got {len(items)}")
    return [_value(f"{name}[{n}]", field["items"], item) for n, item in enumerate(items)]


def _object(name: str, field: Mapping[str, Any], value: dict[object, object]) -> dict[str, Any]:
    if "properties" in field:
        return check_arguments(field, value)
    if len(value) > MOST_NAMES:
        raise BadInput(f"{name!r} holds at most {MOST_NAMES} names; got {len(value)}")
    each: Mapping[str, Any] = field["additionalProperties"]
    return {str(key): _value(f"{name}.{key!s:.40}", each, one) for key, one in value.items()}


def _text(name: str, field: Mapping[str, Any], value: str) -> str:
    if "enum" in field and value not in field["enum"]:
        raise BadInput(f"{name!r} must be one of {', '.join(field['enum'])}; got {value[:40]!r}")
    most = field.get("maxLength", len(value))
    if len(value) > most:
        raise BadInput(f"{name!r} has at most {most:,} characters; got {len(value):,}: shorten it")
    if not value.strip():
        raise BadInput(f"{name!r} is empty; leave it out or say something")
    return value


def _number(name: str, field: Mapping[str, Any], value: int) -> int:
    least, most = field["minimum"], field["maximum"]
    if not least <= value <= most:
        raise BadInput(f"{name!r} must be from {least} to {most}; got {value}")
    return value
