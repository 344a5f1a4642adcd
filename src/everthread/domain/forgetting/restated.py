"""Which memories of other agents go with one that reached them all, and which are somebody else's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.memory.memories import Memory, owner, sources_text
from everthread.domain.text.sayings import alike

from .marks import marks_of


class Restated:
    """What goes, so that many memories can be held against it."""

    def __init__(self, gone: Sequence[Memory]) -> None:
        self._gone = [(one.principal, one.text, marks_of(one.text)) for one in gone if one.text]

    def persons(self, memory: Memory) -> set[str | None]:
        """Of whom the same statement goes. A longer one says more, which nobody asked to forget."""
        return {
            principal
            for principal, text, marks in self._gone
            if marks.may_be_echoed(memory.text) and alike(memory.text, text) == "same"
        }


def going(
    memory: Memory, said: Mapping[bytes, Message], persons: Collection[str | None]
) -> Memory | None:
    """The memory as it goes, if it is of one of these persons: without what others said among its sources.

    `said`: those of its sources that are still there. They tell whose it is where that was not put down.
    """
    whose = memory.principal or owner(message.principal for message in said.values())
    if whose not in persons:
        return None
    theirs = {key for key, message in said.items() if of_another(message, whose)}
    left = [key for key in memory.sources if key not in theirs]
    return memory._replace(sources_json=sources_text(left)) if theirs else memory


def of_another(message: Message, principal: str | None) -> bool:
    """Was it said by or to another person than that one? What has no person is for all of them."""
    return message.principal not in (None, principal)
