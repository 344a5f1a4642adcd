"""Does the agent's message answer a request? Told from what it reports, and what it says it cannot do.

A message may do both: report what was asked for, and be unable to do something beside it. Then that of
the two counts which speaks of the request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.text import speech, speech_words
from everthread.domain.text.speech import Heard, heard

from .roots import root, roots

LONG = 3
"""A longer message that ends in a plan may have answered before."""

BEGINS = 4
"""Words of a sentence among which its verb stands."""

_POLITE = re.compile(r"\b(?:can|could|would|will) you (?:please |kindly |just |also )*(\w+)")


class Reply(NamedTuple):
    """What a message of the agent means for a request."""

    answered: bool
    deferred: bool
    """Was it put off, refused or promised, so that it will be waited for?"""


def replied(sentences: Sequence[Heard], request: str) -> Reply:
    """What a message with these sentences is to the request before it."""
    if not sentences:
        return Reply(answered=False, deferred=False)
    about, verb = roots(request), ordered(request)
    refusing = [s for s in sentences if speech.unable(s) or _stopped(s, verb)]
    telling = [s for s in sentences if s not in refusing and (_done(s) or _did(s, verb))]
    if refusing and _most(telling, about) < max(_most(refusing, about), 0 if telling else 1):
        return Reply(answered=False, deferred=True)
    last = sentences[-1]
    if speech.plans(last) or last.text.endswith(":"):
        done = any(map(_done, sentences)) and (len(sentences) > LONG or bool(telling))
        return Reply(answered=done, deferred=not done and speech.promises(last))
    return Reply(answered=not all(each.asks for each in sentences), deferred=False)


def _done(each: Heard) -> bool:
    return speech.reports(each) and not speech.plans(each)


def _most(sentences: Sequence[Heard], about: frozenset[str]) -> int:
    """How much of the request the sentence speaks of that speaks of it most."""
    return max((len(roots(each.text) & about) for each in sentences), default=0)


def ordered(request: str) -> str:
    """The verb of what is to be done; empty where somebody asks, or wants to know what comes of it."""
    asked = heard(request)
    polite = _POLITE.search(asked.lower)
    if asked.asks and not polite:
        return ""
    words = (word for word in asked.words if word not in speech_words.OPENINGS)
    verb = polite[1] if polite else next(words, "")
    return "" if verb in speech_words.LOOKING else verb


def _did(each: Heard, verb: str) -> bool:
    """Does it tell the ordered deed as done: `Booked.`, `I ordered it`, to `please book`, `order`?"""
    first = (word for word in each.words[:BEGINS] if word.endswith("ed") and word != verb)
    return bool(verb) and any(root(word) == root(verb) for word in first)


def _stopped(each: Heard, verb: str) -> bool:
    """Did something stand in the way of what was ordered? To who asked, that is an answer."""
    if not verb:
        return False
    if speech.hindered(each):
        return True
    return speech.fails(each) and root(verb) in roots(each.text)
