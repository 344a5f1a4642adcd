"""Would a sentence read as an order to whoever sees it? In a summary only the user's own words may."""

from __future__ import annotations

import re
from collections.abc import Sequence

from everthread.domain.text.acts.word_lists import BASE, OPENINGS
from everthread.domain.text.patterns import lazy_pattern

from .sentence_parts import page

BEGINNING = 400
"""Characters in which an order begins, behind whatever labels."""

_COMMANDING = lazy_pattern(
    r"(?:please|you (?:must|should|need to|have to|shall)|make sure|be sure|do not|don['’]t|"
    r"(?:never|always) (?!been|seen|had|\w+ed\b)\w+)\b",
    re.IGNORECASE,
)
_INSIDE = lazy_pattern(
    r"\b(?:please|you (?:must|should|need to|have to|shall)|make sure|be sure)\b|"
    r"(?:\b(?:and|then|but|or)|[,;:–—]) (?:do not|don['’]t|never) \w",
    re.IGNORECASE,
)
_MARKS = lazy_pattern(r"\A(?:[\s\-–—*_#>→\"'“(]|\d{1,3}[.)](?=\s)|\[[ xX]?\])+")
_WORD = r"[^\W_][\w'’/-]{0,24}"
# After a label that tells of a choice, what follows is told, not ordered.
_LABEL = lazy_pattern(
    r"(?![\[(*_]*(?i:decision|decided|reason)\b)[\[(]?"
    rf"{_WORD}(?: {_WORD}){{0,4}}(?:[\])]:?|[*_]{{0,3}}[:：][*_]{{0,3}}| [–—-]+)\s+"  # noqa: RUF001 - other scripts
)
_OPENED = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?=[\s,.!:;–—]|$)|[:=–—]")
_SOFT = OPENINGS - {"you", "thank", "thanks"}
_NO_ORDER = frozenset(
    ("is", "was", "are", "were", "has", "had", "of", ":", "=", "–", "—", "you", "we", "i")
)
"""After a verb's base form these show that it was a noun, a label or a question."""
_VERBS = """
    is are was were has have had failed passed succeeded completed finished crashed broke returned took
    showed
"""
_FINITE = frozenset(_VERBS.split())
_BEGINNINGS = (
    "the a an all your my our this that these those it them what which who where how if whether"
)
_OBJECTS = frozenset(_BEGINNINGS.split())
"""With these the object of an order begins."""


def reads_as_order(text: str) -> bool:
    """Would it read as an order to whoever sees it? Code and commands in backticks do not.

    What stands before it in a list, or as a label, makes no report of it: `TODO: delete …`.
    """
    bare = _MARKS.sub("", text[:BEGINNING])
    while not (found := _commands(bare)) and (label := _LABEL.match(bare)):
        bare = _MARKS.sub("", bare[label.end() :])
    return found


def holds_order(text: str) -> bool:
    """Would any part of it read as an order, also behind words that tell something?"""
    return any(map(reads_as_order, page(text).sentences)) or _INSIDE.search(text) is not None


def _commands(bare: str) -> bool:
    if _COMMANDING.match(bare):
        return True
    words = [word.lower() for word in _OPENED.findall(_first_words(bare))]
    while words and words[0] in _SOFT:
        del words[0]
    if not words or words[0] not in BASE:
        return False
    after = words[1] if len(words) > 1 else ""
    if after in _NO_ORDER or (words[0] == "let" and after in ("me", "us")):
        return False
    return not after.endswith(("ed", "ses", "fails")) and not _is_subject(words[1:5])


def _is_subject(words: Sequence[str]) -> bool:
    """Is what looks like a verb a noun, for a verb of its own follows: `Build number 77 failed`?"""
    for word in words:
        if word in _FINITE:
            return True
        if word in _OBJECTS:
            break
    return False


def _first_words(text: str) -> str:
    """The beginning, with a cipher for what is not written in letters."""
    words = [w if w[0].isalpha() or w[0] in ":=–—" else "0" for w in text[:120].split()]
    return " ".join(words) if text[:1].isalpha() else ""
