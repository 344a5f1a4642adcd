"""Cutting text into the word pieces that BERT models know, as their own tokenizer cuts it.

Written out here because the usual package brings a client for a model hub and all that it needs. Equal
to it on every text we compared, but for some five hundred characters that are younger than its tables
(none of them in the vocabulary).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100
LONGEST_TEXT = 16_384
"""Of a longer text this much is read: more would not fit a model of a few hundred pieces anyway."""
KEPT_WORDS = 20_000

IDEOGRAPHS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)


class _CleanTable(dict[int, str]):
    """Characters made plain: no control characters, one kind of space, ideographs as words."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _clean(chr(code))
        return plain


class _FoldTable(dict[int, str]):
    """Decomposed characters without accents and capitals, punctuation as words."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _clean(char: str) -> str:
    kind = unicodedata.category(char)
    if char in "\t\n\r" or kind[0] == "Z":
        return " "
    # A code without a meaning yet may be tomorrow's letter, and is kept.
    if (kind[0] == "C" and kind != "Cn") or char == "\ufffd":
        return ""
    return f" {char} " if any(ord(char) in block for block in IDEOGRAPHS) else char


def _fold(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Mn":
        return ""
    if kind[0] == "P" or (char.isascii() and char.isprintable() and not char.isalnum()):
        return " " if char == " " else f" {char} "
    return char.lower()


class WordPieces:
    """A vocabulary, one piece a line, and the greedy cut by it. What looks special is ordinary text."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = (self._numbers[UNKNOWN],)
        self._begin, self._end = self._numbers[BEGIN], self._numbers[END]
        self._cleaned, self._folded = _CleanTable(), _FoldTable()
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str, *, most: int) -> list[int]:
        """The pieces of a text by number, between their marks; at most so many, marks included."""
        found = [self._begin]
        for word in self.words(text[:LONGEST_TEXT]):
            found += self._known.get(word) or self._learn(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._end]

    def words(self, text: str) -> list[str]:
        """The words of a text, small, without accents; each mark and each ideograph by itself."""
        plain = unicodedata.normalize("NFD", text.translate(self._cleaned))
        return [word for word in plain.translate(self._folded).split(" ") if word]

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return self._unknown
        if len(self._known) >= KEPT_WORDS:
            self._known.clear()
        self._known[word] = pieces = self._cut(word)
        return pieces

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest piece that fits, again and again; a word with a rest that none fits is unknown."""
        pieces: list[int] = []
        rest, before = word, ""
        while rest:
            for end in range(len(rest), 0, -1):
                number = self._numbers.get(before + rest[:end])
                if number is not None:
                    pieces.append(number)
                    rest, before = rest[end:], "##"
                    break
            else:
                return self._unknown
        return tuple(pieces)
