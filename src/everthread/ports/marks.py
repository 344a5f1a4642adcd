"""Marks: what a view hides or shortens, from one of its versions until another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.views import Mark, Span


class Marks(Protocol):
    def of(self, scope: Scope, thread: int) -> Sequence[Mark]: ...

    def hiding(self, scope: Scope, thread: int, *, version: int) -> Sequence[Span]:
        """What is hidden at that version of the view: disjoint, in order."""
        ...

    def shortening(
        self, scope: Scope, thread: int, *, version: int, first: int, last: int
    ) -> Sequence[Mark]:
        """What shortens messages from `first` to `last` at that version, in order."""
        ...

    def add(self, scope: Scope, mark: Mark, *, now: int) -> Mark: ...

    def by(self, scope: Scope, receipt: int) -> Sequence[Mark]:
        """Those that a receipt made, ended ones too."""
        ...

    def end(self, scope: Scope, mark: Mark, version: int, *, now: int) -> None:
        """It acts up to that version of the view, and not from then on."""
        ...
