"""What looks like an order and is none: a noun, a cry, the rest of a phrase.

Terse people write `test devices I own: …`, `wait time dropping`, `good point, he's over 25`. Told as what
somebody asked for, such words make no sentence. What is taken for none is quoted as it was said.
"""

from __future__ import annotations

import re

from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern

ALONE = 2
"""Words of an order that needs no sign of its object: `update dependencies`."""

_NOUNS = """
    address answer audit benchmark break bump call change clean clear complete copy correct count cut debug
    design diff display document draft dump email estimate export factor figure filter flag focus format
    group guess import index label limit link list load log map mark match measure merge mock monitor name
    note open order output pass patch plan plot point port process profile prompt push query quote record
    report request return review schedule search separate share sort split start state stick store
    structure support switch sync talk test track trigger update upgrade upload visit walk watch work
"""
_NOUN = frozenset(_NOUNS.split())
"""Words that begin a terse sentence as a noun, an adjective or a cry as often as they order."""

_FIRST = lazy_pattern(
    r"\A(?:(?:also|just|please|only|always) )*(?P<verb>[A-Za-z]+)(?P<rest>.*)", re.DOTALL
)
_OBJECT = lazy_pattern(
    r"\s+(?:(?:the|an?|this|these|those|all|both|each|every|any|some|no|my|our|your|their|his|her|its|it|"
    r"them|him|me|us|one|two|three|what|how|why|where|which|who|whether|if|everything|something|anything|"
    r"out|up|to|into|over|off|down|back|through|only|also|again|more|another|just|now)\b"
    r"|that (?!(?:is|was|took|takes|means|went|goes|made|makes|has|had)\b)"
    r"|[`\"'“@/~]|\d|[\w.-]{2,}[/._]\w|[A-Z]\w+[\s,.]|[A-Z]\w+\Z)"
)
"""So begins the object of an order, or what it is to be done with."""
_BROKEN = lazy_pattern(r"\s*[,:;–—]|\s+(?:and|then|yes|no)\b(?! (?:the|an?|more))")
_JOINED = lazy_pattern(r"\s+(?:(?:and|then) (?:I|we)\b|[→=])", re.IGNORECASE)
_CRY = lazy_pattern(
    r"(?:go|come) on\b|do (?:they|you|we|I)\b|see that (?:is|was|took|takes|went|has|had)\b|"
    r"do (?:the|my|our|your|these|those) [\w-]+s (?:pass|fail|work|run|still|exist|match|need|have|look|know|"
    r"agree|mean|even)\b",
    re.IGNORECASE,
)
_HAPPENED = lazy_pattern(r"\s+(?:[a-z]+ed|done|broken|lost|gone|dead)\Z")
"""`upgrade done` tells how it went."""
_WAITS = lazy_pattern(
    r"\Await\b(?!\s+(?:for|until|till|with|an?|one|two|\d+|here|there|before|another|and see)\b)"
    r"[\s,.!…–—-]*",
    re.IGNORECASE,
)
_EMPHASIS = lazy_pattern(
    r"\A((?:(?:also|please) )*)do (?=[a-z]+\b)(?!it\b|so\b|this\b|that\b|not\b)", re.I
)
_ADJECTIVE = lazy_pattern(
    r"\A(?:good|great|nice|fine|right|perfect|cool|next|first|second|third|no)\s+"
    r"(?!(?:I|we|you|it|he|she|they|this|that|these|those|the|an?|my|our|your|so|and|but|then|now|also|"
    r"please|pls|just|let|lets|can|could|will|would|what|how|why|where|when|which|who|if|because|as|"
    r"there|don|do|is|are|was|were|ok|okay|yes|no|well|one|thanks|thank|idea)\b)[a-z]+\b",
    re.IGNORECASE,
)
_PRAISED = frozenset(
    ("point", "catch", "call", "guess", "work", "try", "question", "start", "plan")
)


def names_no_order(text: str) -> bool:
    """Does it only begin like an order?"""
    if _CRY.match(text):
        return True
    found = _FIRST.match(text)
    if found is not None and _JOINED.match(found["rest"]):
        return True
    if found is None or found["verb"].lower() not in _NOUN | {"do"}:
        return False
    rest = found["rest"]
    if _BROKEN.match(rest):
        return True
    if found["verb"].lower() == "do" or _OBJECT.match(rest):
        return False
    return len(text.split()) > ALONE or _HAPPENED.match(rest) is not None


def strip_wait(text: str) -> str:
    """Without a `wait` that asks nobody to wait."""
    return _WAITS.sub("", text, count=1) or text


def strip_emphasis(text: str) -> str:
    """`do read clause 14` asks to read it."""
    found = _EMPHASIS.match(text)
    if found is None or text[found.end() :].split(maxsplit=1)[0].lower() not in BASE:
        return text
    return found[1] + text[found.end() :]


def qualifies_noun(text: str) -> bool:
    """Is its first word no opening but a part of what follows: `good point`, `next thing`?"""
    first, _, rest = text.partition(" ")
    if _ADJECTIVE.match(text) is None:
        return False
    # `Great work on this` praises; `good, use it` and `first check it` go on with an order.
    return (
        first.isalpha() and rest.split(maxsplit=1)[0].lower().rstrip(",.!") not in BASE - _PRAISED
    )
