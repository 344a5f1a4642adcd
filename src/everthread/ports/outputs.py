"""Which bodies are output of tools, and what was left of those that gave way to the disk budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.distilling.shrinking import (
        Output,
        Savings,
        Shrinking,
        StoredContent,
        Use,
    )


class Outputs(Protocol):
    def weighed(self, scope: Scope, thread: int) -> int:
        """The seq up to which the thread was looked through; 0 where nobody has begun."""
        ...

    def written(self, scope: Scope, thread: int, first: int, last: int) -> Sequence[StoredContent]:
        """The messages with blocks, live and archived, by seq, both ends included; bodies stay apart."""
        ...

    def weigh(
        self, scope: Scope, thread: int, uses: Sequence[Use], *, after: int, until: int
    ) -> bool:
        """Note the uses found in messages after that seq; the thread is looked through until the other.

        False, and nothing is noted, if somebody else got further meanwhile.
        """
        ...

    def oldest(
        self, *, before: int, after: tuple[int, int] = (0, 0), limit: int
    ) -> Sequence[Output]:
        """Bodies of any agent that are output in every use, whole, and older; oldest first.

        `after`: (at, body) of the last one seen. For the disk budget alone.
        """
        ...

    def places(self, scope: Scope, output: Output) -> Sequence[int]:
        """Where the body is used (`domain.ids.place_at`)."""
        ...

    def shrink(self, scope: Scope, output: Output, kept: str, *, now: int) -> Shrinking | None:
        """Keep that of the body instead of all; sealed. The messages go on naming the whole.

        None, and nothing changes, if the body was used again or is gone. Put again, it is whole again.
        """
        ...

    def spare(self, scope: Scope, output: Output) -> None:
        """Shrinking it would save nothing: it is not among the oldest any more."""
        ...

    def saved(self) -> Savings:
        """What is shrunk just now, over all agents."""
        ...
