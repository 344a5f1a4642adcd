"""The lease on a thread while it is distilled: its open receipt, and when it counts as given up."""

from __future__ import annotations

import json
from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import mend_text
from everthread.domain.conversation.turns import is_abandoned
from everthread.domain.distilling.receipts import Outcome, Receipt
from everthread.domain.distilling.triggers import FiredSignal
from everthread.domain.errors import DistillationBusy
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.job_names import FLUSH, addressed_kind

from .notice import ThreadState

LEASE = 2 * MINUTE
"""How long a distillation outlives its process before another may begin."""

ABANDONED = "abandoned: the process that was at work on it is gone"
RETRY = MINUTE
"""How long whatever could not be written to files waits for its next try."""

NOBODY = "nobody"
LONGEST_ERROR = 2_000
MOST = 1_000


def new_receipt(
    house: House, agent: AgentRow, seen: ThreadState, fired: Sequence[FiredSignal], distiller: str
) -> Receipt:
    """An open receipt: what is seen before any work."""
    now, signs = house.clock.now(), seen.signs
    return Receipt(
        ref=0,
        agent_ref=agent.ref,
        key_id=house.ids.new(),
        thread_ref=seen.thread.ref,
        number=None,
        outcome="open",
        mode="light" if seen.thread.kind == "background" else "full",
        distiller=distiller,
        owner=house.owner,
        lease_until=now + LEASE,
        turn_count=seen.thread.turn_count,
        messages_before=signs.messages_in_view,
        messages_after=signs.messages_in_view,
        tokens_before=signs.history_tokens,
        tokens_after=signs.history_tokens,
        facts_extracted=0,
        decisions_extracted=0,
        open_items_extracted=0,
        flush_succeeded=None,
        struck=0,
        fired_json=json.dumps([each._asdict() for each in fired]),
        detail_json="{}",
        score_json=None,
        errors_json="[]",
        opened_ms=now,
        closed_ms=None,
        undone_ms=None,
        undone_seq=None,
        entry=0,
    )


def closed_receipt(
    house: House, receipt: Receipt, outcome: Outcome, errors: Sequence[str]
) -> Receipt:
    """The receipt as it ends."""
    told = json.dumps([mend_text(strip_secrets(error))[:LONGEST_ERROR] for error in errors])
    now = max(house.clock.now(), receipt.opened_ms)
    return receipt._replace(outcome=outcome, errors_json=told, closed_ms=now)


def is_given_up(house: House, receipt: Receipt) -> bool:
    """Is the process that opened it gone, or silent for too long?"""
    if receipt.owner != house.owner and house.gone(receipt.owner):
        return True
    return is_abandoned(receipt.lease_until, now=house.clock.now())


def _left_open(house: House, records: Records, scope: Scope, thread: int) -> Receipt | None:
    """The receipt that a process left open which is gone; `DistillationBusy` where one is at work."""
    held = records.receipts.open_on(scope, thread)
    if held is not None and not is_given_up(house, held):
        raise DistillationBusy(f"this thread is being distilled already; its receipt is {held.id}")
    return held


def take_over(house: House, records: Records, scope: Scope, thread: int) -> None:
    """Close what a process that is gone left open; one that is at work is not disturbed."""
    held = _left_open(house, records, scope, thread)
    if held is not None:
        fail(house, records, scope, closed_receipt(house, held, "failed", [ABANDONED]))


def must_be_free(house: House, scope: Scope, thread: int, *, dry: bool) -> None:
    """Nobody may be at work on the thread. Who only looks leaves open what somebody left open."""
    if dry:
        house.store.read(lambda r: _left_open(house, r, scope, thread))
    else:
        house.store.write(lambda r: take_over(house, r, scope, thread))


def try_writing(house: House) -> None:
    """Raise what a write would. To cancel a job that nobody asked for changes nothing, and has to try."""
    house.store.write(lambda r: r.jobs.cancel(NOBODY, once=NOBODY))


def ask_again(house: House, records: Records) -> None:
    """Have what waits to be written to files, or taken out, tried by the worker in a while."""
    now = house.clock.now()
    kind = addressed_kind(FLUSH, house.here.files)
    records.jobs.add(kind, "{}", due_at=now + RETRY, now=now, once="retry")


def fail(house: House, records: Records, scope: Scope, closed: Receipt) -> Receipt:
    """Close it as failed; what it may have written to files is taken out later."""
    ask_again(house, records)
    return records.receipts.close(scope, closed)


def sweep_receipts(house: House) -> int:
    """Close every distillation whose process is gone; how many."""
    found = [
        (scope, receipt)
        for scope, receipt in house.store.read(lambda r: r.receipts.abandoned(limit=MOST))
        if is_given_up(house, receipt)
    ]
    for scope, receipt in found:
        house.store.write(lambda r, s=scope, t=receipt.thread_ref: take_over(house, r, s, t))
    return len(found)
