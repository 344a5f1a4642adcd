"""Heed what was noticed: the work of a job that distills a thread."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import DistillationBusy, ThreadClosed, ThreadUnknown
from everthread.ports import House, Records
from everthread.services.archive.measure import fixed_tokens, prompt_of

from .distill import distill
from .order import Order
from .stages import Pause


def run_distill_job(house: House, agent: int, thread: int, *, pause: Pause) -> Receipt | None:
    """What a job was asked to do: distill the thread if signals still fire."""
    scope = Scope(agent)

    def work(records: Records) -> tuple[AgentRow, int]:
        row = records.agents.get(scope)
        prompt = prompt_of(records, scope, row.system_hash, row.tools_hash)
        return row, fixed_tokens(house, *prompt)

    row, fixed = house.store.read(work)
    try:
        return distill(house, Order(row, thread, fixed=fixed), pause=pause)
    except (DistillationBusy, ThreadUnknown, ThreadClosed):
        return None  # whoever is at it does what was asked for, or nothing is left to do
