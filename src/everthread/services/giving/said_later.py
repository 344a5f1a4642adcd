"""What was said later and may change what bears on a message, though it has no word of what is asked.

A recall found it for the question as well. That, with a name or two words of the older one and a word of
change, is enough to tell both, and too little to leave the older one out.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.later_words import LONGEST, may_change
from everthread.domain.gleaning.roots import roots
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.recall.hits import Hit
from everthread.domain.text.patterns import lazy_pattern

Names = set[str | None]
"""Of whose words it is."""

MOST = 2
"""Of what only may have changed something, so many are told beside it."""

_TIMES = roots(
    "today tomorrow yesterday day week month year morning afternoon evening night weekend time hour minute "
    "thing things people someone something way lot bit"
)
"""Words that any two may have."""
_NAME = lazy_pattern(r"(?<=[\w,] )[A-Z][\w-]+")


def said_later(
    text: str, bearing: Sequence[tuple[Hit, bool, Names]], newer: Sequence[tuple[Hit, Names]]
) -> set[str]:
    """The ids of those that may change one of what bears: each with whether it is a person's, and whose."""
    asked, found = roots(text) | _TIMES, list[str]()
    for new, names in newer:
        if not may_change(new.text):
            continue
        words = roots(new.text) - asked
        if any(
            old.later == new.id or (hers and names == whose and _may_be_changed(old, new, words))
            for old, hers, whose in bearing
        ):
            found.append(new.id)
    return {*found[:MOST]}


def _may_be_changed(old: Hit, new: Hit, words: frozenset[str]) -> bool:
    """By a name, or two words, that both have and the question has not; or they cannot both be so."""
    if old.at_ms >= new.at_ms:
        return False
    shared = len(roots(old.text) & words)
    named = {name.lower() for name in _NAME.findall(old.text)} & {
        name.lower() for name in _NAME.findall(new.text)
    }
    if shared > 1 or (shared and not roots(" ".join(named)).isdisjoint(words)):
        return True
    return len(old.text) <= LONGEST and contradicts(new.text, old.text)
