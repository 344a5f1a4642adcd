"""Effects: what a distillation did to memories, put down so that undoing it is exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from everthread.domain.memory.memories import Memory

Effect: TypeAlias = Mapping[str, Any]
"""Of one memory: its id, how it is after, how it was before where it was there, and by which message a
person ended it."""

BECAUSE = "because"
SUCCESSOR = "successor"
"""The memory that took its place."""
TO_END = "to_end"
"""In a receipt that was redone: the ends that it gave to memories which are not there yet."""

_COLUMNS = (
    "state",
    "confidence",
    "importance",
    "pinned",
    "tags_json",
    "sources_json",
    "evidence_json",
    "valid_from_ms",
    "valid_to_ms",
    "said",
    "updated_ms",
)
"""What a merge or a new version changes of a memory; its text never does."""

_PLACE = ("state", "updated_ms")


def effect_of(after: Memory, before: Memory | None) -> Effect:
    """What became of a memory: made, or changed from how it was before."""
    told: dict[str, Any] = {"memory": after.key_id.hex(), "after": _image(after)}
    if before is not None:
        told["before"] = _image(before)
        if after.successor is not None:
            told[SUCCESSOR] = after.successor.hex()
    return told


def has_ended(effect: Effect) -> bool:
    """Did the effect end a memory that was there before?"""
    before, after = effect.get("before"), effect.get("after")
    if before is None or after is None:
        return False
    return after["state"] == "superseded" or after["valid_to_ms"] != before["valid_to_ms"]


def is_untouched(memory: Memory, effect: Effect) -> bool:
    """Is it as the receipt left it? One that came overtaken may stand since: nobody said it again."""
    after, present = effect.get("after"), _image(memory)
    if after and "before" not in effect and after["state"] == "superseded":
        present |= {name: after[name] for name in _PLACE}
    return present == after


def _image(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _COLUMNS}
