"""How things stand: an agent's threads, the store's size, the work that waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Channel, Scope
from everthread.domain.jobs import Job
from everthread.domain.sessions import Session
from everthread.domain.threads import Thread
from everthread.domain.turns import TurnRow
from everthread.ports import House, Records


class AgentReport(NamedTuple):
    agent: AgentRow
    threads: Sequence[Thread]
    channels: Sequence[Channel]
    session: Session | None
    sessions: int
    open_turn: TurnRow | None
    last_turn: TurnRow | None
    entries: int


class StoreReport(NamedTuple):
    location: str
    size: Mapping[str, int]
    jobs: Sequence[Job]
    agents: Sequence[AgentReport]


def report(house: House, agents: Sequence[AgentRow]) -> StoreReport:
    """Status in one consistent read."""

    def work(records: Records) -> StoreReport:
        return StoreReport(
            house.store.location,
            house.store.size(),
            records.jobs.all(),
            [_agent(records, agent) for agent in agents],
        )

    return house.store.read(work)


def _agent(records: Records, agent: AgentRow) -> AgentReport:
    scope = Scope(agent.ref)
    threads = records.threads.all(scope)
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
    )
