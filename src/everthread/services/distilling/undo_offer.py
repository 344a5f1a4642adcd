"""Undo offered: what to tell a person who may want a distillation's messages back, and nothing that is
then refused."""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import DistillationBusy, StoreFailed, StoreReadOnly, UndoRefused
from everthread.domain.ids import short
from everthread.ports import House

from .lease import try_writing
from .swap import standing_receipts
from .undo import undo

MOST_REMADE = 2
"""With more later distillations, which would be made anew, nobody is kept waiting for the answer."""


class UndoOffer(NamedTuple):
    taken: bool | None
    """Would it be done? None where that was not tried."""
    says: str


def undo_offer(house: House, agent: AgentRow, receipt: Receipt) -> UndoOffer:
    """Whether the distillation can be undone now, in words."""
    command = f"everthread undo {short(receipt.key_id)}"
    stand = house.store.read(lambda r: standing_receipts(r, Scope(agent.ref), receipt.thread_ref))
    if sum((each.number or 0) > (receipt.number or 0) for each in stand) > MOST_REMADE:
        return UndoOffer(None, f"{command} --dry-run tells whether its messages can come back")
    try:
        try_writing(house)
        undo(house, agent, receipt.id, dry_run=True)
    except (UndoRefused, DistillationBusy) as refused:
        return UndoOffer(
            taken=False, says=f"{command} is refused now: {_first_sentence(str(refused))}"
        )
    except StoreReadOnly:
        return UndoOffer(None, f"{command} needs a store that can be written")
    except StoreFailed as trouble:
        return UndoOffer(None, f"{command} cannot be tried now: {_first_sentence(str(trouble))}")
    return UndoOffer(taken=True, says=f"{command} brings its messages back into the view")


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")
