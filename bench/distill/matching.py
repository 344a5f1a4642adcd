"""Is it still there? By line, never by all words at once, and always beside a floor.

Bag-of-words matching deceived once: in two thousand tokens short messages match by chance. So an
item must stand on one line, with the ends of a word round it, and every figure is shown beside the
figure of the same rule on another conversation, where only chance can match.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from everthread.domain.text.words import STOP

WORDS_KEPT = 0.7
"""A sentence is kept where a line holds this share of its content words."""

LONG_LINE = 300
"""A longer line is a paragraph: it is read in stretches of about this length."""

_WORD = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_STOP = re.compile(r"(?<=[.!?])\s+|\n+")
_SPACE = re.compile(r"[^\S\n]+")


def content_words(text: str) -> list[str]:
    """The words that carry meaning, in order, lower case."""
    words = (word.lower() for word in _WORD.findall(text))
    return [word for word in words if (len(word) > 2 or word.isdigit()) and word not in STOP]


@dataclass
class Page:
    """A text to look into."""

    text: str
    lines: list[str] = field(default_factory=list)
    sets: list[frozenset[str]] = field(default_factory=list)
    pairs: list[frozenset[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = _SPACE.sub(" ", self.text)
        self.lines = [piece for line in self.text.split("\n") for piece in _pieces(line)]
        self.sets = [frozenset(content_words(line)) for line in self.lines]
        one_on = [*self.sets, frozenset[str]()][1:]
        self.pairs = [a | b for a, b in zip(self.sets, one_on, strict=True)]

    def holds(self, text: str) -> bool:
        """Does one line hold these very characters, as whole words?"""
        wanted = flat(text)
        if not wanted or wanted not in self.text:
            return False
        return re.search(edged(wanted), self.text) is not None

    def holds_words(self, words: Collection[str]) -> bool:
        """Do two neighbouring lines hold most of these words? A sentence may run over a line's end."""
        wanted = frozenset(words)
        needed = WORDS_KEPT * len(wanted)
        return bool(wanted) and any(len(wanted & pair) >= needed for pair in self.pairs)

    def holds_message(self, text: str) -> bool:
        """Do sentences that are still there hold most of the content words of the message?"""
        sentences = [content_words(piece) for piece in _STOP.split(text)]
        whole = sum(map(len, sentences))
        held = sum(len(words) for words in sentences if self.holds_words(words))
        return whole > 0 and held >= WORDS_KEPT * whole

    def holds_number(self, number: str, near: Collection[str], least: int = 2) -> bool:
        """Is the number on a line, with words of its sentence? Alone a number says nothing."""
        needed = min(least, len(near))
        if number not in self.text:
            return False
        rule = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w]|[.,]\d)")
        wanted = frozenset(near)
        return any(
            len(wanted & own) >= needed and rule.search(line)
            for line, own in zip(self.lines, self.sets, strict=True)
            if number in line
        )


def flat(text: str) -> str:
    """One line, single spaces."""
    return " ".join(text.split())


def edged(text: str) -> str:
    """A rule for these characters with the ends of words round them: 80 is not in 8080."""
    left = r"(?<!\w)" if text[0].isalnum() else ""
    right = r"(?!\w)" if text[-1].isalnum() else ""
    return left + re.escape(text) + right


def _pieces(line: str) -> Iterable[str]:
    """The line; a paragraph in stretches of whole sentences, each as long as a line may be."""
    line = line.strip()
    if len(line) <= LONG_LINE:
        return (line,) if line else ()
    pieces = [""]
    for sentence in _SENTENCE.split(line):
        if len(pieces[-1]) + len(sentence) > LONG_LINE:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {sentence}".strip()
    return [piece for piece in pieces if piece]
