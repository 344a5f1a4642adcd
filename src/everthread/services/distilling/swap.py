"""Swap what a view shows, inside one transaction: marks, summaries, and which receipts stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.views import Action, Mark, Span
from everthread.domain.distilling.receipts import Receipt, SummaryRow
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.ports import House, Records

from .composed_summary import ComposedSummary


def standing_receipts(records: Records, scope: Scope, thread: int) -> list[Receipt]:
    """The receipts of summaries that are in force, in order."""
    numbered = records.receipts.of_thread(scope, thread)
    return [r for r in numbered if r.standing and r.mode != "shorten"]


def next_number(records: Records, scope: Scope, thread: int) -> int:
    numbered = records.receipts.of_thread(scope, thread)
    return max((receipt.number or 0 for receipt in numbered), default=0) + 1


def stored_summary(records: Records, scope: Scope, row: SummaryRow) -> ComposedSummary:
    """A summary as it is kept; an emptied one says nothing."""
    text = records.summaries.digest(scope, row)
    digest = read_digest(text) if text else EMPTY
    return ComposedSummary(
        digest,
        digest,
        records.summaries.text(scope, row),
        row.tokens,
        records.summaries.sentences(scope, row.ref),
        (),
        {},
        0,
    )


def standing_digest(records: Records, scope: Scope, thread: int) -> Digest:
    """What is carried forward on the thread as it stands."""
    row = records.threads.get(scope, thread)
    summary = records.summaries.at(scope, thread, row.view_version)
    text = "" if summary is None else records.summaries.digest(scope, summary)
    return read_digest(text) if text else EMPTY


class Swap(NamedTuple):
    """A change of a thread's view, to a version that nobody has seen yet."""

    house: House
    records: Records
    scope: Scope
    version: int
    told: dict[Any, str] | None = None
    """Rows of digests, where several summaries are shown anew that carry the same."""

    def hide(self, receipt: Receipt, spans: Sequence[Span]) -> None:
        """The view shows these runs no more."""
        for span in spans:
            self._mark(receipt, span, "hide")

    def shorten(self, receipt: Receipt, saved: Mapping[int, int]) -> None:
        """The view shows the tool output of these messages shortened; so many tokens that saves."""
        for seq, tokens in saved.items():
            self._mark(receipt, Span(seq, seq), "shorten", tokens)

    def _mark(self, receipt: Receipt, span: Span, action: Action, saved: int | None = None) -> None:
        mark = Mark(
            ref=0,
            key_id=self.house.ids.new(),
            thread_ref=receipt.thread_ref,
            receipt_ref=receipt.ref,
            action=action,
            from_seq=span.first,
            to_seq=span.last,
            since_version=self.version,
            until_version=None,
            saved=saved,
            entry=0,
        )
        self.records.marks.add(self.scope, mark, now=self.house.clock.now())

    def unmark(self, receipt: Receipt) -> list[Mark]:
        """What the receipt hid or shortened is shown again; what it was."""
        acting = [
            m for m in self.records.marks.by(self.scope, receipt.ref) if m.until_version is None
        ]
        for mark in acting:
            self.records.marks.end(self.scope, mark, self.version, now=self.house.clock.now())
        return acting

    def show(
        self, receipt: Receipt, composed: ComposedSummary, *, ended: bool = False
    ) -> SummaryRow:
        """The receipt's summary reads so from now on; `ended`: though the view shows a later one."""
        row = SummaryRow(
            ref=0,
            key_id=self.house.ids.new(),
            thread_ref=receipt.thread_ref,
            receipt_ref=receipt.ref,
            since_version=self.version,
            until_version=self.version if ended else None,
            text_hash=None,
            digest_hash=None,
            tokens=composed.tokens,
            created_ms=self.house.clock.now(),
            entry=0,
        )
        digest = digest_text(composed.digest, self.told)
        return self.records.summaries.add(
            self.scope, row, composed.text, digest, composed.sentences
        )

    def end_shown(self, thread: int) -> None:
        """What the view shows first is shown no more."""
        held = self.records.summaries.at(self.scope, thread, self.version - 1)
        if held is not None:
            now = self.house.clock.now()
            self.records.summaries.end(self.scope, held, self.version, now=now)
