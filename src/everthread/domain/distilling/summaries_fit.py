"""Which points and traces a summary shows: by what each is worth for the tokens it costs.

Pinned points come first, on top of the room for the rest. What each is worth, `summaries_worth` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.choices.answer_pairs import answer_pairs, says_nothing
from everthread.domain.gleaning.choices.empty_consents import is_empty_consent
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.gleaning.later_words import later_words
from everthread.domain.pauses import step_aside

from .continuity_items import holds, telling_stems
from .summaries_lines import Style
from .summaries_repeats import (
    QUOTED,
    is_prose_of,
    repeated_traces,
    tells_nothing,
    told_by,
    with_context,
    without_lead,
)
from .summaries_worth import PRICE, listed_files, rank_items

Count = Callable[[str], int]

ROUNDS = 4
"""So often the room of what turned out to be told twice is given away again."""

_ALONE = frozenset((kind, "user") for kind in ("decision", "correction", "rule", "open_item"))
"""What a person decided, corrected and laid down, and what is still to be done: unmarked, it seems done."""

LEAST = 24
"""Tokens that a pinned point is cut down to, where it would find no room whole."""


class Room(NamedTuple):
    """The tokens of a summary."""

    share: int
    """For what is not pinned."""
    most: int
    """For all of it: rules and open requests stand on top of the share, up to here."""


class Choice(NamedTuple):
    """Something that could be shown, and its line."""

    item: Point | Trace
    line: str
    cost: int
    rank: tuple[float, ...]


class Page:
    """A summary as it fills."""

    def __init__(self, room: Room, count: Count, style: Style) -> None:
        self._share, self._most = room
        self._count, self._style = count, style
        self._headings: set[str] = set()
        self._texts: dict[bytes, list[str]] = {}
        self._items: set[Point | Trace] = set()
        self.chosen: list[Choice] = []

    def shows(self, item: Point | Trace) -> bool:
        """Is it part of what is quoted already of the same message?"""
        if _stands_alone(item) or (isinstance(item, Trace) and item.kind != "number"):
            return False
        return _is_said_in(item, self._texts.get(item.sources[-1], ()))

    def has(self, item: Point | Trace) -> bool:
        """Has it a line of its own, or is it quoted in another?"""
        return item in self._items or self.shows(item)

    def left(self, item: Point | Trace) -> int:
        """The tokens that it may take."""
        return self._most if _is_pinned(item) else min(self._share, self._most)

    def take(self, choice: Choice) -> bool:
        """Show it, if there is room for it and for the headings that it needs."""
        item = choice.item
        new = [name for name in self._style.headings(item) if name not in self._headings]
        cost = choice.cost + sum(self._count(self._style.heading(name) + "\n") for name in new)
        if cost > self.left(item):
            return False
        self._most -= cost
        self._share -= 0 if _is_pinned(item) else cost
        self._headings.update(new)
        self.chosen.append(choice)
        self._items.add(item)
        for source in item.sources if isinstance(item, Point) else ():
            self._texts.setdefault(source, []).append(item.text)
        return True

    def drop_repeats(self) -> int:
        """Take out what a later line tells as well: numbers, parts of what is told whole. The room of it."""
        before = sum(c.cost for c in self.chosen)
        kept = [c for c in self.chosen if not self._is_repeated(c.item)]
        kept = _once(_join_choices(_with_rules(kept, self._worded), self._worded))
        freed = before - sum(c.cost for c in kept)
        self._most, self._share, self.chosen = self._most + freed, self._share + freed, kept
        return freed

    def _worded(self, point: Point, rank: tuple[float, ...]) -> Choice:
        return _choice(point, rank, self._count, self._style)

    def _is_repeated(self, item: Point | Trace) -> bool:
        if isinstance(item, Trace):
            return self.shows(item)
        texts = self._texts.get(item.sources[-1], ())
        longer = [t for t in texts if len(t) > len(item.text)]
        return not _stands_alone(item) and _is_said_in(item, longer)


def choose(
    digest: Digest, extra: Sequence[Point | Trace], room: Room, count: Count, style: Style
) -> list[Choice]:
    """What is shown, in no order."""
    page = Page(room, count, style)
    every = sorted(_choices(digest, extra, count, style), key=lambda c: c.rank)
    of = {choice.item: choice for choice in every}
    pairs = answer_pairs(digest.points)
    empty = {p for pair in pairs.items() if is_empty_consent(pair[1], pair[0]) for p in pair}
    later = later_words(digest.points)
    before: Mapping[Point | Trace, Choice | None] = {
        a: of.get(q) for a, q in (later | pairs).items()
    }
    told = [c for c in every if c.item not in empty]
    left = [c for c in told if c.item in before or not _says_nothing(c.item)]
    for _ in range(ROUNDS):
        left = [c for c in left if not _take_choice(page, c, count, style, before.get(c.item))]
        if not page.drop_repeats():
            break
    return page.chosen


def _says_nothing(item: Point | Trace) -> bool:
    return tells_nothing(item) or (isinstance(item, Point) and says_nothing(item))


def _take_choice(
    page: Page, choice: Choice, count: Count, style: Style, asked: Choice | None = None
) -> bool:
    """Is it told now, whole, in part, or by another line? Only with what it needs beside it.

    That is what it answers, or what was said later and may change it.
    """
    if asked is not None and not page.has(asked.item):
        # Where all of it takes more room than was thought, the answer goes before what it answers.
        first = asked._replace(rank=(*choice.rank[:-1], choice.rank[-1] - 1))
        if not page.take(first):
            return False
    if page.has(choice.item) or page.take(choice):
        return True
    shorter = _cut(choice, page.left(choice.item), count, style)
    return shorter is not None and page.take(shorter)


def _is_said_in(item: Point | Trace, texts: Sequence[str]) -> bool:
    """Does one of the texts say it? A number only where most of the words round it are there as well."""
    step_aside()
    if isinstance(item, Point):
        words = item.text.removesuffix("…")
        return any(words in text for text in texts)
    beside = telling_stems(item.note)
    return any(
        holds(text, item.text) and 2 * len(beside & telling_stems(text)) >= len(beside)
        for text in texts
    )


def _join_choices(
    chosen: Sequence[Choice], worded: Callable[[Point, tuple[float, ...]], Choice]
) -> list[Choice]:
    """What a person decided or put right, told once: in its section, with all that she said to it."""
    quoted = [(c, c.item) for c in chosen if isinstance(c.item, Point) and c.item.kind in QUOTED]
    kept, told = list[Choice](), list[Choice]()
    # What she decided goes before what she put right by it.
    for choice in sorted(chosen, key=lambda c: c.item.kind != "decision"):
        item = choice.item
        if not isinstance(item, Point) or item.pinned or not _stands_alone(item):
            kept.append(choice)
            continue
        around = (
            (c, p)
            for c, p in quoted
            if p.sources[-1] == item.sources[-1] and _is_said_in(item, (p.text,))
        )
        whole, said = max(around, key=lambda one: len(one[1].text), default=(choice, item))
        if whole is choice:
            kept.append(choice)
        elif whole not in told:
            told.append(whole)
            kept.append(worded(item._replace(text=said.text), min(choice.rank, whole.rank)))
    return [choice for choice in kept if choice not in told]


def _with_rules(
    chosen: Sequence[Choice], worded: Callable[[Point, tuple[float, ...]], Choice]
) -> list[Choice]:
    """A rule with what was said round it, in place of both."""
    points = [c.item for c in chosen if isinstance(c.item, Point)]
    ruled = [p for p in points if p.kind == "rule"]
    around = {rule: whole for rule in ruled if (whole := with_context(rule, points))}
    told = {*around.values()}
    return [
        worded(c.item._replace(text=around[c.item].text), c.rank)
        if isinstance(c.item, Point) and c.item in around
        else c
        for c in chosen
        if c.item not in told
    ]


def _once(chosen: Sequence[Choice]) -> list[Choice]:
    """The same without what another line tells as well."""
    points = [c.item for c in chosen if isinstance(c.item, Point)]
    traces = [c.item for c in chosen if isinstance(c.item, Trace)]
    return [
        c
        for c in chosen
        if not (
            is_prose_of(c.item, traces) if isinstance(c.item, Trace) else told_by(c.item, points)
        )
    ]


def _stands_alone(item: Point | Trace) -> bool:
    """Is it told in its section whatever is quoted elsewhere? There a successor looks for it."""
    return _is_pinned(item) or (isinstance(item, Point) and (item.kind, item.by) in _ALONE)


def _is_pinned(item: Point | Trace) -> bool:
    return isinstance(item, Point) and item.pinned


def _choices(
    digest: Digest, extra: Sequence[Point | Trace], count: Count, style: Style
) -> Iterator[Choice]:
    added = set(extra)
    first = dict.fromkeys(extra)
    added |= repeated_traces(digest.ledger)
    known = [i for i in (*digest.points, *digest.ledger) if i not in added]
    for n, item in enumerate(first):
        yield _choice(item, (1.0, float(n)), count, style)
    asked = max((i.at_ms for i in known if isinstance(i, Point) and _is_open(i)), default=0)
    for item, worth in rank_items([_shown(item) for item in known], listed_files(digest)):
        choice = _choice(item, (), count, style)
        if isinstance(item, Point) and item.pinned:
            # What is asked for now, then the rules, then what was asked before.
            order = 0.0 if _is_open(item) and item.at_ms == asked else float(_is_open(item)) + 1.0
            yield choice._replace(rank=(0.0, order, -float(item.at_ms)))
        else:
            yield choice._replace(rank=(2.0, -worth / choice.cost**PRICE, -float(item.at_ms)))


def _shown(item: Point | Trace) -> Point | Trace:
    return without_lead(item) if isinstance(item, Point) else item


def _is_open(point: Point) -> bool:
    """Is it a request that is still open?"""
    return point.pinned and point.kind != "rule"


def _choice(item: Point | Trace, rank: tuple[float, ...], count: Count, style: Style) -> Choice:
    line = style.line(item)
    return Choice(item, line, count(line + "\n"), rank)


def _cut(choice: Choice, left: int, count: Count, style: Style) -> Choice | None:
    """The beginning of a pinned point, where the whole finds no room."""
    point = choice.item
    if left < LEAST or not isinstance(point, Point) or not point.pinned:
        return None
    words = point.text.split()
    while len(words) > 3:  # noqa: PLR2004 - three words say something
        words = words[: len(words) * 3 // 4]
        part = point._replace(text=" ".join(words) + " …")
        shorter = _choice(part, choice.rank, count, style)
        if shorter.cost + 8 <= left:
            return shorter
    return None
