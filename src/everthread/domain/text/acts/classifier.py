"""What a sentence does, by how it is put: it settles something, leaves it open, or states what holds.

Forms that are written down by hand know only the phrases that somebody thought of. People settle things
in passing and in words of their own, so a small linear model looks at the same sentence too: every word,
pair and triple of words in it weighs for or against. The weights are in `weights.tsv`, fitted on talk
that was written and marked for this (`bench/acts`). It knows English only, and answers the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import exp, sqrt
from typing import Literal, NamedTuple

from .speech import ParsedSentence, is_foreign, thanks

Act = Literal["decision", "open", "standing"]

ACTS: tuple[Act, ...] = ("decision", "open", "standing")
LONGEST = 60
"""Words of a sentence that are looked at."""

SCALE = 3.0
"""Times the root of how many features there are: long sentences are not surer than short ones."""

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

UNIT = 100
"""Weights are told in hundredths."""

LEADS_ON = (":", ",", "\uff1a")
"""What ends so goes on in the next sentence."""

_OTHER_SCRIPT = re.compile("[\u0370-\u1dff]{2}")
_WORD = re.compile(r"\d[\d.,:/-]{0,20}|[a-z]+(?:'[a-z]+)?|[^\w\s]")
_SUFFIXES = ("ing", "ed", "ly", "est", "ion", "ies", "er", "es", "s")
_LENGTHS = (4, 7, 12, 20)


class Weights(NamedTuple):
    """What was fitted."""

    words: frozenset[str]
    """Those that are told apart; of any other only its ending counts."""
    bias: tuple[float, ...]
    of: Mapping[str, tuple[float, ...]]


def act_of(said: ParsedSentence) -> Act | None:
    """What the sentence does, if that is likely enough; None for a question, and in other languages."""
    if len(said.words) < FEWEST or not may_state(said) or thanks(said):
        return None  # who says `yes, do it` consents; what that settles was said before
    found, levels = chances(said.text), OF_ORDERS if said.orders else LEVELS
    least = CHEERED if said.text.endswith("!") else 0.0
    likely: list[Act] = [act for act in ACTS if found[act] >= max(levels[act], least)]
    return max(likely, key=lambda act: found[act], default=None)


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
    weights = _weights()
    known = [weights.of[each] for each in features(text, weights.words) if each in weights.of]
    scale = SCALE / sqrt(max(len(known), 1))
    sums = (sum(row[n] for row in known) * scale + weights.bias[n] for n in range(len(ACTS)))
    return dict(zip(ACTS, sums, strict=True))


def features(text: str, words: frozenset[str]) -> frozenset[str]:
    """Words, pairs and triples of the sentence, from its beginning to its end, and about how long it is."""
    told = list(_shapes(text, words))
    row = ["^", *told, "$"]
    pairs = (f"{a} {b}" for a, b in pairwise(row))
    triples = (f"{a} {b} {c}" for a, b, c in zip(row, row[1:], row[2:], strict=False))
    size = sum(len(told) >= most for most in _LENGTHS)
    return frozenset((*row, *pairs, *triples, f"<{size}>"))


def words_of(text: str) -> list[str]:
    """The words and signs of a sentence; figures are all alike."""
    found = _WORD.findall(text.lower().replace("\u2019", "'"))
    return ["<n>" if each[0].isdigit() else each for each in found[:LONGEST]]


def _shapes(text: str, words: frozenset[str]) -> Iterator[str]:
    for word in words_of(text):
        if word in words or not word[0].isalpha():
            yield word
        else:
            ends = (each for each in _SUFFIXES if word.endswith(each) and len(word) > len(each) + 2)
            yield f"*{next(ends, '')}"


@cache
def _weights() -> Weights:
    told = files("everthread.domain.text.acts").joinpath("weights.tsv").read_text("utf-8")
    words, bias, *rows = told.rstrip("\n").split("\n")
    of = {name: _row(values) for name, *values in (row.split("\t") for row in rows)}
    return Weights(frozenset(words.split(" ")), _row(bias.split("\t")), of)


def _row(values: list[str]) -> tuple[float, ...]:
    return tuple(int(each) / UNIT for each in values)
