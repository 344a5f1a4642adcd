"""Checkpoints of sessions, and the compactions that harnesses made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.errors import SessionUnknown
from everthread.edges.documents.checkpoints import checkpoint_document, compaction_document
from everthread.edges.http import inputs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Checkpoint, Compaction
    from everthread.edges.http.call import Call
    from everthread.engine import Agent

Document = dict[str, Any]
Found = list[tuple["Agent", "Checkpoint"]]


def of_project(call: Call, wanted: inputs.CheckpointsOf) -> Document:
    """The newest checkpoints of a project, newest first."""
    found: Found = [
        (agent, checkpoint)
        for agent in _agents_named(call, wanted.agent)
        for checkpoint in agent.checkpoints(project=wanted.project, limit=wanted.limit + 1)
    ]
    return _checkpoint_list(call, found, wanted.limit)


def of_session(call: Call, wanted: inputs.CheckpointsOfSession) -> Document:
    """All checkpoints of a session, newest first."""
    key = call.path["session_key"]
    for agent in _agents_named(call, wanted.agent):
        try:
            own = agent.checkpoints(session=key, limit=wanted.limit + 1)
        except SessionUnknown:
            continue
        return _checkpoint_list(call, [(agent, each) for each in own], wanted.limit)
    raise SessionUnknown(f"there is no session {key!r:.80} that this token may see")


def of_agent(call: Call, wanted: inputs.CheckpointsOfAgent) -> Document:
    """An agent's checkpoints, of all sessions, of one or of a project; newest first."""
    agent, most = call.agent, wanted.limit + 1
    own = agent.checkpoints(session=wanted.session, project=wanted.project, limit=most)
    return _checkpoint_list(call, [(agent, each) for each in own], wanted.limit)


def checkpoint(call: Call, wanted: inputs.NewCheckpoint) -> Document:
    """Write a checkpoint of a session now."""
    agent = call.agent
    made = agent.checkpoint(
        wanted.text,
        session=wanted.session,
        kind=wanted.kind,
        decisions=wanted.decisions,
        state=wanted.state,
        blockers=wanted.blockers,
        next_steps=wanted.next_steps,
    )
    return _document(call, agent, made)


def compactions(call: Call, wanted: inputs.CompactionsOf) -> Document:
    """What harnesses compacted, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.compactions(session=wanted.session, limit=limit + 1)
    told = [_compaction(call, agent, each) for each in found[:limit]]
    return {"agent": agent.name, "compactions": told, "more": len(found) > limit}


def show_compaction(call: Call, _asked: inputs.Asked) -> Document:
    """One compaction: what it kept, what was given back, what is lost."""
    agent = call.agent
    found = agent.compaction(call.path["compaction"])
    outcome = agent.compaction_outcome(found)
    missing = [] if outcome is None else [list(one) for one in outcome.missing]
    return {**_compaction(call, agent, found), "missing": missing}


def restore(call: Call, wanted: inputs.Restore) -> Document:
    """Put what a compaction lost into the next prompt: these items, or all."""
    agent = call.agent
    compaction = agent.compaction(call.path["compaction"])
    restored = agent.restore(compaction.id, wanted.items)
    return {"agent": agent.name, "compaction": compaction.id, "restored": restored}


def _agents_named(call: Call, name: str | None) -> Iterable[Agent]:
    return call.agents if name is None else [call.named(name)]


def _checkpoint_list(call: Call, found: Found, limit: int) -> Document:
    """Newest first, whichever agent they are of."""
    newest = sorted(found, key=lambda pair: (pair[1].created_ms, pair[1].key_id), reverse=True)
    shown = [_document(call, agent, each) for agent, each in newest[:limit]]
    return {"checkpoints": shown, "count": len(shown), "more": len(found) > limit}


def _document(call: Call, agent: Agent, checkpoint: Checkpoint) -> Document:
    session = _session(call, agent, checkpoint.session_ref)
    told = checkpoint_document(checkpoint, session, agent.checkpoint_text(checkpoint))
    return {"agent": agent.name, **told}


def _compaction(call: Call, agent: Agent, compaction: Compaction) -> Document:
    session = _session(call, agent, compaction.session_ref)
    told = compaction_document(compaction, session, agent.compaction_outcome(compaction))
    return {"agent": agent.name, **told}


def _session(call: Call, agent: Agent, ref: int) -> Session:
    return call.engine.house.store.read(lambda r: r.sessions.get(agent.scope, ref))
