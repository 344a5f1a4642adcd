"""A person's rules one by one: two that were set in one breath, and one that points at what follows."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard, heard, rules

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
