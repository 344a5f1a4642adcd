"""Does a text tell nothing of how things are: a greeting, what is about to be done, a bare list of topics?

`See you tomorrow. We'll start with the webhook retries.` has the words of a question about the retries, and
nothing to answer it with. Who asks what is planned wants just that; then nothing is in passing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern

LONGEST = 300
"""Characters; what is longer tells something."""

READ = 4_000
"""Characters in which a figure is looked for; further down it counts something else."""

_SENTENCES = lazy_pattern(r"(?<=[.!?])\s++|\n++|(?<=:\))\s*")
_FIGURE = lazy_pattern(r"\d")
_COUNTS = lazy_pattern(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|"
    r"seven|eigh|nine)ty|hundreds?|thousands?|millions?|dozens?|once|twice|half|quarter|couple|every|"
    r"daily|weekly|monthly|yearly|none|nobody|no|single|double|several|few)\b",
    re.IGNORECASE,
)
_MANNER = (
    r"(?:(?:see|talk to|speak to) you\b[^,]{0,30}|good(?:bye| ?night| morning| evening| thinking| idea| "
    r"point| luck| to know)?|great|perfect|excellent|nice|cool|thanks?(?: you)?(?: (?:so|very) much| a lot)?|"
    r"(?:will|can) do|got it|noted|understood|all right|alright|ok(?:ay)?|sure|right|hi|hello|hey|bye|cheers|"
    r"yes|yeah|yep|very well|done|sounds (?:good|great)|that's (?:it|all)(?: for (?:today|now))?|"
    r"let me (?:see|check|think|know)|one moment|i see|of course|no problem|my pleasure|you're welcome)"
)
_BY_MANNER = lazy_pattern(
    rf"{_MANNER}(?:,? (?:{_MANNER}|please|then|work|job|one|all|again|there|everyone|(?-i:[A-Z]\w+)))?\W*",
    re.IGNORECASE,
)
_LED = lazy_pattern(rf"{_MANNER}(?: please)?\s*[,:!–-]\s*", re.IGNORECASE)
_AHEAD = lazy_pattern(
    r"(?:then |so |and |now |next,? |tomorrow,? |later,? |today,? )*(?:"
    r"(?:i'll|we'll|i will|we will|i'm going to|we're going to|let me|let's|i'd like to|"
    r"(?:i|we) (?:want|plan) to)"
    r" (?:(?:then|also|now|just|first|still) )?"
    r"(?:start|begin|go on|continue|carry on|proceed|look (?:at|into)|take a look|check|see|call|ask|think|"
    r"talk|write to|get back|come back|let you|have a look|find out|move on|return|turn to|deal with|get to|"
    r"tackle)\b(?: [\w'-]+){0,6}|next(?: up)?: (?:the |our )?[\w'-]+(?: [\w'-]+){0,3})\W*",
    re.IGNORECASE,
)
_LIST = lazy_pattern(
    r"(?:[Ss]o: |[Tt]opics?: |[Aa]genda: |[Tt]o ?do: )?(?:[a-z][\w'-]*(?: [a-z][\w'-]*){0,3}, ){2,}"
    r"(?:and )?[a-z][\w'-]*(?: [a-z][\w'-]*){0,3}\W*"
)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|be|been|does|did|can|must|should|costs?|needs?|wants?|likes?|uses?|"
    r"not|no|never|\w+n't|he|she|it|they|we|you|i)\b",
    re.IGNORECASE,
)
_PLANS = lazy_pattern(
    r"\b(?:will|plan\w*|going to|next|tomorrow|later|intend\w*|open|left|promis\w*|remind\w*|to-?do|to do|"
    r"wants?|should|shall|list\w*|topics?|agenda|discuss\w*|start\w*|begin\w*|ask\w*|call\w*|when|"
    r"talk\w*|mention\w*|order|(?:did|has|have|had) [\w ]{1,30}(?:say|said|tell|told))\b"
)


def asks_for_plans(question: str) -> bool:
    """Does it ask what is planned, or what was said of it?"""
    return _PLANS.search(question.lower()) is not None


def has_figure(text: str) -> bool:
    """Does it count anything?"""
    return _COUNTS.search(text[:READ]) is not None


def tells_nothing(text: str) -> bool:
    """Is all of it said in passing?"""
    even = text.strip().replace("’", "'")
    if not even or len(even) > LONGEST or "?" in even:
        return False
    return _passes(even)


@lru_cache(maxsize=2_048)  # each question brings much of what the last one brought
def _passes(text: str) -> bool:
    return all(_is_passing(part) for part in _SENTENCES.split(text) if part.strip(" .!:)"))


def _is_passing(sentence: str) -> bool:
    if _BY_MANNER.fullmatch(sentence):
        return True
    rest = _LED.sub("", sentence, count=1) if _LED.match(sentence) else sentence
    if _FIGURE.search(rest):
        return False
    return bool(_AHEAD.fullmatch(rest)) or bool(_LIST.fullmatch(rest) and not _VERB.search(rest))
