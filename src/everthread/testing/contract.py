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
from .promises.jobs import DutyPromises, JobPromises
from .promises.messages import AppendPromises, ReadingPromises
from .promises.sessions import SessionPromises
from .promises.threads import ErasePromises, ThreadPromises
from .promises.timeline import TimelinePromises
from .promises.turns import MarkPromises, TurnPromises
from .promises.writing import WritingPromises


class StoreContract(
    AgentPromises,
    BodyPromises,
    ChannelPromises,
    ThreadPromises,
    ErasePromises,
    SessionPromises,
    TurnPromises,
    MarkPromises,
    AppendPromises,
    ReadingPromises,
    TimelinePromises,
    AuditPromises,
    JobPromises,
    DutyPromises,
    WritingPromises,
):
    """Every promise of the port `Store`."""
