"""What of a range is worth a memory: the durable statements that its digest gained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.memory.junk import junk
from everthread.domain.text.sayings import alike
from everthread.domain.text.sentences import stretches

from .digest import Digest, Point
from .text import density

SHORTEST, LONGEST = 15, 300
"""Characters of a memory that nobody asked for."""

MOST: Mapping[str, int] = {
    "rule": 20,
    "identity": 10,
    "preference": 10,
    "correction": 10,
    "decision": 10,
    "open_item": 10,
    "fact": 20,
}
"""How many memories of a kind one distillation makes at most; the order is that of the list."""

DENSE = 0.45
"""A fact that is no more specific than this would be found by no question."""

_KIND: Mapping[str, str] = {
    "rule": "rule",
    "identity": "identity",
    "preference": "preference",
    "correction": "correction",
    "decision": "decision",
    "open_item": "open_item",
    "fact": "fact",
    "failure": "fact",
}


_SETTLED = frozenset({"decision", "fact"})
"""A question among these was answered: by the point after it."""


class Fact(NamedTuple):
    """A statement for the memory."""

    kind: str
    """One of `memories.KINDS`."""
    text: str
    sources: tuple[bytes, ...]
    by: Origin
    weight: float


def memories_of(before: Digest, after: Digest) -> list[Fact]:
    """What the later digest holds and the earlier did not, of each kind the weightiest."""
    known = {(p.kind, p.text) for p in before.points}
    fresh = [p for p in _with_questions(after) if (p.kind, p.text) not in known]
    kinds: dict[str, list[Fact]] = {kind: [] for kind in MOST}
    for point in sorted(fresh, key=lambda p: (-p.weight, -p.at_ms)):
        fact = _fact(point)
        if fact and len(kinds[fact.kind]) < MOST[fact.kind] and not _said(fact, kinds[fact.kind]):
            kinds[fact.kind].append(fact)
    return [fact for facts in kinds.values() for fact in facts]


def _with_questions(digest: Digest) -> list[Point]:
    """The points; an answer together with its question, for alone it names nothing.

    Whoever asked, the memory is the word of who answered.
    """
    told: list[Point] = []
    asked: Point | None = None
    for point in digest.points:
        if asked is not None and (point.kind, point.by) == (asked.kind, "user"):
            both = tuple(dict.fromkeys((*asked.sources, *point.sources)))
            point = point._replace(text=f"{asked.text} {point.text}", sources=both)  # noqa: PLW2901 - the same point, completed
        settled = point.kind in _SETTLED and point.text.endswith(("?", "\uff1f"))
        asked = point if settled else None
        if not settled:
            told.append(point)
    return told


def _fact(point: Point) -> Fact | None:
    kind = _KIND.get(point.kind)
    text = _short(point.text)
    if kind is None or len(text) < SHORTEST:
        return None
    told = kind in ("fact", "decision") or point.by != "user"
    if junk(text, origin="agent" if told else "user", kind=kind) is not None:
        return None
    if kind == "fact" and density(text) < DENSE:
        return None
    return Fact(kind, text, point.sources, point.by, point.weight)


def _short(text: str) -> str:
    """Its first sentences that find room; nothing if not even one does."""
    if len(text) <= LONGEST:
        return text
    ends = [place.end for place in stretches(text) if place.end <= LONGEST]
    return text[: ends[-1]].strip() if ends else ""


def _said(fact: Fact, others: Iterable[Fact]) -> bool:
    return any(alike(fact.text, other.text) for other in others)
