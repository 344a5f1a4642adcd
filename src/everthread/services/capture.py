"""Capture: what is said in a harness reaches the archive, once, whichever way it comes.

A prompt comes twice: by its hook, at once, and by the transcript, later. A balance by text, kept with
the place up to which the transcript was read, tells which of the two is the first: that one is
stored, the other is known. Places and messages change in one transaction, so a crash between them
loses nothing and doubles nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checkpoints import Cursor
from everthread.domain.happenings import Happening, Line, Reading
from everthread.domain.messages import Draft
from everthread.domain.sessions import Session
from everthread.domain.times import MINUTE, SECOND
from everthread.ports import House, Records

from .balance import SOURCE, Balance, owes, text_hash, unrepeated
from .record import CHUNK, JUST_NOW, drafted, drafted_line, stored
from .sit import Seat, open_session, revive

HERE = ""
"""The place of what has no transcript."""

PROCESS = "process"
"""The place under which the harness's own process is known."""

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
        return stored(self.house, records, self.agent, self.thread, dated, seat)


class Sat(NamedTuple):
    """A session of a harness, and what capturing did to it."""

    session: Session
    added: int = 0
    summaries: Sequence[Line] = ()
    """The harness's own summaries that were read on the way."""
    skipped: int = 0
    told: bool = False
    """Is what the event itself says stored with it?"""


def seated(visit: Visit, records: Records) -> Session:
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
    return visit.house.store.write(lambda r: seated(visit, r))


def told_by(visit: Visit) -> list[Draft]:
    """What the event itself says: a prompt, a reply, entries that it carries."""
    happening, at = visit.happening, visit.at
    entries = [dict(entry) for entry in happening.entries]
    if happening.kind == "prompt" and happening.text and happening.human:
        entries.append({"role": "user", "content": happening.text, **_named(happening, at, "p")})
    if happening.kind == "reply" and happening.text and not happening.child:
        told = {"role": "assistant", "content": happening.text}
        entries.append({**told, **_named(happening, at, "r")})
    count = visit.house.tokenizer.count
    return [drafted(entry, SOURCE, count) for entry in entries]


Also = Callable[[Records, Session], None]
"""What else is written in the same transaction."""


def bring(visit: Visit, also: Also | None = None) -> tuple[Session, bool]:
    """Store what the event itself says; was anything of it new?"""
    drafts = told_by(visit)
    if not drafts and also is None:
        return seat_now(visit), False

    def work(records: Records) -> tuple[Session, bool]:
        session = seated(visit, records)
        added = _brought(visit, records, session, drafts)
        if also is not None:
            also(records, session)
        return records.sessions.get(visit.scope, session.ref), added > 0

    return visit.house.store.write(work)


def _brought(visit: Visit, records: Records, session: Session, drafts: Sequence[Draft]) -> int:
    """Store what a hook brings, unless the transcript has brought it before; how many were new."""
    if not drafts:
        return 0
    balance = _balance(records, visit.scope, session)
    new = [draft for draft in drafts if owes(balance, draft, at=visit.at, by_hook=True)]
    added = visit.store(records, new)
    records.cursors.put(visit.scope, Cursor(session.ref, HERE, "", balance.text(), visit.at))
    return added


def _named(happening: Happening, at: int, who: str) -> dict[str, Any]:
    """The id of what a hook says: the same, should the same event be brought again."""
    return {"id": f"{happening.session}:{who}:{at}:{text_hash(happening.text or '')}"}


def follow(visit: Visit, read: Read, *, late: Callable[[], bool] = lambda: False) -> Sat:
    """Read the session's transcript on to its end, or until it is late, and store what is new.

    What the event itself says comes with the last part: the transcript may not say it yet.
    """
    place, session = visit.happening.transcript or "", seat_now(visit)
    cursor = visit.house.store.read(lambda r: r.cursors.get(visit.scope, session.ref, place))
    position = "" if cursor is None or not place else cursor.position
    sat = Sat(session)
    while place:
        reading = read(place, position)
        if reading.cursor != position or reading.lines:
            sat = _take_in(visit, reading, sat)
        if reading.whole or late() or reading.cursor == position:
            break
        position = reading.cursor
    if not sat.told:
        return sat._replace(session=bring(visit)[0])
    fresh = visit.house.store.read(lambda r: r.sessions.get(visit.scope, session.ref))
    return sat._replace(session=fresh)


def _take_in(visit: Visit, reading: Reading, sat: Sat) -> Sat:
    """Store the lines of one reading; the place moves on with the last of them."""
    count = visit.house.tokenizer.count
    said = [
        (one, drafted_line(one.entry, SOURCE, count)) for one in reading.lines if not one.summary
    ]
    chunks = [said[n : n + CHUNK] for n in range(0, len(said), CHUNK)] or [[]]
    cursor = Cursor(sat.session.ref, visit.happening.transcript or "", reading.cursor, "", visit.at)
    end = _End(cursor, told_by(visit) if reading.whole else [])
    added = sat.added
    for n, chunk in enumerate(chunks, 1):
        last = end if n == len(chunks) else None
        added += visit.house.store.write(
            lambda r, part=chunk, to=last: _stored(
                visit, r, sat.session, part, to, again=reading.again
            )
        )
    return sat._replace(
        added=added,
        told=reading.whole,
        summaries=[*sat.summaries, *(line for line in reading.lines if line.summary)],
        skipped=sat.skipped + reading.skipped,
    )


class _End(NamedTuple):
    """What is written with the last part of a reading."""

    cursor: Cursor
    drafts: Sequence[Draft]
    """What the event itself says."""


def _stored(
    visit: Visit,
    records: Records,
    session: Session,
    part: Sequence[tuple[Line, Draft]],
    end: _End | None,
    *,
    again: bool,
) -> int:
    balance = _balance(records, visit.scope, session)
    fresh = unrepeated(records, session, part, balance, again=again)
    new = _by_child(fresh, balance, visit.at)
    added = sum(visit.store(records, drafts, child) for child, drafts in new.items())
    if end is not None:
        told = [d for d in end.drafts if owes(balance, d, at=visit.at, by_hook=True)]
        added += visit.store(records, told)
        records.cursors.put(visit.scope, end.cursor)
    records.cursors.put(visit.scope, Cursor(session.ref, HERE, "", balance.text(), visit.at))
    return added


def _by_child(
    part: Sequence[tuple[Line, Draft]], balance: Balance, at: int
) -> Mapping[str | None, list[Draft]]:
    """What is new, by whose it is; the main session's first."""
    found: dict[str | None, list[Draft]] = {}
    for line, draft in part:
        both = line.child is None and (line.human or draft.origin == "agent")
        when = at if draft.at_ms == JUST_NOW else draft.at_ms
        if both and not owes(balance, draft, at=when, by_hook=False):
            continue
        found.setdefault(line.child, []).append(draft)
    return dict(sorted(found.items(), key=lambda pair: pair[0] or ""))


def _balance(records: Records, scope: Scope, session: Session) -> Balance:
    cursor = records.cursors.get(scope, session.ref, HERE)
    return Balance("" if cursor is None else cursor.pending_json)


# Whose session it is


def known_process(records: Records, scope: Scope, session: Session) -> str:
    """The harness's process, as it was last told; empty where it never was."""
    cursor = records.cursors.get(scope, session.ref, PROCESS)
    return "" if cursor is None else cursor.position


def tell_process(records: Records, scope: Scope, session: Session, owner: str, *, at: int) -> None:
    """The harness's process is this one."""
    if owner and known_process(records, scope, session) != owner:
        records.cursors.put(scope, Cursor(session.ref, PROCESS, owner, "", at))


QUIET = 5 * MINUTE


def alive(house: House, records: Records, scope: Scope, session: Session, *, now: int) -> bool:
    """Does somebody still work in it? Known by its process; without one, by how long it is quiet."""
    if session.state != "active":
        return False
    owner = known_process(records, scope, session)
    if owner:
        return not house.gone(owner)
    return now - session.last_activity_ms < QUIET + SECOND
