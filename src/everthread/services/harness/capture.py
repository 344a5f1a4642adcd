"""Capture: what is said in a harness reaches the archive, once, whichever way it comes.

A prompt comes twice: by its hook, at once, and by the transcript, later. A balance by text, kept with
the place up to which the transcript was read, tells which of the two is the first: that one is
stored, the other is known. Places and messages change in one transaction, so a crash between them
loses nothing and doubles nothing; and only who finds the place where its reading began stores what it
read, so two events at once do neither. What was erased stays erased, though transcripts keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import OTHERS, AgentRow, Scope
from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.sessions import LastErasures, Session
from everthread.domain.errors import AgentUnknown
from everthread.domain.harness.checkpoints import CONCLUDED, Cursor
from everthread.domain.harness.happenings import Happening, Line, Reading
from everthread.ports import House, Records
from everthread.services.archive.record import JUST_NOW, draft_entry, draft_line, store_drafts
from everthread.services.archive.sessions import Seat, open_session, revive

from .balance import SOURCE, Balance, owes, text_hash, without_repeats
from .checkpoint import ask_if_due
from .session_owner import PROCESS, TRANSCRIPT
from .stretch import PLACE as STRETCH

HERE = ""
"""The place of what has no transcript."""

AGAIN = "again"
"""What is open at a transcript that is read for the first time, and may tell what is known."""

NEAR = 10
"""Sessions of a project that are looked at for the one before."""

Read = Callable[[str, str], Reading]
"""Reads a transcript on from a place."""


class Visit(NamedTuple):
    """One event of a harness, and what is needed to attend it."""

    house: House
    agent: AgentRow
    thread: int
    """The agent's primary thread: what a harness says is archived there (R-12)."""
    happening: Happening
    at: int
    """When it happened; what came by the spool happened earlier than now."""

    @property
    def scope(self) -> Scope:
        return Scope(self.agent.ref)

    def store(self, records: Records, drafts: Iterable[Draft], child: str | None = None) -> int:
        """Append what is new in the session, or in that of a subagent; how many there were."""
        dated = [d._replace(at_ms=self.at) if d.at_ms == JUST_NOW else d for d in drafts]
        if not dated:
            return 0
        seat = seat_of(self.happening, child)
        return store_drafts(self.house, records, self.agent, self.thread, dated, seat)


class CapturedSession(NamedTuple):
    """A session of a harness, and what capturing did to it."""

    session: Session
    added: int = 0
    summaries: Sequence[Line] = ()
    """The harness's own summaries that were read on the way."""
    told: bool = False
    """Is what the event itself says stored with it?"""
    tasked: bool | None = None
    """Is a task worked at in its project? None where nobody looked."""


def current_agent(visit: Visit, records: Records) -> AgentRow:
    """The agent as it is now. Its handle is kept from event to event: in another store, put in the place
    of the first, what it refers to would be somebody else's."""
    agent = records.agents.get(visit.scope)
    if agent.key_id != visit.agent.key_id:
        raise AgentUnknown(OTHERS)
    return agent


def seat_session(visit: Visit, records: Records) -> Session:
    """The session of the event, opened or made active again."""
    known = records.sessions.find(visit.scope, visit.happening.session)
    if known is not None:
        return revive(records, visit.scope, known, visit.at)
    held = records.threads.hold(visit.scope, visit.thread)
    wanted = seat_of(visit.happening)
    previous = _previous(visit, records)
    return open_session(visit.house, records, held, wanted, started=visit.at, previous=previous)


def _previous(visit: Visit, records: Records) -> int | None:
    """The session that it goes on from: as the harness says, else the last in this project (S-8)."""
    if visit.happening.previous:
        named = records.sessions.find(visit.scope, visit.happening.previous)
        if named is not None:
            return named.ref
    project = visit.house.files.real(visit.happening.folder)
    lately = records.sessions.of_project(visit.scope, project, limit=NEAR)
    last = next((s for s in lately if s.parent_ref is None and s.harness is not None), None)
    return None if last is None else last.ref


def seat_of(happening: Happening, child: str | None = None) -> Seat:
    """Where what is said belongs: the harness's session, or the child of it that a subagent is."""
    if child is None:
        return Seat(session=happening.session, project=happening.folder, harness=happening.harness)
    return Seat(
        session=f"{happening.session}:{child}",
        project=happening.folder,
        harness=happening.harness,
        parent=happening.session,
    )


def seat_now(visit: Visit) -> Session:
    """The session of the event; written only where it has to be opened or woken."""
    found = visit.house.store.read(lambda r: r.sessions.find(visit.scope, visit.happening.session))
    if found is not None and found.state == "active":
        return found
    return visit.house.store.write(lambda r: seat_session(visit, r))


def event_drafts(visit: Visit) -> list[Draft]:
    """What the event itself says: a prompt, a reply, entries that it carries."""
    happening, at = visit.happening, visit.at
    entries = [dict(entry) for entry in happening.entries]
    if happening.kind == "prompt" and happening.text and happening.human:
        entries.append({"role": "user", "content": happening.text, **_hook_id(happening, at, "p")})
    if happening.kind == "reply" and happening.text and not happening.child:
        told = {"role": "assistant", "content": happening.text}
        entries.append({**told, **_hook_id(happening, at, "r")})
    count = visit.house.tokenizer.count
    return [draft_entry(entry, SOURCE, count) for entry in entries]


Also = Callable[[Records, Session], None]
"""What else is written in the same transaction."""


class StoredEvent(NamedTuple):
    """The session of an event after what that says is stored."""

    session: Session
    new: bool = False
    """Was anything of it new?"""
    tasked: bool | None = None
    """Is a task worked at in its project? None where nobody looked."""
    asked: bool = False
    """Was work asked for?"""


def bring(visit: Visit, also: Also | None = None) -> StoredEvent:
    """Store what the event itself says."""
    drafts = event_drafts(visit)
    if not drafts and also is None:
        return StoredEvent(seat_now(visit))

    def work(records: Records) -> StoredEvent:
        current_agent(visit, records)
        if drafts:
            # First: what the transcript brings at the same time changes the balance too.
            records.threads.hold(visit.scope, visit.thread)
        session, added = seat_session(visit, records), 0
        if drafts:
            now = _open(visit, records, session)
            added = _store_from_hook(visit, records, now, drafts)
            _close(visit, records, now)
        session = records.sessions.get(visit.scope, session.ref)
        if also is not None:
            also(records, session)
        asked = False
        if added and visit.happening.kind == "prompt":
            asked = ask_if_due(visit.house, records, visit.scope, session)
        return StoredEvent(session, added > 0, is_at_task(records, visit.scope, session), asked)

    return visit.house.store.write(work)


def is_at_task(records: Records, scope: Scope, session: Session) -> bool:
    """Is a task worked at in the session's project?"""
    project = session.project_normalized
    if project is None or session.parent_ref is not None:
        return False
    return bool(records.sittings.active(scope, project))


def _store_from_hook(
    visit: Visit, records: Records, now: _OpenSession, drafts: Sequence[Draft]
) -> int:
    """Store what a hook brings, unless the transcript has brought it before; how many were new."""
    if visit.at < now.erased.this:
        return 0
    # The same event may come again, if nobody lived to note that it was done: it counts once.
    names = [draft.external_id for draft in drafts if draft.external_id]
    done = {name for name in names if now.balance.is_settled(name)}
    fresh = [draft for draft in drafts if draft.external_id not in done]
    new = [draft for draft in fresh if owes(now.balance, draft, at=visit.at, by_hook=True)]
    for name in names:
        now.balance.settle(name)
    return visit.store(records, new)


def _hook_id(happening: Happening, at: int, who: str) -> dict[str, Any]:
    """The id of what a hook says: the same, should the same event be brought again."""
    return {"id": f"{happening.session}:{who}:{at}:{text_hash(happening.text or '')}"}


def follow(
    visit: Visit, read: Read, *, late: Callable[[], bool] = lambda: False
) -> CapturedSession:
    """Read the session's transcript on to its end, or until it is late, and store what is new.

    What the event itself says comes with the last part: the transcript may not say it yet.
    """
    place = visit.happening.transcript or ""
    if not place:
        return _bring_into(visit, CapturedSession)
    session, since = _seat_at(visit, place)
    sat = CapturedSession(session)
    while True:
        reading = read(place, since.position)
        stuck = reading.cursor == since.position
        if stuck and not reading.lines:
            break
        sat, reached = _take_in(visit, reading, sat, since)
        if sat.told or late() or (stuck and reached.position == since.position):
            break
        since = reached
    if not sat.told:
        return _bring_into(visit, sat._replace)

    def look(records: Records) -> CapturedSession:
        fresh = records.sessions.get(visit.scope, session.ref)
        return sat._replace(session=fresh, tasked=is_at_task(records, visit.scope, fresh))

    return visit.house.store.read(look)


def _bring_into(visit: Visit, made: Callable[..., CapturedSession]) -> CapturedSession:
    brought = bring(visit)
    return made(session=brought.session, tasked=brought.tasked)


def _seat_at(visit: Visit, place: str) -> tuple[Session, Cursor]:
    """The session of the event, and up to where its transcript was read."""

    def look(records: Records) -> tuple[Session, Cursor] | None:
        current_agent(visit, records)
        found = records.sessions.find(visit.scope, visit.happening.session)
        if found is None or found.state != "active":
            return None
        return found, _cursor_at(visit, records, found, place)

    def work(records: Records) -> tuple[Session, Cursor]:
        session = seat_session(visit, records)
        return session, _cursor_at(visit, records, session, place)

    return visit.house.store.read(look) or visit.house.store.write(work)


OURS = (HERE, PROCESS, STRETCH, TRANSCRIPT, CONCLUDED)
"""Places of cursors that are no transcripts."""


def _cursor_at(visit: Visit, records: Records, session: Session, place: str) -> Cursor:
    """Up to where the transcript was read. One in a new place may repeat what another place said."""
    known = records.cursors.get(visit.scope, session.ref, place)
    if known is not None:
        return known
    others = records.cursors.of_session(visit.scope, session.ref)
    again = any(cursor.place not in OURS for cursor in others)
    again = again or records.cursors.erased(visit.scope, session.key).this > 0
    return Cursor(session.ref, place, "", AGAIN if again else "", visit.at)


def _take_in(
    visit: Visit, reading: Reading, sat: CapturedSession, since: Cursor
) -> tuple[CapturedSession, Cursor]:
    """Store the lines of one reading; and up to where the transcript is read then.

    Where another event has read it on meanwhile, nothing is stored: there is where to go on.
    """
    count = visit.house.tokenizer.count
    said = [(one, draft_line(one.entry, SOURCE, count)) for one in reading.lines if not one.summary]
    drafts = event_drafts(visit) if reading.whole else []

    def work(records: Records) -> tuple[CapturedSession, Cursor]:
        session = sat.session
        records.threads.hold(visit.scope, visit.thread)
        reached = _cursor_at(visit, records, session, since.place)
        if reached.position != since.position:
            return sat, reached
        new = reached.pending_json == AGAIN
        open_now = _open(visit, records, session)
        added = _store_lines(visit, records, open_now, said, again=new or reading.again)
        added += _store_from_hook(visit, records, open_now, drafts)
        mark = AGAIN if new and not reading.whole else ""
        moved = Cursor(session.ref, since.place, reading.cursor, mark, visit.at)
        records.cursors.put(visit.scope, moved)
        _close(visit, records, open_now)
        # A summary is made of all that was said in the session, also of what is erased.
        shown = [line for line in reading.lines if line.summary and not open_now.erased.this]
        done = CapturedSession(
            session,
            sat.added + added,
            [*sat.summaries, *shown],
            told=reading.whole,
        )
        return done, moved

    return visit.house.store.write(work)


def _store_lines(
    visit: Visit,
    records: Records,
    now: _OpenSession,
    said: Sequence[tuple[Line, Draft]],
    *,
    again: bool,
) -> int:
    """Store those lines that neither were erased nor are known; how many were new."""
    kept = [one for one in said if not _was_erased(now, one[1].at_ms, again=again)]
    fresh = without_repeats(records, now.session, kept, now.balance, again=again)
    new = _by_child(fresh, now.balance, visit.at)
    return sum(visit.store(records, drafts, child) for child, drafts in new.items())


def _was_erased(now: _OpenSession, at: int, *, again: bool) -> bool:
    """Was it said before the session was erased, or copied from one that was?

    What does not tell its time could be from then, if all of the transcript is read anew.
    """
    this, any_one = now.erased
    if at == JUST_NOW:
        return this > 0 and again
    return at < max(this, min(any_one, now.session.started_ms))


def _by_child(
    part: Sequence[tuple[Line, Draft]], balance: Balance, at: int
) -> Mapping[str | None, list[Draft]]:
    """What is new, by whose it is; the main session's first."""
    found: dict[str | None, list[Draft]] = {}
    for line, draft in part:
        both = line.child is None and (line.human or draft.origin == "agent")
        when = at if draft.at_ms == JUST_NOW else draft.at_ms
        if both and not owes(balance, draft, at=when, by_hook=False):
            balance.settle(draft.external_id or "")
            continue
        found.setdefault(line.child, []).append(draft)
    return dict(sorted(found.items(), key=lambda pair: pair[0] or ""))


class _OpenSession(NamedTuple):
    """A session whose words are being stored: what must be known of it, and is written afterwards."""

    session: Session
    balance: Balance
    erased: LastErasures


def _open(visit: Visit, records: Records, session: Session) -> _OpenSession:
    cursor = records.cursors.get(visit.scope, session.ref, HERE)
    balance = Balance(cursor.pending_json, cursor.position) if cursor else Balance("")
    return _OpenSession(session, balance, records.cursors.erased(visit.scope, session.key))


def _close(visit: Visit, records: Records, now: _OpenSession) -> None:
    owed, settled = now.balance.text(), now.balance.names()
    cursor = Cursor(now.session.ref, HERE, settled, owed, visit.at)
    records.cursors.put(visit.scope, cursor)
