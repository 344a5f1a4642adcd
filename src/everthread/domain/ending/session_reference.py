"""Does a sentence say of whom and of what it speaks? Taken out of its talk, `visit her` names nobody."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

_PERSON = lazy_pattern(r"\b(?:he|him|his|she|her|hers)\b(?!['’]?\w)", re.IGNORECASE)
_GROUP = lazy_pattern(r"\b(?:they|them|their|theirs)\b", re.IGNORECASE)
_THING = lazy_pattern(
    r"\bit\b(?! (?:is|was|seems?|takes?|rains?) (?:\w+ )?(?:that|to)\b)|"
    r"\b(?:that|this|those|these)(?=\s*(?:[.,;:!?–—]|\Z|\d|(?:is|are|was|were|in|on|for|to|from|with|by|"
    r"and|at|now|then|too|please|up|down|back|again|yet|first|instead)\b))|"
    r"\b(?:the )?same\b(?= (?:thing|way)\b|\s*[.,;!?]|\Z)",
    re.IGNORECASE,
)
_ONE = lazy_pattern(r"\b(?:one|ones|both)\b(?=\s*(?:[.,;:!?–—]|\Z|(?:please|then|instead|too)\b))")
_WHO = lazy_pattern(
    r"(?<!\A)(?<![.!?] )\b[A-Z][^\W\d_]+|\A[A-Z][^\W\d_]+(?= (?:has|is|was|will|can|and|from|says?|wrote)\b)|"
    r"\b(?:mother|father|mum|mom|dad|sister|brother|wife|husband|partner|son|daughter|aunt|uncle|"
    r"grandm[ao]\w*|grandpa\w*|boss|manager|doctor|colleague|friend|neighbou?r|teacher|customer|user|"
    r"client|lawyer|landlord|child|kid|boy|girl|man|woman|somebody|someone|everybody|person)s?\b"
)
"""A name inside of a sentence, or a word for somebody."""
_NAMED = lazy_pattern(
    r"\b(?:the|an?|my|our|your|all|every|each|some|no|any|two|three|\d+)\s+(?:[\w'’-]+\s+){0,2}?"
    r"[^\W\d_]{3,}|`|[/_.]\w|(?<!\A)\b[A-Z]\w+|\b[^\W\d_]{3,}s\b"
)
"""Something that a later `it` may mean."""


def is_unclear(text: str) -> bool:
    """Does it speak of somebody, or of several, whom it does not name?"""
    return _points_out(_PERSON, _WHO, text) or _points_out(_GROUP, _NAMED, text)


def leans(text: str) -> bool:
    """Does it speak of something that was named before it?"""
    return is_unclear(text) or _points_out(_THING, _NAMED, text) or _ONE.search(text) is not None


def _points_out(pronoun: re.Pattern[str], named: re.Pattern[str], text: str) -> bool:
    found = pronoun.search(text)
    return found is not None and named.search(text, 0, found.start()) is None
