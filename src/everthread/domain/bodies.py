"""Large contents are stored once, by hash, apart from the message that holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .contents import mapping
from .messages import PRIVATE, Form

BODY = "body"


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
        text = _dumped(block)
        # A block that came with our own key would be taken for a reference; inside a body it is not.
        if len(text.encode()) <= limit and not _hash_in(block):
            kept.append(block)
            continue
        body = body_of(text)
        bodies.append(body)
        kept.append({"type": block.get("type"), PRIVATE: {BODY: body.hash.hex()}})
    if not bodies:
        return Form.BLOCKS, content, []
    return Form.BLOCK_BODIES, _dumped(kept), bodies


def _dumped(value: object) -> str:
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
    if form == Form.BLOCK_BODIES:
        return [bytes.fromhex(h) for b in json.loads(content) if (h := _hash_in(b))]
    return []


def whole(form: int, content: str, body: Callable[[bytes], str]) -> tuple[int, str]:
    """Form and content as they were before the split."""
    if form == Form.TEXT_BODY:
        return Form.TEXT, body(bytes.fromhex(content))
    if form == Form.BLOCK_BODIES:
        return Form.BLOCKS, "[" + ",".join(_parts(json.loads(content), body)) + "]"
    return form, content


def _parts(blocks: Iterable[Mapping[str, Any]], body: Callable[[bytes], str]) -> Iterable[str]:
    for block in blocks:
        held = _hash_in(block)
        yield body(bytes.fromhex(held)) if held else _dumped(block)


def _hash_in(block: Mapping[str, Any]) -> str | None:
    # The key may also be in what someone else wrote, with anything behind it.
    return (mapping(block.get(PRIVATE)) or {}).get(BODY)
