"""Words as they are handed to the server, and how telling each is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

from everthread.domain.text.word_forms import Beginning
from everthread.domain.text.words import index_text

from .index_sql import EXACT, SAMPLE

LONGEST = 64
"""Of a longer run of letters and digits the beginning is kept: it is data, not a word."""

MOST_TOKENS = 40_000
"""The server takes a megabyte of words for one text."""

MOST = 4_000
"""About so many cards are scored that have a rare word, and as many that have two words."""

DIGITS = "bcdfghjklmnprstvwxz"
"""Of an agent's mark: no vowel, or the stemmer would see a syllable; no q, which ends it."""

_TOKEN = re.compile(r"[^\W_]+")


def agent_prefix(agent: int) -> str:
    """What stands before every word of an agent: so its words are its own, and quickly found.

    No mark begins another: it ends with the one letter that cannot be inside.
    """
    letters = ""
    while agent:
        agent, digit = divmod(agent, len(DIGITS))
        letters += DIGITS[digit]
    return f"{letters}q"


def tokens(text: str) -> list[str]:
    """Runs of letters and digits, small and without accents: as SQLite's index splits and folds.

    Whatever the server does: in the C locale it knows no small letters but the English.
    """
    text = index_text(text)
    if not text.isascii():
        # The sigma that ends a word is the one inside it, as it is among capitals.
        apart = unicodedata.normalize("NFD", text.lower().replace("\u03c2", "\u03c3"))
        plain = "".join([c for c in apart if not unicodedata.combining(c)])
        text = unicodedata.normalize("NFC", plain)
    return [token[:LONGEST] for token in _TOKEN.findall(text)[:MOST_TOKENS]]


def query_tokens(word: str) -> list[str]:
    """A word of a question as the server looks for it: whole, or whatever begins so."""
    begins = ":*" if isinstance(word, Beginning) else ""
    return [token + begins for token in tokens(word)]


class Term(NamedTuple):
    """A word of a question as the server reads it, and in how many cards it is."""

    query: str
    cards: int

    @classmethod
    def counted(cls, query: str, few: int, sampled: int) -> Term:
        """Exactly, where the word is rare; else from the sample."""
        return cls(query, few if few < EXACT else max(few, sampled * SAMPLE))


def weight(cards: int, having: int) -> float:
    """How much a word says that so many of the cards have (BM25): what most have says nothing."""
    return max(log((max(cards - having, 0) + 0.5) / (having + 0.5)), 1e-6)


def telling_query(terms: Sequence[Term], sampled: Callable[[str], int]) -> str:
    """What a card must have to be scored: one of the rarest words, or any two of all.

    `sampled` counts what has it in the sample. Where too many have two, what has none of the rarest is
    left out.
    """
    rarest = _rarest_terms(terms)
    telling = _any_of([term.query for term in rarest])
    if len(rarest) == len(terms):
        return telling
    pairs = two_of([term.query for term in terms])
    return telling if sampled(pairs) * SAMPLE > MOST else f"{telling} | {pairs}"


def _rarest_terms(terms: Sequence[Term]) -> Sequence[Term]:
    chosen: list[Term] = []
    total = 0
    for term in sorted(terms, key=lambda t: t.cards):
        total += term.cards
        if chosen and total > MOST:
            break
        chosen.append(term)
    return chosen


def two_of(queries: Sequence[str]) -> str:
    """Any two of them: one of either half, or two of one half."""
    half = len(queries) // 2
    halves = [queries[:half], queries[half:]]
    parts = [" & ".join(f"({_any_of(each)})" for each in halves)]
    parts += [two_of(each) for each in halves if len(each) > 1]
    return _any_of([f"({part})" for part in parts])


def _any_of(queries: Sequence[str]) -> str:
    return " | ".join(queries)
