"""What was distilled and purged when its age was over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.threads import ThreadKind
    from everthread.domain.conversation.views import Mark
    from everthread.domain.distilling.purging import Purge


class Purges(Protocol):
    def due(
        self, kind: ThreadKind, *, before: int, limit: int
    ) -> Sequence[tuple[Scope, Mark, int]]:
        """(whose, mark, first seq that is left) of what standing receipts closed before then hide.

        On threads of that kind, of any agent; what is purged to its end is left out. For the purging
        job alone.
        """
        ...

    def take(self, scope: Scope, purge: Purge) -> Purge:
        """Remove the live messages of that run with their bodies, and say so in the timeline.

        Their salts go; messages, tokens, hash and entry are filled in.
        """
        ...

    def of_thread(self, scope: Scope, thread: int) -> Sequence[Purge]:
        """By seq."""
        ...

    def of_receipt(self, scope: Scope, receipt: int) -> Sequence[Purge]:
        """By seq."""
        ...

    def all(self, scope: Scope) -> Sequence[tuple[bytes, Purge]]:
        """With the id of its thread, in order."""
        ...

    def uncertain(self, scope: Scope, thread: int, first: int, last: int) -> frozenset[int]:
        """The seq of those of these messages whose bodies once gave way to the disk budget.

        What the index holds of them need not be what they say now.
        """
        ...
