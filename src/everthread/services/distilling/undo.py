"""Undo a distillation, and redo it: everywhere it touched, also after newer turns and distillations.

What it hid comes back into the view. Later distillations are first made anew without it, each from its
own messages on top of what now comes before; then everything is swapped in one transaction. What is
redone is made anew too where what comes before it is not what it was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark, Span
from everthread.domain.distilling.daily_files import day_of
from everthread.domain.distilling.receipts import Outcome, Receipt
from everthread.domain.errors import UndoRefused
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import closed_of
from everthread.domain.ids import short
from everthread.domain.times import MINUTE
from everthread.ports import Flush, FlushResult, House, Records
from everthread.services.archive.measure import calibration_of, fixed_tokens, prompt_of
from everthread.services.archive.sources import forgotten_keys
from everthread.services.places import ask_others

from .compose import ComposedSummary
from .correct import correct_views
from .flush import carry_out, intend, order_of, settle
from .learn import compare_redrawn, memories_gained, plan_unlearning, touched_count, unlearn
from .learn_again import learn_again
from .lease import must_be_free, take_over
from .memory_file import listing, refresh_listing
from .prime import WAITING, note_waiting
from .receipts import find_receipt
from .rechain import Chain, Link, must_not_be_purged, updated_receipt
from .reversal import Reversal, ReversalPlan, as_it_stands, hold_thread, view_weight
from .review import ask_score, run_score_job
from .stages import Pause, nothing
from .swap import Swap, standing_receipts
from .wordings import note_wording, settle_wording, wordings_of

What = Literal["undo", "redo"]


NOTED = ("was", WAITING)
"""What is put down of a distillation only while it is undone."""

NONE = ComposedSummary(EMPTY, EMPTY, "", 0, (), (), {}, 0)
"""What comes before the first distillation."""


def undo(
    house: House, agent: AgentRow, name: object, *, dry_run: bool = False, pause: Pause = nothing
) -> Reversal:
    """Take a distillation back."""
    return _Reverse(house, agent, name, "undo", pause).run(dry_run=dry_run)


def redo(
    house: House, agent: AgentRow, name: object, *, dry_run: bool = False, pause: Pause = nothing
) -> Reversal:
    """Put a distillation that was undone back in force."""
    return _Reverse(house, agent, name, "redo", pause).run(dry_run=dry_run)


class _Reverse:
    def __init__(
        self, house: House, agent: AgentRow, name: object, what: What, pause: Pause
    ) -> None:
        self._house, self._agent = house, agent
        self._scope = Scope(agent.ref)
        self._name = name
        self._what: What = what
        self._pause = pause
        self._summaries = Chain(house, agent, pause)

    def run(self, *, dry_run: bool) -> Reversal:
        plan = self._make_plan(dry=dry_run)
        told = self._report(plan, dry=dry_run)
        if dry_run:
            return told
        flushed = self._files(plan)
        done = self._house.store.write(lambda r: self._swap(r, plan, told, flushed))
        if flushed and all(each.ok for _, each in flushed):
            # What it did to memories is taken back by now, and with that what is listed of them.
            refresh_listing(self._house, self._agent)
        # What is shown again may quote what was corrected since.
        correct_views(self._house, self._agent.ref, pause=self._pause)
        for link in plan.links[-1:]:
            if link.receipt.mode == "full":
                # What is given from now on is scored, and mended, before anybody looks at it.
                run_score_job(self._house, self._agent.ref, link.receipt.ref, pause=self._pause)
        return as_it_stands(self._house, self._agent, done)

    # What would be ------------------------------------------------------------------------------

    def _make_plan(self, *, dry: bool) -> ReversalPlan:
        scope, house = self._scope, self._house
        receipt, gone = house.store.read(
            lambda r: (find_receipt(r, scope, self._name), forgotten_keys(r, scope))
        )
        self._must_be_possible(receipt)

        def seen(records: Records) -> tuple[Thread, list[Mark], list[Receipt], int, int]:
            thread = records.threads.get(scope, receipt.thread_ref)
            stand = standing_receipts(records, scope, thread.ref)
            shown = view_weight(records, scope, thread)
            prompt = prompt_of(records, scope, self._agent.system_hash, self._agent.tools_hash)
            fixed = fixed_tokens(house, *prompt)
            return thread, self._marks(records, receipt, thread), stand, shown, fixed

        must_be_free(house, scope, receipt.thread_ref, dry=dry)
        thread, marks, stand, shown, fixed = house.store.read(seen)
        before, links = self._chain(receipt, thread, stand, marks)
        weighs = house.store.read(lambda r: self._weight(r, thread, marks))
        plan = ReversalPlan(receipt, thread, marks, links, before, weighs, shown, fixed, gone)
        plan = plan._replace(noted=house.store.read(lambda r: wordings_of(r, scope, stand)))
        if self._what == "undo" or receipt.mode != "full":
            return plan
        after = links[0].composed.digest
        drawn = memories_gained(house, scope, before, after, self._pause, receipt=receipt)
        over, anew = closed_of(before, after), links[0].anew
        found = compare_redrawn(house, scope, receipt, drawn, self._pause, over, anew=anew)
        return plan._replace(drawn=found)

    def _must_be_possible(self, receipt: Receipt) -> None:
        undone = receipt.outcome == "undone"
        if self._what == "redo" and not undone:
            raise UndoRefused(f"receipt {receipt.id} was not undone: it is {receipt.outcome}")
        if self._what == "undo" and undone:
            raise UndoRefused(f"receipt {receipt.id} is undone already; `redo` brings it back")
        if self._what == "undo" and not receipt.standing:
            raise UndoRefused(
                f"receipt {receipt.id} is {receipt.outcome}: it changed nothing, so there is "
                "nothing to undo"
            )
        if self._what == "undo":
            must_not_be_purged(receipt)

    def _marks(self, records: Records, receipt: Receipt, thread: Thread) -> list[Mark]:
        """What the receipt hid or shortened: as it is, or, to be redone, as it was when it stood."""
        made = list(records.marks.by(self._scope, receipt.ref))
        if self._what == "undo":
            return [mark for mark in made if mark.until_version is None]
        last = max((mark.until_version or 0 for mark in made), default=0)
        again = [mark for mark in made if mark.until_version == last]
        hidden = records.marks.hiding(self._scope, thread.ref, version=thread.view_version)
        if any(_overlap(mark, span) for mark in again for span in hidden):
            raise UndoRefused(
                "its messages were distilled again since; undo the later distillation first"
            )
        return again

    def _chain(
        self, receipt: Receipt, thread: Thread, stand: Sequence[Receipt], marks: Sequence[Mark]
    ) -> tuple[Digest, list[Link]]:
        """The distillations that will stand from this one on, and what comes before them."""
        number = receipt.number or 0
        earlier = [r for r in stand if (r.number or 0) < number]
        later = [r for r in stand if (r.number or 0) > number]
        before = self._summaries.as_it_is(earlier[-1]) if earlier else NONE
        if receipt.mode == "shorten":
            return before.digest, []
        redone = [receipt] if self._what == "redo" else []
        links, carried = list[Link](), before
        if earlier and not later and not redone:
            links.append(Link(earlier[-1], before, anew=False))
        for ordinal, each in enumerate((*redone, *later), len(earlier) + 1):
            own = marks if each is receipt else None
            links.append(self._summaries.link_for(each, thread, carried, ordinal, own))
            carried = links[-1].composed
        return before.digest, links

    def _weight(self, records: Records, thread: Thread, marks: Sequence[Mark]) -> int:
        """The tokens that come back into the view, or leave it."""
        spans = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
        hidden = sum(records.messages.weights(self._scope, thread.ref, *span) for span in spans)
        # What another receipt shortens comes back short.
        hidden -= sum(self._saved(records, thread, span) for span in spans)
        return hidden + sum(m.saved or 0 for m in marks if m.action == "shorten")

    def _saved(self, records: Records, thread: Thread, span: Span) -> int:
        version, (first, last) = thread.view_version, span
        marks = records.marks.shortening(
            self._scope, thread.ref, version=version, first=first, last=last
        )
        return sum({mark.from_seq: mark.saved or 0 for mark in marks}.values())

    def _report(self, plan: ReversalPlan, *, dry: bool) -> Reversal:
        calibration = self._house.store.read(lambda r: calibration_of(r, self._agent))
        sign = 1 if self._what == "undo" else -1
        after = plan.shown + sign * plan.weighs
        if plan.receipt.mode != "shorten":
            after += plan.summary_tokens - self._shown_summary(plan)
        limit = self._house.policy.guard(self._agent.window)
        size = calibration.apply(plan.fixed + after)
        if self._what == "undo" and size > limit:
            fits = max(0, limit - calibration.apply(plan.fixed + plan.shown))
            raise UndoRefused(
                f"with it the view would hold {size:,} tokens, above the guard of {limit:,}. About "
                f"{fits:,} tokens can come back; this receipt hides {plan.weighs:,}. Undo a smaller "
                "one, or give the agent a larger window"
            )
        told = Reversal(
            plan.receipt,
            dry,
            self._house.store.read(lambda r: self._count(r, plan)),
            calibration.apply(plan.shown),
            calibration.apply(after),
            limit,
            [link.receipt.number or 0 for link in plan.links if link.changed],
            memories=touched_count(plan.receipt),
        )
        if self._what == "redo":
            return told
        planned = self._house.store.read(lambda r: plan_unlearning(r, self._scope, plan.receipt))
        return told.with_memories(planned)

    def _shown_summary(self, plan: ReversalPlan) -> int:
        row = self._house.store.read(
            lambda r: r.summaries.at(self._scope, plan.thread.ref, plan.thread.view_version)
        )
        return 0 if row is None else row.tokens

    def _count(self, records: Records, plan: ReversalPlan) -> int:
        return sum(
            records.messages.spoken(self._scope, plan.thread.ref, m.from_seq, m.to_seq)
            for m in plan.marks
            if m.action == "hide"
        )

    # The files ----------------------------------------------------------------------------------

    def _files(self, plan: ReversalPlan) -> list[tuple[object, FlushResult]]:
        """Intents, then the files: what the transaction will say, readable for people."""
        if plan.receipt.mode == "shorten":
            return []
        ahead = plan.links[-1].composed.digest if plan.links else EMPTY
        light = plan.thread.kind == "background"
        kept = listing(self._house, self._scope, None if light else ahead).text
        own = plan.links[0].composed if self._what == "redo" else None
        later = [link for link in plan.links if link.changed and link.receipt != plan.receipt]
        # What comes back is written before what followed it: a file is read from top to bottom.
        orders = [(link.receipt, None, "withdraw") for link in later if own]
        orders += [(plan.receipt, own, "write" if own else "withdraw")]
        orders += [(link.receipt, link.composed, "write") for link in later]
        done: list[tuple[object, FlushResult]] = []
        for receipt, composed, what in orders:
            order = self._flush(plan, receipt, composed, kept)
            intent = self._house.store.write(
                lambda r, c=receipt, o=order, w=what: intend(self._house, r, self._scope, c, o, w)
            )
            done.append((intent, carry_out(self._house, self._agent, intent)))
        return done

    def _flush(
        self,
        plan: ReversalPlan,
        receipt: Receipt,
        composed: ComposedSummary | None,
        kept: str | None,
    ) -> Flush:
        at = int(receipt.detail.get("flushed_ms", receipt.closed_ms or receipt.opened_ms))
        if composed is None:
            return Flush(receipt.id, day_of(at), "", kept)
        return order_of(receipt, plan.thread, composed, at=at, kept=kept)

    # The transaction ----------------------------------------------------------------------------

    def _swap(
        self,
        records: Records,
        plan: ReversalPlan,
        told: Reversal,
        flushed: Sequence[tuple[object, FlushResult]],
    ) -> Reversal:
        scope, now = self._scope, self._house.clock.now()
        thread = hold_thread(records, scope, plan)
        # Nobody may be distilling it: what they make would not fit what is there from now on.
        take_over(self._house, records, scope, thread.ref)
        receipt = records.receipts.get(scope, plan.receipt.ref)
        self._must_be_possible(receipt)
        swap = Swap(self._house, records, scope, thread.view_version + 1)
        if self._what == "undo":
            swap.unmark(receipt)
            receipt = note_waiting(records, scope, receipt)
            told = told.with_memories(unlearn(records, scope, receipt, now=now))
            records.memories.unprime(scope, receipt.ref)
        else:
            self._mark_again(swap, receipt, plan.marks)
            if receipt.mode == "full":
                receipt = learn_again(records, scope, plan, receipt, now=now)
                told = told._replace(memories=touched_count(receipt))
        self._show(swap, plan)
        if any(link.receipt.ref == receipt.ref for link in plan.links):
            told_anew = records.receipts.get(scope, receipt.ref)
            receipt = told_anew._replace(detail_json=receipt.detail_json)
        self._close(records, swap, thread, receipt, plan, now)
        for intent, done in flushed:
            settle(self._house, records, scope, intent, done)  # pyright: ignore[reportArgumentType]
        problems = [done.error or "" for _, done in flushed if not done.ok]
        edited = ["a section that someone edited was left" for _, done in flushed if done.edited]
        places = ask_others(self._house, records, scope) if flushed else ()
        later = [f"the files in {place} follow when Everthread runs there" for place in places]
        return told._replace(
            receipt=records.receipts.get(scope, receipt.ref),
            files=list(dict.fromkeys(path for _, done in flushed for path in done.paths)),
            warnings=[*problems, *edited, *later],
        )

    def _mark_again(self, swap: Swap, receipt: Receipt, marks: Sequence[Mark]) -> None:
        swap.hide(receipt, [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"])
        cut = {m.from_seq: m.saved or 0 for m in marks if m.action == "shorten"}
        swap.shorten(receipt, cut)

    def _show(self, swap: Swap, plan: ReversalPlan) -> None:
        """The new chain: all its summaries are put down, the last one is shown."""
        if plan.receipt.mode == "shorten":
            return
        swap.end_shown(plan.thread.ref)
        for n, link in enumerate(plan.links, 1):
            swap.show(link.receipt, link.composed, ended=n < len(plan.links))
            came = 0 if link.receipt == plan.receipt else plan.weighs
            came = came if self._what == "undo" else -came
            self._tell(swap, plan, link, came, shown=n == len(plan.links))

    def _tell(self, swap: Swap, plan: ReversalPlan, link: Link, came: int, *, shown: bool) -> None:
        """Its receipt tells of the summary as it reads from now on."""
        # As it is by now: some of its messages may have been purged since it was looked up.
        receipt = swap.records.receipts.get(self._scope, link.receipt.ref)
        size = calibration_of(swap.records, self._agent).apply
        since = f"receipt {short(plan.receipt.key_id)} was {self._what}ne"
        told = updated_receipt(receipt, link, size(came) - size(0), shown=shown, since=since)
        if link.changed and receipt.ref != plan.receipt.ref:
            detail = note_wording(told.detail, plan.noted.get(receipt.ref))
            detail = settle_wording(detail, link.composed.before)
            told = told._replace(detail_json=json.dumps(detail))
        if told == receipt and not link.changed:
            return
        now = self._house.clock.now()
        swap.records.receipts.change(self._scope, told, "receipt.remade", now=now)
        if told.unscored or (shown and told.mode == "full" and told.score_json is None):
            # What is shown is scored as soon as it stands; the job is for when that does not come to its end.
            ask_score(swap.records, self._scope, told.ref, now=now, due_at=now + MINUTE)

    def _close(
        self,
        records: Records,
        swap: Swap,
        thread: Thread,
        receipt: Receipt,
        plan: ReversalPlan,
        now: int,
    ) -> None:
        """The thread and the receipt as they are from now on."""
        scope = self._scope
        if self._what == "undo":
            detail = note_wording(receipt.detail, plan.noted.get(receipt.ref))
            was = json.dumps({**detail, "was": receipt.outcome})
            told = receipt._replace(
                outcome="undone", undone_ms=now, undone_seq=thread.last_seq, detail_json=was
            )
        else:
            before: Outcome = receipt.detail.get("was", "ok")
            detail = settle_wording(receipt.detail, plan.before)
            kept = {k: v for k, v in detail.items() if k not in NOTED}
            told = receipt._replace(
                outcome=before, undone_ms=None, undone_seq=None, detail_json=json.dumps(kept)
            )
        records.receipts.change(scope, told, f"receipt.{self._what}ne", now=now)
        if told.unscored:  # while it was undone, nobody scored it
            ask_score(records, scope, told.ref, now=now, due_at=now + MINUTE)
        shown = view_weight(records, scope, thread._replace(view_version=swap.version))
        closed = [r.closed_ms for r in standing_receipts(records, scope, thread.ref)]
        at = closed[-1] if closed else None
        size = plan.fixed + shown
        records.threads.distilled(scope, thread.ref, at=at, version=swap.version, computed=size)


def _overlap(mark: Mark, span: Span) -> bool:
    return mark.action == "hide" and mark.from_seq <= span.last and span.first <= mark.to_seq
