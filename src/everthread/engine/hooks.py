"""What an engine does around its turns: keep their leases alive, ask for work once they end."""

from __future__ import annotations

from typing import Protocol

from everthread.ports import House


class TurnHooks(Protocol):
    """The part of an engine that agents and turns know."""

    @property
    def house(self) -> House: ...

    def opened(self) -> None:
        """A turn of this engine began."""
        ...

    def finished(self) -> None:
        """A turn of this engine ended."""
        ...
