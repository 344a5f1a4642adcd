"""What of a range is worth a memory: the durable statements that its digest gained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.memory.contradictions import personal
from everthread.domain.memory.junk import junk
from everthread.domain.memory.memories import Whose
from everthread.domain.text.attributes import attributes
from everthread.domain.text.sayings import alike
from everthread.domain.text.sentences import stretches

from .answers import answers, leads_on, parted
from .changed import OWN
from .digest import Digest, Point, mark_of, two
from .points import LASTING
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

NODS = 6
"""Words of one who agrees to what others agreed to before: it says no more than they did."""

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
    principal: str | None = None
    """Whose it is, where all of it is one person's."""


def memories_of(
    before: Digest,
    after: Digest,
    pause: Callable[[], None] = lambda: None,
    whose: Whose = lambda _: None,
) -> list[Fact]:
    """What the later digest holds and the earlier did not, of each kind the weightiest.

    `pause` is called for each point: comparing them takes some milliseconds. What one person said does
    not stand for what another did: she is never told it.
    """
    known = {(p.kind, p.text) for p in (*before.points, *_with_questions(before))}
    ruled = [p for p in after.points if p.kind == "rule"]
    fresh = [p for p in _with_questions(after) if (p.kind, p.text) not in known]
    fresh = [p for p in fresh if p.kind != "fact" or not _told_as_rules(p, ruled)]
    kinds: dict[str, list[tuple[Fact, str]]] = {kind: [] for kind in MOST}
    for point in sorted(fresh, key=lambda p: (-p.weight, -p.at_ms)):
        pause()
        fact = _fact(point)
        if fact is None or len(kinds[fact.kind]) >= MOST[fact.kind]:
            continue
        fact = fact._replace(principal=whose(fact.sources))
        if not _said(fact, point.name, kinds[fact.kind]):
            told = fact._replace(said=newly(point, before.points))
            kinds[fact.kind].append((told, point.name))
    return [fact for facts in kinds.values() for fact, _ in facts]


def _told_as_rules(fact: Point, ruled: Iterable[Point]) -> bool:
    """Do its rules say nearly all of it? Kept as a fact besides, it would outlive them."""
    rest = fact.text
    for rule in ruled:
        if not set(rule.sources).isdisjoint(fact.sources):
            rest = rest.replace(rule.text, "")
    return rest != fact.text and (len(rest.strip()) < SHORTEST or density(rest) < DENSE)


class Closed(NamedTuple):
    """What was open, or in force, and is so no longer."""

    points: Sequence[Point] = ()
    until_ms: int = 0
    """Up to when all that closed it was said."""


NOTHING_CLOSED = Closed()


def closed_of(before: Digest, after: Digest) -> Closed:
    """What the earlier digest held open or in force, and what was done, answered or taken back since.

    Only what was seen to end does. What is not in the later digest may have lost its place to others, or
    a model left it out: it is as open, and holds as it did.
    """
    marks = {*after.gone}
    answered = {p.text for p in after.points if p.kind == "request" and p.by == "user"}
    left = [p for p in after.points if p.kind in LASTING]
    over = [p for p in before.points if p.kind in LASTING and not _still(p, left)]
    over = [p for p in over if mark_of(p) in marks or (p.kind == _OPEN and p.text in answered)]
    gone = [p for p in over if p.kind == _OPEN]
    ended = [p for p in over if p.kind != _OPEN and not leads_on(p)]
    if ended:
        pairs = answers(before.points)
        asked = {*pairs.values()} - pairs.keys()
        gone.extend(_with_question(point, pairs) for point in ended if point not in asked)
    return Closed(gone, after.last_ms)


def _still(point: Point, left: Iterable[Point]) -> bool:
    """Is it among these, in its words or said over again in others?"""
    return any(
        point.text == other.text or set(point.sources) < set(other.sources) for other in left
    )


def _with_questions(digest: Digest) -> list[Point]:
    """The points; an answer together with its question, for alone it names nothing.

    Whoever asked, the memory is the word of who answered; of several who agreed, of the first, and of
    those who said more than that.
    """
    pairs = answers(digest.points)
    first = {asked: answer for answer, asked in reversed(pairs.items())}
    left_out = {asked for asked in first if asked not in pairs}
    further = [answer for answer, asked in pairs.items() if first[asked] is not answer]
    left_out |= {answer for answer in further if len(answer.text.split()) <= NODS}
    told = (_with_question(point, pairs) for point in digest.points if point not in left_out)
    return [point for point in told if not leads_on(point)]


def _with_question(point: Point, pairs: Mapping[Point, Point]) -> Point:
    asked = pairs.get(point)
    if asked is None or (point.kind == "fact" and attributes(point.text)):
        return point
    both = tuple(dict.fromkeys((*asked.sources, *point.sources)))
    told = _answered(asked.text, point.text)
    if asked.by == "user" and asked.name.casefold() != point.name.casefold():
        told = f"{asked.name}: {asked.text} {point.name}: {point.text}"
    return point._replace(text=told, sources=both)


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
    plain = point.by == "user" and attributes(text)
    if kind == "fact" and not asked and not plain and density(text) < DENSE:
        return None
    return Fact(kind, text, point.sources, point.by, point.weight)


def _short(text: str) -> str:
    """Its first sentences that find room; nothing if not even one does."""
    if len(text) <= LONGEST:
        return text
    ends = [place.end for place in stretches(text) if place.end <= LONGEST]
    return text[: ends[-1]].strip() if ends else ""


def _said(fact: Fact, name: str, others: Iterable[tuple[Fact, str]]) -> bool:
    own = fact.kind in OWN or personal(fact.text)
    hers = (
        other
        for other, who in others
        if other.principal == fact.principal and not (own and two(name, who))
    )
    return any(alike(fact.text, other.text) for other in hers)
