"""Score a distillation: what it kept, what a recall brings back, what is lost; and what mends a loss."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.continuity import (
    KINDS,
    Item,
    KindScore,
    Lines,
    Score,
    kept,
    probe,
    score_of,
    second_probe,
)
from everthread.domain.distillation import Point, Trace
from everthread.domain.fences import neutral
from everthread.domain.findable import findable
from everthread.domain.hits import Hit
from everthread.domain.redaction import redacted
from everthread.ports import House

from .recall import Asked, recall

SECONDS = 5.0
"""The score's own time limit."""

HITS = 5
"""What a recall must bring back is among so many."""

FIRST = 0.8
"""Of the time, so much is for the first figure; the rest is for the second."""

MENDED = 100.0
"""The weight of what is added because it was lost: it has a place before what only might be asked for."""

BESIDE = 80
"""Characters of a sentence that are put beside a number."""

_POINT_OF = {"decisions": "decision", "questions": "open_item", "rules": "rule"}


class Scored(NamedTuple):
    """A score, and what is to be mended."""

    score: Score
    lost_items: list[Item]


def _go_on() -> None:
    """Nobody has to be let in between two recalls."""


def score(  # noqa: PLR0913 - what is scored, and how long it may take
    house: House,
    agent: AgentRow,
    thread_ref: int,
    items: Sequence[Item],
    context_text: str,
    *,
    seconds: float = SECONDS,
    pause: Callable[[], None] = _go_on,
    elapsed: Callable[[], float] = time.monotonic,
) -> Scored:
    """Look for every item in the context, and ask for those that are not there, while time lasts."""
    asking = _Asking(house, agent, thread_ref, pause)
    began = elapsed()
    there = kept(items, context_text)
    rest = [n for n in range(len(items)) if n not in there]
    found: dict[int, bool] = {n: False for n in rest if probe(items[n]) is None}
    for n in _fairly(items, [n for n in rest if n not in found]):
        if elapsed() - began >= FIRST * seconds:
            break
        found[n] = asking.brings(probe(items[n]), items[n])
    again: dict[int, bool] = {}
    for n in _fairly(items, rest):
        if elapsed() - began >= seconds:
            break
        again[n] = asking.brings(second_probe(items[n]), items[n])
    second = _share(len(there), again) if again or not rest else None
    total = score_of(_counted(items, there, found), probes=asking.probes, second=second)
    return Scored(total, [items[n] for n in rest if found.get(n) is False])


class _Asking:
    """Recalls for the score, and counts them."""

    def __init__(
        self, house: House, agent: AgentRow, thread_ref: int, pause: Callable[[], None]
    ) -> None:
        self._house, self._agent, self._pause = house, agent, pause
        self._thread = thread_ref
        self.probes = 0

    def brings(self, query: str | None, item: Item) -> bool:
        """Does the question bring the item back? One that cannot be put does not."""
        if query is None:
            return False
        self._pause()
        self.probes += 1
        # Without the thread: what is primed comes without being asked for, and proves nothing.
        wanted = Asked(query, Scope(self._agent.ref), HITS)
        return any(_shows(hit, item) for hit in recall(self._house, self._agent, wanted))


def _shows(hit: Hit, item: Item) -> bool:
    texts = (hit.text, *(findable(message) for message in hit.context))
    return any(Lines(text).holds(item) for text in texts)


def _fairly(items: Sequence[Item], wanted: Sequence[int]) -> Iterator[int]:
    """One of each kind in turn, so that what time leaves out is of every kind."""
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for n in wanted:
        by_kind[items[n].kind].append(n)
    for row in zip_longest(*by_kind.values()):
        yield from (n for n in row if n is not None)


def _share(there: int, again: dict[int, bool]) -> float:
    total = there + len(again)
    return (there + sum(again.values())) / total if total else 1.0


def _counted(
    items: Sequence[Item], there: set[int], found: dict[int, bool]
) -> dict[str, KindScore]:
    counts = {kind: KindScore() for kind in KINDS}
    for n, item in enumerate(items):
        old = counts[item.kind]
        counts[item.kind] = KindScore(
            old.total + 1,
            old.kept + (n in there),
            old.recoverable + (found.get(n) is True),
            old.lost + (found.get(n) is False),
        )
    return {kind: count for kind, count in counts.items() if count.total}


def _beside(item: Item) -> str:
    """What a number counts, where nobody could name it in a word: the sentence around it."""
    return item.sentence[:BESIDE] if item.kind == "numbers" else ""


def repairs(lost_items: Sequence[Item]) -> list[Trace | Point]:
    """What is added to the ledger, or to the summary, for each item that was lost."""
    return [_repair(item) for item in lost_items]


def _repair(item: Item) -> Trace | Point:
    text = neutral(redacted(item.text))
    if item.kind in _POINT_OF:
        return Point(
            kind=_POINT_OF[item.kind],
            text=text,
            sources=(item.key,),
            by=item.by,
            at_ms=item.at_ms,
            weight=MENDED,
            verbatim=True,
            pinned=item.kind == "rules",
        )
    return Trace(
        kind=item.specific,
        text=text,
        note=neutral(redacted(item.note or _beside(item))),
        sources=(item.key,),
        at_ms=item.at_ms,
        weight=MENDED,
    )
