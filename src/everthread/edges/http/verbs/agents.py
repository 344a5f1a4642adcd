"""Agents, their threads, and how things stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.errors import ThreadUnknown
from everthread.edges.documents.rows import (
    LAST_SESSIONS,
    agent_document,
    agent_line,
    store_document,
    thread_document,
    verdict_document,
)
from everthread.edges.http import inputs
from everthread.edges.http.problems import Refused
from everthread.services.archive.measure import calibration_of

if TYPE_CHECKING:
    from everthread.domain.conversation.threads import Thread
    from everthread.edges.http.call import Call
    from everthread.engine import Agent

Document = dict[str, Any]


def status(call: Call, _asked: inputs.Asked) -> Document:
    """How things stand: the store, its waiting work, the agents."""
    found = call.engine.report(*call.agents)
    seen = [each for each in found.agents if call.key.speaks_for(each.agent.name)]
    whole = store_document(found, seen, vocabulary=call.settings.vocabulary)
    if call.key.rules:
        return whole
    # A path of the machine, and how much lies there, is for whoever runs it.
    names = {each.agent.name for each in seen}
    jobs = [job for job in whole["jobs"] if job["agent"] in names]
    return {**whole, "store": None, "disk": {}, "jobs": jobs}


def doctor(call: Call, _asked: inputs.Asked) -> Document:
    """What needs somebody's hand, check by check."""
    if not call.key.rules:
        raise Refused(403, "this is about the whole store; the token is bound to agents")
    return {"findings": [each._asdict() for each in call.engine.diagnose()]}


def list_agents(call: Call, _asked: inputs.Asked) -> Document:
    """The agents that the token may speak for."""
    return {"agents": [_agent_line(agent) for agent in call.agents]}


def create_agent(call: Call, wanted: inputs.NewAgent) -> Document:
    """Get or create an agent; what is given replaces what was defined before."""
    if not call.key.speaks_for(wanted.name):
        raise Refused(403, "this token may not make an agent of that name")
    agent = call.engine.agent(
        wanted.name,
        system=wanted.system,
        tools=wanted.tools,
        model=wanted.model,
        window=wanted.window,
        inactivity_hours=wanted.inactivity_hours,
        time_zone=wanted.time_zone,
    )
    return _agent_line(agent)


def show_agent(call: Call, _asked: inputs.Asked) -> Document:
    """One agent: its session, its turns, its threads."""
    return agent_document(call.engine.report(call.agent).agents[0])


def list_threads(call: Call, _asked: inputs.Asked) -> Document:
    """The primary first, then background, then ephemeral."""
    agent, report = call.agent, call.engine.report(call.agent).agents[0]
    window, known = agent.row.window, report.calibration
    found = [thread_document(thread, window, known) for thread in report.threads]
    return {"agent": agent.name, "threads": found}


def open_thread(call: Call, wanted: inputs.NewThread) -> Document:
    """The thread of that key, opened if it is not there."""
    agent = call.agent
    return _seen(call, agent.thread(wanted.key, kind=wanted.kind).row)


def close_thread(call: Call, wanted: inputs.OneThread) -> Document:
    """An ephemeral thread's work is done: it takes nothing more."""
    agent = call.agent
    found = next((t for t in agent.threads() if t.key == wanted.key), None)
    if found is None:
        raise ThreadUnknown(f"agent {agent.name!r} has no thread {wanted.key!r:.60}")
    found.close()
    return _seen(call, found.row)


def _seen(call: Call, thread: Thread) -> Document:
    row = call.agent.row
    known = call.engine.house.store.read(lambda r: calibration_of(r, row))
    return thread_document(thread, row.window, known)


def verify(call: Call, _asked: inputs.Asked) -> Document:
    """Recompute the agent's timeline and compare every row with what it sealed."""
    return verdict_document(call.engine.verify(call.agent))


def _agent_line(agent: Agent) -> Document:
    threads = [each.row_seen for each in agent.threads()]
    return agent_line(agent.row, threads, agent.sessions(limit=LAST_SESSIONS))
