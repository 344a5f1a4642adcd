"""What a key may not do with an agent that it speaks for: reach others, or have the machine looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .problems import Refused

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread

    from .keys import Key

MOST = 1_000
"""The newest sessions and messages, among which a project or a principal is looked for."""


def must_stay(key: Key, reach: str, owner: str | None = None) -> None:
    """What reaches user-wide is read by every agent; a key for some may not write or remove it."""
    if reach == "user" and key.agents:
        whose = "" if owner is None else f" (this one is {owner}'s)"
        raise Refused(
            403,
            f"this token is bound to agents; what is for all of them{whose} is not its to change",
        )


def must_know(key: Key, agent: Agent, principal: str | None) -> None:
    """A key for some agents speaks of nobody whom this one has never met."""
    if principal is None or not key.agents:
        return
    if any(session.principal == principal for session in agent.sessions(limit=MOST)):
        return
    if any(message.principal == principal for message in agent.messages(limit=MOST)):
        return
    raise Refused(403, "this token is bound to agents, and this one has not met that principal")


def may_look(key: Key, engine: Everthread, agent: Agent | None, project: str) -> bool:
    """May a memory note the digests of files below that folder? No token may choose any folder for it."""
    if key.rules or agent is None:
        return key.rules
    real = engine.house.files.real(project)
    return any(s.project_normalized == real for s in agent.sessions(limit=MOST) if s.harness)


def must_be_worked_in(
    key: Key, engine: Everthread, agent: Agent | None, project: str | None
) -> None:
    """The same, for a folder that was named; an agent that is not made yet has worked nowhere."""
    if project is not None and not may_look(key, engine, agent, project):
        raise Refused(
            403, "this token may name only projects in which a harness of the agent works"
        )
