"""What a person wrote into an agent's `MEMORY.md`, read where a session begins."""

from __future__ import annotations

import logging

from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.ports import House
from everthread.ports.workspace import Handwritten

log = logging.getLogger("everthread")


def opens_session(thread: Thread, draft: Draft, session: Session | None) -> bool:
    """Does a person begin a session with this message, in the agent's own thread?"""
    if thread.kind != "primary" or draft.origin != "user":
        return False
    return session is None or not session.message_count


def read_handwritten(house: House, agent: str) -> Handwritten | None:
    """It; None where there is nothing, or it cannot be read: the session begins without it."""
    if house.workspace is None:
        return None
    try:
        return house.workspace.handwritten(agent)
    except OSError as trouble:
        log.warning("MEMORY.md cannot be read: %s", trouble)
        return None
