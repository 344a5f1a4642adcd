"""How things stand: an agent's threads, the store's size, the work that waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Channel, Scope
from everthread.domain.errors import ThreadUnknown
from everthread.services.archive.context_size import with_size_now
from everthread.services.archive.measure import calibration_of
from everthread.services.archive.sessions import find_session

from .shrink import Disk, disk

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.conversation.threads import Thread
    from everthread.domain.conversation.tokens import Calibration
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.distilling.receipts import Receipt
    from everthread.domain.jobs import Job
    from everthread.domain.timeline import Entry
    from everthread.ports import House, Records
    from everthread.services.distilling.missing import MissingItem

LOOKED_AT = 50
"""So many of the newest receipts of a thread are looked through, whoever tells how they stand."""

MOST = 1_000


class DistillationReport(NamedTuple):
    """How the distillations of an agent's primary thread stand."""

    last: Receipt | None
    """The newest that is in force."""
    newest: Receipt | None
    """The newest of all, however it ended."""
    alarming: Sequence[Receipt]
    """Those in force that lost a larger share than may be lost, newest first."""
    waiting: int
    """Flushes of the agent that are not written yet."""
    missing: Sequence[MissingItem] = ()
    """Rules, decisions and open requests that were lost and are not back yet, what matters most first."""

    @property
    def alarm(self) -> bool:
        """Should somebody look? For the user's rules and open requests no share counts."""
        return bool(self.alarming) or any(one.kind != "decisions" for one in self.missing)


class AgentReport(NamedTuple):
    agent: AgentRow
    threads: Sequence[Thread]
    channels: Sequence[Channel]
    session: Session | None
    sessions: int
    open_turn: TurnRow | None
    last_turn: TurnRow | None
    entries: int
    calibration: Calibration
    distilled: DistillationReport


class StoreReport(NamedTuple):
    location: str
    size: Mapping[str, int]
    disk: Disk
    jobs: Sequence[Job]
    agents: Sequence[AgentReport]


class SessionReport(NamedTuple):
    """A session with its relations and the newest of what was said in it."""

    session: Session
    thread: Thread
    parent: Session | None
    previous: Session | None
    children: Sequence[Session]
    messages: Sequence[Message]


def report(house: House, agents: Sequence[AgentRow]) -> StoreReport:
    """Status in one consistent read."""
    meter = disk(house)

    def work(records: Records) -> StoreReport:
        return StoreReport(
            house.store.location,
            _size(house),
            meter,
            records.jobs.all(),
            [_agent(house, records, agent) for agent in agents],
        )

    return house.store.read(work)


def _size(house: House) -> Mapping[str, int]:
    index = house.index.size()
    return {**house.store.size(), **({"index": index} if index else {})}


def _agent(house: House, records: Records, agent: AgentRow) -> AgentReport:
    scope = Scope(agent.ref)
    threads = [with_size_now(house, records, agent, t) for t in records.threads.all(scope)]
    primary = threads[0].ref
    turns = records.turns.all(scope, primary, limit=1)
    return AgentReport(
        agent=agent,
        threads=threads,
        channels=records.channels.all(scope),
        session=records.sessions.live(scope, primary),
        sessions=records.sessions.count(scope),
        open_turn=records.turns.open_on(scope, primary),
        last_turn=turns[0] if turns else None,
        entries=records.timeline.head(scope)[0],
        calibration=calibration_of(records, agent),
        distilled=_distillation_report(records, scope, threads[0], house.policy.score_threshold),
    )


def _distillation_report(
    records: Records, scope: Scope, thread: Thread, threshold: float
) -> DistillationReport:
    receipts = receipts_looked_at(records, scope, thread)
    last = next((receipt for receipt in receipts if receipt.standing), None)
    waiting = sum(each.agent_ref == scope.agent for each in records.intents.open(limit=MOST))
    return DistillationReport(
        last=last,
        newest=receipts[0] if receipts else None,
        alarming=alarming_receipts(receipts, threshold),
        waiting=waiting,
        missing=missing_on(records, scope, thread, receipts),
    )


def receipts_looked_at(records: Records, scope: Scope, thread: Thread) -> Sequence[Receipt]:
    """The newest receipts of a thread, newest first."""
    return records.receipts.newest(scope, thread=thread.ref, limit=LOOKED_AT)


def missing_on(
    records: Records, scope: Scope, thread: Thread, receipts: Sequence[Receipt]
) -> Sequence[MissingItem]:
    """What of the thread is missing; where none of its newest receipts has a score nothing is loaded."""
    if not any(each.standing and each.score_json is not None for each in receipts):
        return ()
    from everthread.services.distilling.missing import missing_items  # noqa: PLC0415 - slow to load

    return missing_items(records, scope, thread)


def alarming_receipts(receipts: Sequence[Receipt], threshold: float) -> list[Receipt]:
    """Those in force that lost a larger share than may be lost, and that nobody dismissed."""
    return [receipt for receipt in receipts if _is_alarming(receipt, threshold)]


def _is_alarming(receipt: Receipt, threshold: float) -> bool:
    if not receipt.standing or receipt.score is None:
        return False
    if 100 * receipt.score.held >= threshold:
        return False
    from everthread.domain.distilling.losses import is_dismissed  # noqa: PLC0415 - slow to load

    return not is_dismissed(receipt)


def list_sessions(
    house: House, agent: AgentRow, *, thread: str | None, limit: int
) -> list[SessionReport]:
    """Newest activity first, of one thread or of all, without their messages."""
    scope = Scope(agent.ref)

    def work(records: Records) -> list[SessionReport]:
        ref = None if thread is None else _thread_by_key(records, agent, thread).ref
        found = records.sessions.all(scope, thread=ref, limit=limit)
        return [_session(records, scope, session, limit=0) for session in found]

    return house.store.read(work)


def show_session(house: House, agent: AgentRow, name: object, *, limit: int) -> SessionReport:
    """The session of that name with its newest messages."""
    scope = Scope(agent.ref)
    return house.store.read(lambda r: _session(r, scope, find_session(r, scope, name), limit=limit))


def session_timeline(house: House, agent: AgentRow, name: object, *, limit: int) -> list[Entry]:
    """What the timeline says of a session, its turns and its messages: the newest, oldest first."""
    scope = Scope(agent.ref)

    def work(records: Records) -> list[Entry]:
        session = find_session(records, scope, name)
        messages = records.messages.of_session(scope, session, limit=limit)
        turns = {m.turn_ref for m in messages if m.turn_ref is not None}
        subjects = [session.key_id, *(records.turns.get(scope, ref).key_id for ref in turns)]
        entries = [e for subject in subjects for e in records.timeline.about(scope, subject)]
        for message in messages:
            entries += records.timeline.page(scope, after=message.entry - 1, limit=1)
        return sorted(entries, key=lambda entry: entry.n)[-limit:] if limit else []

    return house.store.read(work)


def _session(records: Records, scope: Scope, session: Session, *, limit: int) -> SessionReport:
    def related(ref: int | None) -> Session | None:
        return None if ref is None else records.sessions.get(scope, ref)

    return SessionReport(
        session=session,
        thread=records.threads.get(scope, session.thread_ref),
        parent=related(session.parent_ref),
        previous=related(session.previous_ref),
        children=records.sessions.children(scope, session.ref),
        messages=records.messages.of_session(scope, session, limit=limit) if limit else (),
    )


def _thread_by_key(records: Records, agent: AgentRow, key: str) -> Thread:
    thread = records.threads.find(Scope(agent.ref), key)
    if thread is None:
        raise ThreadUnknown(
            f"agent {agent.name!r} has no thread {key!r}; `everthread threads` shows what there is"
        )
    return thread
