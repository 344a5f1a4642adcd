"""Follow: the files in this place say what the store says, also where another place took it away.

The store is asked of each section that stands here. What is no more is taken out, what reads otherwise
now is written anew. A section of which the store never knew is somebody else's, and stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.daily_files import sections_in
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreFailed
from everthread.domain.forgetting.forgotten_sessions import Echo
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.ids import id_ending
from everthread.ports import Flush, FlushResult, House, Records
from everthread.ports.workspace import WrittenSection
from everthread.services.archive.sources import forgotten_keys
from everthread.services.distilling.flush import order_now
from everthread.services.distilling.memory_file import managed_now, write_listing
from everthread.services.harness.extract import first_entry, section_now

from .erase import REMOVED, WHOLE_ID
from .unsay import collect_unsaid

log = logging.getLogger("everthread")

ALL = 1 << 62


class StaleSection(NamedTuple):
    """A section that tells what is no more, or not as it reads now."""

    written: WrittenSection
    anew: str
    """How it reads now; empty: it is to be taken out."""


def stale_sections(house: House, agent: AgentRow) -> list[StaleSection]:
    """What in this place is not as the store has it. OSError where a file cannot be read."""
    if house.workspace is None:
        return []
    found = house.workspace.sections(agent.name)
    return (
        house.store.read(lambda r: _SectionCheck(r, Scope(agent.ref)).all(found)) if found else []
    )


def follow(house: House, agent: int, pause: Callable[[], None]) -> bool:
    """Have the files here say what the store says of the agent. Do they? What a person edited stays."""
    workspace, scope = house.workspace, Scope(agent)
    if workspace is None:
        return True
    row, kept = house.store.read(lambda r: (r.agents.get(scope), managed_now(house, r, scope)))
    try:
        wrong = stale_sections(house, row)
    except OSError as trouble:
        raise StoreFailed(f"the files of {row.name} cannot be read: {trouble}") from trouble
    done = list[FlushResult]()
    for one in wrong:
        pause()
        act = workspace.write if one.anew else workspace.withdraw
        order = Flush(one.written.receipt_id, one.written.day, one.anew, kept)
        done.append(act(row.name, order))
    done.append(write_listing(house, row))  # at last: what was read before may be forgotten since
    if failed := next((each for each in done if not each.ok), None):
        raise StoreFailed(failed.error or "the files could not be written")
    edited = {path for each in done if each.edited for path in each.paths}
    if edited:
        log.warning("what someone edited was left as it is: in %s", ", ".join(sorted(edited)))
    return not edited


class _SectionCheck:
    """Asks one state of the store."""

    def __init__(self, records: Records, scope: Scope) -> None:
        self._records = records
        self._scope = scope
        self._receipts = {r.id: r for r in records.receipts.newest(scope, limit=ALL)}
        self._checkpoints = {c.id: c for c in records.checkpoints.newest(scope, limit=ALL)}
        self._echo: Echo | None = None

    def all(self, found: Sequence[WrittenSection]) -> list[StaleSection]:
        told = [(one, self._current_text(one)) for one in found]
        return [StaleSection(one, now) for one, now in told if now is not None]

    def _current_text(self, one: WrittenSection) -> str | None:
        """How it reads now, empty where it is no more; None: as it stands."""
        if (receipt := self._receipts.get(one.receipt_id)) is not None:
            now = self._of_receipt(receipt)
        elif (checkpoint := self._checkpoints.get(one.receipt_id)) is not None:
            now = self._of_checkpoint(checkpoint)
        else:
            return "" if self._is_gone(one) else None
        return None if now is None or (now and _text_of_section(now) == one.text) else now

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
        if checkpoint.entry == first_entry(self._records, self._scope, checkpoint):
            return None
        _, order = section_now(self._records, self._scope, checkpoint)
        return None if order is None else order.section

    def _is_gone(self, one: WrittenSection) -> bool:
        digits = id_ending(one.receipt_id)
        if digits is None or len(digits) != WHOLE_ID:
            return False
        entries = self._records.timeline.about(self._scope, bytes.fromhex(digits))
        removed = [entry for entry in entries if entry.event == REMOVED]
        if not removed:
            return bool(entries)
        # It is too old to be kept; its section stays, unless what it tells was erased or forgotten.
        return removed[-1].n < self._lineage() or self._forgotten_echo().within(one.text)

    def _lineage(self) -> int:
        """The entry by which the primary thread began: what is older was erased with the one before."""
        primary = self._records.threads.all(self._scope)[0]
        if primary.lineage == 1:
            return 0
        return min(e.n for e in self._records.timeline.about(self._scope, primary.key_id))

    def _forgotten_echo(self) -> Echo:
        """What was forgotten, as far as it was said: of the memory itself no word is kept."""
        if self._echo is None:
            keys = sorted(forgotten_keys(self._records, self._scope))
            self._echo = Echo(collect_unsaid(self._records, self._scope, (), keys))
        return self._echo


def _text_of_section(section: str) -> str:
    return "\n".join(text for _, text in sections_in(section))
