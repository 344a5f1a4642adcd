"""What is to wait until somebody says so: `Don't book the skip yet`. It waits no longer once that is ordered.

The order that ends it seldom names the thing in the same sentence: `I've got the permit for the skip. Book it
for 12 November`.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.patterns import lazy_pattern

_HOLD = lazy_pattern(
    r"^\W*(?:(?:please|but|and|ok|okay|so|no|wait)\b[\s,.!–—-]*)*(?:do not|don't|dont|let's not|not) "
    r"(?P<verb>[a-z]+) (?P<thing>[^,;.!?]{2,60}?) (?:just )?(?:yet|for now|for the moment|until\b.*)(?:\W|$)"
)
_POINTS = frozenset({"it", "that", "them", "this", "those", "one"})
_DENIES = lazy_pattern(r"\b(?:not|never|nobody)\b|n't\b|\bdont\b")


def released(said: Utterance, items: Iterable[str]) -> list[str]:
    """Which of these wait no longer?"""
    return [item for item in items if _is_released(said, item)]


def _is_released(said: Utterance, item: str) -> bool:
    """Is what was to wait ordered now: by the same verb, and of the same thing?"""
    held = _HOLD.match(item.lower().replace("’", "'"))
    if held is None:
        return False
    thing = roots(held["thing"])
    for n, each in enumerate(said.sentences):
        if not each.orders or held["verb"] not in each.bag or _DENIES.search(each.lower):
            continue
        named = roots(each.text)
        if _POINTS & each.bag and n:
            named |= roots(said.sentences[n - 1].text)
        if not thing.isdisjoint(named):
            return True
    return False
