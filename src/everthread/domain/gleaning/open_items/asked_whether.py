"""Is an order told as done by the answer to a question: `Did you send it?` `Yes, I sent it`?

The answer names nothing, and the question may name nothing either. Then the newest order of that verb is
meant, whatever became of it: where another was done since, that is what she asks about.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.person_statements import Utterance
from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.roots import root, roots
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.promise_forms import promises, tells_done
from everthread.domain.text.related_words import kin_of

from .agent_replies import ordered_verb

_WHETHER = lazy_pattern(
    r"\W*+(?:(?:and|so|but|ok|okay|hey|hi|btw|by the way)\b[\s,]*+)*+"
    r"(?:(?:did|have) you|(?:has|have|is|are|was|were) (?:it|that|this|they|the|those|these))\b"
)
_YES = lazy_pattern(r"\W*+(?:yes|yep|yeah|yup|indeed|sure did|i did|i have|done)\b\W*+(?P<rest>.*)")
_DID = lazy_pattern(r"(?:(?:i|we|it|they) (?:did|have|has|was|were|is|are))?\W*")
_POINTS = frozenset({"it", "that", "this", "them", "those", "these", "both", "all"})
_NOT_ALL = lazy_pattern(
    r"\b(?:only|half|partly|mostly|almost|nearly|except|but|though|wrong|part|some|tried|failed|bounced|"
    r"think|hope|should)\b"
)


def confirmed_orders(said: Utterance, points: Points, since: int) -> list[str]:
    """The order that she asked about in her last words, where the agent says that it did it."""
    first = next(iter(said.sentences), None)
    yes = None if first is None or first.asks else _YES.match(first.lower)
    if first is None or yes is None or promises(first) or _NOT_ALL.search(first.lower):
        return []
    pinned = [entry for entry in points.of("open_item") if entry.point.pinned]
    asked = [
        e.point.text for e in pinned if e.turn >= since and _WHETHER.match(e.point.text.lower())
    ]
    before = [e for e in pinned if e.turn < since]
    order = _order_meant(asked[0], [*points.of("request"), *before]) if len(asked) == 1 else None
    if order is None or order not in before:
        return []
    done = _DID.fullmatch(yes["rest"]) or _tells_it(first, order.point.text)
    return [order.point.text] if done else []


def _order_meant(question: str, orders: Iterable[Entry]) -> Entry | None:
    """The newest whose verb is asked about, and whose names, if any are told."""
    asked = parse_sentence(question)
    fits: list[Entry] = []
    for entry in orders:
        verbs = _forms(asked, ordered_verb(entry.point.text))
        if verbs and roots(question) - verbs <= roots(entry.point.text):
            fits.append(entry)
    return max(fits, key=lambda entry: entry.point.at_ms, default=None)


def _forms(said: ParsedSentence, verb: str) -> frozenset[str]:
    """The roots of those of its words that are forms of the verb."""
    known = {root(verb), *map(root, kin_of(verb))} if verb else set[str]()
    return frozenset(root(word) for word in said.words) & known


def _tells_it(first: ParsedSentence, order: str) -> bool:
    """Does it tell that very deed, of what was asked about and of nothing else?"""
    verbs = _forms(first, ordered_verb(order))
    if not verbs or not tells_done(first):
        return False
    return not first.bag.isdisjoint(_POINTS) or roots(first.text) - verbs <= roots(order)
