"""What a context says already, word for word, need not be recalled into it.

A summary quotes a person's short messages whole: to recall one of them beside it would pay for the
same words twice, and leave out something that is nowhere in the context.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .summaries_lines import QUOTES

SHORTEST = 20
"""Characters: what is shorter stands in another sentence by chance."""

BEGINNING = 200
"""Characters that are looked for first."""

_BENT = {**QUOTES, ord("·"): " "}
_END = lazy_pattern(r"[.!?…。！？](?=[\s'\")\]]|$)|[。！？]")  # noqa: RUF001 - of other scripts
_JOINED = lazy_pattern(r"\w[-'’./:@+\\]?$")
_JOINING = lazy_pattern(r"[-'’./:@+\\]?\w")
_TURNED = lazy_pattern(
    r"\b(?:instead|rather|whether|unlike|wrong|untrue|no ?longer|any ?more)\b", re.IGNORECASE
)


def _flat(text: str) -> str:
    return " ".join(text.translate(_BENT).split())


class ContextText:
    """A text that is in the context; the empty one says nothing."""

    def __init__(self, text: str = "") -> None:
        lines = [_flat(line) for line in text.split("\n")]
        self._text = " ".join(line for line in lines if line)
        self._starts: list[int] = []
        at = 0
        for line in filter(None, lines):
            self._starts.append(at)
            at += len(line) + 1

    def __bool__(self) -> bool:
        return bool(self._text)

    def says(self, text: str) -> bool:
        """Does all of the text stand in it? Line breaks and kinds of quotes make no difference.

        Not as a part of other words, and not where the rest of its sentence denies, bounds or asks it.
        """
        # Nearly all texts end here: to read all of what a tool printed takes longer than to look it up.
        if len(text) > BEGINNING and _flat(text[:BEGINNING]) not in self._text:
            return False
        wanted = _flat(text)
        if len(wanted) < SHORTEST:
            return False
        at = self._text.find(wanted)
        while at >= 0:
            if self._holds(at, at + len(wanted)):
                return True
            at = self._text.find(wanted, at + 1)
        return False

    def _holds(self, start: int, end: int) -> bool:
        text = self._text
        if text[start].isalnum() and _JOINED.search(text, max(0, start - 2), start):
            return False
        if text[end - 1].isalnum() and _JOINING.match(text, end):
            return False
        line = self._starts[bisect_right(self._starts, start) - 1]
        next_line = bisect_left(self._starts, end)
        stop = self._starts[next_line] if next_line < len(self._starts) else len(text)
        before = [found.end() for found in _END.finditer(text, line, start)]
        left = text[before[-1] if before else line : start]
        if _END.fullmatch(text, end - 1, end):
            return not _has_negation(left)
        after = _END.search(text, end, stop)
        asked = after is not None and after[0] in "?？"  # noqa: RUF001 - as above
        right = text[end : after.start() if after else stop]
        return not (asked or _has_negation(left) or _has_negation(right))


def _has_negation(part: str) -> bool:
    """Is there a word that denies or bounds what stands beside it?"""
    told = parse_statement(part)
    return bool(told.denials or told.hedges or _TURNED.search(part))


NOTHING_SAID = ContextText()
