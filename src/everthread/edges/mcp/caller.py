"""Who calls, and whose memory that is."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, Protocol, TypeVar
from urllib.parse import unquote

from everthread.domain.conversation.contents import mapping
from everthread.domain.errors import AgentUnknown, BadInput, EverthreadError
from everthread.domain.harness.projects import meant_agent_of_tools
from everthread.domain.redaction.secrets import strip_secrets
from everthread.edges.http.key_limits import may_look, must_be_worked_in, must_stay
from everthread.edges.http.keys import LOCAL_KEY, Key
from everthread.edges.http.problems import Refused

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread
    from everthread.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_KEY = 200
LOOKED_AT = 50
MOST_NAMED = 10

log = logging.getLogger("everthread.mcp")


class DaemonCore(Protocol):
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


NO_AGENT = "there is no agent of this folder that this token may speak for"
"""Whether one exists that it may not see is not told, nor any name."""


class Caller(NamedTuple):
    """What the bridge tells of the program that called."""

    folder: str = ""
    """Where it works."""
    session: str = ""
    """Its session, by the harness's own id, where it is known."""
    harness: str = ""
    private: bool = False
    """Is the session to leave no trace?"""
    key: Key = LOCAL_KEY
    """What it may do, and for which agents."""

    def said(self, meta: object) -> Caller:
        """With the session that a call itself names: Codex does so, and in no other way."""
        told = mapping(meta) or {}
        turn = mapping(told.get("x-codex-turn-metadata")) or {}
        session = turn.get("session_id") or told.get("sessionId")
        named = isinstance(session, str) and 0 < len(session) <= LONGEST_KEY
        return self._replace(session=session) if named else self


def caller_of(headers: Mapping[str, str], key: Key = LOCAL_KEY) -> Caller:
    """Read from a request's headers; values are percent-encoded, as paths may hold any character."""

    def told(name: str) -> str:
        return unquote(headers.get(f"x-everthread-{name}", ""))

    private = told("private").strip().lower() not in {"", "0", "false", "off", "no"}
    return Caller(told("folder"), told("session"), told("harness"), private, key)


class Desk(NamedTuple):
    """One call: the engine, who calls, and the agent that is meant."""

    engine: Everthread
    caller: Caller
    agent_name: str
    folder: str | None
    """The project's folder, where the caller works in one."""
    own: str | None = None
    """The project's own agent: whose its tasks are, whoever else's memory is meant."""

    @property
    def subject(self) -> str:
        """What is meant: the project, or an agent that stands in where the project has none of its own."""
        return "this project" if self.own == self.agent_name else f"the agent {self.agent_name}"

    def tasking(self) -> Desk:
        """The same for the project's tasks: they are never just the only agent's."""
        return self if self.own is None else self._replace(agent_name=self.own)

    def others(self) -> str:
        """How to come to the other agents, for who may see them all; "" where there are none."""
        names = [a.name for a in self.engine.agents() if a.name != self.agent_name]
        if not names or not self.caller.key.rules:
            return ""
        listed = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
        return (
            f" Asked was the agent {self.agent_name}; there are others: {listed}. The user binds this "
            f'folder to one by agent = "NAME" in {self.folder or "a project"}/.everthread.toml or in '
            "projects.toml, or asks it himself: everthread recall --agent NAME"
        )

    def reading(self) -> Agent | None:
        """The agent, if anything is known of it yet."""
        if not self.caller.key.may("read"):
            raise BadInput("this token may not read; it needs the scope `read`")
        try:
            return self._as_visible(self.engine.known_agent(self.agent_name))
        except AgentUnknown:
            return None

    def writing(self) -> Agent:
        """The agent; made, if this is the first of it and the caller may make agents."""
        key = self.caller.key
        if not key.may("write"):
            raise BadInput("this token may not write; it needs the scope `write`")
        if key.may("admin"):
            return self._as_visible(self.engine.agent(self.agent_name))
        try:
            return self._as_visible(self.engine.known_agent(self.agent_name))
        except AgentUnknown:
            raise AgentUnknown(f"{NO_AGENT}; to make one it needs the scope `admin`") from None

    def must_be_free(self, why: str) -> None:
        """Refuse to write while a session of the agent in this project may only read."""
        try:
            agent = self.engine.known_agent(self.agent_name)
        except AgentUnknown:
            return
        agent.must_be_free(why, project=self.folder)

    def _as_visible(self, agent: Agent) -> Agent:
        """As the caller may see it."""
        agents = self.caller.key.agents
        return agent.among(agents) if agents else agent

    def noted(self, agent: Agent, scope: str) -> str | None:
        """The folder whose files a memory of that scope may note, if there is one."""
        key = self.caller.key
        must_stay(key, scope)
        if scope == "project":
            if self.folder is None:
                raise BadInput("there is no project here; say scope `agent` or `user`")
            must_be_worked_in(key, self.engine, agent, self.folder)
        if self.folder is None or not may_look(key, self.engine, agent, self.folder):
            return None
        return self.folder

    def session(self, agent: Agent) -> str | None:
        """The caller's session: the one it names, else the newest of its harness; None for the newest."""
        if self.caller.session or not self.caller.harness:
            return self.caller.session or None
        harness, newest = self.caller.harness, agent.sessions(limit=LOOKED_AT)
        return next((s.key for s in newest if s.harness == harness and s.parent_ref is None), None)


def desk_of(engine: Everthread, settings: Settings, caller: Caller) -> Desk:
    """Whose memory is meant: that of the folder the caller works in, else the set or only agent."""
    own, folder, said = _project_of(engine, settings, caller)
    _must_be_public(engine, settings, caller, folder)
    name = own
    # A file's word stands. A token that does not rule may bring no other agent into a folder.
    if own is None or (not said and caller.key.rules):
        known = [a.name for a in engine.agents() if caller.key.speaks_for(a.name)]
        name = meant_agent_of_tools(
            own, settings.agent, known, lambda one: _has_kept(engine, one, folder)
        )
        if name is None:
            listed = f" Agents here: {', '.join(known)}." if known and caller.key.rules else ""
            raise AgentUnknown(
                f"which agent? {caller.folder or 'The call'} names no project.{listed} Start the "
                "harness in a project's folder, or set one: everthread config set agent NAME"
            )
    if name is None or not caller.key.speaks_for(name):
        raise AgentUnknown(NO_AGENT)
    return Desk(engine, caller, name, folder, own)


def _has_kept(engine: Everthread, name: str, folder: str | None) -> bool:
    """Has that agent kept a memory of the folder, or had a session in it?"""
    if folder is None:
        return False
    agent, real = engine.known_agent(name), engine.house.files.real(folder)
    return agent.works_in(folder) or bool(
        engine.house.store.read(lambda r: r.memories.of_project(agent.scope, real, limit=1))
    )


def _project_of(
    engine: Everthread, settings: Settings, caller: Caller
) -> tuple[str | None, str | None, bool]:
    """The agent and the folder of the project that the caller works in; does a file say so?"""
    from everthread.edges.harnesses.binding import bound_agent  # noqa: PLC0415 - not before it is needed

    if not Path(caller.folder).is_absolute():
        return None, None, False
    binding = bound_agent(engine, caller.folder, settings.home)
    if binding.agent is None and (binding.claimed or binding.off):
        # The reason tells of files and agents, which is for whoever runs the machine.
        why = f": {binding.reason}" if caller.key.rules else ""
        raise BadInput(f"Everthread keeps nothing of this project{why}")
    folder = None if binding.agent is None else binding.folder
    return binding.agent, folder, binding.said


def _must_be_public(
    engine: Everthread, settings: Settings, caller: Caller, folder: str | None
) -> None:
    """A private session is left alone altogether: even a question says something of it."""
    from everthread.edges.harnesses.privacy import is_private_at, read_private  # noqa: PLC0415 - as above

    spans = read_private(settings.home).spans(caller.session, folder or "")
    if caller.private or is_private_at(spans, engine.house.clock.now()):
        raise BadInput("this session is private: nothing of it is kept, and nothing is given to it")


def error_text(error: Exception) -> str:
    """What a model is told of an error: ours say what to do; of others only where to look."""
    if isinstance(error, EverthreadError | Refused):
        return strip_secrets(str(error)) or type(error).__name__
    log.error("a call failed inside", exc_info=error)
    return "This failed inside Everthread. Go on without it; `everthread logs` shows why."
