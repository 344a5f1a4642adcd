"""The points that are carried: bounded by kind, each once, the later in place of what it contradicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from everthread.domain.memory.laid_anew import is_laid_anew, lays_anew
from everthread.domain.text.rule_periods import has_ended
from everthread.domain.text.sayings import likeness_of, parse_statement
from everthread.domain.times import DAY

from .digest import SECTION_OF, WORDS, Point, are_two_people, mark_of
from .message_text import bag_of
from .point_changes import CORRECTION, STANDING, Change
from .roots import roots
from .series import combined_series, fold_series, members

MOST: Mapping[str, int] = {
    "request": 110,
    WORDS: 100,
    "rule": 120,
    "preference": 20,
    "identity": 15,
    "done": 55,
    "decision": 45,
    "state": 12,
    "fact": 90,
    "open_item": 30,
    "correction": 30,
    "failure": 25,
    "tone": 1,
}
"""How many points of a kind are carried: about five hundred and fifty in all."""

LASTING = frozenset({"open_item", "rule", "preference", "decision"})
"""What is open, or holds, until somebody says otherwise."""

_INSTRUCTING = ("rule", "preference", "decision", "request", "open_item", WORDS)
"""As what an instruction may be carried."""

_NAMING_DAYS = ("rule", "preference", "decision", "correction", "fact")
"""What may say until when it holds."""

GONE = 300
"""So many are known as gone; what went before those is kept as it stands."""

PINNED = 24
"""So many open requests are pinned; of more the oldest are open no longer."""

SOURCES = 4
"""Messages that a point names: its first, and its newest."""

NEAR = 0.8
"""Of the telling words of both, so many in common make two points one."""

AKIN = 0.5
"""Of a statement's telling words, so many must be in another before the two are compared closely."""

_EARLY = 0.75
"""What was said first counts so much as what was said last; what lies between counts less."""


@dataclass(slots=True)
class Entry:
    """A point, and what is known of it only while messages are read."""

    point: Point
    bag: frozenset[str]
    turn: int = 0
    """How many messages the person had written when she asked for it, or came back to it."""
    state: str = ""
    """How it stands with what is open: see `Stands`."""


class Points:
    """All points, by kind, in the order in which they came."""

    def __init__(self, before: Iterable[Point] = (), gone: Iterable[str] = ()) -> None:
        self._kinds: dict[str, list[Entry]] = {kind: [] for kind in SECTION_OF}
        for point in before:
            self._kinds[point.kind].append(Entry(point, bag_of(point.text)))
        self._gone = dict.fromkeys(gone)
        self.retired: list[Point] = []
        """What a later statement took the place of, for whoever carries its figures, too."""

    def gone(self) -> tuple[str, ...]:
        """The marks of what was open or in force, and is so no longer because somebody said so."""
        return tuple(self._gone)[-GONE:]

    def _leaves(self, point: Point) -> None:
        if point.kind in LASTING:
            self._mark(point)

    def _mark(self, point: Point) -> None:
        mark = mark_of(point)
        self._gone.pop(mark, None)
        self._gone[mark] = None

    def __iter__(self) -> Iterator[Point]:
        return (entry.point for entries in self._kinds.values() for entry in entries)

    def of(self, kind: str) -> list[Entry]:
        return self._kinds[kind]

    def add(self, point: Point) -> Entry:
        """Take in a point, or join it to the one that says the same."""
        if point.kind in LASTING:
            self._gone.pop(mark_of(point), None)
        entry = Entry(point, bag_of(point.text))
        entries = self._kinds[point.kind]
        for old in _similar_entries(entry, entries):
            if said := _same_text(entry, old):
                return self._joined(entries, old, entry, keep_old=said == "narrower")
        if before := members(point, [e.point for e in entries]):
            gone = set(map(id, before))
            self._kinds[point.kind] = [e for e in entries if id(e.point) not in gone]
            point = fold_series(point, before, bounded_sources)
            entry = Entry(point, bag_of(point.text))
        self._retire(point)
        self._lay_anew(point)
        entries = self._kinds[point.kind]
        entries.append(entry)
        if len(entries) > MOST[point.kind]:
            self._evict(entries)
        return entry

    def _retire(self, point: Point) -> None:
        """What was said before and no longer stands goes: of any kind, for a person changes her mind."""
        if point.kind not in STANDING and (point.kind, point.by) != ("correction", "user"):
            return
        change = Change(point)
        for kind in (*STANDING, CORRECTION):
            entries = self._kinds[kind]
            gone = [change.retires(e.point, e.bag) for e in entries]
            if point.kind == kind == "decision" and entries and _is_question(entries[-1].point):
                gone[-1] = False  # its answer is what comes now
            if any(gone):
                self._kinds[kind] = [e for e, out in zip(entries, gone, strict=True) if not out]
                for entry in [e for e, out in zip(entries, gone, strict=True) if out]:
                    self._mark(entry.point)
                    self.retired.append(entry.point)
                    self.unsay(entry.point)

    def _lay_anew(self, point: Point) -> None:
        """What she asked for, or how, and now asks for otherwise, goes; whatever it was taken for."""
        if point.by != "user" or not lays_anew(point.text):
            return
        for kind in _INSTRUCTING:
            for entry in [e for e in self._kinds[kind] if e.point.by == "user"]:
                old = entry.point
                if is_laid_anew(point.text, old.text) and not are_two_people(point.name, old.name):
                    self.end(entry)

    def expire(self, before_ms: int, now_ms: int) -> None:
        """What named its last day, and that is past, goes. It is looked for with the first word of a day."""
        if now_ms // DAY <= before_ms // DAY:
            return
        for kind in _NAMING_DAYS:
            for entry in [e for e in self._kinds[kind] if e.point.by == "user"]:
                if has_ended(entry.point.text, entry.point.at_ms, now_ms):
                    self.end(entry)

    def unsay(self, point: Point) -> None:
        """What no longer stands is not told by the whole of its message, or as a fact, either."""
        said = {*point.sources}
        for kind in (WORDS, "fact"):
            self._kinds[kind] = [
                e
                for e in self._kinds[kind]
                if said.isdisjoint(e.point.sources) or point.text not in e.point.text
            ]

    def replace_text(self, entry: Entry, text: str, gone: str) -> None:
        """A sentence of it holds no longer: what is left stands in its place. Without any, it goes.

        Both are known as gone, whatever they were told as.
        """
        point = entry.point
        self._mark(point)
        self._mark(point._replace(kind="decision", text=gone))
        self.retired.append(point._replace(text=gone))
        if text:
            entry.point, entry.bag = point._replace(text=text), bag_of(text)
        else:
            self._lose_question(entry)
            self.lose(entry)

    def _lose_question(self, answer: Entry) -> None:
        """What was asked says nothing without its answer."""
        entries = self._kinds[answer.point.kind]
        at = next((n for n, each in enumerate(entries) if each is answer), 0)
        if at and answer.point.kind == "decision" and _is_question(entries[at - 1].point):
            self.lose(entries[at - 1])

    def put(self, point: Point) -> None:
        """The only point of its kind."""
        self._kinds[point.kind] = [Entry(point, frozenset())]

    def drop(self, entry: Entry) -> None:
        """It was done, answered or taken back, or nothing came of it."""
        self._leaves(entry.point)
        self.lose(entry)

    def end(self, entry: Entry) -> None:
        """It no longer stands: neither its figures nor the whole of its message tell it either."""
        self.drop(entry)
        self.retired.append(entry.point)
        self.unsay(entry.point)

    def lose(self, entry: Entry) -> None:
        """It has no place here any longer; that it ended, nobody said."""
        entries = self._kinds[entry.point.kind]
        self._kinds[entry.point.kind] = [each for each in entries if each is not entry]

    def forget(self, messages: Collection[bytes]) -> None:
        """What nothing but those messages told goes."""
        if not messages:
            return
        for kind, entries in self._kinds.items():
            told = [e for e in entries if e.point.sources]
            gone = [e for e in told if set(e.point.sources).issubset(messages)]
            for entry in gone:
                self._leaves(entry.point)
            self._kinds[kind] = [e for e in entries if e not in gone] if gone else entries

    def move(self, entry: Entry, point: Point) -> Entry:
        """The same point as another kind, at its place in time."""
        self.drop(entry)
        if point.kind in LASTING:
            self._gone.pop(mark_of(point), None)
        entries = self._kinds[point.kind]
        at = next((n for n, e in enumerate(entries) if e.point.at_ms > point.at_ms), len(entries))
        moved = Entry(point, entry.bag)
        entries.insert(at, moved)
        if len(entries) > MOST[point.kind]:
            self._evict(entries)
        return moved

    def _joined(self, entries: list[Entry], old: Entry, new: Entry, *, keep_old: bool) -> Entry:
        """Both as one, at the place of the newer, with the sources of both."""
        words = old if keep_old else new
        point = words.point._replace(
            sources=bounded_sources((*old.point.sources, *new.point.sources)),
            at_ms=max(old.point.at_ms, new.point.at_ms),
            weight=min(1.0, max(old.point.weight, new.point.weight) + 0.05),
            pinned=old.point.pinned or new.point.pinned,
            by=words.point.by,
            series=combined_series([old.point, new.point]) if old.point.series else None,
        )
        joined = Entry(point, words.bag, turn=max(old.turn, new.turn))
        entries[:] = [each for each in entries if each is not old]
        entries.append(joined)
        return joined

    def _evict(self, entries: list[Entry]) -> None:
        last = max(len(entries) - 1, 1)
        worth = [
            (e.point.pinned, e.point.weight * lasting_weight(n / last), n)
            for n, e in enumerate(entries)
        ]
        del entries[min(worth)[2]]


def _is_question(point: Point) -> bool:
    return point.text.endswith(("?", "\uff1f"))


def lasting_weight(place: float) -> float:
    """How well something lasts by its place from first (0) to last (1): both ends last best."""
    return 0.6 + 0.4 * max(place, _EARLY * (1 - place))


def _similar_entries(new: Entry, entries: Sequence[Entry]) -> list[Entry]:
    if not new.bag:
        return [e for e in entries if e.point.text.casefold() == new.point.text.casefold()]
    least = AKIN * len(new.bag)
    return [each for each in reversed(entries) if len(new.bag & each.bag) >= least]


def _same_text(new: Entry, old: Entry) -> str | None:
    """Do both say the same, word for word or nearly? Of what is bound to its words only the former."""
    # What two people say, each says for himself.
    if are_two_people(new.point.name, old.point.name):
        return None
    if new.point.text.casefold() == old.point.text.casefold():
        return "same"
    if new.point.by != old.point.by:
        return None
    if new.point.kind in ("request", WORDS, "open_item", "done", "state", "failure"):
        return _nearly_same(new, old)
    return likeness_of(new.point.text, old.point.text)


def _nearly_same(new: Entry, old: Entry) -> str | None:
    """Nearly the same words. One that only the other has may be all that tells the two apart: a figure,
    a name, a denial; or a word on either side, so that each speaks of what the other does not."""
    union, apart = len(new.bag | old.bag), new.bag ^ old.bag
    if union <= 3 or union - len(apart) < NEAR * union or any(map(_has_figures, apart)):  # noqa: PLR2004 - fewer words tell nothing
        return None
    if apart:
        one, other = roots(new.point.text), roots(old.point.text)
        if (one - other and other - one) or _is_turned(new.point.text, old.point.text):
            return None
    return "narrower" if new.bag < old.bag else "same"


def _is_turned(new: str, old: str) -> bool:
    """Does either deny, or name, what the other does not?"""
    one, other = parse_statement(new), parse_statement(old)
    return one.denials != other.denials or one.names != other.names


def _has_figures(word: str) -> bool:
    """Two that differ in a figure speak of two things."""
    return any(map(str.isdigit, word))


def bounded_sources(named: Iterable[bytes]) -> tuple[bytes, ...]:
    """Each once: the first, and the newest."""
    every = tuple(dict.fromkeys(named))
    return every if len(every) <= SOURCES else (every[0], *every[1 - SOURCES :])
