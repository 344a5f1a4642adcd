"""Which memories a session that begins is given, and in which order: it has asked nothing yet.

What a person said to hold comes first, however long ago: nobody says a rule twice. Then what belongs
to the project, then the rest by its weight, which fades. What agents put down grows by the day, so it
has a share and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from everthread.domain.memory.memories import STANDING, Memory, is_standing, weight
from everthread.domain.times import MINUTE

from .echoes import is_nod

MOST = 40
"""Memories at a start: what is more is not read."""

MOST_STANDING = 30
"""So many of what stands before others have a place too; the rest of it follows where room is left."""

MOST_MADE_HERE = 16
MOST_MADE_ELSEWHERE = 8
"""So many that no person said: of the project, and of all else."""

AT_ONCE = MINUTE
"""So soon an agent nods to what it was told; who works first reports later."""

LONGEST_HEAD = 90
"""Characters that stand around a memory in the block."""


class StartMemories(NamedTuple):
    """The memories that may be told at a start, none of them twice."""

    stand: Sequence[Memory] = ()
    """What holds until it is taken back, what comes first in front."""
    here: Sequence[Memory] = ()
    """What else is of the project."""
    rest: Sequence[Memory] = ()

    @property
    def number(self) -> int:
        return len(self.stand) + len(self.here) + len(self.rest)

    @property
    def chars(self) -> int:
        """What all that stands would take."""
        return sum(len(memory.text) + LONGEST_HEAD for memory in self.stand[:MOST_STANDING])


NONE_KNOWN = StartMemories()


def sort_memories(
    memories: Sequence[Memory], here: Collection[bytes], *, now: int
) -> StartMemories:
    """The memories, each once, by where they belong; `here` are the ids of those of the project."""
    stand, own, rest = list[Memory](), list[Memory](), list[Memory]()
    for memory in {memory.key_id: memory for memory in memories}.values():
        place = stand if is_standing(memory) else own if memory.key_id in here else rest
        place.append(memory)
    stand.sort(key=lambda m: (bool(m.pinned), m.key_id in here, *_rank(m)), reverse=True)
    for others in (own, rest):
        others.sort(key=lambda m: (weight(m, now=now), m.updated_ms), reverse=True)
    return StartMemories(stand, own, rest)


def _rank(memory: Memory) -> tuple[float, int, int]:
    """What stands does not fade: how much it mattered when it was said; then a rule, then the newest."""
    kind = STANDING.index(memory.kind) if memory.kind in STANDING else len(STANDING)
    return memory.importance, -kind, memory.updated_ms


def choose_memories(known: StartMemories, told: Callable[[Memory], bool]) -> list[Memory]:
    """What is given, in its order; without what is `told` already."""
    taken: list[Memory] = []
    left = [memory for memory in known.stand if not told(memory)]
    taken += left[:MOST_STANDING]
    for others, most_made in ((known.here, MOST_MADE_HERE), (known.rest, MOST_MADE_ELSEWHERE)):
        taken += _first_memories(others, MOST - len(taken), most_made, told)
    return [*taken, *left[MOST_STANDING:]][:MOST]


def _first_memories(
    memories: Sequence[Memory], most: int, made: int, told: Callable[[Memory], bool]
) -> list[Memory]:
    """The first ones, of those that no person said so many at most."""

    def fitting() -> Iterator[Memory]:
        left = made
        for memory in memories:
            by_hand = memory.origin in ("user", "imported")
            if (by_hand or left) and not told(memory):
                left -= not by_hand
                yield memory

    return list(islice(fitting(), max(0, most)))


def without_echoes(memories: Sequence[Memory]) -> list[Memory]:
    """Those without what another of them says in the same words, kept as another kind, and without what an
    agent only said again of what a person, as it stands among them, had said. What is pinned stays."""
    said = [memory for memory in memories if memory.origin == "user"]
    first = {(m.origin, m.principal, m.text): m.key_id for m in reversed(memories)}

    def nods(memory: Memory) -> bool:
        return memory.origin == "agent" and any(
            0 <= memory.updated_ms - each.updated_ms <= AT_ONCE and is_nod(memory.text, each.text)
            for each in said
        )

    def is_echo(memory: Memory) -> bool:
        twin = first[memory.origin, memory.principal, memory.text]
        return twin != memory.key_id or nods(memory)

    return [memory for memory in memories if memory.pinned or not is_echo(memory)]
