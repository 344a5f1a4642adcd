"""The chain of a thread's distillations: each summary as it reads, or made anew on another ground."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark, Span
from everthread.domain.distilling.continuity import items_kept
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.summaries import Room
from everthread.domain.distilling.summaries_lines import unfold_paths
from everthread.domain.errors import UndoRefused
from everthread.domain.gleaning.closed_points import keep_closed, points_closed
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, Trace
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.archive.forks import before_fork, fork_at
from everthread.services.archive.view import view_at

from .compose import Ask, ComposedSummary, check_points, glean, render_summary, room
from .corrections import corrected_points
from .mend import MOST_MENDED, mended_room
from .point_vectors import Made
from .review import ALARM, REPAIRED, draw_items
from .score import repair_digest
from .stages import Pause
from .swap import standing_receipts, stored_summary
from .wordings import RECEIPT_FIELDS, wording_on

if TYPE_CHECKING:
    from everthread.domain.ending.retelling import ForkPast


class Link(NamedTuple):
    """One distillation of a new chain: its receipt, and its summary as it will read."""

    receipt: Receipt
    composed: ComposedSummary
    anew: bool
    stood: Receipt | None = None
    """Where it reads again as it did before: its receipt of then."""

    @property
    def changed(self) -> bool:
        return self.anew or self.stood is not None


def must_not_be_purged(receipt: Receipt) -> None:
    """Refuse what would need messages that were purged."""
    purged = receipt.detail.get("purged")
    if purged:
        count = "1 message" if purged["messages"] == 1 else f"{purged['messages']:,} messages"
        raise UndoRefused(
            f"{count} of receipt {receipt.id} went with the purge of {text_of(purged['at_ms'])}: there is "
            "nothing left to bring back. Its summary stays, and so do the memories drawn from it"
        )


CARRIED = "carried:"
"""How a note begins that says: the score is of the summary as it read before."""


class Chain:
    """Reads summaries as they are, and makes them anew."""

    def __init__(self, house: House, agent: AgentRow, pause: Pause) -> None:
        self._house = house
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._pause = pause
        self._vectors: Made = {}

    def link_for(
        self,
        receipt: Receipt,
        thread: Thread,
        before: ComposedSummary,
        ordinal: int,
        marks: Sequence[Mark] | None = None,
    ) -> Link:
        """As it read on this ground, if it ever stood on it; else made anew.

        Else it would show what others carried that were undone meanwhile, or lack what was redone.
        """
        if receipt.mode == "light":
            as_it_was = self.as_it_is(receipt)._replace(before=before.digest)
            return Link(receipt, as_it_was, anew=marks is None)
        found = self._house.store.read(lambda r: wording_on(r, self._scope, receipt, before.digest))
        if found is None:
            made = self.make_anew(receipt, thread, before, ordinal, marks)
            return Link(receipt, made, anew=True)
        composed, stood = found
        as_left = marks is not None and stood == receipt
        return Link(receipt, composed, anew=False, stood=None if as_left else stood)

    def make_anew(
        self,
        receipt: Receipt,
        thread: Thread,
        before: ComposedSummary,
        ordinal: int,
        marks: Sequence[Mark] | None = None,
    ) -> ComposedSummary:
        """A distillation made by the plain distiller on top of what now comes before it.

        What it hides is by its marks as they stand, or by these.
        """
        must_not_be_purged(receipt)
        if marks is None:
            made = self._house.store.read(lambda r: r.marks.by(self._scope, receipt.ref))
            marks = [mark for mark in made if mark.until_version is None]
        spans = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
        replaced = self._house.store.read(
            lambda r: sum(r.messages.weights(self._scope, thread.ref, *span) for span in spans)
        )
        tokens = room(self._house, self._agent, replaced=replaced, before=before.tokens)
        guarded = any(fired["name"] == "guard" for fired in receipt.fired)
        ask = Ask(
            self._agent, thread.ref, before.digest, spans, ordinal, tokens, meaning=not guarded
        )
        ask = ask._replace(before_fork=self._before_fork(receipt, before), vectors=self._vectors)
        ask = ask._replace(shown=self._left_then(receipt))
        digest = keep_closed(glean(self._house, ask, self._pause), self._closed_by(receipt))
        digest, struck = check_points(self._house, ask, digest, self._pause)
        now = self._house.clock.now()
        corrected = self._house.store.read(
            lambda r: corrected_points(r, self._scope, digest, now=now)
        )
        ask = ask._replace(corrected=corrected)
        made = render_summary(self._house, ask, digest, struck)
        if not any(error.startswith(REPAIRED) for error in receipt.errors):
            return made
        digest, extra, tokens = self._repaired_parts(receipt, made)
        return render_summary(self._house, ask._replace(extra=extra, tokens=tokens), digest, struck)

    def _left_then(self, receipt: Receipt) -> Sequence[Span]:
        """What the view still showed when it was made: what is answered in that is not open in it.

        One that was made of as much as there was time for was not held against that.
        """
        if receipt.detail.get("partial"):
            return ()

        def work(records: Records) -> Sequence[Span]:
            rows = records.summaries.all(self._scope, receipt.thread_ref)
            first = next((row for row in rows if row.receipt_ref == receipt.ref), None)
            last = receipt.detail.get("last_seq")
            if first is None or last is None:
                return ()
            version, thread = first.since_version, receipt.thread_ref
            return view_at(records, self._scope, thread, version=version, last=last).spans

        return self._house.store.read(work)

    def _closed_by(self, receipt: Receipt) -> list[Point]:
        """What it saw end of what the one before it held: on another ground it may lack what told it so."""

        def work(records: Records) -> list[Point]:
            stand = standing_receipts(records, self._scope, receipt.thread_ref)
            number = receipt.number or 0
            earlier = [each for each in stand if (each.number or 0) < number]
            rows = [
                records.summaries.newest_of(self._scope, each.ref)
                for each in (*earlier[-1:], receipt)
            ]
            digests = [
                stored_summary(records, self._scope, row).digest
                for row in rows
                if row is not None and row.text_hash is not None
            ]
            return points_closed(*digests) if len(digests) == 2 else []  # noqa: PLR2004 - both are there

        return self._house.store.read(work)

    def _repaired_parts(
        self, receipt: Receipt, made: ComposedSummary
    ) -> tuple[Digest, Sequence[Point | Trace], Room]:
        """What was mended stays so: of what is asked for it shows again what its summary showed.

        Nobody need be asked what is lost: that was found out when it was scored.
        """

        def read(records: Records) -> str:
            row = records.summaries.newest_of(self._scope, receipt.ref)
            return "" if row is None else records.summaries.text(self._scope, row)

        was = unfold_paths(self._house.store.read(read))
        items = draw_items(self._house, self._scope, receipt, self._pause)
        gone = items_kept(items, was, self._pause) - items_kept(
            items, unfold_paths(made.text), self._pause
        )
        digest, extra = repair_digest([items[n] for n in sorted(gone)], made.digest, MOST_MENDED)
        tokens = mended_room(self._house, self._agent, receipt, made.tokens, len(extra))
        return digest, extra, tokens

    def _before_fork(self, receipt: Receipt, before: ComposedSummary) -> ForkPast | None:
        def read(records: Records) -> ForkPast | None:
            fork = fork_at(records, self._scope, receipt.thread_ref, receipt=receipt.ref)
            return before_fork(records, self._scope, receipt.thread_ref, fork, before.digest)

        return self._house.store.read(read)

    def as_it_is(self, receipt: Receipt) -> ComposedSummary:
        """A receipt's summary as it reads today."""

        def work(records: Records) -> ComposedSummary:
            row = records.summaries.newest_of(self._scope, receipt.ref)
            if row is None or row.text_hash is None:
                raise UndoRefused(
                    "what its summary held was forgotten since; it cannot be shown again"
                )
            stored = stored_summary(records, self._scope, row)
            return stored._replace(before=EMPTY, struck=receipt.struck, distiller=receipt.distiller)

        return self._house.store.read(work)


def updated_receipt(receipt: Receipt, link: Link, came: int, *, shown: bool, since: str) -> Receipt:
    """A later receipt of its new summary, and of the view with what came back.

    The summary that is `shown` is scored anew. One that another stands on nobody is given any more: its
    score tells of its own time, and a note `since` when it is older than the text.
    """
    if link.stood is not None:
        receipt = receipt._replace(**{name: getattr(link.stood, name) for name in RECEIPT_FIELDS})
    elif link.anew:
        receipt = receipt._replace(
            distiller=link.composed.distiller,
            struck=link.composed.struck,
            tokens_before=max(0, receipt.tokens_before + came),
            tokens_after=max(0, receipt.tokens_after + came),
        )
    if shown and (link.anew or has_older_score(receipt)):
        left = [e for e in receipt.errors if not e.startswith((ALARM, CARRIED))]
        return receipt._replace(score_json=None, errors_json=json.dumps(left))
    if link.anew and receipt.score_json is not None and not has_older_score(receipt):
        noted = [*receipt.errors, f"{CARRIED} scored before {since}"]
        return receipt._replace(errors_json=json.dumps(noted))
    return receipt


def has_older_score(receipt: Receipt) -> bool:
    """Is its score older than its summary?"""
    return any(error.startswith(CARRIED) for error in receipt.errors)
