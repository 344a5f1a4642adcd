"""A page that a person copied into her message: tables with headings and short paragraphs between them.

Nobody writes one table after the other to say something. What stands between them, and the headings over
them, belongs to the page; what comes before, and where she is heard after it, is hers. So it is with a
licence, known by its copyright line, and with a page of an application: label under label, and in one
paragraph with them a message of many words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from . import voices
from .patterns import lazy_pattern

Range = tuple[int, int]

TABLES = 3
"""So many in one message are a page."""

LABELS, MOST = 8, 0.6
"""So many lines of a word or two, and such a share of all, are labels of an application."""

WORDS, LONG = 4, 20
"""Words of a label at most, and of a message that stands under one."""

_COPYRIGHT = lazy_pattern(
    r"^[^\w\n]{0,8}Copyright[^\S\n]+(?:\(c\)|\u00a9|\d{4})", re.MULTILINE | re.IGNORECASE
)
_ASKS = lazy_pattern(r"[?\uff1f]\s*\Z|\b(?:please|let['’]s|bitte|por favor)\b", re.IGNORECASE)
_LABEL = lazy_pattern(r"[^\S\n]*+(?![-*+•>#|]\s|\d{1,3}[.)]\s)[^\n]*[^\s.,;:?!]\s*")
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
    if text.count("\n") >= LABELS:
        yield from _labelled(text)


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
    for group in _GROUP.finditer(text, start):
        lines = group[0].splitlines()
        if lines[0].lstrip()[:1].islower() or _ASKS.search(group[0]):
            return
        if voices.is_person(lines, voices.WITHIN):
            return
        yield group.span()


def _labelled(text: str) -> Iterator[Range]:
    """Paragraphs with labels, where one of them holds a message of many words, too."""
    groups = [*_GROUP.finditer(text)]
    lines = [[*group[0].splitlines()] for group in groups]
    labels = [sum(map(_is_label, each)) for each in lines]
    if sum(labels) < max(LABELS, MOST * sum(map(len, lines))):
        return
    found = [n for n, each in enumerate(lines) if labels[n] > 1 and _is_capital(each)]
    if any(len(line.split()) >= LONG for n in found for line in lines[n]):
        yield from (groups[n].span() for n in found)


def _is_label(line: str) -> bool:
    return len(line.split()) <= WORDS and _LABEL.fullmatch(line) is not None


def _is_capital(lines: Sequence[str]) -> bool:
    """Does half of it begin otherwise than a person who types in haste?"""
    return 2 * sum(not line.lstrip()[:1].islower() for line in lines) >= len(lines)
