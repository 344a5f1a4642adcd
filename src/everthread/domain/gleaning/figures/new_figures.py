"""What a person tells by a figure now, and how: does she set something, change it, or give it up?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.points import Entry
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .told_figures import (
    LASTS,
    MONEY,
    Figure,
    ToldFigure,
    alike,
    figures_in,
    is_same,
    subject_roots,
)

MOST_TOLD = 3
"""Figures of one kind in the sentence that tells the new one, or in which the agent names the old one: with
more it is a list, and tells of many things."""

CHANGES = lazy_pattern(
    r"(?<!every )(?<!right )(?<!by )\bnow\b(?! and then)|\b(?:instead|from (?:now|here) on|after all|"
    r"no longer|any ?more|"
    r"(?:mov|chang|shift|rais|lower|increas|reduc|push|postpon|extend|switch|bump|reschedul|updat|correct|shorten|slip)"
    r"(?:e|ed|ing|s|es|ped)?\b|cut (?:it|that|the|to|down)\b|(?:go|goes|went) (?:up|down|to [€$£]?\d)|"
    r"(?:again|oops),? sorry\b|(?:re|mis)count(?:ed)?\b|"
    r"make (?:it|that)\b|(?:is|are|was) wrong\b|(?:later|earlier) than\b|should (?:say|be)\b|"
    r"jetzt|stattdessen|doch|nicht mehr|ahora|ya no|maintenant|désormais|finalement)"
)
CONCLUDES = lazy_pattern(
    r"^\W*(?:(?:and|but|ok(?:ay)?|hm+|oh|well)\W+)*(?:so|then|dann|alors|entonces)\b"
)
_GIVES_UP = lazy_pattern(
    r"(?:\b(?:instead of|rather than|no longer|and not|but not|statt|anstatt|nicht|en vez de|au lieu de|pas)"
    r"|(?:^|[,;–—-] ?|\b(?:is|it's|its|was|it was) )not)"
    r" (?:on |at |the |our |a |about |around |old |am |den |los |las |el |le |les ){0,2}[€$£]?$"
)
_NOT_AFTER = lazy_pattern(r"^ ?not (?:the |our |a |on the )?$")
_DENIES = lazy_pattern(
    r"\W*(?:no|nope|nah|wrong|not (?:quite|right)|actually|correction|that's (?:wrong|not right)|nein|falsch|"
    r"non|faux|incorrecto)\b(?! (?:more|one|thing|need|problem|worries|idea)\b)"
)
_UNSURE = lazy_pattern(
    r"\b(?:if|maybe|perhaps|might|could|would|unless|or|vielleicht|wenn|falls|quizás|peut-être|si)\b"
)


class Talk(NamedTuple):
    """What a person says now, and what was said to her just before."""

    key: bytes
    heard: bytes
    """The agent's message before it."""
    name: str
    at_ms: int
    sentences: Sequence[ParsedSentence]
    told: Sequence[ToldFigure]
    about: frozenset[str]
    before: Sequence[ToldFigure]
    """The figures that the agent named."""
    likely: Collection[int]
    asked: bool = False
    """Did she last read a question? Then what is only counted may be its answer."""


class NewFigure(NamedTuple):
    """A figure that she tells, and how she does so."""

    told: ToldFigure
    about: frozenset[str]
    changes: bool
    sets: bool
    """Does the sentence set something, by its form or by what it answers?"""
    around: frozenset[str] = frozenset()
    """What the sentence speaks of, and the one before it where that tells the change."""


class OldFigure(NamedTuple):
    """A figure that was told before."""

    told: ToldFigure
    entry: Entry
    about: frozenset[str]
    """What the clause speaks of, and what was asked and answered round it."""

    @property
    def figure(self) -> Figure:
        return self.told.figure


def new_figures(talk: Talk) -> Iterator[NewFigure]:
    """The figures by which she may set something: not those that she gives up, asks about or only quotes."""
    given_up = [each.figure for each in talk.told if is_given_up(each)]
    for told in talk.told:
        each = talk.sentences[told.place]
        beside = alike(figures_in(told.sentence), told.figure)
        if each.asks or len(beside) > MOST_TOLD or any(is_same(told.figure, g) for g in given_up):
            continue
        before, after = told.sentence[: told.figure.start], told.sentence[told.figure.end :]
        if told.figure.kind == "count" and after.lower().startswith(" of "):
            continue  # a part of something
        if before.count('"') % 2 or _UNSURE.search(told.clause.lower()):
            continue
        yield _new(told, each, talk)


def _new(told: ToldFigure, each: ParsedSentence, talk: Talk) -> NewFigure:
    lower, own = told.clause.lower(), told.sentence
    for other in alike(figures_in(told.sentence), told.figure):
        if other.begins != told.begins:
            own = own.replace(other.clause, " ")
    before = _change_before(told, talk)
    changes = bool(before) or CHANGES.search(own.lower()) is not None
    bare = not told.about and len(told.sentence[: told.figure.start].split()) <= 1
    sets = changes or bare or each.orders or told.place in talk.likely
    sets = sets or CONCLUDES.search(lower) is not None
    sets = sets or CONCLUDES.search(told.sentence[: told.begins].lower()[-8:]) is not None
    return NewFigure(told, told.about, changes, sets, told.whole | subject_roots(before))


def _change_before(told: ToldFigure, talk: Talk) -> str:
    """`The deadline moved. He wants it on 28 June.`: the sentence before, if it tells the change alone."""
    if not told.place:
        return ""
    before = talk.sentences[told.place - 1]
    if before.asks or _UNSURE.search(before.lower) or figures_in(before.text):
        return ""
    return before.text if CHANGES.search(before.lower) else ""


def is_given_up(told: ToldFigure) -> bool:
    """Does it stand behind `not` or `instead of`?"""
    lower = told.sentence.lower().replace("’", "'")
    if _GIVES_UP.search(lower[max(0, told.figure.start - 40) : told.figure.start]):
        return True
    beside = alike(figures_in(told.sentence), told.figure)
    ends = (e.figure.end for e in beside if e.figure.end < told.figure.start)
    return any(_NOT_AFTER.search(lower[end : told.figure.start]) for end in ends)


def denies(sentence: str) -> bool:
    """Does it begin by putting right what was said to her?"""
    return _DENIES.match(sentence.lower().replace("’", "'")) is not None


def is_confirming(told: ToldFigure) -> bool:
    """Does the clause say that something changed?"""
    return not told.asks and CHANGES.search(told.clause.lower()) is not None


def subject_of(told: ToldFigure) -> frozenset[str]:
    """What the clause speaks of; what is counted names the thing as well, but for days and money."""
    unit = told.figure.unit
    return told.about | {unit} if unit and unit not in (LASTS, MONEY, "%") else told.about
