"""Agents, their calibration, and their channels."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Channel, Scope
from everthread.domain.errors import AgentUnknown
from everthread.domain.timeline import agent_facts
from everthread.ports import Ids

from .connection_cache import ConnectionCache
from .link import Link
from .sql import statements as sql
from .timeline import TimelineTable


class AgentTable:
    def __init__(
        self, db: Link, ids: Ids, timeline: TimelineTable, memory: ConnectionCache
    ) -> None:
        self._db = db
        self._ids = ids
        self._timeline = timeline
        self._held = memory.agents

    def find(self, name: str) -> AgentRow | None:
        row = self._db.one(sql.AGENT_NAMED, None, name=name)
        return None if row is None else AgentRow._make(row)

    def get(self, scope: Scope) -> AgentRow:
        held = self._held.get(scope.agent)
        if held is not None:
            return held
        row = self._db.one(sql.AGENT_GET, scope)
        if row is None:
            raise AgentUnknown("the agent is gone")
        agent = self._held[scope.agent] = AgentRow._make(row)
        return agent

    def all(self) -> Sequence[AgentRow]:
        return [AgentRow._make(row) for row in self._db.all(sql.AGENTS_ALL, None)]

    def add(self, name: str, *, window: int, now: int) -> AgentRow:
        added = self._db.run(
            sql.AGENT_ADD,
            None,
            id=self._ids.new(),
            name=name,
            window=window,
            now=now,
        )
        agent = self.find(name)
        assert agent is not None, "it was there or has just been added"
        if added:
            scope = Scope(agent.ref)
            self._timeline.seal(scope, "agent.created", agent.key_id, agent_facts(agent), now)
        return agent

    def define(self, agent: AgentRow, *, now: int) -> AgentRow:
        scope = Scope(agent.ref)
        self._held.pop(agent.ref, None)
        n = self._timeline.seal(scope, "agent.defined", agent.key_id, agent_facts(agent), now)
        self._db.run(
            sql.AGENT_DEFINE,
            scope,
            model=agent.model,
            window=agent.window,
            hours=agent.inactivity_hours,
            zone=agent.time_zone,
            system=agent.system_hash,
            tools=agent.tools_hash,
            entry=n,
        )
        return agent._replace(entry=n)

    def calibration(self, scope: Scope, model: str) -> str | None:
        row = self._db.one(sql.CALIBRATION, scope, model=model)
        return None if row is None else row[0]

    def calibrate(self, scope: Scope, model: str, numbers: str, *, now: int) -> None:
        self._db.run(sql.CALIBRATE, scope, model=model, numbers=numbers, now=now)


class ChannelTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def find(self, scope: Scope, transport: str, key: str) -> Channel | None:
        row = self._db.one(sql.CHANNEL_FIND, scope, transport=transport, key=key)
        return None if row is None else Channel._make(row)

    def bind(self, scope: Scope, channel: Channel, *, now: int) -> None:
        self._db.run(
            sql.CHANNEL_BIND,
            scope,
            transport=channel.transport,
            key=channel.key,
            thread=channel.thread_ref,
            session=channel.session_ref,
            now=now,
        )

    def all(self, scope: Scope) -> Sequence[Channel]:
        return [Channel._make(row) for row in self._db.all(sql.CHANNELS_ALL, scope)]
