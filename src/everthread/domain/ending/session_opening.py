"""What a session was for: the request with which it began, which always has a place in its summary.

A session is opened by what somebody wants, often after a word on what to read first. Where the first
message asks for nothing, as when it only goes on from a session before, one of the next does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .session_material import (
    SAYS_LITTLE,
    claim_of,
    is_manners,
    quote_of,
    reports_of,
    sentences_in,
)
from .session_prose import PLACES, USER, Claim, ProseSentence
from .session_reference import is_unclear, leans
from .session_speech import clause_of, report_sentence
from .session_talk import Talk

LONGEST = 200
"""Characters of the sentence that tells it; there are more things to tell of a session."""

TELLING = 3
"""Words that say what it is about; with fewer, as in `let's get started`, another message says it."""

STATES = 2
"""Words that a statement has at least, by which somebody tells what it is about."""

_NAMES_SELF = lazy_pattern(
    r"\W*(?:(?:hi|hello|hey|good \w+)\b[\s,!]*)?(?:this is|it['’]s|I['’]?m|I am|my name)\b",
    re.IGNORECASE,
)
_TAKES_BACK = lazy_pattern(
    r"\W*+(?:(?:oh|ok|okay|well|and|but|no)\b[\s,.!]*+)*"
    r"(?:forget|drop|scrap|ditch|skip|cancel|never ?mind|actually|wait)\b",
    re.IGNORECASE,
)
_INTRODUCES = lazy_pattern(
    r"\A\W*(?:(?:hi|hello|hey|good \w+)\b[\s,!]*)?(?:this is|I['’]?m|I am|"
    r"my name is) [A-Z][\w.'’ -]{1,40},\s+"
    r"(?:and )?(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
"""Who says it, before what is said."""
_PREPARES = lazy_pattern(
    r"\W*(?:(?:please|first|ok(?:ay)?|so|just|carefully)\b[\s,]*)*"
    r"(?:read|look|see|open|review|learn|study|check|go through|familiari[sz]e|take a look|@\S+)\b",
    re.IGNORECASE,
)
"""What one does before the work that is wanted, or a file that is only named."""

_THEN = lazy_pattern(r"(?<![\s,;])[\s,;]++(?:and\s++)?(?:then|now)[\s,]+", re.IGNORECASE)
_WE = lazy_pattern(r"\bwe\b", re.IGNORECASE)


def opening_request(talk: Talk, supported: Callable[[Claim], bool]) -> ProseSentence | None:
    """The first request that can be told and is borne out, turned or in the user's own words."""
    found = [
        told
        for point in talk.opening
        for told in _ways_to_tell(point, talk)
        if len(told.text) <= LONGEST and _says_something(told)
    ]
    said = [told for point in talk.opening for told in _statements(point, talk, found)]
    first = talk.opening[0].sources if talk.opening else ()
    # Among equals the first one opened the session.
    ranked = sorted((*found, *said), key=lambda told: _rank(told, said, first))
    return next((told for told in ranked if all(map(supported, told.claims))), None)


def _rank(told: ProseSentence, said: Sequence[ProseSentence], first: tuple[bytes, ...]) -> int:
    """What is sure to say something comes first, then what the first message says of the matter."""
    opens = told.claims[0].point.sources == first
    if told in said:
        return 1 if opens else 5
    if _is_telling(told):
        return 0 if opens or not told.claims[0].verbatim else 2
    return 4


def _statements(
    point: Point, talk: Talk, requests: Sequence[ProseSentence]
) -> Iterator[ProseSentence]:
    """What a message says of the matter, with what it asks for where that alone says too little."""
    for whole in sentences_in(point.text):
        sentence = _INTRODUCES.sub("", whole)
        said = parse_sentence(sentence)
        told = report_sentence(sentence, "user")
        asks = said.asks or (said.orders and told is None) or _TAKES_BACK.match(sentence)
        if asks or is_manners(sentence) or _NAMES_SELF.match(sentence):
            continue
        claim = _statement_claim(point, sentence)
        if claim is None or len(roots(sentence) - SAYS_LITTLE) < STATES or is_unclear(sentence):
            continue
        if leans(sentence) or talk.retracted(point, sentence) or talk.overtaken(point, sentence):
            continue
        text = f"{USER} said: “{claim.text}”." if claim.verbatim else claim.text
        one = ProseSentence(PLACES["asked"], point.at_ms, text, (claim,))
        wish = next((each for each in requests if _goes_with(each, one)), None)
        if wish is not None:
            both = f"{text.removesuffix('.')}, and {wish.text.removeprefix(f'{USER} ')}"
            yield one._replace(text=both, claims=(claim, *wish.claims))
        yield one


def _goes_with(wish: ProseSentence, one: ProseSentence) -> bool:
    claim, said = wish.claims[0], one.claims[0]
    return claim.point.sources == said.point.sources and not claim.verbatim


def _statement_claim(point: Point, sentence: str) -> Claim | None:
    told = report_sentence(sentence, "user")
    if told is not None and told.act == "said":
        return Claim(f"{USER} said that {told.text}.", point, said=sentence)
    text = clause_of(sentence)
    own = told is None or told.act in ("wanted", "intends")
    if not own or not text or set('“”"') & set(text):
        return None
    return Claim(text, point, verbatim=True, said=sentence)


def _says_something(told: ProseSentence) -> bool:
    """Does it say anything of the matter? `Just tell me what to do` does not."""
    return bool(roots(told.claims[0].said) - SAYS_LITTLE - roots("do"))


def _is_telling(told: ProseSentence) -> bool:
    said = told.claims[0].said
    return len(roots(said) - SAYS_LITTLE) >= TELLING and not _PREPARES.match(said)


def _ways_to_tell(point: Point, talk: Talk) -> Iterator[ProseSentence]:
    """The ways in which the wish of a message can be told, the best first."""
    for sentence in sentences_in(point.text):
        for part in _wanted_parts(sentence):
            yield from _in_third_person(point._replace(text=part), talk)
    if quote := quote_of(point, talk, asking=True):
        stop = "" if quote.endswith("?") else "."
        claim = Claim(quote, point, verbatim=True, said=quote)
        yield ProseSentence(
            PLACES["asked"], point.at_ms, f"{USER} asked: “{quote}”{stop}", (claim,)
        )


def _wanted_parts(sentence: str) -> Iterator[str]:
    """What is wanted after the preparation, where a sentence begins with one; then the sentence."""
    if _PREPARES.match(sentence) and (found := _THEN.search(sentence)):
        yield sentence[found.end() :]
    yield sentence


def _in_third_person(point: Point, talk: Talk) -> Iterator[ProseSentence]:
    for one in reports_of(point):
        # `I'll run it myself` asks for nothing; what two are going to do is what one of them asks for.
        asks = one.told.act in ("asked", "wanted")
        if not asks and not (one.told.act == "intends" and _WE.search(one.said)):
            continue
        if not talk.retracted(point, one.said):
            claim = claim_of(one)
            yield ProseSentence(PLACES["asked"], point.at_ms, claim.text, (claim,))
