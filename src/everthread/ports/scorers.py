"""What the scorer learns from and what it has learnt. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.given.injections import SessionScore, Use
    from everthread.domain.scorer.scorer_row import ScorerRow


class Scorers(Protocol):
    """Counted and derived: neither proved nor exported, and learnt anew where it is missing."""

    def get(self, scope: Scope) -> ScorerRow | None: ...

    def keep(self, scope: Scope, row: ScorerRow) -> None:
        """Store what was learnt in place of what was before."""
        ...

    def drop(self, scope: Scope) -> None:
        """Forget all that was learnt of the agent."""
        ...

    def unjudged(self, scope: Scope, *, quiet: int, limit: int) -> Sequence[SessionScore]:
        """Sessions that are over, or silent since before `quiet`, and were never judged; oldest first."""
        ...

    def judged(self, scope: Scope, *, limit: int) -> Sequence[SessionScore]:
        """The newest sessions that were judged, newest first."""
        ...

    def rate(self, scope: Scope, session: int, worth: Mapping[bytes, float]) -> None:
        """What each of these memories was worth in the session."""
        ...

    def withholding(self, scope: Scope, *, limit: int) -> Sequence[Use]:
        """What is known of memories in the newest sessions in which some were withheld."""
        ...
