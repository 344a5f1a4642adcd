"""The flush: what a distillation leaves in files that people read. Intended, written, settled.

The intent is in the store before a file is touched. A disk that fails is told and tried again, and
never stops a distillation; what a crash left half done is written or taken out later.
"""

from __future__ import annotations

import json
import logging

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.daily_additions import Lines, new_lines
from everthread.domain.distilling.daily_files import day_of, section
from everthread.domain.distilling.receipts import Intent, Receipt
from everthread.domain.gleaning.digest import EMPTY, Digest, read_digest
from everthread.ports import Flush, FlushResult, House, Records
from everthread.services.job_names import FLUSH, addressed_kind
from everthread.services.places import ask_others, enlist, places

from .composed_summary import ComposedSummary
from .lease import RETRY, ask_again
from .memory_file import listing, managed_now, refresh_listing
from .stages import Pause, nothing
from .swap import standing_receipts, stored_summary

log = logging.getLogger("everthread")

MOST = 1_000

NOWHERE = FlushResult(ok=False, error="there is no workspace to write to")


def intend(
    house: House, records: Records, scope: Scope, receipt: Receipt, order: Flush, what: str
) -> Intent:
    """Put down what is to be written or taken out, before any file is touched."""
    enlist(house, records, scope)
    payload = payload_of(order, house.here.files)
    now = house.clock.now()
    fresh = Intent(0, 0, house.ids.new(), receipt.ref, what, "open", payload, 0, None, now, None)
    return records.intents.add(scope, fresh)


def payload_of(order: Flush, place: str) -> str:
    """What an intent holds while it waits: the order, and in which place it is to be carried out."""
    return json.dumps({**order._asdict(), "place": place}, ensure_ascii=True)


def order_in(payload: str) -> tuple[Flush, str]:
    """The order, and its place; none where it was put down before places were told apart."""
    told = json.loads(payload)
    place = told.pop("place", "")
    return Flush(**told), place


def carry_out(house: House, agent: AgentRow, intent: Intent) -> FlushResult:
    """Do what the intent says. Trouble is told, not raised."""
    if house.workspace is None:
        return NOWHERE
    order, _ = order_in(intent.payload)
    act = house.workspace.write if intent.what == "write" else house.workspace.withdraw
    done = act(agent.name, order)
    if not done.ok:
        log.warning("the files of %s could not be written: %s", agent.name, done.error)
    return done


def withdraw_now(house: House, agent: AgentRow, written: Flush) -> None:
    """Take out what was written; where that fails, it is told and left to a person."""
    if house.workspace is None:
        return
    order = written._replace(section="", managed=listing(house, Scope(agent.ref)).text)
    done = house.workspace.withdraw(agent.name, order)
    if not done.ok:
        log.error("a section of %s could not be taken out: %s", agent.name, done.error)


def settle(house: House, records: Records, scope: Scope, intent: Intent, done: FlushResult) -> None:
    """Note how it went; what failed stays open, and is asked for again."""
    now = house.clock.now()
    if house.workspace is None:
        # Nothing to try again: the receipt says that it was written nowhere.
        records.intents.settle(scope, intent, "void", error=done.error, now=now)
        return
    state = "done" if done.ok else "open"
    records.intents.settle(scope, intent, state, error=done.error, now=now)
    if not done.ok:
        ask_again(house, records)


def retry(house: House) -> int:
    """Try again what is open here and whose distillation has ended; how many are left."""
    left = 0
    for intent in _intents_here(house):
        scope = Scope(intent.agent_ref)
        agent, receipt = house.store.read(
            lambda r, s=scope, i=intent: (r.agents.get(s), r.receipts.get(s, i.receipt_ref))
        )
        if receipt.outcome == "open" or _is_under_way(house, intent):
            continue  # whoever is at work on it sees to it
        done = carry_out(house, agent, _current_intent(house, scope, receipt, intent))
        house.store.write(
            lambda r, s=scope, i=intent, d=done, c=receipt: _settle_receipt(house, r, s, i, c, d)
        )
        if done.ok:
            refresh_listing(house, agent)
        left += not done.ok
    return left


def _intents_here(house: House) -> list[Intent]:
    """What waits to be carried out in this place. Another place has its own workers, which are asked."""
    intents, known = house.store.read(
        lambda r: (r.intents.open(limit=MOST), {place.id for place in places(r)})
    )
    found: dict[str, list[Intent]] = {}
    for intent in intents:
        _, place = order_in(intent.payload)
        # Nobody comes back to a place that was struck off, and who does looks through all of it.
        found.setdefault(place if place in known else house.here.files, []).append(intent)
    mine = found.pop(house.here.files, [])
    for place in found:
        kind = addressed_kind(FLUSH, place)
        if house.store.read(lambda r, k=kind: r.jobs.next_due([k])) is None:
            now = house.clock.now()
            house.store.write(
                lambda r, k=kind, n=now: r.jobs.add(k, "{}", due_at=n, now=n, once="retry")
            )
    return mine


def _is_under_way(house: House, intent: Intent) -> bool:
    """Was it put down a moment ago? Then its process is about to carry it out."""
    return not intent.attempts and house.clock.now() < intent.created_ms + RETRY


def _current_intent(house: House, scope: Scope, receipt: Receipt, intent: Intent) -> Intent:
    """The intent as it is to be carried out now: files say what is so today, not what was then.

    What stands is written, whatever was under way when a process ended; all else is taken out.
    """
    order = house.store.read(lambda r: _whole_order(house, r, scope, receipt))
    what = "write" if receipt.standing else "withdraw"
    return intent._replace(what=what, payload=payload_of(order, house.here.files))


def _whole_order(house: House, records: Records, scope: Scope, receipt: Receipt) -> Flush:
    return order_now(records, scope, receipt)._replace(managed=managed_now(house, records, scope))


def order_now(records: Records, scope: Scope, receipt: Receipt) -> Flush:
    """What the daily file has to say of a receipt as things are; nothing of `MEMORY.md`."""
    at = flushed_ms(records, scope, receipt)
    row = records.summaries.newest_of(scope, receipt.ref)
    if row is None or not receipt.standing:
        return Flush(receipt.id, day_of(at), "", None)
    composed = stored_summary(records, scope, row)._replace(
        before=_digest_before(records, scope, receipt)
    )
    thread = records.threads.get(scope, receipt.thread_ref)
    return order_of(receipt, thread, composed, at=at, kept=None)


def order_of(
    receipt: Receipt,
    thread: Thread,
    composed: ComposedSummary,
    *,
    at: int,
    kept: str | None,
    number: int | None = None,
    made: Lines | None = None,
) -> Flush:
    """What the files are to say of a distillation: its section, and what `MEMORY.md` keeps."""
    known = composed.before.known()
    told = section(
        receipt.id,
        number=number or receipt.number or 0,
        at_ms=at,
        thread=thread.id,
        summary=new_lines(composed.text, composed.digest, composed.before, made),
        points=[point for point in composed.digest.points if point.bare not in known],
    )
    return Flush(receipt.id, day_of(at), told, kept)


def _digest_before(records: Records, scope: Scope, receipt: Receipt) -> Digest:
    """What the receipt stands on top of."""
    number = receipt.number or 0
    earlier = [
        r for r in standing_receipts(records, scope, receipt.thread_ref) if (r.number or 0) < number
    ]
    row = records.summaries.newest_of(scope, earlier[-1].ref) if earlier else None
    text = "" if row is None else records.summaries.digest(scope, row)
    return read_digest(text) if text else EMPTY


def flushed_ms(records: Records, scope: Scope, receipt: Receipt) -> int:
    """When its section was first to be written, which says in which file it stands."""
    if noted := receipt.detail.get("flushed_ms"):
        return int(noted)
    # One that failed noted nothing, and may yet have written.
    intents = records.intents.of(scope, receipt.ref)
    first = min((i.created_ms for i in intents if i.what == "write"), default=None)
    return first or receipt.closed_ms or receipt.opened_ms


def reflush(house: House, agent: AgentRow, ref: int, pause: Pause = nothing) -> None:
    """Write a receipt's section again: its summary reads otherwise now."""
    scope = Scope(agent.ref)

    def work(records: Records) -> Intent:
        receipt = records.receipts.get(scope, ref)
        for waiting in records.intents.of(scope, ref):
            if waiting.state == "open":  # what it was to write is not what it says any more
                now = house.clock.now()
                records.intents.settle(scope, waiting, "void", error=waiting.error, now=now)
        order = _whole_order(house, records, scope, receipt)
        ask_others(house, records, scope)
        return intend(house, records, scope, receipt, order, "write")

    intent = house.store.write(work)
    pause()
    done = carry_out(house, agent, intent)
    house.store.write(lambda r: settle(house, r, scope, intent, done))
    pause()
    if done.ok:
        refresh_listing(house, agent)


def _settle_receipt(
    house: House,
    records: Records,
    scope: Scope,
    intent: Intent,
    receipt: Receipt,
    done: FlushResult,
) -> None:
    now = house.clock.now()
    if done.ok and receipt.outcome in ("failed", "refused"):
        records.intents.settle(scope, intent, "void", error=None, now=now)
        return
    settle(house, records, scope, intent, done)
    if done.ok and not receipt.flush_succeeded:
        # As it is by now: it was looked up before the files were written.
        records.memories.hold(scope)
        told = records.receipts.get(scope, receipt.ref)._replace(flush_succeeded=1)
        records.receipts.change(scope, told, "receipt.flushed", now=now)
