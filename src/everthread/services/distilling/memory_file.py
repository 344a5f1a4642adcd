"""What `MEMORY.md` says of ours: the same, whoever writes it.

A distillation writes it before its transaction, with the digest that is about to be in force; all others
write what the store says. Two may write at once, and the later one may have asked the store first: so
whoever has written asks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.daily_files import managed_section
from everthread.domain.distilling.receipts import STANDING, Receipt
from everthread.domain.gleaning.choices.joined_answers import join_answers
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, read_digest
from everthread.domain.harness.checkpoints import ENDS, carries_digest
from everthread.domain.memory.memories import Memory
from everthread.domain.text.sayings import likeness_of
from everthread.ports import FlushResult, House, Records
from everthread.services.archive.sources import messages_of
from everthread.services.memory.provenance import said_times
from everthread.services.places import ask_here

from .swap import standing_digest, standing_receipts

MOST_STANDING = 100
"""So many that stand are looked at: of each kind a fifth of that is listed, the rest counted."""
LOOKED_AT = 500
"""Checkpoints that are looked through for one that may have been the last of its session; and the newest of
what the ends of sessions drew."""
TRIES = 5

RESTLESS = FlushResult(ok=False, error="what MEMORY.md has to say changes all the time; try again")


class Listing(NamedTuple):
    """What is listed, and how that reads."""

    points: Sequence[Point]
    text: str | None
    """None: there is nothing to say."""


def listing(house: House, scope: Scope, primary: Digest | None = None) -> Listing:
    """What is to be listed. `primary`: what is about to be in force on the primary thread, if not yet.

    Made outside the store: who lets others go first must not hold it meanwhile.
    """
    points = house.store.read(lambda r: _points(house, r, scope, primary))
    return Listing(points, managed_section(points))


def managed_now(house: House, records: Records, scope: Scope) -> str | None:
    """How it reads as things are, for who has the store in hand."""
    return managed_section(_points(house, records, scope))


def refresh_listing(house: House, agent: AgentRow, known: Listing | None = None) -> bool:
    """Have `MEMORY.md` list what stands. Does it? A disk that fails is tried again."""
    done = write_listing(house, agent, known)
    if not done.ok:
        house.store.write(lambda r: ask_here(house, r, Scope(agent.ref)))
    return done.ok


def write_listing(house: House, agent: AgentRow, known: Listing | None = None) -> FlushResult:
    """Have it say what the store says. An agent without files gets none.

    Between what is read and what is written somebody else may forget something, and write the file. So
    it is looked at once more afterwards: whoever writes last has seen what all of them did. `known` is
    how it read a moment ago, so that the same is not made twice.
    """
    workspace, scope = house.workspace, Scope(agent.ref)
    if workspace is None or not workspace.there(agent.name):
        return FlushResult(ok=True)
    done: FlushResult | None = None
    for _ in range(TRIES):
        entry, points = house.store.read(
            lambda r: (_head_entry(r, scope), _points(house, r, scope))
        )
        if known is None or known.points != points:
            known = Listing(points, managed_section(points))
        elif done is not None:
            return done  # something was said meanwhile, and nothing that is listed
        done = workspace.renew(agent.name, known.text)
        if not done.ok or house.store.read(lambda r: _head_entry(r, scope)) == entry:
            return done
    return RESTLESS


def _head_entry(records: Records, scope: Scope) -> int:
    """Whatever changes what is listed is an entry of the timeline."""
    return records.timeline.head(scope)[0]


def primary_digest(records: Records, scope: Scope) -> Digest:
    """What `MEMORY.md` speaks of first: the primary thread, whichever thread is flushed."""
    return standing_digest(records, scope, records.threads.all(scope)[0].ref)


def _points(
    house: House, records: Records, scope: Scope, primary: Digest | None = None
) -> list[Point]:
    """The primary thread, the last session that was extracted, what the ends of sessions drew since the
    last distillation, and what people said in earlier ones to hold from then on. What was said elsewhere
    may have taken the place of what a digest holds."""
    first = primary_digest(records, scope) if primary is None else primary
    now = house.clock.now()
    digests = (first, _last_session(records, scope))
    held = [point for digest in digests for point in join_answers(digest.points)]
    stand = _as_points(
        records, scope, records.memories.standing_beside(scope, at=now, limit=MOST_STANDING)
    )
    if not held and not stand:
        return []  # as before the first distillation, also where that was undone: there is no file
    told = [*held, *_as_points(records, scope, _drawn_lately(records, scope, now=now))]
    over = records.memories.replaced(scope, {key for point in told for key in point.sources})
    return [*(point for point in told if not _is_replaced(point, over)), *stand]


def _drawn_lately(records: Records, scope: Scope, *, now: int) -> list[Memory]:
    """What ends of the agent's own sessions drew, and no digest holds yet: since the last distillation
    that stands, or from messages that it left in the view.

    When it was drawn, and when that was closed, the timeline knows: both may have changed since.
    """
    thread = records.threads.all(scope)[0]
    closed = [
        _closing_entry(records, scope, receipt)
        for receipt in standing_receipts(records, scope, thread.ref)[-2:]
    ]
    after = closed[0] if len(closed) > 1 else 0
    found = records.memories.drawn(scope, thread.ref, after=after, at=now, limit=LOOKED_AT)
    mine = found[::-1]  # of too many the newest, and those in the order in which they came
    shown = _from_view(records, scope, thread, mine)
    since = closed[-1] if closed else 0
    return [m for m in mine if m.key_id in shown or _first_entry(records, scope, m) > since]


def _from_view(
    records: Records, scope: Scope, thread: Thread, memories: Sequence[Memory]
) -> set[bytes]:
    """Those of the memories that rest on a message which the thread's view still shows."""
    spans = records.marks.hiding(scope, thread.ref, version=thread.view_version)
    found = messages_of(records, scope, [key for memory in memories for key in memory.sources])
    shown = {
        key
        for key, message in found.items()
        if not any(span.first <= message.seq <= span.last for span in spans)
    }
    return {memory.key_id for memory in memories if not shown.isdisjoint(memory.sources)}


def _closing_entry(records: Records, scope: Scope, receipt: Receipt) -> int:
    closed = {f"receipt.{outcome}" for outcome in STANDING}
    told = records.timeline.about(scope, receipt.key_id)
    return min((entry.n for entry in told if entry.event in closed), default=0)


def _first_entry(records: Records, scope: Scope, memory: Memory) -> int:
    return min((entry.n for entry in records.timeline.about(scope, memory.key_id)), default=0)


def _is_replaced(point: Point, over: Mapping[bytes, Sequence[str]]) -> bool:
    """Does it rest on nothing but what another memory took the place of? Said once more, it stands."""

    def stale(key: bytes) -> bool:
        return any(_tells(text, point.text) for text in over.get(key, ()))

    return bool(over) and bool(point.sources) and all(map(stale, point.sources))


def _tells(memory: str, point: str) -> bool:
    return point.startswith(memory) or likeness_of(memory, point) == "same"


def _last_session(records: Records, scope: Scope) -> Digest:
    lately = records.checkpoints.newest(scope, limit=LOOKED_AT)
    last = next((one for one in lately if one.kind in ENDS and carries_digest(one)), None)
    state = "" if last is None else records.checkpoints.state(scope, last)
    return read_digest(state) if state else EMPTY


def _as_points(records: Records, scope: Scope, memories: Sequence[Memory]) -> list[Point]:
    """Each of when it was said: that may be long before it was drawn."""
    said = said_times(records, scope, memories) if memories else {}
    return [_point(memory, said[memory.key_id]) for memory in memories]


def _point(m: Memory, at_ms: int) -> Point:
    by = "agent" if m.origin == "agent" else "user"
    return Point(m.kind, m.text, m.sources, by, at_ms, m.importance, pinned=bool(m.pinned))
