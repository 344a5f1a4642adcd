"""Is told what was to be found out: `Parking is 12 euros a day`, of `find out how much the parking costs`?

Who was to find something out seldom says that it did: it tells what it found. Of a deed nothing is read so,
for whoever speaks of the table has not booked it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.promise_forms import promises

FIRST = 3
"""Sentences of a message by which it is seen: further on it tells of something else."""
FURTHER = 2
"""Words that the item has not, by which more than the item is told."""

_SEEKS = lazy_pattern(
    r"^\W*(?>(?:(?:ok|okay|so|and|also|hey|hi|please|pls|first|then)\b[\s,.!:–—-]*)*)"
    r"(?:(?:can|could|would|will) you (?:please |quickly |just )?|i(?:'d like| need| want) you to |"
    r"i(?:'ll| will| must| (?:still )?(?:need|have) to) )?"
    r"(?:find out|check(?! (?:in|out|off|them off)\b)|look (?:up|into|at)|compare|"
    r"see (?:if|whether|what|when|how|why)|"
    r"get (?:me|us) (?:an?|the|some) (?P<kind>quote|price|estimate|number|date)s?|"
    r"summari[sz]e|research|investigate|figure out|work out|calculate|count|"
    r"list|explain|describe|tell me|let me know)\b"
)
_QUESTION = lazy_pattern(
    r"^\W*(?:and |so |but )?"
    r"(?:what|which|who|why|when|where|how (?:much|many|long|often|far|big|high|old)|"
    r"any (?:luck|news|word|updates?) (?:with|on|about|from))\b.*\?\W*$"
)
_TWO_DEEDS = lazy_pattern(r"\b(?:and|then)(?: then| also| please)*\s+(?P<verb>[a-z]+)")
_ABOUT_LITTLE = roots(
    "find out check look up into at see if whether what when how compare summarize summarise research "
    "investigate figure work calculate count list explain describe tell me let know can could would will you "
    "please quickly why which who where much many long often far big high old give short cost costs for us "
    "again all i must need have still to any luck news word update with on about from get quote price "
    "estimate number figure date"
)
_NOT_FOUND = lazy_pattern(
    r"\b(?:yet|still|so far|waiting|pending|will|later|tomorrow|tonight|going to|need|needs|should|could|"
    r"would|might|maybe|perhaps|unclear|unknown|unsure|try|trying|tried|first|let me|before|started|starting|"
    r"began|begun|working on|looking|checking|asked|sent|opened|requested|emailed|mailed|contacted|if|unless|"
    r"once|remember|reminder|noted|on (?:my|the|your) list)\b|'ll\b|"
    r"(?:\bnot|n't|\bnever|\bcannot|\bunable)\b[^.;]{0,20}\b(?:find|found|know|heard|hear|reach|sure|manage|"
    r"get|got|check|checked|look|looked|had|have|able|tell|told|done|do)\b"
)
_REASON = lazy_pattern(r"\b(?:because|since|due to|caused?|reason|as the|after|comes from)\b|:\s")
_FIGURE = lazy_pattern(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|\w+day|noon|daily)\b"
)
_ASKED_FOR = lazy_pattern(
    r"^\W*(?:please |and |then )*(?:can you |could you )?ask (?:my |our |the )?(?P<who>\w+)(?: again)? for "
    r"(?:the|my|our|his|her|their|an?) (?P<what>[^.,;!?]+)"
)
_GAVE = lazy_pattern(
    r"\b(?P<who>\w+)(?: (?:has|already|just|finally)\b){0,2} "
    r"(?:gave|given|brought|sent|handed|lent|mailed|emailed|forwarded|passed)(?: me| us)? "
    r"(?:the|my|our|his|her|their) (?P<what>[^,.;!]+)"
)
_FURTHER = lazy_pattern(
    r"\s(?:of|about|for|to|from|this|that|yesterday|today|on|at|in|by|and|over|back|now|already|after|before)\b"
)
"""Up to here the thing is named."""
_UNDECIDED = lazy_pattern(
    r"^\W*(?:(?:but|and|so|honestly|hm+)\W+)*(?:i|we)(?: still| really)*(?:'m| am|'re| are)? (?:still )?"
    r"(?:don't know|do not know|not sure|unsure|undecided|no idea)(?: yet| still)*,? "
    r"(?P<what>(?:which|what|where|who|whom|how|whether|if|about|on)\b.+)"
)
_SETTLED = lazy_pattern(r"\b(?:settled|decided|sorted|done deal|agreed)\b")
_TAKING = roots("take choose pick book get buy use go")
_HOW_MUCH = lazy_pattern(r"\b(?:how (?:much|many|long|often|far|big|high|old)|when|what time)\b")


class _Sought(NamedTuple):
    """What an item wants to know."""

    lower: str
    words: frozenset[str]
    about: frozenset[str]
    kind: str
    """What it wants to be given of it: a price."""


def is_found_out(said: Utterance, item: str) -> bool:
    """Does the message tell what the item wants to know?"""
    sought = _sought(item)
    if sought is not None:
        return any(_tells(each, sought) for each in said.sentences[:FIRST])
    return is_given(said, item) or any(_is_settled(each, item) for each in said.sentences[:FIRST])


def is_given(said: Utterance, item: str) -> bool:
    """`Bob gave me the key`, of `ask Bob for the key`."""
    asked = _ASKED_FOR.match(item.lower())
    return asked is not None and any(_gives(each, asked) for each in said.sentences[:FIRST])


def _gives(each: ParsedSentence, asked: re.Match[str]) -> bool:
    if each.asks or _NOT_FOUND.search(each.lower):
        return False
    gave = _GAVE.search(each.lower)
    core = _FURTHER.split(gave["what"], maxsplit=1)[0] if gave else ""
    wanted = _FURTHER.split(asked["what"], maxsplit=1)[0]
    return (
        gave is not None
        and asked["who"] == gave["who"]
        and roots(wanted) == roots(core) != frozenset()
    )


def _is_settled(each: ParsedSentence, item: str) -> bool:
    """`My aunt does the flowers, settled`, of `I don't know what to do about the flowers`."""
    unknown = _UNDECIDED.match(item.lower().replace("’", "'"))
    if (
        unknown is None
        or each.asks
        or _SETTLED.search(each.lower) is None
        or _NOT_FOUND.search(each.lower)
    ):
        return False
    about = roots(unknown["what"]) - _ABOUT_LITTLE - _TAKING
    return bool(about) and about <= roots(each.text)


def _tells(each: ParsedSentence, sought: _Sought) -> bool:
    named = roots(each.text)
    shared = sought.about & named
    if not shared or 2 * len(shared) < len(sought.about) or each.asks or each.orders:
        return False
    # What the item says itself denies nothing: `who could babysit`.
    told = _NOT_FOUND.finditer(each.lower.replace("’", "'"))
    if promises(each) or any(f" {found[0]} " not in f" {sought.lower} " for found in told):
        return False
    if " why " in f" {sought.lower} " and not _REASON.search(each.lower):
        return False
    if sought.kind not in each.lower:
        return False
    if _HOW_MUCH.search(sought.lower) or "compare" in sought.lower:
        return _FIGURE.search(each.lower) is not None
    return len(named - sought.words) >= FURTHER


@lru_cache(maxsize=512)
def _sought(item: str) -> _Sought | None:
    """None where it wants a deed, or one besides."""
    lower = item.lower().replace("’", "'")
    seeks = _SEEKS.match(lower)
    if seeks is None and _QUESTION.match(lower) is None:
        return None
    if any(found["verb"] in BASE for found in _TWO_DEEDS.finditer(lower)):
        return None
    words = roots(item)
    kind = (seeks["kind"] or "") if seeks else ""
    return _Sought(lower, words, words - _ABOUT_LITTLE, kind)
