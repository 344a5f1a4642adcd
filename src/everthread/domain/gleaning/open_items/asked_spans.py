"""Which spans of a person's message wait for an answer, where several were read off it, and which choose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from everthread.domain.gleaning.utterances import Excerpt, Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.asked_choices import offers_choice
from everthread.domain.text.patterns import lazy_pattern

from . import follow_ups

_WEIGHS = lazy_pattern(
    r"\b(?:do (?:we|i) (?:really |still |even )?need|is it worth|worth (?:it|\w+ing)|pros and cons|"
    r"(?:does|would) it make sense)\b"
)
"""So one asks whether to do something at all."""
_NO_WISH = lazy_pattern(
    r"\W*(?:whether|if|that|because|since) (?:the|a|an|my|our|this|these|people|there|it|we|they)\b"
    r"[^?,;.]*\W*$|"
    r"\W*(?:please )?(?:just )?call me (?-i:[A-Z])\w+\W*$",
    re.IGNORECASE,
)
"""Half a sentence is an answer; and what she is called waits for nothing."""


def open_requests(said: Utterance, finds: Sequence[Excerpt]) -> list[Excerpt]:
    """Which spans of a message wait for an answer: where one of them asks, a fault or a reason told
    beside it is the ground of that, and not a request of its own. `Go on` asks for what was asked before."""
    if follow_ups.continues(said):
        return []
    every = [found for found in finds if found.kind == "request" and not _NO_WISH.match(found.text)]
    spans = [found for found in every if not follow_ups.she_acts_herself(found.text)]
    if len(spans) < 2:  # noqa: PLR2004 - one has nothing beside it
        return spans
    return [found for found in spans if _asks(said, found)] or spans[:1]


def asks_to_choose(question: str) -> bool:
    return offers_choice(question) or _WEIGHS.search(question.lower()) is not None


def _asks(said: Utterance, found: Excerpt) -> bool:
    within = [each for each in said.sentences if each.text in found.text]
    return any((each.asks or each.orders) and not speech.goes_on(each) for each in within)
