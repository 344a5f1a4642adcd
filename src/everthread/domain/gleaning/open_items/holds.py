"""What is to wait until somebody says so: `Don't book the skip yet`. It waits no longer once that is ordered.

The order that ends it seldom names the thing in the same sentence: `I've got the permit for the skip. Book it
for 12 November`.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.patterns import lazy_pattern

from .agent_replies import ordered_verb

_HOLD = lazy_pattern(
    r"^\W*(?:(?:please|but|and|ok|okay|so|no|wait)\b[\s,.!–—-]*)*(?:do not|don't|dont|let's not|not) "
    r"(?P<verb>[a-z]+) (?P<thing>[^,;.!?]{2,60}?) (?:just )?(?:yet|for now|for the moment|until\b.*)(?:\W|$)"
)
_POINTS = frozenset({"it", "that", "them", "this", "those", "one"})
_DENIES = lazy_pattern(r"\b(?:not|never|nobody)\b|n't\b|\bdont\b")
_CLAUSE = lazy_pattern(r"[,;:]\s|\s(?:then|before|after|once|if|when|but)\s")


def released(said: Utterance, items: Iterable[str]) -> list[str]:
    """Which of these wait no longer?"""
    return [item for item in items if _is_released(said, item)]


def _is_released(said: Utterance, item: str) -> bool:
    """Is the very thing that was to wait ordered now, with all that tells which one it is?

    `Deploy it to staging` leaves what waits for production where it is.
    """
    held = _HOLD.match(item.lower().replace("’", "'"))
    if held is None:
        return False
    thing = roots(held["thing"])
    for n, each in enumerate(said.sentences):
        first = _CLAUSE.split(each.text)[0]
        if not each.orders or _DENIES.search(each.lower) or ordered_verb(first) != held["verb"]:
            continue
        named = roots(first)
        if n and not _POINTS.isdisjoint(first.lower().rstrip(".!").split()):
            named |= roots(said.sentences[n - 1].text)
        if thing and thing <= named:
            return True
    return False
