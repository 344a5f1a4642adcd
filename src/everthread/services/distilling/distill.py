"""Distill a thread: replace what no longer fits by a summary, provably, and leave a receipt.

Lease and receipt, plan, gleaning, summary, check, intent, files, one transaction, check again, score.
A failure before the transaction changes nothing but the receipt. What is said meanwhile is tail.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.aside import stepping_aside
from everthread.domain.conversation.threads import must_be_open
from everthread.domain.conversation.tokens import PER_MESSAGE
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.triggers import Due, by_hand, marker, no_gain, too_small
from everthread.domain.errors import BadInput, EverthreadError, LeaseLost
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import closed_of
from everthread.domain.times import MINUTE
from everthread.ports import Flush, House, Records
from everthread.services.archive.forked import DETAIL, Fork, raw_before
from everthread.services.archive.view import view_at, view_count, view_tokens
from everthread.services.chores import SCORE

from .compose import PLAIN, Ask, Composed, compose, most_room, room
from .flush import carry_out, intend, order_of, settle
from .learn import Learnt, compared, gained, learn
from .lease import LEASE, blank, closing, fail, take_over
from .listed import Listing, list_anew, listing
from .notice import Seen, due_by, look
from .plan import Plan, planned
from .prime import prime
from .stages import LEFT_OFF, LeftOff, Pause, Progress, Stages, nothing, silent
from .swap import Swap, next_number, standing, standing_digest

log = logging.getLogger("everthread")

By = Literal["signals", "hand", "guard"]


class Changed(EverthreadError):
    """What it was made for is not what is there any more."""


class Order(NamedTuple):
    """What is to be distilled, because of what, and how long it may take."""

    agent: AgentRow
    thread: int
    by: By = "signals"
    fixed: int = 0
    """Tokens of the next request beside the view: system prompt, tools, the message that comes."""
    seconds: float | None = None
    whole: bool = False
    """The tail too: a task's session goes on from the summary alone."""
    fork: bool = False
    """However little there is, and no raw line of it: another session goes on from the summary."""
    plain: bool = False
    """By the plain distiller, also where there is a model."""


def distill(
    house: House, order: Order, *, pause: Pause = nothing, progress: Progress = silent
) -> Receipt | None:
    """Distill the thread if there is reason to; the receipt, or None where nothing was due."""
    run = _Run(house, order, pause, progress)
    receipt = run.run()
    if run.listed is not None:
        # What it learnt may have ended what was listed, and others may have written meanwhile.
        list_anew(house, order.agent, run.listed)
    return receipt


class _Run:
    """One distillation, from its lease to its receipt."""

    def __init__(self, house: House, order: Order, pause: Pause, progress: Progress) -> None:
        self._house = house
        self._order = order
        self._agent = order.agent
        self._scope = Scope(order.agent.ref)
        self._stages = Stages(pause, progress, seconds=order.seconds, renew=self._renew)
        self._errors: list[str] = []
        self._receipt: Receipt | None = None
        self._flushed_ms = 0
        self._had: dict[str, bool] = {}
        self._written: Flush | None = None
        self.listed: Listing | None = None
        self._last = 0

    def run(self) -> Receipt | None:
        opened = self._house.store.write(self._opened)
        if opened is None or opened[0].outcome != "open":
            return None if opened is None else opened[0]
        receipt, seen, wish = opened
        self._receipt = receipt
        try:
            return self._worked(receipt, seen, wish)
        except LeaseLost:
            # Its thread was erased, or it was given up: nothing of it may stay in files.
            self._unwritten()
            raise
        except Changed as changed:
            return self._refused(receipt, str(changed), rest=False)
        except LeftOff:
            return self._refused(receipt, LEFT_OFF, rest=False)
        except Exception as trouble:  # noqa: BLE001 - told in the receipt, whatever it is
            return self._failed(receipt, trouble)
        except BaseException as end:
            self._failed(receipt, end)
            raise

    # Lease and receipt --------------------------------------------------------------------------

    def _opened(self, records: Records) -> tuple[Receipt, Seen, Due] | None:
        """Open the receipt, which is the lease; a refusal is a receipt too."""
        thread = records.threads.hold(self._scope, self._order.thread)
        must_be_open(thread)
        if thread.kind == "ephemeral":
            raise BadInput("ephemeral threads are never distilled: they vanish when they are done")
        take_over(self._house, records, self._scope, thread.ref)
        seen = look(self._house, records, self._agent, thread, fixed=self._order.fixed)
        wish = self._due(seen)
        self._last = thread.last_seq
        noted = bool(records.notes.all(self._scope, limit=1))
        self._had = {"state": thread.working_state is not None, "notes": noted}
        if wish.action in ("none", "rest"):
            return None
        plain = thread.kind == "background" or self._order.by == "guard" or self._order.plain
        model = None if plain else self._house.distiller
        name = PLAIN if model is None else model.name
        receipt = blank(self._house, self._agent, seen, wish.fired, name)
        if wish.action == "refuse":
            receipt = closing(self._house, receipt, "refused", [wish.reason])
            receipt = receipt._replace(detail_json=json.dumps({"last_seq": thread.last_seq}))
        return records.receipts.add(self._scope, receipt), seen, wish

    def _due(self, seen: Seen) -> Due:
        """What the signals say; a wish by hand needs none."""
        if self._order.by != "hand":
            # Whether shorter tool output would do is seen while planning.
            found = due_by(seen.signs, self._house.policy)
            return found if found.action != "refuse" else self._perhaps_shorter(seen, found)
        found = [by_hand(seen.signs)]
        few = None if self._order.fork else too_small(seen.signs, found)
        return Due("refuse", found, few) if few else Due("distill", found)

    def _perhaps_shorter(self, seen: Seen, found: Due) -> Due:
        could = seen.signs._replace(shortenable=1)
        return (
            Due("shorten", found.fired, found.reason)
            if not too_small(could, found.fired)
            else found
        )

    # The work -----------------------------------------------------------------------------------

    def _worked(self, receipt: Receipt, seen: Seen, wish: Due) -> Receipt:
        self._stages.at("plan")
        plan = self._planned(seen)
        signs = seen.signs._replace(shortenable=plan.saved)
        now = wish if self._order.by == "hand" else due_by(signs, self._house.policy)
        if now.action in ("refuse", "rest", "none"):
            return self._refused(receipt, now.reason or wish.reason)
        again = self._order.fork and seen.view.summary is not None
        if now.action == "shorten" or not (plan.places or again):
            return self._shortened(receipt, seen, plan, wish.reason)
        if seen.thread.kind == "background":
            return self._light(receipt, seen, plan)
        return self._full(receipt, seen, plan)

    def _planned(self, seen: Seen) -> Plan:
        turn = self._house.store.read(lambda r: r.turns.open_on(self._scope, seen.thread.ref))
        over = seen.thread.last_seq + 1 if turn is None else turn.first_seq
        tight = self._order.by == "guard" or self._order.whole
        plan = planned(
            self._house, self._agent, seen, over=over, pause=self._stages.pause, tight=tight
        )
        if plan.rest is None or not (self._order.whole or self._still_full(seen, plan)):
            return plan
        # A newer word of the person is on its way: the last one need not stay for its sake.
        return plan.rest

    def _still_full(self, seen: Seen, plan: Plan) -> bool:
        """Would the request pass the guard even without what the plan takes out?"""
        size = seen.signs.computed_tokens - plan.tokens + most_room(self._house, self._agent)
        return size > self._house.policy.guard(self._agent.window)

    def _shortened(self, receipt: Receipt, seen: Seen, plan: Plan, reason: str) -> Receipt:
        """Only old tool output is cut; nothing is summarized, and nothing is flushed."""
        self._stages.at("shorten")
        if not plan.short:
            why = reason or "nothing can be replaced: the newest messages are all there is"
            return self._refused(receipt, why)
        receipt = receipt._replace(mode="shorten", distiller="plain")
        return self._house.store.write(
            lambda r: self._commit(r, receipt, seen, plan._replace(gone=()), None, None)
        )

    def _light(self, receipt: Receipt, seen: Seen, plan: Plan) -> Receipt:
        """A background thread keeps its newest messages and one line about the rest."""
        before = seen.signs.messages_in_view
        text = marker(seen.thread.key, before, before - len(plan.places))
        composed = Composed(EMPTY, EMPTY, text, self._count(text), (), (), {}, 0)
        return self._flushed(receipt, seen, plan, composed)

    def _full(self, receipt: Receipt, seen: Seen, plan: Plan) -> Receipt:
        scope, thread = self._scope, seen.thread.ref
        ask = Ask(
            self._agent,
            thread,
            self._house.store.read(lambda r: standing_digest(r, scope, thread)),
            plan.gone,
            ordinal=1 + len(self._house.store.read(lambda r: standing(r, scope, thread))),
            tokens=room(self._house, self._agent, replaced=plan.tokens, before=_size(seen)),
            distiller=None if receipt.distiller == "plain" else self._house.distiller,
            failures=seen.signs.failures,
            size=_size(seen),
            late=self._stages.late,
            meaning=self._order.by != "guard",
            shown=seen.view.spans,
        )
        fork = Fork(seen.thread.last_seq, plan.gone) if self._order.fork else None
        ask = ask._replace(before_fork=raw_before(self._house, scope, thread, fork, ask.before))
        composed = compose(self._house, ask, pause=self._stages.pause, stage=self._stages.at)
        if composed.spans != plan.gone:
            self._errors.append("extract: there was time for the oldest messages only")
            plan = self._part(plan, composed.spans, thread)
        wasted = no_gain(plan.tokens + _size(seen), composed.tokens)
        if wasted and not self._order.fork:
            return self._shortened(receipt, seen, plan, wasted)
        self._errors += composed.warnings
        return self._flushed(receipt, seen, plan, composed)

    def _unwritten(self) -> None:
        """Take out what was written; where that fails, it is told and left to a person."""
        if self._written is None or self._house.workspace is None:
            return
        order = self._written._replace(section="", managed=listing(self._house, self._scope).text)
        done = self._house.workspace.withdraw(self._agent.name, order)
        if not done.ok:
            log.error("a section of %s could not be taken out: %s", self._agent.name, done.error)

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

    def _flushed(self, receipt: Receipt, seen: Seen, plan: Plan, composed: Composed) -> Receipt:
        """Intent, files, and only then the transaction that swaps the view."""
        self._stages.at("flush")
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
        facts = gained(self._house, self._scope, known, now, pause, receipt=receipt)
        fresh = compared(self._house, self._scope, facts, pause, closed_of(known, now))
        self._stages.at("commit")
        pause()

        def work(records: Records) -> Receipt:
            settle(self._house, records, self._scope, intent, done)
            learnt = learn(records, self._scope, fresh)
            told = receipt._replace(flush_succeeded=int(done.ok))
            return self._commit(records, told, seen, plan, composed, learnt)

        return self._house.store.write(work)

    def _order_of(self, receipt: Receipt, seen: Seen, composed: Composed) -> Flush:
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
        seen: Seen,
        plan: Plan,
        composed: Composed | None,
        learnt: Learnt | None,
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
        told = self._told(receipt, composed, learnt, last_seq=seen.thread.last_seq)
        told = told._replace(
            number=next_number(records, scope, thread.ref),
            messages_after=view_count(records, scope, thread.ref, view),
            tokens_after=seen.calibration.apply(shown),
        )
        degraded = self._order.by == "guard" or (composed is not None and composed.degraded)
        done = closing(self._house, told, "degraded" if degraded else "ok", self._errors)
        if composed is not None and receipt.mode == "full":
            payload = json.dumps({"agent": scope.agent, "receipt": receipt.ref})
            # Who asked by hand scores it at once; the job is for when that does not come to its end.
            due_at = now + MINUTE if self._order.by == "hand" else now
            records.jobs.add(
                SCORE, payload, due_at=due_at, now=now, agent=scope.agent, once=str(receipt.ref)
            )
        return records.receipts.close(scope, done)

    def _told(
        self, receipt: Receipt, composed: Composed | None, learnt: Learnt | None, *, last_seq: int
    ) -> Receipt:
        """The receipt with what was seen."""
        kinds = [memory.kind for memory in (learnt.memories if learnt else ())]
        detail: dict[str, Any] = {
            "last_seq": last_seq,
            "flushed_ms": self._flushed_ms,
            "had": self._had,
            "timings": self._stages.timings,
            "effects": list(learnt.effects) if learnt else [],
        }
        if composed is not None:
            detail |= {"dropped": dict(composed.dropped), "spent": composed.spent._asdict()}
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

    def _refused(self, receipt: Receipt, why: str, *, rest: bool = True) -> Receipt:
        closed = closing(self._house, receipt, "refused", [*self._errors, why])
        # By this it is known when it may be of use to look again.
        last = self._last if rest else 0
        closed = closed._replace(detail_json=json.dumps({"last_seq": last}))
        return self._house.store.write(lambda r: r.receipts.close(self._scope, closed))

    def _failed(self, receipt: Receipt, trouble: BaseException) -> Receipt:
        """Nothing changed but the receipt; what was written to files is taken out by `retry`."""
        log.warning("a distillation of %s failed: %s", self._agent.name, trouble)
        error = f"{self._stages.stage}: {type(trouble).__name__}: {trouble}"
        closed = closing(self._house, receipt, "failed", [*self._errors, error])
        detail = {"timings": self._stages.timings}
        closed = closed._replace(detail_json=json.dumps(detail))
        return self._house.store.write(lambda r: fail(self._house, r, self._scope, closed))


def _size(seen: Seen) -> int:
    return 0 if seen.view.summary is None else seen.view.summary.tokens
