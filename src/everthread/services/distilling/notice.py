"""Notice when a thread has to be distilled: what is known of it, and which signals fire."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.tokens import Calibration
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.triggers import (
    EXEMPT,
    LEAST,
    Due,
    ThreadSigns,
    fired_signals,
    hand_signal,
    is_resting,
    too_small,
    triggers_of,
    what_is_due,
)
from everthread.domain.policy import Policy
from everthread.ports import House, Records
from everthread.services.archive.measure import calibration_of
from everthread.services.archive.view import View, view_at, view_count, view_tokens
from everthread.services.job_names import DISTILL

from .order import Order

LOOKED_AT = 12
"""So many of the newest receipts tell whether distillations fail."""


class ThreadState(NamedTuple):
    """A thread as it stands: its view, and what that says about distilling it."""

    thread: Thread
    view: View
    signs: ThreadSigns
    calibration: Calibration
    receipts: Sequence[Receipt]
    """The newest of the thread, newest first."""


def look(
    house: House, records: Records, agent: AgentRow, thread: Thread, *, fixed: int = 0
) -> ThreadState:
    """What is known of a thread; `fixed` is what every request holds beside the messages."""
    scope = Scope(agent.ref)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    receipts = records.receipts.newest(scope, thread=thread.ref, limit=LOOKED_AT)
    calibration = calibration_of(records, agent)
    shown = view_tokens(records, scope, thread.ref, view)
    count = view_count(records, scope, thread.ref, view)
    budget = house.policy.history_budget or None
    failed = _failed_lately(receipts)
    signs = ThreadSigns(
        kind=thread.kind,
        window=agent.window,
        turn=thread.turn_count,
        now_ms=house.clock.now(),
        since_ms=_quiet_since(thread, receipts),
        messages_in_view=count,
        new_messages=min(count, _new_count(records, scope, thread, view)),
        reported_tokens=thread.last_input_tokens,
        computed_tokens=calibration.apply(fixed + shown),
        history_tokens=calibration.apply(shown),
        history_budget=budget,
        last_seq=thread.last_seq,
        exempt_until_seq=(records.receipts.undone_seq(scope, thread.ref) or -EXEMPT) + EXEMPT,
        failures=len(failed),
        failed_turn=failed[0].turn_count if failed else 0,
        refused=_refused_lately(thread, receipts),
    )
    return ThreadState(thread, view, signs, calibration, receipts)


def notice(house: House, turn: TurnRow, fixed: int) -> bool:
    """A turn ended: ask for a distillation if signals fire; is one asked for?

    Read outside any lock. Whether tool output alone can be shortened is for the work itself to see.
    """
    scope = Scope(turn.agent_ref)

    def seen(records: Records) -> tuple[bool, bool]:
        """Is it wanted, and does it wait to be done already?"""
        thread = records.threads.get(scope, turn.thread_ref)
        now = look(house, records, records.agents.get(scope), thread, fixed=fixed)
        if not is_wanted(now, house.policy):
            return False, False
        return True, records.jobs.waits(DISTILL, once=str(thread.ref))

    wish, waits = house.store.read(seen)
    if wish and not waits:
        # What nobody has begun will see this turn too: only the first of many has to write.
        ask_distillation(house, scope, turn.thread_ref)
    return wish


def due_by(signs: ThreadSigns, policy: Policy) -> Due:
    """What to do now, by the limits of that kind of thread."""
    return what_is_due(signs, triggers_of(signs.kind, policy))


def due_of(order: Order, signs: ThreadSigns, policy: Policy) -> Due:
    """What the signals say before anything is read; a wish by hand needs none."""
    if order.by == "hand":
        found = [hand_signal(signs)]
        few = None if order.fork else too_small(signs, found)
        return Due("refuse", found, few) if few else Due("distill", found)
    due = due_by(signs, policy)
    # Whether shorter tool output would do is seen while planning.
    could = signs._replace(shortenable=1)
    if due.action != "refuse" or too_small(could, due.fired):
        return due
    return Due("shorten", due.fired, due.reason)


def is_wanted(seen: ThreadState, policy: Policy) -> bool:
    """Do signals fire, and is it of any use to act on them now?"""
    signs = seen.signs
    found = fired_signals(signs, triggers_of(signs.kind, policy))
    if not found or is_resting(signs):
        return False
    # The guard acts before a turn; here one refusal is enough for a while.
    return not signs.refused


def ask_distillation(house: House, scope: Scope, thread: int) -> None:
    """Have the worker distill that thread; asked twice is once."""
    now = house.clock.now()
    house.store.write(
        lambda r: r.jobs.add(
            DISTILL,
            json.dumps({"agent": scope.agent, "thread": thread}),
            due_at=now,
            now=now,
            agent=scope.agent,
            once=str(thread),
        )
    )


def _refused_lately(thread: Thread, receipts: Sequence[Receipt]) -> bool:
    """Was the last try refused, and has little been said since?"""
    if not receipts or receipts[0].outcome != "refused":
        return False
    return thread.last_seq < int(receipts[0].detail.get("last_seq", 0)) + LEAST


def _failed_lately(receipts: Sequence[Receipt]) -> Sequence[Receipt]:
    """The newest that failed, one after the other."""
    told = (receipt for receipt in receipts if not _was_left_off(receipt))
    return list(takewhile(lambda receipt: receipt.outcome == "failed", told))


def _was_left_off(receipt: Receipt) -> bool:
    """Was it broken off from outside? That tells nothing of how it would have ended."""
    return receipt.outcome == "refused" and not receipt.detail.get("last_seq")


def _quiet_since(thread: Thread, receipts: Sequence[Receipt]) -> int:
    """Since when it was neither distilled nor looked at and found too small."""
    told = [receipt for receipt in receipts if not _was_left_off(receipt)]
    refused = [r.opened_ms for r in told[:1] if r.outcome == "refused"]
    return max([thread.last_distilled_at or thread.created_ms, *refused])


def _new_count(records: Records, scope: Scope, thread: Thread, view: View) -> int:
    """How many messages came after the last distillation was made; of one without time, how many are left."""
    if view.summary is None:
        return thread.message_count
    made = records.receipts.get(scope, view.summary.receipt_ref)
    if made.detail.get("partial"):
        return thread.message_count
    last = int(made.detail.get("last_seq", 0))
    return records.messages.spoken(scope, thread.ref, last + 1, thread.last_seq)
