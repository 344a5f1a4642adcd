"""Hear: what other agents sent, as one notice beside a prompt in a harness."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.exchanges.heard import HEARD, HEARD_TOKENS, heard_parts
from everthread.domain.given.context import Wanted, allocate, frame_tokens, framed
from everthread.domain.given.injections import Given
from everthread.ports import House
from everthread.services.harness.giving import TOLD, Begun


def notice_of(house: House, found: Sequence[Exchange]) -> Begun | None:
    """Of what waits for the agent, as much as finds room; the rest comes with the prompts after."""
    if not found:
        return None
    count = house.tokenizer.count
    frame = frame_tokens(count)
    parts = heard_parts(found, count=count, most=HEARD_TOKENS)
    wanted = [Wanted(HEARD, parts, HEARD_TOKENS)]
    placed = allocate(wanted, HEARD_TOKENS + frame, frame=frame)
    items = [Given(rank, p.kind, p.ref, p.score, p.why) for rank, _, p in placed.placed]
    if not items:
        return None
    told = [item.ref for item in items]
    return Begun(framed(placed), TOLD, items, f"told of {len(told)} messages", heard=told)
