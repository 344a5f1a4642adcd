"""Of lines that say the same, one is told: a figure, a state and a request may be the same words."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.distilling.context_text import ContextText
from everthread.domain.text.patterns import lazy_pattern

YIELD = ("Decisions", "Corrections", "Planned", "Done", "State", "Requests before", "Numbers")
SPEAK = ("Open requests", "Rules", *YIELD)
"""Sections that are told in somebody's words, by how much they matter; those of `YIELD` give way."""

_LABEL = lazy_pattern(r'- (?!")[^":]*: ')
_COUNT = lazy_pattern(r" ×\d+$")


def without_repeats(chosen: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """The sections without lines that another line says whole.

    A line gives way to one that matters as much or more, so no decision is left as a mere request.
    """
    said = [
        (SPEAK.index(name), words, ContextText(words))
        for name, lines in chosen
        if name in SPEAK
        for words in map(words_of_line, lines)
    ]

    def is_repeat(rank: int, words: str) -> bool:
        return any(
            (at < rank or (at == rank and len(words) < len(other))) and text.says(words)
            for at, other, text in said
            if len(words) <= len(other)
        )

    return [
        (name, [n for n in lines if not is_repeat(SPEAK.index(name), words_of_line(n))])
        if name in YIELD
        else (name, lines)
        for name, lines in chosen
    ]


def words_of_line(line: str) -> str:
    """What a line says, without who says it and when."""
    label = _LABEL.match(line)
    return _COUNT.sub("", line[label.end() if label else 2 :]).strip('"')
