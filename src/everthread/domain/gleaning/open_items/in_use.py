"""Is what somebody was to get or to put somewhere there by now: `The hygrometer says 78 %`?"""

from __future__ import annotations

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.patterns import lazy_pattern

from .wanted_deeds import WantedDeed

_PLACING = frozenset(
    ("put", "get", "buy", "order", "install", "hang", "mount", "place", "set", "fit", "borrow")
)
_LED = r"^\W*+(?>(?:(?:ok|okay|oh|so|and|well|btw|update)\b[\s,.!:–—-]*)*)"
_IN_USE = lazy_pattern(
    rf"{_LED}(?P<thing>(?:[\w-]+ ){{0,3}}?[\w-]+) "
    r"(?:says|shows|reads|reports|measures|(?:has |have )?arrived|came|works|"
    r"(?:is|are) (?:here|in|up|on|there))\b"
)
_SUPPOSED = lazy_pattern(
    r"\b(?:still|yet|should|would|could|not|if|when|until|unless|will|hope\w*|probably|another|old|wrong)\b|n't\b"
)


_ANEW = frozenset(("new", "second", "another", "third", "spare", "extra", "other", "replacement"))


def is_in_use(said: Utterance, wanted: WantedDeed) -> bool:
    """Does she tell what it shows, or that it came? The old one shows nothing of the new."""
    if wanted.verb not in _PLACING or wanted.is_one or not _ANEW.isdisjoint(wanted.words):
        return False
    for each in said.sentences:
        found = None if each.asks or _SUPPOSED.search(each.lower) else _IN_USE.match(each.lower)
        if found is not None and wanted.head <= roots(found["thing"]):
            return True
    return False
