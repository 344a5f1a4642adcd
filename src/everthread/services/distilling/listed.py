"""What `MEMORY.md` says of ours: the same, whoever writes it.

A distillation writes it before its transaction, with the digest that is about to be in force; all others
write what the store says. Two may write at once, and the later one may have asked the store first: so
whoever has written asks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.daily import managed
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, read_digest
from everthread.domain.harness.checkpoints import ENDS, carries
from everthread.domain.memory.memories import Memory
from everthread.domain.text.sayings import alike
from everthread.ports import Flushed, House, Records
from everthread.services.places import ask_here

from .swap import standing_digest

MOST_STANDING = 100
"""So many that stand are looked at: of each kind a fifth of that is listed, the rest counted."""
LOOKED_AT = 500
"""Checkpoints that are looked through for one that may have been the last of its session."""
TRIES = 5

RESTLESS = Flushed(ok=False, error="what MEMORY.md has to say changes all the time; try again")


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
    return Listing(points, managed(points))


def managed_now(house: House, records: Records, scope: Scope) -> str | None:
    """How it reads as things are, for who has the store in hand."""
    return managed(_points(house, records, scope))


def list_anew(house: House, agent: AgentRow, known: Listing | None = None) -> bool:
    """Have `MEMORY.md` list what stands. Does it? A disk that fails is tried again."""
    done = listed(house, agent, known)
    if not done.ok:
        house.store.write(lambda r: ask_here(house, r, Scope(agent.ref)))
    return done.ok


def listed(house: House, agent: AgentRow, known: Listing | None = None) -> Flushed:
    """Have it say what the store says. An agent without files gets none.

    Between what is read and what is written somebody else may forget something, and write the file. So
    it is looked at once more afterwards: whoever writes last has seen what all of them did. `known` is
    how it read a moment ago, so that the same is not made twice.
    """
    workspace, scope = house.workspace, Scope(agent.ref)
    if workspace is None or not workspace.there(agent.name):
        return Flushed(ok=True)
    done: Flushed | None = None
    for _ in range(TRIES):
        entry, points = house.store.read(lambda r: (_entry(r, scope), _points(house, r, scope)))
        if known is None or known.points != points:
            known = Listing(points, managed(points))
        elif done is not None:
            return done  # something was said meanwhile, and nothing that is listed
        done = workspace.renew(agent.name, known.text)
        if not done.ok or house.store.read(lambda r: _entry(r, scope)) == entry:
            return done
    return RESTLESS


def _entry(records: Records, scope: Scope) -> int:
    """Whatever changes what is listed is an entry of the timeline."""
    return records.timeline.head(scope)[0]


def primary_digest(records: Records, scope: Scope) -> Digest:
    """What `MEMORY.md` speaks of first: the primary thread, whichever thread is flushed."""
    return standing_digest(records, scope, records.threads.all(scope)[0].ref)


def _points(
    house: House, records: Records, scope: Scope, primary: Digest | None = None
) -> list[Point]:
    """The primary thread, the last session that was extracted, and what people said in earlier ones to
    hold from then on. What was said elsewhere may have taken the place of what a digest holds."""
    first = primary_digest(records, scope) if primary is None else primary
    told = [*first.points, *_last_session(records, scope).points]
    over = records.memories.replaced(scope, {key for point in told for key in point.sources})
    lately = [point for point in told if not _replaced(point, over)]
    now = house.clock.now()
    stand = records.memories.standing_beside(scope, at=now, limit=MOST_STANDING)
    return [*lately, *(_point(memory) for memory in stand)]


def _replaced(point: Point, over: Mapping[bytes, Sequence[str]]) -> bool:
    """Does it rest on nothing but what another memory took the place of? Said once more, it stands."""

    def stale(key: bytes) -> bool:
        return any(_tells(text, point.text) for text in over.get(key, ()))

    return bool(over) and bool(point.sources) and all(map(stale, point.sources))


def _tells(memory: str, point: str) -> bool:
    return point.startswith(memory) or alike(memory, point) == "same"


def _last_session(records: Records, scope: Scope) -> Digest:
    lately = records.checkpoints.newest(scope, limit=LOOKED_AT)
    last = next((one for one in lately if one.kind in ENDS and carries(one)), None)
    state = "" if last is None else records.checkpoints.state(scope, last)
    return read_digest(state) if state else EMPTY


def _point(m: Memory) -> Point:
    return Point(
        m.kind, m.text, m.sources, "user", m.created_ms, m.importance, pinned=bool(m.pinned)
    )
