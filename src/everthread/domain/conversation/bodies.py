"""Large contents are stored once, by hash, apart from the message that holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .contents import mapping
from .messages import PRIVATE, Form

BODY = "body"

MISREAD = (ValueError, TypeError, KeyError, AttributeError)
"""What reading a stored content can raise that was changed behind our back."""


class Body(NamedTuple):
    hash: bytes
    content: str


def body_of(content: str) -> Body:
    return Body(hashlib.sha256(content.encode()).digest(), content)


def split(form: int, content: str, *, limit: int) -> tuple[int, str, list[Body]]:
    """Form and content as they are stored, and the bodies that moved out of them."""
    if len(content) <= limit and len(content.encode()) <= limit:
        return form, content, []
    if form == Form.TEXT:
        body = body_of(content)
        return Form.TEXT_BODY, body.hash.hex(), [body]
    return _split_blocks(content, limit)


def _split_blocks(content: str, limit: int) -> tuple[int, str, list[Body]]:
    kept: list[object] = []
    bodies: list[Body] = []
    for block in json.loads(content):
        # A block that came with our own key would be taken for a reference; inside a body it is not.
        if _fits(block, limit) and not _reference(block):
            kept.append(block)
            continue
        slim, moved = _split_block(block, limit)
        kept.append(slim)
        bodies += moved
    if not bodies:
        return Form.BLOCKS, content, []
    return Form.BLOCK_BODIES, _as_json(kept), bodies


def _split_block(block: dict[str, Any], limit: int) -> tuple[dict[str, Any], list[Body]]:
    """The block without its large fields: the same page read by two calls is one body."""
    large = {k: body_of(_as_json(v)) for k, v in block.items() if not _fits(v, limit)}
    if large and PRIVATE not in block:
        slim = {k: None if k in large else v for k, v in block.items()}
        names = {k: body.hash.hex() for k, body in large.items()}
        return {**slim, PRIVATE: {BODY: names}}, [*large.values()]
    whole_block = body_of(_as_json(block))
    reference = {PRIVATE: {BODY: whole_block.hash.hex()}}
    return {"type": block.get("type"), **reference}, [whole_block]


def _fits(value: object, limit: int) -> bool:
    return len(_as_json(value).encode()) <= limit


def _as_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text


def hashes_in(form: int, content: str) -> list[bytes]:
    """The bodies that a stored content needs to be whole again."""
    if form == Form.TEXT_BODY:
        return [bytes.fromhex(content)]
    if form != Form.BLOCK_BODIES:
        return []
    found: list[bytes] = []
    for reference in map(_reference, json.loads(content)):
        names = [reference] if isinstance(reference, str) else [*(reference or {}).values()]
        found += map(bytes.fromhex, names)
    return found


def readable_hashes(form: int, content: str) -> list[bytes]:
    """The same, of a content that may be damaged: none where it cannot be read."""
    try:
        return hashes_in(form, content)
    except MISREAD:
        return []


def field_bodies(block: Mapping[str, Any]) -> list[tuple[str, bytes]]:
    """(field, hash) of the fields of a stored block that lie in bodies."""
    reference = _reference(block)
    named = reference if isinstance(reference, dict) else {}
    return [(name, bytes.fromhex(value)) for name, value in named.items()]


def fill_bodies(form: int, content: str, body: Callable[[bytes], str]) -> tuple[int, str]:
    """Form and content as they were before the split."""
    if form == Form.TEXT_BODY:
        return Form.TEXT, body(bytes.fromhex(content))
    if form != Form.BLOCK_BODIES:
        return form, content
    blocks = (_fill_block(block, body) for block in json.loads(content))
    return Form.BLOCKS, f"[{','.join(blocks)}]"


def _fill_block(block: Mapping[str, Any], body: Callable[[bytes], str]) -> str:
    reference = _reference(block)
    if reference is None:
        return _as_json(block)
    if isinstance(reference, str):
        return body(bytes.fromhex(reference))
    parts = (
        f"{_as_json(k)}:{body(bytes.fromhex(reference[k])) if k in reference else _as_json(v)}"
        for k, v in block.items()
        if k != PRIVATE
    )
    return f"{{{','.join(parts)}}}"


def _reference(block: Mapping[str, Any]) -> str | dict[str, str] | None:
    """The hash of the body that the block is, or of each field that lies in a body."""
    # The key may also be in what someone else wrote, with anything behind it.
    return (mapping(block.get(PRIVATE)) or {}).get(BODY)
