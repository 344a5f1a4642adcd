"""Itemize: what a distillation lost, and what one recall brings back, item by item and with its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.continuity import Draw, Item, probe, telling_stems
from everthread.domain.distilling.continuity_refs import ItemRef, item_of
from everthread.domain.distilling.losses import importance_of
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.gleaning.ledger import words_around
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.ports import Records
from everthread.services.archive.sources import message_of

from .carried_rules import carried_rules

ALL = 1 << 20
NEAR = 8
"""So many messages before its own may be needed to tell what something is: a result and its call."""

LONGEST = 300

GONE = "its message was erased, or purged when its age was over"
FORGOTTEN = "it was forgotten"
UNREADABLE = "it cannot be read out of its message any more"


class ItemInWords(NamedTuple):
    """One item, in words and without secrets."""

    kind: str
    text: str | None
    """None where its words are gone; `why` says so."""
    source: str
    """The id of its message."""
    ask: str | None = None
    """The question by which a recall brought it back, without the item in it."""
    why: str = ""
    around: str | None = None
    """A number in the words among which it stood: alone it says nothing."""


class ScoreItems(NamedTuple):
    lost: Sequence[ItemInWords] = ()
    recoverable: Sequence[ItemInWords] = ()


def itemize(records: Records, scope: Scope, receipt: Receipt) -> ScoreItems:
    """The items that the receipt's score names, what matters most first."""
    score = receipt.score
    if score is None:
        return ScoreItems()
    reading = ItemReading(records, scope, receipt)
    return ScoreItems(
        # Their questions were asked, and brought nothing.
        [reading.describe(one)._replace(ask=None) for one in _by_importance(score.lost_items)],
        [reading.describe(one) for one in _by_importance(score.recoverable_items)],
    )


def _by_importance(items: Sequence[ItemRef]) -> list[ItemRef]:
    return sorted(items, key=lambda one: importance_of(one.kind))


class ItemReading:
    """Reads the items of a receipt out of their messages, each message once."""

    def __init__(self, records: Records, scope: Scope, receipt: Receipt) -> None:
        self._records, self._scope, self._receipt = records, scope, receipt
        self._withheld = records.memories.withheld(scope)
        self._items: dict[bytes, list[Item]] = {}
        self._carried: list[Item] | None = None

    def describe(self, drawn: ItemRef) -> ItemInWords:
        item = self.find(drawn)
        if isinstance(item, str):
            return ItemInWords(drawn.kind, None, drawn.source, why=item)
        asked = None if item.binding else probe(item)
        return ItemInWords(
            drawn.kind,
            harmless_line(item.text),
            drawn.source,
            None if asked is None else harmless_line(asked),
            around=words_around_number(item),
        )

    def find(self, drawn: ItemRef) -> Item | str:
        """The item, or why it cannot be told."""
        if self._withheld.get(drawn.key) == "forgotten":
            return FORGOTTEN
        message = message_of(self._records, self._scope, drawn.key)
        if message is None:
            return GONE
        return self._in_message(drawn, message) or self._in_summary(drawn) or UNREADABLE

    def _in_message(self, drawn: ItemRef, message: Message) -> Item | None:
        if drawn.key not in self._items:
            self._items[drawn.key] = _items([message])
        found = item_of(drawn, self._items[drawn.key])
        if found is not None:
            return found
        first, thread = max(1, message.seq - NEAR), self._receipt.thread_ref
        near = self._records.messages.between(self._scope, thread, first, message.seq)
        # What is told of an item may have the words of the message before its own.
        return item_of(drawn, _items([m for m in near if self._withheld.get(m.key) != "forgotten"]))

    def _in_summary(self, drawn: ItemRef) -> Item | None:
        """A rule as an earlier summary worded it."""
        if drawn.kind != "rules":
            return None
        if self._carried is None:
            self._carried = carried_rules(self._records, self._scope, self._receipt)
        return item_of(drawn, self._carried)


def words_around_number(item: Item) -> str | None:
    """A number among the words of its line; None for all else."""
    if item.kind != "numbers":
        return None
    line = item.sentence
    if not telling_stems(line.replace(item.text, " ")):
        # Alone on its line: the one before says of what.
        line = f"{item.before} {item.text}".strip()
    # Before it is cut: without the words that name it a secret is not known as one.
    return harmless_line(words_around(strip_secrets(line), item.text))


def harmless_line(text: str) -> str:
    return one_line(strip_secrets(text), LONGEST)


def _items(messages: Sequence[Message]) -> list[Item]:
    # What the last of a run stands for now was told one by one before, and on receipts it still is.
    draw = Draw(0, most=ALL, whole_runs=True)
    for message in messages:
        draw.read(message)
    return draw.items()
