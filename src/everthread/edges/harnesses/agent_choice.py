"""Which agent a command speaks of: for the command itself, and for the daemon that stands in for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from everthread.domain.errors import AgentUnknown, BadInput
from everthread.domain.harness.projects import meant_agent
from everthread.wiring import project_agent

from .binding import bound_agent

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread


def agent_meant(engine: Everthread, asked: str, folder: str, home: Path) -> Agent:
    """The agent that is named, else the folder's (as files bind it), else the only one (R-48)."""
    if asked:
        return engine.known_agent(asked)
    agents = {agent.name: agent for agent in engine.agents()}
    name = meant_agent(own_agent(engine, folder, home), agents)
    if name is not None:
        return agents[name]
    if not agents:
        raise AgentUnknown(
            f"there is no agent in {engine.location} yet; `everthread remember`, a harness's first "
            "session or everthread.connect().agent('ada') makes one"
        )
    raise BadInput(f"which agent? Name one with --agent: {', '.join(agents)}")


def own_agent(engine: Everthread, folder: str, home: Path) -> str | None:
    """The name of a folder's agent, as hooks see it: by projects.toml and .everthread.toml too."""
    if not folder:
        return None  # it was removed under our feet
    return bound_agent(engine, folder, home).agent or project_agent(folder)
