"""Lists that a person wrote: each item is a point of its own, and leans on none of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import Stretch

FEWEST = 3
"""So many items make a list that is carried item by item."""

_MARK = lazy_pattern(r"[^\S\n]*(?:[-*+•]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+\W*")
_APART = lazy_pattern(r"\n[^\S\n]*\n")


def begins_item(text: str, place: Stretch) -> bool:
    """Does an item of a list begin with that sentence?"""
    return place.opens and _MARK.fullmatch(text, _line(text, place), place.start) is not None


def with_number(text: str, place: Stretch) -> int:
    """Where the sentence begins, or the number before it; a sign before an item tells nothing."""
    line = _line(text, place)
    numbered = begins_item(text, place) and any(map(str.isdigit, text[line : place.start]))
    return line if numbered else place.start


def _line(text: str, place: Stretch) -> int:
    return text.rfind("\n", 0, place.start) + 1


def listed_runs(
    text: str, places: Sequence[Stretch], first: int, last: int
) -> Iterator[list[range]]:
    """The lists among these sentences: the items of each, with the sentences that each has.

    What introduces a list goes with its first item.
    """
    items: list[range] = []
    for n in range(first, last + 1):
        if begins_item(text, places[n]):
            items.append(range(n, n + 1))
        elif items and not _APART.search(text, places[n - 1].end, places[n].start):
            items[-1] = range(items[-1].start, n + 1)
        elif items:
            yield from _list_of(text, places, first, items)
            items = []
    yield from _list_of(text, places, first, items)


def _list_of(
    text: str, places: Sequence[Stretch], first: int, items: list[range]
) -> Iterator[list[range]]:
    if len(items) < FEWEST:
        return
    at = items[0].start
    introduced = at > first and text[: places[at - 1].end].rstrip("*_ ").endswith((":", "\uff1a"))
    yield [range(at - introduced, items[0].stop), *items[1:]]
