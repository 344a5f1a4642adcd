"""What every store promises. Subclass it with a `store` fixture, and pytest holds yours to it:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            store = MyStore(tmp_path / "my.db")
            yield store
            store.close()

Each test wants an empty store. The promises themselves are written on the methods of `everthread.ports`.
"""

from __future__ import annotations

from .promises.agents import AgentPromises, BodyPromises, ChannelPromises
from .promises.audit import AuditPromises
from .promises.catalogue import ApartPromises, CardPromises, FilingPromises
from .promises.checkpoint_pruning import PruningPromises
from .promises.checkpoints import CheckpointPromises
from .promises.compactions import CompactionPromises, CursorPromises, TokenPromises
from .promises.disk_budget import OutputPromises, ShrinkingPromises, SpacePromises
from .promises.endings import EndingPromises
from .promises.exchanges import ExchangePromises
from .promises.index_search import VectorPromises, WordPromises
from .promises.injections import InjectionPromises, UsePromises
from .promises.jobs import DutyPromises, JobPromises
from .promises.memories import MemoryPromises, NotePromises, PrimingPromises
from .promises.messages import AppendPromises, ReadingPromises
from .promises.purges import PurgePromises
from .promises.receipts import ReceiptPromises
from .promises.scorers import ScorerPromises
from .promises.sessions import SessionPromises
from .promises.sittings import (
    IncidentPromises,
    OutboxPromises,
    SittingPromises,
    TaskErasePromises,
    TaskForgetPromises,
)
from .promises.standing_memories import StandingPromises
from .promises.summaries import IntentPromises, SummaryPromises
from .promises.tasks import TaskPromises
from .promises.threads import ErasePromises, ThreadPromises
from .promises.timeline import TimelinePromises
from .promises.transactions import WritingPromises
from .promises.turns import MarkPromises, TurnPromises


class StoreContract(
    AgentPromises,
    BodyPromises,
    ChannelPromises,
    ThreadPromises,
    ErasePromises,
    SessionPromises,
    EndingPromises,
    TurnPromises,
    MarkPromises,
    PurgePromises,
    AppendPromises,
    ReadingPromises,
    MemoryPromises,
    StandingPromises,
    PrimingPromises,
    NotePromises,
    InjectionPromises,
    UsePromises,
    ScorerPromises,
    ReceiptPromises,
    SummaryPromises,
    IntentPromises,
    CheckpointPromises,
    PruningPromises,
    CursorPromises,
    CompactionPromises,
    TokenPromises,
    ExchangePromises,
    TaskPromises,
    SittingPromises,
    IncidentPromises,
    OutboxPromises,
    TaskErasePromises,
    TaskForgetPromises,
    OutputPromises,
    ShrinkingPromises,
    SpacePromises,
    TimelinePromises,
    AuditPromises,
    JobPromises,
    DutyPromises,
    WritingPromises,
):
    """Every promise of the port `Store`."""


class IndexContract(
    FilingPromises,
    CardPromises,
    WordPromises,
    VectorPromises,
    ApartPromises,
):
    """Every promise of the port `Index`. It wants two fixtures: `index`, empty, and `other`, a second
    handle to the same one (where there can be none, the same)."""
