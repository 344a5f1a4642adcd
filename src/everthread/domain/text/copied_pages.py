"""A page that a person copied into her message: tables with headings and short paragraphs between them.

Nobody writes one table after the other to say something. What stands between them, and the headings over
them, belongs to the page; what comes before, and where she is heard after it, is hers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import voices
from .patterns import lazy_pattern

Range = tuple[int, int]

TABLES = 3
"""So many in one message are a page."""

_TABLE = lazy_pattern(r"^[^\S\n]*+\|?+(?:[^\S\n]*+:?-{3,}+:?[^\S\n]*+\|)+[^\n]*$", re.MULTILINE)
_MARK = lazy_pattern(
    r"^[^\S\n]*+(?:#{1,6}(?=\s)|\|)|^(?=[^\S\n]*+\S)[^\n]*+\n[=-]{4,}+[^\S\n]*+$", re.MULTILINE
)
_GROUP = lazy_pattern(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*\n?")


def copied_pages(text: str) -> Iterator[Range]:
    """The paragraphs of such a page."""
    if len(_TABLE.findall(text)) < TABLES or (first := _MARK.search(text)) is None:
        return
    last = [*_TABLE.finditer(text)][-1].end()
    for group in _GROUP.finditer(text, first.start()):
        lines = group[0].splitlines()
        inside = group.start() < last
        if voices.is_person(lines, voices.WITHIN if inside else voices.APART):
            if not inside:
                return
            continue
        yield group.span()
