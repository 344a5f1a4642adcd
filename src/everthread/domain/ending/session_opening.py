"""What a session was for: the request with which it began, which always has a place in its summary.

A session is opened by what somebody wants, often after a word on what to read first. Where the first
message asks for nothing, as when it only goes on from a session before, one of the next does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.text.patterns import late

from .session_material import SAYS_LITTLE, claim_of, quote_of, reports_of, sentences_in
from .session_prose import PLACES, USER, Claim, Told
from .session_talk import Talk

LONGEST = 200
"""Characters of the sentence that tells it; there are more things to tell of a session."""

TELLING = 3
"""Words that say what it is about; with fewer, as in `let's get started`, another message says it."""

_PREPARES = late(
    r"\W*(?:(?:please|first|ok(?:ay)?|so|just|carefully)\b[\s,]*)*"
    r"(?:read|look|see|open|review|learn|study|check|go through|familiari[sz]e|take a look|@\S+)\b",
    re.IGNORECASE,
)
"""What one does before the work that is wanted, or a file that is only named."""

_THEN = late(r"(?<![\s,;])[\s,;]++(?:and\s++)?(?:then|now)[\s,]+", re.IGNORECASE)
_WE = late(r"\bwe\b", re.IGNORECASE)


def opening(talk: Talk, supported: Callable[[Claim], bool]) -> Told | None:
    """The first request that can be told and is borne out, turned or in the user's own words."""
    found = [
        told
        for point in talk.opening
        for told in _tellings(point, talk)
        if len(told.text) <= LONGEST and _says(told)
    ]
    # Sorted by what is sure to say something; among equals the first one opened the session.
    for told in sorted(found, key=lambda each: not _telling(each)):
        if all(map(supported, told.claims)):
            return told
    return None


def _says(told: Told) -> bool:
    """Does it say anything of the matter? `Just tell me what to do` does not."""
    return bool(roots(told.claims[0].said) - SAYS_LITTLE - roots("do"))


def _telling(told: Told) -> bool:
    said = told.claims[0].said
    return len(roots(said) - SAYS_LITTLE) >= TELLING and not _PREPARES.match(said)


def _tellings(point: Point, talk: Talk) -> Iterator[Told]:
    """The ways in which the wish of a message can be told, the best first."""
    for sentence in sentences_in(point.text):
        for part in _wanted(sentence):
            yield from _turned(point._replace(text=part), talk)
    if quote := quote_of(point, talk, asking=True):
        stop = "" if quote.endswith("?") else "."
        claim = Claim(quote, point, verbatim=True, said=quote)
        yield Told(PLACES["asked"], point.at_ms, f"{USER} asked: “{quote}”{stop}", (claim,))


def _wanted(sentence: str) -> Iterator[str]:
    """What is wanted after the preparation, where a sentence begins with one; then the sentence."""
    if _PREPARES.match(sentence) and (found := _THEN.search(sentence)):
        yield sentence[found.end() :]
    yield sentence


def _turned(point: Point, talk: Talk) -> Iterator[Told]:
    for one in reports_of(point):
        # `I'll run it myself` asks for nothing; what two are going to do is what one of them asks for.
        asks = one.told.act in ("asked", "wanted")
        if not asks and not (one.told.act == "intends" and _WE.search(one.said)):
            continue
        if not talk.retracted(point, one.said):
            claim = claim_of(one)
            yield Told(PLACES["asked"], point.at_ms, claim.text, (claim,))
