"""What fits into a budget of tokens: hits whole, and of what is too long the part around what was asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from .hits import Hit
from .shown_text import Redact, shown_text

CUT = "[…]"
"""Stands where a text was cut."""

ITEM = 400
"""Tokens that one text may take before the others have had their share; what is left goes to the cut ones."""

SHARE = 0.4
"""Of a larger budget it may take so much."""

LEAST = 40
"""In less room than a sentence takes nothing is cut: it would say nothing, and each try takes time."""

UNIT = 160
"""A sentence that is longer is cut between words: else a page without a full stop is all or nothing."""

_SENTENCES = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？])")  # noqa: RUF001 - Chinese full stops


def widest_part(text: str, words: Sequence[str], fits: Callable[[str], bool]) -> str | None:
    """As much of it around the words as fits; None if not even its best sentence does."""
    pieces = pieces_of(text)
    spans = _windows(pieces, best_piece(pieces, words))
    low, high, found = 0, len(spans) - 1, None
    while low <= high:
        middle = (low + high) // 2
        part = joined_part(pieces, *spans[middle])
        if fits(part):
            found, low = part, middle + 1
        else:
            high = middle - 1
    return found


def pieces_of(text: str) -> list[str]:
    """The text in sentences and lines, long ones cut between words; joined they are the text."""
    lines = text.splitlines(keepends=True)
    return [p for line in lines for s in _SENTENCES.split(line) for p in _short(s)]


def best_piece(pieces: Sequence[str], words: Sequence[str]) -> int:
    """Which piece holds most of the words; the first where none does."""
    if not words:
        return 0
    counts = [sum([word in low for word in words]) for low in map(str.lower, pieces)]
    return counts.index(max(counts))


def joined_part(pieces: Sequence[str], first: int, last: int) -> str:
    """These pieces as one text, marked where something is missing."""
    before = f"{CUT} " if first else ""
    after = f" {CUT}" if last < len(pieces) else ""
    return f"{before}{''.join(pieces[first:last]).strip()}{after}"


def _windows(pieces: Sequence[str], best: int) -> list[tuple[int, int]]:
    """From the best piece alone outward, two forward for one back; each holds the one before."""
    first, last = best, best + 1
    spans = [(first, last)]
    while first > 0 or last < len(pieces):
        if last < len(pieces) and (first == 0 or len(spans) % 3):
            last += 1
        else:
            first -= 1
        spans.append((first, last))
    return spans


def _short(sentence: str) -> Iterator[str]:
    while len(sentence) > UNIT:
        at = sentence.rfind(" ", UNIT // 2, UNIT) + 1 or UNIT
        yield sentence[:at]
        sentence = sentence[at:]
    if sentence:
        yield sentence


class Budget(NamedTuple):
    """How much may be shown, and how it is counted and cut."""

    tokens: int
    size: Callable[[str], int]
    words: Sequence[str] = ()
    """Those of the question: where a hit is cut, the part that holds them stays."""
    redact: Redact = str
    """Secrets go before anything is cut: half of one is not known as one."""


def hits_within(hits: Sequence[Hit], budget: Budget) -> list[Hit]:
    """The best hits, in their order, in so many tokens: whole where there is room, else cut."""
    kept: list[tuple[Hit, Hit, int]] = []
    room = budget.tokens
    most = max(ITEM, int(SHARE * budget.tokens))
    for hit in hits:
        found = _fitted(hit, room, min(room, most), budget)
        if found is not None:
            kept.append((hit, *found))
            room -= found[1]
    shown: list[Hit] = []
    for hit, fitted, size in kept:
        grown = _fitted(hit, size + room, size + room, budget) if fitted.cut and room else None
        shown.append(fitted if grown is None else grown[0])
        room -= 0 if grown is None else grown[1] - size
    return shown


def _fitted(hit: Hit, room: int, most: int, budget: Budget) -> tuple[Hit, int] | None:
    """The hit and its tokens: whole, or else in `most` of them."""
    size = budget.size(hit.text)
    if size <= room:
        return hit, size
    if most < LEAST:
        return None
    text = shown_text(hit, budget.redact)
    part = widest_part(text, budget.words, lambda part: budget.size(part) <= most)
    return None if part is None else (replace(hit, text=part, cut=True), budget.size(part))
