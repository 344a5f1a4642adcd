"""What a person said, whole: short prose is carried as it stands, without what was pasted.

Torn apart, sentences lose what they lean on. Where there is room the whole of it takes the place of
its parts; where there is none, the parts serve. Of what is too long the lists are carried, some items at
a time: who writes down what is wanted point by point means every point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from everthread.domain.text.fences import flatten
from everthread.domain.text.words import length_in_letters

from .digest import WORDS
from .message_text import density
from .person_lists import listed_runs, with_number
from .utterances import Excerpt, Utterance

SHORTEST, LONGEST = 40, 800
"""Characters of what is carried whole."""

PART, MOST = 400, 8
"""Characters of a part of a list, and parts of all lists in a row of sentences."""

LISTED = 0.5
"""What a part of a long list weighs beside a message that is told whole: one list must not take the room of
the commands and errors."""


def whole_prose(said: Utterance, parts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    """The runs of prose between what was pasted; not those that one of the parts tells in full."""
    if said.manners:
        return
    spans = (part for first, last in _runs(said) for part in _carried(said, first, last))
    for text, alone in spans:
        if len(text) <= LONGEST and not any(text in part.text for part in parts):
            share = 1.0 if alone else LISTED
            yield Excerpt(WORDS, text, round(share * (0.5 + 0.4 * density(text)), 3))


def _carried(said: Utterance, first: int, last: int) -> Iterator[tuple[str, bool]]:
    """The whole of it, or of what is too long its lists in parts of whole items. Is it the whole?"""
    whole = said.span(first, last)
    if len(whole) <= LONGEST:
        yield from ((whole, True),) if length_in_letters(whole) >= SHORTEST else ()
        return
    lists = listed_runs(said.text, said.places, first, last)
    parts = (part for items in lists for part in _parts(said, items))
    yield from ((part, False) for part in islice(parts, MOST))


def _parts(said: Utterance, items: Sequence[range]) -> Iterator[str]:
    """The items in their order, as many together as a part has room for."""
    text, places = said.text, said.places
    begins, end = with_number(text, places[items[0].start]), 0
    for item in items:
        if end and places[item.stop - 1].end - begins > PART:
            yield flatten(text[begins:end])
            begins = with_number(text, places[item.start])
        end = places[item.stop - 1].end
    yield flatten(text[begins:end])


def _runs(said: Utterance) -> Iterator[tuple[int, int]]:
    first = 0
    for n in range(1, len(said.places)):
        if said.places[n].apart:
            yield first, n - 1
            first = n
    if said.places:
        yield first, len(said.places) - 1
