"""Which memories go with one that is forgotten, here and at other agents, and which are somebody else's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.memory.memories import Memory, owner_of, sources_text
from everthread.domain.text.sayings import is_echoed, likeness_of

from .marks import MarkedTexts


class Restatements:
    """What goes, so that many memories can be held against it."""

    def __init__(self, gone: Sequence[Memory]) -> None:
        self._gone = [(one.principal, one.text) for one in gone if one.text]
        self._marked = MarkedTexts([text for _, text in self._gone])

    def persons(self, memory: Memory) -> set[str | None]:
        """Of whom the same statement goes. A longer one says more, which nobody asked to forget."""
        near = (self._gone[n] for n in self._marked.echoed_by(memory.text))
        return {
            principal
            for principal, text in near
            if likeness_of(memory.text, text, cased=False) == "same"
        }


class Statement:
    """What one agent is to forget, so that many of its memories can be held against it."""

    def __init__(self, gone: Sequence[Memory]) -> None:
        self._gone = [one for one in gone if one.text]
        self._marked = MarkedTexts([one.text for one in self._gone])
        self._drawn: dict[bytes, list[int]] = {}
        for n, one in enumerate(self._gone):
            for source in one.sources:
                self._drawn.setdefault(source, []).append(n)

    def said_by(self, memory: Memory) -> Iterator[Memory]:
        """Those that the memory says too: drawn from the same message, in more or fewer words; or the
        very same, for the same readers."""
        akin = self._drawn_alike(memory)
        for n in sorted(akin.union(self._marked.echoed_by(memory.text))):
            one = self._gone[n]
            if n not in akin and not _read_alike(memory, one):
                continue
            likeness = likeness_of(memory.text, one.text, cased=False)
            if likeness == "same" or (n in akin and likeness is not None):
                yield one

    def quoted_by(self, memory: Memory) -> Iterator[Memory]:
        """Those that the memory says word for word among other things; or, drawn from the same message,
        of which it is a piece."""
        akin, near = self._drawn_alike(memory), {*self._marked.echoed_by(memory.text)}
        for n in sorted(akin | near):
            one = self._gone[n]
            if n not in akin and not _read_alike(memory, one):
                continue
            if (n in near and is_echoed(one.text, memory.text)) or (
                n in akin and is_echoed(memory.text, one.text)
            ):
                yield one

    def _drawn_alike(self, memory: Memory) -> set[int]:
        """Those that were drawn from a message of the memory's, by their place."""
        return {n for source in memory.sources for n in self._drawn.get(source, ())}


def _read_alike(one: Memory, other: Memory) -> bool:
    return one.reach == other.reach and (one.reach != "project" or one.project == other.project)


def memory_to_forget(
    memory: Memory, said: Mapping[bytes, Message], persons: Collection[str | None]
) -> Memory | None:
    """The memory as it goes, if it is of one of these persons: without what others said among its sources.

    `said`: those of its sources that are still there. They tell whose it is where that was not put down.
    """
    whose = memory.principal or owner_of(message.principal for message in said.values())
    if whose not in persons:
        return None
    theirs = {key for key, message in said.items() if concerns_another(message, whose)}
    left = [key for key in memory.sources if key not in theirs]
    return memory._replace(sources_json=sources_text(left)) if theirs else memory


def concerns_another(message: Message, principal: str | None) -> bool:
    """Was it said by or to another person than that one? What has no person is for all of them."""
    return message.principal not in (None, principal)
