"""What of a recall bears on a message: a rank tells only that nothing was better."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.given.question_check import is_question
from everthread.domain.given.usefulness import TellingWords, bears_on, telling_words
from everthread.domain.recall.hits import Hit

ALIKE = 0.5
"""A cosine from which on two texts speak of one matter, whatever their words; strangers have below 0.2."""

FIRST = 8
"""Of what is found for a question so many are looked at less strictly."""

ANSWERS = 0.3
"""From here on one of these may be the answer, which seldom has the words of the question."""

ANSWERS_BY_WORD = 0.2
"""The same where they share a telling word."""


def bearing_hits(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the hits, best first, that bear on what the text says, or may answer what it asks."""
    wanted = telling_words(text)
    first = FIRST if is_question(text) else 0
    return [
        hit
        for rank, hit in enumerate(hits)
        if _bears(hit, wanted) or (rank < first and _answers(hit, wanted))
    ]


def _bears(hit: Hit, wanted: TellingWords) -> bool:
    """By its words, or by its meaning where that is plain."""
    if hit.alike is not None and hit.alike >= ALIKE:
        return True
    return bears_on(hit.text, wanted, memory=hit.kind != "message")


def _answers(hit: Hit, wanted: TellingWords) -> bool:
    """By its meaning: where no vector tells it, only words do."""
    if hit.alike is None or hit.alike < ANSWERS_BY_WORD:
        return False
    return hit.alike >= ANSWERS or bears_on(hit.text, wanted, memory=True)
