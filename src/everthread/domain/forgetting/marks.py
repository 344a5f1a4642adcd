"""Marks: pieces of a text of which whatever says the same has one. A quick look before a long one.

To take a statement apart costs a thousand times as much as to look for a word in it, and hardly any of
all that was ever carried on says what is to be forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.text.sayings import LONGEST, SHARE, parse_statement, trim_blanks

_MADE = ("over", "not")
"""What `sayings.without_openings` puts in place of other words: it may stand nowhere in the text itself."""
_PART = re.compile(r"(?<=[.!?])\s+|\n")


class Marks(NamedTuple):
    """Of one text that is gone."""

    whole: str
    """The text itself: who says a piece of it says it."""
    pieces: tuple[str, ...]
    words: tuple[str, ...]
    """All of its words that stand in a text that says it as a whole."""
    known: bool
    """Is there a piece that nobody can leave out? Else every text has to be looked at."""

    def may_be_in(self, plain: str, whole: str) -> bool:
        """False: the text that was folded so does not say it, whoever looks. True: look."""
        return not self.known or any(piece in plain for piece in self.pieces) or whole in self.whole

    def may_be_echoed(self, plain: str) -> bool:
        """The same for a message that may say all of it (`sayings.is_echoed`), and much else."""
        return all(word in plain for word in self.words)


class MarkedTexts:
    """The marks of many texts. What is held against all of them is folded once, not once for each.

    Versions of one statement share most of their words: those with the same longest word are passed over
    together, and of these at once those with a word that few of them have.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._marks = [marks_of(text) for text in texts]
        self._grouped: dict[str, dict[str, list[int]]] = {}
        counts = Counter(word for marks in self._marks for word in marks.words)
        for n, marks in enumerate(self._marks):
            longest = max(marks.words, key=len, default="")
            rarest = min(marks.words, key=lambda word: (counts[word], -len(word)), default="")
            self._grouped.setdefault(longest, {}).setdefault(rarest, []).append(n)

    def told_by(self, text: str) -> Iterator[int]:
        """Which of them the text may tell, or a good part of them, by their place; not the others."""
        plain, whole = fold_case(text), fold_whole(text)
        return (n for n, m in enumerate(self._marks) if m.may_be_in(plain, whole))

    def echoed_by(self, message: str) -> list[int]:
        """Which of them the message may say as a whole."""
        plain = fold_case(message)
        groups = [group for word, group in self._grouped.items() if word in plain]
        near = [n for group in groups for word, ns in group.items() if word in plain for n in ns]
        return sorted(n for n in near if self._marks[n].may_be_echoed(plain))


def marks_of(gone: str) -> Marks:
    """Its rarest words, as far as spelling tells: the longest.

    `sayings.likeness_of` lets a quarter of the words differ, so that one word more than that is in all that
    is like it; what is echoed (`is_echoed`) says a sentence of it whole.
    """
    words = parse_statement(gone).words
    pieces = _longest(words, int((1 - SHARE) * len(words)) + 1)
    # A part without words is said only by who says just that, as a piece of the whole.
    said = filter(None, (parse_statement(part).words for part in _PART.split(gone[:LONGEST])))
    parts = [_longest(each, 1) for each in said]
    found = [piece for each in (pieces, *parts) for piece in each]
    whole, every = trim_blanks(gone).casefold(), dict.fromkeys(_sure_words(words))
    return Marks(whole, tuple(dict.fromkeys(found)), tuple(every), all((pieces, *parts)))


def _longest(words: Sequence[str], count: int) -> list[str]:
    """So many of the words, or none if there are not so many that stand in the text as they are."""
    sure = _sure_words(words)
    return sorted(sure, key=len, reverse=True)[:count] if len(sure) >= count else []


def _sure_words(words: Sequence[str]) -> list[str]:
    # The y of a stem may be the ies of a plural.
    stems = [word.removesuffix("y").casefold() for word in words]
    return [stem for stem in stems if stem and not any(made in stem for made in _MADE)]


def fold_case(text: str) -> str:
    """As marks are compared: without case, with one apostrophe for both."""
    even = text.casefold()
    return even.replace("’", "'") if "’" in even else even


def fold_whole(text: str) -> str:
    """The same for a text that may be a piece of what is gone."""
    return trim_blanks(text).casefold().rstrip(".!")
