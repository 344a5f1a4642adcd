"""Leavings: what ended sessions leave in a task's folder beside what is made from the rows alone.

An entry each in the implementation log, which is people's file too and only ever appended to; and the list
of the task's memories. What an entry says is kept in the session's record, so that one that could not be
written, or was lost, is written later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.memory.memories import Memory, is_valid, is_visible
from everthread.domain.tasks.rituals import Entry, mark_of
from everthread.domain.tasks.task_files import LOG, OLD_LOG, SCHEMA_VERSION, dump_json
from everthread.domain.tasks.tasks import Task
from everthread.ports import Folder, Records
from everthread.services.tasks.desk import MOST, Desk

from .projection import folder_of

LOOKED_THROUGH = 10_000
KEPT = "entry"
"""Where the record of the step `log` keeps what the entry says."""


class Leavings(NamedTuple):
    entries: Sequence[Entry]
    """Oldest first."""
    memories: Sequence[str]
    """The ids of all that is kept with the task's tag."""
    ended: frozenset[str]
    """Those among them that a session left which has ended: at least these are listed."""


def entry_record(entry: Entry) -> dict[str, Any]:
    """What the entry says, as the record keeps it: in lists, from which a line can be forgotten."""
    return {
        "at": entry.at_ms,
        "lasted": entry.lasted_ms,
        "completed": list(entry.completed),
        "blocked": list(entry.blocked),
        "next_steps": list(entry.next_steps),
    }


def leavings_of(records: Records, desk: Desk, task: Task) -> Leavings:
    sittings = records.sittings.of_task(desk.scope, task.ref, limit=MOST)
    over = [one for one in sittings if one.outcome is not None]
    entries: list[Entry] = []
    for sitting in reversed(over):
        said = next((step[KEPT] for step in sitting.record if KEPT in step), None)
        if said is None:
            continue  # it ended before entries were kept
        alias = records.sessions.get(desk.scope, sitting.session_ref).alias
        lines = (said["completed"], said["blocked"], said["next_steps"])
        entries.append(Entry(alias, said["at"], said["lasted"], sitting.goal, *lines))
    refs = {one.session_ref for one in over}
    found = tagged_memories(records, desk, task)
    ended = frozenset(memory.id for memory in found if memory.session_ref in refs)
    return Leavings(entries, [memory.id for memory in found], ended)


def tagged_memories(records: Records, desk: Desk, task: Task) -> list[Memory]:
    """What is kept with the task's tag, last said first."""
    scope, now = Scope(desk.agent.ref, project=desk.project), desk.house.clock.now()
    known = records.memories.all(desk.scope, state="kept", limit=LOOKED_THROUGH)
    mine = (memory for memory in known if task.tag in memory.tags)
    return [memory for memory in mine if is_valid(memory, at=now) and is_visible(memory, scope)]


def memories_text(task: Task, ids: Sequence[str]) -> str:
    """The file that lists them."""
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "task_slug": task.slug,
        "memory_tag": task.tag,
        "memory_ids": list(ids),
    }
    return dump_json(document)


def missing_entries(folder: Folder, entries: Sequence[Entry]) -> str:
    """The text of those that the log has not, to be appended to it."""
    there = "\n".join(filter(None, map(folder.read, (LOG, OLD_LOG)))) if entries else ""
    return "".join(entry.text for entry in entries if mark_of(entry.session) not in there)


def append_missing(desk: Desk, task: Task) -> int:
    """Append to the log what it has not; how many entries."""
    left = desk.house.store.read(lambda r: leavings_of(r, desk, task))
    folder = folder_of(desk, task)
    if not missing_entries(folder, left.entries):
        return 0
    with folder.locked():
        text = missing_entries(folder, left.entries)
        if text:
            folder.append(LOG, text)
    return text.count("\n## Session ")
