"""Receipts as people see them: listed, and one with every sentence and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.receipts import Intent, Receipt, Sentence
from everthread.domain.errors import ReceiptUnknown
from everthread.domain.lookup import Lookup
from everthread.ports import House, Records

if TYPE_CHECKING:
    from .ended_memories import EndedMemory
    from .itemize import ItemInWords, ScoreItems

SOUGHT = Lookup("receipt", "receipts", "everthread receipts", ReceiptUnknown)


class Shown(NamedTuple):
    """One receipt with all that belongs to it."""

    receipt: Receipt
    thread: Thread
    text: str
    """The summary as it reads today; empty where there is none, or what it held was forgotten."""
    sentences: Sequence[Sentence]
    intents: Sequence[Intent]
    hidden: Sequence[tuple[int, int]]
    """The runs of messages it hides, first and last."""
    lost: Sequence[ItemInWords] = ()
    """What the score found lost, item by item, without secrets."""
    recoverable: Sequence[ItemInWords] = ()
    """What one recall brings back, each with the question to ask."""
    ended: Sequence[EndedMemory] = ()
    """The memories that no longer hold by what a person said; while it is undone they do."""


def list_receipts(house: House, scope: Scope, *, thread: int | None, limit: int) -> list[Receipt]:
    """Newest first."""
    return list(house.store.read(lambda r: r.receipts.newest(scope, thread=thread, limit=limit)))


def show_receipt(house: House, scope: Scope, name: object) -> Shown:
    """The receipt of that id, or unique ending of one."""

    def work(records: Records) -> Shown:
        receipt = find_receipt(records, scope, name)
        summary = records.summaries.newest_of(scope, receipt.ref)
        items = _itemize(records, scope, receipt)
        marks = [m for m in records.marks.by(scope, receipt.ref) if m.action == "hide"]
        return Shown(
            receipt,
            records.threads.get(scope, receipt.thread_ref),
            "" if summary is None else records.summaries.text(scope, summary),
            () if summary is None else records.summaries.sentences(scope, summary.ref),
            records.intents.of(scope, receipt.ref),
            [(m.from_seq, m.to_seq) for m in marks if m.until_version is None],
            items.lost,
            items.recoverable,
            _ended(records, scope, receipt),
        )

    return house.store.read(work)


def _itemize(records: Records, scope: Scope, receipt: Receipt) -> ScoreItems:
    from .itemize import itemize  # noqa: PLC0415 - slow to load; most programs never need it

    return itemize(records, scope, receipt)


def _ended(records: Records, scope: Scope, receipt: Receipt) -> Sequence[EndedMemory]:
    from .ended_memories import ended_memories  # noqa: PLC0415 - as above

    return ended_memories(records, scope, receipt)


def find_receipt(records: Records, scope: Scope, name: object) -> Receipt:
    """A receipt by its id or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.receipts.ending(scope, digits))
