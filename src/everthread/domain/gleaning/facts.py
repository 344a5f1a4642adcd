"""What of a range is worth a memory: the durable statements that its digest gained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.memory.junk import junk
from everthread.domain.text.sayings import alike
from everthread.domain.text.sentences import stretches

from .answers import answers, leads_on, parted
from .digest import Digest, Point
from .points import MOST as CARRIED
from .said import KEPT
from .series import newly
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


_LABEL = re.compile(r"\A(?:[-*+•]\s+)?(?:\*\*)?\(?(?:\d{1,2}|[A-Za-z])[.)]\s+")
_OPEN = "open_item"
_ENDS = ("?", "\uff1f", ":", "\uff1a", ".", "!", "…")


class Fact(NamedTuple):
    """A statement for the memory."""

    kind: str
    """One of `memories.KINDS`."""
    text: str
    sources: tuple[bytes, ...]
    by: Origin
    weight: float
    said: int = 1
    """How often it was said in the range: of a report, how many of them came."""


def memories_of(
    before: Digest, after: Digest, pause: Callable[[], None] = lambda: None
) -> list[Fact]:
    """What the later digest holds and the earlier did not, of each kind the weightiest.

    `pause` is called for each point: comparing them takes some milliseconds.
    """
    known = {(p.kind, p.text) for p in (*before.points, *_with_questions(before))}
    fresh = [p for p in _with_questions(after) if (p.kind, p.text) not in known]
    kinds: dict[str, list[Fact]] = {kind: [] for kind in MOST}
    for point in sorted(fresh, key=lambda p: (-p.weight, -p.at_ms)):
        pause()
        fact = _fact(point)
        if fact and len(kinds[fact.kind]) < MOST[fact.kind] and not _said(fact, kinds[fact.kind]):
            kinds[fact.kind].append(fact._replace(said=newly(point, before.points)))
    return [fact for facts in kinds.values() for fact in facts]


class Closed(NamedTuple):
    """What was open, and is so no longer."""

    points: Sequence[Point] = ()
    until_ms: int = 0
    """Up to when all that closed it was said."""


NOTHING_CLOSED = Closed()


def closed_of(before: Digest, after: Digest) -> Closed:
    """What the earlier digest held open and the later does not: done, answered, taken back, left behind.

    What only lost its place to others is as open as it was.
    """
    left = [p for p in after.points if p.kind == _OPEN]
    full = len(left) >= CARRIED[_OPEN]
    gone = [
        p
        for p in before.points
        if p.kind == _OPEN and not _still(p, left) and (p.by == "user" or not full)
    ]
    return Closed(gone, after.last_ms)


def _still(point: Point, left: Iterable[Point]) -> bool:
    """Is it among these, in its words or said over again in others?"""
    return any(
        point.text == other.text or set(point.sources) < set(other.sources) for other in left
    )


def _with_questions(digest: Digest) -> list[Point]:
    """The points; an answer together with its question, for alone it names nothing.

    Whoever asked, the memory is the word of who answered.
    """
    pairs = answers(digest.points)
    told: list[Point] = []
    for point in digest.points:
        if (asked := pairs.get(point)) is not None:
            both = tuple(dict.fromkeys((*asked.sources, *point.sources)))
            point = point._replace(text=_answered(asked.text, point.text), sources=both)  # noqa: PLW2901 - the same point, completed
        if not leads_on(point):
            told.append(point)
    return told


def _answered(asked: str, answer: str) -> str:
    """A question with its answer; a label with what it stands for: `Which one? 2 (the second in full)`."""
    question, item = parted(asked)
    if not item:
        return f"{asked} {answer}"
    bare = _LABEL.sub("", item).replace("**", "")
    room = max(LONGEST - len(question) - len(answer) - 4, 0)
    short = bare if len(bare) <= room else f"{bare[:room].rpartition(' ')[0]}…"
    return f"{_leading(question)} {answer} ({short})"


def _leading(text: str) -> str:
    """A question, or what introduces a list: with a colon, so that nobody reads on as if it were one."""
    return text if text.endswith(_ENDS) else f"{text}:"


def _fact(point: Point) -> Fact | None:
    kind = _KIND.get(point.kind)
    text = _short(point.text)
    asked = point.by == "user" and point.weight >= KEPT
    if kind is None or (len(text) < SHORTEST and not asked):
        return None
    told = (kind in ("fact", "decision") and not asked) or point.by != "user"
    if junk(text, origin="agent" if told else "user", kind=kind) is not None:
        return None
    if kind == "fact" and not asked and density(text) < DENSE:
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
