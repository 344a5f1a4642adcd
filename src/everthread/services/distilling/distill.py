"""Distill a thread: replace what no longer fits by a summary, provably, and leave a receipt.

Lease and receipt, plan, gleaning, summary, check, intent, files, one transaction, check again, score.
A failure before the transaction changes nothing but the receipt. What is said meanwhile is tail.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import must_be_open
from everthread.domain.conversation.tokens import PER_MESSAGE
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.drafts import NOTHING
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.triggers import Due, marker, no_gain
from everthread.domain.errors import BadInput, EverthreadError, LeaseLost
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import closed_of
from everthread.domain.pauses import stepping_aside
from everthread.domain.times import MINUTE
from everthread.ports import Flush, House, Records
from everthread.services.archive.forks import DETAIL, Fork, lines_before_fork
from everthread.services.archive.view import view_at, view_count, view_tokens
from everthread.services.foreground import awaited_seconds
from everthread.services.job_names import SCORE

from .compose import PLAIN, Ask, ComposedSummary, compose, most_room, room
from .flush import carry_out, intend, order_of, settle, withdraw_now
from .learn import LearnResult, compare, learn, memories_gained
from .lease import LEASE, ask_again, closed_receipt, fail, new_receipt, take_over
from .memory_file import Listing, listing, refresh_listing
from .notice import ThreadState, due_by, due_of, look
from .order import Order
from .plan import Plan, make_plan
from .prime import prime
from .spend import cost_detail
from .stages import (
    LEFT_OFF,
    OVERTAKEN,
    PART_ONLY,
    LeftOff,
    Pause,
    Progress,
    Stages,
    at_leisure,
    nothing,
    silent,
)
from .swap import Swap, next_number, standing_digest, standing_receipts

log = logging.getLogger("everthread")


class Changed(EverthreadError):
    """What it was made for is not what is there any more."""


def distill(
    house: House, order: Order, *, pause: Pause = nothing, progress: Progress = silent
) -> Receipt | None:
    """Distill the thread if there is reason to; the receipt, or None where nothing was due."""
    run = _Run(house, order, pause, progress)
    receipt = run.run()
    if run.listed is not None:
        # What it learnt may have ended what was listed, and others may have written meanwhile.
        refresh_listing(house, order.agent, run.listed)
    return receipt


class _Run:
    """One distillation, from its lease to its receipt."""

    def __init__(self, house: House, order: Order, pause: Pause, progress: Progress) -> None:
        self._house = house
        self._order = order
        self._agent = order.agent
        self._scope = Scope(order.agent.ref)
        # Who asked by hand wants all of it.
        where = house.store, order.thread
        awaited = partial(awaited_seconds, *where) if order.by == "signals" else at_leisure
        self._stages = Stages(pause, progress, order.seconds, renew=self._renew, awaited=awaited)
        self._errors: list[str] = []
        self._receipt: Receipt | None = None
        self._flushed_ms = 0
        self._had, self._partial = dict[str, bool](), dict[str, bool]()
        self._written: Flush | None = None
        self.listed: Listing | None = None
        self._last = 0
        self._spent = NOTHING

    def run(self) -> Receipt | None:
        opened = self._house.store.write(self._open_receipt)
        if opened is None or opened[0].outcome != "open":
            return None if opened is None else opened[0]
        receipt, seen, wish = opened
        self._receipt = receipt
        try:
            return self._work(receipt, seen, wish)
        except LeaseLost:
            # Its thread was erased, or it was given up: nothing of it may stay in files.
            if self._written is not None:
                withdraw_now(self._house, self._agent, self._written)
            with suppress(LeaseLost):
                # Only its job may be another's by now, who waits for the thread.
                self._refuse(receipt, OVERTAKEN, rest=False)
            raise
        except Changed as changed:
            return self._refuse(receipt, str(changed), rest=False)
        except LeftOff:
            return self._refuse(receipt, LEFT_OFF, rest=False)
        except Exception as trouble:  # noqa: BLE001 - told in the receipt, whatever it is
            return self._fail(receipt, trouble)
        except BaseException as end:
            self._fail(receipt, end)
            raise

    # Lease and receipt --------------------------------------------------------------------------

    def _open_receipt(self, records: Records) -> tuple[Receipt, ThreadState, Due] | None:
        """Open the receipt, which is the lease; a refusal is a receipt too."""
        thread = records.threads.hold(self._scope, self._order.thread)
        must_be_open(thread)
        if thread.kind == "ephemeral":
            raise BadInput("ephemeral threads are never distilled: they vanish when they are done")
        take_over(self._house, records, self._scope, thread.ref)
        seen = look(self._house, records, self._agent, thread, fixed=self._order.fixed)
        wish = due_of(self._order, seen.signs, self._house.policy)
        self._last = thread.last_seq
        noted = bool(records.notes.all(self._scope, limit=1))
        self._had = {"state": thread.working_state is not None, "notes": noted}
        if wish.action in ("none", "rest"):
            return None
        plain = thread.kind == "background" or self._order.by == "guard" or self._order.plain
        model = None if plain else self._house.distiller
        name = PLAIN if model is None else model.name
        receipt = new_receipt(self._house, self._agent, seen, wish.fired, name)
        if wish.action == "refuse":
            receipt = closed_receipt(self._house, receipt, "refused", [wish.reason])
            receipt = receipt._replace(detail_json=json.dumps({"last_seq": thread.last_seq}))
        return records.receipts.add(self._scope, receipt), seen, wish

    # The work -----------------------------------------------------------------------------------

    def _work(self, receipt: Receipt, seen: ThreadState, wish: Due) -> Receipt:
        self._stages.begin("plan")
        plan = self._make_plan(seen)
        signs = seen.signs._replace(shortenable=plan.saved)
        now = wish if self._order.by == "hand" else due_by(signs, self._house.policy)
        if now.action in ("refuse", "rest", "none"):
            return self._refuse(receipt, now.reason or wish.reason)
        again = self._order.fork and seen.view.summary is not None
        if now.action == "shorten" or not (plan.places or again):
            return self._shorten(receipt, seen, plan, wish.reason)
        if seen.thread.kind == "background":
            return self._distill_light(receipt, seen, plan)
        return self._distill_full(receipt, seen, plan)

    def _make_plan(self, seen: ThreadState) -> Plan:
        turn = self._house.store.read(lambda r: r.turns.open_on(self._scope, seen.thread.ref))
        over = seen.thread.last_seq + 1 if turn is None else turn.first_seq
        tight = self._order.by == "guard" or self._order.whole
        plan = make_plan(
            self._house, self._agent, seen, over=over, pause=self._stages.pause, tight=tight
        )
        if plan.rest is None or not (self._order.whole or self._still_full(seen, plan)):
            return plan
        # A newer word of the person is on its way: the last one need not stay for its sake.
        return plan.rest

    def _still_full(self, seen: ThreadState, plan: Plan) -> bool:
        """Would the request pass the guard even without what the plan takes out?"""
        size = seen.signs.computed_tokens - plan.tokens + most_room(self._house, self._agent)
        return size > self._house.policy.guard(self._agent.window)

    def _shorten(self, receipt: Receipt, seen: ThreadState, plan: Plan, reason: str) -> Receipt:
        """Only old tool output is cut; nothing is summarized, and nothing is flushed."""
        self._stages.begin("shorten")
        if not plan.short:
            why = reason or "nothing can be replaced: the newest messages are all there is"
            return self._refuse(receipt, why)
        receipt = receipt._replace(mode="shorten", distiller="plain")
        return self._house.store.write(
            lambda r: self._commit(r, receipt, seen, plan._replace(gone=()), None, None)
        )

    def _distill_light(self, receipt: Receipt, seen: ThreadState, plan: Plan) -> Receipt:
        """A background thread keeps its newest messages and one line about the rest."""
        before = seen.signs.messages_in_view
        text = marker(seen.thread.key, before, before - len(plan.places))
        composed = ComposedSummary(EMPTY, EMPTY, text, self._count(text), (), (), {}, 0)
        return self._flush_and_commit(receipt, seen, plan, composed)

    def _distill_full(self, receipt: Receipt, seen: ThreadState, plan: Plan) -> Receipt:
        scope, thread = self._scope, seen.thread.ref
        ask = Ask(
            self._agent,
            thread,
            self._house.store.read(lambda r: standing_digest(r, scope, thread)),
            plan.gone,
            ordinal=1 + len(self._house.store.read(lambda r: standing_receipts(r, scope, thread))),
            tokens=room(self._house, self._agent, replaced=plan.tokens, before=_size(seen)),
            distiller=None if receipt.distiller == "plain" else self._house.distiller,
            failures=seen.signs.failures,
            size=_size(seen),
            late=self._stages.late,
            meaning=self._order.by != "guard",
            shown=seen.view.spans,
        )
        fork = Fork(seen.thread.last_seq, plan.gone) if self._order.fork else None
        ask = ask._replace(
            before_fork=lines_before_fork(self._house, scope, thread, fork, ask.before)
        )
        composed = compose(self._house, ask, pause=self._stages.pause, stage=self._stages.begin)
        self._spent = composed.spent
        if composed.spans != plan.gone:
            self._errors.append(PART_ONLY)
            self._partial = {"partial": True}
            plan = self._part(plan, composed.spans, thread)
        wasted = no_gain(plan.tokens + _size(seen), composed.tokens)
        if wasted and not self._order.fork:
            return self._shorten(receipt, seen, plan, wasted)
        self._errors += composed.warnings
        return self._flush_and_commit(receipt, seen, plan, composed)

    def _renew(self) -> None:
        receipt, until = self._receipt, self._house.clock.now() + LEASE
        if receipt is not None:
            self._house.store.write(lambda r: r.receipts.renew(self._scope, receipt, until=until))

    def _part(self, plan: Plan, spans: Sequence[Span], thread: int) -> Plan:
        """As much of the plan as there was time for."""
        tokens = self._house.store.read(
            lambda r: sum(r.messages.weights(self._scope, thread, *span) for span in spans)
        )
        places = [seq for seq in plan.places if any(a <= seq <= b for a, b in spans)]
        return plan._replace(gone=spans, places=places, tokens=tokens)

    def _count(self, text: str) -> int:
        return self._house.tokenizer.count(text) + PER_MESSAGE

    def _flush_and_commit(
        self, receipt: Receipt, seen: ThreadState, plan: Plan, composed: ComposedSummary
    ) -> Receipt:
        """Intent, files, and only then the transaction that swaps the view."""
        self._stages.begin("flush")
        pause = self._stages.pause
        order = self._order_of(receipt, seen, composed)
        pause()
        intent = self._house.store.write(
            lambda r: intend(self._house, r, self._scope, receipt, order, "write")
        )
        self._written = order
        done = carry_out(self._house, self._agent, intent)
        if not done.ok:
            self.listed = None
            self._errors.append(f"flush: {done.error}")
        if done.edited:
            self._errors.append("flush: someone had edited inside our markers; that was kept")
        pause()
        known, now = composed.before, composed.digest
        facts = memories_gained(self._house, self._scope, known, now, pause, receipt=receipt)
        over = closed_of(known, now)
        fresh = compare(self._house, self._scope, facts, pause, over, composed.endings)
        self._stages.begin("commit")
        pause()

        def work(records: Records) -> Receipt:
            settle(self._house, records, self._scope, intent, done)
            learnt = learn(records, self._scope, fresh)
            told = receipt._replace(flush_succeeded=int(done.ok))
            return self._commit(records, told, seen, plan, composed, learnt)

        return self._house.store.write(work)

    def _order_of(self, receipt: Receipt, seen: ThreadState, composed: ComposedSummary) -> Flush:
        now = self._flushed_ms = self._house.clock.now()
        ahead = None if receipt.mode == "light" else composed.digest
        number = self._house.store.read(lambda r: next_number(r, self._scope, seen.thread.ref))
        with stepping_aside(self._stages.pause):
            kept = self.listed = listing(self._house, self._scope, ahead)
            return order_of(receipt, seen.thread, composed, at=now, kept=kept.text, number=number)

    # The transaction ----------------------------------------------------------------------------

    def _commit(
        self,
        records: Records,
        receipt: Receipt,
        seen: ThreadState,
        plan: Plan,
        composed: ComposedSummary | None,
        learnt: LearnResult | None,
    ) -> Receipt:
        """All of it or nothing: marks, summary, memories, priming, thread, receipt."""
        scope, now = self._scope, self._house.clock.now()
        thread = records.threads.hold(scope, seen.thread.ref)
        held = records.summaries.at(scope, thread.ref, thread.view_version)
        if held != seen.view.summary:
            raise Changed("the view was changed by someone else meanwhile")
        version = thread.view_version + 1
        swap = Swap(self._house, records, scope, version)
        swap.hide(receipt, plan.gone)
        swap.shorten(receipt, plan.short if receipt.mode == "shorten" else {})
        if composed is not None:
            swap.end_shown(thread.ref)
            swap.show(receipt, composed)
        if learnt is not None and receipt.mode == "full":
            prime(records, scope, thread.ref, learnt.memories, now=now, receipt=receipt.ref)
        view = view_at(records, scope, thread.ref, version=version, last=thread.last_seq)
        computed = self._order.fixed + view_tokens(records, scope, thread.ref, view)
        # What was said meanwhile is none of its doing, so it is not in its figures.
        view = view_at(records, scope, thread.ref, version=version, last=seen.thread.last_seq)
        shown = view_tokens(records, scope, thread.ref, view)
        distilled = now if composed is not None else thread.last_distilled_at
        records.threads.distilled(
            scope, thread.ref, at=distilled, version=version, computed=computed
        )
        told = self._fill_receipt(receipt, composed, learnt, last_seq=seen.thread.last_seq)
        told = told._replace(
            number=next_number(records, scope, thread.ref),
            messages_after=view_count(records, scope, thread.ref, view),
            tokens_after=seen.calibration.apply(shown),
        )
        degraded = self._order.by == "guard" or (composed is not None and composed.degraded)
        done = closed_receipt(self._house, told, "degraded" if degraded else "ok", self._errors)
        if composed is not None and receipt.mode == "full":
            payload = json.dumps({"agent": scope.agent, "receipt": receipt.ref})
            # Who asked by hand scores it at once; the job is for when that does not come to its end.
            due_at = now + MINUTE if self._order.by == "hand" else now
            records.jobs.add(
                SCORE, payload, due_at=due_at, now=now, agent=scope.agent, once=str(receipt.ref)
            )
        return records.receipts.close(scope, done)

    def _fill_receipt(
        self,
        receipt: Receipt,
        composed: ComposedSummary | None,
        learnt: LearnResult | None,
        *,
        last_seq: int,
    ) -> Receipt:
        """The receipt with what was seen."""
        kinds = [memory.kind for memory in (learnt.memories if learnt else ())]
        detail: dict[str, Any] = {
            "last_seq": last_seq,
            "flushed_ms": self._flushed_ms,
            "had": self._had,
            "timings": self._stages.timings,
            "effects": list(learnt.effects) if learnt else [],
            "spent": self._spent._asdict(),
            **self._partial,
        }
        if composed is not None:
            detail["dropped"] = dict(composed.dropped)
            detail |= {"room": composed.room} if composed.dropped else {}
            detail |= {DETAIL: last_seq} if self._order.fork else {}
        return receipt._replace(
            distiller=receipt.distiller if composed is None else composed.distiller,
            facts_extracted=sum(k not in ("decision", "open_item") for k in kinds),
            decisions_extracted=kinds.count("decision"),
            open_items_extracted=kinds.count("open_item"),
            struck=0 if composed is None else composed.struck,
            detail_json=json.dumps(detail),
        )

    # How it ends --------------------------------------------------------------------------------

    def _refuse(self, receipt: Receipt, why: str, *, rest: bool = True) -> Receipt:
        closed = closed_receipt(self._house, receipt, "refused", [*self._errors, why])
        # By this it is known when it may be of use to look again.
        detail = {"last_seq": self._last if rest else 0, **cost_detail(self._spent)}
        closed = closed._replace(detail_json=json.dumps(detail))

        def work(records: Records) -> Receipt:
            if self._written is not None:  # it is taken out of the files again
                ask_again(self._house, records)
            return records.receipts.close(self._scope, closed)

        return self._house.store.write(work)

    def _fail(self, receipt: Receipt, trouble: BaseException) -> Receipt:
        """Nothing changed but the receipt; what was written to files is taken out by `retry`."""
        log.warning("a distillation of %s failed: %s", self._agent.name, trouble)
        error = f"{self._stages.stage}: {type(trouble).__name__}: {trouble}"
        closed = closed_receipt(self._house, receipt, "failed", [*self._errors, error])
        detail = {"timings": self._stages.timings, **cost_detail(self._spent, trouble)}
        closed = closed._replace(detail_json=json.dumps(detail))
        return self._house.store.write(lambda r: fail(self._house, r, self._scope, closed))


def _size(seen: ThreadState) -> int:
    return 0 if seen.view.summary is None else seen.view.summary.tokens
