"""What a person says later may take a rule or a choice back, or its place: then nobody need keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.message_text import bag_of
from everthread.domain.gleaning.point_changes import Change
from everthread.domain.gleaning.withdrawals import lifts, rule_roots
from everthread.domain.memory.lifts import lifted_rules
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.sentences import bound_text, stretches

from . import continuity_rules as rules
from .continuity_items import Item


class HeldPoint(NamedTuple):
    """A rule or a choice as it is compared with all that is said later."""

    point: Point
    bag: frozenset[str]
    words: frozenset[str]


def held_point(item: Item) -> HeldPoint:
    kind = "rule" if item.kind == "rules" else "decision"
    point = Point(kind, item.text, (item.key,), item.by, item.at_ms)
    return HeldPoint(point, bag_of(item.text), rule_roots(item.text))


class Saying:
    """What a person says, beside what held before."""

    def __init__(self, sentence: str, message: Message, held: Iterable[HeldPoint]) -> None:
        """`held` is all that held: which rule is lifted hangs on which others stand."""
        rule = rules.kind_of(sentence, "user") == "rules"
        kind = "rule" if rule else "decision"
        self._parsed, self._words = parse_sentence(sentence), rule_roots(sentence)
        self._change = Change(Point(kind, sentence, (message.key,), "user", message.at_ms))
        self._touches_rules = rule or self._change.sets_value
        ruled = [old.point.text for old in held if old.point.kind == "rule"]
        self._lifted = frozenset(lifted_rules(sentence, ruled))

    def ends(self, old: HeldPoint) -> bool:
        """Does it take the other back, or its place?"""
        if old.point.kind == "rule" and self._is_lifted(old):
            return True
        may = old.point.kind != "rule" or self._touches_rules
        return may and self._change.retires(old.point, old.bag)

    def _is_lifted(self, old: HeldPoint) -> bool:
        if old.point.text in self._lifted:
            return True
        # Of many rules most have no word in common with it; that is seen at once.
        if self._words.isdisjoint(old.words):
            return False
        return lifts(self._parsed, old.point.text)


def still_holding(
    items: Sequence[Item], messages: Iterable[Message], pause: Callable[[], None] = lambda: None
) -> list[Item]:
    """Those of the rules and choices that nobody took back in these later messages."""
    held = {item: held_point(item) for item in items}
    for message in messages:
        if not held:
            break
        if message.origin != "user" or message.kind != "said":
            continue
        for sentence in _sentences(message, pause):
            said = Saying(sentence, message, held.values())
            for item, old in [*held.items()]:
                pause()
                if item.text != sentence and item.at_ms <= message.at_ms and said.ends(old):
                    del held[item]
    return [item for item in items if item in held]


def _sentences(message: Message, pause: Callable[[], None]) -> Iterable[str]:
    text = bound_text(message.text)
    for stretch in stretches(text, own=True, pause=pause):
        pause()
        sentence = flatten(text[stretch.start : stretch.end])
        if len(sentence) <= rules.LONGEST:
            yield sentence
