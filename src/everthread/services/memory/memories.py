"""Memories as people see them: found by id, listed, corrected, and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text, optional_text
from everthread.domain.distilling.purging import Account
from everthread.domain.errors import BadInput, MemoryRefused, MemoryUnknown
from everthread.domain.ids import id_ending, id_text
from everthread.domain.memory.memories import (
    ORIGINS,
    STATES,
    Memory,
    Origin,
    State,
    checked_kind,
    clean_tags,
    tags_text,
)
from everthread.domain.text.sayings import alike
from everthread.domain.timeline import Entry
from everthread.ports import House, Records

from .remember import Wish, prepared, replace
from .said import said_when

MOST = 100_000
"""More memories than that no listing looks at."""


class Version(NamedTuple):
    """One version of a memory, with what the timeline tells of it."""

    memory: Memory
    events: Sequence[Entry]


class Wanted(NamedTuple):
    """Which memories a listing shows."""

    kind: object = None
    tag: object = None
    state: object = "kept"
    project: object = None
    origin: object = None
    told: bool = False


def find_memory(records: Records, scope: Scope, name: object) -> Memory:
    """A memory by its id or any unique ending of it, whatever its state."""
    digits = id_ending(checked_text("a memory's id", name))
    matching: Sequence[Memory] = () if digits is None else records.memories.ending(scope, digits)
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise MemoryUnknown(f"{name!r} fits {len(matching)} memories; give more of the id")
    raise MemoryUnknown(f"no memory {name!r:.60}; `everthread memories list` shows what there is")


def list_memories(house: House, agent: AgentRow, wanted: Wanted, limit: int) -> list[Memory]:
    """Last said first, however late each was kept."""
    state, origin = _state(wanted.state), _origin(wanted.origin)
    kind = None if wanted.kind is None else checked_kind(wanted.kind)
    tags = set(clean_tags(optional_text("tag", wanted.tag) or ""))
    folder = optional_text("project", wanted.project)
    project = None if folder is None else house.files.real(folder)

    def fits(memory: Memory) -> bool:
        of_kind = kind in (None, memory.kind) and origin in (None, memory.origin)
        told = memory.told or not wanted.told
        return of_kind and told and tags <= set(memory.tags) and project in (None, memory.project)

    def work(records: Records) -> list[Memory]:
        scope = Scope(agent.ref)
        kept_last = records.memories.all(scope, state=state, limit=MOST)
        found = [memory for memory in kept_last if fits(memory)]
        at = said_when(records, scope, found)
        return sorted(found, key=lambda memory: at[memory.key_id], reverse=True)

    return house.store.read(work)[:limit]


def _state(value: object) -> State | None:
    if value is None or value == "all":
        return None
    if value not in STATES:
        raise BadInput(f"state must be one of {', '.join(STATES)}, all; got {value!r:.40}")
    return value


def _origin(value: object) -> Origin | None:
    if value is not None and value not in ORIGINS:
        raise BadInput(f"origin must be one of {', '.join(ORIGINS)}; got {value!r:.40}")
    return value


def edit(house: House, agent: AgentRow, name: str, text: str) -> Memory:
    """A person corrects a memory: a new version takes its place, the old one stays readable.

    If the new version says the same, it rests on the same messages. If it says something else, they
    said what is not so any more, and are ranked below.
    """

    scope = Scope(agent.ref)
    seen = _current(house.store.read(lambda r: find_memory(r, scope, name)))
    fresh = prepared(house, Wish(text, kind=seen.kind, reach=seen.reach, project=seen.project))

    def work(records: Records) -> Memory:
        records.memories.hold(scope)
        # Read again under the lock: someone may have corrected or forgotten it just now.
        old = _current(records.memories.get(scope, seen.ref))
        if fresh.text == old.text:
            return old
        kept = records.memories.add(scope, _version(fresh, old))
        replace(records, scope, kept, [old])
        return kept

    return house.store.write(work)


def _version(fresh: Memory, old: Memory) -> Memory:
    same = alike(fresh.text, old.text) is not None
    return fresh._replace(
        principal=old.principal,
        importance=old.importance,
        pinned=max(int(old.pinned), int(fresh.pinned)),
        tags_json=tags_text(clean_tags([*old.tags, *fresh.tags])),
        sources_json=old.sources_json if same else "[]",
        valid_from_ms=old.valid_from_ms,
        valid_to_ms=old.valid_to_ms,
    )


def _current(memory: Memory) -> Memory:
    if memory.state == "forgotten":
        raise MemoryRefused("it was forgotten; remember it anew if you want it back")
    if memory.successor is not None:
        raise MemoryRefused(f"it was superseded; edit {id_text(memory.successor)} instead")
    return memory


def purged_sources(house: House, agent: AgentRow, name: str) -> list[str]:
    """The ids of those messages that a memory came from and that were purged since."""

    def work(records: Records) -> list[str]:
        scope = Scope(agent.ref)
        account = Account(records.purges.all(scope))
        found = find_memory(records, scope, name).sources
        return [id_text(key) for key in found if account.covers(key)]

    return house.store.read(work)


def history(house: House, agent: AgentRow, name: str) -> list[Version]:
    """All versions of a memory, oldest first, with what happened to each."""

    def work(records: Records) -> list[Version]:
        scope = Scope(agent.ref)
        versions = records.memories.lineage(scope, find_memory(records, scope, name))
        return [Version(v, records.timeline.about(scope, v.key_id)) for v in versions]

    return house.store.read(work)
