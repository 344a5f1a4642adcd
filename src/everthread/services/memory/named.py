"""Memories that somebody names by their ids: found, and checked that they still stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_several
from everthread.domain.errors import BadInput, MemoryRefused, MemoryUnknown
from everthread.domain.ids import id_text, short
from everthread.domain.lookup import Lookup
from everthread.domain.memory.memories import Memory
from everthread.domain.memory.merging import why_not_replaced
from everthread.ports import Records

from .shared import Owners, home_of, is_shown

SOUGHT = Lookup("memory", "memories", "everthread memories list", MemoryUnknown)

MOST_REPLACED = 20
"""So many one memory may take the place of: whoever names more has not looked at them."""


def find_memory(records: Records, scope: Scope, name: object) -> Memory:
    """A memory by its id or any unique ending of it, whatever its state."""
    return SOUGHT.found(name, lambda digits: records.memories.ending(scope, digits))


def find_visible(records: Records, scope: Scope, name: object, owners: Owners = None) -> Memory:
    """The same, or that of another agent which reaches user-wide: that is the user's, wherever it lies."""

    def ending(digits: str) -> Sequence[Memory]:
        others = (Scope(row.ref) for row in records.agents.all() if row.ref != scope.agent)
        return records.memories.ending(scope, digits) or [
            memory
            for other in others
            for memory in records.memories.ending(other, digits)
            if memory.reach == "user" and is_shown(memory, scope, owners)
        ]

    return SOUGHT.found(name, ending)


def find_anywhere(records: Records, scope: Scope, key: bytes) -> Memory | None:
    """The memory of that id: of the agent, or of another, which took the place of what was user-wide."""
    found = records.memories.find(scope, key)
    others = (row.ref for row in records.agents.all() if row.ref != scope.agent)
    for ref in others if found is None else ():
        there = records.memories.find(Scope(ref), key)
        if there is not None and there.reach == "user":
            return there
    return found


def standing(records: Records, scope: Scope, memory: Memory) -> Memory:
    """It, if nothing has taken its place and nobody has forgotten it."""
    if memory.state == "forgotten":
        raise MemoryRefused("it was forgotten; remember it anew if you want it back")
    if memory.successor is None:
        return memory
    last = _last_version(records, scope, memory)
    if last.successor is not None:
        after = id_text(last.successor)
        if not records.receipts.ending(home_of(scope, last), last.successor.hex()):
            raise MemoryRefused(
                f"it was superseded by {after}, which was not brought into this store"
            )
        raise MemoryRefused(
            f"the distillation that drew it was undone; `everthread redo {after}` brings it back"
        )
    if last.state == "forgotten":
        raise MemoryRefused("it was superseded, and what took its place was forgotten")
    raise MemoryRefused(f"it was superseded; take {id_text(last.key_id)} instead")


def _last_version(records: Records, scope: Scope, memory: Memory) -> Memory:
    """What stands in its place by now; the last that is there, where a receipt follows it."""
    seen = {memory.key_id}
    while memory.successor is not None and memory.successor not in seen:
        after = find_anywhere(records, scope, memory.successor)
        if after is None:
            break
        seen.add(after.key_id)
        memory = after
    return memory


def checked_names(names: Iterable[Memory | str]) -> tuple[Memory | str, ...]:
    """The memories that a new one is to replace, as its wish names them."""
    given = tuple(checked_several("replaces is a list of memories or their ids", names))
    if len(given) > MOST_REPLACED:
        raise BadInput(f"one memory replaces at most {MOST_REPLACED} others; got {len(given)}")
    return given


def with_replaced(
    records: Records,
    scope: Scope,
    fresh: Memory,
    names: Sequence[Memory | str],
    owners: Owners = None,
) -> tuple[Memory, list[Memory]]:
    """The new one, for whom the old ones were, and those that it replaces; refused where it may not."""
    named = [find_visible(records, scope, name, owners) for name in names]
    found = [standing(records, home_of(scope, old), old) for old in named]
    if fresh.principal is None:
        # Known before any is looked at: what is for everybody must not become one person's.
        whose = (old.principal for old in found)
        fresh = fresh._replace(principal=next(filter(None, whose), None))
    for old in found:
        why = why_not_replaced(fresh, old)
        if why is not None:
            raise MemoryRefused(f"memory {short(old.key_id)} stays as it is: {why}")
    return fresh, list({old.ref: old for old in found}.values())
