"""When a memory was said. It is kept later, at a distillation, and quotes words like "tomorrow"."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.memory.memories import Memory
from everthread.ports import Records
from everthread.services.archive.sources import message_of


def sources_of(records: Records, scope: Scope, memory: Memory) -> list[Message]:
    """The messages that it came from, as far as they are there."""
    found = (message_of(records, scope, key) for key in memory.sources)
    return [message for message in found if message is not None]


def said_at(memory: Memory, sources: Sequence[Message]) -> int:
    """When the last of its messages was said; of one that rests on none, when it was last kept."""
    return max((message.at_ms for message in sources), default=memory.updated_ms)
