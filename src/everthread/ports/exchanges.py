"""What agents ask, send and hand to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.exchanges.exchanges import Exchange, ExchangeKind


class Exchanges(Protocol):
    def add(self, scope: Scope, exchange: Exchange) -> Exchange:
        """One side of an exchange; sealed in that agent's timeline."""
        ...

    def change(self, scope: Scope, exchange: Exchange, *, now: int) -> Exchange:
        """What became of this side; sealed. Whose it is and between whom does not change.

        Refused where somebody changed it since it was read: see `hold`.
        """
        ...

    def hold(self, pairs: Iterable[bytes]) -> Sequence[Exchange]:
        """Both sides of these, as they are now; nobody else writes one until the transaction ends.

        The agents are taken in one order, so that two who hold the same do not wait for each other.
        """
        ...

    def sides(self, pair: bytes) -> Sequence[Exchange]:
        """Both sides, each of its own agent; one where the other is in another store."""
        ...

    def find(self, scope: Scope, pair: bytes) -> Exchange | None:
        """This agent's side; of an errand it gave itself, the caller's."""
        ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Exchange]:
        """Those whose id ends so."""
        ...

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Exchange]:
        """Newest first, both what it began and what was meant for it."""
        ...

    def waiting(self, scope: Scope, *, limit: int) -> Sequence[Exchange]:
        """What the agent was not told of yet, oldest first."""
        ...

    def pending(
        self, scope: Scope, kind: ExchangeKind, *, target: str | None = None, now: int
    ) -> int:
        """How many of the caller's are open, to that target or any; of questions, those without a turn.

        Until the end of the transaction nobody else can add one.
        """
        ...

    def answered_by(self, scope: Scope, turn: int) -> Exchange | None:
        """The target's side of what that turn is to answer, while it is open."""
        ...

    def given(self, scope: Scope, turn: int) -> Sequence[Exchange]:
        """What that turn was told of."""
        ...

    def withhold(self, scope: Scope, exchange: Exchange, *, now: int) -> None:
        """Empty its texts, on both sides and wherever they are quoted; sealed, the earlier salts go."""
        ...

    def due(self, *, now: int, limit: int) -> Sequence[Exchange]:
        """Callers' sides, of any agent, that nobody answered in time. For the sweep alone."""
        ...
