"""Are the blocks of a reply whole?

What a provider sends is taken as it is, also of a kind that is newer than this code. What somebody put
together by hand is looked at: a block that lacks something would be sent on with every later request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from everthread.domain.errors import BlockInvalid

from .block_kinds import check_kind
from .messages import Block


def check_blocks(response: object, blocks: Iterable[Block]) -> None:
    """Refuse what no provider would understand, and say what to hand over in its place."""
    if _is_from_provider(response):
        return
    for block in blocks:
        _check(block)


def _is_from_provider(response: object) -> bool:
    """Is it a response of an SDK, or its JSON? That says of itself that it is a message."""
    if isinstance(response, Mapping):
        given = cast("Mapping[str, object]", response)
        return "choices" in given or given.get("type") == "message"
    if isinstance(response, list | tuple):
        return any(map(_is_from_provider, cast("Iterable[object]", response)))
    return hasattr(response, "model_dump")


def _check(block: Block) -> None:
    if block["type"] == "tool_result":
        raise BlockInvalid("a tool's answer is no part of a reply; give it with tool_result()")
    check_kind(block)
