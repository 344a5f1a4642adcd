"""What was injected, and what helped. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.given.injections import GivenItem, Injection, SessionScore, Use


class Injections(Protocol):
    def add(
        self, scope: Scope, injection: Injection, text: str | None, items: Sequence[GivenItem]
    ) -> Injection:
        """Log an injection, its text as a body. The same text again is logged once.

        The same means: for one session, one epoch, one purpose; then the first row comes back.
        """
        ...

    def all(
        self,
        scope: Scope,
        *,
        thread: int | None = None,
        session: int | None = None,
        limit: int,
    ) -> Sequence[Injection]:
        """Newest first."""
        ...

    def given(self, scope: Scope, session: int, *, epoch: int, purpose: str) -> Injection | None:
        """The newest for that purpose in that epoch of a session, also one that says why there was none."""
        ...

    def held(self, scope: Scope, session: int, *, epoch: int) -> set[bytes]:
        """The ids of all that a session was given in that epoch."""
        ...

    def of_turn(self, scope: Scope, turn: TurnRow) -> Sequence[Injection]:
        """What a turn was given, or why nothing, oldest first; also what was logged before it."""
        ...

    def items(self, scope: Scope, injection: int) -> Sequence[GivenItem]:
        """What an injection holds, in the order of ranks."""
        ...

    def lately(self, scope: Scope, thread: int, *, turns: int) -> set[bytes]:
        """The ids of what the newest turns of the thread were given; failed turns do not count."""
        ...

    def elsewhere(self, scope: Scope, thread: int) -> bool:
        """Is there anything to recall that the view of the thread may not show? A no is never wrong."""
        ...

    def withhold(self, refs: Iterable[bytes], *, now: int) -> int:
        """Remove the text of every injection, of any agent, that holds one of these; how many there were.

        Rows stay and say so, those of their turns too; nothing that is left tells the text.
        """
        ...


class Uses(Protocol):
    """What helped in a session. Counted, not proved."""

    def add(self, scope: Scope, uses: Iterable[Use]) -> None:
        """Add these counts to what is there; the best rank and score stay."""
        ...

    def of(self, scope: Scope, session: int) -> Sequence[Use]:
        """All of a session, best rank first."""
        ...

    def given(self, scope: Scope, session: int, refs: Iterable[bytes]) -> set[bytes]:
        """Which of these the session was given."""
        ...

    def score(self, scope: Scope, session: int) -> SessionScore | None: ...

    def keep(self, scope: Scope, score: SessionScore) -> None:
        """Store a session's figures in place of those before."""
        ...
