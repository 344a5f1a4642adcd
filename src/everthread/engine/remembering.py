"""The verbs by which an agent remembers and finds again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Self

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_limit, checked_several, optional_text
from everthread.domain.times import moment_of
from everthread.services.foreground import foreground
from everthread.services.giving.tally import MOST_WAITING

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.memory.memories import Memory
    from everthread.domain.memory.notes import Note
    from everthread.domain.recall.hits import Fresh, Hit
    from everthread.ports import House
    from everthread.services.memory.index import Progress
    from everthread.services.memory.memories import Version

    from .turn_hooks import TurnHooks


MOST_BESIDE = 20
"""So many memories on one matter are shown at most: more than that nobody compares."""


def _patient(house: House) -> House:
    embedder = house.embedder
    return house if embedder is None else replace(house, embedder=embedder.patient())


class Remembering:
    """What every agent can do with its memory."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope
    _owners: frozenset[int] | None = None
    """Whose memories it may see and change; None: also what any other agent shares."""

    if TYPE_CHECKING:

        def _primary_ref(self) -> int: ...

    def among(self, names: Collection[str]) -> Self:
        """The same agent for somebody who speaks for these alone: of others it sees and changes nothing."""
        meant = frozenset(checked_several("names are a list of agents' names", names))
        known = self._house.store.read(lambda r: r.agents.all())
        made = copy(self)
        made._owners = frozenset(row.ref for row in known if row.name in meant)
        return made

    @foreground
    def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        tokens: int | None = None,
        project: str | None = None,
        principal: str | None = None,
        unseen: bool = False,
        patient: bool = False,
    ) -> list[Hit]:
        """What was said or learnt that fits the question, best first; what fits into `tokens`, if given.

        All the agent has, or what was said in a project, or to one principal. `unseen` passes over what
        the context of the primary thread shows already. `patient` waits for the question's vector where
        a worker process makes it; else words alone answer after `embedder_wait_ms`.
        """
        from everthread.services.giving.view_contents import beyond_view
        from everthread.services.memory.recall import recall, recall_request

        folder = optional_text("project", project)
        scope = Scope(
            self._row.ref,
            None if folder is None else self._house.files.real(folder),
            optional_text("principal", principal),
        )
        wanted = recall_request(query, scope, limit, tokens)
        wanted = wanted._replace(owners=self._owners)
        if unseen:
            thread = self._primary_ref()
            wanted = self._house.store.read(lambda r: beyond_view(r, wanted, thread))
        hits = recall(_patient(self._house) if patient else self._house, self._row, wanted)
        now = self._house.clock.now()
        if self._engine.tally.count_recall(self._row.ref, query, hits, now=now) >= MOST_WAITING:
            self._engine.flush(self._row.ref)
        if self._house.embedder is not None:
            self._engine.stir()  # what is found by words alone today has vectors tomorrow
        return hits

    def index(self, progress: Progress | None = None) -> int:
        """Wait until everything recorded is in the index, its vectors too; how many cards that took."""
        from everthread.services.memory.index import follow

        return follow(self._house, self._row, progress=progress)

    def index_few(self) -> int:
        """The same if only a few vectors are missing; how many texts still wait for theirs."""
        from everthread.services.memory.index import follow_few

        return follow_few(self._house, self._row)

    def remember(  # noqa: PLR0913 - one memory, as fully as a caller knows it
        self,
        text: str,
        *,
        kind: str = "fact",
        scope: str = "agent",
        project: str | None = None,
        principal: str | None = None,
        tags: Sequence[str] = (),
        sources: Sequence[Message | str] = (),
        confidence: float | None = None,
        importance: float | None = None,
        valid_from: datetime | str | float | None = None,
        valid_to: datetime | str | float | None = None,
        origin: str = "user",
        replaces: Sequence[Memory | str] = (),
    ) -> Memory:
        """Keep a memory; `critical:` before the text pins it, `[tag, tag]:` tags it.

        What says the same is merged, what it plainly contradicts is superseded; so are the memories
        that it `replaces`, by their ids (`beside` finds them). `scope` says who may see it: this agent,
        only in this project, or every agent of the user. `project` is the folder whose files it speaks
        of; `sources` are the messages it came from, or their ids.
        """
        from everthread.services.memory.remember import Wish, remember

        wish = Wish(
            text,
            kind=kind,
            reach=scope,
            origin=origin,
            project=project,
            principal=principal,
            tags=tags,
            sources=sources,
            confidence=confidence,
            importance=importance,
            valid_from=valid_from,
            valid_to=valid_to,
            replaces=replaces,
        )
        kept = remember(self._house, self._row, wish, self._owners)
        if kept.superseded:
            self._engine.tally.count_corrections(self._row.ref, [m.key_id for m in kept.superseded])
        return kept.memory

    def beside(self, memory_id: Memory | str, *, limit: int = 3) -> list[Memory]:
        """Other memories that may be about the same thing, the likest first.

        Where one of them no longer holds, `remember` the new one with `replaces`.
        """
        from everthread.services.memory.beside import beside

        most = checked_limit(limit, high=MOST_BESIDE)
        return beside(self._house, self._row, self.memory(memory_id), most)

    def forget(self, memory_id: Memory | str) -> list[Hit]:
        """Forget a memory, by its id or any unique ending of it, with all its versions.

        Its text goes for good, and notes that say the same; the messages it came from, and those that say
        the same, stay in their threads and are found no more. Only `erase` removes what was said.

        What comes back is still found and may say it in other words: nothing was done to that.
        """
        from everthread.services.forgetting.forget import forget_versions
        from everthread.services.forgetting.remains import what_remains

        # What was looked for and not written yet may be in its words: so that it goes with them.
        self._engine.flush()
        found, row = self._memory_and_owner(memory_id)
        texts = [version.memory.text for version in self.history(found.id)]
        for agent in forget_versions(self._house, row, found.id):
            self._settle(agent)
        return what_remains(self._house, self._row, texts, self._owners)

    def memories(
        self,
        *,
        kind: str | None = None,
        tag: str | None = None,
        state: str | None = "current",
        project: str | None = None,
        origin: str | None = None,
        told: bool = False,
        limit: int = 100,
    ) -> list[Memory]:
        """Memories, last said first: the current ones, kept and not ended.

        `state` may also be kept, which has what ended too, superseded, forgotten, or all in this order.

        `origin` is whose word it is: user, agent, tool or imported. `told` leaves out what was drawn
        from the conversation: what somebody asked to have remembered is left. What other agents keep
        user-wide is among them; `owner` tells whose it is.
        """
        from everthread.services.memory.memories import MemoryFilter, list_memories

        wanted = MemoryFilter(kind, tag, state, project, origin, told=bool(told))
        most = checked_limit(limit)
        return list_memories(self._house, self._row, wanted, most, self._owners)

    def said_at(self, memories: Sequence[Memory]) -> list[datetime]:
        """When each was last said: its messages tell, however much later it was drawn from them."""
        from everthread.services.memory.provenance import said_times

        given = list(checked_several("memories are a list of memories", memories))
        at = self._house.store.read(lambda r: said_times(r, self._scope, given))
        return [moment_of(at[memory.key_id]) for memory in given]

    def memory(self, memory_id: Memory | str) -> Memory:
        """A memory by its id or any unique ending of it; what is user-wide may be another agent's."""
        return self._memory_and_owner(memory_id)[0]

    def owner(self, memory_id: Memory | str) -> str:
        """The name of the agent whose memory it is: another's, where it was kept user-wide."""
        return self._memory_and_owner(memory_id)[1].name

    def _memory_and_owner(self, memory_id: Memory | str) -> tuple[Memory, AgentRow]:
        from everthread.services.memory.memories import memory_and_owner

        return memory_and_owner(self._house, self._row, memory_id, self._owners)

    def edit(self, memory_id: Memory | str, text: str) -> Memory:
        """Correct a memory: the new version, which takes its place. The old one stays in `history`."""
        from everthread.services.memory.memories import edit

        old, row = self._memory_and_owner(memory_id)
        new = edit(self._house, row, old.id, text)
        if new.key_id != old.key_id:
            self._engine.tally.count_corrections(self._row.ref, [old.key_id])
        return new

    def history(self, memory_id: Memory | str) -> list[Version]:
        """All versions of a memory, oldest first, each with what the timeline tells of it."""
        from everthread.services.memory.memories import history

        found, row = self._memory_and_owner(memory_id)
        return history(self._house, row, found.id, self._owners)

    def freshness(self, memory_id: Memory | str, *, project: str | None = None) -> Fresh:
        """Are the files that the memory speaks of still as they were? Looks at them now."""
        from everthread.services.memory.evidence import freshness

        return freshness(self._house, self.memory(memory_id), optional_text("project", project))

    def purged_sources(self, memory_id: Memory | str) -> list[str]:
        """The ids of those messages that the memory came from and that were purged since."""
        from everthread.services.memory.memories import purged_sources

        found, row = self._memory_and_owner(memory_id)
        return purged_sources(self._house, row, found.id)

    def note(self, text: str, *, category: str = "note", origin: str = "agent") -> Note:
        """Write something down under a category."""
        from everthread.services.memory.note import note

        return note(self._house, self._row, text, category=category, origin=origin)

    def notes(self, *, category: str | None = None, limit: int = 100) -> list[Note]:
        """The notes, newest first."""
        from everthread.services.memory.note import list_notes

        return list_notes(self._house, self._row, category, checked_limit(limit))

    def unnote(self, note_id: Note | str) -> None:
        """Delete a note, by its id or any unique ending of it. Its text goes for good."""
        from everthread.services.memory.note import delete_note

        delete_note(self._house, self._row, note_id)
        self._settle(self._row)

    def _settle(self, agent: AgentRow) -> None:
        from everthread.services.forgetting.settle import settle_now

        settle_now(self._house, agent)
