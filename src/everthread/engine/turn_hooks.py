"""What an engine does around its turns: keep their leases alive, ask for work once they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.conversation.turns import TurnRow
    from everthread.ports import House
    from everthread.services.giving.tally import Tally

    from .limits import Aside, FewAtOnce, TimeLimit
    from .pulse import Pulse


class TurnHooks(Protocol):
    """The part of an engine that agents and turns know."""

    @property
    def house(self) -> House: ...

    @property
    def pulse(self) -> Pulse:
        """Which turns of this engine live."""
        ...

    @property
    def tally(self) -> Tally:
        """What helped, as far as it is not written yet."""
        ...

    @property
    def limited(self) -> TimeLimit:
        """Waits for a recall only so long."""
        ...

    @property
    def few(self) -> FewAtOnce:
        """Lets only a few recover at once."""
        ...

    @property
    def aside(self) -> Aside:
        """Runs what a stream has to store beside the event loop."""
        ...

    def flush(self, agent: int | None = None) -> None:
        """Write what was counted and waits, of one agent or of all."""
        ...

    def opened(self, turn: object, row: TurnRow) -> None:
        """A turn of this engine began; it lives for as long as the object does."""
        ...

    def finished(self, row: TurnRow, fixed: int) -> None:
        """A turn of this engine ended; `fixed`: what its requests held beside messages."""
        ...

    def stir(self) -> None:
        """There may be work for the worker: have it look."""
        ...

    def nudge(self) -> None:
        """Something was stored, and no work was asked for: the worker only has to be there."""
        ...

    def call(self) -> None:
        """There is work for the worker: have it begin now."""
        ...
