"""The messages a memory came from, and when it was said: it is kept later, and may say "tomorrow"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.ids import ms_of_id
from everthread.domain.memory.memories import Memory, Why
from everthread.ports import Records
from everthread.services.archive.sources import heads_of, messages_of

LookUp = Callable[[Records, Scope, Iterable[bytes]], Mapping[bytes, Message]]
_SAYING = frozenset({"memory.kept", "memory.merged"})
"""What the timeline tells of a memory that is said, for the first time or again."""


class Visibility:
    """Which messages may be shown to whoever asks from a scope, on one state of the store."""

    def __init__(self, records: Records, scope: Scope) -> None:
        self._records = records
        self._scope = scope
        self.withheld: Mapping[bytes, Why] = records.memories.withheld(scope)
        self._projects: dict[int, str | None] = {}

    def may_show(self, message: Message) -> bool:
        """Is it theirs to know, and of the project they ask from?"""
        project = self._scope.project
        ours = project is None or self.project_of(message.session_ref) == project
        return ours and self.may_know(message)

    def may_know(self, message: Message) -> bool:
        """May they know of it at all? What was forgotten nobody does, nor what was said by or to another."""
        if self.withheld.get(message.key) == "forgotten":
            return False
        principal = self._scope.principal
        return principal is None or message.principal in (None, principal)

    def project_of(self, session: int | None) -> str | None:
        """Of which project the session is."""
        if session is None:
            return None
        if session not in self._projects:
            found = self._records.sessions.get(self._scope, session)
            self._projects[session] = found.project_normalized
        return self._projects[session]

    def sources(self, memories: Sequence[Memory]) -> dict[bytes, list[Message]]:
        """The messages that each memory came from, by its id, as far as they are there and may be known of.

        All are looked up together: a turn is given many memories.
        """
        return self._sources(memories, messages_of)

    def heads(self, memories: Sequence[Memory]) -> dict[bytes, list[Message]]:
        """The same without their words."""
        return self._sources(memories, heads_of)

    def _sources(self, memories: Sequence[Memory], look_up: LookUp) -> dict[bytes, list[Message]]:
        keys = [key for memory in memories for key in memory.sources]
        found = look_up(self._records, self._scope, keys)
        return {
            memory.key_id: [
                message
                for key in memory.sources
                if (message := found.get(key)) is not None and self.may_know(message)
            ]
            for memory in memories
        }


def heard_at(memory: Memory) -> int:
    """When the last of its messages came, as their ids tell; of one that rests on none, when it was last
    kept. What was brought from elsewhere was said before it came."""
    return max(map(ms_of_id, memory.sources), default=memory.updated_ms)


def said_at(memory: Memory, sources: Sequence[Message]) -> int:
    """When the last of its messages was said; of one that rests on none, when it was last kept."""
    return max((message.at_ms for message in sources), default=memory.updated_ms)


def said_times(records: Records, scope: Scope, memories: Sequence[Memory]) -> dict[bytes, int]:
    """The same of many, by their ids; where the messages are gone, when they came.

    What another agent shares rests on messages of that one.
    """
    said: dict[bytes, int] = {}
    for owner in dict.fromkeys(memory.agent_ref or scope.agent for memory in memories):
        home = scope if owner == scope.agent else Scope(owner)
        some = [memory for memory in memories if (memory.agent_ref or scope.agent) == owner]
        sources = Visibility(records, home).heads(some)
        for memory in some:
            found = sources[memory.key_id]
            said[memory.key_id] = (
                said_at(memory, found) if found else _told_at(records, home, memory)
            )
    return said


def _told_at(records: Records, scope: Scope, memory: Memory) -> int:
    """When it was last said, though none of its messages tells; taking its place is not saying it."""
    if memory.sources or memory.state == "kept":
        return heard_at(memory)
    if memory.said == 1:
        return memory.created_ms
    entries = records.timeline.about(scope, memory.key_id)
    return max((e.at_ms for e in entries if e.event in _SAYING), default=memory.created_ms)
