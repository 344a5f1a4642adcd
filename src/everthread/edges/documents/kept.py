"""A memory that was just kept, with what it took the place of and what stands beside it."""

from __future__ import annotations

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


def kept_document(agent: Agent, memory: Memory, beside: int = 0) -> Document:
    """It for programs, with at most so many others that may be about the same thing."""
    others = agent.beside(memory, limit=beside) if beside else []
    told = zip(others, agent.said_at(others), strict=True)
    return {
        "agent": agent.name,
        **memory_document(memory),
        "supersedes": [old.id for old in replaced_by(agent, memory)],
        "beside": [said_document(*each) for each in told],
    }
