"""Passages: a text is embedded in pieces that a small model can take in and that mean one thing."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

WHOLE = 120
"""A text of so many words stays in one piece."""

PASSAGE = 90
"""A longer one is cut into passages of at most so many."""

SHORTEST, REST = 45, 15
"""A passage is not cut shorter for the sake of a better border, nor so that less than that is left."""

MOST = 16
"""The first so many passages are embedded. Beyond them lie pasted files and logs, which would cost
seconds each and are found by their words all the same."""

LONGEST_NAME = 60

# A word is letters and digits, joined at most once, with the marks behind it. Where no space tells
# where one ends, two ideographs or kana are one, and sixteen letters; so are four marks in a row. In
# code and tables this comes nearer to what a model counts than spaces do.
_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_STOPS = (
    "\u3002\uff01\uff1f\uff61"  # full stop, exclamation mark, question mark, as they write them
)
_MARKS = f"{_STOPS}\u3001\uff0c"  # and their commas
_LETTERS = rf"[^\W{_CJK}]{{1,16}}"
_WORD = lazy_pattern(
    rf"[{_CJK}]{{1,2}}[{_MARKS}]{{0,2}}|{_LETTERS}(?:['’-]{_LETTERS})?[^\w\s]{{0,2}}|[^\w\s]{{1,4}}"
)
_IDEOGRAPH = lazy_pattern(rf"[{_CJK}]")
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n")
_QUOTES = "\"'”’)]}*_`"

_NONE, _BETWEEN, _SENTENCE, _LINE, _PARAGRAPH = range(5)


class _Word(NamedTuple):
    start: int
    end: int


def passages(text: str, speaker: str | None = None) -> list[str]:
    """The text in passages, each with its speaker first; none where nothing is said."""
    words = [_Word(*found.span()) for found in islice(_WORD.finditer(text), MOST * PASSAGE + 1)]
    before = f"{' '.join(speaker.split())[:LONGEST_NAME]}: " if speaker else ""
    return [f"{before}{text[first.start : last.end]}" for first, last in _spans(text, words)]


def _spans(text: str, words: list[_Word]) -> list[tuple[_Word, _Word]]:
    if not words:
        return []
    if len(words) <= WHOLE:
        return [(words[0], words[-1])]
    found: list[tuple[_Word, _Word]] = []
    begin = 0
    while begin < len(words) and len(found) < MOST:
        end = _end(text, words, begin)
        found.append((words[begin], words[end - 1]))
        begin = end
    return found


def _end(text: str, words: list[_Word], begin: int) -> int:
    """Where the passage that begins here ends: at the strongest border in reach, the last of equals."""
    left = len(words) - begin
    if left <= PASSAGE:
        return len(words)
    reach = range(begin + SHORTEST, begin + min(PASSAGE, left - REST) + 1)
    return max(reach, key=lambda end: (_border(text, words[end - 1], words[end]), end))


def _border(text: str, last: _Word, following: _Word) -> int:
    """How good it is to cut between these two words."""
    gap = text[last.end : following.start]
    if "\n" in gap:
        return _PARAGRAPH if _BLANK_LINE.search(gap) else _LINE
    word = text[last.start : last.end]
    if word[-1] in _STOPS:
        return _SENTENCE
    if gap:
        return _SENTENCE if word.rstrip(_QUOTES)[-1:] in (".", "!", "?", "…") else _BETWEEN
    beside = word[-1] + text[following.start]
    return _BETWEEN if _IDEOGRAPH.search(beside) else _NONE
