"""A figure that is told anew, without a word that it changed: `Batch size: 2000` after `batch size 500 rows`.

Both tell one figure of that kind of the very same thing: the new clause has no word that the old one lacks,
and no other name, number, owner or time of its own. What is read off again and again, what was done, and
what may be told of two at once stays as it was. In doubt it is another thing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.roots import root
from everthread.domain.memory.purposes import is_of_another
from everthread.domain.memory.single_valued import KIN
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.tellings.told_anew import tells_another

from .new_figures import NewFigure, OldFigure
from .told_figures import (
    FAR,
    LASTS,
    MONEY,
    Figure,
    ToldFigure,
    figures_in,
    is_tiny,
    size_ratio,
    subject_roots,
)

_LABEL = lazy_pattern(r"(?:^|[,;.!?–—] )(?P<label>[^\s,;.!?:–—\d]+(?: [^\s,;.!?:–—\d]+){0,2}): $")
_TELLING = """
    start starts begin begins is are date time long large big wide high old costs cost takes take lasts last
    only enough now has have comes come stays stay exactly roughly around total
"""
_TELLS = frozenset(map(root, _TELLING.split()))
"""Words by which a value is told, and not of what."""
_APART = lazy_pattern(
    r"\b(?:back|return|again|other|another|second|third|next|last|first|both|too|also|well|extra|more|additional|"
    r"old|former|new|yesterday|today|tonight|tomorrow|morning|mornings|noon|evening|evenings|night|nights|"
    r"afternoon|weekends?|weekdays?|week|day|(?:mon|tues|wednes|thurs|fri|satur|sun)days|this|that|these|those|"
    r"he|she|they|it|his|her|their|its|your|you|him|them|was|were|had|did|used to|until|till|if|when|"
    r"once|sometimes|usually|normally|about|ends?|closes?|opens?|one|two|three|a|an|each|per|every|another's|"
    r"so|in (?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"spring|summer|autumn|fall|winter))\b"
)
"""One more of that sort, of another time, or of somebody else; where the old one has the word, too, it tells
nothing apart."""
_READING = """
    weight weigh pressure temperature pulse gravity level balance score mood sleep glucose steps mileage rain
    rate heart water reading meter humidity
"""
_READ_OFF = frozenset(map(root, _READING.split()))
"""What is read off again and again: each reading is as true as the one after it."""
_DONE = lazy_pattern(
    r"\b(?:i|we|he|she|they)(?:'ve| have)? (?:\w+ed|ran|paid|sold|bought|spent|made|got|took|ate|drank|slept|"
    r"went|came|met|saw|did|had|won|lost|rode|swam|wrote|read|gave|sent|put|cut)\b|^\W*(?:paid|sold|bought|"
    r"spent|ran|got|made|took|slept|walked|lost|won|used|did|swam|rode|drank|ate)\b"
)
"""What was done once is done again with other figures."""
_MARK = lazy_pattern(r"(?<![\w.,:'’])(?:[A-Za-z]|\w*\d\w*)(?![\w:'’])")
_LINKED = lazy_pattern(r"(?:[:=]|\b(?:is|are|be|to|at|of|has|have|[a-z]{4,}s))\s*[€$£]?$")
_FIRST = lazy_pattern(r"\W*(?:the |our |my )?(?!we\b|i\b|it\b)[^\W\d_]+ ")
_NO_MARK = frozenset(("a", "i"))
_NAME = lazy_pattern(r"(?<=[\w,&] )[A-ZÄÖÜ]\w{2,}|^[A-ZÄÖÜ]\w+(?= (?:&|and) [A-ZÄÖÜ])")
_WORD = lazy_pattern(r"[^\W_]+")


class _Telling(NamedTuple):
    """What a figure is told of."""

    about: frozenset[str]
    lead: frozenset[str]
    """The same, of what stands before the figure: what follows it may be told only once."""
    words: frozenset[str]
    apart: frozenset[str]
    marks: frozenset[str]
    """Numbers and letters by which two of a sort are told apart."""
    names: frozenset[str]
    """Before the figure: whose it is, or of which one."""
    alone: bool
    done: bool


@lru_cache(maxsize=2_048)
def _telling(told: ToldFigure) -> _Telling:
    figure, clause = told.figure, told.clause
    label = _LABEL.search(told.sentence[: told.begins])
    before = f"{label['label']}: " if label else ""
    if not told.about and not label:  # `Concert on 22 November, 18:00`
        before = f"{told.sentence.split(',')[0]} "
    before += told.sentence[told.begins : figure.start]
    text = before + clause[figure.end - told.begins :]
    for each in figures_in(told.sentence):
        if _is_told_beside(each.figure):
            own = told.sentence[each.figure.start : each.figure.end]
            text, before = text.replace(own, " ", 1), before.replace(own, " ", 1)
    lower = text.lower().replace("’", "'")
    beside = [e.figure for e in figures_in(told.sentence) if e.begins == told.begins]
    little = {figure.unit} | _TELLS
    return _Telling(
        about=subject_roots(text) - little,
        lead=subject_roots(before) - little,
        words=frozenset(_WORD.findall(lower)),
        apart=frozenset(found[0] for found in _APART.finditer(lower)),
        marks=frozenset(found[0].lower() for found in _MARK.finditer(text)) - _NO_MARK,
        names=frozenset(found[0].lower() for found in _NAME.finditer(before)),
        alone=sum((f.kind, f.unit) == (figure.kind, figure.unit) for f in beside) == 1,
        done=_DONE.search(lower) is not None,
    )


def _is_told_beside(figure: Figure) -> bool:
    """Does it tell something more of the thing, and not which one it is: `flat 2`, `on Sundays`?"""
    return figure.kind in ("date", "clock") or figure.unit in (LASTS, MONEY)


def is_told_anew(new: NewFigure, old: OldFigure) -> bool:
    """Is it the same thing, by all its words, with another figure?"""
    if old.entry.point.kind in ("request", "done") or _names_one(new.told, old.told):
        return False
    one, other = _telling(new.told), _telling(old.told)
    if not (one.alone and other.alone) or one.done or other.done or not _may_be_one(one, other):
        return False
    if size_ratio(new.told.figure, old.figure) > FAR or not (
        one.about and one.about <= other.about
    ):
        return False
    if new.changes:
        return not is_of_another(new.told.clause.rstrip(" ,;"), old.told.sentence)
    if is_tiny(old.figure) and old.figure.unit != LASTS:
        return False
    # On two days of the week it may well be.
    return old.figure.kind != "day" and (len(one.about) > 1 or _is_plain_of_one(new, old))


def _names_one(new: ToldFigure, old: ToldFigure) -> bool:
    """`Look at module 4`: a bare number right after a noun is its name, unless either tells it as a value."""
    if new.figure.kind != "count":
        return False
    if all(_FIRST.fullmatch(t.sentence[t.begins : t.figure.start].lower()) for t in (new, old)):
        return new.figure.unit not in (MONEY, LASTS)
    if new.figure.unit or old.figure.unit:
        return False
    return not any(_LINKED.search(t.sentence[: t.figure.start].lower()) for t in (new, old))


def _may_be_one(one: _Telling, other: _Telling) -> bool:
    """Does nothing tell them apart: no number, name, owner or time that only one of them has?"""
    if not one.apart <= other.apart or one.marks != other.marks:
        return False
    if not (one.names <= other.words and other.names <= one.words):
        return False
    return KIN.isdisjoint(other.about - one.about) and _READ_OFF.isdisjoint(one.about)


def _is_plain_of_one(new: NewFigure, old: OldFigure) -> bool:
    """One word tells of what both are: then nothing else may tell them apart."""
    one, other = _telling(new.told), _telling(old.told)
    clause = new.told.clause.rstrip(" ,;")
    if is_of_another(clause, old.told.sentence):
        return False
    if one.about in (other.about, other.lead):
        return True
    return _shares_unit(new, old) and not tells_another(clause, old.told.sentence)


def _shares_unit(new: NewFigure, old: OldFigure) -> bool:
    """Is what is counted named by both?"""
    unit = new.told.figure.unit
    return bool(unit) and unit == old.figure.unit and unit not in (LASTS, MONEY, "%")
