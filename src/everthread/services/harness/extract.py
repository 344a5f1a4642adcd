"""Extract: when a harness compacts or ends a session, what is durable in it becomes memory and file.

The job that asks for it is the intent: it is in the store before a file is touched, and is tried
again where a disk fails. Files and memories know what was drawn before, so twice is once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.daily_files import day_of, section
from everthread.domain.errors import CheckpointUnknown, LeaseLost, SessionUnknown, StoreFailed
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, read_digest
from everthread.domain.gleaning.facts import closed_of
from everthread.domain.harness.checkpoints import ENDS, Checkpoint, carries_digest
from everthread.domain.harness.happenings import HARNESSES
from everthread.ports import Flush, FlushResult, House, Records
from everthread.services.archive.sources import forgotten_keys, messages_of
from everthread.services.distilling.learn import compare, learn, memories_gained
from everthread.services.distilling.memory_file import (
    Listing,
    listing,
    refresh_listing,
    write_listing,
)
from everthread.services.memory.remember import MOST_COMPARED
from everthread.services.places import enlist

from .earlier_items import with_settled
from .fold import LOOKED_AT, FoldedSession, checkpoint_until, fold

TRIES = 5


def run_extract_job(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job."""
    told = json.loads(payload)
    scope = Scope(told["agent"])
    if "session" in told:
        extract_until(house, scope, told["session"], told["until"], pause)
        return

    def work(records: Records) -> tuple[AgentRow, Checkpoint, Session]:
        found = records.checkpoints.get(scope, told["checkpoint"])
        session = records.sessions.get(scope, found.session_ref)
        return records.agents.get(scope), found, session

    try:
        agent, checkpoint, session = house.store.read(work)
    except (CheckpointUnknown, SessionUnknown):
        return  # it went with its thread, or was too old
    extract(house, agent, session, checkpoint, pause)


def extract_until(
    house: House, scope: Scope, ref: int, until: int, pause: Callable[[], None]
) -> FoldedSession | None:
    """Memories from a session up to that message, and what it held by then; None if it is no more.

    Where it was cleared nobody goes on from there, so nothing else is left of it.
    """

    def work(records: Records) -> tuple[Session, Checkpoint | None, Checkpoint | None, Digest]:
        session = records.sessions.get(scope, ref)
        drawn_from = checkpoint_until(records, scope, session, until, ENDS)
        state = "" if drawn_from is None else records.checkpoints.state(scope, drawn_from)
        last = checkpoint_until(records, scope, session, until)
        return session, drawn_from, last, read_digest(state) if state else EMPTY

    try:
        session, drawn_from, last, before = house.store.read(work)
    except SessionUnknown:
        return None  # it went with its thread
    folded = fold(house, scope, session, last, pause=pause, until=until)
    after = folded.digest
    fresh = memories_gained(house, scope, before, after, pause, session=session.ref)
    held = before if drawn_from else house.store.read(lambda r: _drawn_before(r, scope, session))
    found = compare(house, scope, fresh, pause, closed_of(held, after))
    found = with_settled(house, scope, session, found, before=drawn_from, until=until, pause=pause)

    def learnt(records: Records) -> AgentRow | None:
        records.memories.hold(scope)
        records.sessions.get(scope, ref)
        if forgotten_keys(records, scope) != folded.gone:
            raise LeaseLost("something that it had read was forgotten meanwhile; try again")
        return records.agents.get(scope) if learn(records, scope, found).effects else None

    try:
        agent = house.store.write(learnt)
    except SessionUnknown:
        return None  # it went meanwhile
    if agent is not None:
        refresh_listing(house, agent)
    return folded


def _drawn_before(records: Records, scope: Scope, session: Session) -> Digest:
    """What the session left as memories when its end was last seen to: more was added since."""
    kept = records.memories.all(scope, state="kept", limit=MOST_COMPARED)
    mine = [m for m in kept if m.session_ref == session.ref and m.origin == "user" and m.sources]
    said = messages_of(records, scope, [m.sources[0] for m in mine])
    points = [
        Point(m.kind, m.text, m.sources, "user", first.at_ms, verbatim=True, name=first.name or "")
        for m in mine
        if (first := said.get(m.sources[0])) is not None
    ]
    return Digest(points=tuple(points))


def extract(
    house: House,
    agent: AgentRow,
    session: Session,
    checkpoint: Checkpoint,
    pause: Callable[[], None],
) -> int:
    """Memories from what the session held since it was last extracted; how many there are."""
    scope = Scope(agent.ref)
    earlier, before, after = house.store.read(
        lambda r: (
            _extracted_before(r, scope, session, checkpoint),
            *_digests(r, scope, session, checkpoint),
        )
    )
    fresh = memories_gained(house, scope, before, after, pause, session=session.ref)
    found = compare(house, scope, fresh, pause, closed_of(before, after))
    until = checkpoint.through_seq
    found = with_settled(house, scope, session, found, before=earlier, until=until, pause=pause)

    def learnt(records: Records) -> int:
        records.sessions.get(scope, session.ref)
        return len(learn(records, scope, found).memories)

    try:
        number = house.store.write(learnt)
    except SessionUnknown:
        number = 0  # it went meanwhile, and its section goes too
    rewrite_files(house, agent, checkpoint)
    return number


def _extracted_before(
    records: Records, scope: Scope, session: Session, checkpoint: Checkpoint
) -> Checkpoint | None:
    """The one with which the session was extracted before this."""
    known = records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT)
    ends = (c for c in known if c.kind in ENDS and c.ref < checkpoint.ref)
    return next(filter(carries_digest, ends), None)


def _digests(
    records: Records, scope: Scope, session: Session, checkpoint: Checkpoint
) -> tuple[Digest, Digest]:
    """What the session held when it was last extracted, and what it holds now."""
    earlier = _extracted_before(records, scope, session, checkpoint)
    state = "" if earlier is None else records.checkpoints.state(scope, earlier)
    now = records.checkpoints.state(scope, checkpoint)
    return read_digest(state) if state else EMPTY, read_digest(now) if now else EMPTY


def rewrite_files(house: House, agent: AgentRow, checkpoint: Checkpoint) -> bool:
    """Have the files say what the checkpoint holds: a section of the day's, the managed one of `MEMORY.md`.

    Is it so? What a person edited stays as it is. Should something be forgotten while the files are
    written, they are written once more.
    """
    scope, edited, enlisted = Scope(agent.ref), False, False
    kept: Listing | None = None
    for _ in range(TRIES):
        entry, order = house.store.read(lambda r: section_now(r, scope, checkpoint))
        if order is None or house.workspace is None:
            break
        if not enlisted and house.here.files:
            house.store.write(lambda r: enlist(house, r, scope))
            enlisted = True
        kept = listing(house, scope)
        act = house.workspace.write if order.section else house.workspace.withdraw
        edited = _must_be_written(agent, act(agent.name, order._replace(managed=kept.text))).edited
        if house.store.read(lambda r: _stored_entry(r, scope, checkpoint)) == entry:
            break
    _must_be_written(agent, write_listing(house, agent, kept))
    return not edited


def _must_be_written(agent: AgentRow, done: FlushResult) -> FlushResult:
    if not done.ok:
        raise StoreFailed(f"the files of {agent.name} could not be written: {done.error}")
    return done


GONE = 0
"""Stands for the entry of a checkpoint that went with its thread."""


def _stored_entry(records: Records, scope: Scope, checkpoint: Checkpoint) -> int:
    """Which state of it is stored; what was removed for its age stays in the files as it was."""
    try:
        records.sessions.get(scope, checkpoint.session_ref)
        return records.checkpoints.get(scope, checkpoint.ref).entry
    except SessionUnknown:
        return GONE
    except CheckpointUnknown:
        return checkpoint.entry


def section_now(records: Records, scope: Scope, checkpoint: Checkpoint) -> tuple[int, Flush | None]:
    """What the daily file has to say of it; None where it holds nothing of it and need not."""
    day, entry = day_of(checkpoint.created_ms), _stored_entry(records, scope, checkpoint)
    if entry == GONE:
        return entry, Flush(checkpoint.id, day, "", None)
    session = records.sessions.get(scope, checkpoint.session_ref)
    present = records.checkpoints.get(scope, checkpoint.ref)
    before, after = _digests(records, scope, session, present)
    known = before.known()
    new = [point for point in after.points if point.bare not in known]
    if not new and entry == first_entry(records, scope, checkpoint):
        return entry, None
    told = _section(records, scope, session, checkpoint, new) if new else ""
    return entry, Flush(checkpoint.id, day, told, None)


def first_entry(records: Records, scope: Scope, checkpoint: Checkpoint) -> int:
    """The entry by which it was made; where another is newer, something in it was forgotten."""
    return min((e.n for e in records.timeline.about(scope, checkpoint.key_id)), default=GONE)


def _section(
    records: Records, scope: Scope, session: Session, checkpoint: Checkpoint, new: Sequence[Point]
) -> str:
    what = "compaction" if checkpoint.kind == "pre_compaction" else "end of a session"
    return section(
        checkpoint.id,
        number=0,
        at_ms=checkpoint.created_ms,
        thread=records.threads.get(scope, session.thread_ref).id,
        summary="",
        points=new,
        title=f"{HARNESSES.get(session.harness or '', 'Session')}, {what}",
    )
