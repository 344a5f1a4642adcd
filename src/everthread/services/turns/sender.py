"""Who sent what a turn begins with, where its caller did not say."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.beats import (
    LONG,
    LOOKED_BACK,
    is_beat,
    mark_known_beat,
    may_be_beat,
)
from everthread.domain.conversation.messages import Draft
from everthread.ports import House


def with_sender(house: House, scope: Scope, thread: int, draft: Draft) -> Draft:
    """The draft, as the system's if a clock sent it; few messages are looked at, and no index."""
    draft = mark_known_beat(draft)
    if draft.origin != "user" or len(draft.content) < LONG or not may_be_beat(draft):
        return draft
    before = house.store.read(lambda r: r.messages.newest(scope, thread, limit=LOOKED_BACK))
    beat = is_beat(draft, before, at=house.clock.now())
    return draft._replace(origin="system") if beat else draft
