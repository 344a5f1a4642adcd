"""Score a distillation: what it kept, what a recall brings back, what is lost; and what mends a loss."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from statistics import median
from typing import NamedTuple, TypeVar

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.continuity import (
    KINDS,
    Item,
    KindScore,
    Lines,
    Score,
    items_kept,
    probe,
    score_of,
    second_probe,
    telling_stems,
)
from everthread.domain.distilling.continuity_refs import ref_of
from everthread.domain.errors import EverthreadError, StoreClosed
from everthread.domain.gleaning.digest import Digest, Point, Trace, mark_of
from everthread.domain.gleaning.ledger import DEEDS, entry_of, words_around
from everthread.domain.gleaning.points import LASTING
from everthread.domain.pauses import stepping_aside
from everthread.domain.recall.hits import Hit
from everthread.domain.recall.search_text import search_text
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import neutralize
from everthread.domain.text.specifics import Specific
from everthread.ports import House
from everthread.services.memory.recall import RecallRequest, recall

from .stages import Between, uninterrupted

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

_REPLACED = ("decisions", "numbers")
_POINT_OF = {"decisions": "decision", "questions": "open_item", "rules": "rule"}


class ScoreResult(NamedTuple):
    """A score, and what is to be mended."""

    score: Score
    lost_items: list[Item]


def _no_pause() -> None:
    """Nobody has to be let in between two recalls."""


def score(  # noqa: PLR0913 - what is scored, and how long it may take
    house: House,
    agent: AgentRow,
    thread_ref: int,
    items: Sequence[Item],
    context_text: str,
    *,
    beside: Sequence[Item] = (),
    waiting: Container[bytes] = frozenset(),
    seconds: float = SECONDS,
    pause: Callable[[], None] = _no_pause,
    between: Between = uninterrupted,
    elapsed: Callable[[], float] = time.monotonic,
) -> ScoreResult:
    """Look for every item in the context, and ask for those that are not there, while time lasts.

    What of the user's rules was not drawn stands `beside`: it is counted only where it is missing.
    Of messages that are `waiting` for their vectors, what words alone do not find is not lost yet.
    `between` two questions, with no transaction open, others may do what is urgent; it says how long
    that took.
    """
    asking = _Asking(house, agent, thread_ref, pause)
    used = _Stopwatch(elapsed, between)
    items, there = _look_for(items, beside, context_text, pause)
    rest = [n for n in range(len(items)) if n not in there]
    found: dict[int, bool] = {n: False for n in rest if items[n].binding or probe(items[n]) is None}
    brought: dict[int, bool] = {}
    for n in _in_turn_by_kind(items, [n for n in rest if n not in found]):
        if used() >= FIRST * seconds:
            break
        brought[n] = asking.brings(probe(items[n]), items[n])
    known = _without_unsure(items, brought, waiting)
    found |= known
    again: dict[int, bool] = {}
    for n in _in_turn_by_kind(items, rest):
        if used() >= seconds:
            break
        again[n] = not items[n].binding and asking.brings(second_probe(items[n]), items[n])
    again = _without_unsure(items, again, waiting)
    second = _share(len(there), again) if again or not rest else None
    total = score_of(_count_by_kind(items, there, found), probes=asking.probes, second=second)
    lost = [items[n] for n in rest if found.get(n) is False]
    back = [items[n] for n in rest if found.get(n) is True]
    total = total._replace(
        lost_items=tuple(map(ref_of, lost)),
        recoverable_items=tuple(map(ref_of, back)),
        by_words=len(brought) - len(known),
    )
    return ScoreResult(total, lost)


class _Stopwatch:
    """The seconds that a score has used, without what was urgent in between."""

    def __init__(self, elapsed: Callable[[], float], between: Between) -> None:
        self._elapsed, self._between = elapsed, between
        self._began = elapsed()

    def __call__(self) -> float:
        self._began += self._between()
        return self._elapsed() - self._began


def _without_unsure(
    items: Sequence[Item], brought: dict[int, bool], waiting: Container[bytes]
) -> dict[int, bool]:
    """Without what was not found, and might be once its message can be found by its meaning."""
    return {
        n: there
        for n, there in brought.items()
        if there or items[n].binding or items[n].key not in waiting
    }


def _look_for(
    items: Sequence[Item], beside: Sequence[Item], text: str, pause: Callable[[], None]
) -> tuple[Sequence[Item], set[int]]:
    """The items, with those of the other rules that the text does not hold; and which of them it does."""
    drawn = {item.text for item in items if item.kind == "rules"}
    others = {rule.text: rule for rule in beside if rule.text not in drawn}
    every = [*items, *others.values()]
    there = items_kept(
        every, text, pause
    )  # all at once: one rule's line must not stand for another
    missed = [rule for n, rule in enumerate(every) if n >= len(items) and n not in there]
    return [*items, *missed], {n for n in there if n < len(items)}


class _Asking:
    """Recalls for the score, and counts them."""

    def __init__(
        self, house: House, agent: AgentRow, thread_ref: int, pause: Callable[[], None]
    ) -> None:
        self._house, self._agent, self._pause = house, agent, pause
        self._thread = thread_ref
        self._lines = lru_cache(maxsize=READ)(Lines)  # many questions bring the same messages
        self._hits = lru_cache(maxsize=READ)(self._recall)  # many items came up at one request
        self.probes = 0

    def brings(self, query: str | None, item: Item) -> bool:
        """Does the question bring the item back? One that cannot be put does not."""
        if query is None:
            return False
        self._pause()
        try:
            hits = self._hits(query)
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

    def _recall(self, query: str) -> Sequence[Hit]:
        self.probes += 1
        wanted = RecallRequest(query, Scope(self._agent.ref), HITS)
        with stepping_aside(self._pause):
            return recall(self._house, self._agent, wanted)

    def _shows(self, hit: Hit, item: Item) -> bool:
        texts = (hit.text, *(search_text(message) for message in hit.context))
        with stepping_aside(self._pause):
            return any(self._lines(text).holds(item) for text in texts)


def _in_turn_by_kind(items: Sequence[Item], wanted: Sequence[int]) -> Iterator[int]:
    """One of each kind in turn, so that what time leaves out is of every kind."""
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for n in wanted:
        by_kind[items[n].kind].append(n)
    for row in zip_longest(*by_kind.values()):
        yield from (n for n in row if n is not None)


def _share(there: int, again: dict[int, bool]) -> float:
    total = there + len(again)
    return (there + sum(again.values())) / total if total else 1.0


def _count_by_kind(
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


def items_in_force(items: Sequence[Item], digest: Digest) -> list[Item]:
    """The items, without the choices and figures of a sentence that another took the place of."""
    gone, names = frozenset(digest.gone), {"", *digest.people}
    return [
        item
        for item in items
        if item.kind not in _REPLACED
        or gone.isdisjoint(_marks(item._replace(text=item.sentence), names))
    ]


def lost_rules(lost_items: Iterable[Item], digest: Digest) -> list[Item]:
    """Those of the lost that are rules; one that the digest knows as taken back is not missing."""
    return in_force((item for item in lost_items if item.kind == "rules"), digest)


def in_force(items: Iterable[Item], digest: Digest) -> list[Item]:
    """Those of the sentences that the digest does not know as taken back, replaced or settled."""
    gone, names = frozenset(digest.gone), {"", *digest.people}
    return [item for item in items if gone.isdisjoint(_marks(item, names))]


def _marks(item: Item, names: Iterable[str]) -> set[str]:
    """By what a digest would know the sentence, whoever said it and whatever it was taken for."""
    text = neutralize(strip_secrets(item.text))
    bare = Point("rule", text, (item.key,), item.by, item.at_ms)
    return {mark_of(bare._replace(kind=kind, name=name)) for kind in LASTING for name in names}


class RepairedDigest(NamedTuple):
    """A digest in which what was lost has its place."""

    digest: Digest
    extra: list[Point | Trace]
    """What is shown for the lost items, each as the digest holds it."""


def repair_digest(lost_items: Sequence[Item], digest: Digest, most: int) -> RepairedDigest:
    """Give what was lost a place: its own entry is raised, or one is added; never a second one.

    Rules and open requests come first. What says nothing alone, and stood alone, is left out.
    """
    extra: dict[Point | Trace, None] = {}
    for item in sorted(lost_items, key=lambda each: not each.binding):
        if len(extra) >= most:
            break
        if item.kind in _POINT_OF:
            digest, mended = _add_point(digest, item)
        elif item.kind not in ("numbers", "names") or _is_telling(item):
            digest, mended = _add_trace(digest, item)
        else:
            continue
        extra[mended] = None
    held = {*digest.points, *digest.ledger}
    return RepairedDigest(digest, [item for item in extra if item in held])


def _is_telling(item: Item) -> bool:
    return len(telling_stems(item.sentence.replace(item.text, " "))) >= SAYS


def _add_point(digest: Digest, item: Item) -> tuple[Digest, Point]:
    """A sentence as a point. The user's rule and what the user waits for are pinned."""
    text, points = neutralize(strip_secrets(item.text)), digest.points
    known = next((p for p in points if p.text == text and p.by == item.by), None)
    kind = _POINT_OF[item.kind] if known is None or item.binding else known.kind
    weight = _raised_weight(p.weight for p in points if p.kind == kind)
    new = known or Point(kind, text, (item.key,), item.by, item.at_ms, verbatim=True)
    pinned = new.pinned or (item.binding and item.by == "user")
    new = new._replace(kind=kind, weight=max(new.weight, weight), pinned=pinned)
    return digest._replace(points=_replace_item(points, known, new)), new


def _add_trace(digest: Digest, item: Item) -> tuple[Digest, Trace]:
    """A specific as a trace: its own entry keeps what became of it, and how often it came up."""
    found = Specific(item.specific, *map(strip_secrets, (item.text, item.sentence, item.note)))
    known = entry_of(digest.ledger, found, item.key)
    weight = _raised_weight(t.weight for t in digest.ledger if t.kind == item.specific)
    by = "" if item.specific in DEEDS else item.by
    if known is not None:
        new = known._replace(weight=max(known.weight, weight))
        new = new if known.note else new._replace(note=_note(found), by=by)
    else:
        text, note = neutralize(found.text), neutralize(_note(found))
        new = Trace(item.specific, text, note, (item.key,), item.at_ms, weight=weight, by=by)
    return digest._replace(ledger=_replace_item(digest.ledger, known, new)), new


def _note(found: Specific) -> str:
    """What became of it; beside a number or a name, which say little, the words round it."""
    if found.kind in ("number", "person", "identifier"):
        return words_around(found.line, found.text)
    return found.note


def _raised_weight(weights: Iterable[float]) -> float:
    """A little above most."""
    return ABOVE * median([*weights] or [USUAL])


T = TypeVar("T", Point, Trace)


def _replace_item(items: tuple[T, ...], old: T | None, new: T) -> tuple[T, ...]:
    """The new one in the place of the old, or else last."""
    if old is None:
        return (*items, new)
    return tuple(new if item is old else item for item in items)
