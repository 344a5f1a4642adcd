"""Is an order told as done by the answer to a question: `Did you send it?` `Yes, this morning`?

The answer names nothing, and the question may name nothing either. Then the newest order of that verb is
meant, whatever became of it: where another was done since, that is what she asks about. Asked and told must
be that deed itself: who tried to send it, or knows when to, has not sent it.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.past_forms import tells_deed
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.promise_forms import promises

from .agent_replies import ordered_verb
from .passing_ends import HINDERED, NO_REPORT, TAIL, tells_end
from .wanted_deeds import WantedDeed, plain_words, wanted_deed

_IT = r"(?:it|that|this|them|they|those|these|both|all of (?:it|them))"
_SOON = r"(?: (?:already|just|really|actually|ever|now|all|finally))*"
_WHETHER = lazy_pattern(
    r"\W*+(?>(?:(?:and|so|but|ok|okay|hey|hi|btw|by the way)\b[\s,]*+)*)"
    rf"(?:(?:did|have) you{_SOON} (?P<deed>[a-z]+)(?P<thing> [^,;:]+?)??|"
    rf"(?:has|have|is|are|was|were) (?P<named>{_IT}|(?:the|my|our) [^,;:]+?){_SOON}(?: been)?{_SOON} "
    r"(?P<done>[a-z]+)(?P<more> [^,;:]+?)??)(?: (?:yet|already|now|by now|today|yesterday))*\W*"
)
_YES = lazy_pattern(r"\W*+(?:(?:yes|yep|yeah|yup|indeed|i did|i have|done)\b\W*+)?(?P<rest>.*)")
_BARE = lazy_pattern(rf"(?: (?:i|we|it|they) (?:did|have|has|was|were|is|are))?{TAIL}\W*")
_SAID_SO = lazy_pattern(rf"\b{_IT}\b(?P<has>'s\b)?")
_ONLY_DEED = lazy_pattern(rf"(?P<deed>[a-z]+)(?P<rest>{TAIL})\W*")


def confirmed_orders(said: Utterance, points: Points, since: int) -> list[str]:
    """The order that she asked about in her last words, where the agent says that it did it."""
    first = next(iter(said.sentences), None)
    yes = None if first is None or first.asks else _YES.match(plain_words(first.text))
    if first is None or yes is None or promises(first) or NO_REPORT.search(first.lower):
        return []
    pinned = [entry for entry in points.of("open_item") if entry.point.pinned]
    asked = [e.point.text for e in pinned if e.turn >= since and _asks(e.point.text)]
    before = [e for e in pinned if e.turn < since]
    order = _order_meant(asked[0], [*points.of("request"), *before]) if len(asked) == 1 else None
    if order is None or order not in before:
        return []
    after = said.sentences[1:3]
    return [order.point.text] if _tells_it(yes["rest"], order.point.text, after) else []


def _asks(question: str) -> bool:
    return _WHETHER.fullmatch(question.lower()) is not None


def _order_meant(question: str, orders: Iterable[Entry]) -> Entry | None:
    """The newest whose deed is asked about, and whose names, if any are told."""
    asked = _WHETHER.fullmatch(question.lower())
    if asked is None:
        return None
    named = f"{asked['thing'] or ''} {asked['named'] or ''} {asked['more'] or ''}"
    fits = [
        entry
        for entry in orders
        if _is_deed(asked["deed"], asked["done"], ordered_verb(entry.point.text))
        and roots(named) <= roots(entry.point.text)
    ]
    return max(fits, key=lambda entry: entry.point.at_ms, default=None)


def _is_deed(asked: str | None, done: str | None, verb: str) -> bool:
    """`Did you send`, `have you sent`, `is it sent`; but `is it sending` asks for something else."""
    return bool(verb) and (asked == verb or tells_deed(asked or done or "", verb))


def _tells_it(told: str, order: str, after: Iterable[ParsedSentence]) -> bool:
    """Does it tell that very deed, of what was asked about and of nothing else?"""
    after = [*after]
    if any(HINDERED.search(each.lower) for each in after):
        return False
    if _BARE.fullmatch(f" {told}"):
        return True
    wanted = wanted_deed(order)
    if wanted is None:
        return False
    noun = _noun(order, wanted)
    if (alone := _ONLY_DEED.fullmatch(told)) is not None:
        told = f"{alone['deed']} {noun}{alone['rest']}"
    told = _SAID_SO.sub(lambda found: f"{noun}{' has' if found['has'] else ''}", told, count=1)
    return tells_end(parse_sentence(told), wanted, after)


def _noun(order: str, wanted: WantedDeed) -> str:
    """The thing by its noun, as `it` stands for it."""
    words = (word.strip(".,;:!?") for word in plain_words(order).split())
    return f"the {next((word for word in words if roots(word) == wanted.head), '')}"
