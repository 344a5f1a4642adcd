"""Meanwhile: what was said elsewhere in the project while a session rested that now goes on."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.recent_sessions import recent_block
from everthread.domain.given.start_memories import StartMemories
from everthread.domain.memory.memories import Memory
from everthread.ports import House, Records
from everthread.services.giving.recent_sessions import recent_sessions
from everthread.services.harness.give import MEANWHILE, GivenBlock, quoted_session

from .start_sections import Page, add_memories, memories_for, renumber_items

HEADING = "## Meanwhile in this project"

PARTS = 2
"""It may take so many times the room of a recovery: the summaries alone fill one, and what was said to hold
or has changed stands in the memories.
"""


def meanwhile_block(
    house: House, scope: Scope, session: Session, *, epoch: int, room: int, now: int
) -> GivenBlock | None:
    """What its context, which the harness still has, cannot know; None where there is nothing.

    Nothing is told again that this stretch of the context was given before.
    """
    since = session.last_activity_ms

    def work(records: Records) -> tuple[set[bytes], list[Session]]:
        held = records.injections.held(scope, session.ref, epoch=epoch)
        found = recent_sessions(house, records, scope, without=session.ref, now=now)
        return held, [s for s in found if s.last_activity_ms > since and s.key_id not in held]

    held, others = house.store.read(work)

    def new(memories: list[Memory]) -> list[Memory]:
        return [m for m in memories if m.updated_ms > since and m.key_id not in held]

    known = memories_for(house, scope, now)
    said = StartMemories(*(new(list(part)) for part in known))
    page = Page(max(0, min(PARTS * house.policy.recovery_chars, room)), said)
    text, told = recent_block(others, page.room, HEADING)
    items = [quoted_session(one) for one in told]
    page.add("recent", text, items, given=len(told), left=len(others) - len(told))
    add_memories(page, house)
    if not page.text:
        return None
    reason = f"resume: meanwhile {page.log_text}"
    return GivenBlock(page.text, MEANWHILE, renumber_items(page.items), reason)
