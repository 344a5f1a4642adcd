"""A page that a person copied into her message: tables with headings and short paragraphs between them.

Nobody writes one table after the other to say something. What stands between them, and the headings over
them, belongs to the page; what comes before, and where she is heard after it, is hers. So it is with a
licence, known by its copyright line and its words of law.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import voices
from .patterns import lazy_pattern

Range = tuple[int, int]

TABLES = 3
"""So many in one message are a page."""

_COPYRIGHT = lazy_pattern(
    r"^[^\w\n]{0,8}Copyright[^\S\n]+(?:\(c\)|\u00a9|\d{4})", re.MULTILINE | re.IGNORECASE
)
_TERMS = lazy_pattern(
    r"\b(?:permission|warrant(?:y|ies)|liab(?:le|ility)|licen[cs]\w+|redistribut\w+|as is|granted|"
    r"derivative|copyright holders?|you may(?: not)?)\b",
    re.IGNORECASE,
)
FEWEST = 2
"""So many words of law a licence has; who only names the owner of a file goes on in her own words."""

_ASKS = lazy_pattern(r"[?\uff1f]\s*\Z|\b(?:please|let['’]s|bitte|por favor)\b", re.IGNORECASE)
_TABLE = lazy_pattern(r"^[^\S\n]*+\|?+(?:[^\S\n]*+:?-{3,}+:?[^\S\n]*+\|)+[^\n]*$", re.MULTILINE)
_MARK = lazy_pattern(
    r"^[^\S\n]*+(?:#{1,6}(?=\s)|\|)|^(?=[^\S\n]*+\S)[^\n]*+\n[=-]{4,}+[^\S\n]*+$", re.MULTILINE
)
_GROUP = lazy_pattern(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*\n?")


def copied_pages(text: str) -> Iterator[Range]:
    """The paragraphs of such a page."""
    yield from _tables(text)
    if (found := _COPYRIGHT.search(text)) is not None:
        yield from _licence(text, found.start())


def _tables(text: str) -> Iterator[Range]:
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


def _licence(text: str, start: int) -> Iterator[Range]:
    """From the copyright line on, up to where she asks, speaks of herself, or begins in small letters."""
    if len({found[0].lower() for found in _TERMS.finditer(text)}) < FEWEST:
        return
    for group in _GROUP.finditer(text, start):
        lines = group[0].splitlines()
        if lines[0].lstrip()[:1].islower() or _ASKS.search(group[0]):
            return
        if voices.is_person(lines, voices.WITHIN):
            return
        yield group.span()
