"""Small words as people type them in haste, in their plain spelling: `u`, `pls`, `w/o`, `dont`.

Only the forms by which a sentence is known are read so; what is told stays as it was typed. French has
`dont` and Polish `w`: what is not plain English is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from everthread.domain.text.patterns import lazy_pattern

_NOT = "do does did is are was were has have had could would should"
PLAIN: Mapping[str, str] = {
    "&": "and", "w/o": "without", "w/": "with", "w": "with", "u": "you", "ur": "your", "pls": "please",
    "plz": "please", "abt": "about", "bc": "because", "cuz": "because", "tho": "though",
    "thru": "through", "thats": "that's", "whats": "what's", "theres": "there's",
    "youre": "you're", "theyre": "they're", "gonna": "going to", "wanna": "want to",
    "gotta": "have to", "dunno": "don't know", "idk": "i don't know", "nvm": "never mind",
    "tmrw": "tomorrow", "tmr": "tomorrow", "wd": "would", "shd": "should", "cant": "can't", "alr": "alright",
    "wont": "won't", **{f"{verb}nt": f"{verb}n't" for verb in _NOT.split()},
}  # fmt: skip
"""What is typed, and what it stands for."""

_MARKS = "".join(re.escape(sign) for sign in "/&@=$.-'_+")
_HASTY = lazy_pattern(
    rf"(?<![\w{_MARKS}])(?:{'|'.join(map(re.escape, sorted(PLAIN, key=len, reverse=True)))})(?![\w{_MARKS}])"
)
"""As a word by itself: no part of a name, a path or a sum."""

_FOREIGN_WORDS = """
    le la les des une est que qui et dans je tu nous vous elle ce pas der das und ist nicht ein eine el los
    las una por con il che non uma os nie jest jak ze
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_LETTERS = lazy_pattern(r"[^\W\d_]+")


def plain_spelling(lower: str) -> str:
    """The sentence, in small letters already, with its small words in full."""
    if not lower.isascii() or _HASTY.search(lower) is None:
        return lower
    if not _FOREIGN.isdisjoint(_LETTERS.findall(lower)):
        return lower
    return _HASTY.sub(_in_full, lower)


def _in_full(found: re.Match[str]) -> str:
    return PLAIN[found.group()]
