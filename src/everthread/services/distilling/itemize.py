"""Itemize: what a distillation lost, and what one recall brings back, item by item and with its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.continuity import Draw, Item, probe
from everthread.domain.distilling.continuity_refs import ItemRef, item_of
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.ports import Records
from everthread.services.archive.sources import message_of

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


class ScoreItems(NamedTuple):
    lost: Sequence[ItemInWords] = ()
    recoverable: Sequence[ItemInWords] = ()


def itemize(records: Records, scope: Scope, receipt: Receipt) -> ScoreItems:
    """The items that the receipt's score names."""
    score = receipt.score
    if score is None:
        return ScoreItems()
    reading = _Reading(records, scope, receipt.thread_ref)
    return ScoreItems(
        # Their questions were asked, and brought nothing.
        [reading.describe(one)._replace(ask=None) for one in score.lost_items],
        [reading.describe(one) for one in score.recoverable_items],
    )


class _Reading:
    """Reads items out of their messages, each message once."""

    def __init__(self, records: Records, scope: Scope, thread: int) -> None:
        self._records, self._scope, self._thread = records, scope, thread
        self._withheld = records.memories.withheld(scope)
        self._items: dict[bytes, list[Item]] = {}

    def describe(self, drawn: ItemRef) -> ItemInWords:
        if self._withheld.get(drawn.key) == "forgotten":
            return ItemInWords(drawn.kind, None, drawn.source, why=FORGOTTEN)
        message = message_of(self._records, self._scope, drawn.key)
        if message is None:
            return ItemInWords(drawn.kind, None, drawn.source, why=GONE)
        item = self._find(drawn, message)
        if item is None:
            return ItemInWords(drawn.kind, None, drawn.source, why=UNREADABLE)
        asked = None if item.binding else probe(item)
        question = None if asked is None else one_line(strip_secrets(asked), LONGEST)
        return ItemInWords(
            drawn.kind, one_line(strip_secrets(item.text), LONGEST), drawn.source, question
        )

    def _find(self, drawn: ItemRef, message: Message) -> Item | None:
        if drawn.key not in self._items:
            self._items[drawn.key] = _items([message])
        found = item_of(drawn, self._items[drawn.key])
        if found is not None:
            return found
        first = max(1, message.seq - NEAR)
        near = self._records.messages.between(self._scope, self._thread, first, message.seq)
        return item_of(drawn, _items(near))


def _items(messages: Sequence[Message]) -> list[Item]:
    draw = Draw(0, most=ALL)
    for message in messages:
        draw.read(message)
    return draw.items()
