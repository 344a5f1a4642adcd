"""What a cosine owes to the language alone.

The embedder was made for English, where strangers have a cosine of about 0.1. Two texts of another language
have 0.3 to 0.5 for being in that language, whatever they say.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.tellings.small_words import ENGLISH, GRAMMARS, language_of

STRANGE = 0.15
"""Cosine of two English texts that have nothing to do with each other."""

FOREIGN, FEW = 0.35, 3
"""The same in another language; it counts as that of so many texts, for where there are few, their average
says little."""

SAME = 0.97
"""Cosine of what says the same: it tells nothing of strangers."""

ENOUGH, SMALL = 4, 0.2
"""Among so many words of English this share is small ones: another language has one by chance."""

READ = 2_000
"""Characters by which a language is known: prompts may be megabytes."""

_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ASKING = frozenset({"what", "who", "how", "why"})
_SMALL = GRAMMARS[ENGLISH].plain | GRAMMARS[ENGLISH].bounds | _ASKING


def is_english(text: str) -> bool:
    """By its small words; a few words that could be of any language are taken for English."""
    words = frozenset(_WORD.findall(text[:READ].lower()))
    if any(word.upper() == word.lower() for word in words):
        return False  # a script without cases
    if language_of(words) != ENGLISH:
        return False
    return len(words) < ENOUGH or len(words & _SMALL) >= SMALL * len(words)


def owed_to_language(text: str, cosines: Iterable[float | None]) -> float:
    """How much of the cosines of a text with what was found for it is due to their language alone."""
    if is_english(text):
        return 0.0
    known = [each for each in cosines if each is not None and each < SAME]
    usual = (sum(known) + FEW * FOREIGN) / (len(known) + FEW)
    return max(0.0, usual - STRANGE)
