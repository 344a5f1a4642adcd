"""What two texts say is done, held against each other word by word and in its order.

`Share the customer list` and `share the price list` have most words in common and are two deeds, and so are
`merge A into B` and `merge B into A`. So what counts is whether a word stands in the place of another.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .roots import root, roots

_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_POLES = """
    before after with without from until during outside inside between under over above below except via
    through by off out up down near vor nach mit ohne con sin antes avec sans avant
"""
_PERSONS = {
    **{word: "me" for word in ("me", "us")}, **{word: "my" for word in ("my", "our")},
    **{word: word for word in ("him", "her", "them", "his", "their")},
}  # fmt: skip
_SMALL = {**{word: word for word in _POLES.split()}, **_PERSONS}
"""Small words that make another deed: before noon is not after noon, and her address not mine."""


class Differences(NamedTuple):
    """Where what was said differs from what was to be found."""

    missing: tuple[str, ...]
    added: tuple[str, ...]
    replaced: bool
    """Does a word stand in the place of another?"""
    turned: bool
    """Are they the same words in another order?"""


def root_line(text: str) -> tuple[str, ...]:
    """The roots of a text's telling words in their order."""
    return _line(text, {})


def deed_line(text: str) -> tuple[str, ...]:
    """The same with the small words that make another deed."""
    return _line(text, _SMALL)


def _line(text: str, small: dict[str, str]) -> tuple[str, ...]:
    known = roots(text)
    words = (word.lower().replace("’", "'") for word in _WORD.findall(text))
    found = ((small.get(word), root(word.removesuffix("'s"))) for word in words)
    return tuple(each or bare for each, bare in found if each or bare in known)


def compare_deeds(
    wanted: tuple[str, ...],
    said: tuple[str, ...],
    *,
    but: Collection[str] = (),
    turns: bool = True,
) -> Differences:
    """How the one differs from the other.

    Where it `turns`, the verb may stand at the end: `backups may be deleted`.
    """
    said = tuple(word for word in said if word not in but)
    if turns and said[-1:] == wanted[:1] and said[:1] != wanted[:1]:
        said = (*said[-1:], *said[:-1])
    missing: list[str] = []
    added: list[str] = []
    replaced = False
    matcher = SequenceMatcher(None, wanted, said, autojunk=False)
    for how, start, end, first, last in matcher.get_opcodes():
        if how != "equal":
            missing += wanted[start:end]
            added += said[first:last]
            replaced = replaced or how == "replace"
    turned = not set(missing).isdisjoint(added)
    return Differences(tuple(missing), tuple(added), replaced, turned)
