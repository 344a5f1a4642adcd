"""What a person is called: a name and no more.

It stands outside the quotes, beside words of ours, and comes from whoever writes in the channel. So a
name ends where a word begins by which our lines say who speaks or how it stands, and where it turns
into a sentence. What holds a secret is no name at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from everthread.domain.text.fences import fold_lookalikes, strip_unseen
from everthread.domain.text.patterns import lazy_pattern

from .secrets import strip_secrets

LONGEST, LONGEST_RUN, MOST_WORDS = 40, 12, 4
"""Characters; those of a script that puts no blanks between words; words."""

NO_NAME = 1_000
"""What is longer is no name, whatever it begins with."""

_OTHER = lazy_pattern(r"[^\w .'@+-]+")
_EDGES = " .'-_"
_PARTS = lazy_pattern(r"[^\W_]+")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_OURS = lazy_pattern(
    "(?:agent|assistant|user|human|tool|system|everthread|someone|imported|memory|message"
    "|open|asked|since|corrected|superseded|unverified|fresh)s?"
)
"""By which a line of ours says who speaks, and how it stands with what was said."""

_RULE = lazy_pattern("rules?")
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d")
_MONTH = lazy_pattern("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")
_PARTICLES = (
    "af|al|av|ben|bin|da|das|de|del|della|den|der|di|do|dos|du|e|el|i|ibn|la|las|le|los|op"
    "|ten|ter|tot|van|vom|von|y|zu|zum|zur"
)
_PARTICLE = lazy_pattern(_PARTICLES)
_LOOSE = lazy_pattern(f"{_PARTICLES}|the|of|by|for|from|and|or|not|as")
"""What no name ends with."""


def safe_name(name: str | None) -> str:
    """What the person is called; empty where that is no name."""
    return _clean_name(name) if name and len(name) <= NO_NAME else ""


@lru_cache(1_024)
def name_of_principal(principal: str | None) -> str:
    """By what name a person is told whom a program knows by a mark of its own: `user-7`, an id, an address.

    By that mark itself, where it is a name; else by a short one made of it. No two share one.
    """
    if not principal:
        return ""
    name = safe_name(principal)
    if name and _PARTS.findall(name) == _PARTS.findall(principal):
        return name
    made = hashlib.blake2b(principal.encode("utf-8", "surrogatepass"), digest_size=4)
    return f"Person {made.hexdigest().upper()}"


@lru_cache(1_024)
def _clean_name(name: str) -> str:
    text = strip_unseen(name)
    # Before anything is cut: half a secret is not known as one.
    if strip_secrets(text) != text:
        return ""
    words = [word for word in _OTHER.sub(" ", text).split() if _PARTS.search(word)]
    kept = [*_leading_words(words)]
    while kept and len(kept) < len(words) and _LOOSE.fullmatch(kept[-1].lower()):
        kept.pop()
    made = " ".join(kept)[:LONGEST].strip(_EDGES)
    # What was cut may end with a word that it did not hold before.
    return made if made == name else _clean_name(made)


def _leading_words(words: Sequence[str]) -> Iterator[str]:
    """Those before the first that is ours, or of a sentence."""
    count = 0
    for n, word in enumerate(words):
        particle = _PARTICLE.fullmatch(word) is not None
        # `nora smith` is a name; in `Nora wants more` it ends with the first word.
        small = word.islower() and not particle
        count += not particle
        if _is_ours(words, n) or count > MOST_WORDS:
            return
        if small and n and (n > 1 or not words[0].islower()):
            return
        yield word[:LONGEST_RUN] if _UNSPACED.match(word) else word


def _is_ours(words: Sequence[str], n: int) -> bool:
    """Does one of our words stand there, whatever marks are around it or between its letters?"""
    parts = _PARTS.findall(fold_lookalikes(words[n]))
    if _DAY.search(words[n]) or any(map(_OURS.fullmatch, (*parts, "".join(parts)))):
        return True
    after = _PARTS.findall(fold_lookalikes(words[n + 1])) if n + 1 < len(words) else []
    for one, other in zip(parts, [*parts[1:], *after[:1]], strict=False):
        if (one[-1].isdecimal() and _MONTH.match(other)) or (
            _RULE.fullmatch(one) and other == "of"
        ):
            return True
    return n == 0 and _RULE.fullmatch(parts[0]) is not None
