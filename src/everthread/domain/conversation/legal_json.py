"""JSON that every client and every program can read.

Python writes the numbers that JSON does not have (NaN, Infinity) into it as bare words, and others refuse
the whole text for one of them. Here they are their names, as texts.
"""

from __future__ import annotations

import json
from typing import Any

_read_names = json.JSONDecoder(parse_constant=str).decode


def read_json(text: str) -> Any:
    """The value of what is stored, which may be from before such numbers were named."""
    return _read_names(text)


def write_json(value: object, *, in_ascii: bool, indent: int | None = None) -> str:
    """The value as JSON, compact unless it is indented.

    It raises as `json.dumps` does, for what is no JSON at all.
    """
    separators = (",", ":") if indent is None else None
    shape: Any = {"ensure_ascii": in_ascii, "separators": separators, "indent": indent}
    try:
        return json.dumps(value, **shape, allow_nan=False)
    except ValueError:
        # Hardly ever: to look through every value beforehand would take longer than to write it.
        return json.dumps(read_json(json.dumps(value)), **shape, allow_nan=False)
