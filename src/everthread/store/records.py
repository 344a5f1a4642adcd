"""Everything the store keeps, over one connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.ports import Ids

if TYPE_CHECKING:
    from .audit import AuditTable

from .agents import AgentTable, ChannelTable
from .bodies import BodyTable
from .checkpoints import CheckpointTable, CursorTable
from .compactions import CompactionTable
from .connection_cache import ConnectionCache
from .endings import EndingTable
from .exchanges import ExchangeTable
from .injections import InjectionTable, UseTable
from .jobs import JobTable
from .link import Link
from .memories import MemoryTable
from .messages import MessageTable
from .notes import NoteTable
from .outputs import OutputTable
from .purges import PurgeTable
from .receipts import IntentTable, ReceiptTable, SummaryTable
from .scorers import ScorerTable
from .sessions import SessionTable
from .tasks import IncidentTable, OutboxTable, SittingTable, TaskTable
from .threads import ThreadTable
from .timeline import TimelineTable
from .tokens import TokenTable
from .turns import MarkTable, TurnTable


class TableRecords:
    """Made once for a connection; `begin` and `finish` frame its transactions."""

    def __init__(self, db: Link, ids: Ids, *, body_bytes: int) -> None:
        self._memory = ConnectionCache()
        self.timeline = TimelineTable(db, ids, self._memory)
        self.agents = AgentTable(db, ids, self.timeline, self._memory)
        self.bodies = BodyTable(db, self.timeline)
        self.threads = ThreadTable(db, ids, self.timeline, self._memory)
        self.channels = ChannelTable(db)
        self.sessions = SessionTable(db, self.timeline, self._memory)
        self.turns = TurnTable(db, self.timeline)
        self.messages = MessageTable(db, self.threads, self.timeline, body_bytes=body_bytes)
        self.endings = EndingTable(
            db, self.timeline, self.sessions, self._memory, self.messages.whole
        )
        self.marks = MarkTable(db, self.timeline)
        self.memories = MemoryTable(db, self.timeline)
        self.notes = NoteTable(db, self.timeline)
        self.injections = InjectionTable(db, self.timeline)
        self.uses = UseTable(db)
        self.scorers = ScorerTable(db)
        self.receipts = ReceiptTable(db, self.timeline)
        self.summaries = SummaryTable(db, self.timeline)
        self.intents = IntentTable(db)
        self.checkpoints = CheckpointTable(db, self.timeline, self._memory)
        self.cursors = CursorTable(db)
        self.compactions = CompactionTable(db, self.timeline)
        self.tokens = TokenTable(db)
        self.exchanges = ExchangeTable(db, self.timeline)
        self.tasks = TaskTable(db, self.timeline)
        self.sittings = SittingTable(db, self.timeline, self._memory)
        self.incidents = IncidentTable(db, self.timeline)
        self.outbox = OutboxTable(db, self.timeline)
        self.outputs = OutputTable(db, ids, self.timeline)
        self.purges = PurgeTable(db, self.timeline)
        self.jobs = JobTable(db)
        self._db = db
        self._audit: AuditTable | None = None
        # On the way of every append, so without a call in between.
        self.begin = self._memory.trim
        self.finish = self.timeline.flush

    @property
    def audit(self) -> AuditTable:
        """Only who verifies looks at everything there is."""
        from .audit import AuditTable  # noqa: PLC0415 - only then

        if self._audit is None:
            self._audit = AuditTable(self._db)
        return self._audit

    def forget(self) -> None:
        """Someone else wrote, or a transaction was taken back: what was known may be wrong."""
        self._memory.clear()
        if self._audit is not None:
            self._audit.forget()
