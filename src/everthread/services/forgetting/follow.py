"""Follow: the files in this place say what the store says, also where another place took it away.

The store is asked of each section that stands here. What is no more is taken out, what reads otherwise
now is written anew. A section of which the store never knew is somebody else's, and stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.daily import sections_in
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreFailed
from everthread.domain.forgetting.unsaid_sessions import Echo
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.ids import id_ending
from everthread.ports import Flush, Flushed, House, Records
from everthread.ports.workspace import Written
from everthread.services.archive.sources import forgotten
from everthread.services.distilling.flush import order_now
from everthread.services.distilling.listed import listed, managed_now
from everthread.services.harness.extract import made_by, section_now

from .erase import REMOVED, WHOLE_ID
from .unsay import gone_of

log = logging.getLogger("everthread")

ALL = 1 << 62


class Amiss(NamedTuple):
    """A section that tells what is no more, or not as it reads now."""

    written: Written
    anew: str
    """How it reads now; empty: it is to be taken out."""


def amiss(house: House, agent: AgentRow) -> list[Amiss]:
    """What in this place is not as the store has it. OSError where a file cannot be read."""
    if house.workspace is None:
        return []
    found = house.workspace.sections(agent.name)
    return house.store.read(lambda r: _Looking(r, Scope(agent.ref)).all(found)) if found else []


def follow(house: House, agent: int, pause: Callable[[], None]) -> bool:
    """Have the files here say what the store says of the agent. Do they? What a person edited stays."""
    workspace, scope = house.workspace, Scope(agent)
    if workspace is None:
        return True
    row, kept = house.store.read(lambda r: (r.agents.get(scope), managed_now(house, r, scope)))
    try:
        wrong = amiss(house, row)
    except OSError as trouble:
        raise StoreFailed(f"the files of {row.name} cannot be read: {trouble}") from trouble
    done = list[Flushed]()
    for one in wrong:
        pause()
        act = workspace.write if one.anew else workspace.withdraw
        order = Flush(one.written.receipt_id, one.written.day, one.anew, kept)
        done.append(act(row.name, order))
    done.append(listed(house, row))  # at last: what was read before may be forgotten since
    if failed := next((each for each in done if not each.ok), None):
        raise StoreFailed(failed.error or "the files could not be written")
    edited = {path for each in done if each.edited for path in each.paths}
    if edited:
        log.warning("what someone edited was left as it is: in %s", ", ".join(sorted(edited)))
    return not edited


class _Looking:
    """Asks one state of the store."""

    def __init__(self, records: Records, scope: Scope) -> None:
        self._records = records
        self._scope = scope
        self._receipts = {r.id: r for r in records.receipts.newest(scope, limit=ALL)}
        self._checkpoints = {c.id: c for c in records.checkpoints.newest(scope, limit=ALL)}
        self._echo: Echo | None = None

    def all(self, found: Sequence[Written]) -> list[Amiss]:
        told = [(one, self._now(one)) for one in found]
        return [Amiss(one, now) for one, now in told if now is not None]

    def _now(self, one: Written) -> str | None:
        """How it reads now, empty where it is no more; None: as it stands."""
        if (receipt := self._receipts.get(one.receipt_id)) is not None:
            now = self._of_receipt(receipt)
        elif (checkpoint := self._checkpoints.get(one.receipt_id)) is not None:
            now = self._of_checkpoint(checkpoint)
        else:
            return "" if self._gone(one) else None
        return None if now is None or (now and _says(now) == one.text) else now

    def _of_receipt(self, receipt: Receipt) -> str | None:
        if receipt.outcome == "open":
            return None  # whoever is at work on it sees to it
        if not receipt.standing:
            return ""
        rows = self._records.summaries.all(self._scope, receipt.thread_ref)
        if sum(row.receipt_ref == receipt.ref for row in rows) == 1:
            return None  # it was never made anew
        return order_now(self._records, self._scope, receipt).section

    def _of_checkpoint(self, checkpoint: Checkpoint) -> str | None:
        if checkpoint.entry == made_by(self._records, self._scope, checkpoint):
            return None
        _, order = section_now(self._records, self._scope, checkpoint)
        return None if order is None else order.section

    def _gone(self, one: Written) -> bool:
        digits = id_ending(one.receipt_id)
        if digits is None or len(digits) != WHOLE_ID:
            return False
        entries = self._records.timeline.about(self._scope, bytes.fromhex(digits))
        removed = [entry for entry in entries if entry.event == REMOVED]
        if not removed:
            return bool(entries)
        # It is too old to be kept; its section stays, unless what it tells was erased or forgotten.
        return removed[-1].n < self._lineage() or self._told().within(one.text)

    def _lineage(self) -> int:
        """The entry by which the primary thread began: what is older was erased with the one before."""
        primary = self._records.threads.all(self._scope)[0]
        if primary.lineage == 1:
            return 0
        return min(e.n for e in self._records.timeline.about(self._scope, primary.key_id))

    def _told(self) -> Echo:
        """What was forgotten, as far as it was said: of the memory itself no word is kept."""
        if self._echo is None:
            keys = sorted(forgotten(self._records, self._scope))
            self._echo = Echo(gone_of(self._records, self._scope, (), keys))
        return self._echo


def _says(section: str) -> str:
    return "\n".join(text for _, text in sections_in(section))
