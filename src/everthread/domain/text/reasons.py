"""What a statement says, without the reason it gives: `Moved to 4 December because of the holidays`.

Only words that give nothing but a reason count: `since` and `as` tell of times as often.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .patterns import lazy_pattern

_REASON = lazy_pattern(
    r"(?:,|;| [–—-])?\s(?:because(?: of)?|due to|owing to|on account of|thanks to|weil|aufgrund|"
    r"parce qu[e'’]|à cause d[e'’]|en raison d[e'’]|porque|debido a|a causa de|perché|a causa di|"
    r"por causa de)\b(?>(?:[^;:.!?\n]|[.:](?=\w))*)(?=[.!]?\s*\Z)",
    re.IGNORECASE,
)
_NOT_FOR_IT = lazy_pattern(
    r"\b(?:just|only|not|n['’]t|is|was|are|were|be|nur|nicht|pas|no|non)\s*\Z", re.IGNORECASE
)
"""`Not because of the price`, `That is because …`: the reason is what is told."""


@lru_cache(maxsize=4096)
def without_reason(text: str) -> str:
    """The statement alone; all of it where no reason ends it, or where the reason is what it tells."""
    found = _REASON.search(text)
    if found is None or _NOT_FOR_IT.search(text[: found.start()]):
        return text
    return text[: found.start()].rstrip()
