"""The exchanges of a session: what a person said, what the agent answered, and whether it still stood.

What a person says may be taken back in the same breath (`Friday. Hm, no, Thursday then.`), be changed by
her next message (`Make that 30 minutes.`), or be given up for what the agent answered (`You're right,
…`). Then only what came last is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.patterns import lazy_pattern

FEW = 2
"""Sentences at the beginning of a message in which it says that it changes what was said before."""

_OPENING = (
    r"\A\W*+(?:(?:oh|ok|okay|well|h+m+|and|but|or|so|yes|yeah|great|good|nice|perfect|sorry|fine|"
    r"I (?:love|like) it)\b[\s,.!–—-]*+)*"
)
_TURNS_ROUND = lazy_pattern(
    rf"{_OPENING}(?:no\b(?=\s*[,.!–—]|\s+wait)|nope\b|wait\b|actually\b|scratch that|forget (?:it|that)|"
    r"on second thoughts?|I changed my mind|rather not|correction\b)",
    re.IGNORECASE,
)
"""A sentence with which somebody takes back what she said just before."""
_CHANGES = lazy_pattern(
    rf"{_OPENING}(?:make (?:it|that|this|them)\b|nope\b|wait\b|actually\b|"
    r"revert|undo|put (?:it|that|them) back|roll ?back\b|scrap (?:it|that)\b|scratch that|"
    r"forget (?:it|that)\b|"
    r"cancel (?:it|that)\b|never ?mind|not yet\b|stay (?:at|with|on)\b|keep it at\b|"
    r"change (?:it|that)\b|on second thoughts?|I changed my mind|"
    r"(?:way |far |a bit )?too \w+[.!,]|(?:only |just )?[\d.,]++\s?[^\W\d]*+%?,? please)|"
    r"\b(?:is|are|was|['’]s) (?:still |far |way |a bit |much )*too \w+|"
    r"\b(?:instead|though)[.!]*\Z",
    re.IGNORECASE,
)
_BEFORE = r"(?:old|previous|earlier|former|original)"
_OF_IT = (
    r"(?:one|name|title|version|way|wording|text|phrase|colou?r|design|layout|look|style|value|setting|format|"
    r"order|draft|approach)"
)
_BACK = lazy_pattern(
    rf"{_OPENING}(?:please )?(?:let['’]?s )?(?:go|switch|change|turn|move) back(?P<to>\b.*)|"
    rf"\bthe {_BEFORE} (?P<old>(?:\w+ ){{1,3}}?)(?:was|were|is|are|looked|read|worked|sounded) "
    r"(?:\w+ )?(?:better|nicer|clearer|best)(?! than\b)|"
    rf"{_OPENING}(?:please )?(?:call|name|make|put|set|turn|use|take) (?:it|that|them|this) (?P<again>.*)"
    r"\bagain[.!]*\Z",
    re.IGNORECASE,
)
"""Back to how it was: `go back to the old name`, `the old one was better`, `call it Larder again`."""
_HOW_IT_WAS = lazy_pattern(
    rf"\W*(?:to )?(?:(?:the )?{_BEFORE} )?(?:{_OF_IT}|(?:how|what|as) (?:it|we) (?:was|were|had)(?: it)?)?"
    r"(?: again| please)?\W*",
    re.IGNORECASE,
)
_CALLS = lazy_pattern(r"\W*(?:(?i:please )?(?i:call|name)) (?:it|that|them|this) [A-Z]\w+ again\b")
_NAMES_OLD = lazy_pattern(
    r"\b(?:forget|drop|scrap|ditch|skip|instead of|rather than)(?: about)? (?!it\b|that\b)\w",
    re.IGNORECASE,
)
"""It names what it gives up, so nothing else is meant."""
_MAKES = lazy_pattern(rf"{_OPENING}(?:make|change) (?:it|that|this|them)\b", re.IGNORECASE)
_POINTS_BACK = lazy_pattern(
    rf"{_OPENING}(?:let['’]?s )?(?:make|change|do|take|try|revert|undo|book|send) (?:it|that|this|them)\b",
    re.IGNORECASE,
)
_FIGURE = lazy_pattern(r"\d")
_DROPS = lazy_pattern(
    r"\b(?:revert|undo|back|scrap|scratch|forget|cancel|never ?mind|not yet)\b", re.I
)
_REFUSES = lazy_pattern(rf"{_OPENING}no\b(?=\s*[,.!–—])", re.IGNORECASE)
_CONCEDES = lazy_pattern(
    rf"{_OPENING}(?:you['’]?re right|you are right|true\b|good point|fair (?:point|enough)|oh really|"
    r"(?:oh |ah )?(?:I see|right)[,.!]|then (?:I['’]ll|let['’]s|we['’]ll|I will))",
    re.IGNORECASE,
)
_FOLLOWS = lazy_pattern(rf"{_OPENING}(?:do|take|try|use) (?:that|this)\b", re.IGNORECASE)
_NEWS = lazy_pattern(
    rf"{_OPENING}(?:he|she|they|it)(?:['’](?:s|ll|ve|re|d))?\b|{_OPENING}(?:done|found|did that)\b",
    re.IGNORECASE,
)
_ACCEPTS = lazy_pattern(
    r"\A\W*(?:(?:ok(?:ay)?|understood|noted|right|all right|alright|sure|of course|got it|good|great|fine|"
    r"very well|agreed|yes|certainly|thanks?(?: you)?|perfect|will do|good to know|you['’]?re right|"
    r"wonderful|lovely|nice|super|gladly|absolutely)(?P<sign>\s*[,.:!–—-]+\s*|\s+(?=\S)))+",
    re.IGNORECASE,
)


class Exchange(NamedTuple):
    """A message of a person, and the agent's last word to it."""

    key: bytes
    at_ms: int
    parts: tuple[str, ...]
    """The sentences of the person."""
    reply: bytes = b""
    reply_ms: int = 0
    answer: tuple[str, ...] = ()
    """The sentences of the reply."""


def standing_parts(parts: Sequence[str]) -> Sequence[str]:
    """The sentences of a message behind the last one that takes back what stands before it."""
    turned = [n for n, part in enumerate(parts) if n and _TURNS_ROUND.match(part)]
    return parts[turned[-1] :] if turned else parts


def is_turned(parts: Sequence[str], sentence: str) -> bool:
    """Is the sentence taken back by a later one of its own message?"""
    flat = " ".join(sentence.split())
    gone = parts[: len(parts) - len(standing_parts(parts))]
    return any(flat in part or part in flat for part in (" ".join(p.split()) for p in gone))


def is_changed(exchange: Exchange, later: Exchange, sentence: str) -> bool:
    """Does the next message change what was just asked for and reported with that sentence?"""
    first = later.parts[:FEW]
    if any(_CHANGES.search(part) and not _NAMES_OLD.search(part) for part in first):
        # Who only gives another figure changes what has one.
        return _FIGURE.search(sentence) is not None or not any(map(_gives_figure, first))
    about = roots(" ".join((*exchange.parts, sentence)))
    if any(_turns_back(part, about) for part in first):
        return True
    # A no to what the agent asked takes back nothing of what it reported.
    asked = bool(exchange.answer) and parse_sentence(exchange.answer[-1]).asks
    return not asked and any(_REFUSES.match(part) for part in first)


def _turns_back(part: str, about: frozenset[str]) -> bool:
    """Is it to be as before? `Let's go back to the parser` only goes on with something else."""
    found = _BACK.search(part)
    if found is None:
        return False
    told = found["to"] or found["old"] or found["again"] or ""
    if _HOW_IT_WAS.fullmatch(told):
        return found["again"] is None
    named = _CALLS.match(part) is not None
    return named or not about.isdisjoint(roots(told))


def _gives_figure(part: str) -> bool:
    return _FIGURE.search(part) is not None and _DROPS.search(part) is None


def amends(sentence: str) -> bool:
    """Does it only point back to something else: `Make that 30 minutes`, `Do that`?"""
    return _POINTS_BACK.match(sentence) is not None


def amending_part(later: Exchange) -> str:
    """The sentence that asks for something else in the place of what was asked for before."""
    return next((part for part in later.parts[:FEW] if _MAKES.match(part)), "")


def is_given_up(exchange: Exchange, later: Exchange) -> bool:
    """Does the person follow what the agent answered, and not what she had said herself?"""
    if any(speech.reports(parse_sentence(part)) for part in exchange.answer[:1]):
        return False
    asked = any(parse_sentence(part).asks for part in exchange.parts)
    return any(
        _CONCEDES.match(part) or (asked and _FOLLOWS.match(part)) for part in later.parts[:FEW]
    )


def has_news(later: Exchange) -> bool:
    """Does the message begin with what came of something: `He can't.`, `They take it!`?"""
    return any(_NEWS.match(part) for part in later.parts[:1])


def strip_acceptance(sentence: str) -> str:
    """The sentence of an agent without `Understood,` and the like before it."""
    flat = " ".join(sentence.split())
    found = _ACCEPTS.match(flat)
    return flat[found.end() :] if found else flat
