"""How sessions end: which are due, what they are summed up as, and how many were opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.sessions import Session


class QuietQuery(NamedTuple):
    """Which sessions of the store are looked for: those after `after`, by ref, so many at most."""

    now: int
    hours: float
    """What ends a session of an agent that has no figure of its own."""
    after: int = 0
    limit: int = 100
    since: int = 0
    """Those whose last activity is older are left alone."""


class SpokenCounts(NamedTuple):
    """How often a person spoke in a session, and when the first and the last of all in it was said."""

    times: int = 0
    first_ms: int | None = None
    last_ms: int | None = None


class Endings(Protocol):
    def quiet(self, wanted: QuietQuery) -> Sequence[Session]:
        """Active sessions of all agents whose pulse is as old as ends one, by ref.

        Not those of a task, which ends them itself, nor one in which a turn is open.
        """
        ...

    def unseen(self, wanted: QuietQuery) -> Sequence[Session]:
        """Sessions of all agents that are over and quiet, and whose end was not seen to, by ref.

        Those on primary threads, no subagent's (a task's is none), in which something was said. Seen
        to is one with a cursor `ended` that stands at its last message.
        """
        ...

    def summarize(self, scope: Scope, session: Session, summary: str, *, now: int) -> Session:
        """Store what it was about; sealed. It prolongs nothing."""
        ...

    def withhold(self, scope: Scope, session: Session, *, now: int) -> Session:
        """Take the summary away; the salts of all earlier entries about the session go too."""
        ...

    def summarized(self, scope: Scope) -> Sequence[Session]:
        """All that have a summary."""
        ...

    def recent(
        self, scope: Scope, *, since: int, without: int | None = None, limit: int
    ) -> Sequence[Session]:
        """The newest that are over, have a summary and were active since then, newest activity first.

        No subagent's, and not the one that is left out; none in which something was said since it was
        summed up. With a project in the scope: of that alone; without one: those of none. With a
        principal: none that another one opened or spoke in.
        """
        ...

    def opened(self, scope: Scope, *, since: int, within: int) -> int:
        """How many sessions the scope's principal opened since then by a message.

        In a turn, or recorded sooner than `within` milliseconds after it was said.
        Without a principal: those that nobody in particular opened. Of primary threads alone.
        """
        ...

    def said_after(
        self, scope: Scope, session: Session, *, after: int, limit: int
    ) -> Sequence[Message]:
        """By seq, the first `limit` messages of a session after that seq, archived or not."""
        ...

    def spoken(self, scope: Scope, session: Session) -> SpokenCounts:
        """What of its messages was said, archived or not; to resume it says nothing."""
        ...
