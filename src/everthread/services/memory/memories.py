"""Memories as people see them: found by id, listed, corrected, and where they came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import optional_text
from everthread.domain.distilling.purging import Account
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_text
from everthread.domain.memory.memories import (
    ORIGINS,
    STATES,
    Memory,
    Origin,
    State,
    checked_kind,
    clean_tags,
    has_ended,
    tags_text,
)
from everthread.domain.text.sayings import likeness_of
from everthread.domain.timeline import Entry
from everthread.ports import House, Records
from everthread.services.job_names import CORRECT
from everthread.services.places import ask_for_files

from .named import find_memory, find_visible, standing
from .provenance import heard_at, said_times
from .remember import Wish, prepare, replace
from .shared import Owners, home_of, shared_memories, versions_anywhere

MOST = 100_000
"""More memories than that no listing looks at."""

FEW = 500
"""So many that were kept last are looked at first: mostly, what was said last is among them."""

LOOKED_UP = 100
"""Memories whose messages are looked up at once."""


CURRENT = "current"
"""Asked for as a state: what is kept and has not ended."""


class Version(NamedTuple):
    """One version of a memory, with what the timeline tells of it."""

    memory: Memory
    events: Sequence[Entry]


class MemoryFilter(NamedTuple):
    """Which memories a listing shows."""

    kind: object = None
    tag: object = None
    state: object = CURRENT
    project: object = None
    origin: object = None
    told: bool = False


def list_memories(
    house: House, agent: AgentRow, wanted: MemoryFilter, limit: int, owners: Owners = None
) -> list[Memory]:
    """Last said first, however late each was kept; what is kept before what is not any more.

    What other agents keep user-wide is among them, as far as they are among the `owners`.
    """
    state, origin = _state(wanted.state), _origin(wanted.origin)
    kind = None if wanted.kind is None else checked_kind(wanted.kind)
    tags = set(clean_tags(optional_text("tag", wanted.tag) or ""))
    folder = optional_text("project", wanted.project)
    project = None if folder is None else house.files.real(folder)

    now = house.clock.now() if wanted.state == CURRENT else None

    def fits(memory: Memory) -> bool:
        if now is not None and has_ended(memory, at=now):
            return False
        of_kind = kind in (None, memory.kind) and origin in (None, memory.origin)
        told = not wanted.told or memory.told
        tagged = not tags or tags <= set(memory.tags)
        return of_kind and told and tagged and project in (None, memory.project)

    def work(records: Records) -> list[Memory]:
        found, scope = list[Memory](), Scope(agent.ref)
        # What lives leads; what was forgotten, and has no words any more, comes last.
        for each in STATES if state is None else (state,):
            left = limit - len(found)
            shared = shared_memories(records, scope, owners) if each == "kept" else []
            found += _in_state(records, scope, each, fits, left, shared) if left > 0 else ()
        return found

    return house.store.read(work)


def _in_state(
    records: Records,
    scope: Scope,
    state: State,
    fits: Callable[[Memory], bool],
    limit: int,
    shared: Sequence[Memory],
) -> list[Memory]:
    """Those in one state that fit, and of those `shared` by others, last said first."""
    best: list[_Said] = []
    for most in (max(FEW, 2 * limit), MOST):
        kept_last = records.memories.all(scope, state=state, limit=most)
        best = _last_said(records, scope, list(filter(fits, (*kept_last, *shared))), limit)
        # Those that were kept earlier were said before that.
        if len(kept_last) < most or _is_complete(best, limit, kept_last[-1].updated_ms):
            break
    return [memory for _, memory in best]


_Said = tuple[int, Memory]
"""When it was last said, and it."""


def _last_said(records: Records, scope: Scope, found: Sequence[Memory], limit: int) -> list[_Said]:
    """So many of them, last said first.

    Only a message tells when it was said, but its id when it came: nothing that came before all of these
    were said was said after them. So few messages are looked up, however many there are.
    """
    came = sorted(((heard_at(memory), memory) for memory in found), key=_said_time, reverse=True)
    best, step = list[_Said](), max(limit, LOOKED_UP)
    for start in range(0, len(came), step):
        if _is_complete(best, limit, came[start][0]):
            break
        some = [memory for _, memory in came[start : start + step]]
        at = said_times(records, scope, some)
        said = ((at[memory.key_id], memory) for memory in some)
        best = sorted((*best, *said), key=_said_time, reverse=True)[:limit]
    return best


def _is_complete(best: Sequence[_Said], limit: int, at: int) -> bool:
    """Are they as many as are wanted, all said at that time or later?"""
    return len(best) == limit and all(said >= at for said, _ in best[-1:])


def _said_time(said: _Said) -> int:
    return said[0]


def _state(value: object) -> State | None:
    if value is None or value == "all":
        return None
    if value == CURRENT:
        return "kept"
    if value not in STATES:
        known = ", ".join((CURRENT, *STATES))
        raise BadInput(f"state must be one of {known}, all; got {value!r:.40}")
    return value


def _origin(value: object) -> Origin | None:
    if value is not None and value not in ORIGINS:
        raise BadInput(f"origin must be one of {', '.join(ORIGINS)}; got {value!r:.40}")
    return value


def memory_and_owner(
    house: House, agent: AgentRow, name: object, owners: Owners = None
) -> tuple[Memory, AgentRow]:
    """A memory by its id or any unique ending of it, and whose it is: what is user-wide may be another's."""

    def work(records: Records) -> tuple[Memory, AgentRow]:
        found = find_visible(records, Scope(agent.ref), name, owners)
        if found.agent_ref == agent.ref:
            return found, agent
        return found, next(row for row in records.agents.all() if row.ref == found.agent_ref)

    return house.store.read(work)


def edit(house: House, agent: AgentRow, name: object, text: str) -> Memory:
    """A person corrects a memory: a new version takes its place, the old one stays readable.

    If the new version says the same, it rests on the same messages. If it says something else, they
    said what is not so any more, and are ranked below.
    """

    scope = Scope(agent.ref)
    seen = house.store.read(lambda r: standing(r, scope, find_memory(r, scope, name)))
    fresh = prepare(house, Wish(text, kind=seen.kind, reach=seen.reach, project=seen.project))
    has_files = house.workspace is not None and house.workspace.there(agent.name)

    def work(records: Records) -> Memory:
        records.memories.hold(scope)
        # Read again under the lock: someone may have corrected or forgotten it just now.
        old = standing(records, scope, records.memories.get(scope, seen.ref))
        same = fresh.text == old.text
        if same and not _is_marked(fresh, old):
            return old
        ask_for_files(house, records, scope, here=has_files)  # MEMORY.md may list it
        if same:
            return records.memories.merge(scope, _marked(fresh, old), now=fresh.created_ms)
        kept = records.memories.add(scope, _version(fresh, old))
        replace(records, scope, kept, [old], now=kept.updated_ms)
        _ask_for_views(records, scope, now=kept.updated_ms)
        return kept

    return house.store.write(work)


def _is_marked(fresh: Memory, old: Memory) -> bool:
    """Is it pinned only now, or given more tags?"""
    return fresh.pinned > old.pinned or not {*fresh.tags} <= {*old.tags}


def _marked(fresh: Memory, old: Memory) -> Memory:
    """The same memory, with what was put before its text."""
    tags = tags_text(clean_tags([*old.tags, *fresh.tags]))
    return old._replace(pinned=max(int(old.pinned), int(fresh.pinned)), tags_json=tags)


def _ask_for_views(records: Records, scope: Scope, *, now: int) -> None:
    """A summary may quote it. What is given to the agent must not contradict what it remembers."""
    if not any(thread.view_version for thread in records.threads.all(scope)):
        return  # a view that never changed has no summary
    payload, agent = json.dumps({"agent": scope.agent}), scope.agent
    records.jobs.add(CORRECT, payload, due_at=now, now=now, agent=agent, once=str(agent))


def _version(fresh: Memory, old: Memory) -> Memory:
    same = likeness_of(fresh.text, old.text) is not None
    return fresh._replace(
        principal=old.principal,
        importance=old.importance,
        pinned=max(int(old.pinned), int(fresh.pinned)),
        tags_json=tags_text(clean_tags([*old.tags, *fresh.tags])),
        sources_json=old.sources_json if same else "[]",
        valid_from_ms=old.valid_from_ms,
        valid_to_ms=_end(fresh, old),
    )


def _end(fresh: Memory, old: Memory) -> int | None:
    """Until when the new version holds: a last day that words of the old one named went with them."""
    from everthread.domain.text.rule_periods import end_of_rule  # noqa: PLC0415 - only who corrects

    named, was = (end_of_rule(memory.text, old.created_ms) for memory in (fresh, old))
    return old.valid_to_ms if named == was else fresh.valid_to_ms


def purged_sources(house: House, agent: AgentRow, name: object) -> list[str]:
    """The ids of those messages that a memory came from and that were purged since."""

    def work(records: Records) -> list[str]:
        scope = Scope(agent.ref)
        account = Account(records.purges.all(scope))
        found = find_memory(records, scope, name).sources
        return [id_text(key) for key in found if account.covers(key)]

    return house.store.read(work)


def history(house: House, agent: AgentRow, name: object, owners: Owners = None) -> list[Version]:
    """All versions of a memory, oldest first, with what happened to each."""

    def work(records: Records) -> list[Version]:
        scope = Scope(agent.ref)
        found = versions_anywhere(records, scope, find_memory(records, scope, name))
        return [
            Version(v, records.timeline.about(home_of(scope, v), v.key_id))
            for v in found
            if owners is None or v.agent_ref in (agent.ref, *owners)
        ]

    return house.store.read(work)
