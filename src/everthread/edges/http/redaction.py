"""Secrets go before an answer does. The names of our own fields say nothing about their values.

Inside what somebody else has shaped, such as a tool's input, a field that is called a password is one;
`session_key` of a checkpoint is not. So what the answer's type declares is looked at as text, and
whatever it leaves open is searched with its names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_args

import msgspec

from everthread.domain.redaction.json_values import Redactor

Shape = type[msgspec.Struct]


def redact_document(document: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """The document without secrets."""
    redactor, declared = Redactor(), _document_fields(shape)
    return {name: _value(redactor, value, declared.get(name)) for name, value in document.items()}


def _value(redactor: Redactor, value: Any, shape: Shape | None) -> Any:
    if shape is None or value is None:
        return redactor.value(value)
    if isinstance(value, list):
        return [redact_document(each, shape) for each in cast("list[Mapping[str, Any]]", value)]
    return redact_document(value, shape)


@cache
def _document_fields(shape: Shape) -> dict[str, Shape]:
    """The fields that hold documents of ours, or lists of them."""
    found = {field.name: _inner(field.type) for field in msgspec.structs.fields(shape)}
    return {name: inner for name, inner in found.items() if inner is not None}


def _inner(kind: Any) -> Shape | None:
    kinds = [kind, *get_args(kind)]
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, msgspec.Struct)), None)
