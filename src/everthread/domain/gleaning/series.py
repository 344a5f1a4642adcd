"""Reports that come again and again with another date and other figures: the newest stands for them all.

Only what is told is folded, of one kind and by one side, and never below three: a rule, a choice, a
request or a correction with another figure is another one. Nothing is lost by it: the messages stay, and
their figures are found there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from everthread.domain.text.templates import LEAST_MEMBERS, Member, is_series, template
from everthread.domain.times import DAY

from .digest import WORDS, Point, Series, Trace

KINDS = frozenset({"fact", "state", "done", "failure", WORDS})


def key_of(point: Point) -> str:
    """By which it is known again in its kind; empty where it is of no series."""
    if point.kind not in KINDS or point.pinned:
        return ""
    return template(point.text, point.at_ms)


def members(new: Point, before: Iterable[Point]) -> list[Point]:
    """Those before it of whose series it is the next; none where that is no series yet."""
    key = key_of(new)
    if not key:
        return []
    found = [p for p in before if p.by == new.by and key_of(p) == key]
    if any(p.series is not None for p in found):
        return found
    return found if found and is_series([_member(p) for p in (*found, new)]) else []


def _member(point: Point) -> Member:
    return Member(point.by == "agent", frozenset(point.sources), frozenset((point.at_ms // DAY,)))


def fold_series(
    new: Point, before: Sequence[Point], sources: Callable[..., tuple[bytes, ...]]
) -> Point:
    """The newest of them, for all: how many, and since when. `sources` bounds those that it names."""
    every = sorted((*before, new), key=lambda p: p.at_ms)
    newest = every[-1]
    return newest._replace(
        sources=sources(key for point in every for key in point.sources),
        weight=max(point.weight for point in every),
        series=combined_series(every),
    )


def combined_series(points: Sequence[Point]) -> Series:
    """What several of a series are together."""
    times = sum(times_of(point) for point in points)
    return Series(times, min(p.at_ms if p.series is None else p.series.since_ms for p in points))


def figure_series(new: Trace, before: Iterable[Trace]) -> list[Trace]:
    """The figures before it, oldest first, that stand in the same words on three days or more."""
    key = template(new.note, new.at_ms)
    if not key:
        return []
    found = [t for t in before if template(t.note, t.at_ms) == key]
    often = any(t.times >= LEAST_MEMBERS for t in found)
    days = {t.at_ms // DAY for t in (*found, new)}
    return found if found and (often or len(days) >= LEAST_MEMBERS) else []


def times_since(point: Point, before: Iterable[Point]) -> int:
    """How often it came since these were told."""
    if point.series is None:
        return 1
    key = key_of(point)
    known = (p for p in before if (p.kind, p.by) == (point.kind, point.by) and key_of(p) == key)
    return max(point.series.times - sum(map(times_of, known)), 1)


def times_of(point: Point) -> int:
    return 1 if point.series is None else point.series.times
