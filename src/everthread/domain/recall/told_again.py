"""What was told anew, in other words, comes before what it renews.

Who asks "Where does the book club meet?" finds "Book club: we meet at Ines's place". What holds now was said
as "Ines has a newborn, so we readers gather at Café Anker": no word of it is in the question, nor is it near
to that by meaning. But it is near to what was said before, for it was said with that in mind. So from each of
the best candidates one step is taken, to the later one that speaks most surely of the same: by how alike the
two are, by the telling words they share, by what it says of a change. If that is sure enough, the later one
comes right before the older one, which is marked; if it may well be, right after it. Nothing is lowered.

What gives up by name what an older one told (`given_up`) is sure without being alike, and so is what gives
up that again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import nan
from typing import NamedTuple

from everthread.domain.memory.contradictions import is_personal
from everthread.domain.pauses import step_aside
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.words import query_words

from . import weights as w
from .asked_clauses import asks_beside
from .final_scores import EQUAL, RankedCard
from .given_up import gives_up
from .questions import Question
from .value_questions import asks_how_it_is

STARTS = 3
"""Of so many of the best the step is taken."""

NEXT = 2 * 10**-EQUAL
"""Between two scores of which one comes right after the other."""

READ = 1_500
"""Characters of a text that are looked at for words and for a change."""

MOST_WORDS = 100
"""A longer text tells of many things, and is a little like all that is told of any."""

STEM = 6
"""Letters by which two forms of a word are known as one."""

LONG = 5
"""Letters of a word that tells something though it is no name: small words are shorter in most languages."""

SAME = 0.97
"""Cosine of what says the same, such as a memory and its message: it tells nothing of the others."""

STRANGE, FOREIGN, FEW = 0.15, 0.25, 3
"""Cosine of two texts that have nothing to do with each other, in English and else; it counts as that of so
many candidates, for where there are few, their average says little."""

OF_ONE_THING = 0.25
"""With less than this cosine two texts speak of two things, however little the other candidates are alike:
where a store holds only a few messages on many matters, their average is near to nothing."""

ENOUGH = 2
"""Telling words in common that say as much as more would."""

_MONTHS = "january february march april may june july august september october november december"
_MONATE = "januar februar märz april mai juni juli august september oktober november dezember"
_CHANGES = lazy_pattern(
    r"\b(?:now|no longer|any ?more|instead|from \w+(?: \w+)? on|as of|since (?:today|yesterday|this|last)|"
    rf"from (?:{'|'.join(_MONTHS.split())}|today|tomorrow|next|spring|summer|autumn|winter)|"
    r"starting|(?:till|until) further notice|correction|actually|these days|new|(?:takes?|took) over|"
    r"settled on|moved|changed|switched|swapped|raised|increased|lowered|reduced|extended|postponed|"
    r"rescheduled|renamed|upgraded|corrected|replaced|"
    rf"jetzt|nun|von nun an|ab (?:sofort|heute|morgen|nächste\w*|{'|'.join(_MONATE.split())})|seit heute|"
    r"nicht mehr|stattdessen|gewechselt|geändert|umgestellt|verschoben|neue?[rmns]?|bis auf weiteres)\b"
)
"""That something is not as it was, or is so from some day on."""

_NAMED = lazy_pattern(r"(?<=[\w,;’'] )[A-ZÄÖÜ]\w{2,}|\b\d+\b")
"""Where a sentence begins, any word is written like a name."""

Alike = Callable[[int, int], float]
"""The cosine of two rows of what was gathered; NaN where it is not known."""


class _Step(NamedTuple):
    """From an older candidate to a later one, and how surely that tells it anew."""

    sure: float
    at_ms: int
    to: int


class _Words:
    """The words of a text, by their stems."""

    def __init__(self, words: Sequence[str], named: frozenset[str]) -> None:
        self._words = words
        self.named = named
        self.all = _stems(words)

    def telling(self, also: frozenset[str]) -> frozenset[str]:
        """Those that tell of one thing and not of any: names and figures, here or in the other text, and
        words of some length."""
        names = self.named | also
        return _stems(word for word in self._words if len(word) >= LONG or word in names)


class _Asked(NamedTuple):
    """What is asked, and whose names say nothing: who speaks is named in any matter."""

    question: Question
    words: frozenset[str]
    speakers: frozenset[str]


def lift_retold(
    question: Question, found: Sequence[RankedCard], alike: Alike | None
) -> list[RankedCard]:
    """The same candidates; what tells one of the best anew stands beside it, first where that is sure.

    Where a time is asked for, or nobody knows what is alike, only what is given up by name.
    """
    lifted = list(found)
    if not asks_how_it_is(question, dated=True):
        return lifted
    names = " ".join({name for each in found if (name := _speaker(each)) is not None})
    asked = _Asked(question, _stems(question.words), _stems(names.lower().split()))
    likeness = alike if asks_how_it_is(question) else None
    for old in _best(found):
        steps: Iterable[_Step] = () if likeness is None else _steps(asked, found, old, likeness)
        step = max((*steps, *_steps_by_name(asked, found, old)), default=None)
        if step is not None and step.sure >= w.RETOLD_PERHAPS:
            _take(step, old, found, lifted)
            _follow(asked, step, found, lifted)
    return lifted


def _take(step: _Step, old: int, found: Sequence[RankedCard], lifted: list[RankedCard]) -> None:
    sure = step.sure >= w.RETOLD
    if sure:
        lifted[old] = lifted[old]._replace(later=found[step.to])
    score = lifted[old].score + (NEXT if sure else -NEXT)
    if score > lifted[step.to].score:
        lifted[step.to] = _lift(lifted[step.to], score)


def _follow(
    asked: _Asked, step: _Step, found: Sequence[RankedCard], lifted: list[RankedCard]
) -> None:
    """What took a place may have been given up in turn."""
    for _ in range(STARTS):
        further = max(_steps_by_name(asked, found, step.to), default=None)
        if step.sure < w.GIVEN_UP or further is None:
            return
        _take(further, step.to, found, lifted)
        step = further


def _steps_by_name(asked: _Asked, found: Sequence[RankedCard], at: int) -> Iterator[_Step]:
    old = found[at]
    for n, new in enumerate(found):
        step_aside()
        gone = gives_up(asked.question.text, old.text, new.text) and _may_renew(new, old)
        if gone and not asks_beside(asked.question.words, old.text, new.text):
            yield _Step(w.GIVEN_UP, new.at_ms, n)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:STEM] for word in words)


def _best(found: Sequence[RankedCard]) -> list[int]:
    """The best, each message once: a memory says what its message says."""
    best: list[int] = []
    told: set[bytes] = set()
    for n in sorted(range(len(found)), key=lambda n: -found[n].score):
        sources = _sources(found[n])
        if told.isdisjoint(sources) and not _is_long(found[n]):
            best.append(n)
            told |= sources
        if len(best) == STARTS:
            break
    return best


def _steps(asked: _Asked, found: Sequence[RankedCard], at: int, alike: Alike) -> Iterator[_Step]:
    old = found[at]
    told = _words_of(old.text[:READ])
    for n, near in _alike_above(found, old, alike, FOREIGN if asked.question.foreign else STRANGE):
        new = found[n]
        if new.score >= w.RETOLD_LEAST * old.score and _may_renew(new, old):
            step_aside()
            sure = w.RETOLD_ALIKE * near + _signs(new, old)
            sure += _words_shared(asked, told, _words_of(new.text[:READ]))
            if sure >= w.RETOLD and asks_beside(asked.question.words, old.text, new.text):
                # It may tell more of the matter, but does not pass the other.
                sure = w.RETOLD_PERHAPS
            yield _Step(sure, new.at_ms, n)


def _alike_above(
    found: Sequence[RankedCard], old: RankedCard, alike: Alike, strange: float
) -> Iterator[tuple[int, float]]:
    """Those that are more like the older one than the candidates are on average, and by how much.

    Where all of them were said by one person, or on one day, all are alike.
    """
    cosines = [_cosine(old, each, alike) for each in found]
    known = [cosine for cosine in cosines if cosine < SAME]  # what is not known is not
    usual = (sum(known) + FEW * strange) / (len(known) + FEW)
    above = ((n, cosine - usual) for n, cosine in enumerate(cosines) if cosine >= OF_ONE_THING)
    return (each for each in above if each[1] >= w.RETOLD_LIKE)


def _cosine(one: RankedCard, other: RankedCard, alike: Alike) -> float:
    return nan if one.row is None or other.row is None else alike(one.row, other.row)


def _may_renew(new: RankedCard, old: RankedCard) -> bool:
    """Is it later, a person's word, no question, and not the very message that the older one keeps?"""
    if _origin(new) != "user" or new.parts.get("asking", 0.0) < 0 or new.at_ms <= old.at_ms:
        return False
    if _is_long(new) or not _sources(new).isdisjoint(_sources(old)) or _are_apart(new, old):
        return False
    speakers = _speaker(new), _speaker(old)
    # What one says of himself, another's word does not change.
    others = None not in speakers and speakers[0] != speakers[1]
    return not (others and (is_personal(new.text[:READ]) or is_personal(old.text[:READ])))


def _are_apart(new: RankedCard, old: RankedCard) -> bool:
    """Is each for a project of its own? What holds in the one says nothing of the other."""
    projects = {
        each.memory.project for each in (new, old) if each.memory and each.memory.reach == "project"
    }
    return len(projects) > 1


def _is_long(found: RankedCard) -> bool:
    return len(found.text.split(None, MOST_WORDS)) > MOST_WORDS


def _signs(new: RankedCard, old: RankedCard) -> float:
    return (
        w.RETOLD_QUESTION * (new.alike or 0.0)
        + w.RETOLD_CHANGE * (_CHANGES.search(new.text[:READ].lower()) is not None)
        + w.RETOLD_WORTH * min(new.score / max(old.score, NEXT), 1.0)
    )


def _words_shared(asked: _Asked, told: _Words, new: _Words) -> float:
    """What speaks for it by the words it shares, and against it by those of the question that it lacks."""
    lacks = len((asked.words & told.all) - new.all) / max(len(asked.words), 1)
    both = (told.telling(new.named) & new.telling(told.named)) - asked.speakers
    return w.RETOLD_WORDS * min(len(both), ENOUGH) + w.RETOLD_LACKS * lacks


@lru_cache(maxsize=1_024)
def _words_of(text: str) -> _Words:
    return _Words(query_words(text), frozenset(name.lower() for name in _NAMED.findall(text)))


def _sources(found: RankedCard) -> frozenset[bytes]:
    if found.message is not None:
        return frozenset((found.message.key,))
    return frozenset() if found.memory is None else frozenset(found.memory.sources)


def _origin(found: RankedCard) -> str:
    said = found.message or found.memory or found.note
    assert said is not None, "a find is one of the three"
    return said.origin


def _speaker(found: RankedCard) -> str | None:
    message, memory = found.message, found.memory
    if message is not None:
        return message.name or message.principal
    return None if memory is None else memory.principal


def _lift(found: RankedCard, score: float) -> RankedCard:
    gain = found.parts.get("told anew", 0.0) + score - found.score
    return found._replace(score=score, parts={**found.parts, "told anew": gain})
