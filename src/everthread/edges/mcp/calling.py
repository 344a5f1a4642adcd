"""Who calls, and whose memory that is."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, Protocol, TypeVar
from urllib.parse import unquote

from everthread.domain.contents import mapping
from everthread.domain.errors import AgentUnknown, BadInput, EverthreadError
from everthread.domain.projects import meant
from everthread.domain.redaction import redacted

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread
    from everthread.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_KEY = 200
LOOKED_AT = 50

log = logging.getLogger("everthread.mcp")


class Served(Protocol):
    """The daemon, as this door needs it."""

    @property
    def settings(self) -> Settings: ...

    @property
    def token(self) -> str:
        """The local admin token."""
        ...

    def engine(self) -> Everthread:
        """The engine; blocks where it has to be opened."""
        ...

    def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Run a blocking verb where it is in nobody's way."""
        ...


class Rights(NamedTuple):
    """What the caller may do, and for which agents; none named: for all."""

    read: bool = True
    write: bool = True
    agents: tuple[str, ...] = ()

    def speaks_for(self, agent: str) -> bool:
        return not self.agents or agent in self.agents


EVERYTHING = Rights()


class Caller(NamedTuple):
    """What the bridge tells of the program that called."""

    folder: str = ""
    """Where it works."""
    session: str = ""
    """Its session, by the harness's own id, where it is known."""
    harness: str = ""
    private: bool = False
    """Is the session to leave no trace?"""
    rights: Rights = EVERYTHING

    def said(self, meta: object) -> Caller:
        """With the session that a call itself names: Codex does so, and in no other way."""
        told = mapping(meta) or {}
        turn = mapping(told.get("x-codex-turn-metadata")) or {}
        session = turn.get("session_id") or told.get("sessionId")
        named = isinstance(session, str) and 0 < len(session) <= LONGEST_KEY
        return self._replace(session=session) if named else self


def caller_of(headers: Mapping[str, str], rights: Rights = EVERYTHING) -> Caller:
    """Read from a request's headers; values are percent-encoded, as paths may hold any character."""

    def told(name: str) -> str:
        return unquote(headers.get(f"x-everthread-{name}", ""))

    private = told("private").strip().lower() not in {"", "0", "false", "off", "no"}
    return Caller(told("folder"), told("session"), told("harness"), private, rights)


class Desk(NamedTuple):
    """One call: the engine, who calls, and the agent that is meant."""

    engine: Everthread
    caller: Caller
    agent_name: str
    folder: str | None
    """The project's folder, where the caller works in one."""

    def reading(self) -> Agent | None:
        """The agent, if anything is known of it yet."""
        if not self.caller.rights.read:
            raise BadInput("this token may not read; it needs the scope `read`")
        try:
            return self.engine.known_agent(self.agent_name)
        except AgentUnknown:
            return None

    def writing(self) -> Agent:
        """The agent, made if this is the first of it."""
        if not self.caller.rights.write:
            raise BadInput("this token may not write; it needs the scope `write`")
        return self.engine.agent(self.agent_name)

    def session(self, agent: Agent) -> str | None:
        """The caller's session: the one it names, else the newest of its harness; None for the newest."""
        if self.caller.session or not self.caller.harness:
            return self.caller.session or None
        harness, newest = self.caller.harness, agent.sessions(limit=LOOKED_AT)
        return next((s.key for s in newest if s.harness == harness and s.parent_ref is None), None)


def desk_of(engine: Everthread, settings: Settings, caller: Caller) -> Desk:
    """Whose memory is meant: that of the folder the caller works in, else the set or only agent."""
    name, folder = _bound(engine, settings, caller)
    _must_be_public(engine, settings, caller, folder)
    if name is None:
        known = [a.name for a in engine.agents() if caller.rights.speaks_for(a.name)]
        name = settings.agent or meant(None, known)
        if name is None:
            listed = f" Agents here: {', '.join(known)}." if known else ""
            raise AgentUnknown(
                f"which agent? {caller.folder or 'The call'} names no project.{listed} Start the "
                "harness in a project's folder, or set one: everthread config set agent NAME"
            )
    if not caller.rights.speaks_for(name):
        raise AgentUnknown(f"this token does not speak for the agent {name!r}")
    return Desk(engine, caller, name, folder)


def _bound(
    engine: Everthread, settings: Settings, caller: Caller
) -> tuple[str | None, str | None]:
    """The agent and the folder of the project that the caller works in, if it works in one."""
    from everthread.edges.harnesses.binding import bound_agent  # noqa: PLC0415 - not before it is needed

    if not Path(caller.folder).is_absolute():
        return None, None
    binding = bound_agent(engine, caller.folder, settings.home)
    if binding.agent is None and (binding.claimed or binding.reason.startswith("switched off")):
        raise BadInput(f"Everthread keeps nothing of this project: {binding.reason}")
    return binding.agent, None if binding.agent is None else binding.folder


def _must_be_public(
    engine: Everthread, settings: Settings, caller: Caller, folder: str | None
) -> None:
    """A private session is left alone altogether: even a question says something of it."""
    from everthread.edges.harnesses.privacy import lasting, read_private  # noqa: PLC0415 - as above

    spans = read_private(settings.home).spans(caller.session, folder or "")
    if caller.private or lasting(spans, engine.house.clock.now()):
        raise BadInput("this session is private: nothing of it is kept, and nothing is given to it")


def told(error: Exception) -> str:
    """What a model is told of an error: ours say what to do; of others only where to look."""
    if isinstance(error, EverthreadError):
        return redacted(str(error)) or type(error).__name__
    log.error("a call failed inside", exc_info=error)
    return "This failed inside Everthread. Go on without it; `everthread logs` shows why."
