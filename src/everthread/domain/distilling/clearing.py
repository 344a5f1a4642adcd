"""Clearing: old tool results inside a long turn give way before its next request would pass the guard.

A tier of its own: nothing is summarized and nothing is hidden. Of each result that is cleared the two
ends stay, so every call keeps its answer; the newest results, which the model has not seen yet, stay
whole. Cleared is more than is needed at once: what comes before a cleared result is sent as it was, and
so the provider's cache has to begin anew only now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everthread.domain.conversation.messages import Message, results_in

from .shortening import CLEARED, shortened

ENOUGH = 0.6
"""Once the guard is reached, the request is brought down to this share of it."""

WHOLE = 3
"""Of what the model has seen, so many of the newest results stay whole while others will do."""

Weigh = Callable[[Message], int]


def cleared(message: Message) -> Message:
    """The message as a request shows it once it was cleared."""
    return shortened(message, limit=CLEARED)


def to_clear(
    own: Sequence[Message], known: frozenset[int], weigh: Weigh, *, size: int, limit: int
) -> dict[int, int]:
    """Which of the turn's messages to clear, by seq, and the tokens that it saves; oldest first.

    `known`: those that are cleared already. `size`: of the next request; `limit`: the guard; both as
    we count, like what is saved.
    """
    if size <= limit:
        return {}
    seen = _seen(own)
    found = [m for m in own[:seen] if m.seq not in known and m.form and any(results_in(m.blocks))]
    old, newer = found[:-WHOLE], found[-WHOLE:]
    chosen = _oldest(old, weigh, size - int(ENOUGH * limit))
    left = size - sum(chosen.values()) - limit
    return chosen | (_oldest(newer, weigh, left) if left > 0 else {})


def _seen(own: Sequence[Message]) -> int:
    """How many of the messages the model has seen: all before its last answer."""
    answers = [n for n, message in enumerate(own) if message.role == "assistant"]
    return answers[-1] if answers else 0


def _oldest(messages: Sequence[Message], weigh: Weigh, wanted: int) -> dict[int, int]:
    chosen: dict[int, int] = {}
    for message in messages:
        if wanted <= 0:
            break
        saved = message.tokens - weigh(cleared(message))
        if saved > 0:
            chosen[message.seq] = saved
            wanted -= saved
    return chosen
