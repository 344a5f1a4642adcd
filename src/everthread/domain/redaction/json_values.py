"""Redaction at every depth of a JSON value. What a provider sealed stays as it is, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from everthread.domain.conversation.contents import compact, listing, mapping

from .named_secrets import KINDS
from .secrets import marker, redact
from .values import Place, Value, is_secret, sort_of

OPAQUE = frozenset(
    {"signature", "thought_signature", "thoughtSignature", "encrypted_content", "encrypted_index"}
)
"""Fields that only the provider can read. One changed character, and it refuses the next turn."""

_DATA = frozenset({"data", "file_data"})
_DATA_OF = frozenset({"base64", "redacted_thinking", "reasoning.encrypted"})

# What a model hands to a tool is no block of the provider's, whatever its fields are called.
_GIVEN = frozenset({"input", "arguments"})


class Redactor:
    """Redacts texts and JSON values, and counts what it took out."""

    def __init__(self) -> None:
        self.count = 0

    def text(self, text: str) -> str:
        found = redact(text)
        self.count += found.count
        return found.text

    def value(self, value: object, *, sealed: bool = True) -> Any:
        """The value without secrets, at every depth; `sealed`: with the provider's own fields untouched."""
        if isinstance(value, str):
            return self.text(value)
        if (items := listing(value)) is not None:
            return [self.value(item, sealed=sealed) for item in items]
        if (fields := mapping(value)) is not None:
            return {k: self._field(fields, k, sealed) for k in fields}
        return value

    def column(self, text: str) -> str:
        """A text, or JSON as we write it: that stays JSON, and is searched field by field."""
        whole = _parse(text)
        if whole is None:
            return self.text(text)
        before = self.count
        clean = self.value(whole)
        return text if self.count == before else compact(clean)

    def _field(self, fields: Mapping[str, Any], key: str, sealed: bool) -> Any:  # noqa: FBT001 - inside, and on every field
        value = fields[key]
        if sealed and (key in OPAQUE or (key in _DATA and _is_data(fields))):
            return value
        sort = sort_of(key) if isinstance(value, str) else None
        if sort is not None and is_secret(sort, Value(value, Place.QUOTED)):
            self.count += 1
            return marker(KINDS[sort])
        return self.value(value, sealed=sealed and key not in _GIVEN)


def _is_data(fields: Mapping[str, Any]) -> bool:
    return fields.get("type") in _DATA_OF or "format" in fields or "file_data" in fields


def _parse(text: str) -> object:
    """What the text says as JSON, if it is just the JSON that we would write for it."""
    if text[:1] not in ("[", "{", '"'):
        return None
    try:
        value: object = json.loads(text)
    except ValueError:
        return None
    written = (compact(value), json.dumps(value, separators=(",", ":")))
    return value if text in written else None
