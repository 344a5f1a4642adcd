"""Learn: the memories that a distillation draws, and how to take them back.

What it changed is put down as it was before, so that undoing is exact where nobody touched it since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import BadInput, MemoryRefused
from everthread.domain.gleaning.facts import Fact
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.memories import Memory, Origin, sources_text
from everthread.domain.text.sayings import alike
from everthread.ports import House, Records
from everthread.services.memory.remember import MOST_COMPARED, Wish, near_of, prepared, settle

from .stages import Pause

BY: Mapping[str, Origin] = {"user": "user", "agent": "agent", "tool": "tool", "system": "agent"}

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


class Learnt(NamedTuple):
    """The memories of a distillation, and what it did to others."""

    memories: Sequence[Memory]
    effects: Sequence[Mapping[str, Any]]


def drawn(house: House, facts: Iterable[Fact], receipt: Receipt | None) -> list[Memory]:
    """The facts as memories that nobody has stored yet; what is no memory is left out.

    Without a receipt they are drawn from a harness's session, which nobody distilled.
    """
    ref = None if receipt is None else receipt.ref
    fresh: list[Memory] = []
    for fact in facts:
        wish = Wish(fact.text, kind=fact.kind, origin=BY[fact.by], receipt=ref)
        try:
            memory = prepared(house, wish)
        except (MemoryRefused, BadInput):
            continue  # it stays in the summary; as a memory it would be noise
        # Nobody pinned it by hand: what a distillation finds may be replaced by what is said later.
        fresh.append(memory._replace(pinned=0, sources_json=sources_text(fact.sources)))
    return fresh


class Compared(NamedTuple):
    """What was drawn, each with the memories that it says again or speaks against."""

    fresh: Sequence[tuple[Memory, tuple[int, ...]]]
    entry: int
    """Up to this entry of the timeline; what changed later has to be looked at again."""


def compared(house: House, scope: Scope, fresh: Sequence[Memory], pause: Pause) -> Compared:
    """Compare what was drawn with what is kept: long work, done while nobody has to wait for it."""

    def work(records: Records) -> tuple[int, Sequence[Memory]]:
        kept = records.memories.all(scope, state="kept", limit=MOST_COMPARED)
        return records.timeline.head(scope)[0], kept

    entry, kept = house.store.read(work)
    found: list[tuple[Memory, tuple[int, ...]]] = []
    for memory in fresh:
        refs: list[int] = []
        for old in near_of(memory, kept):
            if alike(memory.text, old.text) or contradicts(memory.text, old.text):
                refs.append(old.ref)
            pause()
        found.append((memory, tuple(refs)))
    return Compared(found, entry)


def learn(records: Records, scope: Scope, drawn: Compared) -> Learnt:
    """Find each its place among what is kept, in the transaction of the distillation."""
    records.memories.hold(scope)
    withheld = records.memories.withheld(scope)
    later = [
        memory
        for memory in records.memories.since(scope, drawn.entry, MOST_COMPARED)
        if memory.state == "kept"
    ]
    before: dict[int, Memory] = {}
    learnt: list[Memory] = []
    effects: list[Mapping[str, Any]] = []
    for memory, refs in drawn.fresh:
        if any(withheld.get(source) == "forgotten" for source in memory.sources):
            continue  # what was forgotten must not come back by being drawn once more
        known = {ref: records.memories.get(scope, ref) for ref in refs}
        near = [m for m in known.values() if m.state == "kept"]
        near += [m for m in near_of(memory, [*later, *learnt]) if m.ref not in known]
        made = {m.ref for m in learnt}
        before.update({m.ref: m for m in near if m.ref not in before and m.ref not in made})
        told = settle(records, scope, memory, near)
        if told.outcome == "known":
            continue
        learnt.append(told.memory)
        changed = [told.memory, *told.superseded]
        effects += [_effect(each, before.get(each.ref)) for each in changed]
    return Learnt(learnt, effects)


def _effect(after: Memory, before: Memory | None) -> Mapping[str, Any]:
    """What became of a memory: made, or changed from how it was before."""
    told: dict[str, Any] = {"memory": after.key_id.hex(), "after": _image(after)}
    if before is not None:
        told["before"] = _image(before)
    return told


def _image(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _COLUMNS}


def unlearn(records: Records, scope: Scope, receipt: Receipt, *, now: int) -> tuple[int, list[str]]:
    """Take back what a receipt did to memories; how many, and the ids of those left as they are.

    What a person or a later distillation touched since is theirs, and stays.
    """
    records.memories.hold(scope)
    taken: set[str] = set()
    left: dict[str, None] = {}
    for effect in reversed(receipt.detail.get("effects", [])):
        memory = records.memories.find(scope, bytes.fromhex(effect["memory"]))
        if memory is None or memory.state == "forgotten" or memory.id in taken:
            continue
        if _image(memory) != effect.get("after"):
            left[memory.id] = None
            continue
        taken.add(memory.id)
        if "before" in effect:
            image = {**effect["before"], "successor": None}
            records.memories.restore(scope, memory._replace(**image), now=now)
        else:
            records.memories.retract(scope, memory, receipt.key_id, now=now)
    return len(taken), [*left]
