"""What a person repeats of an agent's words: a line that she asks about, or much of what it wrote.

Some clients hand what one agent planned to the next as the person's own message; and people paste an
answer under `do step 4`. Nothing in it is a rule, a choice or a fact of hers.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import NamedTuple

from everthread.domain.text.pasted_text import Range, blank_out
from everthread.domain.text.patterns import lazy_pattern

TOLD, SAID = 24, 60
"""So many messages of the agent, and of the person, are compared."""

LONGEST = 20_000
"""Characters of one of them."""

PIECES = 300
"""Lines and sentences of a message that are looked at."""

FEWEST, SHORTEST = 4, 20
"""Words and characters of a piece that nobody writes twice by chance."""

ECHOES, ECHOED = 5, 400
"""So many pieces, and characters, of the agent's words are shown, whatever she asks: nobody chooses by so
much."""

MOST_PASTED = 2_000
"""Lines of such a message that are looked at."""

LINE = lazy_pattern(r"\S[^\n]*")
PIECE = lazy_pattern(r"\S[^\n]*?(?:(?<![\s#]\d)[.!?](?=\s)|$)", re.MULTILINE)
_SIGNS = lazy_pattern(r"[\W_]+")


class Piece(NamedTuple):
    """A sentence, or a line."""

    start: int
    end: int
    text: str


class Echoes:
    """Knows what both said, as far as that tells whose words a line is."""

    def __init__(self) -> None:
        self._told: deque[str] = deque(maxlen=TOLD)
        self._said: deque[str] = deque(maxlen=SAID)

    def tell(self, text: str) -> None:
        """What the agent said."""
        self._told.append(bare(text[:LONGEST]))

    def say(self, text: str) -> None:
        """What the person said, without what she only showed."""
        self._said.append(bare(text[:LONGEST]))

    def read(self, text: str, *, own: bool) -> tuple[Range, ...]:
        """Take in what the agent, or `own` the person, says; what of it is pasted?"""
        if not own:
            self.tell(text)
            return ()
        shown = tuple(self.pasted(text))
        self.say(blank_out(text, shown))
        return shown

    def repeated(self, pieces: list[Piece]) -> list[Range]:
        """Which of them the agent said, and she did not before it."""
        return [(start, end) for start, end, each in pieces if self._is_echo(bare(each))]

    def pasted(self, text: str, repeated: list[Range] | None = None) -> list[Range]:
        """The agent's words in her message, if they are much of it.

        Where all of it is the agent's, its first words stand for what she wants.
        """
        if len(text) < ECHOED or not self._told:
            return []
        shown = self.repeated(pieces_of(PIECE, text)) if repeated is None else repeated
        if len(shown) < ECHOES or sum(end - start for start, end in shown) < ECHOED:
            return []
        shown = self._with_lines_between(text, shown)
        first = shown[0][1]
        if any(map(str.isalpha, blank_out(text, shown))):
            return shown
        # Before anybody spoke to it, a client shows what it was started with: those are her words.
        return [each for each in shown if each[0] >= first] if self._said else []

    def _with_lines_between(self, text: str, shown: list[Range]) -> list[Range]:
        """However short they are, if they are from there: below them she may choose."""
        known = [bare(text[start:end]) for start, end in shown]
        source = f" {max(self._told, key=lambda told: sum(each in told for each in known))} "
        lines = islice(LINE.finditer(text, shown[0][0], shown[-1][1]), MOST_PASTED)
        between = (line.span() for line in lines if f" {bare(line[0])} " in source)
        return sorted({*shown, *(each for each in between if not self._was_hers(text, each))})

    def _was_hers(self, text: str, place: Range) -> bool:
        words = bare(text[slice(*place)])
        return len(words) >= SHORTEST and any(words in said for said in self._said)

    def _is_echo(self, words: str) -> bool:
        if len(words) < SHORTEST or words.count(" ") + 1 < FEWEST:
            return False
        return any(words in told for told in self._told) and not any(words in s for s in self._said)


def pieces_of(form: re.Pattern[str], text: str) -> list[Piece]:
    """The first of the lines, or of the lines and sentences."""
    return [Piece(*found.span(), found[0]) for found in islice(form.finditer(text), PIECES)]


def bare(text: str) -> str:
    """The words alone, so that signs and marks make no difference."""
    return _SIGNS.sub(" ", text).strip().lower()
