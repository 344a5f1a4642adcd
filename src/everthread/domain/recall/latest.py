"""Of candidates that tell the same thing, the one that tells it last comes first.

Who asks "What is the rate limit?" wants the one that holds. The message that set the first one says it at
more length and matches better; the one that changed it says "60 from now on". So of the best candidates
the newer is lifted to the score of an older one, and no further, where it plainly tells anew what the
older told: another value of the same thing, a change of what the question names, what was given up by
name, or that it is done what was still to do. Nothing is lowered, and nobody's word is overruled by a
machine's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from everthread.domain.memory.contradictions import contradicts, personal
from everthread.domain.memory.merging import AUTHORITY, said_ms
from everthread.domain.text.patterns import late
from everthread.domain.text.sayings import stem

from .cards import TIME
from .questions import Question
from .recall import Found
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

_PAST = late(
    r"\b(?:was|were|used to|originally|at first|initially|first|before|earlier|previous(?:ly)?|old|"
    r"former(?:ly)?|history|so far|ever|change[sd]?|in which order|over time|both|differ\w*|compar\w*|"
    r"evol\w*|all|each|list)\b"
)
"""Who asks for what was, or for how it came, wants the older as well."""
_YES_OR_NO = late(r"\W*(?:and |so |but )?(?:is|are|has|have|did|do|does|am)\b")
_HOW_MUCH = late(
    r"\b(?:how (?:much|many|long|old|big|large|often)|costs?|prices?|rates?|limits?|fees?)\b"
)
_FIGURE = late(r"\d")
_WHEN = late(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|tomorrow|tonight|noon|midnight|"
    r"next (?:week|month|year)|\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm)|\d{4}-\d\d)\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b"
)
_CHANGES = late(
    r"\b(?:now|no longer|not any ?more|instead|from (?:now|today) on|as of (?:now|today)|correction|"
    r"these days|(?:moved|changed|switched|raised|increased|lowered|reduced|extended|postponed|"
    r"rescheduled|renamed|upgraded|corrected|replaced)\b[^.]{0,40}?\b(?:to|until|by|with))\b"
)
"""That something is no longer as it was."""
_OPEN = late(
    r"\b(?:to-?do|to do|(?:need|needs|have|has|want|wants|going|plan|plans|remember|forget|remind me|"
    r"wanted) to|must|should|shall|let's|still|on (?:the|my|our) list|could you|can you|would you|please|"
    r"not yet|not sure|trying to|how to|i'll|we'll|will)\b"
)
_GIVEN_UP = late(
    r"(?:, not|\bno longer(?: (?:on|in|at|with|to|from|by))?|\binstead of|\brather than)\s+"
    r"(?:the |a |an |our |my )?(?P<was>[\w€$£.:'’-]+(?: [\w€$£.:'’-]+){0,3})"
    r"|\bfrom (?:the |our )?(?P<left>[\w€$£.:'’-]+(?: [\w€$£.:'’-]+){0,2}?) to\b"
)
_NAMED = late(r"\d|[A-Z]")
_SENTENCES = late(r"(?<=[.!?])\s+|\n+")
_WORD = late(r"[^\W_]+")
_ENDINGS = ("ying", "ied", "ing", "ed", "es", "y", "e", "s")


class _Said(NamedTuple):
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
    said: Sequence[_Said]


class _Wish(NamedTuple):
    """What the question tells of the answer."""

    about: frozenset[str]
    settled: bool
    """Is it asked whether something is so?"""
    timed: bool
    counted: bool

    def answered(self, said: _Said) -> bool:
        """Has the statement what is asked for: a time, a figure?"""
        if self.timed and _WHEN.search(said.lower) is None:
            return False
        return not self.counted or _FIGURE.search(said.lower) is not None


def renewed(question: Question, found: Sequence[Found]) -> list[Found]:
    """The same candidates; the newer that tells an older one anew is worth no less than that one."""
    asked = question.text.lower()
    about = frozenset(map(_root, question.words))
    if not about or question.spans or _PAST.search(asked) or len(found) < 2:  # noqa: PLR2004 - two
        return list(found)
    wish = _Wish(
        about,
        _YES_OR_NO.match(asked) is not None,
        bool(question.wants & TIME),
        _HOW_MUCH.search(asked) is not None,
    )
    order = sorted(range(len(found)), key=lambda n: -found[n].score)[:BEST]
    told = {n: _candidate(found[n], about) for n in order}
    scores = {n: found[n].score for n in order}
    # The oldest first: what was changed twice is lifted twice.
    for n in sorted(order, key=lambda n: told[n].at):
        over = [m for m in order if _may(told[n], told[m]) and RENEWS * scores[m] <= scores[n]]
        for m in sorted(over, key=lambda m: -scores[m]):
            if scores[m] <= scores[n]:
                break
            if _anew(wish, told[n], told[m]):
                scores[n] = scores[m]
                break
    return [_lifted(each, scores[n]) if n in scores else each for n, each in enumerate(found)]


def _lifted(found: Found, score: float) -> Found:
    if score <= found.score:
        return found
    return found._replace(score=score, parts={**found.parts, "told anew": score - found.score})


def _may(new: _Candidate, old: _Candidate) -> bool:
    return new.at > old.at and new.authority >= old.authority and bool(new.said and old.said)


def _candidate(found: Found, about: frozenset[str]) -> _Candidate:
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
    said = _said(text, about, spoken=origin == "user")
    return _Candidate(at, AUTHORITY[origin], speaker, tuple(islice(said, MOST)))


def _said(text: str, about: frozenset[str], *, spoken: bool) -> Iterator[_Said]:
    for sentence in _SENTENCES.split(text):
        if 0 < len(sentence) <= LONGEST:
            shared = about & _roots(sentence)
            if shared:
                lower = sentence.lower().replace("’", "'")
                yield _Said(sentence, lower, shared, "?" in sentence, spoken)


def _anew(wish: _Wish, new: _Candidate, old: _Candidate) -> bool:
    people = new.authority == old.authority == AUTHORITY["user"]
    others = people and new.speaker != old.speaker
    return any(
        _tells(wish, one, other)
        for one in new.said
        for other in old.said
        # What one says of himself, another's word does not change.
        if not (others and (personal(one.text) or personal(other.text)))
    )


def _tells(wish: _Wish, new: _Said, old: _Said) -> bool:
    """Does the newer statement tell anew what the older one told?"""
    if new.asks or new.lower == old.lower or not wish.answered(new):
        return False
    if _gives_up(new, old):
        return True
    # Where a question has many words, two of them in common say nothing.
    if len(new.about) < NEEDED * len(wish.about):
        return False
    if new.spoken and _says_so(wish, new, old):
        return True
    return not old.asks and contradicts(new.text, old.text)


def _says_so(wish: _Wish, new: _Said, old: _Said) -> bool:
    """Does a person say of what the question names that it is so now, or that it is done?"""
    size = len(wish.about)
    if not new.about >= old.about or len(old.about) < NEEDED * size or _OPEN.search(new.lower):
        return False
    done = wish.settled and len(new.about) >= MOSTLY * size and _OPEN.search(old.lower)
    return bool(done) or _CHANGES.search(new.lower) is not None


def _gives_up(new: _Said, old: _Said) -> bool:
    """Does it say by name what the older one told, as what holds no longer?"""
    for found in _GIVEN_UP.finditer(new.text):
        was = (found["was"] or found["left"]).rstrip(".,:'")
        # A figure or a name; `not much` and `instead of that` give up nothing that can be found.
        if (found["left"] or _NAMED.search(was)) and f" {was.lower()}" in f" {old.lower}":
            return True
    return False


@lru_cache(maxsize=2_048)
def _roots(text: str) -> frozenset[str]:
    return frozenset(_root(word) for word in _WORD.findall(text.lower()))


@lru_cache(maxsize=8_192)
def _root(word: str) -> str:
    """A word without its ending; crude, and the same on both sides."""
    bare = stem(word)
    for ending in _ENDINGS:
        if len(bare) - len(ending) > 2 and bare.endswith(ending):  # noqa: PLR2004 - `red`, `use`
            bare = bare.removesuffix(ending)
            break
    if len(bare) > 3 and bare[-1] == bare[-2]:  # noqa: PLR2004 - `cancelled` and `cancel`
        bare = bare[:-1]
    return bare[:ROOT]
