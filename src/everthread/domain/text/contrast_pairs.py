"""What is taken, and what is given up for it by its name: `on Sunday, not on Saturday`.

Both must be named, a few words each. Who only says what something is not (`it's late, not early`) names
two, too; so what is given up ends nothing but what was chosen by that very name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .patterns import lazy_pattern

LONGEST = 240
"""Characters of such a sentence."""

_SMALL = (
    r"(?:(?:on|at|in|for|with|to|by|the|an?|our|my|your|their|am|um|mit|den|die|das|dem|le|la|les|el|los|"
    r"las) )"
)
_THING = r"[\w€$£%'’&/+#.-]*[\w%](?: [\w€$£%'’&/+#-]*[\w%]){0,2}?"
_PAIR = lazy_pattern(
    rf"(?P<taken>{_THING})(?:,? (?:and )?not| instead of| rather than|, no longer|,? statt| anstatt|"
    rf",? (?:und )?nicht(?: mehr)?| au lieu d[eu]s?|,? (?:et )?pas| en (?:vez|lugar) del?|,? y no) "
    rf"{_SMALL}{{0,2}}(?P<gone>{_THING})"
    r"(?=\W*$|[.,;:!)–—]| (?:any ?more|any longer|then|after all|now|please|because|since|so|and|but|mehr)\b)"
)
_HINTS = (
    *(" not ", " instead of ", " rather than ", "no longer ", "statt ", "nicht "),
    *(" au lieu ", " pas ", " en vez ", " en lugar ", " y no "),
)
_LESS_WORDS = """
    just only sure yet even to too that all very so because until before if when now really it this enough
    always necessarily nur sehr pas no
"""
_LESS = frozenset(_LESS_WORDS.split())
"""With these words nothing is given up by its name: `not only`, `not yet`."""


class Contrast(NamedTuple):
    """In small letters."""

    taken: str
    gone: str


@lru_cache(maxsize=2_048)
def contrast_of(text: str) -> Contrast | None:
    """The first pair that the sentence names; none where it asks."""
    lower = text.lower().replace("’", "'")
    if len(text) > LONGEST or text.rstrip().endswith("?") or not any(h in lower for h in _HINTS):
        return None
    for found in _PAIR.finditer(lower):
        taken, gone = found["taken"].strip(" '"), found["gone"].strip(" '")
        if gone.split()[0] not in _LESS and taken.split()[-1] != gone:
            return Contrast(taken, gone)
    return None
