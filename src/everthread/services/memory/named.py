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

SOUGHT = Lookup("memory", "memories", "everthread memories list", MemoryUnknown)

MOST_REPLACED = 20
"""So many one memory may take the place of: whoever names more has not looked at them."""


def find_memory(records: Records, scope: Scope, name: object) -> Memory:
    """A memory by its id or any unique ending of it, whatever its state."""
    return SOUGHT.found(name, lambda digits: records.memories.ending(scope, digits))


def standing(records: Records, scope: Scope, memory: Memory) -> Memory:
    """It, if nothing has taken its place and nobody has forgotten it."""
    if memory.state == "forgotten":
        raise MemoryRefused("it was forgotten; remember it anew if you want it back")
    if memory.successor is None:
        return memory
    after = id_text(memory.successor)
    if records.memories.find(scope, memory.successor) is None:
        raise MemoryRefused(
            f"the distillation that drew it was undone; `everthread redo {after}` brings it back"
        )
    raise MemoryRefused(f"it was superseded; take {after} instead")


def checked_names(names: Iterable[Memory | str]) -> tuple[Memory | str, ...]:
    """The memories that a new one is to replace, as its wish names them."""
    given = tuple(checked_several("replaces is a list of memories or their ids", names))
    if len(given) > MOST_REPLACED:
        raise BadInput(f"one memory replaces at most {MOST_REPLACED} others; got {len(given)}")
    return given


def with_replaced(
    records: Records, scope: Scope, fresh: Memory, names: Sequence[Memory | str]
) -> tuple[Memory, list[Memory]]:
    """The new one, for whom the old ones were, and those that it replaces; refused where it may not."""
    found = [standing(records, scope, find_memory(records, scope, name)) for name in names]
    if fresh.principal is None:
        # Known before any is looked at: what is for everybody must not become one person's.
        whose = (old.principal for old in found)
        fresh = fresh._replace(principal=next(filter(None, whose), None))
    for old in found:
        why = why_not_replaced(fresh, old)
        if why is not None:
            raise MemoryRefused(f"memory {short(old.key_id)} stays as it is: {why}")
    return fresh, list({old.ref: old for old in found}.values())
