"""What an agent remembers and notes. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.memory.memories import Memory, State, Why
    from everthread.domain.memory.notes import Note


class Memories(Protocol):
    """A memory's row stays for ever: superseded with its text, forgotten without it."""

    def get(self, scope: Scope, ref: int) -> Memory: ...

    def find(self, scope: Scope, key_id: bytes) -> Memory | None: ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Memory]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def all(self, scope: Scope, *, state: State | None, limit: int) -> Sequence[Memory]:
        """Last kept first; of every state if None."""
        ...

    def saying(self, scope: Scope, texts: Collection[str], *, state: State) -> Sequence[Memory]:
        """Those in that state, however old, whose text is one of these, word for word."""
        ...

    def since(self, scope: Scope, entry: int, limit: int) -> Sequence[Memory]:
        """Those of any state that changed after that entry of the timeline, in the order of `entry`."""
        ...

    def standing(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        """Kept ones that hold at that time, and until they are taken back (`standing`): pinned first,
        then last said."""
        ...

    def standing_beside(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        """Those of `standing` that people said in sessions of harnesses, for no project and for no
        person alone."""
        ...

    def drawn(
        self, scope: Scope, thread: int, *, after: int, at: int, limit: int
    ) -> Sequence[Memory]:
        """Kept ones that hold at that time, drawn from the thread's own sessions and by no distillation,
        for no project and for no person alone, that changed after that entry; last changed first."""
        ...

    def drawn_beside(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        """Kept ones that hold at that time, drawn from sessions of harnesses, for no project and for no
        person alone; last changed first."""
        ...

    def of_project(self, scope: Scope, project: str, *, limit: int) -> Sequence[Memory]:
        """Kept ones that were remembered for that project or drawn from its sessions; last said first."""
        ...

    def user_wide(self) -> Sequence[Memory]:
        """Kept memories of any agent that reach user-wide; `visible` says who may be shown which."""
        ...

    def predecessors(self, scope: Scope, memory: Memory) -> Sequence[Memory]:
        """Those whose place this one took."""
        ...

    def lineage(self, scope: Scope, *memories: Memory) -> Sequence[Memory]:
        """These, all they took the place of and all that took theirs, each once, oldest first."""
        ...

    def hold(self, scope: Scope) -> None:
        """Keep every other writer of this agent out, so that what is looked up stays true."""
        ...

    def add(self, scope: Scope, memory: Memory) -> Memory:
        """Store a new memory; its ref and entry are filled in."""
        ...

    def merge(self, scope: Scope, memory: Memory, *, now: int | None = None) -> Memory:
        """Store what saying it again changed, when it was said or `now`. The text stays."""
        ...

    def retract(self, scope: Scope, memory: Memory, receipt: bytes, *, now: int) -> Memory:
        """The distillation that drew it was undone: the receipt stands where a successor would.

        What it withheld for a successor is free.
        """
        ...

    def taken_back(self, scope: Scope) -> Sequence[Memory]:
        """Those that were retracted and did not come back since, oldest first."""
        ...

    def unprime(self, scope: Scope, receipt: int) -> None:
        """What a distillation primed is primed no more: it was undone."""
        ...

    def restore(self, scope: Scope, memory: Memory, *, now: int) -> Memory:
        """As it was before a distillation that was undone, or after one that is redone.

        What it withheld for a successor is free.
        """
        ...

    def bound(self, scope: Scope, memory: Memory, *, until: int, now: int) -> Memory:
        """It holds only until then."""
        ...

    def supersede(self, scope: Scope, memory: Memory, successor: bytes, *, now: int) -> Memory:
        """Another took its place; it stays readable and is primed no more."""
        ...

    def forget(self, scope: Scope, memory: Memory, *, now: int) -> Memory:
        """Remove every word of it, withhold the messages it came from, prime it no more.

        Nothing that is left tells the text: not the digests of its earlier entries, no injection that
        quoted it or what it came from, no query in its words.
        """
        ...

    def withhold(self, scope: Scope, memory: Memory, messages: Sequence[bytes], why: Why) -> None:
        """Recall leaves these messages out (forgotten) or ranks them below (superseded)."""
        ...

    def withheld(self, scope: Scope) -> Mapping[bytes, Why]:
        """The ids of all withheld messages; `forgotten` wins where both are true."""
        ...

    def replaced(self, scope: Scope, messages: Collection[bytes]) -> Mapping[bytes, Sequence[str]]:
        """Of those of the messages that rank below for it: what they said that another took the place of."""
        ...

    def prime(
        self,
        scope: Scope,
        thread: int,
        memories: Sequence[Memory],
        *,
        now: int,
        receipt: int | None = None,
    ) -> None:
        """The next turns of the thread are given these, whatever is asked, until one has completed."""
        ...

    def primed(self, scope: Scope, thread: int) -> Sequence[Memory]:
        """What is primed there, kept and not consumed yet; in the order it was primed."""
        ...

    def consume(self, scope: Scope, turn: TurnRow, given: Collection[bytes]) -> int:
        """A turn completed that was given the memories of these ids as primed; how many are consumed.

        What it was not given stays, and whenever it was primed by the clock is of no account.
        """
        ...


class Notes(Protocol):
    def add(self, scope: Scope, note: Note) -> Note:
        """Store a new note; its ref and entry are filled in."""
        ...

    def all(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Note]:
        """Newest first, without the deleted."""
        ...

    def get(self, scope: Scope, ref: int) -> Note | None:
        """The note of that reference, unless it was deleted."""
        ...

    def since(self, scope: Scope, entry: int, limit: int) -> Sequence[Note]:
        """Those that changed after that entry of the timeline, deleted ones too, in its order."""
        ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Note]:
        """Those whose id ends in these hexadecimal digits; deleted ones are not found."""
        ...

    def delete(self, scope: Scope, note: Note, *, now: int) -> Note:
        """Remove its text; nothing that is left tells it."""
        ...
