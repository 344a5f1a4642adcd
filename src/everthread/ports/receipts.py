"""What the store keeps of distillations. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.distilling.receipts import (
        Intent,
        IntentState,
        Receipt,
        Sentence,
        Spending,
        SummaryRow,
    )


class Receipts(Protocol):
    def add(self, scope: Scope, receipt: Receipt) -> Receipt:
        """Store a new one. A second open one on a thread raises `DistillationBusy`."""
        ...

    def close(self, scope: Scope, receipt: Receipt) -> Receipt:
        """Store the closed one; `LeaseLost` if it is not open any more, or another owner's."""
        ...

    def change(self, scope: Scope, receipt: Receipt, event: str, *, now: int) -> Receipt:
        """Store a receipt that was closed before: scored, undone, redone."""
        ...

    def renew(self, scope: Scope, receipt: Receipt, *, until: int) -> None:
        """A longer lease; `LeaseLost` as with `close`."""
        ...

    def get(self, scope: Scope, ref: int) -> Receipt: ...

    def open_on(self, scope: Scope, thread: int) -> Receipt | None: ...

    def of_thread(self, scope: Scope, thread: int) -> Sequence[Receipt]:
        """Those that are numbered, in order; the undone among them."""
        ...

    def newest(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Receipt]:
        """Newest first, of one thread or of all."""
        ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Receipt]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def undone_seq(self, scope: Scope, thread: int) -> int | None:
        """How far the thread had come when one of its distillations was last undone."""
        ...

    def abandoned(self, *, limit: int) -> Sequence[tuple[Scope, Receipt]]:
        """Open ones of any agent. For the sweep alone, which asks who of their owners is gone."""
        ...

    def unscored(self, *, before: int, limit: int) -> Sequence[tuple[Scope, Receipt]]:
        """Those of any agent that were closed before then and whose score is still to come, newest first.
        For the sweep alone."""
        ...


class Summaries(Protocol):
    def at(self, scope: Scope, thread: int, version: int) -> SummaryRow | None:
        """The one that the view shows at that version."""
        ...

    def newest_of(self, scope: Scope, receipt: int) -> SummaryRow | None:
        """How the summary of a receipt reads today, whether it is in the view or not."""
        ...

    def all(self, scope: Scope, thread: int) -> Sequence[SummaryRow]: ...

    def add(
        self,
        scope: Scope,
        summary: SummaryRow,
        text: str,
        digest: str,
        sentences: Sequence[Sentence],
    ) -> SummaryRow:
        """Store one with its texts; one that has no end is what the view shows from now on."""
        ...

    def end(self, scope: Scope, summary: SummaryRow, version: int, *, now: int) -> None:
        """The view shows it up to that version, and not from then on."""
        ...

    def text(self, scope: Scope, summary: SummaryRow) -> str: ...

    def digest(self, scope: Scope, summary: SummaryRow) -> str: ...

    def sentences(self, scope: Scope, summary: int) -> Sequence[Sentence]: ...

    def withhold(self, scope: Scope, summary: SummaryRow, *, now: int) -> None:
        """What it held was forgotten: its texts go for good, its row stays."""
        ...


class Intents(Protocol):
    def add(self, scope: Scope, intent: Intent) -> Intent: ...

    def of(self, scope: Scope, receipt: int) -> Sequence[Intent]: ...

    def open(self, *, limit: int) -> Sequence[Intent]:
        """Those of any agent that wait, oldest first. For whoever retries, and for status."""
        ...

    def settle(
        self, scope: Scope, intent: Intent, state: IntentState, *, error: str | None, now: int
    ) -> Intent:
        """One attempt more; done, void, or still open with what went wrong. A settled one has no payload."""
        ...

    def spend(self, scope: Scope, spent: Spending) -> None:
        """Add to what that distiller cost on that day."""
        ...

    def spent(self, day: str) -> Sequence[Spending]:
        """What all agents of this store spent on that day: the cap is the store's."""
        ...
