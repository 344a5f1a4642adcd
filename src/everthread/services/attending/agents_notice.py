"""Hear: what other agents sent, as one notice beside a prompt in a harness."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.exchanges.notices import HEARD, HEARD_TOKENS, notice_parts
from everthread.domain.given.context import SectionRequest, allocate, frame_block, frame_tokens
from everthread.domain.given.injections import GivenItem
from everthread.ports import House
from everthread.services.harness.give import TOLD, GivenBlock


def notice_of(house: House, found: Sequence[Exchange]) -> GivenBlock | None:
    """Of what waits for the agent, as much as finds room; the rest comes with the prompts after."""
    if not found:
        return None
    count = house.tokenizer.count
    frame = frame_tokens(count)
    parts = notice_parts(found, count=count, most=HEARD_TOKENS)
    wanted = [SectionRequest(HEARD, parts, HEARD_TOKENS)]
    placed = allocate(wanted, HEARD_TOKENS + frame, frame=frame)
    items = [GivenItem(rank, p.kind, p.ref, p.score, p.why) for rank, _, p in placed.placed]
    if not items:
        return None
    told = [item.ref for item in items]
    return GivenBlock(frame_block(placed), TOLD, items, f"told of {len(told)} messages", heard=told)
