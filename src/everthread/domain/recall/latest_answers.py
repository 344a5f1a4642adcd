"""Of candidates that tell the same thing, the one that tells it last comes first.

Who asks "What is the rate limit?" wants the one that holds. The message that set the first one says it at
more length and matches better; the one that changed it says "60 from now on". So of the best candidates
the newer is lifted to the score of an older one, and no further, where it plainly tells anew what the
older told: another value of the same thing, a change of what the question names, what was given up by
name, or that it is done what was still to do. Nothing is lowered, and nobody's word is overruled by a
machine's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from everthread.domain.memory.contradictions import contradicts, is_personal
from everthread.domain.memory.merging import AUTHORITY, said_ms
from everthread.domain.memory.places import TIMES
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .cards import TIME
from .final_scores import RankedCard
from .questions import Question
from .value_questions import wants_what_holds
from .weights import RENEWS

BEST = 40
"""Candidates that are compared: whoever is further down is not lifted."""

READ = 1_500
"""Characters of a text in which its statements are looked for."""

MOST = 6
"""Statements of a text that are compared."""

LONGEST = 200
"""Characters of a statement."""

NEEDED = 0.5
"""Of the words of the question, so many must stand in the newer statement."""

MOSTLY = 0.6
"""The same where nothing but the question tells that the two speak of one thing."""

ROOT = 6
"""Letters by which two forms of a word are known as one."""

_YES_OR_NO = lazy_pattern(r"\W*(?:and |so |but )?(?:is|are|has|have|did|do|does|am)\b")
_HOW_MUCH = lazy_pattern(
    r"\b(?:how (?:much|many|long|old|big|large|often)|costs?|prices?|rates?|limits?|fees?)\b"
)
_FIGURE = lazy_pattern(r"\d")
_WHEN = lazy_pattern(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|tomorrow|tonight|noon|midnight|"
    r"next (?:week|month|year)|\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm)|\d{4}-\d\d)\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b"
)
_CHANGES = lazy_pattern(
    r"\b(?:now|no longer|not any ?more|instead|from (?:now|today) on|as of (?:now|today)|correction|actually|"
    r"these days|(?:moved|changed|switched|raised|increased|lowered|reduced|extended|postponed|"
    r"rescheduled|renamed|upgraded|corrected|replaced)\b[^.]{0,40}?\b(?:to|until|by|with))\b"
)
"""That something is no longer as it was."""
_OPEN = lazy_pattern(
    r"\b(?:to-?do|to do|(?:need|needs|have|has|want|wants|going|plan|plans|remember|forget|remind me|"
    r"wanted) to|must|should|shall|let's|still|on (?:the|my|our) list|could you|can you|would you|please|"
    r"not yet|not sure|trying to|how to|i'll|we'll|will|not until|until \w+ has)\b"
)
_UNDECIDED = lazy_pattern(
    r"\b(?:(?:need|needs|have|has|want|wants|going|plan|plans|remind me) to|must|should|shall|still|"
    r"could you|can you|would you|not yet|not sure|maybe|perhaps|might|how to|if)\b"
)
_MEASURES = lazy_pattern(
    r"(?<![\d.,])(?P<sign>[£$€]?)(?P<figure>\d[\d.,]*)(?P<unit>%|\s?[^\W\d_]++)?"
)
_GIVEN_UP = lazy_pattern(
    r"(?:, not|\bno longer(?: (?:on|in|at|with|to|from|by))?|\binstead of|\brather than)\s+"
    r"(?:the |a |an |our |my )?(?P<was>[\w€$£.:'’-]+(?: [\w€$£.:'’-]+){0,3})"
    r"|\b(?:move|change|switch|migrate|relocate|raise|increase|lower|reduce|extend|postpone|reschedule|rename|"
    r"upgrade|downgrade|convert|cut|went|goe?s?|go)[sd]?\b[^.,;]{0,40}?"
    r"\bfrom (?:the |our )?(?P<left>[\w€$£.:'’-]+(?: [\w€$£.:'’-]+){0,2}?) to\b"
)
_NAMED = lazy_pattern(r"\d|[A-Z]")
_REFERS = lazy_pattern(r"\b(?:it|that|this|they|them|those|these)\b")
"""`The rate limit is a pain, it's 60 now`."""
_WHICH = lazy_pattern(
    r"\b(?:for|of|in|at|on|with|by|to|from)\s+([^?.,;]{1,40})|\b(\w+)['’]s\b|\b(\d[\d.]*)"
)
_WHOSE = lazy_pattern(r"\b(\w+)['’]s\b|\b(\d[\d.]*)")
_CLAUSES = lazy_pattern(r"[,;:–—]\s+|\s(?:and|but)\s")
_SENTENCES = lazy_pattern(r"(?<=[.!?])\s+|\n+")
_WORD = lazy_pattern(r"[^\W_]+")
_ENDINGS = ("ying", "ied", "ing", "ed", "es", "y", "e", "s")


_PLAIN = frozenset({"the", "a", "an", "now", "our", "my", "is", "are", "was", "it"})
"""Words that make no other sentence of it."""


class _Statement(NamedTuple):
    """A statement of a candidate that bears on the question."""

    text: str
    lower: str
    about: frozenset[str]
    """The words of the question that it has."""
    asks: bool
    spoken: bool
    """Did a person say it? An agent tells of its work in the same words: `X is now set in Y`."""


class _Candidate(NamedTuple):
    at: int
    authority: int
    speaker: str
    said: Sequence[_Statement]


class _Wish(NamedTuple):
    """What the question tells of the answer."""

    about: frozenset[str]
    settled: bool
    """Is it asked whether something is so?"""
    timed: bool
    counted: bool
    which: frozenset[str] = frozenset()
    """What tells the thing from its like: `the rent for the flat`, `Bob's birthday`, `invoice 17`."""

    def answered(self, said: _Statement) -> bool:
        """Has the statement what is asked for: a time, a figure?"""
        if self.timed and _WHEN.search(said.lower) is None:
            return False
        return not self.counted or _FIGURE.search(said.lower) is not None


def telling_words(question: Question) -> frozenset[str]:
    """What tells the thing that is asked for from its like, without endings."""
    return _named_in(question, _WHICH)


def tells_of_another(question: Question, text: str) -> bool:
    """Does it speak of what is asked for, but of somebody else, or of another number?"""
    whose = _named_in(question, _WHOSE)
    if not whose:
        return False
    words, about = _roots(text), frozenset(map(bare_root, question.words))
    return not whose <= words and not (about - whose).isdisjoint(words)


def _named_in(question: Question, pattern: re.Pattern[str]) -> frozenset[str]:
    named = " ".join(each[0] for each in pattern.finditer(question.text.lower()))
    return frozenset(map(bare_root, question.words)) & _roots(named)


def lift_newer(question: Question, found: Sequence[RankedCard]) -> list[RankedCard]:
    """The same candidates; the newer that tells an older one anew is worth no less than that one."""
    asked = question.text.lower()
    about = frozenset(map(bare_root, question.words))
    if not about or not wants_what_holds(question) or len(found) < 2:  # noqa: PLR2004 - two
        return list(found)
    wish = _Wish(
        about,
        _YES_OR_NO.match(asked) is not None,
        bool(question.wants & TIME),
        _HOW_MUCH.search(asked) is not None,
        telling_words(question),
    )
    order = sorted(range(len(found)), key=lambda n: -found[n].score)[:BEST]
    told = {n: _candidate(found[n], about) for n in order}
    scores = {n: found[n].score for n in order}
    # The oldest first: what was changed twice is lifted twice.
    for n in sorted(order, key=lambda n: told[n].at):
        mine = scores[n]
        over = [m for m in order if mine < scores[m] and RENEWS * scores[m] <= mine]
        over = [m for m in over if _may_renew(told[n], told[m])]
        for m in sorted(over, key=lambda m: -scores[m]):
            if _tells_any_anew(wish, told[n], told[m]):
                scores[n] = scores[m]
                break
    return [_lift(each, scores[n]) if n in scores else each for n, each in enumerate(found)]


def says_changed(text: str) -> bool:
    """Does a text, in small letters, say that something is no longer as it was?"""
    return _CHANGES.search(text) is not None


def _lift(found: RankedCard, score: float) -> RankedCard:
    if score <= found.score:
        return found
    return found._replace(score=score, parts={**found.parts, "told anew": score - found.score})


def _may_renew(new: _Candidate, old: _Candidate) -> bool:
    return new.at > old.at and new.authority >= old.authority and bool(new.said and old.said)


def _candidate(found: RankedCard, about: frozenset[str]) -> _Candidate:
    message, memory = found.message, found.memory
    if message is not None:
        origin = "agent" if message.origin == "agent" else "user"
        at, speaker = message.at_ms, message.name or message.principal or origin
        text = "" if message.origin == "tool" else found.text[:READ]
    elif memory is not None:
        at, origin, text = said_ms(memory), memory.origin, memory.text
        speaker = memory.principal or origin
    else:
        at, origin, text, speaker = found.at_ms, "user", found.text[:READ], ""
    said = _statements(text, about, spoken=origin == "user")
    return _Candidate(at, AUTHORITY[origin], speaker, tuple(islice(said, MOST)))


def _statements(text: str, about: frozenset[str], *, spoken: bool) -> Iterator[_Statement]:
    for sentence in _SENTENCES.split(text):
        if 0 < len(sentence) <= LONGEST:
            shared = about & _roots(sentence)
            if shared:
                lower = sentence.lower().replace("’", "'")
                yield _Statement(sentence, lower, shared, "?" in sentence, spoken)


def _tells_any_anew(wish: _Wish, new: _Candidate, old: _Candidate) -> bool:
    people = new.authority == old.authority == AUTHORITY["user"]
    others = people and new.speaker != old.speaker
    return any(
        _tells_anew(wish, one, other)
        for one in new.said
        for other in old.said
        # What one says of himself, another's word does not change.
        if not (others and (is_personal(one.text) or is_personal(other.text)))
    )


def _tells_anew(wish: _Wish, new: _Statement, old: _Statement) -> bool:
    """Does the newer statement tell anew what the older one told?"""
    if new.asks or new.lower == old.lower:
        return False
    if not old.asks and _differs_by_figure(wish, new, old):
        return True
    if not wish.answered(new):
        return False
    # Where a question has many words, two of them in common say nothing.
    if len(new.about) < NEEDED * len(wish.about):
        return False
    if _gives_up(new, old) or (new.spoken and _says_so(wish, new, old)):
        return True
    return not old.asks and (_measures_anew(wish, new, old) or contradicts(new.text, old.text))


def _says_so(wish: _Wish, new: _Statement, old: _Statement) -> bool:
    """Does a person say of what the question names that it is so now, or that it is done?"""
    size = len(wish.about)
    if not new.about >= old.about or len(old.about) < NEEDED * size or _OPEN.search(new.lower):
        return False
    done = wish.settled and len(new.about) >= MOSTLY * size and _OPEN.search(old.lower)
    return bool(done) or _is_marked(wish, new)


def _is_marked(wish: _Wish, said: _Statement) -> bool:
    """Is a change told in the very clause that speaks of what the question names, or that refers to it?"""
    if _CHANGES.search(said.lower) is None:
        return False
    parts = _CLAUSES.split(said.lower)
    return any(_CHANGES.search(part) and _bears_on(wish, part) for part in parts)


def _bears_on(wish: _Wish, clause: str) -> bool:
    shared = len(wish.about & _roots(clause))
    return shared >= NEEDED * len(wish.about) or (not shared and _REFERS.search(clause) is not None)


def _measures_anew(wish: _Wish, new: _Statement, old: _Statement) -> bool:
    """Is it asked for a figure or a time, and told here as another one in the same unit?

    `Right now we send the first reminder after 7 days`, `Actually, let's do the reminder after 10 days`.
    """
    if not (wish.timed or wish.counted) or _UNDECIDED.search(new.lower):
        return False
    size = len(wish.about)
    if wish.which & old.about - new.about and new.about:
        return False  # it tells of another thing of that kind
    whole = new.about >= old.about and len(new.about) >= max(MOSTLY * size, 2)
    if not whole and not _is_marked(wish, new):
        return False
    a, b = _measures(new.lower), _measures(old.lower)
    return any(unit in b and not figures & b[unit] for unit, figures in a.items())


def _differs_by_figure(wish: _Wish, new: _Statement, old: _Statement) -> bool:
    """Is it the same sentence with another figure: `the shop closes at 18`, `at 20`?"""
    ours, told = _figures_apart(new.lower)
    theirs, was = _figures_apart(old.lower)
    if not ours or not theirs or len(told) <= 1 or told != was or not ours.isdisjoint(theirs):
        return False
    return not (wish.which & old.about - new.about) and not _UNDECIDED.search(new.lower)


@lru_cache(maxsize=2_048)
def _figures_apart(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The figures of a text, and what else it tells."""
    words = _roots(text)
    figures = frozenset(each for each in words if each.isdigit())
    return figures, words - figures - _PLAIN


@lru_cache(maxsize=2_048)
def _measures(text: str) -> dict[str, set[str]]:
    """The figures of a text by what stands beside them; a bare one tells nothing."""
    found: dict[str, set[str]] = {}
    for each in _MEASURES.finditer(text):
        unit = stem((each["unit"] or each["sign"] or "").strip())
        dated = unit in TIMES
        if unit:
            figure = f"{each['figure']} {unit}" if dated else each["figure"]
            found.setdefault("date" if dated else unit, set()).add(figure)
    return found


def _gives_up(new: _Statement, old: _Statement) -> bool:
    """Does it say by name what the older one told, as what holds no longer?"""
    for found in _GIVEN_UP.finditer(new.text):
        was = (found["was"] or found["left"]).rstrip(".,:'")
        # A figure or a name; `not much` and `instead of that` give up nothing that can be found.
        if (found["left"] or _NAMED.search(was)) and f" {was.lower()}" in f" {old.lower}":
            return True
    return False


@lru_cache(maxsize=2_048)
def _roots(text: str) -> frozenset[str]:
    return frozenset(bare_root(word) for word in _WORD.findall(text.lower()))


@lru_cache(maxsize=8_192)
def bare_root(word: str) -> str:
    """A word without its ending; crude, and the same on both sides."""
    bare = stem(word)
    for ending in _ENDINGS:
        if len(bare) - len(ending) > 2 and bare.endswith(ending):  # noqa: PLR2004 - `red`, `use`
            bare = bare.removesuffix(ending)
            break
    if len(bare) > 3 and bare[-1] == bare[-2]:  # noqa: PLR2004 - `cancelled` and `cancel`
        bare = bare[:-1]
    return bare[:ROOT]
