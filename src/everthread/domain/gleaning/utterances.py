"""A text taken apart into its sentences, and a span of it that is worth carrying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.sentences import Stretch, stretches

LONGEST = 400
"""Characters of a point."""

WINDOW = 320
"""So much is quoted round an asking sentence."""

OFTEN = 8
"""Sentences, or traces, between two pauses."""


class Excerpt(NamedTuple):
    """A span of a message, and what it is."""

    kind: str
    text: str
    weight: float


class Utterance(NamedTuple):
    """A text, taken apart."""

    text: str
    places: tuple[Stretch, ...]
    sentences: tuple[ParsedSentence, ...]

    def span(self, first: int, last: int) -> str:
        """Sentences in a row as they stand in the text, on one line."""
        return flatten(self.text[self.places[first].start : self.places[last].end])

    def parted(self, first: int, last: int) -> bool:
        """Does code, or something pasted, stand between them?"""
        return any(place.apart for place in self.places[first + 1 : last + 1])

    @property
    def own(self) -> str:
        """Nothing but its sentences."""
        return "\n".join(each.text for each in self.sentences)

    @property
    def shows(self) -> bool:
        """Does something stand after its last sentence, such as code?"""
        return bool(self.places) and bool(self.text[self.places[-1].end :].strip(" \n\t`*_"))

    @property
    def manners(self) -> bool:
        """Nothing but thanks or consent?"""
        return bool(self.sentences) and all(map(speech.thanks, self.sentences))


def take_apart(
    text: str,
    pause: Callable[[], None] = lambda: None,
    *,
    own: bool = False,
    shown: tuple[tuple[int, int], ...] = (),
) -> Utterance:
    """The sentences of a text; others get their turn every few of them.

    `own` leaves out what a person pasted, and `shown` what is known otherwise as somebody else's.
    """
    places = tuple(stretches(text, own=own, shown=shown, pause=pause))
    sentences: list[ParsedSentence] = []
    for n, place in enumerate(places, start=1):
        sentences.append(parse_sentence(flatten(text[place.start : place.end])))
        if n % OFTEN == 0:
            pause()
    return Utterance(text, places, tuple(sentences))


def cut_text(text: str) -> str:
    """At most so many characters, ended between words."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def nearest_sentence(sentences: Sequence[ParsedSentence], to: ParsedSentence) -> str:
    """Of the sentences the one that speaks of the same; empty if none does."""
    scored = [(len(each.bag & to.bag & _telling_words(to)), -n) for n, each in enumerate(sentences)]
    best, place = max(scored, default=(0, 0))
    text = sentences[-place].text if best > 1 else ""
    return "" if reads_as_order(text) or len(text) > LONGEST else text


def _telling_words(each: ParsedSentence) -> frozenset[str]:
    return frozenset(word for word in each.words if len(word) > 3)  # noqa: PLR2004 - fewer tell nothing
