"""The chain of a thread's distillations: each summary as it reads, or made anew on another ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import UndoRefused
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.archive.forked import before_fork, fork_at

from .compose import Ask, Composed, checked, gleaned, rendered, room
from .stages import Pause
from .swap import as_stored

if TYPE_CHECKING:
    from everthread.domain.ending.retelling import Before


class Link(NamedTuple):
    """One distillation of a new chain: its receipt, and its summary as it will read."""

    receipt: Receipt
    composed: Composed
    anew: bool


def must_be_there(receipt: Receipt) -> None:
    """Refuse what would need messages that were purged."""
    purged = receipt.detail.get("purged")
    if purged:
        count = "1 message" if purged["messages"] == 1 else f"{purged['messages']:,} messages"
        raise UndoRefused(
            f"{count} of receipt {receipt.id} went with the purge of {text_of(purged['at_ms'])}: there is "
            "nothing left to bring back. Its summary stays, and so do the memories drawn from it"
        )


class Chain:
    """Reads summaries as they are, and makes them anew."""

    def __init__(self, house: House, agent: AgentRow, pause: Pause) -> None:
        self._house = house
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._pause = pause

    def anew(self, receipt: Receipt, thread: Thread, before: Composed, ordinal: int) -> Composed:
        """A later distillation, made by the plain distiller on top of what now comes before it."""
        if receipt.mode == "light":
            return self.as_it_is(receipt)
        must_be_there(receipt)
        marks = self._house.store.read(lambda r: r.marks.by(self._scope, receipt.ref))
        spans = [
            Span(m.from_seq, m.to_seq)
            for m in marks
            if m.action == "hide" and m.until_version is None
        ]
        replaced = self._house.store.read(
            lambda r: sum(r.messages.weights(self._scope, thread.ref, *span) for span in spans)
        )
        tokens = room(self._house, self._agent, replaced=replaced, before=before.tokens)
        guarded = any(fired["name"] == "guard" for fired in receipt.fired)
        ask = Ask(
            self._agent, thread.ref, before.digest, spans, ordinal, tokens, meaning=not guarded
        )
        ask = ask._replace(before_fork=self._before_fork(receipt, before))
        digest = gleaned(self._house, ask, self._pause)
        digest, struck = checked(self._house, ask, digest, self._pause)
        return rendered(self._house, ask, digest, struck)

    def _before_fork(self, receipt: Receipt, before: Composed) -> Before | None:
        def read(records: Records) -> Before | None:
            fork = fork_at(records, self._scope, receipt.thread_ref, receipt=receipt.ref)
            return before_fork(records, self._scope, receipt.thread_ref, fork, before.digest)

        return self._house.store.read(read)

    def as_it_is(self, receipt: Receipt) -> Composed:
        """A receipt's summary as it reads today."""

        def work(records: Records) -> Composed:
            row = records.summaries.newest_of(self._scope, receipt.ref)
            if row is None or row.text_hash is None:
                raise UndoRefused(
                    "what its summary held was forgotten since; it cannot be shown again"
                )
            stored = as_stored(records, self._scope, row)
            return stored._replace(before=EMPTY, struck=receipt.struck, distiller=receipt.distiller)

        return self._house.store.read(work)
