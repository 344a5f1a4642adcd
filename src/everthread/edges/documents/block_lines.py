"""A message's blocks as people and models read them: words as they are, calls and results in a line.

A message of nothing but calls, results or thoughts has no text of its own; shown by that it would be blank.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from everthread.domain.conversation.block_kinds import THOUGHTS
from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import WORDS, Block

Cut = Callable[[str], str]


def lines_of(blocks: Sequence[Block], cut: Cut) -> str:
    """All of it; calls and results are `cut` to a line."""
    return "\n".join(filter(None, (block_line(block, cut) for block in blocks)))


def only_thinks(blocks: Sequence[Block]) -> bool:
    """Does it say and do nothing that anybody could see?"""
    return all(block.get("type") in THOUGHTS for block in blocks)


def block_line(block: Block, cut: Cut) -> str:
    kind = str(block.get("type"))
    if kind in WORDS:
        return str(block.get("text") or "")
    if kind.endswith("tool_use"):
        return (
            f"[calls {block.get('name')} {cut(json.dumps(block.get('input'), ensure_ascii=False))}]"
        )
    if kind.endswith("tool_result"):
        failed = "failed: " if block.get("is_error") is True else ""
        return f"[result: {failed}{cut(result_text(block.get('content'))) or 'nothing'}]"
    return f"[{kind}]"


def result_text(content: object) -> str:
    """What a tool gave back: its words, and for anything else what that is."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = listing(content)
    if parts is None:
        return json.dumps(content, ensure_ascii=False)
    return "\n".join(_part_text(part) for part in parts)


def _part_text(part: object) -> str:
    block = mapping(part)
    if block is None:
        return json.dumps(part, ensure_ascii=False)
    return str(block["text"]) if isinstance(block.get("text"), str) else f"[{block.get('type')}]"
