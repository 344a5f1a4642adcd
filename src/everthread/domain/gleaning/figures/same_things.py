"""Is it the same thing of which another figure is told now?

That shows by where it is said: the agent has just named the old figure in words of what was told, or offered
to change it; she names it herself beside the new one; or the clause round the new figure has the words of
the old one, and says that something changed. In doubt it is another thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from everthread.domain.gleaning.point_changes import SO_MANY
from everthread.domain.gleaning.roots import root
from everthread.domain.memory.purposes import is_of_another
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.tellings.told_anew import tells_another
from everthread.domain.text.words import STOP

from .new_figures import (
    CHANGES,
    CONCLUDES,
    MOST_TOLD,
    NewFigure,
    OldFigure,
    Talk,
    is_given_up,
    subject_of,
)
from .told_figures import (
    FAR,
    LASTS,
    MONEY,
    WIDE,
    Figure,
    ToldFigure,
    alike,
    are_close,
    figures_in,
    is_rare,
    is_same,
    is_tiny,
    may_replace_figure,
    size_ratio,
    subject_roots,
)

ENOUGH = 2
"""Words in common of two sentences that tell of one thing."""

FEW_BESIDE, MANY_BESIDE = 2, 4
"""Figures of one kind in a clause, and in a sentence, that tell of one thing."""

_TURNS = lazy_pattern(
    r"^\W*(?:(?:hm+|oh|ok(?:ay)?|well|ah|uh)\b[\s,.!:–—-]*)*(?:wait|no|nope|actually|sorry|correction|doch|nein)\b"
)
_SETS_IT = lazy_pattern(
    r"^\W*(?>(?:(?:hm+|oh|ok(?:ay)?|no|well|and|so|rather|then|please|pls|"
    r"too (?:slow|long|many|much|few|big|small))\b[\s,.!:–—-]*)*)"
    r"(?:(?:make|set|put) (?:it|that)(?: to| at)?|let'?s (?:do|try|go with|take|say|use|make it)) "
    r"[€$£]?\d[^\s,;]*(?: \w+)?(?: then| instead| please| for now)*\W*$|"
    r"^\W*[€$£]?\d[^\s,;]* (?:then|instead)\W*$"
)
"""That alone: what it is of was said just before."""
_OFFERS = lazy_pattern(r"\b(?:could|would|might|if|options?|you can|say|e\.g)\b")
_DENIES = lazy_pattern(r"\b(?:not|no|only|too|short|wrong|nicht|kein\w*|pas)\b|n't\b")
_MOVED = lazy_pattern(
    r"(?:\b(?:the|my|our|that|this) |^)(?:(?P<sort>\w+) )?(?P<what>[a-z]{4,}) "
    r"(?:was|has been|is|got|had to be) "
    r"(?:moved|postponed|rescheduled|shifted|pushed|brought forward|put off)\b"
)
_MEASURE = lazy_pattern(r" ?([^\W\d_]{1,3})\b(?!['’])")
_NO_MEASURES = (
    "per pro je im al por par um am ab und bis pm uhr der die das los las el les la le du"
)
_NO_MEASURE = STOP | frozenset(_NO_MEASURES.split())
"""Small words: `89 a month` and `45 a month` are told of two things."""
_DIGITS = lazy_pattern(r"\d+")
_NEXT = lazy_pattern(r"[^\W\d_]+")
LEAST_LETTERS = 5
"""Of a word that names a thing by itself."""
_JOINS = lazy_pattern(r"(?:\b(?:to|or|and|of|at|than)|[<>=/+-])\s*(?:the )?$")


def is_plain(old: OldFigure, new: Figure) -> bool:
    """Does the sentence tell the figure of one thing, as it is: no list, no question, no mere proposal?

    Nor may it tell the new one as well.
    """
    told, by = old.told, old.entry.point.by
    if told.asks or (by == "agent" and _is_offered(told.sentence)):
        return False
    beside = alike(figures_in(told.sentence), told.figure)
    if any(is_same(each.figure, new) for each in beside):
        return False
    clause = [each for each in beside if each.begins == told.begins]
    return len(clause) <= FEW_BESIDE and len(beside) <= MANY_BESIDE


def is_replaced(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """Does the new figure take the place of the old one?"""
    if _contrasts(new, old, talk) or _is_measured_anew(new, old):
        return True
    # It may be told what it takes the place of, or that it is of something else: that is dear to find out.
    if _gives_one_up(new.told.sentence) or not _may_be_of_one(new, old, talk):
        return False
    return not is_of_another(new.told.clause.rstrip(" ,;"), old.told.sentence)


def _may_be_of_one(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """Are both told of one thing, by their words?"""
    if _says_the_same(new, old) or _is_dated_anew(new, old):
        return not tells_another(new.told.clause.rstrip(" ,;"), old.told.sentence)
    if old.figure.kind == "day" or is_tiny(old.figure) or not new.sets:
        return False
    if _is_raised(new, old, talk) or _names_both(new, old, talk):
        return True
    return _takes_offered(new, old, talk)


@lru_cache(maxsize=2_048)
def _is_offered(sentence: str) -> bool:
    return _OFFERS.search(sentence.lower()) is not None


@lru_cache(maxsize=2_048)
def _gives_one_up(sentence: str) -> bool:
    return any(is_given_up(each) for each in figures_in(sentence))


@lru_cache(maxsize=2_048)
def _concludes(clause: str) -> bool:
    return CONCLUDES.search(clause.lower()) is not None


def is_moved(new: NewFigure, old: OldFigure) -> bool:
    """`The appointment was moved, it's now 21 May`: of what it names, another day or hour was told before."""
    if new.told.figure.kind not in ("date", "clock", "day") or new.told.asks:
        return False
    found = _MOVED.search(new.told.sentence.lower())
    if found is None or not may_replace_figure(new.told.figure, old.figure):
        return False
    named = {root(word) for word in (found["sort"], found["what"]) if word}
    return named <= old.told.about  # the return flight is another one


def is_confirmed(new: NewFigure, old: OldFigure, *, hers: bool) -> bool:
    """Does the agent tell that it changed this one? What a person told, only by a figure of `hers`."""
    agents = old.entry.point.by == "agent"
    if agents and hers and new.about and new.about <= old.told.about and _is_alone(old.told):
        return True
    if is_of_another(new.told.clause.rstrip(" ,;"), old.told.sentence):
        return False
    return (agents or hers) and _says_the_same(new, old)


def is_retold(old: OldFigure, found: Sequence[OldFigure]) -> bool:
    """Does it tell the same old value once more, in words of it?

    The agent answers in words of what was asked; what she says herself of another thing may share those.
    """
    hers, about = old.entry.point.by == "user", subject_of(old.told)
    same = [each for each in found if is_same(old.figure, each.figure)]
    if is_rare(old.figure) or any(each.told.sentence == old.told.sentence for each in same):
        return bool(same)
    return any(not about.isdisjoint(subject_of(o.told) if hers else o.about) for o in same)


def revises(new: NewFigure, olds: Sequence[OldFigure], talk: Talk) -> bool:
    """Does she correct the only figure of that kind in what she said last: `wait, it's 421`?"""
    first = talk.sentences[0].lower if talk.sentences else ""
    lower, figure = new.told.sentence.lower(), new.told.figure
    asked = talk.asked or any(each.asks for each in talk.sentences)
    plainly = not asked and _SETS_IT.match(lower)
    turns = plainly or new.changes or _TURNS.search(first) or _TURNS.search(lower)
    if not turns or new.about or not olds:
        return False
    if len({old.figure.key for old in olds}) > 1 or not _is_near(figure, olds[0].figure, plainly):
        return False
    if any(is_of_another(new.told.clause.rstrip(" ,;"), old.told.sentence) for old in olds):
        return False
    if any(_names_another(new, old) for old in olds):
        return False
    known = (figure, olds[0].figure)
    named = alike(talk.before, figure)
    return all(any(is_same(each.figure, k) for k in known) for each in named)


def _is_near(new: Figure, old: Figure, plainly: object) -> bool:
    """May it be the same thing's? By more than the usual where she only says what it is to be."""
    if plainly and new.unit == old.unit and size_ratio(new, old) <= FAR:
        return True
    return are_close(new, old)


def _names_another(new: NewFigure, old: OldFigure) -> bool:
    """`Dentist was moved, now 31 March`, `ch 3 is hers. 41 pages`: does another thing stand before it?"""
    lead = new.told.sentence[: new.told.figure.start]
    counted = (found.start("many") for found in SO_MANY.finditer(new.told.sentence))
    if new.told.figure.start in counted:
        return True
    words, marks = subject_roots(lead), {*_DIGITS.findall(lead)}
    words = (words | (new.around - new.told.whole)) - {new.told.figure.unit}
    if words and words.isdisjoint(old.about | old.told.whole):
        return True
    return not marks <= {*_DIGITS.findall(old.told.sentence)}


def _contrasts(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """`8,000 instead of 9,500`, `20, not 100`."""
    figures = figures_in(new.told.sentence)
    for each in figures:
        if not is_same(each.figure, old.figure) or not is_given_up(each):
            continue
        others = [o for o in alike(figures, each.figure) if not is_given_up(o)]
        before = [o for o in others if o.figure.start < each.figure.start]
        partner = (before[-1:] or others[:1] or [each])[0]
        if partner.figure.start != new.told.figure.start:
            continue
        if is_rare(old.figure) and are_close(new.told.figure, old.figure):
            return True
        unit = each.figure.unit or new.told.figure.unit
        if bool(unit) and unit == old.figure.unit:
            return True
        return not talk.about.isdisjoint(old.about)
    return False


def _says_the_same(new: NewFigure, old: OldFigure) -> bool:
    """The words of the old clause with another figure, and that something changed or follows."""
    if (
        not (new.changes or _concludes(new.told.clause))
        or size_ratio(new.told.figure, old.figure) > WIDE
    ):
        return False
    if not (_is_alone(new.told) and _is_alone(old.told)):
        return False
    one, other = new.about, old.told.about
    shared = len(one & other)
    if shared > 1:
        return one <= other or other <= one or shared > FEW_BESIDE
    # One word in common, and another beside the new figure, may tell of something narrower.
    narrow = len(other) > FEW_BESIDE and len(new.told.whole & old.told.whole) < ENOUGH
    return shared == 1 == len(one) and not narrow


def _is_alone(told: ToldFigure) -> bool:
    beside = alike(figures_in(told.sentence), told.figure)
    return sum(each.begins == told.begins for each in beside) == 1


def _is_dated_anew(new: NewFigure, old: OldFigure) -> bool:
    """Two sentences of the same things, each with one day or time."""
    if old.figure.kind not in ("date", "clock"):
        return False
    if any(len(alike(figures_in(t.sentence), t.figure)) > 1 for t in (new.told, old.told)):
        return False
    shared = len(new.around & old.told.whole)
    return shared >= (2 if new.changes else 3)


def _is_measured_anew(new: NewFigure, old: OldFigure) -> bool:
    """`I go down to 10 mg methotrexate` after `methotrexate 15 mg`: one measure, and one word beside it."""
    if not new.changes or size_ratio(new.told.figure, old.figure) > FAR or not _is_alone(new.told):
        return False
    measure, words = _measured(new.told)
    other, others = _measured(old.told)
    return bool(measure) and measure == other and not words.isdisjoint(others)


def _measured(told: ToldFigure) -> tuple[str, frozenset[str]]:
    """What the figure is counted in, if that is written short; and the roots of the words next to both."""
    rest = told.sentence[told.figure.end :].lower()
    measure = _MEASURE.match(rest)
    if measure is None or measure[1] in _NO_MEASURE:
        return "", frozenset()
    before = _NEXT.findall(told.sentence[: told.figure.start].lower())[-1:]
    near = [*before, *_NEXT.findall(rest[measure.end() :])[:1]]
    return measure[1], frozenset(root(word) for word in near if len(word) >= LEAST_LETTERS)


def _is_raised(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """Has the agent just named the old figure, in words of what was told, and she answers with another?"""
    point, figure = old.entry.point, new.told.figure
    named = [e for e in talk.before if _names_old(e, old, figure)]
    if not named or talk.heard in point.sources:
        return False
    beside = [e for e in talk.before if is_same(e.figure, figure)]
    offered = {e.sentence for e in beside}
    if offered and offered.isdisjoint(each.sentence for each in named):
        return False  # it was named of something else
    if beside and all(_is_told_beside(e, new, named) for e in beside):
        return False
    close = are_close(figure, old.figure) or (offered and size_ratio(figure, old.figure) <= FAR)
    if not close and not (new.changes and size_ratio(figure, old.figure) <= WIDE):
        return False
    about = new.about
    if not about and not new.changes:
        upto = new.told.begins + len(new.told.clause)
        about = subject_roots(new.told.sentence[:upto]) - {figure.unit}
    around = old.about.union(*(each.whole for each in named))
    if not about:
        return not _names_another(new, old)
    return not about.isdisjoint(around) or (is_rare(old.figure) and len(about) == 1)


def _is_told_beside(each: ToldFigure, new: NewFigure, named: Sequence[ToldFigure]) -> bool:
    """Did the agent name the new value, too, of another thing: `10 mg methotrexate, pain 4`?"""
    old = frozenset[str]().union(*(subject_of(n) for n in named))
    return not each.about.isdisjoint(new.about) and each.about.isdisjoint(old)


def _takes_offered(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """Did the agent offer to change it: `or bump the batch to 500`?"""
    about = old.told.about
    if not new.about <= about or size_ratio(new.told.figure, old.figure) > FAR:
        return False
    return any(
        is_same(each.figure, new.told.figure)
        and CHANGES.search(each.clause.lower())
        and not about.isdisjoint(each.about)
        for each in talk.before
    )


def _names_old(each: ToldFigure, old: OldFigure, new: Figure) -> bool:
    """Does the agent name this very figure, as far as its words and its unit tell?"""
    figure = each.figure
    if not is_same(figure, old.figure) or not may_replace_figure(new, figure):
        return False
    beside = alike(figures_in(each.sentence), figure)
    others = [b for b in beside if not is_same(b.figure, figure) and not is_same(b.figure, new)]
    if len(beside) > MOST_TOLD or (others and figure.kind in ("date", "clock")):
        return False
    unit = figure.unit not in ("", LASTS, MONEY, "%") and figure.unit == old.figure.unit
    return unit or is_rare(figure) or not (each.whole | {figure.unit}).isdisjoint(old.about)


def _names_both(new: NewFigure, old: OldFigure, talk: Talk) -> bool:
    """Does she name the old figure beside the new one, and no third: `45 is just short. Make it 60`?"""
    figure = new.told.figure
    beside = alike(talk.told, figure)
    named = [
        e for e in beside if is_same(e.figure, old.figure) and may_replace_figure(figure, e.figure)
    ]
    if not named or len({each.figure.key for each in beside}) > FEW_BESIDE:
        return False
    if size_ratio(figure, old.figure) > WIDE or any(_is_joined(new.told, each) for each in named):
        return False
    if not new.changes and not any(_DENIES.search(each.clause.lower()) for each in named):
        return False
    if figure.kind in ("date", "clock"):
        return True
    about = new.about.union(*(each.about for each in named))
    return not about.isdisjoint(old.about) or not new.told.whole.isdisjoint(old.told.about)


def _is_joined(one: ToldFigure, other: ToldFigure) -> bool:
    """`6 of 10`, `9 or 10`: both are told together."""
    if one.place != other.place:
        return False
    later = max(one.figure.start, other.figure.start)
    return _JOINS.search(one.sentence[max(0, later - 12) : later].lower()) is not None
