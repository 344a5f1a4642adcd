"""Does a person's sentence tell something that lasts, or want something now?

Who plays the cello, works nights or runs two vendors is worth knowing in a year; that the build is red, or
what was tried just now, is not. Both are said in every form that there is, so the words are weighed as in
`classifier`. The weights are in `lasting_weights.tsv`, fitted on lines and talk that were written and marked
for this (`bench/acts`). It knows English only; of other languages it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from math import exp
from typing import NamedTuple

from .classifier import may_state
from .speech import ParsedSentence
from .word_model import Weights, read_weights

LASTS = 0.35
"""From which chance on a sentence is taken to tell what lasts: in talks that nothing was fitted on, three of
four such are marked so, and two of five of those that are marked are found by words alone."""

PASSES = 0.1
"""Below it, it tells of the moment: what was tried, what is seen just now, what one is unsure of."""

WANTS = 0.5
"""From which chance on it wants something of who hears it."""


class StatementChances(NamedTuple):
    """How likely each is, between 0 and 1."""

    lasts: float
    """That it tells something that lasts."""
    wants: float
    """That it asks for something, or sets out what is wanted."""


@lru_cache(maxsize=2_048)  # several readers weigh each sentence
def statement_chances(text: str) -> StatementChances:
    """What the words of the sentence speak for."""
    lasts, wants = _weights().sums(text)
    return StatementChances(1 / (1 + exp(-lasts)), 1 / (1 + exp(-wants)))


def tells_lasting(said: ParsedSentence) -> bool:
    """Does it tell what lasts? Not where it asks, or cannot be read."""
    return may_state(said) and not said.orders and statement_chances(said.text).lasts >= LASTS


def tells_passing(said: ParsedSentence) -> bool:
    """Does it tell only of the moment, or want something? Of what cannot be read nothing is known."""
    found = statement_chances(said.text)
    return may_state(said) and (found.lasts < PASSES or found.wants >= WANTS)


def all_passing(said: Iterable[ParsedSentence]) -> bool:
    """Does all that can be read tell of the moment?"""
    read = [each for each in said if may_state(each)]
    return bool(read) and all(map(tells_passing, read))


@cache
def _weights() -> Weights:
    return read_weights("lasting_weights.tsv")
