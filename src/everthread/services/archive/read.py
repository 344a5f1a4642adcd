"""Read what was said: the newest that fit."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.ports import Records

FIRST_PAGE = 64
LONGEST_PAGE = 1_024


def newest_within(
    records: Records, scope: Scope, thread: int, *, tokens: int, limit: int
) -> list[Message]:
    """The newest whole messages that fit into the tokens, oldest of them first."""
    taken: list[Message] = []
    left, size = tokens, FIRST_PAGE
    before: tuple[int, int] | None = None
    live: int | None = None
    while len(taken) < limit:
        page = records.messages.newest(
            scope, thread, limit=min(size, limit - len(taken)), before=before, live=live
        )
        for message in reversed(page):
            if message.tokens > left:
                return taken[::-1]
            left -= message.tokens
            taken.append(message)
        if not page:
            break
        # A live one stands no later than what was said after it, whatever a clock told.
        times = [message.at_ms for message in page]
        before = (min(times if before is None else [before[0], *times]), page[0].seq)
        live = min((m.seq for m in page if not m.archived), default=live)
        size = min(size * 2, LONGEST_PAGE)
    return taken[::-1]
