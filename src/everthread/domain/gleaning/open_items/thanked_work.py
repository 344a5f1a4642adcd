"""Is a person glad of what she had asked for? Then it was made, whoever saw that: nobody waits for it.

`Thanks for the member list, perfect`, `the table plan is exactly what I wanted`, `the dentist you found came
yesterday`. It must be the thing that was to be made, and no other of its kind; and nothing of it is missing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.person_statements import Utterance
from everthread.domain.gleaning.roots import root, roots
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern

_GLAD = lazy_pattern(
    r"\b(?:thanks|thank you|thx|cheers|lov(?:e|es|ed|ely)|likes?|liked|enjoy(?:s|ed)?|adored?|great|perfect|"
    r"brilliant|excellent|wonderful|beautiful(?:ly)?|fantastic|awesome|superb|amazing|fabulous|helpful|helped|"
    r"helps|useful|a (?:big |great )?(?:hit|help|success)|exactly what|(?:happy|pleased|glad) with|saved|"
    r"(?:works?|worked|reads?|looks?|fits?|fitted|went(?: down)?|came out|turned out|did)"
    r"(?: really| very| so)? (?:well|great|good|nice|nicely|perfectly|fine))\b"
)
_MADE = lazy_pattern(
    r"\byou(?:'ve| have| had)?(?: just| already)? (?:found|made|wrote|sent|gave|did|drew|built|put together|"
    r"prepared|drafted|suggested|designed|created|compiled|collected|came up with|set up|\w+ed)\b"
)
"""What the agent is said to have made."""
_LACKS = lazy_pattern(
    r"\b(?:in advance|when|once|if|would|could|should|will|'ll|need|needs|must|please|still|yet|not|never|"
    r"missing|but|wrong|except|although|though|forgot|instead|without|until|offering|offer|tomorrow|later|"
    r"asap|soon|hope|hoping|looking forward)\b|n't\b"
)
_ENDS = lazy_pattern(
    r"[,;:.!?–—(]|\b(?:of|for|about|with|from|in|on|at|to|by|near|that|which|who|so|because|and|into|before|"
    r"after|until|as|using|based)\b"
)
_SAYS = lazy_pattern(
    r"[,;:.!?–—(]|\b(?:is|are|was|were|has|have|had|turned|came|went|made|did|you|i|we|it|he|she|they|"
    r"reads?|looks?|works?|fits?|[a-z]{2,}ed)\b"
)
"""Where the thing is named, and something is said of it."""
_AFTER = lazy_pattern(r"\b(?:of|for|about|from|near|with|on|in|to)\b")
_ORDER = lazy_pattern(
    r"\W*+(?:(?:please|and|also|then|now|ok|okay|so|hi|hello|hey|thanks|pls)\b[\s,.!]*+)*+"
    r"(?:(?:can|could|would|will) you (?:please |kindly |just |also )*+|i need you to |i'd like you to )?"
    r"(?:help (?:me|us) (?:to )?)?(?P<verb>[a-z]+)\b"
    r"(?: (?:up|out|down|together|over|into|for|me|us))*+(?P<after>.*)"
)
_WHOSE = lazy_pattern(r"\b(?:the|your|that|this|those|these|my|our|a)\b")


_ERRAND_VERBS = """
    send call tell ask remind order cancel move delete remove keep pay forward share post publish submit
    upload invite renew book buy copy print notify email close open reply answer
"""
_ERRANDS = frozenset(_ERRAND_VERBS.split())
"""Of what is only to be sent or booked, she may be glad before: then the deed must be named as well."""
_COUNTS = roots("one two three four five six seven eight nine ten few some more new couple")


class _Work(NamedTuple):
    """What is asked for."""

    verb: str
    thing: frozenset[str]
    more: frozenset[str]
    """What is said of it."""


def is_glad_of(said: Utterance, request: str) -> bool:
    """Is she glad of what this request asked for?"""
    if not _may_be_glad(said.text):
        return False
    wanted = _work_wanted(request)
    return wanted is not None and any(_is_told(each, wanted) for each in said.sentences)


@lru_cache(maxsize=64)  # a message is held against all that is open
def _may_be_glad(text: str) -> bool:
    lower = text.lower()
    return _GLAD.search(lower) is not None or _MADE.search(lower) is not None


def _is_told(each: ParsedSentence, wanted: _Work) -> bool:
    if each.asks or _LACKS.search(each.lower):
        return False
    if not (_GLAD.search(each.lower) or _MADE.search(each.lower)):
        return False
    told = roots(each.text)
    if not wanted.thing <= told or (wanted.verb in _ERRANDS and root(wanted.verb) not in told):
        return False
    # `Thanks for the shopping list`, where that of the members was asked for.
    of_it = not wanted.more or not wanted.more.isdisjoint(told)
    return of_it or not _has_another(each, wanted.thing)


def _has_another(each: ParsedSentence, thing: frozenset[str]) -> bool:
    """Is it told of what kind the thing is, or of what: `the shopping list`, `the list of the guests`?"""
    parts = _WHOSE.split(_GLAD.sub(" . ", each.lower))
    named = [part for part in parts if thing <= roots(part)]
    return any(roots(_phrase(part)) - thing for part in named)


def _phrase(part: str) -> str:
    """The words of the thing, and of what it is; not what is said of it."""
    head, *rest = _AFTER.split(part, maxsplit=1)
    own = _SAYS.split(head, maxsplit=1)
    told = _SAYS.split(rest[0], maxsplit=1)[0] if rest and len(own) == 1 else ""
    return f"{own[0]} {told}"


def _work_wanted(request: str) -> _Work | None:
    """What is to be made; None where it is not plain what that is."""
    order = _ORDER.match(parse_sentence(request).lower)
    if order is None or order["verb"] not in BASE:
        return None
    after = order["after"]
    own = _ENDS.split(_WHOSE.sub(" ", after, count=1).lstrip(), maxsplit=1)
    thing = roots(own[0]) - _COUNTS
    return _Work(order["verb"], thing, roots(after) - thing - _COUNTS) if thing else None
