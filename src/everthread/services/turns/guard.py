"""The guard: how much a request may hold at most, and what is said to one that would hold more."""

from __future__ import annotations

import logging

from everthread.domain.agents import AgentRow
from everthread.domain.conversation.threads import Thread
from everthread.domain.errors import ContextFull
from everthread.ports import House
from everthread.services.archive.measure import calibration_of

log = logging.getLogger("everthread")


def is_too_long_alone(house: House, agent: AgentRow, tokens: int) -> bool:
    """Would it pass the guard in an empty thread, too? Then nothing that is distilled makes room for it."""
    size = house.store.read(lambda r: calibration_of(r, agent)).apply(tokens)
    return size > house.policy.guard(agent.window)


def check_guard(house: House, agent: AgentRow, thread: Thread, size: int, alone: int) -> None:
    """Refuse what holds too much. `alone`: what the request would hold in an empty thread."""
    limit = house.policy.guard(agent.window)
    if size > limit:
        if thread.kind == "ephemeral":
            # Made for one task: one that fills a window is a mistake of whoever made it.
            log.error("ephemeral thread %s grew to %s tokens: a bug", thread.key, f"{size:,}")
        guard = f"({house.policy.guard_percent} % of a window of {agent.window:,})"
        if alone > limit:
            raise ContextFull(
                f"this message with the system prompt and the tools holds {alone:,} tokens; the guard of "
                f"thread {thread.key!r} is {limit:,} {guard}. Nothing was stored, and nothing distilled: "
                "no room that could be made would be enough. Shorten the message, give it in parts, or "
                "raise the agent's window"
            )
        room = "Old messages were distilled as far as that goes"
        if thread.kind == "ephemeral":
            room = "An ephemeral thread is never distilled"
        raise ContextFull(
            f"the request would hold {size:,} tokens; the guard of thread {thread.key!r} is {limit:,} "
            f"{guard}. Nothing was stored. {room}. "
            "Shorten the message, raise the agent's window, or use a new thread"
        )
