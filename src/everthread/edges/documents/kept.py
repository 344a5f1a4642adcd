"""A memory that was just kept, with what it took the place of and what stands beside it; or forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .rows import memory_document, said_document

if TYPE_CHECKING:
    from everthread.domain.memory.memories import Memory
    from everthread.engine import Agent

Document = dict[str, Any]


def replaced_by(agent: Agent, memory: Memory) -> list[Memory]:
    """The memories whose place it took."""
    versions = [version.memory for version in agent.history(memory.id)]
    return [old for old in versions if old.superseded_by == memory.id]


def shown_documents(agent: Agent, memories: Sequence[Memory]) -> list[Document]:
    """Memories for programs, with when they were said; of what another agent keeps user-wide, whose it is."""
    told = zip(memories, agent.said_at(memories), strict=True)
    return [{**said_document(one, at), **_owner(agent, one)} for one, at in told]


def _owner(agent: Agent, memory: Memory) -> Document:
    return {} if memory.agent_ref == agent.row.ref else {"owner": agent.owner(memory)}


def kept_document(agent: Agent, memory: Memory, beside: int = 0) -> Document:
    """It for programs, with at most so many others that may be about the same thing."""
    others = agent.beside(memory, limit=beside) if beside else []
    return {
        "agent": agent.name,
        **memory_document(memory),
        **_owner(agent, memory),
        "supersedes": [old.id for old in replaced_by(agent, memory)],
        "beside": shown_documents(agent, others),
    }


def forgotten_document(agent: Agent, memory_id: str, *, reads: bool = True) -> Document:
    """Forget it; for whoever may read, with the ids of what may still say it. No text is told."""
    left = agent.forget(memory_id)
    told = [{"id": hit.id, "kind": hit.kind} for hit in left if reads]
    return {"agent": agent.name, "id": memory_id, "state": "forgotten", "left": told}
