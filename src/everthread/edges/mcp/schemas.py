"""The parts of which the catalogue's schemas are made. Plain data: the bridge shares it."""

from __future__ import annotations

from typing import Any

LONGEST_DIGEST = 8_000
LONGEST_TEXT = 8_000
LONGEST_QUERY = 2_000
LONGEST_LINE = 1_000
LONGEST_NAME = 200
MOST_LINES = 50

Schema = dict[str, Any]


def text(about: str, longest: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": about}


def lines(about: str, most: int = MOST_LINES) -> Schema:
    item = {"type": "string", "minLength": 1, "maxLength": LONGEST_LINE}
    return {"type": "array", "items": item, "maxItems": most, "description": about}


def count(about: str, most: int, usual: int, *, least: int = 1) -> Schema:
    return {
        "type": "integer",
        "minimum": least,
        "maximum": most,
        "default": usual,
        "description": about,
    }


def among(about: str, names: tuple[str, ...], usual: str | None = None) -> Schema:
    default = {} if usual is None else {"default": usual}
    return {"type": "string", "enum": list(names), **default, "description": about}


def takes(required: tuple[str, ...], **properties: Schema) -> Schema:
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def hints(title: str, *, reads: bool = False, destroys: bool = False, again: bool = False) -> Any:
    return {
        "title": title,
        "readOnlyHint": reads,
        "destructiveHint": destroys,
        "idempotentHint": again or reads,
        "openWorldHint": False,
    }
