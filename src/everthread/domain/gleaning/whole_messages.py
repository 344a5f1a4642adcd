"""What a person said, whole: short prose is carried as it stands, without what was pasted.

Torn apart, sentences lose what they lean on. Where there is room the whole of it takes the place of
its parts; where there is none, the parts serve.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .digest import WORDS
from .message_text import density
from .person_statements import Excerpt, Utterance

SHORTEST, LONGEST = 40, 800
"""Characters of what is carried whole."""


def whole_prose(said: Utterance, parts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    """The runs of prose between what was pasted; not those that one of the parts tells in full."""
    if said.manners:
        return
    for first, last in _runs(said):
        text = said.span(first, last)
        if SHORTEST <= len(text) <= LONGEST and not any(text in part.text for part in parts):
            yield Excerpt(WORDS, text, round(0.5 + 0.4 * density(text), 3))


def _runs(said: Utterance) -> Iterator[tuple[int, int]]:
    first = 0
    for n in range(1, len(said.places)):
        if said.places[n].apart:
            yield first, n - 1
            first = n
    if said.places:
        yield first, len(said.places) - 1
