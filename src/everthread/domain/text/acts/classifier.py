"""What a sentence does, by how it is put: it settles something, leaves it open, or states what holds.

Forms that are written down by hand know only the phrases that somebody thought of. People settle things
in passing and in words of their own, so a small linear model looks at the same sentence too: every word,
pair and triple of words in it weighs for or against. The weights are in `weights.tsv`, fitted on talk
that was written and marked for this (`bench/acts`). It knows English only, and answers the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from math import exp
from typing import Literal

from .speech import ParsedSentence, is_foreign, thanks
from .word_model import Weights, read_weights

Act = Literal["decision", "open", "standing"]

ACTS: tuple[Act, ...] = ("decision", "open", "standing")
FEWEST, WINDY = 3, 40
"""Words of a sentence that does any of it by itself. A longer one leads up to something else."""

TERSE = 6
"""So few words may all be names and still be English."""

SHORT, KNOWN = 3, 0.25
"""Of more words than the first, the model knows so many, or it cannot read the sentence: hardly one in
five hundred English ones is below that, and most German and Spanish ones are."""

LEVELS: Mapping[Act, float] = {"decision": 0.4, "open": 0.35, "standing": 0.4}
"""From which chance on it counts. In talks that it was not fitted on, two of five are found so or more, and
seven of ten that are found are right (`bench/acts/README.md`)."""

CHEERED = 0.6
"""The same for what ends in an exclamation mark: people cheer in the same words."""

OF_ORDERS: Mapping[Act, float] = {"decision": 0.5, "open": 0.35, "standing": 0.4}
"""The same for what reads as an order: that is mostly a request, and nothing more. But who `has to` do
something has left it open: of those hardly one wants anything of the agent."""

LEADS_ON = (":", ",", "\uff1a")
"""What ends so goes on in the next sentence."""

_OTHER_SCRIPT = re.compile("[\u0370-\u1dff]{2}")


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def act_of(said: ParsedSentence) -> Act | None:
    """What the sentence does, if that is likely enough; None for a question, and in other languages."""
    if len(said.words) < FEWEST or not may_state(said) or thanks(said):
        return None  # who says `yes, do it` consents; what that settles was said before
    found, levels = chances(said.text), OF_ORDERS if said.orders else LEVELS
    least = CHEERED if said.text.endswith("!") else 0.0
    likely: list[Act] = [act for act in ACTS if found[act] >= max(levels[act], least)]
    return max(likely, key=lambda act: found[act], default=None)


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def may_state(said: ParsedSentence) -> bool:
    """Can it be read at all, and does it state something by itself?"""
    if said.asks or len(said.words) > WINDY or said.text.endswith(LEADS_ON):
        return False
    foreign = is_foreign(said) and not (len(said.words) <= TERSE and said.text.isascii())
    return not foreign and can_read(said)


def can_read(said: ParsedSentence) -> bool:
    """Are the words such as the model was fitted on? What it makes of others says nothing."""
    if not said.text.isascii() and _OTHER_SCRIPT.search(said.text):
        return False
    if len(said.words) <= SHORT:
        return True
    return sum(map(_weights().words.__contains__, said.words)) >= KNOWN * len(said.words)


def chances(text: str) -> Mapping[Act, float]:
    """How likely it is that the sentence does each of them, between 0 and 1."""
    return {act: 1 / (1 + exp(-each)) for act, each in word_sums(text).items()}


@lru_cache(maxsize=2_048)  # several readers weigh each sentence
def word_sums(text: str) -> Mapping[Act, float]:
    """What its words weigh for each of them; below 0 they speak against it."""
    return dict(zip(ACTS, _weights().sums(text), strict=True))


@cache
def _weights() -> Weights:
    return read_weights("weights.tsv")
