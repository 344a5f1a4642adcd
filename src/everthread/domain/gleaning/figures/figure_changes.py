"""Another value of a thing of which a figure was told before: the earlier one is told no longer.

Who changes a figure hardly names the thing again: `make it 10`, `then it's 7.50`. That it is the same
thing shows by where it is said: the agent has just named the old figure with words of what was told, she
names it herself beside the new one, or the clause round the new figure has the words of the old one and
says that something changed. In doubt both stand, the later after the earlier.

Of what told the old figure only that goes: a sentence that says more is kept without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.choices.answer_pairs import leads_on
from everthread.domain.gleaning.digest import CHOSEN, LOST, WORDS, Point, are_two_people
from everthread.domain.gleaning.point_factory import point_of, speaker
from everthread.domain.gleaning.points import Points
from everthread.domain.gleaning.setting_homes import are_apart, homes_in
from everthread.domain.gleaning.utterances import Excerpt, Utterance
from everthread.domain.memory.contradictions import is_personal
from everthread.domain.text.acts.classifier import act_of
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement
from everthread.domain.text.templates import template

from .new_figures import NewFigure, OldFigure, Talk, denies, is_confirming, new_figures, subject_of
from .retold_figures import is_told_anew
from .same_things import (
    is_confirmed,
    is_moved,
    is_plain,
    is_replaced,
    is_retold,
    revises,
)
from .told_figures import (
    LASTS,
    MEASURES,
    MONEY,
    ToldFigure,
    echoes,
    figures_in,
    is_other_measure,
    is_same,
    may_replace_figure,
    split_sentences,
    subject_roots,
    told_figures,
)

KNOWN_EXCHANGES = 200
"""So many exchanges are known by what they were about."""

_CHANGING = ("decision", "fact", "identity", "state", "preference", "request", "done", WORDS)
"""Kinds of what tells how something is; a report of what was done tells it as well."""


SHORT = 120
"""Characters of what says of what a figure is that is told alone."""

_COUNTS_ANEW = lazy_pattern(
    r"\b(?:re|mis)count(?:ed)?\b|\bcounted (?:again|wrong)|\b(?:again|oops),? sorry\b"
)
_RATE = lazy_pattern(r"(?: ?(?:euros?|dollars?|pounds?|[€$£]))? (?:an?|per|each) (?P<per>[a-z]+)")
_MOVES_IT = lazy_pattern(
    r"\b(?:rais|lower|increas|reduc|cut|chang|bump|push|set|put|bring)\w*(?: back)? (?:it|that|this)"
    r"(?: up| down| back)? to (?:about |at least |at most )?[€$£]?\d|"
    r"\bmake (?:it|that) (?:about |at least |at most )?[€$£]?\d"
)
"""What is meant was told before, and of such figures only one."""


class FigureChanges:
    """What the exchanges so far were about, and what a person says anew of their figures."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._about: dict[bytes, frozenset[str]] = {}
        self._last: tuple[bytes, tuple[ToldFigure, ...]] = (b"", ())
        self._gone = frozenset[bytes]()
        """From which messages figures went by the one that is read."""

    def heard(self, message: Message, said: Utterance) -> None:
        """The agent answers: by the words it has for her figures they are known again.

        Where it confirms a change, what it told before goes; what she told, if the new figure is hers.
        """
        key, told = self._last
        answered = [each for n, s in enumerate(said.sentences) for each in figures_in(s.text, n)]
        if not key or not answered:
            return
        echo = [e for e in answered if any(echoes(e.figure, t.figure) for t in told)]
        self._know(key, frozenset[str]().union(*(subject_of(each) for each in echo)))
        talk = Talk(
            message.key, key, "", message.at_ms, said.sentences, answered, frozenset(), (), ()
        )
        for new in new_figures(talk) if any(map(is_confirming, answered)) else ():
            if not is_confirming(new.told):
                continue
            hers = new.told in echo
            olds = [old for old in self._olds(new, talk) if is_plain(old, new.told.figure)]
            gone = [old for old in olds if is_confirmed(new, old, hers=hers)]
            if gone:
                self._forget_old([*gone, *(self._echoing(olds, gone) if hers else ())])

    def spoken(
        self,
        message: Message,
        said: Utterance,
        before: tuple[Utterance, Message] | None,
        likely: Collection[int] | None,
    ) -> None:
        """A person speaks, and what she said is among the points: what she told otherwise before goes."""
        told = tuple(each for n, s in enumerate(said.sentences) for each in figures_in(s.text, n))
        last, self._last = self._last, (message.key, told)
        if not told:
            return
        heard = before[0].sentences if before is not None else ()
        named = [each for s in heard for each in figures_in(s.text)]
        asked = [subject_roots(s.text) for s in heard if s.asks]
        asked += [each.whole for each in named if any(is_same(each.figure, t.figure) for t in told)]
        self._know(message.key, frozenset[str]().union(*asked))
        talk = Talk(
            message.key,
            b"" if before is None else before[1].key,
            speaker(message),
            message.at_ms,
            said.sentences,
            told,
            frozenset[str]().union(*(each.whole for each in told), subject_roots(said.own)),
            named,
            likely or (),
            any(s.asks for s in heard),
        )
        self._gone = frozenset[bytes]()
        self._set_right(talk)
        for new in new_figures(talk):
            gone = self._replaced(new, talk, last[0])
            if gone:
                self._gone |= {key for old in gone for key in old.entry.point.sources}
                self._forget_old(gone, new)
                self._tell_new(message, new, gone)

    def _set_right(self, talk: Talk) -> None:
        """`Nope, 320 litres`: what the agent has just told by another figure of it was wrong."""
        if not talk.told or talk.told[0].place or not denies(talk.told[0].sentence):
            return
        right = talk.told[0].figure
        wrong = [each.figure for each in talk.before if is_other_measure(right, each.figure)]
        if len({figure.key for figure in wrong}) != 1:
            return
        for kind in _CHANGING:
            for entry in [*self._points.of(kind)]:
                told = told_figures(entry.point.text)
                told_wrong = any(is_same(each.figure, wrong[0]) for each in told)
                if talk.heard in entry.point.sources and entry.point.by == "agent" and told_wrong:
                    self._points.drop(entry)

    def _know(self, key: bytes, about: frozenset[str]) -> None:
        self._about[key] = self._about.pop(key, frozenset()) | about
        if len(self._about) > KNOWN_EXCHANGES:
            del self._about[next(iter(self._about))]

    def _replaced(self, new: NewFigure, talk: Talk, last: bytes) -> list[OldFigure]:
        """What told another value of the same thing."""
        olds = [*self._olds(new, talk)]
        plain = [old for old in olds if is_plain(old, new.told.figure)]
        found = [old for old in plain if is_replaced(new, old, talk)]
        if not found:
            found = self._moved([old for old in plain if is_moved(new, old)], last)
        if not found:
            found = self._anew(plain, new) or _recounted(plain, new, talk, last)
        if not found:
            found = [old for old in plain if last in old.entry.point.sources]
            if not revises(new, found, talk):
                return []
        # What a person told counts before what the agent named beside it.
        hers = [old.figure for old in found if old.entry.point.by == "user"]
        found = [old for old in found if not hers or any(is_same(old.figure, h) for h in hers)]
        found += [old for old in olds if old not in found and is_retold(old, found)]
        return [*found, *self._echoing(plain, found)]

    def _echoing(self, olds: Sequence[OldFigure], gone: Sequence[OldFigure]) -> list[OldFigure]:
        """What told the same value in the same exchange: her words, and the agent's that gave them back.

        Whatever words either has for the thing, there the figure is of one.
        """
        return [
            old
            for old in olds
            if old not in gone
            and any(is_same(old.figure, g.figure) and self._answers(old, g) for g in gone)
        ]

    def _answers(self, one: OldFigure, other: OldFigure) -> bool:
        """Is the one the agent's reply to the other? Nothing that she told lies between them."""
        first, last = sorted((one.entry.point, other.entry.point), key=lambda p: p.at_ms)
        if (first.by, last.by) != ("user", "agent"):
            return False
        return not any(p.by == "user" and first.at_ms < p.at_ms < last.at_ms for p in self._points)

    def _moved(self, mine: list[OldFigure], last: bytes) -> list[OldFigure]:
        """Of two appointments the one that was just spoken of; where neither was, both stand."""
        if self._gone:  # with another figure of the same message
            mine = [old for old in mine if not self._gone.isdisjoint(old.entry.point.sources)]
        lately = [old for old in mine if last in old.entry.point.sources]
        mine = lately or mine
        return mine if len({old.figure.key for old in mine}) == 1 else []

    def _anew(self, plain: list[OldFigure], new: NewFigure) -> list[OldFigure]:
        """What is told of the same thing in its words; of two values it is not plain which one goes."""
        found = [old for old in plain if is_told_anew(new, old)]
        return found if len({old.figure.key for old in found}) == 1 else []

    def _olds(self, new: NewFigure, talk: Talk) -> Iterator[OldFigure]:
        here, form = homes_in(new.told.sentence), template(new.told.sentence, talk.at_ms)
        figure = new.told.figure
        for kind in _CHANGING:
            for entry in self._points.of(kind):
                point = entry.point
                every = told_figures(point.text)
                others = [each for each in every if may_replace_figure(figure, each.figure)]
                if not others or not _may_change(point, talk):
                    continue
                if are_apart(here, homes_in(point.text)):
                    continue
                if form and form == template(point.text, point.at_ms):
                    continue  # the next of a series of reports leaves the one before it as true as it was
                asked = [self._about[key] for key in point.sources if key in self._about]
                for told in others:
                    yield OldFigure(told, entry, subject_of(told).union(*asked))

    def _forget_old(self, gone: Sequence[OldFigure], new: NewFigure | None = None) -> None:
        for entry in {id(old.entry): old.entry for old in gone}.values():
            told = [old.told for old in gone if old.entry is entry]
            text = text_without(entry.point.text, told)
            if not text and new is not None and not new.about:
                left = _of_what(entry.point, told)
                said = subject_roots(left.replace(LOST, " ")) <= new.around
                text = "" if said and not told_figures(left) else left
            self._points.replace_text(entry, text, told[0].sentence)
            if text and entry.point.kind == "decision" and not _settles(text):
                self._points.move(entry, entry.point._replace(kind="fact"))

    def _tell_new(self, message: Message, new: NewFigure, gone: Sequence[OldFigure]) -> None:
        """What she told weighs as much as a choice: it is what holds."""
        kinds = {old.entry.point.kind for old in gone}
        for kind in ("decision", "fact", "identity", "preference", "rule", "correction"):
            for entry in self._points.of(kind):
                point = entry.point
                if message.key in point.sources and new.told.sentence in point.text:
                    entry.point = point._replace(weight=max(point.weight, CHOSEN))
                    return
        kind = "decision" if "decision" in kinds and new.sets else "fact"
        self._points.add(point_of(message, Excerpt(kind, new.told.sentence, CHOSEN), "user"))


def _recounted(
    plain: Sequence[OldFigure], new: NewFigure, talk: Talk, last: bytes
) -> list[OldFigure]:
    """`I recounted, it's 13 windows`, `we raise it to 39 euros`: one number alone was told of these.

    What is meant by `it` is told in the message before, unless both are told by the month, or the like.
    """
    own, unit = new.told.sentence, new.told.figure.unit
    again = None if new.about else _COUNTS_ANEW.search(own.lower())
    moved = _MOVES_IT.search(own.lower())
    if not new.changes or not unit or not (again or moved):
        return []
    if not moved and unit in (LASTS, MONEY, *MEASURES):
        return []
    found = [old for old in plain if old.figure.unit == unit]
    if moved:
        rate = _rate(new.told)
        found = [o for o in found if last in o.entry.point.sources or "" != rate == _rate(o.told)]
    # What is spoken of beside it has the other number.
    lead = " ".join(each.text for each in talk.sentences[: new.told.place])
    begins = again.start() if again else moved.start() if moved else 0
    lead = f"{lead} {own[:begins]}"
    beside = subject_roots(lead) - {unit}
    if beside and any(beside.isdisjoint(old.about | old.told.whole) for old in found):
        return []
    return found if len({old.figure.key for old in found}) == 1 else []


def _rate(told: ToldFigure) -> str:
    found = _RATE.match(told.sentence[told.figure.end :].lower())
    return found["per"] if found else ""


def _of_what(point: Point, told: Sequence[ToldFigure]) -> str:
    """`The batch size is […]`: without it nobody would know of what `make it 10` is."""
    figures = {each.figure.key: each.figure for each in told}.values()
    if point.by != "user" or point.text != told[0].sentence or len(point.text) > SHORT:
        return ""
    start, end = min(f.start for f in figures), max(f.end for f in figures)
    return f"{point.text[:start]}{LOST}{point.text[end:]}" if len(figures) == 1 else ""


def text_without(text: str, told: Sequence[ToldFigure]) -> str:
    """The text without these figures; a sentence that says nothing else goes whole."""
    parts: list[str] = []
    for n, sentence in enumerate(split_sentences(text)):
        mine = [each for each in told if each.place == n]
        kept = _sentence_without(sentence, mine) if mine else sentence
        if kept:
            parts.append(kept)
        elif parts and parts[-1] != LOST:
            parts.append(LOST)
    joined = " ".join(parts).removesuffix(LOST).strip()
    return joined if subject_roots(joined.replace(LOST, " ")) else ""


def _sentence_without(sentence: str, told: Sequence[ToldFigure]) -> str:
    rest = sentence
    for each in told:
        rest = rest.replace(each.clause, " ")
    if not subject_roots(rest):
        return ""
    left = sentence
    for each in sorted(told, key=lambda t: -t.figure.start):
        start, end = each.figure.start, each.figure.end
        left = f"{left[:start]}{LOST}{left[end:]}"
    # What is denied in one part only would read in the others as if it were so.
    denials = parse_statement(sentence).denials
    parts = [part for part in left.split(LOST) if any(map(str.isalnum, part))]
    return left if all(parse_statement(part).denials == denials for part in parts) else ""


def _settles(text: str) -> bool:
    """Is a choice left in it?"""
    return LOST in text or any(
        act_of(parse_sentence(s)) == "decision" for s in split_sentences(text)
    )


def _may_change(point: Point, talk: Talk) -> bool:
    """Was it told before, and may she say otherwise?"""
    if talk.key in point.sources or point.at_ms > talk.at_ms or point.by not in ("user", "agent"):
        return False
    if point.pinned or leads_on(point):
        return False
    return not (are_two_people(talk.name, point.name) and is_personal(point.text))
