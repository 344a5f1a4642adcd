"""A person's rules one by one: two set in one breath, one that points at what follows, a list of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from everthread.domain.text.patterns import late
from everthread.domain.text.sentences import Stretch
from everthread.domain.text.speech import Heard, heads_rules, heard, rules

LISTED = 15
"""Rules under one heading."""

SHORT = 80
"""Characters of what completes a rule that only points."""

_AND = late(
    r",?\s+(?:and|und|et|y)\s+(?=(?:also |please )?(?:don['’]t|do not|never|always|only ever|nie|niemals|"
    r"immer|jamais|toujours|nunca|siempre)\b)|;\s+",
    re.IGNORECASE,
)
_POINTS = late(
    r"^\W*(?:and |so |ok |good )*(?:that's|that is|this is|it's|like (?:this|that)|so)\b"
)


def each_rule(text: str) -> list[str]:
    """The rules of a sentence, each by itself, so that one can be taken back and the other stands."""
    parts = _AND.split(text)
    return parts if len(parts) > 1 and all(rules(heard(part)) for part in parts) else [text]


def goes_on(rule: Heard, after: Heard) -> bool:
    """Is what shall hold told only by the next sentence: `That's how I want it from now on. Short.`"""
    if _POINTS.match(rule.lower) is None or after.asks:
        return False
    return len(after.text) <= SHORT


def listed_rules(text: str, places: Sequence[Stretch], said: Sequence[Heard]) -> frozenset[int]:
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
