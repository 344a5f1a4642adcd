"""Whether what is given is what was asked for: `Here are the notes for 2.14: …`.

Much is handed over on the way: the questions about the notes, the notes of last year, the file that is to be
mended. So it must have been asked for in words that are given and not done (`draft`, `send me`, `you'll
get`), the very thing that was asked for, and it must say nothing of it that was not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import word_lists
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

GIVEN = 2
"""Telling words by which it is known that what is given was asked for."""

_A = r"(?:the|an?|your|our|my|some|two|three|four|five|\d+)"
_HANDS_OVER = lazy_pattern(
    r"^\W*(?:\w+[\s,.!–—-]+){0,2}?(?:here(?:'s| is| are)|this is) "
    rf"{_A} (?P<what>[^:]{{2,80}}):\s+\S"
)
_NEEDS = lazy_pattern(
    r"\b(?:(?:i|we)(?:'d| would|'ll| will)?(?: still| also)? need|wait(?:ing)? (?:for|on)|"
    r"(?:send|paste|share|give|show|upload|attach|forward)(?: me| us| over| in)*) "
    r"(?!to\b)(?P<what>[^.;:!?]{2,100}?)(?=[.;:!?]|$| for\b| from (?:last|this|next)\b)"
)
_IS_HERE = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|good|so|and|right|yes|sorry)\b[\s,.!–—-]*){0,2}"
    r"(?:here(?:'s| is| are| come| comes)|attached(?: is| are)?|"
    r"(?:i(?:'ve| have)? )?(?:just )?(?:pasted|attached|uploaded|forwarded|shared|dug up)) "
    r"(?!what\b|how\b|why\b)(?P<what>[^:,.;!?\n]{2,60})"
)
_AHEAD = lazy_pattern(r"\b(?:plan|what|how|steps?|i'll|will|going to|todo|approach|proposal)\b")
_WANTED = lazy_pattern(
    r"\b(?:(?:draft|write|prepare(?= an?\b)|compile|find|suggest|outline|sketch|put together|come up with)|"
    r"(?:give|show|send|bring|get|tell|share with) (?:me|us|you)|you(?:'ll| will) (?:get|have))"
    rf"(?: up| out)? (?:{_A} )?(?P<what>[^,;:.?!]{{2,80}})"
)
_DRAFT = lazy_pattern(rf"^(?:(?:first|rough|short) )?(?:draft|version) (?:of|for) (?:{_A} )?")
_FURTHER = lazy_pattern(
    r"\b(?:for|of|in|on|about|to|from|with|by|at|as|that|which|who|where|so|before|after|until|into|"
    r"tomorrow|tonight|today|next|this|last|please|now|again|and)\b"
)
"""From here on it is told which one is meant."""
_MORE = lazy_pattern(r"\b(?:and|then)(?: then| also)? (?P<verb>\w+)(?P<it> (?:it|them|him|her)\b)?")
_OTHER_WORDS = """
    old older previous earlier last current existing former original this first second next half part so far
    yet still partial preliminary incomplete unfinished missing
"""
_ANY_TEXT = roots("draft text suggestion version proposal wording")
_OTHER = frozenset(_OTHER_WORDS.split())
"""By these it is another one, or not all of it."""


def hands_over(said: str, request: str) -> bool:
    """Does the sentence give what was asked for, and that follows at once?"""
    given, lower = thing_given(said), request.lower().replace("’", "'")
    if not given:
        return False
    given = _DRAFT.sub("", given)
    about, named = roots(lower), roots(given)
    if len(named) < GIVEN or not named <= about or _is_another(given, lower):
        return False
    if any(found["it"] or found["verb"] in word_lists.BASE for found in _MORE.finditer(lower)):
        return False  # with what is given something was to be done
    head = roots(_FURTHER.split(given, maxsplit=1)[0])
    wanted = (_FURTHER.split(found["what"], maxsplit=1)[0] for found in _WANTED.finditer(lower))
    return any(head == roots(each) for each in wanted) and bool(head)


def gives_needed(said: str, item: str) -> bool:
    """Is handed over what somebody needs: `here's nginx for last week`, of `I'd need the nginx log`?"""
    given = _IS_HERE.match(said)
    if given is None:
        return False
    needed = _NEEDS.findall(item.lower().replace("’", "'"))
    return not roots(given["what"]).isdisjoint(roots(" ".join(needed)))


def gives_words(sentences: Iterable[ParsedSentence], request: str) -> bool:
    """Does a reply to `write a post` hold it, whatever it asks besides: `Here's the draft: … Post it?`"""
    given = (thing_given(each.lower) for each in sentences)
    return any(
        _OTHER.isdisjoint(_words(each)) and bool(roots(each) & (_ANY_TEXT | roots(request)))
        for each in given
    )


def _is_another(given: str, request: str) -> bool:
    """Is it told of it what was not asked: `the reply of the landlord`, `the notes so far`?"""
    which = _FURTHER.search(given)
    told = _OTHER.intersection(_words(given)) | ({which[0]} if which else set[str]())
    return not told <= {*_words(request)}


@lru_cache(maxsize=2_048)  # each is held against all that is open
def thing_given(said: str) -> str:
    """What it says that it gives, where that follows; what it is about to do is no such thing."""
    found = _HANDS_OVER.match(said)
    return "" if found is None or _AHEAD.search(found["what"]) else found["what"]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
