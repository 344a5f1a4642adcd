"""The verbs by which an agent's threads are distilled, and what it is given is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from everthread.domain.checks import checked_limit, checked_whole
from everthread.domain.errors import BadInput
from everthread.services.distilling.stages import Progress, silent

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow, Scope
    from everthread.domain.conversation.threads import Thread as ThreadRow
    from everthread.domain.distilling.receipts import Receipt
    from everthread.ports import House
    from everthread.services.archive.context import Context
    from everthread.services.distilling.receipts import Shown
    from everthread.services.distilling.undo_offer import UndoOffer


class Target(Protocol):
    """A thread, as far as these verbs know it."""

    @property
    def ref(self) -> int: ...

    @property
    def row(self) -> ThreadRow: ...


class Distilling:
    """What every agent can do about its context."""

    _house: House
    _row: AgentRow
    _scope: Scope

    if TYPE_CHECKING:

        def _target(self, thread: Any) -> Target: ...

        def _prompt(self) -> tuple[tuple[Any, list[Any]], int]: ...

    def distill(
        self, *, thread: Target | str | None = None, progress: Progress = silent
    ) -> Receipt:
        """Distill a thread now, from four messages on; the receipt says what became of it.

        `progress` is told the name of each stage as it begins.
        """
        from everthread.services.distilling.distill import distill
        from everthread.services.distilling.order import Order
        from everthread.services.distilling.review import score_receipt

        target = self._target(thread)
        order = Order(self._row, target.ref, by="hand", fixed=self._prompt()[1])
        receipt = distill(self._house, order, progress=progress)
        assert receipt is not None, "a wish is answered, if only by a refusal"
        if not receipt.standing or receipt.mode != "full":
            return receipt
        return score_receipt(self._house, self._row, receipt.ref, progress=progress)

    def receipts(self, *, limit: int = 50, thread: Target | str | None = None) -> list[Receipt]:
        """What was distilled, newest first: of one thread, or of all."""
        from everthread.services.distilling.receipts import list_receipts

        most = checked_limit(limit)
        ref = None if thread is None else self._target(thread).ref
        return list_receipts(self._house, self._scope, thread=ref, limit=most)

    def receipt(self, name: Receipt | str) -> Shown:
        """One receipt with its sentences, their sources and what was struck; by id or an ending of it."""
        from everthread.services.distilling.receipts import show_receipt

        return show_receipt(self._house, self._scope, name)

    def dismiss(self, name: Receipt | str) -> Receipt:
        """Take note that nobody misses what a distillation lost: `diagnose` names it no more."""
        from everthread.services.distilling.dismiss import dismiss

        return dismiss(self._house, self._scope, name)

    def undo_offer(self, name: Receipt | str) -> UndoOffer:
        """Whether a distillation can be undone now, in words; nothing is changed."""
        from everthread.services.distilling.receipts import find_receipt
        from everthread.services.distilling.undo_offer import undo_offer

        receipt = self._house.store.read(lambda r: find_receipt(r, self._scope, name))
        return undo_offer(self._house, self._row, receipt)

    def context(
        self,
        at: int | None = None,
        *,
        call: int | None = None,
        thread: Target | str | None = None,
    ) -> Context:
        """What the agent is given: what a turn that begins now would find, or what it was at that turn.

        A turn with tools made several requests (`calls`): it is the last, or that `call`, from 1.
        """
        from everthread.services.archive.context import context_at, context_now

        ref = self._target(thread).ref
        which = None if call is None else checked_whole("call", call)
        if at is not None:
            return context_at(self._house, self._row, ref, checked_whole("at", at), which)
        if which is not None:
            raise BadInput("call names a request of a turn: say at which turn, as in at=3")
        return context_now(self._house, self._row, ref)

    def working_state(self, *, thread: Target | str | None = None) -> str | None:
        """What the agent is at, as it is told to it; None where nothing is known."""
        from everthread.domain.given.working_state import render_state, stored_state

        return render_state(stored_state(self._target(thread).row.working_state)) or None
