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
from everthread.domain.forgetting.pruned import Stored, pruned
from everthread.domain.forgetting.unsaid import (
    Became,
    Sieve,
    Unsaid,
    state_told,
    state_without,
    tells_of,
    unsaid,
)
from everthread.domain.forgetting.unsaid_sessions import Echo
from everthread.domain.given.working import state_text, stored_state
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, Trace, read_digest
from everthread.domain.ids import is_tagged, place_of
from everthread.ports import House, Records
from everthread.services.archive.forked import DETAIL, before_fork, fork_at
from everthread.services.archive.sources import message_of
from everthread.services.distilling.composed import Composed
from everthread.services.distilling.lease import closing, fail
from everthread.services.distilling.listed import list_anew
from everthread.services.distilling.swap import Swap, as_stored
from everthread.services.harness.rewrite import Renewed, intended, written
from everthread.services.places import ask_others

from .erase import Section, ask_unwritten, orphans, tell_elsewhere, unwrite
from .unsay_exchanges import clear_exchanges
from .unsay_sessions import Looked, Looking, clear_sessions
from .unsay_tasks import clear_tasks

T = TypeVar("T")

TRIES = 5
ALL = 1 << 62

GIVEN_UP = "given up: something that it had read was forgotten meanwhile"


class Plan(NamedTuple):
    """What becomes of everything that was derived."""

    threads: Sequence[Cleared]
    sessions: Looked
    orphans: Sequence[Section] | None = ()
    """Sections of files whose checkpoints were removed for their age; None: no file can be read."""


class Unwritten(NamedTuple):
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


class Cleared(NamedTuple):
    """What becomes of one thread, and of which state of it that was thought out."""

    thread: Thread
    rows: Sequence[SummaryRow]
    renewed: Sequence[Renewed]
    withheld: Sequence[SummaryRow]
    state_told: bool
    """Was a turn given a working state that says it?"""


def out_of_files(house: House, agent: AgentRow, gone: Unsaid, left: Unwritten) -> bool:
    """Write what is to be written. Is all of it out of the files?"""
    done = written(house, agent, left.intents)
    done = unwrite(house, agent, left.sections, job=left.job) and done and left.read
    tell_elsewhere(agent, left.elsewhere)
    # What stands, also of sessions of which nothing else is kept.
    done = list_anew(house, agent) and done and not left.elsewhere
    return _untold(house, agent, gone, left.tasks) and done


def _untold(house: House, agent: AgentRow, gone: Unsaid, tasks: Sequence[int]) -> bool:
    if not house.store.read(lambda r: r.tasks.all(Scope(agent.ref), limit=1)):
        return True
    from everthread.services.tasks.untold import untold  # noqa: PLC0415 - only who has tasks

    return untold(house, agent, gone, tasks)


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
    work: Callable[[Records, Plan], T],
) -> T:
    """Think out what becomes of each thread, then do the work with it; again, if one moved on."""
    told = orphans(house, agent, Echo(gone).within)
    for left in reversed(range(TRIES)):
        plan = house.store.read(lambda r: _Clearing(house, r, agent, gone).plan())
        try:
            return house.store.write(lambda r, p=plan: work(r, p._replace(orphans=told)))
        except LeaseLost:
            if not left:
                raise
    raise AssertionError("the loop returns or raises")


class _Held(NamedTuple):
    """A summary as it is kept, and what is left of its digest."""

    row: SummaryRow
    digest: Digest
    less: Digest
    became: Became
    sentences: Sequence[Sentence]


class _Clearing:
    """Thinks out, on one state of the store, how summaries read without what is gone."""

    def __init__(self, house: House, records: Records, agent: AgentRow, gone: Unsaid) -> None:
        self._house = house
        self._records = records
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._gone = gone
        self._sieve = Sieve(gone, self._still)
        self._made: dict[Any, Any] = {}

    def plan(self) -> Plan:
        # A view that never changed has no summary.
        threads = [t for t in self._records.threads.all(self._scope) if t.view_version]
        looked = Looking(self._records, self._agent, self._gone).all()
        return Plan([self._thread(thread) for thread in threads], looked)

    def _thread(self, thread: Thread) -> Cleared:
        rows = self._records.summaries.all(self._scope, thread.ref)
        receipts = self._records.receipts.of_thread(self._scope, thread.ref)
        forked = any(DETAIL in receipt.detail_json for receipt in receipts)
        newest = {row.receipt_ref: row for row in rows}
        digests: dict[int, Digest] = {}
        touched: dict[int, _Held] = {}
        for row in rows:
            if row.text_hash is not None:
                held = self._held(row)
                digests[row.ref] = held.digest
                touched.update({row.ref: held} if self._holds(held) else {})
        affected = {held.row.receipt_ref for held in touched.values()}
        renewed: list[Renewed] = []
        before = EMPTY
        for ordinal, receipt in _numbered(receipts):
            row = newest.get(receipt.ref)
            if row is None or row.text_hash is None:
                continue
            digest = digests[row.ref]
            if receipt.ref in affected:
                held = touched.get(row.ref)
                composed = (
                    as_stored(self._records, self._scope, row)
                    if held is None
                    else self._anew(held, ordinal, forked=forked)
                )
                digest = composed.digest
                renewed.append(Renewed(receipt, composed, held and row, before))
            before = digest if receipt.standing else before
        withheld = [held.row for held in touched.values()]
        return Cleared(thread, rows, renewed, withheld, self._state_told(thread))

    def _held(self, row: SummaryRow) -> _Held:
        text = self._records.summaries.digest(self._scope, row)
        digest = read_digest(text, self._made) if text else EMPTY
        sentences = self._records.summaries.sentences(self._scope, row.ref)
        return _Held(row, digest, *self._sieve.parted(digest), sentences)

    def _holds(self, held: _Held) -> bool:
        told = (tells_of(sentence, self._gone) for sentence in held.sentences)
        return held.less is not held.digest or any(told)

    def _anew(self, held: _Held, ordinal: int, *, forked: bool) -> Composed:
        """The summary as it reads without it: never longer than it was."""
        if not forked and (found := self._pruned(held, ordinal)) is not None:
            return found
        from everthread.services.distilling.compose import Ask, rendered, renumbered  # noqa: PLC0415 - all that reads speech, seldom needed

        row, digest = held.row, held.less
        room = max(1, row.tokens - PER_MESSAGE)
        fork = fork_at(self._records, self._scope, row.thread_ref, receipt=row.receipt_ref)
        raw = before_fork(self._records, self._scope, row.thread_ref, fork, digest)
        ask = Ask(self._agent, row.thread_ref, digest, (), ordinal, room, before_fork=raw)
        ask = ask._replace(extra=_still_shown(held))
        shown = rendered(self._house, ask, digest, ())
        struck = [s for s in held.sentences if not s.shown and not tells_of(s, self._gone)]
        return shown._replace(sentences=renumbered([*shown.sentences, *struck]))

    def _pruned(self, held: _Held, ordinal: int) -> Composed | None:
        """The same without the lines that go, where that is all there is to do."""
        text = self._records.summaries.text(self._scope, held.row)
        stored = Stored(text, held.digest, held.sentences)
        found = pruned(stored, held.less, held.became, self._gone, ordinal)
        if found is None:
            return None
        tokens = self._house.tokenizer.count(found.text) + PER_MESSAGE
        return Composed(held.less, held.less, found.text, tokens, found.sentences, (), {}, 0)

    def _state_told(self, thread: Thread) -> bool:
        given = self._records.injections.all(self._scope, thread=thread.ref, limit=ALL)
        hashes = {one.body_hash for one in given if one.body_hash is not None}
        blocks = (self._records.bodies.get(self._scope, [one]).get(one, "") for one in hashes)
        return any(state_told(block, self._gone) for block in blocks)

    def _still(self, keys: Sequence[bytes]) -> list[Message]:
        found = (message_of(self._records, self._scope, key) for key in keys)
        return [message for message in found if message is not None]


def _numbered(receipts: Sequence[Receipt]) -> Iterator[tuple[int, Receipt]]:
    """The thread's receipts, each with which one it is of those that stand."""
    ordinal = 1
    for receipt in receipts:
        yield ordinal, receipt
        ordinal += receipt.standing and receipt.mode != "shorten"


def _still_shown(held: _Held) -> list[Point | Trace]:
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
    gone: Unsaid,
    plan: Plan,
    memories: Collection[bytes] = (),
) -> Unwritten:
    """Do what was thought out; what is to be written to files then. `LeaseLost` if a thread moved on.

    `memories`: the ids of those that go, of which no receipt may keep an image.
    """
    scope = Scope(agent.ref)
    for thread in records.threads.all(scope):
        _give_up(house, records, scope, thread, gone)
        _works_on(records, scope, thread, gone)
    renewed: list[tuple[Thread, Renewed]] = []
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
    intents = intended(house, records, scope, renewed)
    job = ask_unwritten(house, records, scope, sections)
    touched = memories or renewed or sections
    elsewhere = ask_others(house, records, scope) if touched else ()
    read = plan.orphans is not None
    return Unwritten(intents, sections, job, read, tasks, elsewhere, mirrored)


def _give_up(house: House, records: Records, scope: Scope, thread: Thread, gone: Unsaid) -> None:
    """End a distillation that may have read it already: its process gets `LeaseLost` at its end."""
    if not any(is_tagged(thread.key_id, place_of(key)[0]) for key in gone.said):
        return
    held = records.receipts.open_on(scope, thread.ref)
    if held is not None:
        fail(house, records, scope, closing(house, held, "failed", [GIVEN_UP]))


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
    """How a memory was before and after a distillation goes with the memory: tags, files."""
    names = {key.hex() for key in memories}
    for receipt in records.receipts.of_thread(scope, thread.ref):
        if not any(name in receipt.detail_json for name in names):
            continue
        detail = dict(receipt.detail)
        effects = detail.get("effects", [])
        left = [
            {"memory": effect["memory"]} if effect["memory"] in names else effect
            for effect in effects
        ]
        if left != effects:
            told = receipt._replace(detail_json=json.dumps({**detail, "effects": left}))
            records.receipts.change(scope, told, "receipt.withheld", now=house.clock.now())
