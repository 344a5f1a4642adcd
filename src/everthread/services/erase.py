"""Erase: the one way by which what was said goes for good. Only a person asks for it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from everthread.domain.agents import AgentRow, Scope, Tombstone
from everthread.domain.errors import ThreadUnknown
from everthread.domain.memories import State
from everthread.domain.threads import primary_key
from everthread.ports import House, Records

from .index import catch_up

log = logging.getLogger("everthread")

ALL = 1 << 62
ERASURE = "erasure"
SETTLE = "store.settle"
"""The job that brings everything to its final place after an erasure."""


def erase(
    house: House, agent: AgentRow, *, key: str | None = None, reason: str | None = None
) -> Sequence[Tombstone]:
    """Erase one thread, or all. Tombstones stay; a new primary begins a new lineage."""

    def work(records: Records) -> tuple[Sequence[Tombstone], Sequence[AgentRow]]:
        scope = Scope(agent.ref)
        now = house.clock.now()
        shared = _shared(records, agent)
        threads = [t for t in records.threads.all(scope) if key is None or t.key == key]
        if not threads:
            raise ThreadUnknown(f"agent {agent.name!r} has no thread {key!r}; nothing was erased")
        stones: list[Tombstone] = []
        for thread in threads:
            held = records.threads.hold(scope, thread.ref)
            stones.append(records.threads.erase(scope, held, reason=reason, now=now))
            if thread.kind == "primary":
                records.threads.add(
                    scope,
                    key=primary_key(agent.name),
                    kind="primary",
                    now=now,
                    lineage=thread.lineage + 1,
                )
        if key is None:
            _forget_all(records, scope, now)
        # What was erased must not linger in a log either; where that has to wait, it is retried.
        records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        others = [one for one in records.agents.all() if one.ref != agent.ref]
        return stones, others if shared - _shared(records, agent) else ()

    stones, readers = house.store.write(work)
    # Nor in what was derived of it, also by agents it was shared with.
    unfile(house, readers)
    # Should that fail, it is told, and `catch_up` tries again.
    house.index.drop(agent)
    return stones


def unfile(house: House, agents: Iterable[AgentRow]) -> None:
    """Take what is gone out of these agents' indexes. One that cannot be used must not keep the others."""
    for agent in agents:
        try:
            catch_up(house, agent)
        except Exception as trouble:  # noqa: BLE001 - derived, and followed again by whoever comes next
            log.warning("the index of %s still holds what is gone: %s", agent.name, trouble)


def _shared(records: Records, agent: AgentRow) -> set[int]:
    """What is in every agent's index of this one's memories."""
    return {m.ref for m in records.memories.user_wide() if m.agent_ref == agent.ref}


def _forget_all(records: Records, scope: Scope, now: int) -> None:
    """Who erases everything means also what nobody said on a thread: memories and notes."""
    states: tuple[State, ...] = ("kept", "superseded")
    for state in states:
        for memory in records.memories.all(scope, state=state, limit=ALL):
            records.memories.forget(scope, memory, now=now)
    for note in records.notes.all(scope, limit=ALL):
        records.notes.delete(scope, note, now=now)
