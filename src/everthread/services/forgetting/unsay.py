"""Unsay: what was forgotten leaves the summaries, the files and the working state of every thread.

Each summary that holds it is made anew without it, so that a distillation can still be undone and
redone; the one that held it is withheld, also from whoever travels back in time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.tokens import PER_MESSAGE
from everthread.domain.distilling.receipts import Intent, Receipt, Sentence, SummaryRow
from everthread.domain.distilling.summaries_lines import style_of
from everthread.domain.errors import LeaseLost
from everthread.domain.forgetting.forgotten_sessions import Echo
from everthread.domain.forgetting.forgotten_texts import (
    Became,
    ForgottenTexts,
    Sieve,
    forgotten_of,
    state_tells,
    state_without,
    tells_of,
)
from everthread.domain.forgetting.pruning import StoredSummary, prune_summary
from everthread.domain.given.working_state import state_text, stored_state
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, Trace, read_digest
from everthread.domain.ids import is_tagged, place_of
from everthread.ports import House, Records
from everthread.services.archive.forks import DETAIL, before_fork, fork_at
from everthread.services.archive.sources import message_of
from everthread.services.distilling.composed_summary import ComposedSummary
from everthread.services.distilling.corrections import corrected_points
from everthread.services.distilling.effects import TO_END
from everthread.services.distilling.lease import closed_receipt, fail
from everthread.services.distilling.memory_file import refresh_listing
from everthread.services.distilling.swap import Swap, stored_summary
from everthread.services.harness.rewrite import RenewedSummary, renew_intents, write_intents
from everthread.services.places import ask_others

from .erase import Section, ask_unwritten, orphan_sections, tell_elsewhere, unwrite
from .unsay_exchanges import clear_exchanges
from .unsay_sessions import SessionFindings, SessionSearch, clear_sessions
from .unsay_tasks import clear_tasks

T = TypeVar("T")

TRIES = 5
ALL = 1 << 62

GIVEN_UP = "given up: something that it had read was forgotten meanwhile"


class Plan(NamedTuple):
    """What becomes of everything that was derived."""

    threads: Sequence[ThreadPlan]
    sessions: SessionFindings
    orphans: Sequence[Section] | None = ()
    """Sections of files whose checkpoints were removed for their age; None: no file can be read."""


class PendingWrites(NamedTuple):
    """What is to be written to files when the transaction is done."""

    intents: Sequence[Intent]
    sections: Sequence[Section] = ()
    """Of harnesses' sessions; a job sees to them, should the disk fail."""
    job: str = ""
    read: bool = True
    """Could the files be read?"""
    tasks: Sequence[int] = ()
    """Those whose files told it."""
    elsewhere: Sequence[str] = ()
    """Where else files of the agent lie, which follow later."""
    mirrored: int = 0
    """Memories that checkpoints of tasks had left of it, and that went too."""


class ThreadPlan(NamedTuple):
    """What becomes of one thread, and of which state of it that was thought out."""

    thread: Thread
    rows: Sequence[SummaryRow]
    renewed: Sequence[RenewedSummary]
    withheld: Sequence[SummaryRow]
    state_told: bool
    """Was a turn given a working state that says it?"""


def clear_files(house: House, agent: AgentRow, gone: ForgottenTexts, left: PendingWrites) -> bool:
    """Write what is to be written. Is all of it out of the files?"""
    done = write_intents(house, agent, left.intents)
    done = unwrite(house, agent, left.sections, job=left.job) and done and left.read
    tell_elsewhere(agent, left.elsewhere)
    # What stands, also of sessions of which nothing else is kept.
    done = refresh_listing(house, agent) and done and not left.elsewhere
    return _clear_task_files(house, agent, gone, left.tasks) and done


def _clear_task_files(
    house: House, agent: AgentRow, gone: ForgottenTexts, tasks: Sequence[int]
) -> bool:
    if not house.store.read(lambda r: r.tasks.all(Scope(agent.ref), limit=1)):
        return True
    from everthread.services.tasks.files.withdraw import withdraw_words  # noqa: PLC0415 - only who has tasks

    return withdraw_words(house, agent, gone, tasks)


def collect_unsaid(
    records: Records, scope: Scope, texts: Sequence[str], sources: Sequence[bytes]
) -> ForgottenTexts:
    """What is to be said no more."""
    found = (message_of(records, scope, key) for key in dict.fromkeys(sources))
    return forgotten_of(texts, [message for message in found if message is not None], sources)


def plan_and_apply(
    house: House,
    agent: AgentRow,
    gone: ForgottenTexts,
    work: Callable[[Records, Plan], T],
) -> T:
    """Think out what becomes of each thread, then do the work with it; again, if one moved on."""
    told = orphan_sections(house, agent, Echo(gone).within)
    for left in reversed(range(TRIES)):
        plan = house.store.read(lambda r: _Clearing(house, r, agent, gone).plan())
        try:
            return house.store.write(lambda r, p=plan: work(r, p._replace(orphans=told)))
        except LeaseLost:
            if not left:
                raise
    raise AssertionError("the loop returns or raises")


class _HeldSummary(NamedTuple):
    """A summary as it is kept, and what is left of its digest."""

    row: SummaryRow
    digest: Digest
    less: Digest
    became: Became
    sentences: Sequence[Sentence]


class _Clearing:
    """Thinks out, on one state of the store, how summaries read without what is gone."""

    def __init__(
        self, house: House, records: Records, agent: AgentRow, gone: ForgottenTexts
    ) -> None:
        self._house = house
        self._records = records
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._gone = gone
        self._sieve = Sieve(gone, self._existing_messages)
        self._made: dict[Any, Any] = {}

    def plan(self) -> Plan:
        # A view that never changed has no summary.
        threads = [t for t in self._records.threads.all(self._scope) if t.view_version]
        looked = SessionSearch(self._records, self._agent, self._gone).all()
        return Plan([self._thread(thread) for thread in threads], looked)

    def _thread(self, thread: Thread) -> ThreadPlan:
        rows = self._records.summaries.all(self._scope, thread.ref)
        receipts = self._records.receipts.of_thread(self._scope, thread.ref)
        forked = any(DETAIL in receipt.detail_json for receipt in receipts)
        newest = {row.receipt_ref: row for row in rows}
        digests: dict[int, Digest] = {}
        touched: dict[int, _HeldSummary] = {}
        for row in rows:
            if row.text_hash is not None:
                held = self._read_held(row)
                digests[row.ref] = held.digest
                touched.update({row.ref: held} if self._holds(held) else {})
        affected = {held.row.receipt_ref for held in touched.values()}
        renewed: list[RenewedSummary] = []
        before = EMPTY
        for ordinal, receipt in _with_ordinals(receipts):
            row = newest.get(receipt.ref)
            if row is None or row.text_hash is None:
                continue
            digest = digests[row.ref]
            if receipt.ref in affected:
                held = touched.get(row.ref)
                composed = (
                    stored_summary(self._records, self._scope, row)
                    if held is None
                    else self._rewrite(held, ordinal, forked=forked)
                )
                digest = composed.digest
                renewed.append(RenewedSummary(receipt, composed, held and row, before))
            before = digest if receipt.standing else before
        withheld = [held.row for held in touched.values()]
        return ThreadPlan(thread, rows, renewed, withheld, self._state_told(thread))

    def _read_held(self, row: SummaryRow) -> _HeldSummary:
        text = self._records.summaries.digest(self._scope, row)
        digest = read_digest(text, self._made) if text else EMPTY
        sentences = self._records.summaries.sentences(self._scope, row.ref)
        return _HeldSummary(row, digest, *self._sieve.parted(digest), sentences)

    def _holds(self, held: _HeldSummary) -> bool:
        told = (tells_of(sentence, self._gone) for sentence in held.sentences)
        return held.less is not held.digest or any(told)

    def _rewrite(self, held: _HeldSummary, ordinal: int, *, forked: bool) -> ComposedSummary:
        """The summary as it reads without it: never longer than it was."""
        if not forked and (found := self._prune(held, ordinal)) is not None:
            return found
        from everthread.services.distilling.compose import Ask, render_summary, renumber  # noqa: PLC0415 - all that reads speech, seldom needed

        row, digest = held.row, held.less
        room = max(1, row.tokens - PER_MESSAGE)
        fork = fork_at(self._records, self._scope, row.thread_ref, receipt=row.receipt_ref)
        raw = before_fork(self._records, self._scope, row.thread_ref, fork, digest)
        ask = Ask(self._agent, row.thread_ref, digest, (), ordinal, room, before_fork=raw)
        now = self._house.clock.now()
        corrected = corrected_points(self._records, self._scope, digest, now=now)
        ask = ask._replace(extra=_shown_items(held), corrected=corrected)
        shown = render_summary(self._house, ask, digest, ())
        struck = [s for s in held.sentences if not s.shown and not tells_of(s, self._gone)]
        return shown._replace(sentences=renumber([*shown.sentences, *struck]))

    def _prune(self, held: _HeldSummary, ordinal: int) -> ComposedSummary | None:
        """The same without the lines that go, where that is all there is to do."""
        text = self._records.summaries.text(self._scope, held.row)
        stored = StoredSummary(text, held.digest, held.sentences)
        found = prune_summary(stored, held.less, held.became, self._gone, ordinal)
        if found is None:
            return None
        tokens = self._house.tokenizer.count(found.text) + PER_MESSAGE
        return ComposedSummary(held.less, held.less, found.text, tokens, found.sentences, (), {}, 0)

    def _state_told(self, thread: Thread) -> bool:
        given = self._records.injections.all(self._scope, thread=thread.ref, limit=ALL)
        hashes = {one.body_hash for one in given if one.body_hash is not None}
        blocks = (self._records.bodies.get(self._scope, [one]).get(one, "") for one in hashes)
        return any(state_tells(block, self._gone) for block in blocks)

    def _existing_messages(self, keys: Sequence[bytes]) -> list[Message]:
        found = (message_of(self._records, self._scope, key) for key in keys)
        return [message for message in found if message is not None]


def _with_ordinals(receipts: Sequence[Receipt]) -> Iterator[tuple[int, Receipt]]:
    """The thread's receipts, each with which one it is of those that stand."""
    ordinal = 1
    for receipt in receipts:
        yield ordinal, receipt
        ordinal += receipt.standing and receipt.mode != "shorten"


def _shown_items(held: _HeldSummary) -> list[Point | Trace]:
    """What the summary showed and still may: nothing else takes its place in the room that is freed."""
    digest = held.less
    lines, style = {s.text for s in held.sentences if s.shown}, style_of(digest)
    points = [point for point in digest.points if not point.pinned]
    return [item for item in (*points, *digest.ledger) if style.line(item) in lines]


# The transaction -----------------------------------------------------------------------------------


def clear(
    house: House,
    records: Records,
    agent: AgentRow,
    gone: ForgottenTexts,
    plan: Plan,
    memories: Collection[bytes] = (),
) -> PendingWrites:
    """Do what was thought out; what is to be written to files then. `LeaseLost` if a thread moved on.

    `memories`: the ids of those that go, of which no receipt may keep an image.
    """
    scope = Scope(agent.ref)
    known: dict[int, Sequence[SummaryRow]] = {one.thread.ref: one.rows for one in plan.threads}
    for thread in records.threads.all(scope):
        _give_up(house, records, scope, thread, gone)
        _clear_state(records, scope, thread, gone)
        # Also where nothing held it: a summary that came meanwhile may.
        if thread.view_version and records.summaries.all(scope, thread.ref) != known.get(
            thread.ref, []
        ):
            raise LeaseLost("a summary was made by someone else meanwhile; try again")
    renewed: list[tuple[Thread, RenewedSummary]] = []
    for one in plan.threads:
        _swap(house, records, scope, one)
        if one.state_told:
            # A block says of a state only whose it is, so all that quote this thread's lose their text.
            records.injections.withhold([one.thread.key_id], now=house.clock.now())
        renewed += [(one.thread, each) for each in one.renewed]
        _drop_images(house, records, scope, one.thread, memories)
    # Before the files are thought of: what they say of sessions is read from these.
    sections = clear_sessions(house, records, agent, gone, plan.sessions)
    sections += plan.orphans or ()
    clear_exchanges(house, records, agent, gone)
    tasks, mirrored = clear_tasks(house, records, agent, gone)
    intents = renew_intents(house, records, scope, renewed)
    job = ask_unwritten(house, records, scope, sections)
    touched = memories or renewed or sections
    elsewhere = ask_others(house, records, scope) if touched else ()
    read = plan.orphans is not None
    return PendingWrites(intents, sections, job, read, tasks, elsewhere, mirrored)


def _give_up(
    house: House, records: Records, scope: Scope, thread: Thread, gone: ForgottenTexts
) -> None:
    """End a distillation that may have read it already: its process gets `LeaseLost` at its end."""
    if not any(is_tagged(thread.key_id, place_of(key)[0]) for key in gone.said):
        return
    held = records.receipts.open_on(scope, thread.ref)
    if held is not None:
        fail(house, records, scope, closed_receipt(house, held, "failed", [GIVEN_UP]))


def _clear_state(records: Records, scope: Scope, thread: Thread, gone: ForgottenTexts) -> None:
    state = stored_state(thread.working_state)
    left = state_without(state, gone)
    if left != state:
        records.threads.works_on(scope, thread.ref, state_text(left) if left else None)


def _swap(house: House, records: Records, scope: Scope, one: ThreadPlan) -> None:
    """The summaries made anew take the place of those that held it."""
    if not one.withheld:
        return
    thread = records.threads.hold(scope, one.thread.ref)
    rows = records.summaries.all(scope, thread.ref)
    if thread.view_version != one.thread.view_version or rows != one.rows:
        raise LeaseLost("the view was changed by someone else meanwhile; try again")
    shown = records.summaries.at(scope, thread.ref, thread.view_version)
    swap = Swap(house, records, scope, thread.view_version + 1, {})
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


def _show(swap: Swap, thread: Thread, shown: SummaryRow, instead: RenewedSummary) -> None:
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
    """How a memory was before and after a distillation goes with the memory: tags, files."""
    names = {key.hex() for key in memories}
    for receipt in records.receipts.of_thread(scope, thread.ref):
        if not any(name in receipt.detail_json for name in names):
            continue
        detail = dict(receipt.detail)
        left = {
            kept: [
                {"memory": effect["memory"]} if effect["memory"] in names else effect
                for effect in detail[kept]
            ]
            for kept in ("effects", TO_END)
            if kept in detail
        }
        if any(detail[kept] != effects for kept, effects in left.items()):
            told = receipt._replace(detail_json=json.dumps({**detail, **left}))
            records.receipts.change(scope, told, "receipt.withheld", now=house.clock.now())
