"""Is a later value one of something else than the earlier: for another purpose, or of another thing?

`The price is now 20 for students` leaves the price what it was; so does `Staging now runs on Postgres 16`
what production runs on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem
from everthread.domain.text.tellings.qualifiers import is_told_narrower

from .single_valued import KIN
from .value_claims import CLOCKS, DAYS, ValueClaim, even_out, is_address, value_claims

_PURPOSE = lazy_pattern(
    r"(?<=\w) (?:for|during|when|whenever|if)"
    r" (?!now\b|good\b|sure\b|example\b|instance\b|free\b|the (?:time being|moment|rest|last|next)\b|"
    r"an? (?:while|change)\b|(?:a|an|one|two|three|\d+) \w+)"
    r"(?P<what>(?>(?:(?!(?:is|are|was|were|will|has|have|moved|changed|to|from|now)\b)\S++ ?+)+))"
)
_EACH = lazy_pattern(
    r"\bon (?P<what>(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|holidays)\b"
)
_SUPPOSED = lazy_pattern(
    r"\b(?:maybe|perhaps|might|could|should (?:we|i)|(?:we|i) (?:should|may)|would|if|wish|"
    r"thinking (?:about|of)|considering|want to|wants to|hope to)\b"
)
_OWNER = lazy_pattern(
    r"^\W*(?!(?:Let|It|That|What|There|Here|He|She|Who|How|Where|When)'s\b)(?P<who>[A-Z][\w-]+)'s "
    r"(?!\w+ing\b)(?=[a-z])"
)
_WORD = lazy_pattern(r"[^\W_][\w'.:-]*")
_IS = lazy_pattern(r"\b(?P<what>(?:it|that|he|she|there|what))'s\b")
_ARTICLES = "the a an my our your his her its their this that"
_WHOSE = frozenset(_ARTICLES.split())
_SPEAKER = """
    the a an my our this that now so and also but ok okay well yes hey oh just hm hmm no nope sorry actually
    wait correction update oops ah um then
"""
_OURS = frozenset(_SPEAKER.split())
"""Of whom it is where it is told by who has it: `the rent` is `our rent`."""
_LINKING = "of at in on for with to from and or by"
_LINKS = frozenset(_LINKING.split())
_WHEN = frozenset({"on", "at", "for", "by", "1"})
"""By which a time is told, in one way or the other."""
_PASSING_WORDS = frozenset({"now", "just", "currently", "already", "the"})
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
    if not _bounds(new) <= said or has_another_subject(new, old):
        return True
    if _is_of_closer_kind(new, old) or is_told_narrower(new, old):
        return True
    ones, others = _things(new), _things(old)
    return bool(ones and others) and all(a - b and b - a for a in ones for b in others)


def _is_of_closer_kind(new: str, old: str) -> bool:
    """Who is the vice captain is told, and not who is the captain."""
    ones, others = ([c.subject for c in value_claims(text) if _names_one(c)] for text in (new, old))
    return bool(ones and others) and all(a > b for a in ones for b in others)


def _names_one(claim: ValueClaim) -> bool:
    return claim.kind == "name" and (claim.how == "is" or is_address(claim.text))


def is_supposed(text: str) -> bool:
    """Does it tell what might be, or be done, and not what is?"""
    return _SUPPOSED.search(text.lower()) is not None


def is_of_another_owner(new: str, old: str) -> bool:
    """Is it told of what somebody else has: `Tom's rent` after `our rent`?"""
    owners = {found["who"].lower() for found in _OWNER.finditer(new.replace("’", "'"))}
    return not owners <= {word.removesuffix("'s") for word in parse_statement(old).words}


def has_another_subject(new: str, old: str) -> bool:
    """Does somebody or something else do or be what the earlier tells, or the same in another respect?

    `My husband wears`, `the pool bar closes`; `leaves from` and not `leaves at`. The verb is taken for what
    stands after the first noun of the earlier statement.
    """
    was, now = _spoken_words(old), _spoken_words(new)
    at = 1 if was[:1] and was[0] not in _WHOSE else 2
    if len(was) <= at or was[at] in _LINKS:
        return False
    verb = stem(was[at])
    place = next((n for n, word in enumerate(now) if stem(word) == verb), 0)
    if not place:
        return False
    subject = _bare_subject(now[:place])
    if not subject:  # here it is a noun: `The launch moves` after `We'll launch`
        return False
    return subject != _bare_subject(was[:at]) or _is_done_otherwise(now[place + 1 :], was[at + 1 :])


def _is_done_otherwise(now: Sequence[str], was: Sequence[str]) -> bool:
    """Does another small word follow the verb: `by Remondis` and not `on Mondays`?"""
    ways = [_way(words) for words in (now, was)]
    return ways[0] != ways[1] and not all(way in _WHEN for way in ways)


def _way(words: Sequence[str]) -> str:
    """The small word by which it goes on; nothing where a thing follows at once, `1` before a figure."""
    told = [word for word in words if word not in _PASSING_WORDS and not word.endswith("ed")]
    first = "".join(told[:1])
    return "1" if first[:1].isdigit() else first if first in _LINKS else ""


@lru_cache(maxsize=2_048)  # each new statement is held against all that were kept
def _spoken_words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_IS.sub(r"\g<what> is", even_out(text).lower())))


def _bare_subject(words: Sequence[str]) -> list[str]:
    return [stem(word) for word in words if word not in _OURS]


def is_of_another_property(new: str, old: str) -> bool:
    """Is something else told of the same thing: that the class is full, and not when it is?"""
    pairs = [(a, b) for a in value_claims(new) for b in value_claims(old) if _core(a) == _core(b)]
    return bool(pairs) and not any(_in_one_respect(a, b) for a, b in pairs)


def _core(claim: ValueClaim) -> frozenset[str]:
    return claim.subject - _WITHIN - {"name"}


def _in_one_respect(one: ValueClaim, other: ValueClaim) -> bool:
    named = {"name" in each.subject or each.how == "renamed" for each in (one, other)}
    if one.kind != other.kind or len(named) > 1:
        return False
    if one.kind == "name" and not one.subject.isdisjoint(KIN):
        return False  # who a sister is, and what she is
    placed = [each.how in ("at", "moved") for each in (one, other)]
    return one.kind == "time" or placed[0] == placed[1]


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
