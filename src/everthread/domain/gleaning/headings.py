"""A heading says what follows, and states nothing: it is no fact."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import Stretch

_MARKED = lazy_pattern(r"\s*#{1,6}\s*(?:\d+[.)]\s*)?")
_BOLD = lazy_pattern(r"\s*(?:\d+[.)]\s*)?(?:\*\*|__)\s*")
_CLOSED = lazy_pattern(r"[\s:\uff1a]*(?:\*\*|__)[\s:\uff1a]*")
_SMALL = (
    r"(?:a|an|and|as|at|by|for|from|in|into|of|on|or|per|the|to|up|via|vs|with|without|your|our|my)"
)
_TITLE = lazy_pattern(rf"[A-Z0-9]\S*(?: (?:{_SMALL}|[A-Z0-9&(+/-]\S*|v\d\S*)){{2,}}(?<![.!?:,;])")
"""Every word of weight begins with a capital, and no mark ends it."""


def is_heading(text: str, place: Stretch, sentence: str) -> bool:
    """Is this stretch of the text one: by its marks, or as a title on a line of its own?"""
    before = text[: place.start].rpartition("\n")[2]
    after = text[place.end :].partition("\n")[0]
    if "\n" in text[place.start : place.end].strip():
        return False
    if _MARKED.fullmatch(before):
        return True
    bare = sentence.strip("*_# ")
    bold = _BOLD.fullmatch(before) and _CLOSED.fullmatch(after)
    whole = sentence.startswith(("**", "__")) and sentence.endswith(("**", "__", "**:", "__:"))
    if (bold or whole) and not bare.endswith((".", "!", "?")):
        return True
    return not after.strip() and _TITLE.fullmatch(bare) is not None
