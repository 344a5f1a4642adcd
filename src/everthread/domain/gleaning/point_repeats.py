"""Points that say the same: in the same words, or in others, seen by their vectors. Vectors are never
needed: words serve alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from everthread.domain.pauses import step_aside

from .digest import WORDS, Point
from .points import bounded_sources

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], "NDArray[float32] | None"]
"""Vectors of length one, a row for each text; None where they cannot be had."""

MOST = 60
"""Texts that are compared, the newest: a vector costs some milliseconds."""

SAME = 0.92
"""From this likeness on, two points tell the same."""

SPELT_ALIKE = 0.3
"""Of the letters of the longer text, three by three, so many are in the other one too. No two texts
whose vectors are that near were seen to share less, and to look costs far less than a vector."""

_LETTERS = 3
_KINDS = frozenset({"done", "fact", "state", "failure"})
_ASKED = frozenset({"request", WORDS})


def once(points: Sequence[Point]) -> list[Point]:
    """What a person asked again in the very same words, once: at its last place, with all its sources."""
    told: dict[object, Point] = {}
    for n, point in enumerate(points):
        asked = point.kind in _ASKED and not point.pinned
        key = (point.kind, point.name, point.text.casefold()) if asked else n
        before = told.pop(key, None)
        sources = (*before.sources, *point.sources) if before else point.sources
        told[key] = point._replace(sources=bounded_sources(sources)) if before else point
    return [*told.values()]


def without_repeats(points: Sequence[Point], embed: Embed) -> list[Point]:
    """The points without those that another, newer one tells as well. A person's words all stay."""
    told = [n for n, p in enumerate(points) if p.kind in _KINDS and p.by == "agent"]
    told = sorted(told, key=lambda n: (points[n].at_ms, n))[-MOST:]
    told = [told[row] for row in _alike_in_spelling([points[n].text for n in told])]
    if not told:
        return list(points)
    vectors = embed([points[n].text for n in told])
    if vectors is None:
        return list(points)
    alike = (vectors @ vectors.T) >= SAME
    gone = {told[row] for row in range(len(told)) if bool(alike[row, row + 1 :].any())}
    return [point for n, point in enumerate(points) if n not in gone]


def _alike_in_spelling(texts: Sequence[str]) -> list[int]:
    """The numbers of the texts of which another one is made of much the same letters."""
    spelt = [_letter_triples(text) for text in texts]
    found: set[int] = set()
    for n, one in enumerate(spelt):
        step_aside()
        for other in range(n):
            if len(one & spelt[other]) >= SPELT_ALIKE * max(len(one), len(spelt[other])):
                found |= {n, other}
    return sorted(found)


def _letter_triples(text: str) -> frozenset[str]:
    low = " ".join(text.lower().split())
    return frozenset(low[at : at + _LETTERS] for at in range(max(1, len(low) - _LETTERS + 1)))
