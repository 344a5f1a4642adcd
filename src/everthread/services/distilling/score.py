"""Score a distillation: what it kept, what a recall brings back, what is lost; and what mends a loss."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from statistics import median
from typing import NamedTuple, TypeVar

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.aside import stepping_aside
from everthread.domain.distilling.continuity import (
    KINDS,
    Item,
    KindScore,
    Lines,
    Score,
    kept,
    probe,
    score_of,
    second_probe,
    telling,
)
from everthread.domain.distilling.continuity_drawn import drawn_of
from everthread.domain.errors import EverthreadError, StoreClosed
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.gleaning.ledger import beside, entry_of
from everthread.domain.recall.findable import findable
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import redacted
from everthread.domain.text.fences import neutral
from everthread.domain.text.specifics import Specific
from everthread.ports import House
from everthread.services.memory.recall import Asked, recall

log = logging.getLogger("everthread")

SECONDS = 5.0
"""The score's own time limit."""

READ = 64
"""Texts that are kept as they were taken apart: a long one holds a megabyte."""

HITS = 5
"""What a recall must bring back is among so many."""

FIRST = 0.8
"""Of the time, so much is for the first figure; the rest is for the second."""

ABOVE = 1.1
"""What is mended weighs so much beside most of its kind: shown now, and later only a little longer."""

USUAL = 0.6
"""What the first of its kind weighs."""

SAYS = 2
"""A number or a name is added with so many telling words beside it; with fewer it says nothing."""

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
    there = kept(items, context_text, pause)
    rest = [n for n in range(len(items)) if n not in there]
    found: dict[int, bool] = {n: False for n in rest if items[n].binding or probe(items[n]) is None}
    for n in _fairly(items, [n for n in rest if n not in found]):
        if elapsed() - began >= FIRST * seconds:
            break
        found[n] = asking.brings(probe(items[n]), items[n])
    again: dict[int, bool] = {}
    for n in _fairly(items, rest):
        if elapsed() - began >= seconds:
            break
        again[n] = not items[n].binding and asking.brings(second_probe(items[n]), items[n])
    second = _share(len(there), again) if again or not rest else None
    total = score_of(_counted(items, there, found), probes=asking.probes, second=second)
    lost = [items[n] for n in rest if found.get(n) is False]
    back = [items[n] for n in rest if found.get(n) is True]
    total = total._replace(
        lost_items=tuple(map(drawn_of, lost)), recoverable_items=tuple(map(drawn_of, back))
    )
    return Scored(total, lost)


class _Asking:
    """Recalls for the score, and counts them."""

    def __init__(
        self, house: House, agent: AgentRow, thread_ref: int, pause: Callable[[], None]
    ) -> None:
        self._house, self._agent, self._pause = house, agent, pause
        self._thread = thread_ref
        self._lines = lru_cache(maxsize=READ)(Lines)  # many questions bring the same messages
        self.probes = 0

    def brings(self, query: str | None, item: Item) -> bool:
        """Does the question bring the item back? One that cannot be put does not."""
        if query is None:
            return False
        self._pause()
        self.probes += 1
        wanted = Asked(query, Scope(self._agent.ref), HITS)
        try:
            with stepping_aside(self._pause):
                hits = recall(self._house, self._agent, wanted)
        except StoreClosed:
            raise  # the program ends: whoever scores it later is not told that all is lost
        except (EverthreadError, OSError) as trouble:
            # A recall that fails brings nothing back; the distillation stands all the same.
            log.warning("a probe of the score failed: %s", trouble)
            return False
        for hit in hits:
            self._pause()
            if self._shows(hit, item):
                return True
        return False

    def _shows(self, hit: Hit, item: Item) -> bool:
        texts = (hit.text, *(findable(message) for message in hit.context))
        with stepping_aside(self._pause):
            return any(self._lines(text).holds(item) for text in texts)


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


class Repaired(NamedTuple):
    """A digest in which what was lost has its place."""

    digest: Digest
    extra: list[Point | Trace]
    """What is shown for the lost items, each as the digest holds it."""


def repairs(lost_items: Sequence[Item], digest: Digest, most: int) -> Repaired:
    """Give what was lost a place: its own entry is raised, or one is added; never a second one.

    Rules and open requests come first. What says nothing alone, and stood alone, is left out.
    """
    extra: dict[Point | Trace, None] = {}
    for item in sorted(lost_items, key=lambda each: not each.binding):
        if len(extra) >= most:
            break
        if item.kind in _POINT_OF:
            digest, mended = _told(digest, item)
        elif item.kind not in ("numbers", "names") or _says(item):
            digest, mended = _traced(digest, item)
        else:
            continue
        extra[mended] = None
    held = {*digest.points, *digest.ledger}
    return Repaired(digest, [item for item in extra if item in held])


def _says(item: Item) -> bool:
    return len(telling(item.sentence.replace(item.text, " "))) >= SAYS


def _told(digest: Digest, item: Item) -> tuple[Digest, Point]:
    """A sentence as a point. The user's rule and what the user waits for are pinned."""
    text, points = neutral(redacted(item.text)), digest.points
    known = next((p for p in points if p.text == text and p.by == item.by), None)
    kind = _POINT_OF[item.kind] if known is None or item.binding else known.kind
    weight = _raised(p.weight for p in points if p.kind == kind)
    new = known or Point(kind, text, (item.key,), item.by, item.at_ms, verbatim=True)
    pinned = new.pinned or (item.binding and item.by == "user")
    new = new._replace(kind=kind, weight=max(new.weight, weight), pinned=pinned)
    return digest._replace(points=_put(points, known, new)), new


def _traced(digest: Digest, item: Item) -> tuple[Digest, Trace]:
    """A specific as a trace: its own entry keeps what became of it, and how often it came up."""
    found = Specific(item.specific, *map(redacted, (item.text, item.sentence, item.note)))
    known = entry_of(digest.ledger, found, item.key)
    weight = _raised(t.weight for t in digest.ledger if t.kind == item.specific)
    if known is not None:
        new = known._replace(weight=max(known.weight, weight), note=known.note or _note(found))
    else:
        text, note = neutral(found.text), neutral(_note(found))
        new = Trace(item.specific, text, note, (item.key,), item.at_ms, weight=weight)
    return digest._replace(ledger=_put(digest.ledger, known, new)), new


def _note(found: Specific) -> str:
    """What became of it; beside a number or a name, which say little, the words round it."""
    if found.kind in ("number", "person", "identifier"):
        return beside(found.line, found.text)
    return found.note


def _raised(weights: Iterable[float]) -> float:
    """A little above most."""
    return ABOVE * median([*weights] or [USUAL])


T = TypeVar("T", Point, Trace)


def _put(items: tuple[T, ...], old: T | None, new: T) -> tuple[T, ...]:
    """The new one in the place of the old, or else last."""
    if old is None:
        return (*items, new)
    return tuple(new if item is old else item for item in items)
