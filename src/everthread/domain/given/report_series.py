"""Of reports that differ in a date and a figure a block tells the newest, and not six of them.

Where the question names a figure, those that have it are told; where it speaks of some time, those of
that time, or all where there are none.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.recall.hits import Hit
from everthread.domain.recall.questions import Span, read_question
from everthread.domain.text.templates import Member, figures, is_series, template
from everthread.domain.times import DAY


def newest_of_each(hits: Sequence[Hit], asked: str, now: int) -> list[Hit]:
    """The hits, each series once: its newest, at the place of the best of them."""
    series: dict[str, list[Hit]] = {}
    for hit in hits:
        if key := template(hit.text, hit.at_ms):
            series.setdefault(key, []).append(hit)
    found = [each for each in series.values() if is_series([_member(hit) for hit in each])]
    if not found:
        return list(hits)
    spans, wanted = read_question(asked, now).spans, figures(asked)
    place, gone = dict[str, Hit](), set[str]()
    for each in found:
        meant = [h for h in each if wanted & figures(h.text) or _is_within(h.at_ms, spans)]
        if not meant and not spans:
            place[each[0].id] = max(each, key=lambda hit: hit.at_ms)
            meant = each[:1]
        gone.update(hit.id for hit in each if meant and hit not in meant)
    return [place.get(hit.id, hit) for hit in hits if hit.id not in gone]


def _is_within(at_ms: int, spans: Sequence[Span]) -> bool:
    return any(start <= at_ms <= stop for start, stop in spans)


def _member(hit: Hit) -> Member:
    """A message tells who said it, a memory whose words it gives."""
    by = hit.origin or (hit.messages[0].origin if hit.messages else None)
    return Member(by == "agent", frozenset((hit.id.encode(),)), frozenset((hit.at_ms // DAY,)))
