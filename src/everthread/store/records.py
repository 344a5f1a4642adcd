"""Everything the store keeps, over one connection."""

from __future__ import annotations

from everthread.ports import Ids

from .agents import AgentTable, BodyTable, ChannelTable
from .audit import AuditTable
from .jobs import JobTable
from .link import Link
from .messages import MessageTable
from .sessions import SessionTable
from .threads import ThreadTable
from .timeline import TimelineTable
from .turns import MarkTable, TurnTable


class TableRecords:
    """Made once for a connection; `begin` and `finish` frame each transaction."""

    def __init__(self, db: Link, ids: Ids, *, body_bytes: int) -> None:
        self.timeline = TimelineTable(db, ids)
        self.agents = AgentTable(db, ids, self.timeline)
        self.bodies = BodyTable(db)
        self.threads = ThreadTable(db, ids, self.timeline)
        self.channels = ChannelTable(db)
        self.sessions = SessionTable(db, self.timeline)
        self.turns = TurnTable(db, self.timeline)
        self.messages = MessageTable(db, ids, self.timeline, body_bytes=body_bytes)
        self.marks = MarkTable(db, self.timeline)
        self.jobs = JobTable(db)
        self.audit = AuditTable(db)

    def begin(self) -> None:
        """Forget what an earlier transaction, perhaps a failed one, left here."""
        self.timeline.forget()
        self.audit.forget()

    def finish(self) -> None:
        """Write what waits for the end of the transaction."""
        self.timeline.flush()
