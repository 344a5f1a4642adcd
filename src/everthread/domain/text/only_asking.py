"""Whether somebody only asks. Beside what she wants done, or tells, a question is not all that she said."""

from __future__ import annotations

from functools import lru_cache

from .acts.speech import asks_agent, parse_sentence
from .patterns import lazy_pattern
from .sentences import stretches

TELLS = 5
"""Words of a sentence beside the question that tell something."""

_TAG = lazy_pattern(
    r"\w[,.]?\s+¿?(?:no|ok|okay|right|correct|yes|verdad|vale|sí|oder|ne|nicht wahr|gell|hein|non|"
    r"n['’]est-ce pas|vero|giusto|certo|né|да|так)\s*[?\uff1f]\W*$"
)
"""`It should be endless, no?` says what should be."""
_WANTED = lazy_pattern(
    r"\b(?:kannst du|könntest du|würdest du|pod[eé]s|puedes|podr[ií]as|me puedes|peux-tu|pourrais-tu|"
    r"puoi|potresti|você pode|pode|podes|kun je|можешь|можете)\b"
)
"""`¿Podés revisarlo?` asks for work, as `can you` does."""


@lru_cache(maxsize=512)
def only_asks(text: str) -> bool:
    """Does all of it ask, and for nothing but an answer?"""
    parts = [text[place.start : place.end] for place in stretches(text)] or [text]
    last = parse_sentence(parts[-1])
    if not last.asks or asks_agent(last):
        return False
    if _TAG.search(last.lower) or _WANTED.search(last.lower):
        return False
    before = [parse_sentence(part) for part in parts[:-1]]
    return all(s.asks or (not s.orders and len(s.words) < TELLS) for s in before)
