"""Learn: the memories that a distillation draws, and how to take them back.

What it changed is put down as it was before, so that undoing is exact where nobody touched it since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.distilling.drafts import Ending
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import BadInput, MemoryRefused
from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.gleaning.facts import NOTHING_CLOSED, ClosedPoints, Fact, memories_of
from everthread.domain.gleaning.message_text import bag_of
from everthread.domain.gleaning.point_changes import Change
from everthread.domain.ids import id_text
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.endings import lifted_by
from everthread.domain.memory.memories import Memory, Origin, Whose, is_valid, sources_text
from everthread.domain.memory.merging import is_serial, may_replace, said_ms
from everthread.domain.text.sayings import likeness_of
from everthread.ports import House, Records
from everthread.services.memory.ownership import principal_of, said_by_two
from everthread.services.memory.provenance import said_times
from everthread.services.memory.remember import (
    MOST_COMPARED,
    Wish,
    near_memories,
    prepare,
    settle,
    settle_again,
)

from .effects import Effect, effect_of, is_untouched
from .redraw import UndoneMemories, with_old_kind, with_old_row
from .stages import Pause, nothing
from .told_endings import end_told, endings_of, heirs_of, tells

BY: Mapping[str, Origin] = {"user": "user", "agent": "agent", "tool": "tool", "system": "agent"}

TOUCHED = {
    "memory.merged": "it was said again since",
    "memory.superseded": "another took its place since",
    "memory.bounded": "it was given an end since",
    "memory.restored": "another distillation was undone or redone since",
    "memory.retracted": "another distillation was undone since",
}
"""Why a memory is left as it is, by what happened to it last."""

STILL_REPLACED = "what took its place is left as it is"


class LearnResult(NamedTuple):
    """The memories of a distillation, and what it did to others."""

    memories: Sequence[Memory]
    effects: Sequence[Effect]


def memories_gained(
    house: House,
    scope: Scope,
    before: Digest,
    after: Digest,
    pause: Pause = nothing,
    *,
    receipt: Receipt | None = None,
    session: int | None = None,
) -> list[Memory]:
    """What the later digest holds and the earlier did not, as memories that nobody has stored yet.

    Each is for whom its messages are: what one said, or was told, is not given to another (R-44).
    """
    facts = memories_of(before, after, pause, _owner_lookup(house, scope))
    return draw_memories(house, facts, receipt, pause, session=session)


def _owner_lookup(house: House, scope: Scope) -> Whose:
    return lambda sources: house.store.read(lambda r: principal_of(r, scope, sources))


def draw_memories(
    house: House,
    facts: Iterable[Fact],
    receipt: Receipt | None,
    pause: Pause = nothing,
    *,
    session: int | None = None,
) -> list[Memory]:
    """The facts as memories that nobody has stored yet; what is no memory is left out.

    Without a receipt they are drawn from a session that nobody distilled; they carry which, and by
    that their project is known.
    """
    ref = None if receipt is None else receipt.ref
    fresh: list[Memory] = []
    for fact in facts:
        pause()
        wish = Wish(fact.text, kind=fact.kind, origin=BY[fact.by], receipt=ref)
        try:
            memory = prepare(house, wish)
        except (MemoryRefused, BadInput):
            continue  # it stays in the summary; as a memory it would be noise
        # Nobody pinned it by hand: what a distillation finds may be replaced by what is said later.
        sources = sources_text(fact.sources)
        told = memory._replace(pinned=0, sources_json=sources, said=fact.said)
        told = told._replace(principal=fact.principal, session_ref=session)
        fresh.append(told._replace(valid_to_ms=fact.until_ms))
    return fresh


class FreshMemory(NamedTuple):
    """What was drawn, with what it says again or speaks against."""

    memory: Memory
    refs: tuple[int, ...]
    """Of the memories that are kept."""
    twins: tuple[bytes, ...]
    """Keys of those that were drawn before it."""
    again: int | None = None
    """The memory that it was when a distillation drew it that was undone since."""


class Comparison(NamedTuple):
    """All that was drawn, compared with what is kept and with each other."""

    fresh: Sequence[FreshMemory]
    entry: int
    """Up to this entry of the timeline; what changed later has to be looked at again."""
    over: Sequence[int] = ()
    """The memories of what was open, or held, and does so no longer."""
    until_ms: int = 0
    now_ms: int = 0
    endings: Sequence[Ending] = ()
    """The memories that a model named as over, by a person's words."""
    heirs: Sequence[int] = ()
    """What was drawn before from those words."""


def compare(
    house: House,
    scope: Scope,
    fresh: Sequence[Memory],
    pause: Pause,
    closed: ClosedPoints = NOTHING_CLOSED,
    endings: Sequence[Ending] = (),
) -> Comparison:
    """Compare what was drawn with what is kept: long work, done while nobody has to wait for it."""

    def work(
        records: Records,
    ) -> tuple[int, Sequence[Memory], Sequence[Memory], Mapping[bytes, int]]:
        kept = records.memories.all(scope, state="kept", limit=MOST_COMPARED)
        gone = records.memories.taken_back(scope) if fresh else ()
        return records.timeline.head(scope)[0], kept, gone, said_times(records, scope, fresh)

    entry, kept, gone, said = house.store.read(work)
    fresh = _without_ended(fresh, kept, now=house.clock.now())
    before = UndoneMemories(gone)
    was = [before.among(memory) for memory in fresh]
    fresh = [m if w is None else with_old_kind(m, w) for m, w in zip(fresh, was, strict=True)]
    drawn = ((m, point) for m in kept for point in closed.points if _tells(m, point, pause))
    over = dict.fromkeys(m.ref for m, point in drawn if not _by_another(m, point, fresh, pause))
    found: list[FreshMemory] = []
    asking = _owner_lookup(house, scope)
    for n, memory in enumerate(fresh):
        touches = partial(_touches, memory, said[memory.key_id], pause)
        near = near_memories(memory, kept, asking)
        # A rule that was seen to end does so by that; what lifts it need not take its place.
        lifted = [old for old in lifted_by(memory, near) if old.ref not in over]
        refs = [old.ref for old in near if old in lifted or touches(old)]
        pause()
        twins = [m.key_id for m in filter(touches, near_memories(memory, fresh[:n]))]
        again = None if (one := was[n]) is None else one.ref
        found.append(FreshMemory(memory, tuple(refs), tuple(twins), again))
    told = Comparison(found, entry, [*over], closed.until_ms, house.clock.now())
    return told._replace(endings=endings, heirs=heirs_of(endings, kept))


def _without_ended(fresh: Sequence[Memory], kept: Sequence[Memory], *, now: int) -> list[Memory]:
    """What was drawn before in the same words out of the same messages, and has ended since, is not drawn
    once more: whoever reads an old session late does not see what ended it. Said again, it is."""
    over: dict[str, set[bytes]] = {}
    for memory in kept:
        if memory.valid_to_ms is not None and not is_valid(memory, at=now):
            over.setdefault(memory.text, set()).update(memory.sources)
    return [m for m in fresh if m.text not in over or not over[m.text].issuperset(m.sources)]


def compare_redrawn(
    house: House,
    scope: Scope,
    receipt: Receipt,
    drawn: Sequence[Memory],
    pause: Pause,
    closed: ClosedPoints,
    *,
    anew: bool,
) -> Comparison:
    """What redoing draws. Nobody said it again, so it counts from when the receipt drew it.

    Where the summary is not made anew, that is what it drew then: what a person put in its place
    since, or forgot, does not make room for something else.
    """
    at, now = receipt.closed_ms or receipt.opened_ms, house.clock.now()
    facts = [memory._replace(updated_ms=min(memory.updated_ms, at)) for memory in drawn]
    endings = endings_of(receipt)
    if anew:
        return compare(house, scope, facts, pause, closed, endings)
    taken = house.store.read(lambda r: r.memories.taken_back(scope))
    own = [memory for memory in taken if memory.successor == receipt.key_id]
    before = UndoneMemories(own)
    there = {one.ref for one in map(before.among, facts) if one is not None}
    fresh = {"ref": 0, "state": "kept", "successor": None, "created_ms": now}
    facts += [
        one._replace(**fresh, key_id=house.ids.new(), updated_ms=one.created_ms)
        for one in own
        if one.ref not in there
    ]
    found = compare(house, scope, facts, pause, closed, endings)
    # What only another that was undone drew is none of its own.
    drew = {effect["memory"] for effect in receipt.detail.get("effects", ())}
    refs = {one.ref for one in taken if one in own or one.key_id.hex() in drew}
    learnt = [one for one in found.fresh if one.again in refs or one.refs or one.twins]
    return found._replace(fresh=learnt)


def _tells(memory: Memory, point: Point, pause: Pause) -> bool:
    """Was the memory drawn from it? What is pinned nobody ends."""
    if memory.kind != point.kind or memory.pinned:
        return False
    pause()
    return tells(memory, point)


def _by_another(memory: Memory, point: Point, fresh: Sequence[Memory], pause: Pause) -> bool:
    """Did others alone say what took its place? What is one person's, no other's word ends.

    By their names a digest tells people apart; a program may give it none.
    """
    if memory.principal is None:
        return False
    bag, people = bag_of(point.text), set[str | None]()
    for other in fresh:
        pause()
        by = "user" if other.origin == "user" else "agent"
        if Change(Point(other.kind, other.text, other.sources, by, 0)).retires(point, bag):
            people.add(other.principal)
    return bool(people) and people.isdisjoint((None, memory.principal))


def _touches(memory: Memory, said: int, pause: Pause, other: Memory) -> bool:
    """Is the other to be looked at for it: does it say the same, or does either speak against the other?"""
    pause()
    if likeness_of(memory.text, other.text) or contradicts(memory.text, other.text):
        return True
    # What was brought from elsewhere was said before it came: this may be too many, never too few.
    later = said_ms(other) > said and may_replace(other, memory)
    if later and contradicts(other.text, memory.text):
        return True
    return is_serial(memory, other)


def learn(records: Records, scope: Scope, drawn: Comparison) -> LearnResult:
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
    came = [*drawn.heirs]
    added: dict[bytes, int] = {}
    effects: list[Effect] = []
    asking = partial(principal_of, records, scope)
    for fresh, refs, twins, again in drawn.fresh:
        memory = fresh if again is None else with_old_row(records, scope, fresh, again)
        if any(withheld.get(source) == "forgotten" for source in memory.sources):
            continue  # what was forgotten must not come back by being drawn once more
        # What was merged stands under its own key: as one that is kept it was compared already.
        own = [added[key] for key in twins if key in added]
        changed_since = sorted(m.ref for m in near_memories(fresh, later, asking)) if later else []
        # As they are now: what was drawn before may have changed them in this very transaction.
        now = [records.memories.get(scope, r) for r in dict.fromkeys((*refs, *changed_since, *own))]
        near = [m for m in now if m.state == "kept" and not said_by_two(records, scope, memory, m)]
        made = {m.ref for m in learnt}
        before.update({m.ref: m for m in near if m.ref not in before and m.ref not in made})
        told = settle(records, scope, memory, near, drawn=True, now=fresh.created_ms)
        came.append(told.memory.ref)
        if told.outcome == "known":
            continue
        if told.outcome == "overtaken":  # nobody is given it; undoing takes it back all the same
            effects.append(effect_of(told.memory, None))
            continue
        learnt.append(told.memory)
        if told.outcome == "kept":
            added[fresh.key_id] = told.memory.ref
        changed = [told.memory, *told.superseded]
        effects += [effect_of(each, before.get(each.ref)) for each in changed]
    effects = end_told(records, scope, drawn.endings, came, effects, now=drawn.now_ms)
    said = {m.ref for m in learnt}
    ended = [_end_memory(records, scope, ref, drawn) for ref in drawn.over if ref not in said]
    return LearnResult(learnt, [*effects, *(effect for effect in ended if effect)])


def _end_memory(records: Records, scope: Scope, ref: int, drawn: Comparison) -> Effect | None:
    """What was open, or held, is true no longer: nobody is given it as something to do or to keep to."""
    memory = records.memories.get(scope, ref)
    # It was open when it was last put down, whatever had been said by then.
    until = max(drawn.until_ms, memory.updated_ms)
    if not is_valid(memory, at=until):
        return None
    after = records.memories.bound(scope, memory, until=until, now=drawn.now_ms)
    return effect_of(after, memory)


def touched_count(receipt: Receipt) -> int:
    """How many memories a receipt made, changed or ended."""
    return len({effect["memory"] for effect in receipt.detail.get("effects", ())})


class Unlearning(NamedTuple):
    """What undoing does to memories."""

    own: Sequence[tuple[Memory, Effect]]
    """What the receipt made or changed and nobody touched since: it goes, or is as it was before."""
    below: Sequence[Memory]
    """What was drawn since, and overtaken by what goes now: it finds its place anew."""
    left: Mapping[str, str]
    """What a person or a later distillation touched since, by id, and how: it is theirs, and stays."""

    @property
    def touched(self) -> int:
        return len(self.own) + len(self.below)


def plan_unlearning(records: Records, scope: Scope, receipt: Receipt) -> Unlearning:
    """What undoing a receipt would do to memories, as they stand."""
    own: dict[bytes, tuple[Memory, Effect]] = {}
    left: dict[bytes, str] = {}
    for effect in reversed(receipt.detail.get("effects", [])):
        memory = records.memories.find(scope, bytes.fromhex(effect["memory"]))
        if memory is None or memory.state == "forgotten" or memory.key_id in own:
            continue
        if is_untouched(memory, effect):
            own[memory.key_id] = memory, effect
        else:
            left[memory.key_id] = _later_change(records, scope, memory)
    while still := [key for key, (memory, _) in own.items() if memory.successor in left]:
        # Beside what took its place, or what has taken the place of that, it would stand again.
        left |= dict.fromkeys(still, STILL_REPLACED)
        own = {key: each for key, each in own.items() if key not in left}
    gone = [memory for memory, effect in own.values() if "before" not in effect]
    before = (old for memory in gone for old in records.memories.predecessors(scope, memory))
    below = {old.key_id: old for old in before if old.state == "superseded"}
    placed = own.keys() | left.keys()
    again = [old for key, old in below.items() if key not in placed]
    return Unlearning([*own.values()], again, {id_text(key): why for key, why in left.items()})


def unlearn(records: Records, scope: Scope, receipt: Receipt, *, now: int) -> Unlearning:
    """Take back what a receipt did to memories."""
    records.memories.hold(scope)
    plan = plan_unlearning(records, scope, receipt)
    for memory, effect in plan.own:
        if "before" in effect:
            image = {**effect["before"], "successor": None}
            records.memories.restore(scope, memory._replace(**image), now=now)
        else:
            records.memories.retract(scope, memory, receipt.key_id, now=now)
    for old in plan.below:
        settle_again(records, scope, old, now=now)
    return plan


def _later_change(records: Records, scope: Scope, memory: Memory) -> str:
    """What happened to it since."""
    last = records.timeline.about(scope, memory.key_id)[-1].event
    return TOUCHED.get(last, "it was changed since")
