"""Clearing: tool results inside a long turn give way before its next request would pass the guard.

A tier of its own: nothing is summarized and nothing is hidden. Of each result that is cleared the two
ends stay, so every call keeps its answer. Old ones go first, and few characters of them stay; cleared is
more than is needed at once: what comes before a cleared result is sent as it was, and so the provider's
cache has to begin anew only now and then. The newest results, which the model has not seen yet, stay
whole where that is possible at all; where it is not, as much of the largest stays as there is room for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.flow import text_and_rest
from everthread.domain.conversation.messages import Message, results_in

from .shortening import CLEARED, shorten_message

ENOUGH = 0.6
"""Once the guard is reached, the request is brought down to this share of it."""

WHOLE = 3
"""Of what the model has seen, so many of the newest results stay whole while others will do."""

CLOSER = 0.9
"""Where a cut is still too long, it is tried with this share of it."""

Weigh = Callable[[Message], int]


class Cut(NamedTuple):
    """How a result is shown once it was cleared."""

    saved: int
    """The tokens that this saves, all in all."""
    kept: int | None = None
    """So many characters of it stay; None: as many as of every old one."""


def clear_message(message: Message, kept: int | None = None) -> Message:
    """The message as a request shows it once it was cleared."""
    return shorten_message(message, limit=CLEARED if kept is None else kept)


def messages_to_clear(
    own: Sequence[Message], known: Mapping[int, Cut], weigh: Weigh, *, size: int, limit: int
) -> dict[int, Cut]:
    """Which of the turn's messages to clear, by seq, and how; oldest first.

    `known`: those that are cleared already. `size`: of the next request; `limit`: the guard; both as
    we count, like what is saved.
    """
    if size <= limit:
        return {}
    seen = _count_seen(own)
    open_to = [m for m in own if m.form and _may_go(known.get(m.seq)) and any(results_in(m.blocks))]
    found = [m for m in open_to if m.seq < own[seen].seq]
    old, newer = found[:-WHOLE], found[-WHOLE:]
    chosen = _clear_oldest(old, known, weigh, size - int(ENOUGH * limit))
    left = size - _extra_saving(chosen, known) - limit
    if left > 0:
        chosen |= _clear_oldest(newer, known, weigh, left)
        left = size - _extra_saving(chosen, known) - limit
    if left > 0:
        fresh = [m for m in open_to if m.seq > own[seen].seq and m.seq not in known]
        chosen |= _cut_largest(fresh, weigh, left)
    return chosen


def _may_go(cut: Cut | None) -> bool:
    """What was cut only to fit is cleared like the others once the model has seen it."""
    return cut is None or cut.kept is not None


def _count_seen(own: Sequence[Message]) -> int:
    """How many of the messages the model has seen: all before its last answer."""
    answers = [n for n, message in enumerate(own) if message.role == "assistant"]
    return answers[-1] if answers else 0


def _extra_saving(chosen: Mapping[int, Cut], known: Mapping[int, Cut]) -> int:
    """What is saved beyond what was saved before."""
    return sum(cut.saved - known.get(seq, Cut(0)).saved for seq, cut in chosen.items())


def _clear_oldest(
    messages: Sequence[Message], known: Mapping[int, Cut], weigh: Weigh, wanted: int
) -> dict[int, Cut]:
    chosen: dict[int, Cut] = {}
    for message in messages:
        if wanted <= 0:
            break
        cut = Cut(message.tokens - weigh(clear_message(message)))
        more = cut.saved - known.get(message.seq, Cut(0)).saved
        if more > 0:
            chosen[message.seq] = cut
            wanted -= more
    return chosen


def _cut_largest(fresh: Sequence[Message], weigh: Weigh, wanted: int) -> dict[int, Cut]:
    """The largest cut to one size, such that all of them fit."""
    room = sum(message.tokens for message in fresh) - wanted
    level = _level([message.tokens for message in fresh], room)
    found = ((m.seq, _down_to(m, level, weigh)) for m in fresh if m.tokens > level)
    return {seq: cut for seq, cut in found if cut.saved > 0}


def _level(sizes: Sequence[int], room: int) -> int:
    """How large each may be, for all to have room together; smaller ones leave theirs to the others."""
    rest = max(room, 0)
    for n, size in enumerate(sorted(sizes)):
        share = rest // (len(sizes) - n)
        if size > share:
            return share
        rest -= size
    return max(sizes, default=0)


def _down_to(message: Message, level: int, weigh: Weigh) -> Cut:
    said = sum(len(text_and_rest(result)[0]) for result in results_in(message.blocks))
    kept = said * level // max(message.tokens, 1)
    while kept > CLEARED:
        left = weigh(clear_message(message, kept))
        if left <= level:
            return Cut(message.tokens - left, kept)
        kept = int(kept * CLOSER)
    return Cut(message.tokens - weigh(clear_message(message)))
