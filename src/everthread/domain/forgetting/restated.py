"""Which memories go with one that is forgotten, here and at other agents, and which are somebody else's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

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


class Statement:
    """What one agent is to forget, so that many of its memories can be held against it."""

    def __init__(self, gone: Sequence[Memory]) -> None:
        self._gone = [(one, {*one.sources}, marks_of(one.text)) for one in gone if one.text]

    def said_by(self, memory: Memory) -> Iterator[Memory]:
        """Those that the memory says too: drawn from the same message, in more or fewer words; or the
        very same, for the same readers."""
        sources = {*memory.sources}
        for one, drawn_from, marks in self._gone:
            of_one = not drawn_from.isdisjoint(sources)
            if not of_one and not (_read_alike(memory, one) and marks.may_be_echoed(memory.text)):
                continue
            likeness = alike(memory.text, one.text)
            if likeness == "same" or (of_one and likeness is not None):
                yield one


def _read_alike(one: Memory, other: Memory) -> bool:
    return one.reach == other.reach and (one.reach != "project" or one.project == other.project)


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
