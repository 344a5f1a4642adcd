"""Whether words name a kind of things, or one of them: `rooms with a window`, and not `the small room`.

A kind stands bare and in the plural. Who means one thing points at it, counts it or calls it by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from .word_lists import BASE

MOST = 4
"""Words of a thing's name."""


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOPS = words_of("""
    in on at to into inside for from of with without before after during over under above below between by
    per as about within than and or but that which who you we i they when whenever if once unless where
    while only please always never
""")
"""Before one of these the name of a thing ends."""
_TELLS = words_of("are is was have has can could will would may might do does need get")
"""After one of these it is told of the thing."""
DEFINITE = words_of("""
    the a an this that these those my our your his her its their it them me him us one two three four five
    six seven eight nine ten some both all each every another other few many several half what nothing
    something everything anything much more
""")
"""Who says one of these counts things, or points at them."""
WEEKDAYS = words_of(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays"
)
NUMBERS = words_of("""
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand
""")
ON_SIGNS = words_of("""
    members adults residents customers guests locals students staff holders visitors parking smoking
    swimming diving fishing cycling camping entering trespassing
""")
"""What notices speak of."""
_PLACES = words_of("""
    shops stores supermarkets markets rivers lakes cities towns villages schools hospitals hotels
    restaurants bars pubs cafes streets parks gardens rooms houses homes offices buildings trains buses
    planes countries libraries museums cinemas theatres churches forests
""")
"""What is not to be had or done in these is told of the world."""


def thing_from(words: Sequence[str], at: int) -> list[str]:
    """The words that name a thing, from there on."""
    return [*takewhile(lambda word: word not in _STOPS, words[at:])]


def is_kind(thing: Sequence[str], names: frozenset[str] = frozenset()) -> bool:
    """Is it several of a kind, neither counted nor pointed at nor called by their name?"""
    if not 0 < len(thing) <= MOST or thing[-1] in names:
        return False
    return is_bare(thing) and is_several(thing[-1])


def is_bare(thing: Sequence[str]) -> bool:
    counted = any(word[0].isdigit() or word.endswith("'s") for word in thing)
    return not counted and DEFINITE.isdisjoint(thing) and _TELLS.isdisjoint(thing)


def is_several(word: str) -> bool:
    return word == "people" or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def is_made(place: Sequence[str], names: frozenset[str]) -> bool:
    """A kind of things that somebody makes, and no places where one goes."""
    return is_kind(place, names) and place[-1] not in _PLACES


def is_deed(word: str) -> bool:
    """`calls`, `meetings`, `deployments`: somebody does it, and can leave it."""
    if word in ON_SIGNS:
        return False
    if word.endswith(("ings", "ing", "ments", "ations")):
        return True
    return word.endswith("s") and not {word[:-1], word.removesuffix("es")}.isdisjoint(BASE)


def is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBERS
