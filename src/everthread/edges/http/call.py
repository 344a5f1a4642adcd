"""One request on its way: who asks, what for, and the agent that is meant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from everthread.domain.errors import AgentUnknown

from .problems import Refused

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread
    from everthread.settings import Settings

    from .keys import Key
    from .open_turns import OpenTurns

P = ParamSpec("P")
T = TypeVar("T")


class DaemonCore(Protocol):
    """The process that serves the API: its engine, and threads for what would block the loop."""

    @property
    def settings(self) -> Settings: ...

    @property
    def token(self) -> str:
        """The local admin token."""
        ...

    def engine(self) -> Everthread:
        """The engine; blocks, so it is called inside `run`."""
        ...

    def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Do it in a thread; what it raises is raised here."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """What a verb of the API is given beside what was asked."""

    engine: Everthread
    key: Key
    path: Mapping[str, str]
    desk: OpenTurns
    settings: Settings

    @property
    def agent(self) -> Agent:
        """The agent that the path names."""
        return self.named(self.path["agent"])

    @property
    def makes(self) -> bool:
        """Is there no such agent yet, and may the token make it?"""
        name = self.path["agent"]
        if self.key.may("admin") and self.key.speaks_for(name):
            try:
                self.engine.known_agent(name)
            except AgentUnknown:
                return True
            except ValueError:
                return False
        return False

    def named(self, name: str) -> Agent:
        """The agent of that name. Whether one exists that the token may not see is not told."""
        try:
            if self.key.speaks_for(name):
                agent = self.engine.known_agent(name)
                return agent.among(self.key.agents) if self.key.agents else agent
        except (AgentUnknown, ValueError):
            pass
        raise Refused(
            404,
            f"there is no agent {name!r:.60} that this token may speak for; POST /api/agents with its "
            "name makes one, with a token that has the scope `admin`",
            name=AgentUnknown,
        )

    @property
    def agents(self) -> list[Agent]:
        """Those that the token may speak for, by name."""
        return [a for a in self.engine.agents() if self.key.speaks_for(a.name)]
