"""What the scorer looks at in a memory: few things, each with a name that people understand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from everthread.domain.memory.memories import KINDS, Memory
from everthread.domain.times import DAY

LONG_AGO = 365
OFTEN = 5
"""More often than this is no more than often."""

KIND_NAMES = tuple(f"kind: {kind}" for kind in KINDS)
NAMES = (
    "rank by words and meaning",
    "importance",
    "pinned",
    "age",
    "said by a person",
    "of this project",
    "used when given before",
    "given in vain before",
    "looked for before",
    *KIND_NAMES,
)
"""In the order of the numbers."""

Traits = tuple[float, ...]


class Past(NamedTuple):
    """What became of a memory in earlier sessions: in how many it was given, used, found."""

    given: int = 0
    used: int = 0
    found: int = 0

    def plus(self, *, given: bool, used: bool, found: bool) -> Past:
        return Past(self.given + given, self.used + used, self.found + found)


NO_PAST = Past()


def traits(
    memory: Memory, *, plain: float, past: Past, project: str | None, now: int
) -> tuple[float, ...]:
    """A memory as numbers from 0 to 1, as it stood when it was ranked."""
    days = max(now - memory.created_ms, 0) / DAY
    return (
        min(max(plain, 0.0), 1.0),
        1.0 if memory.pinned else memory.importance,
        float(bool(memory.pinned)),
        min(math.log1p(days) / math.log1p(LONG_AGO), 1.0),
        float(memory.origin == "user"),
        float(project is not None and memory.project == project),
        (past.used + 1) / (past.given + 2),
        min(past.given - past.used, OFTEN) / OFTEN,
        min(past.found, OFTEN) / OFTEN,
        *(float(memory.kind == kind) for kind in KINDS),
    )


def key_of(ref: bytes) -> str:
    """By which a memory's past is kept: the end of its id, which no other has."""
    return ref[-6:].hex()


def past_of(known: Mapping[str, Past], ref: bytes) -> Past:
    return known.get(key_of(ref), NO_PAST)
