"""Unsay: what was forgotten leaves the summaries, the files and the working state of every thread.

Each summary that holds it is made anew without it, so that a distillation can still be undone and
redone; the one that held it is withheld, also from whoever travels back in time.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, TypeVar

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.daily import day_of, managed, section
from everthread.domain.distillation import EMPTY, Digest, read_digest
from everthread.domain.errors import LeaseLost
from everthread.domain.ids import is_tagged, place_of
from everthread.domain.messages import Message
from everthread.domain.receipts import Intent, Receipt, Sentence, SummaryRow
from everthread.domain.threads import Thread
from everthread.domain.tokens import PER_MESSAGE
from everthread.domain.unsaid import Unsaid, state_without, tells_of, unsaid, without
from everthread.domain.working import state_text, stored_state
from everthread.ports import Flush, Flushed, House, Records

from .compose import Ask, Composed, rendered
from .flush import FLUSH, RETRY, carry_out, intend, settle, standing_digest
from .lease import closing
from .sources import message_of
from .swap import Swap

log = logging.getLogger("everthread")

T = TypeVar("T")

TRIES = 5
MOST_INTENTS = 10_000

GIVEN_UP = "given up: something that it had read was forgotten meanwhile"
EDITED = "forget: a section that someone edited was left as it is"


class Renewed(NamedTuple):
    """A receipt whose summary held it, and how that reads from now on."""

    receipt: Receipt
    composed: Composed
    held: SummaryRow | None
    """Its newest summary, if that held it; otherwise only earlier ones did."""
    before: Digest
    """What it stands on top of, as that reads from now on."""


class Cleared(NamedTuple):
    """What becomes of one thread, and of which state of it that was thought out."""

    thread: Thread
    rows: Sequence[SummaryRow]
    renewed: Sequence[Renewed]
    withheld: Sequence[SummaryRow]


def unsay(house: House, agent: AgentRow, texts: Sequence[str], sources: Sequence[bytes]) -> bool:
    """Take these texts, and what came from these messages alone, out of all that was distilled.

    Is all of it out? What a person edited in a file stays there, and a disk may fail for a while.
    """
    gone = house.store.read(lambda r: gone_of(r, Scope(agent.ref), texts, sources))
    intents = settled(house, agent, gone, lambda r, plan: clear(house, r, agent, gone, plan))
    return written(house, agent, intents)


def gone_of(
    records: Records, scope: Scope, texts: Sequence[str], sources: Sequence[bytes]
) -> Unsaid:
    """What is to be said no more."""
    found = (message_of(records, scope, key) for key in dict.fromkeys(sources))
    return unsaid(texts, [message for message in found if message is not None], sources)


def settled(
    house: House,
    agent: AgentRow,
    gone: Unsaid,
    work: Callable[[Records, Sequence[Cleared]], T],
) -> T:
    """Think out what becomes of each thread, then do the work with it; again, if one moved on."""
    for left in reversed(range(TRIES)):
        plan = house.store.read(lambda r: _Clearing(house, r, agent, gone).plan())
        try:
            return house.store.write(lambda r, p=plan: work(r, p))
        except LeaseLost:
            if not left:
                raise
    raise AssertionError("the loop returns or raises")


class _Clearing:
    """Thinks out, on one state of the store, how summaries read without what is gone."""

    def __init__(self, house: House, records: Records, agent: AgentRow, gone: Unsaid) -> None:
        self._house = house
        self._records = records
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._gone = gone

    def plan(self) -> list[Cleared]:
        # A view that never changed has no summary.
        threads = [t for t in self._records.threads.all(self._scope) if t.view_version]
        return [self._thread(thread) for thread in threads]

    def _thread(self, thread: Thread) -> Cleared:
        rows = self._records.summaries.all(self._scope, thread.ref)
        touched = [row for row in rows if row.text_hash is not None and self._holds(row)]
        newest = {row.receipt_ref: row for row in rows}
        affected = {row.receipt_ref for row in touched}
        renewed: list[Renewed] = []
        before = EMPTY
        for ordinal, receipt in self._numbered(thread):
            row = newest.get(receipt.ref)
            if row is None or row.text_hash is None:
                continue
            composed = self._anew(row, ordinal) if row in touched else self._as_it_is(row)
            if receipt.ref in affected:
                held = row if row in touched else None
                renewed.append(Renewed(receipt, composed, held, before))
            before = composed.digest if receipt.standing else before
        return Cleared(thread, rows, renewed, touched)

    def _numbered(self, thread: Thread) -> Iterator[tuple[int, Receipt]]:
        """The thread's receipts, each with which one it is of those that stand."""
        ordinal = 1
        for receipt in self._records.receipts.of_thread(self._scope, thread.ref):
            yield ordinal, receipt
            ordinal += receipt.standing and receipt.mode != "shorten"

    def _digest(self, row: SummaryRow) -> Digest:
        text = self._records.summaries.digest(self._scope, row)
        return read_digest(text) if text else EMPTY

    def _sentences(self, row: SummaryRow) -> Sequence[Sentence]:
        return self._records.summaries.sentences(self._scope, row.ref)

    def _holds(self, row: SummaryRow) -> bool:
        digest = self._digest(row)
        if without(digest, self._gone, self._still) != digest:
            return True
        return any(tells_of(sentence, self._gone) for sentence in self._sentences(row))

    def _anew(self, row: SummaryRow, ordinal: int) -> Composed:
        """The summary as it reads without it: never longer than it was."""
        digest = without(self._digest(row), self._gone, self._still)
        room = max(1, row.tokens - PER_MESSAGE)
        ask = Ask(self._agent, row.thread_ref, digest, (), ordinal, room)
        shown = rendered(self._house, ask, digest, ())
        struck = [s for s in self._sentences(row) if not s.shown and not tells_of(s, self._gone)]
        first = len(shown.sentences) + 1
        told = [*shown.sentences, *(s._replace(n=n) for n, s in enumerate(struck, first))]
        return shown._replace(sentences=told)

    def _as_it_is(self, row: SummaryRow) -> Composed:
        digest = self._digest(row)
        text = self._records.summaries.text(self._scope, row)
        return Composed(digest, digest, text, row.tokens, self._sentences(row), (), {}, 0)

    def _still(self, keys: Sequence[bytes]) -> list[Message]:
        found = (message_of(self._records, self._scope, key) for key in keys)
        return [message for message in found if message is not None]


# The transaction -----------------------------------------------------------------------------------


def clear(
    house: House,
    records: Records,
    agent: AgentRow,
    gone: Unsaid,
    plan: Sequence[Cleared],
    memories: Collection[bytes] = (),
) -> list[Intent]:
    """Do what was thought out; what is to be written to files then. `LeaseLost` if a thread moved on.

    `memories`: the ids of those that go, of which no receipt may keep an image.
    """
    scope = Scope(agent.ref)
    for thread in records.threads.all(scope):
        _give_up(house, records, scope, thread, gone)
        _works_on(records, scope, thread, gone)
    renewed: list[tuple[Thread, Renewed]] = []
    for one in plan:
        _swap(house, records, scope, one)
        renewed += [(one.thread, each) for each in one.renewed]
        _drop_images(house, records, scope, one.thread, memories)
    return _intended(house, records, scope, renewed)


def _give_up(house: House, records: Records, scope: Scope, thread: Thread, gone: Unsaid) -> None:
    """End a distillation that may have read it already: its process gets `LeaseLost` at its end."""
    if not any(is_tagged(thread.key_id, place_of(key)[0]) for key in gone.said):
        return
    held = records.receipts.open_on(scope, thread.ref)
    if held is not None:
        records.receipts.close(scope, closing(house, held, "failed", [GIVEN_UP]))
        _retry(house, records)  # what it wrote to files by now is taken out


def _works_on(records: Records, scope: Scope, thread: Thread, gone: Unsaid) -> None:
    state = stored_state(thread.working_state)
    left = state_without(state, gone)
    if left != state:
        records.threads.works_on(scope, thread.ref, state_text(left) if left else None)


def _swap(house: House, records: Records, scope: Scope, one: Cleared) -> None:
    """The summaries made anew take the place of those that held it."""
    if not one.withheld:
        return
    thread = records.threads.hold(scope, one.thread.ref)
    rows = records.summaries.all(scope, thread.ref)
    if thread.view_version != one.thread.view_version or rows != one.rows:
        raise LeaseLost("the view was changed by someone else meanwhile; try again")
    shown = records.summaries.at(scope, thread.ref, thread.view_version)
    swap = Swap(house, records, scope, thread.view_version + 1)
    for each in one.renewed:
        if each.held is not None and each.held != shown:
            swap.show(each.receipt, each.composed, ended=True)
    instead = next((each for each in one.renewed if shown is not None and each.held == shown), None)
    if instead is not None and shown is not None:
        _show(swap, thread, shown, instead)
    now = house.clock.now()
    there = {row.ref: row for row in records.summaries.all(scope, thread.ref)}
    for row in one.withheld:
        records.summaries.withhold(scope, there[row.ref], now=now)


def _show(swap: Swap, thread: Thread, shown: SummaryRow, instead: Renewed) -> None:
    """The view shows the one that was made anew, from its next version on."""
    swap.end_shown(thread.ref)
    swap.show(instead.receipt, instead.composed)
    swap.records.threads.distilled(
        swap.scope,
        thread.ref,
        at=thread.last_distilled_at,
        version=swap.version,
        computed=thread.computed_context_tokens + instead.composed.tokens - shown.tokens,
    )


def _drop_images(
    house: House, records: Records, scope: Scope, thread: Thread, memories: Collection[bytes]
) -> None:
    """How a memory was before a distillation changed it goes with the memory: tags, files."""
    names = {key.hex() for key in memories}
    for receipt in records.receipts.of_thread(scope, thread.ref):
        detail = dict(receipt.detail)
        effects = detail.get("effects", [])
        left = [e if e["memory"] not in names else {**e, "before": None} for e in effects]
        left = [{k: v for k, v in e.items() if v is not None} for e in left]
        if left != effects:
            told = receipt._replace(detail_json=json.dumps({**detail, "effects": left}))
            records.receipts.change(scope, told, "receipt.withheld", now=house.clock.now())


# The files -----------------------------------------------------------------------------------------


def _intended(
    house: House, records: Records, scope: Scope, renewed: Sequence[tuple[Thread, Renewed]]
) -> list[Intent]:
    """What waits to be written loses it, and what was written is written anew."""
    kept = managed_now(records, scope)
    orders = {
        each.receipt.ref: _order(records, scope, thread, each, kept) for thread, each in renewed
    }
    for intent in records.intents.open(limit=MOST_INTENTS):
        if intent.agent_ref == scope.agent:
            _refresh(house, records, scope, intent, kept, anew=orders)
    intents = [
        intend(house, records, scope, each.receipt, orders[each.receipt.ref], "write")
        for _, each in renewed
        if each.receipt.standing and house.workspace is not None
    ]
    if intents:
        _retry(house, records)
    return intents


def _refresh(
    house: House,
    records: Records,
    scope: Scope,
    intent: Intent,
    kept: str | None,
    *,
    anew: Collection[int],
) -> None:
    """An intent that waits holds the words it is to write: they must not wait there."""
    now = house.clock.now()
    outcome = records.receipts.get(scope, intent.receipt_ref).outcome
    if intent.what == "write" and (intent.receipt_ref in anew or outcome == "undone"):
        records.intents.settle(scope, intent, "void", error=intent.error, now=now)
        return
    order = Flush(**json.loads(intent.payload))._replace(managed=kept)
    if outcome == "failed":
        order = order._replace(section="")  # it will be taken out, for which nobody needs it
    fresh = intent._replace(payload=json.dumps(order._asdict(), ensure_ascii=True))
    records.intents.settle(scope, fresh, "open", error=intent.error, now=now)


def _retry(house: House, records: Records) -> None:
    now = house.clock.now()
    records.jobs.add(FLUSH, "{}", due_at=now + RETRY, now=now, once="retry")


def managed_now(records: Records, scope: Scope) -> str | None:
    """What `MEMORY.md` says of ours: it speaks of the primary thread, which is listed first."""
    threads = records.threads.all(scope)
    digest = standing_digest(records, scope, threads[0].ref) if threads else EMPTY
    return managed(digest.points)


def _order(
    records: Records, scope: Scope, thread: Thread, each: Renewed, kept: str | None
) -> Flush:
    at = flushed_ms(records, scope, each.receipt)
    known = set(each.before.points)
    told = section(
        each.receipt.id,
        number=each.receipt.number or 0,
        at_ms=at,
        thread=thread.id,
        summary=each.composed.text,
        points=[point for point in each.composed.digest.points if point not in known],
    )
    return Flush(each.receipt.id, day_of(at), told, kept)


def flushed_ms(records: Records, scope: Scope, receipt: Receipt) -> int:
    """When its section was first to be written, which says in which file it stands."""
    intents = records.intents.of(scope, receipt.ref)
    first = min((i.created_ms for i in intents if i.what == "write"), default=None)
    return first or receipt.closed_ms or receipt.opened_ms


def written(house: House, agent: AgentRow, intents: Sequence[Intent]) -> bool:
    """Write what is to be written. Is all of it out of the files?"""
    out = True
    for intent in intents:
        done = carry_out(house, agent, intent)
        if done.edited:
            log.warning("%s: in %s", EDITED, ", ".join(done.paths))
        house.store.write(lambda r, i=intent, d=done: _told(house, r, i, d))
        out = out and done.ok and not done.edited
    return out


def _told(house: House, records: Records, intent: Intent, done: Flushed) -> None:
    """Settle the intent; what a person's hand keeps in a file is told on the receipt."""
    scope = Scope(intent.agent_ref)
    settle(house, records, scope, intent, done)
    receipt = records.receipts.get(scope, intent.receipt_ref)
    if done.edited and EDITED not in receipt.errors:
        told = receipt._replace(errors_json=json.dumps([*receipt.errors, EDITED]))
        records.receipts.change(scope, told, "receipt.told", now=house.clock.now())
