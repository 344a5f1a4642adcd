"""A person's rules one by one: two set in one breath, one that points at what follows, a list of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from everthread.domain.text.acts.passing_rules import CALLED
from everthread.domain.text.acts.speech import ParsedSentence, heads_rules, parse_sentence, rules
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import Stretch

LISTED = 15
"""Rules under one heading."""

SHORT = 80
"""Characters of what completes a rule that only points."""

_AND = lazy_pattern(
    r",?\s+(?:and|und|et|y)\s+(?=(?:also |please )?(?:don['’]t|do not|never|always|only ever|nie|niemals|"
    r"immer|jamais|toujours|nunca|siempre)\b)|;\s+",
    re.IGNORECASE,
)
_POINTS = lazy_pattern(
    r"^\W*(?:and |so |ok |good )*(?:that's|that is|this is|it's|like (?:this|that)|so)\b"
)


_REPORTS = lazy_pattern(
    r"^\W*(?!(?:i|we|you)\b)(?:(?:my|the|our) )?\w+ (?:\w+ )?(?:said|says|told|thinks|thought|wrote|claims|"
    r"claimed|believes|insists)\b"
)
"""What another holds is told with what she says to it: `Jonas said we should never … He's too strict.`"""
_BACK = frozenset({"it", "them", "those", "that"})
BRIEF_RULE = 6
"""Words of a rule that may name what it is about by one of these alone."""
_ONLY = lazy_pattern(r"^\W*(?:[\w'-]+ ){1,3}(?:only|instead)\W*$|^\W*(?:only|just) [\w'-]+")
_NO_DEED = lazy_pattern(
    r"\W*(?:(?:and|but|so|please)\W+)?(?:always|never|every time|each time) "
    r"(?:before|after|when|on|in|at|with)\b"
)
"""When, and not what: `Make a backup first! Always before migrations.`"""
FEW = 4
"""Words of what shall be instead: `Please don't phone me. E-mail only.`"""


def each_rule(text: str) -> list[str]:
    """The rules of a sentence, each by itself, so that one can be taken back and the other stands."""
    parts = _AND.split(text)
    return (
        parts if len(parts) > 1 and all(rules(parse_sentence(part)) for part in parts) else [text]
    )


_MEASURED = lazy_pattern(
    r"^\W*(?:and |but |so )?(?:(?:no more than|at most|max(?:imum)?|not more than|up to|under|only) )?"
    r"(?:\d+|an?|one|two|three|four|five|six|ten|a few|half an?) [\w-]+(?: [\w-]+)?"
    r"(?: (?:at (?:the )?most|max(?:imum)?|or (?:less|fewer)|tops|only|each|per \w+))?,?(?: please)?\W*$"
)
_BOUNDS = lazy_pattern(
    r"\b(?:most|more than|max(?:imum)?|less|fewer|tops|only|up to|under|each|per)\b"
)


def only_measures(said: ParsedSentence) -> bool:
    """Is it a measure without a verb: `Two sentences at most.`? It says how what stands before shall be."""
    if said.asks or _BOUNDS.search(said.lower) is None:
        return False
    return _MEASURED.match(said.lower) is not None


def goes_on(rule: ParsedSentence, after: ParsedSentence) -> bool:
    """Is what shall hold told only by the next sentence: `That's how I want it from now on. Short.`"""
    if after.asks:
        return False
    if _ONLY.match(after.lower) and len(after.words) <= FEW:
        return True
    if only_measures(after) and not rules(after):
        return True
    if _POINTS.match(rule.lower) is None and _REPORTS.match(rule.lower) is None:
        return False
    return len(after.text) <= SHORT


def leans_ahead(n: int, rule: ParsedSentence, after: ParsedSentence) -> bool:
    """Is what the first rule of a message is about told after it: `No, don't turn them into 0. A null …`"""
    if n or len(rule.words) > BRIEF_RULE or rule.bag.isdisjoint(_BACK):
        return False
    if after.asks or after.orders or len(after.words) < FEW or rules(after):
        return False
    return len(after.text) <= SHORT


def leans_back(places: Sequence[Stretch], said: Sequence[ParsedSentence], n: int) -> bool:
    """Is what a rule is about told by the sentence before: `I hate that word. Don't use it anywhere.`"""
    bare = _NO_DEED.match(said[n].lower) is not None
    if not n or places[n].apart or len(said[n].words) > BRIEF_RULE:
        return False
    if not bare and said[n].bag.isdisjoint(_BACK):
        return False
    before = said[n - 1]
    return not before.asks and not rules(before)


def holds_with(order: ParsedSentence, after: ParsedSentence) -> bool:
    """Is it by the few words after it that an order holds for good: `Run the tests first. Every time.`"""
    if CALLED.match(after.lower):
        return not order.asks
    if after.asks or after.orders or len(after.words) > FEW or not order.orders:
        return False
    if rules(order) or rules(after):
        return False
    return rules(parse_sentence(f"{order.text.rstrip('.! ')}, {after.text}"))


def is_completed(n: int, rule: ParsedSentence, after: ParsedSentence) -> bool:
    """Is the rule told only together with the sentence after it? `n`: which of the message it is."""
    return goes_on(rule, after) or holds_with(rule, after) or leans_ahead(n, rule, after)


def held_orders(said: Sequence[ParsedSentence]) -> frozenset[int]:
    """Which orders of a message hold for good by the words after them."""
    return frozenset(n for n, two in enumerate(pairwise(said)) if holds_with(*two))


def listed_rules(
    text: str, places: Sequence[Stretch], said: Sequence[ParsedSentence]
) -> frozenset[int]:
    """What stands under a heading that speaks of rules: to the end of its paragraph, or of its list."""
    found: set[int] = set()
    for n, each in enumerate(said):
        if not heads_rules(each):
            continue
        ends = each.text.endswith((":", "\uff1a"))
        if not ends:
            found.add(n)
        for at in range(n + 1, min(n + 1 + LISTED, len(places))):
            place = places[at]
            between = text[places[at - 1].end : place.start]
            if place.apart or place.opens != ends or (at > n + 1 and between.count("\n") > 1):
                break
            if not said[at].asks:
                found.add(at)
    return frozenset(found)
