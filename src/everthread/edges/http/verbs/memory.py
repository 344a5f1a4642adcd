"""What is remembered: recall, memories, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.edges.documents.kept import forgotten_document, kept_document, shown_documents
from everthread.edges.documents.recall import hit_document, recall_note
from everthread.edges.documents.rows import (
    entry_document,
    memory_document,
    note_document,
)
from everthread.edges.documents.scorer import scorer_document
from everthread.edges.http import inputs
from everthread.edges.http.key_limits import must_be_worked_in, must_know, must_stay

if TYPE_CHECKING:
    from everthread.edges.http.call import Call
    from everthread.services.memory.memories import Version

Document = dict[str, Any]


def recall(call: Call, wanted: inputs.Recall) -> Document:
    """What was said or learnt that fits the question, best first. It is data from earlier."""
    agent = call.agent
    must_know(call.key, agent, wanted.principal)
    waiting = agent.index_few() if wanted.patient else None
    hits = agent.recall(
        wanted.query,
        limit=wanted.limit,
        tokens=wanted.tokens,
        project=wanted.project,
        principal=wanted.principal,
        patient=wanted.patient,
    )
    return {
        "agent": agent.name,
        "hits": [hit_document(hit) for hit in hits],
        "waiting": waiting,
        "note": recall_note(hits),
    }


def index(call: Call, _asked: inputs.Asked) -> Document:
    """Wait until everything recorded is in the index, its vectors too."""
    agent = call.agent
    return {"agent": agent.name, "cards": agent.index()}


def list_memories(call: Call, wanted: inputs.Memories) -> Document:
    """Memories, last said first."""
    agent, limit = call.agent, wanted.limit
    found = agent.memories(
        kind=wanted.kind,
        tag=wanted.tag,
        state=wanted.state,
        project=wanted.project,
        origin=wanted.origin,
        told=wanted.told,
        limit=limit + 1,
    )
    told = shown_documents(agent, found[:limit])
    return {"agent": agent.name, "memories": told, "more": len(found) > limit}


def remember(call: Call, wanted: inputs.Remember) -> Document:
    """Keep a memory. What says the same is merged, what it replaces or contradicts is superseded."""
    agent = call.agent
    must_stay(call.key, wanted.scope)
    must_know(call.key, agent, wanted.principal)
    must_be_worked_in(call.key, call.engine, agent, wanted.project)
    memory = agent.remember(
        wanted.text,
        kind=wanted.kind,
        scope=wanted.scope,
        project=wanted.project,
        principal=wanted.principal,
        tags=wanted.tags,
        sources=wanted.sources,
        confidence=wanted.confidence,
        importance=wanted.importance,
        valid_from=wanted.valid_from,
        valid_to=wanted.valid_to,
        # A program's word must not pass for the user's by itself.
        origin=wanted.origin or ("user" if call.key.may("admin") else "agent"),
        replaces=wanted.replaces,
    )
    return kept_document(agent, memory, wanted.beside)


def show_memory(call: Call, _asked: inputs.Asked) -> Document:
    """One memory, and whether the files it speaks of are as they were."""
    agent = call.agent
    found = agent.memory(call.path["memory"])
    purged = agent.purged_sources(found.id)
    (told,) = shown_documents(agent, [found])
    document = {**told, "fresh": agent.freshness(found.id)}
    return {"agent": agent.name, **document, "purged_sources": purged}


def edit_memory(call: Call, wanted: inputs.Edit) -> Document:
    """Correct a memory: the new version takes its place, the old one stays in its history."""
    agent = call.agent
    old = agent.memory(call.path["memory"])
    must_stay(call.key, old.reach, agent.owner(old))
    new = agent.edit(old.id, wanted.text)
    replaced = [] if new.id == old.id else [old.id]
    return {"agent": agent.name, **memory_document(new), "supersedes": replaced}


def forget(call: Call, _asked: inputs.Asked) -> Document:
    """Forget a memory with all its versions. Its text goes for good."""
    agent = call.agent
    found = agent.memory(call.path["memory"])
    must_stay(call.key, found.reach, agent.owner(found))
    return forgotten_document(agent, found.id, reads=call.key.may("read"))


def history(call: Call, _asked: inputs.Asked) -> Document:
    """All versions of a memory, oldest first, each with what the timeline tells of it."""
    agent = call.agent
    return {
        "agent": agent.name,
        "versions": [_version(each) for each in agent.history(call.path["memory"])],
    }


def scorer(call: Call, _asked: inputs.Asked) -> Document:
    """Whether memories are ranked by what was learnt, why, and what that is worth."""
    agent = call.agent
    return {"agent": agent.name, **scorer_document(agent.scorer())}


def list_notes(call: Call, wanted: inputs.Notes) -> Document:
    """The notes, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.notes(category=wanted.category, limit=limit + 1)
    told = [note_document(each) for each in found[:limit]]
    return {"agent": agent.name, "notes": told, "more": len(found) > limit}


def note(call: Call, wanted: inputs.NewNote) -> Document:
    """Write something down under a category."""
    agent = call.agent
    made = agent.note(wanted.text, category=wanted.category, origin=wanted.origin)
    return {"agent": agent.name, **note_document(made)}


def delete_note(call: Call, _asked: inputs.Asked) -> Document:
    """Delete a note. Its text goes for good."""
    agent = call.agent
    agent.unnote(call.path["note"])
    return {"agent": agent.name, "deleted": call.path["note"]}


def _version(version: Version) -> Document:
    events = [entry_document(entry) for entry in version.events]
    return {**memory_document(version.memory), "events": events}
