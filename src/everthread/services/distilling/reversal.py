"""What undoing or redoing a distillation would do, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import LeaseLost
from everthread.domain.gleaning.digest import Digest
from everthread.ports import House, Records
from everthread.services.archive.measure import calibration_of
from everthread.services.archive.sources import forgotten_keys
from everthread.services.archive.view import view_at, view_tokens

from .learn import Comparison, Unlearning
from .rechain import Link
from .wordings import Wording


class Reversal(NamedTuple):
    """What undoing or redoing did, or would do."""

    receipt: Receipt
    dry: bool
    messages: int
    """How many messages come back into the view, or leave it."""
    tokens_before: int
    tokens_after: int
    """What the view weighs, calibrated."""
    limit: int
    """What a request may hold at most."""
    remade: Sequence[int]
    """The numbers of the distillations that are made anew."""
    memories: int = 0
    """How many memories are taken back or drawn again."""
    left: Sequence[str] = ()
    """Memories that somebody touched since: they stay as they are."""
    left_why: Sequence[str] = ()
    """Of each of them, what happened to it."""
    files: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def with_memories(self, taken: Unlearning) -> Reversal:
        """The same with what it does to memories."""
        return self._replace(
            memories=taken.touched, left=[*taken.left], left_why=[*taken.left.values()]
        )

    def __repr__(self) -> str:
        dry = ", not done: a dry run" if self.dry else ""
        kept = f", {len(self.left)} left as they are" if self.left else ""
        return (
            f"<Reversal of distillation #{self.receipt.number}: {self.messages} messages,"
            f" {self.tokens_before:,} to {self.tokens_after:,} tokens,"
            f" {self.memories} memories{kept}{dry}>"
        )


class ReversalPlan(NamedTuple):
    """What will stand, what it weighs, and which version of the view it was made for."""

    receipt: Receipt
    thread: Thread
    marks: Sequence[Mark]
    links: Sequence[Link]
    before: Digest
    """What came before the distillation in question."""
    weighs: int
    """What its messages weigh."""
    shown: int
    """What the view weighs now."""
    fixed: int
    gone: frozenset[bytes]
    """The messages that were forgotten by then: nothing in it is from them."""
    drawn: Comparison = Comparison((), 0)
    """The memories that redoing draws again."""
    noted: Mapping[int, Wording] = MappingProxyType({})
    """How those read that stand, by the row of each receipt."""

    @property
    def summary_tokens(self) -> int:
        """What the last summary that will stand weighs."""
        return self.links[-1].composed.tokens if self.links else 0


def hold_thread(records: Records, scope: Scope, plan: ReversalPlan) -> Thread:
    """The thread, and its receipts, as nobody else can change them from now on.

    `LeaseLost` if the plan is for another state: what was forgotten meanwhile would come back with it,
    also where the view is the same.
    """
    records.memories.hold(scope)
    thread = records.threads.hold(scope, plan.thread.ref)
    if thread.view_version != plan.thread.view_version:
        raise LeaseLost("the view was changed by someone else meanwhile; try again")
    if forgotten_keys(records, scope) != plan.gone:
        raise LeaseLost("something that it had read was forgotten meanwhile; try again")
    return thread


def view_weight(records: Records, scope: Scope, thread: Thread) -> int:
    """What the thread's view weighs, as we count."""
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    return view_tokens(records, scope, thread.ref, view)


def as_it_stands(house: House, agent: AgentRow, done: Reversal) -> Reversal:
    """What was done, once what is shown from now on was scored, and mended where that was needed."""
    scope = Scope(agent.ref)

    def work(records: Records) -> Reversal:
        thread = records.threads.get(scope, done.receipt.thread_ref)
        size = calibration_of(records, agent).apply(view_weight(records, scope, thread))
        receipt = records.receipts.get(scope, done.receipt.ref)
        return done._replace(receipt=receipt, tokens_after=size)

    return house.store.read(work)
