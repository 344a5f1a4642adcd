"""A heading says what follows, and states nothing: it is no fact."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import Stretch

_MARKED = lazy_pattern(r"\s*#{1,6}[^\w\n]*(?:\d+[.)][^\w\n]*)?")
_BOLD_LINE = lazy_pattern(
    r"[^\w*\n]*(?:\d+[.)][^\w*\n]*)?(?P<mark>\*\*|__)(?P<title>[^*\n]+)(?P=mark)[^\w\n]*"
)
"""Nothing stands on the line but a title in bold, with its number and its pictures."""
_ENDS = (".", "!", "?", "\u3002", "\uff1f", "\uff01")
_SMALL = (
    r"(?:a|an|and|as|at|by|for|from|in|into|of|on|or|per|the|to|up|via|vs|with|without|your|our|my)"
)
_TITLE = lazy_pattern(rf"[A-Z0-9]\S*(?: (?:{_SMALL}|[A-Z0-9&(+/-]\S*|v\d\S*)){{2,}}(?<![.!?:,;])")
"""Every word of weight begins with a capital, and no mark ends it."""
_PICTURES = lazy_pattern(r"^[^\w(\"'`$/.\[]+")


def is_heading(text: str, place: Stretch, sentence: str) -> bool:
    """Is this stretch of the text one: by its marks, or as a title on a line of its own?"""
    before = text[: place.start].rpartition("\n")[2]
    after = text[place.end :].partition("\n")[0]
    told = text[place.start : place.end]
    if "\n" in told.strip():
        return False
    if _MARKED.fullmatch(before):
        return True
    bold = _BOLD_LINE.fullmatch(before + told + after)
    if bold is not None:
        return not bold["title"].rstrip(" :\uff1a_").endswith(_ENDS)
    return not after.strip() and _is_title(sentence)


def is_title(text: str, place: Stretch, sentence: str) -> bool:
    """Is it a heading that reads as nothing else? `**All 34 tests pass**` may also be a report."""
    bare = sentence.rstrip("*_ ")
    return is_heading(text, place, sentence) and (
        bare.endswith((":", "\uff1a")) or bare.isupper() or _is_title(sentence)
    )


def _is_title(sentence: str) -> bool:
    return _TITLE.fullmatch(_PICTURES.sub("", sentence).strip("*_# ")) is not None
