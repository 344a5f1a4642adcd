"""A small linear model over the words of a sentence: every word, pair and triple weighs for or against.

What was fitted lies in a file of tab-separated rows beside the module that asks: the words that are told
apart, the bias of each sense, then a feature a row. Weights are told in hundredths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

LONGEST = 60
"""Words of a sentence that are looked at."""

SCALE = 3.0
"""Times the root of how many features there are: long sentences are not surer than short ones."""

UNIT = 100

_WORD = re.compile(r"\d[\d.,:/-]{0,20}|[a-z]+(?:'[a-z]+)?|[^\w\s]")
_SUFFIXES = ("ing", "ed", "ly", "est", "ion", "ies", "er", "es", "s")
_LENGTHS = (4, 7, 12, 20)


class Weights(NamedTuple):
    """What was fitted."""

    words: frozenset[str]
    """Those that are told apart; of any other only its ending counts."""
    bias: tuple[float, ...]
    of: Mapping[str, tuple[float, ...]]

    def sums(self, text: str) -> Iterator[float]:
        """What its words weigh for each sense; below 0 they speak against it."""
        known = [self.of[each] for each in features(text, self.words) if each in self.of]
        scale = SCALE / sqrt(max(len(known), 1))
        return (sum(row[n] for row in known) * scale + bias for n, bias in enumerate(self.bias))


def read_weights(name: str) -> Weights:
    """The weights of that file; whoever asks keeps them."""
    told = files("everthread.domain.text.acts").joinpath(name).read_text("utf-8")
    words, bias, *rows = told.rstrip("\n").split("\n")
    of = {name: _row(values) for name, *values in (row.split("\t") for row in rows)}
    return Weights(_word_set(words), _row(bias.split("\t")), of)


@cache
def _word_set(words: str) -> frozenset[str]:
    """The same for all files that tell the same words apart."""
    return frozenset(words.split(" "))


@lru_cache(maxsize=1_024)  # each of the models asks for those of the same sentence
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


def _row(values: list[str]) -> tuple[float, ...]:
    return tuple(int(each) / UNIT for each in values)
