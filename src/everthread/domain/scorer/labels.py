"""What a session says of the memories that were given in it: the labels from which the scorer learns.

No model judges: a session's score is read off what was counted in it, and it counts for as much as
there is to see. The labels are those of the requirements, number by number.
"""

from __future__ import annotations

from typing import NamedTuple

IDLE = 0.25
"""Four memories that were given and never used say as much as one that was missed."""

DOUBT = 2.0
"""So many things of which nothing is known stand beside what was seen: half of them good."""

SURE = 0.6
"""A session of which less is known than this is not learnt from."""

POOR = 0.3
"""Below this a session went badly, whatever was given in it."""

HALVED = 0.5
MISSED = 0.7
"""What a memory is worth that was there and not given, where something had to be told again."""

NUDGE = 0.1
LOOKED_FOR, SOUGHT = 2, 0.6
"""Not given and found so often, a memory is worth at least so much."""

TAKEN_BACK = 0.3


class Course(NamedTuple):
    """How a session went: of the memories given, how many were used, and what was wrong."""

    used: int = 0
    idle: int = 0
    """Given and never used."""
    novel: int = 0
    """Messages that told again what was known (`novel_context_count`)."""
    corrected: int = 0


class Verdict(NamedTuple):
    """A session's continuity score, and how sure it is; both from 0 to 1."""

    score: float
    confidence: float

    @property
    def sure(self) -> bool:
        return self.confidence >= SURE

    @property
    def poor(self) -> bool:
        return self.score < POOR


class MemoryUse(NamedTuple):
    """What a session showed of one memory."""

    given: bool
    hits: int = 0
    """How often it was found, mentioned or put down by the agent, beyond being given."""
    superseded: bool = False
    """Superseded since, or taken back by the person."""


def verdict(course: Course) -> Verdict:
    """Of what put the memories to the test, the share they passed.

    A use is a pass; telling again, a correction and, for a quarter, a memory without use are not.
    """
    seen = course.used + course.novel + course.corrected + IDLE * course.idle
    return Verdict((course.used + DOUBT / 2) / (seen + DOUBT), seen / (seen + DOUBT))


def label(seen: MemoryUse, session: Verdict, *, novel: int) -> float | None:
    """What the memory was worth in that session, from 0 to 1; None where nothing tells."""
    worth = _label_given(seen, session) if seen.given else _label_not_given(seen, novel)
    if worth is None:
        return None
    return min(max(worth - TAKEN_BACK * seen.superseded, 0.0), 1.0)


def _label_given(seen: MemoryUse, session: Verdict) -> float:
    worth = session.score * (HALVED if session.poor else 1.0)
    if seen.hits:
        return worth + NUDGE
    return worth - NUDGE if session.score < POOR else worth


def _label_not_given(seen: MemoryUse, novel: int) -> float | None:
    worth = MISSED + NUDGE if novel > 0 else None
    if seen.hits >= LOOKED_FOR:
        return max(worth or 0.0, SOUGHT)
    return worth
