"""Which sentences of an agent's message likely report work as done, where no form says so.

Agents report in few words, and in every order of them: `Timer moved to 04:00`, `Fitter entered: Sjoerd`,
`Set to 16 point`. What they have in common is the shape of how they begin, that they stand first, and that
they take up what was ordered. A small linear model weighs that. The weights are in `deed_weights.tsv`,
fitted on marked talks (`bench/acts/fit_deeds.py`). It knows English only, and answers the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice, pairwise
from math import exp, sqrt
from typing import NamedTuple

from everthread.domain.text.acts.deed_reports import asks_for_history, is_deed, request_parts
from everthread.domain.text.acts.speech import ParsedSentence, is_foreign
from everthread.domain.text.patterns import lazy_pattern

from .roots import roots

LEVEL = 0.7
"""From which chance on it counts: in talks of writers that it was not fitted on, nine of ten that are found
are right, and three of five that the forms leave are found."""

HEAD = 8
"""Words and signs of a sentence that are looked at: it is by how it begins that a report is known."""

WIDEST = 160
"""Characters in which they are looked for."""

SCALE = 3.0
"""Times the root of how many shapes there are, as in `acts.classifier`."""

UNIT = 100
"""Weights are told in hundredths."""

TERSE = 6
"""So few words may all be names and still be English."""

_TOKEN = lazy_pattern(
    r"`[^`]*+`|\d++(?>(?:[.,:/–-]\d++)*)\w*+|[^\W_]\w*+(?>(?:[._/'’-]++\w++)*)|[^\w\s]"
)
_PAST_WORDS = """
    built rebuilt bought brought chosen cut done drawn drew found gave given gone hid hidden held kept laid
    left lost made paid put ran read redone remade reset rewritten rewrote run sent set shown shut sold
    spent split taken took undid undone wound written wrote
"""
_IRREGULAR = frozenset(_PAST_WORDS.split())
"""Forms of the past that do not end in `ed`."""

_FINITE_WORDS = """
    is are was were be been being am has have had will would should could can may might must shall do does
    did let i you we he she it they this that these those there which who what if when isn't aren't can't
    cannot don't won't doesn't
"""
_FINITE = frozenset(_FINITE_WORDS.split())
"""What stands before a verb that is told of somebody: after it, a form of the past is no report's own."""

_NEXT_WORDS = """
    . , : ; ! ) – — - <n> <c> to in from with by as for at on into and via under until through per without
    within accordingly too again back up out
"""
_FOLLOWS = frozenset(_NEXT_WORDS.split())
"""What follows a deed; after a word that only describes, a noun does."""

_SUFFIXES = ("ing", "ly", "ion", "s")
_LENGTHS = (4, 7, 12, 20)


class Request(NamedTuple):
    """What a person said before the message."""

    about: frozenset[str]
    """By their roots."""
    said: bool
    orders: bool
    asks_last: bool
    wants_history: bool
    """Are the deeds that answer it anybody's?"""


class Weights(NamedTuple):
    """What was fitted."""

    common: frozenset[str]
    """Words that stand for themselves in a shape; of any other only its kind counts."""
    known: frozenset[str]
    """Words that are told apart besides."""
    bias: float
    of: Mapping[str, float]


@lru_cache(maxsize=16)
def read_request(asked: str) -> Request:
    """What is to be known of it; all that an agent says in a turn is held against the same."""
    parts = [*request_parts(asked)]
    about = frozenset[str]().union(*(roots(part.text) for part in parts))
    asks_last = bool(parts) and parts[-1].asks
    orders = any(part.orders for part in parts)
    return Request(about, bool(parts), orders, asks_last, asks_for_history(asked))


def likely_done(said: Sequence[ParsedSentence], n: int, request: Request) -> bool:
    """Does the sentence likely report something as done?"""
    each = said[n]
    if each.asks or not request.said or request.wants_history:
        return False  # who was asked for nothing tells of anybody
    row = first_words(each.text)
    return may_report(each, row) and chance(said, n, row, request) >= LEVEL


def may_report(each: ParsedSentence, row: Sequence[str]) -> bool:
    """Can it be read at all, and does it begin with something past, or with what is so now?"""
    if not any(map(is_past, row)) and "now" not in each.bag:
        return False
    return not is_foreign(each) or (len(each.words) <= TERSE and each.text.isascii())


def chance(said: Sequence[ParsedSentence], n: int, row: Sequence[str], request: Request) -> float:
    """How likely it is, between 0 and 1."""
    weights = _weights()
    shapes = word_shapes(said[n], row, weights.common, weights.known)
    found = [weights.of[shape] for shape in shapes if shape in weights.of]
    told = traits(said, n, row, request)
    total = weights.bias + sum(found) * SCALE / sqrt(max(len(found), 1))
    total += sum(weights.of.get(name, 0.0) * value for name, value in told.items())
    return 1 / (1 + exp(-total))


def traits(
    said: Sequence[ParsedSentence], n: int, row: Sequence[str], request: Request
) -> dict[str, float]:
    """How the sentence stands in the talk and how it begins, by numbers; each has its weight."""
    own = roots(said[n].text)
    at, then = _first_deed(row)
    first, follows = float(n == 0), float(then in _FOLLOWS)
    told = float(at > 0) * follows
    return {
        "=taken up": len(own & request.about) / max(len(own), 1),
        "=first": first,
        "=ordered first": float(request.orders) * first,
        "=asked last": float(request.asks_last),
        "=bare deed": float(at == 0) * follows,
        "=told deed": told,
        "=told first": told * first,
    }


def word_shapes(
    each: ParsedSentence, row: Sequence[str], common: frozenset[str], known: frozenset[str]
) -> frozenset[str]:
    """How the sentence begins: its words by their kind, pairs of these, and which of the known words."""
    kinds = ["^", *(_kind(token, common) for token in row)]
    if len(row) < HEAD:
        kinds.append("$")
    pairs = (f"{a} {b}" for a, b in pairwise(kinds))
    words = [f"w:{token}" for token in row if token in known]
    opening = (f"1:{token}" for token in row[:1] if token in known)
    size = sum(len(each.words) >= most for most in _LENGTHS)
    return frozenset((*kinds, *pairs, *words, *opening, f"<{size}>"))


def first_words(text: str) -> list[str]:
    """The first words and signs in small letters; figures are all alike, and so is code."""
    found = islice(_TOKEN.finditer(text, 0, WIDEST), HEAD)
    return [_token(match[0].lower().replace("’", "'")) for match in found]


def _token(told: str) -> str:
    if told[0].isdigit():
        return "<n>"
    return "<c>" if told[0] == "`" or not {"_", "/", "."}.isdisjoint(told[1:]) else told


def _kind(token: str, common: frozenset[str]) -> str:
    if token in common or not token[0].isalpha():
        return token
    if is_past(token):
        return "<did>" if is_deed(token) else "<was>"
    ends = (each for each in _SUFFIXES if token.endswith(each) and len(token) > len(each) + 2)
    return f"*{next(ends, '')}"


def is_past(token: str) -> bool:
    """Is it a form of the past, by its ending or by name?"""
    return token in _IRREGULAR or (token.endswith("ed") and len(token) > 4)  # noqa: PLR2004 - `need`


def _first_deed(row: Sequence[str]) -> tuple[int, str]:
    """Where the first form of the past stands that nothing finite goes before, and what follows it."""
    for n, token in enumerate(row):
        if token.partition("'")[0] in _FINITE:
            break
        if is_past(token):
            return n, row[n + 1] if n + 1 < len(row) else "."
        if token in ".!?;:" and n > 2:  # noqa: PLR2004 - before that it is only a greeting
            break
    return -1, ""


@cache
def _weights() -> Weights:
    told = files("everthread.domain.gleaning").joinpath("deed_weights.tsv").read_text("utf-8")
    common, known, bias, *rows = told.rstrip("\n").split("\n")
    of = {name: int(value) / UNIT for name, value in (row.split("\t") for row in rows)}
    return Weights(frozenset(common.split(" ")), frozenset(known.split(" ")), int(bias) / UNIT, of)
