"""Marks: pieces of a text of which whatever says the same has one. A quick look before a long one.

To take a statement apart costs a thousand times as much as to look for a word in it, and hardly any of
all that was ever carried on says what is to be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.text.sayings import LONGEST, SHARE, saying, tidy

_MADE = ("over", "not")
"""What `sayings.plain` puts in place of other words: it may stand nowhere in the text itself."""
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

    def may_be_in(self, text: str) -> bool:
        """False: the text does not say it, whoever looks. True: look."""
        if not self.known:
            return True
        plain = _plain(text)
        return any(piece in plain for piece in self.pieces) or (
            tidy(text).casefold().rstrip(".!") in self.whole
        )

    def may_be_echoed(self, message: str) -> bool:
        """The same for a message that may say all of it (`sayings.echoed`), and much else."""
        plain = _plain(message)
        return all(word in plain for word in self.words)


def marks_of(gone: str) -> Marks:
    """Its rarest words, as far as spelling tells: the longest.

    `sayings.alike` lets a quarter of the words differ, so that one word more than that is in all that
    is like it; what is `echoed` says a sentence of it whole.
    """
    words = saying(gone).words
    pieces = _longest(words, int((1 - SHARE) * len(words)) + 1)
    # A part without words is said only by who says just that, as a piece of the whole.
    said = filter(None, (saying(part).words for part in _PART.split(gone[:LONGEST])))
    parts = [_longest(each, 1) for each in said]
    found = [piece for each in (pieces, *parts) for piece in each]
    whole, every = tidy(gone).casefold(), dict.fromkeys(_sure(words))
    return Marks(whole, tuple(dict.fromkeys(found)), tuple(every), all((pieces, *parts)))


def _longest(words: Sequence[str], count: int) -> list[str]:
    """So many of the words, or none if there are not so many that stand in the text as they are."""
    sure = _sure(words)
    return sorted(sure, key=len, reverse=True)[:count] if len(sure) >= count else []


def _sure(words: Sequence[str]) -> list[str]:
    # The y of a stem may be the ies of a plural.
    stems = [word.removesuffix("y").casefold() for word in words]
    return [stem for stem in stems if stem and not any(made in stem for made in _MADE)]


def _plain(text: str) -> str:
    even = text.casefold()
    return even.replace("’", "'") if "’" in even else even
