"""Old tool output in the view, cut to its two ends. What is stored stays whole."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from everthread.domain.conversation.contents import listing, mapping, text_block
from everthread.domain.conversation.messages import BLOCKS, Block, Form, Message, content_column
from everthread.domain.text.patterns import lazy_pattern

SHORT = 2_000
"""Characters of a tool's result that the view shows of an old one."""

CLEARED = 300
"""Characters of one that was cleared inside a long turn."""

HEAD = 0.7
"""Of these, so much is its beginning: the end matters too, there commands sum up and fail."""

NOTICE = 80
"""Characters of the line that says what was cut."""

AT_LINE = 0.8
"""A cut moves to the end of a line if that keeps at least so much."""

IMAGE = "[… an image cut by Everthread; recall brings it back]"

_CUT = lazy_pattern(r"^\[… [\d,]+ characters cut by Everthread; recall brings them back\]$", re.M)
_JOINS = "\u200d"
_CLINGS = frozenset({"Mn", "Mc", "Me", "Sk"})


def shorten_message(message: Message, *, limit: int) -> Message:
    """The message with every longer tool result cut; the same message where nothing is to cut.

    Ids, names and `is_error` stay as they were, so the result still belongs to its call.
    """
    if message.form == Form.TEXT:
        return message
    blocks = message.blocks
    cut = [_block(block, limit) for block in blocks]
    if all(new is old for new, old in zip(cut, blocks, strict=True)):
        return message
    form, content = content_column(cut)
    return message._replace(form=BLOCKS if form == BLOCKS else form, content=content)


def _block(block: Block, limit: int) -> Block:
    if block.get("type") != "tool_result":
        return block
    content = block.get("content")
    if isinstance(content, str):
        short: Any = cut_text(content, limit)
    else:
        parts = listing(content)
        short = content if parts is None else _parts(parts, limit)
    return block if short is content else {**block, "content": short}


def _parts(parts: list[Any], limit: int) -> list[Any]:
    """Texts are cut together, as one; an image gives way to a line."""
    seen = [_replace_image(part, limit) for part in parts]
    texts = [str(b["text"]) for part in seen if (b := _text_part(part)) is not None]
    whole = "\n".join(texts)
    short = cut_text(whole, limit)
    if short is whole:
        return parts if all(a is b for a, b in zip(seen, parts, strict=True)) else seen
    others = [part for part in seen if _text_part(part) is None]
    return [text_block(short), *others]


def _text_part(part: object) -> Block | None:
    block = mapping(part)
    return block if block is not None and isinstance(block.get("text"), str) else None


def _replace_image(part: object, limit: int) -> object:
    block = mapping(part)
    if block is None or block.get("type") not in ("image", "image_url"):
        return part
    source = mapping(block.get("source")) or mapping(block.get("image_url")) or {}
    data = source.get("data") or source.get("url") or ""
    return text_block(IMAGE) if len(str(data)) > limit else part


def cut_text(text: str, limit: int) -> str:
    """Both ends of a text, and a line between them that says how much is missing."""
    if len(text) <= limit or (len(text) <= limit + NOTICE and _CUT.search(text)):
        return text
    ends = ends_of(text, limit - NOTICE)
    if ends is None:
        return text
    head, tail = ends
    gone = len(text) - len(head) - len(tail)
    told = f"[… {gone:,} characters cut by Everthread; recall brings them back]"
    return "\n".join(part for part in (head.removesuffix("\n"), told, tail) if part)


def ends_of(text: str, limit: int) -> tuple[str, str] | None:
    """The beginning and the end of a longer text, so many characters together; None of a shorter one."""
    room = max(limit, 0)
    if len(text) <= room:
        return None
    end = _head_end(text, int(room * HEAD))
    start = _tail_start(text, len(text) - (room - int(room * HEAD)))
    return None if start <= end else (text[:end], text[start:])


def _head_end(text: str, at: int) -> int:
    """The end of the head: after a line, or else not inside a sign that takes several characters."""
    line = text.rfind("\n", 0, at) + 1
    if line >= AT_LINE * at:
        return line
    while at > 0 and _clings(text, at):
        at -= 1
    return at


def _tail_start(text: str, at: int) -> int:
    """The start of the tail."""
    line = text.find("\n", at) + 1
    if 0 < line <= at + (1 - AT_LINE) * (len(text) - at):
        return line
    while at < len(text) and _clings(text, at):
        at += 1
    return at


def _clings(text: str, at: int) -> bool:
    """Does the character there belong to the one before: an accent, a joined emoji, half of a pair?"""
    if at >= len(text):
        return False
    here, before = text[at], text[at - 1]
    return (
        _JOINS in (here, before)
        or unicodedata.category(here) in _CLINGS
        or "\ufe00" <= here <= "\ufe0f"
        or "\udc00" <= here <= "\udfff"
    )
