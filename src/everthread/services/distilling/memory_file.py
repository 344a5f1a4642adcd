"""What `MEMORY.md` says of ours: the same, whoever writes it.

A distillation writes it before its transaction, with the digest that is about to be in force; all others
write what the store says. Two may write at once, and the later one may have asked the store first: so
whoever has written asks again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.corrected_points import tells
from everthread.domain.distilling.daily_files import is_listed, managed_section
from everthread.domain.distilling.receipts import STANDING, Receipt
from everthread.domain.gleaning.choices.joined_answers import join_answers
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, read_digest
from everthread.domain.harness.checkpoints import ENDS, carries_digest
from everthread.domain.ids import short
from everthread.domain.memory.memories import Memory, is_valid
from everthread.ports import FlushResult, House, Records
from everthread.services.archive.sources import messages_of
from everthread.services.job_names import RENEW_FILES, addressed_kind
from everthread.services.memory.provenance import said_times
from everthread.services.places import ask_here

from .corrections import LOOKED_THROUGH, corrections, points_by_source
from .swap import standing_digest, standing_receipts

MOST_STANDING = 100
"""So many that stand are looked at: of each kind a fifth of that is listed, the rest counted."""
LOOKED_AT = 500
"""Checkpoints that are looked through for one that may have been the last of its session; and the newest of
what the ends of sessions drew."""
TRIES = 5

RESTLESS = FlushResult(ok=False, error="what MEMORY.md has to say changes all the time; try again")


class Listed(NamedTuple):
    """What is listed."""

    points: Sequence[Point]
    ids: Mapping[Point, str] | None = None
    """By which id each is kept as a memory; None before the memories are written."""
    until_ms: int | None = None
    """When the first of them is over by its own words, or as it was kept."""

    @property
    def text(self) -> str | None:
        return managed_section(self.points, self.ids)


class Listing(NamedTuple):
    """What is listed, and how that reads."""

    listed: Listed
    text: str | None
    """None: there is nothing to say."""


def listing(house: House, scope: Scope, primary: Digest | None = None) -> Listing:
    """What is to be listed. `primary`: what is about to be in force on the primary thread, if not yet.

    Made outside the store: who lets others go first must not hold it meanwhile.
    """
    listed = house.store.read(lambda r: _listed(house, r, scope, primary))
    return Listing(listed, listed.text)


def managed_now(house: House, records: Records, scope: Scope) -> str | None:
    """How it reads as things are, for who has the store in hand."""
    return _listed(house, records, scope).text


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
        entry, listed = house.store.read(
            lambda r: (_head_entry(r, scope), _listed(house, r, scope))
        )
        if known is None or known.listed != listed:
            known = Listing(listed, listed.text)
        elif done is not None:
            return done  # something was said meanwhile, and nothing that is listed
        done = workspace.renew(agent.name, known.text)
        if not done.ok or house.store.read(lambda r: _head_entry(r, scope)) == entry:
            _ask_renewal(house, scope, listed)
            return done
    return RESTLESS


def _ask_renewal(house: House, scope: Scope, listed: Listed) -> None:
    """Have it written again when something that it lists is over: nobody says anything that day."""
    due = listed.until_ms
    if due is None:
        return
    kind, once = addressed_kind(RENEW_FILES, house.here.files), f"{scope.agent}:{due}"
    if not house.store.read(lambda r: r.jobs.waits(kind, once=once)):
        told, now = json.dumps({"agent": scope.agent}), house.clock.now()
        at = {"due_at": due, "now": now}
        house.store.write(lambda r: r.jobs.add(kind, told, agent=scope.agent, once=once, **at))


def renew(house: House, agent: int) -> None:
    """The job: what is over is listed no more."""
    refresh_listing(house, house.store.read(lambda r: r.agents.get(Scope(agent))))


def _head_entry(records: Records, scope: Scope) -> int:
    """Whatever changes what is listed is an entry of the timeline."""
    return records.timeline.head(scope)[0]


def primary_digest(records: Records, scope: Scope) -> Digest:
    """What `MEMORY.md` speaks of first: the primary thread, whichever thread is flushed."""
    return standing_digest(records, scope, records.threads.all(scope)[0].ref)


def _listed(house: House, records: Records, scope: Scope, primary: Digest | None = None) -> Listed:
    points, kept = _points(house, records, scope, primary)
    if primary is not None or not points:
        return Listed(points)
    until = _first_end(points, kept, now=house.clock.now())
    found = {point: short(memory.key_id) for point, memory in kept.items()}
    told = [point for point in points if point not in found]
    return Listed(points, found | _ids(records, scope, told), until)


def _first_end(points: Sequence[Point], kept: Mapping[Point, Memory], *, now: int) -> int | None:
    ends = [memory.valid_to_ms for memory in kept.values()]
    ends += [_last_moment(point) for point in points if point.by == "user"]
    return min((end for end in ends if end is not None and end > now), default=None)


def _ids(records: Records, scope: Scope, points: Sequence[Point]) -> dict[Point, str]:
    """By which id each is kept: however long ago in its own words, lately in others."""
    texts = {point.text for point in points}
    found = ids_of(points, records.memories.saying(scope, texts, state="kept"))
    left = [point for point in points if point not in found]
    if left:
        found |= ids_of(left, records.memories.all(scope, state="kept", limit=LOOKED_THROUGH))
    return found


def _points(
    house: House, records: Records, scope: Scope, primary: Digest | None = None
) -> tuple[list[Point], Mapping[Point, Memory]]:
    """The primary thread, the last session that was extracted, what the ends of sessions drew since the
    last distillation, and what earlier sessions of harnesses left. What was said elsewhere may have taken
    the place of what a digest holds. With those that are memories, which."""
    first = primary_digest(records, scope) if primary is None else primary
    now = house.clock.now()
    digests = (first, _last_session(records, scope))
    held = [point for digest in digests for point in join_answers(digest.points)]
    held = [point for point in held if not _has_ended(point, now)]
    stand = _as_points(
        records, scope, records.memories.standing_beside(scope, at=now, limit=MOST_STANDING)
    )
    beside = _as_points(records, scope, _drawn_beside(records, scope, held, now=now))
    if not held and not stand and not beside:
        # As before the first distillation, also where that was undone: there is no file.
        return [], {}
    drawn = _as_points(records, scope, _drawn_lately(records, scope, now=now))
    told = [*held, *drawn]
    over = records.memories.replaced(scope, {key for point in told for key in point.sources})
    gone = {point for point in told if _is_replaced(point, over)}
    gone |= _ended_since(records, scope, held, now=now)
    found = corrections(records, scope, told, gone, now=now)
    corrected = {point: new for point, (_, new) in found.items()}
    left = [point for point in told if point not in gone and point not in corrected]
    by_hand = _as_points(records, scope, [*dict.fromkeys(corrected.values())])
    kept = {**drawn, **stand, **beside, **by_hand}
    return [*left, *dict.fromkeys((*stand, *beside, *by_hand))], kept


def _ended_since(records: Records, scope: Scope, held: Sequence[Point], *, now: int) -> set[Point]:
    """What a digest holds and is over by now as a memory: a later session did that, or a person."""
    kept = records.memories.saying(scope, {point.text for point in held}, state="kept")
    over = {m.text: frozenset(m.sources) for m in kept if not is_valid(m, at=now)}
    valid = {m.text for m in kept if is_valid(m, at=now)}
    return {p for p in held if p.text in over.keys() - valid and over[p.text].issuperset(p.sources)}


def _last_moment(point: Point) -> int | None:
    from everthread.domain.text.rule_periods import last_moment  # noqa: PLC0415 - as below

    return last_moment(point.text, point.at_ms)


def _has_ended(point: Point, now: int) -> bool:
    from everthread.domain.text.rule_periods import has_ended  # noqa: PLC0415 - not for all that look

    return has_ended(point.text, point.at_ms, now)


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


def _drawn_beside(
    records: Records, scope: Scope, held: Sequence[Point], *, now: int
) -> list[Memory]:
    """What was drawn from sessions of harnesses and is told by no digest: only the last one of them has
    one that is looked at, and no distillation reads what they said."""
    found = records.memories.drawn_beside(scope, at=now, limit=LOOKED_AT)
    said = points_by_source(list(filter(is_listed, held)))

    def is_told(memory: Memory) -> bool:
        near = (point for key in memory.sources for point in said.get(key, ()))
        return any(tells(memory.text, point.text) for point in near)

    return [memory for memory in reversed(found) if not is_told(memory)]


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
        return any(tells(text, point.text) for text in over.get(key, ()))

    return bool(over) and bool(point.sources) and all(map(stale, point.sources))


def _last_session(records: Records, scope: Scope) -> Digest:
    lately = records.checkpoints.newest(scope, limit=LOOKED_AT)
    last = next((one for one in lately if one.kind in ENDS and carries_digest(one)), None)
    state = "" if last is None else records.checkpoints.state(scope, last)
    return read_digest(state) if state else EMPTY


def ids_of(points: Sequence[Point], kept: Sequence[Memory]) -> dict[Point, str]:
    """By which id each point is kept: said by the same message, best in its own words; or in these for all.

    What one person or one project has in the same words, and another message said, is another memory.
    """
    for_all = {m.text: m for m in kept if m.project is None and m.principal is None}
    sourced: dict[bytes, list[Memory]] = {}
    for memory in kept:
        for key in memory.sources:
            sourced.setdefault(key, []).append(memory)
    found: dict[Point, str] = {}
    for point in points:
        near = [one for key in point.sources for one in sourced.get(key, ())]
        same = [m for m in near if m.text == point.text]
        same += [m for m in near if not same and tells(m.text, point.text)]
        memory = same[0] if same else for_all.get(point.text)
        if memory is not None:
            found[point] = short(memory.key_id)
    return found


def _as_points(records: Records, scope: Scope, memories: Sequence[Memory]) -> dict[Point, Memory]:
    """Each of when it was said: that may be long before it was drawn."""
    said = said_times(records, scope, memories) if memories else {}
    return {_point(memory, said[memory.key_id]): memory for memory in memories}


def _point(m: Memory, at_ms: int) -> Point:
    by = "agent" if m.origin == "agent" else "user"
    point = Point(m.kind, m.text, m.sources, by, at_ms, m.importance, pinned=bool(m.pinned))
    # What is remembered as hers is hers: what a model retold is kept as the agent's word.
    return point._replace(verbatim=by == "user")
