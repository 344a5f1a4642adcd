"""What reaches user-wide belongs to one agent and is every agent's: found, listed and changed from any."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.memory.memories import Memory, is_visible
from everthread.ports import Records

Owners = Collection[int] | None
"""Whose memories may be seen; None: anybody's."""


def home_of(scope: Scope, memory: Memory) -> Scope:
    """Where it lies: with the agent whose it is. What has no row yet is of who keeps it."""
    own = memory.agent_ref in (0, scope.agent)
    return scope if own else Scope(memory.agent_ref)


def is_shown(memory: Memory, scope: Scope, owners: Owners = None) -> bool:
    """May what another agent shares be shown to who asks from the scope?"""
    return is_visible(memory, scope) and (owners is None or memory.agent_ref in owners)


def shared_memories(records: Records, scope: Scope, owners: Owners = None) -> list[Memory]:
    """What other agents keep user-wide, as far as it may be shown to who asks from the scope."""
    return [
        memory
        for memory in records.memories.user_wide()
        if memory.agent_ref != scope.agent and is_shown(memory, scope, owners)
    ]


def hold_shared(records: Records, scope: Scope) -> None:
    """Keep every other writer out of what is user-wide: whoever compares with it may change it.

    In one order, so that two who do that at once never wait for each other.
    """
    # The first agent's lock is the one for all: who owns what does not change while it is held.
    first = min(row.ref for row in records.agents.all())
    records.memories.hold(Scope(first))
    owners = {memory.agent_ref for memory in records.memories.user_wide()}
    for ref in sorted({scope.agent, *owners}):
        records.memories.hold(Scope(ref))


def versions_anywhere(records: Records, scope: Scope, memory: Memory) -> Sequence[Memory]:
    """All versions of it, oldest first, those of other agents too where it reaches user-wide."""
    known = {one.key_id: one for one in records.memories.lineage(scope, memory)}
    if memory.reach == "user":
        agents = [Scope(row.ref) for row in records.agents.all()]
        ahead = [*known.values()]
        while ahead:
            beyond = _next_to(records, agents, ahead.pop())
            fresh = {one.key_id: one for one in beyond if one.key_id not in known}
            known |= fresh
            ahead += fresh.values()
    # Agents may have been brought here one after the other: rows tell nothing of when it was said.
    return sorted(known.values(), key=lambda one: (one.created_ms, one.ref))


def _next_to(records: Records, agents: Iterable[Scope], one: Memory) -> list[Memory]:
    """What it took the place of, and what took its place, at any agent."""
    found: list[Memory] = []
    for scope in agents:
        found += records.memories.predecessors(scope, one)
        after = None if one.successor is None else records.memories.find(scope, one.successor)
        found += [] if after is None else [after]
    return found
