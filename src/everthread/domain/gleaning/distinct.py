"""Points that say the same in other words, seen by their vectors. Never needed: words serve alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .digest import Point

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], "NDArray[float32] | None"]
"""Vectors of length one, a row for each text; None where they cannot be had."""

MOST = 60
"""Texts that are compared, the newest: a vector costs some milliseconds."""

SAME = 0.92
"""From this likeness on, two points tell the same."""

_KINDS = frozenset({"done", "fact", "state", "failure"})


def distinct(points: Sequence[Point], embed: Embed) -> list[Point]:
    """The points without those that another, newer one tells as well. A person's words all stay."""
    told = [n for n, p in enumerate(points) if p.kind in _KINDS and p.by == "agent"]
    told = sorted(told, key=lambda n: (points[n].at_ms, n))[-MOST:]
    if len(told) < 2:  # noqa: PLR2004 - one is like no other
        return list(points)
    vectors = embed([points[n].text for n in told])
    if vectors is None:
        return list(points)
    alike = (vectors @ vectors.T) >= SAME
    gone = {told[row] for row in range(len(told)) if bool(alike[row, row + 1 :].any())}
    return [point for n, point in enumerate(points) if n not in gone]
