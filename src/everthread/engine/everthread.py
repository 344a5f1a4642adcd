"""The engine: holds the ports, offers the verbs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from everthread.domain.agents import AgentRow, Scope, Tombstone
from everthread.domain.checks import checked_limit, checked_several, checked_text, optional_text
from everthread.domain.errors import (
    AgentUnknown,
    EverthreadError,
)
from everthread.domain.ids import id_ending
from everthread.services.archive.enrol import Definition, enrol

from .agent import Agent
from .carrying import Carrying
from .limits import FewAtOnce
from .preload import prepare_turns
from .teardown import Teardown
from .token_keeping import TokenKeeping

if TYPE_CHECKING:
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.distilling.receipts import Receipt
    from everthread.domain.timeline import Entry
    from everthread.ports import House, Records
    from everthread.services.distilling.reversal import Reversal
    from everthread.services.tasks.new import TaskFields
    from everthread.services.upkeep.diagnose import Finding
    from everthread.services.upkeep.report import SessionReport, StoreReport
    from everthread.services.upkeep.shrink import Disk
    from everthread.services.upkeep.verify import Progress, Verdict

log = logging.getLogger("everthread")

LONGEST_REASON = 4_000
MOST_BESIDE = 256
"""Agents whose handles are kept."""
FEWEST_DIGITS = 6
"""Of an agent's id, where it is not named."""
NUDGE = 1.0
"""Seconds between two calls of a worker that was asked for nothing; it leaves after many more."""


def _nothing() -> None:
    return None


class Everthread(TokenKeeping, Carrying):
    """Agents whose conversations never end. `everthread.connect()` makes one; close it when you are done."""

    def __init__(
        self,
        house: House,
        *,
        wake: Callable[[], None] = _nothing,
        again: Callable[[], None] | None = None,
        stop: Callable[[], None] = _nothing,
    ) -> None:
        self.house = house
        self._wake = wake
        self._again = again or _nothing
        # Apart: its threads live on this alone, so an engine that is dropped can go.
        self.leaving = Teardown(house, stop)
        self.tally = self.leaving.tally
        self.limited = self.leaving.limited
        self.pulse = self.leaving.pulse
        self.aside = self.leaving.aside
        self._started = False
        self._nudged = 0.0
        self._seen: dict[int, int] = {}
        self._beside: dict[str, Agent] = {}
        self.few = FewAtOnce()

    def __repr__(self) -> str:
        return f"<Everthread {self.location}>"

    @property
    def location(self) -> str:
        """Where the store is."""
        return self.house.store.location

    def agent(
        self,
        name: str,
        *,
        system: str | Sequence[Mapping[str, Any]] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        window: int | None = None,
        inactivity_hours: float | None = None,
        time_zone: str | None = None,
    ) -> Agent:
        """Get or create an agent; what is given replaces what was defined before.

        `window` is how many tokens its model takes, `inactivity_hours` the gap that ends a session.
        `time_zone` is kept beside it, for programs of yours; Everthread itself tells all times in UTC.
        """
        prepare_turns()
        wanted = Definition(system, tools, model, window, inactivity_hours, time_zone)
        return Agent(self, enrol(self.house, name, wanted))

    def beside(self, name: str) -> Agent:
        """The agent of that name, made if there is none, for one event after the other.

        The handle is kept: an agent's name and reference never part. What it is defined as may be old
        in it, and is read anew where it matters (`Agent.attend`).
        """
        held = self._beside.get(checked_text("an agent's name", name))
        if held is None:
            held = self.agent(name)
            if len(self._beside) >= MOST_BESIDE:
                self._beside.clear()
            self._beside[name] = held
        return held

    def known_agent(self, name: str | Agent) -> Agent:
        """The agent of that name, or of that id; an error, not a new agent, if there is none.

        Of an id, six or more digits of its end are enough.
        """
        if isinstance(name, Agent):
            return name
        checked_text("agent", name)
        row = self.house.store.read(lambda r: r.agents.find(name)) or self._by_id(name)
        if row is None:
            names = ", ".join(agent.name for agent in self.agents()) or "there are none yet"
            raise AgentUnknown(
                f"no agent {name!r}; agents here: {names}. A program makes one: "
                f"everthread.connect().agent({name!r}), or POST /api/agents with its name"
            )
        return Agent(self, row)

    def must_take_task(self, slug: str, *, project: str, **said: Unpack[TaskFields]) -> None:
        """Refuse what `new_task` of an agent not made yet would refuse; then nothing is made at all."""
        from everthread.services.tasks.new import must_be_possible

        real = self.house.files.real(checked_text("project", project))
        must_be_possible(self.house, real, slug, **said)

    def _by_id(self, name: str) -> AgentRow | None:
        digits = id_ending(name) or ""
        # Fewer might be a mistyped name: `ada` and `bea` are hexadecimal too.
        if len(digits) < FEWEST_DIGITS:
            return None
        rows = self.house.store.read(lambda r: r.agents.all())
        found = [row for row in rows if row.key_id.hex().endswith(digits)]
        return found[0] if len(found) == 1 else None

    def agents(self) -> list[Agent]:
        """All agents, by name."""
        return [Agent(self, row) for row in self.house.store.read(lambda r: r.agents.all())]

    def timeline(
        self, agent: str | Agent, *, limit: int = 100, session: Session | str | None = None
    ) -> list[Entry]:
        """The newest entries of an agent's hash-chained log, or of one session in it; oldest first."""
        checked_limit(limit)
        known = self.known_agent(agent)
        scope = known.scope
        if session is not None:
            from everthread.services.upkeep.report import session_timeline

            return session_timeline(self.house, known.row, session, limit=limit)
        return list(self.house.store.read(lambda r: r.timeline.newest(scope, limit=limit)))

    def report(self, *agents: Agent | str) -> StoreReport:
        """How things stand: the store, its waiting work, these agents (all, if none is named)."""
        from everthread.services.upkeep.report import report

        return report(self.house, self.rows_of(agents))

    def diagnose(self, *agents: Agent | str) -> list[Finding]:
        """What needs somebody's hand, check by check: the store and these agents (all, if none is named)."""
        from everthread.services.upkeep.diagnose import diagnose

        return diagnose(self.house, self.rows_of(agents))

    def rows_of(self, agents: Sequence[Agent | str]) -> list[AgentRow]:
        """The rows of these agents; of all, if none is named."""
        given = checked_several("agents are a list of names", agents or self.agents())
        return [self.known_agent(agent).row for agent in given]

    def sessions(
        self, agent: Agent | str, *, thread: str | None = None, limit: int = 50
    ) -> list[SessionReport]:
        """An agent's sessions with their threads and relations, newest activity first."""
        from everthread.services.upkeep.report import list_sessions

        row, most = self.known_agent(agent).row, checked_limit(limit)
        key = optional_text("thread", thread)
        return list_sessions(self.house, row, thread=key, limit=most)

    def session(self, agent: Agent | str, name: Session | str, *, limit: int = 50) -> SessionReport:
        """One session with its relations and its newest messages; named as in `Agent.session`."""
        from everthread.services.upkeep.report import show_session

        most = checked_limit(limit)
        return show_session(self.house, self.known_agent(agent).row, name, limit=most)

    def vacuum(self) -> tuple[Disk, Disk]:
        """Write the whole store anew, without gaps; how it stood before and stands now."""
        from everthread.services.upkeep.shrink import vacuum

        return vacuum(self.house)

    def verify(self, agent: Agent | str, progress: Progress | None = None) -> Verdict:
        """Recompute an agent's timeline and compare every row with what it sealed."""
        from everthread.services.upkeep.verify import verify

        return verify(self.house, self.known_agent(agent).row, progress)

    def ownerless(self) -> list[Verdict]:
        """What the store holds of agents that are not in it, which no `verify` of an agent looks at.

        Nothing, unless somebody took an agent out behind Everthread's back.
        """
        from everthread.services.upkeep.verify import verify_ownerless

        return verify_ownerless(self.house)

    def erase(
        self, agent: Agent | str, *, thread: str | None = None, reason: str | None = None
    ) -> list[Tombstone]:
        """Remove for good what was said on a thread, or on all of the agent's. Cannot be undone."""
        from everthread.services.forgetting.erase import erase
        from everthread.services.forgetting.settle import settle_now

        optional_text("reason", reason, longest=LONGEST_REASON)
        row = self.known_agent(agent).row
        self.flush()  # what was looked for and not written yet may be in the words of what goes
        stones = erase(self.house, row, key=thread, reason=reason)
        settle_now(self.house, row)
        return list(stones)

    def undo(self, receipt: Receipt | str, *, dry_run: bool = False) -> Reversal:
        """Take a distillation back everywhere it touched; `dry_run` only says what would be.

        The receipt is named by its id, or by any ending of it that fits one alone.
        """
        from everthread.services.distilling.undo import undo

        owner = self.receipt_agent(receipt).row
        done = undo(self.house, owner, receipt, dry_run=dry_run)
        self.call()
        return done

    def redo(self, receipt: Receipt | str, *, dry_run: bool = False) -> Reversal:
        """Put a distillation that was undone back in force."""
        from everthread.services.distilling.undo import redo

        owner = self.receipt_agent(receipt).row
        done = redo(self.house, owner, receipt, dry_run=dry_run)
        self.call()
        return done

    def receipt_agent(self, receipt: Receipt | str) -> Agent:
        """The agent whose receipt that is: named by its id, or by any ending of it that fits one alone."""
        from everthread.services.distilling.receipts import SOUGHT

        digits = SOUGHT.digits(receipt)
        rows = self.house.store.read(
            lambda r: [
                a for a in r.agents.all() if digits and r.receipts.ending(Scope(a.ref), digits)
            ]
        )
        return Agent(self, SOUGHT.only(receipt, rows))

    def close(self) -> None:
        """Stop what runs in the background, let go of open turns, close the store. Twice is once."""
        self.leaving.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # For turns ----------------------------------------------------------------------------------

    def opened(self, turn: object, row: TurnRow) -> None:
        """A turn of this engine began: keep its lease alive for as long as someone holds it."""
        self.pulse.opened(turn, row.key_id, row.ref)

    def finished(self, row: TurnRow, fixed: int) -> None:
        """A turn of this engine ended. The first one starts the worker, later ones call it again."""
        from everthread.services.distilling.notice import notice

        self.pulse.closed(row.key_id)
        try:
            if notice(self.house, row, fixed):
                self._wake()
        except EverthreadError as trouble:
            # The turn is on disk; the next one notices what this one could not.
            log.warning("whether a thread is to be distilled could not be seen: %s", trouble)
        self.stir()

    def flush(self, agent: int | None = None) -> None:
        """Write what was counted and waits, of one agent or all. What cannot be written is told and lost."""
        self.leaving.flush(agent)

    def settle(self) -> None:
        """Write what is still only in memory. What waits of checkpoints is not: it is jobs in the store."""
        self.flush()

    def stir(self) -> None:
        """There may be work: the first time starts the worker, later ones call it again."""
        if self._started:
            self._again()
        else:
            self._started = True
            self._wake()

    def nudge(self) -> None:
        """Something was stored, and no work was asked for: the worker only has to be there."""
        now = time.monotonic()
        if now - self._nudged >= NUDGE:
            self._nudged = now
            self.stir()

    def call(self) -> None:
        """There is work: the worker begins now."""
        self._started = True
        self._wake()

    def tend(self) -> None:
        """Call the worker if something goes on whose end nobody announces: a task's session, whose process
        may die, or an event that waits for its receiver; or if other programs stored what has no vectors."""
        from everthread.services.memory.index_lag import is_lagging

        now = self.house.clock.now()

        def work(records: Records) -> bool:
            at_work = records.sittings.lapsed(now=2**62, limit=1)
            return bool(at_work or records.outbox.due(now=now, limit=1))

        if is_lagging(self.house, self._seen) or self.house.store.read(work):
            self.stir()
