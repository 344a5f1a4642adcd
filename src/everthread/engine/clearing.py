"""Tool results of a long turn, as its requests show them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everthread.domain.conversation.rendering import open_calls
from everthread.domain.distilling.clearing import Cut, clear_message
from everthread.domain.errors import StoreFailed

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.tokens import Calibration
    from everthread.domain.conversation.turns import TurnRow
    from everthread.ports import House

log = logging.getLogger("everthread")


class Clearing:
    """Which results of one turn were cleared."""

    def __init__(self) -> None:
        self._cuts: dict[int, Cut] = {}
        self._short: dict[int, Message] = {}

    def shown(self, own: list[Message]) -> list[Message]:
        """What was said in the turn, as its next request shows it."""
        return [self._short.get(m.seq, m) for m in own] if self._short else own

    def make_room(
        self,
        house: House,
        turn: TurnRow,
        own: Sequence[Message],
        *,
        computed: int,
        calibration: Calibration,
    ) -> int:
        """Clear what has to be for the next request to fit; the tokens that saves."""
        limit = house.policy.guard(turn.window)
        # A request comes next where every call has its answer. Most are far below the guard.
        if calibration.apply(computed) <= limit or open_calls(own):
            return 0
        from everthread.services.archive.clear import clear

        sizes: Any = {"computed": computed, "calibration": calibration}
        try:
            found = clear(house, turn, own, self._cuts, **sizes)
        except StoreFailed as trouble:
            # What was said is stored, and must not look as if it were not. The next step tries again.
            log.warning("turn %s: tool results could not be cleared: %s", turn.number, trouble)
            return 0
        self._short |= {m.seq: clear_message(m, found[m.seq].kept) for m in own if m.seq in found}
        before = sum(self._cuts[seq].saved for seq in found if seq in self._cuts)
        self._cuts |= found
        return sum(cut.saved for cut in found.values()) - before
