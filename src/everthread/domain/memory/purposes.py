"""Is a later value one of something else than the earlier: for another purpose, or of another thing?

`The price is now 20 for students` leaves the price what it was; so does `Staging now runs on Postgres 16`
what production runs on.
"""

from __future__ import annotations

from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .value_claims import CLOCKS, DAYS, even_out, value_claims

_PURPOSE = lazy_pattern(
    r"(?<=\w) (?:for|during|when|whenever|if)"
    r" (?!now\b|good\b|sure\b|example\b|instance\b|free\b|the (?:time being|moment|rest|last|next)\b|"
    r"an? (?:while|change)\b|(?:a|an|one|two|three|\d+) \w+)"
    r"(?P<what>(?:(?!(?:is|are|was|were|will|has|have|moved|changed|to|from|now)\b)\S++ ?+)++)"
)
_EACH = lazy_pattern(
    r"\bon (?P<what>(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|holidays)\b"
)
_SPEAKS = lazy_pattern(r"(?i:i|we|you|they|he|she|it|there|let's|that|this)\b")
_WITHIN = frozenset({"in", "on", "at", "with", "during"})
"""What a subject is within: the limit in staging is not the limit."""
_POINTING = "me you us them him her it this that our their"
_PASSING = "instead now then again too anyway though please"
_PLAIN = frozenset(f"{_POINTING} {_PASSING}".split())
"""Words that bound nothing."""


def is_of_another(new: str, old: str) -> bool:
    """Does the later statement tell of a purpose that the earlier does not have, or of another thing?"""
    said = {*parse_statement(even_out(old)).words}
    if not _bounds(new) <= said:
        return True
    ones, others = _things(new), _things(old)
    return bool(ones and others) and all(a - b and b - a for a in ones for b in others)


@lru_cache(maxsize=4096)
def _things(text: str) -> tuple[frozenset[str], ...]:
    """Of what it tells a value; nothing where somebody tells what he does."""
    if _SPEAKS.match(even_out(text)):
        return ()
    return tuple(claim.subject for claim in value_claims(text))


@lru_cache(maxsize=4096)
def _bounds(text: str) -> frozenset[str]:
    """The words that tell of what alone it holds."""
    even = even_out(text).lower()
    told = [found["what"] for found in _PURPOSE.finditer(even)]
    told = [what for what in told if not (DAYS.search(what) or CLOCKS.search(what))]
    told += [found["what"] for found in _EACH.finditer(even)]
    words = {word for what in told for word in parse_statement(what).words}
    for claim in value_claims(text):
        if not claim.subject.isdisjoint(_WITHIN):
            words |= claim.subject
    return frozenset(words - _WITHIN - _PLAIN)
