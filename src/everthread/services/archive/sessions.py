"""Which session does this belong to? Found, resumed, or opened; lineage kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Channel, Scope, channel_parts
from everthread.domain.checks import checked_text
from everthread.domain.conversation.sessions import Session, continues, new_session, way_back
from everthread.domain.errors import BadInput, QuotaReached, SessionUnknown, TaskRefused
from everthread.domain.lookup import Lookup, id_said
from everthread.domain.times import HOUR, month_of, text_of

from .end import end

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Draft
    from everthread.domain.conversation.threads import Thread
    from everthread.ports import House, Records

SOUGHT = Lookup("session", "sessions", "everthread sessions list", SessionUnknown)
LONGEST_NAME = 4_000
NOTHING_STORED = "Nothing was stored"
SHORTEST_START = 6
LOOKED_THROUGH = 2_000
"""Sessions whose keys are looked through for one that begins as asked."""
LOOKED_AT = 200
"""Sessions of a thread that are looked through for one that is no harness's."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits where: what the caller said about the session."""

    channel: str | None = None
    session: str | None = None
    principal: str | None = None
    project: str | None = None
    harness: str | None = None
    parent: str | None = None

    def __post_init__(self) -> None:
        # On the way of every append: only what was said is looked at.
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None:
                checked_text(name, self._named(name, value), longest=LONGEST_NAME)

    def _named(self, name: str, value: object) -> object:
        """What was said; of a session that is given itself, its id."""
        said = id_said(value) if name in ("session", "parent") else value
        if said is not value:
            object.__setattr__(self, name, said)
        return said


ANYWHERE = Seat()
"""The caller said nothing about the session, as most do."""


def hours_of(house: House, agent: AgentRow) -> float:
    """The gap that ends a session of this agent."""
    return agent.inactivity_hours or house.policy.inactivity_hours


class SeatedSession(NamedTuple):
    """The session that something belongs to; and was it opened for that?"""

    session: Session
    new: bool


def seat(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    wanted: Seat,
    at: int,
    *,
    human: bool = True,
) -> SeatedSession:
    """The session for something said now: named, pointed at by the channel, live, or new."""
    scope = Scope(agent.ref)
    fits = _fit_test(wanted, at=at, hours=hours_of(house, agent), human=human)
    channel = _channel(records, scope, wanted)
    session = _named_session(house, records, scope, thread, wanted, at)
    if session is None and channel is not None and channel.session_ref is not None:
        session = fits(records.sessions.get(scope, channel.session_ref), thread)
    live = live_session(records, scope, thread.ref, wanted)
    if session is None and live is not None:
        session = fits(live, thread)
    new = session is None
    if session is None:
        session = _open_next(house, records, scope, thread, live, wanted, at)
    _point_channel(records, scope, wanted, channel, session, at)
    return SeatedSession(session, new)


def check_quota(house: House, records: Records, agent: AgentRow, wanted: Seat, at: int) -> None:
    """May this person open another session this month? `QuotaReached` if not (R-38).

    What a person's message opened counts, in a turn or recorded as it was said; a session that goes
    on costs nothing.
    """
    most = house.policy.sessions_per_month
    if not most:
        return
    scope = Scope(agent.ref, principal=wanted.principal)
    since = month_of(at)
    gap = int(hours_of(house, agent) * HOUR)
    opened = records.endings.opened(scope, since=since, within=gap)
    if opened >= most:
        whose = f"{wanted.principal!r} has" if wanted.principal else "this agent has"
        raise QuotaReached(
            f"{whose} opened {opened:,} sessions since {text_of(since)[:10]}, and sessions_per_month "
            f"is {most:,}. {NOTHING_STORED}. Go on in an earlier session (`everthread sessions "
            "resume`), wait for the next month, or raise the setting"
        )


def opening_seat(
    house: House, records: Records, agent: AgentRow, thread: Thread, draft: Draft, wanted: Seat
) -> Seat:
    """Who opens a session with that recorded message; `QuotaReached` where they may not.

    As with a turn, what a person says now counts. What was said longer ago than the gap was said
    elsewhere; what a harness or an import brings happened already, and is not refused.
    """
    if draft.principal is not None and wanted.principal is None:
        wanted = replace(wanted, principal=draft.principal)
    live = continues(draft.at_ms, at=house.clock.now(), hours=hours_of(house, agent))
    human = draft.origin == "user" and draft.source == "record"
    if live and human and thread.kind == "primary":
        check_quota(house, records, agent, wanted, draft.at_ms)
    return wanted


def expected_session(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    wanted: Seat,
    *,
    human: bool = True,
) -> Session | None:
    """The session that `seat` would find now; None where it would open one. Nothing is changed."""
    scope = Scope(agent.ref)
    if wanted.session is not None:
        found = find_session(records, scope, wanted.session)
        return found if found.task is None else _heir(records, scope, found) or found
    fits = _fit_test(wanted, at=house.clock.now(), hours=hours_of(house, agent), human=human)
    channel = _channel(records, scope, wanted)
    if channel is not None and channel.session_ref is not None:
        session = fits(records.sessions.get(scope, channel.session_ref), thread)
        if session is not None:
            return session
    live = live_session(records, scope, thread.ref, wanted)
    return None if live is None else fits(live, thread)


def is_open_to(session: Session, wanted: Seat) -> bool:
    """May somebody who named no session sit down in it? A harness's session is that harness's alone,
    and a task's is the task's.
    """
    return session.task is None and session.harness in (None, wanted.harness)


def live_session(
    records: Records, scope: Scope, thread: int, wanted: Seat = ANYWHERE
) -> Session | None:
    """The thread's active session with the newest pulse, of those that are open to that seat."""
    live = records.sessions.live(scope, thread)
    if live is None or is_open_to(live, wanted):
        return live
    found = [s for s in _open_sessions(records, scope, thread, wanted) if s.state == "active"]
    return max(found, key=lambda s: (s.pulse_ms, s.ref), default=None)


def latest_session(
    records: Records, scope: Scope, thread: int, wanted: Seat, *, at: int | None = None
) -> Session | None:
    """The thread's session with the newest start (not after `at`), of those that are open to that seat."""
    latest = records.sessions.latest(scope, thread, at=at)
    if latest is None or is_open_to(latest, wanted):
        return latest
    found = [
        s
        for s in _open_sessions(records, scope, thread, wanted)
        if at is None or s.started_ms <= at
    ]
    return max(found, key=lambda s: (s.started_ms, s.ref), default=None)


def _open_sessions(records: Records, scope: Scope, thread: int, wanted: Seat) -> list[Session]:
    """A harness works on the thread too: the sessions beside its own."""
    lately = records.sessions.all(scope, thread=thread, limit=LOOKED_AT)
    return [session for session in lately if is_open_to(session, wanted)]


def _fit_test(
    wanted: Seat, *, at: int, hours: float, human: bool
) -> Callable[[Session, Thread], Session | None]:
    def fits(session: Session, thread: Thread) -> Session | None:
        same = session.thread_ref == thread.ref and session.state == "active"
        same = same and (wanted.project is None or wanted.project == session.project)
        pulse = session.pulse_for(human=human)
        return session if same and continues(pulse, at=at, hours=hours) else None

    return fits


def _channel(records: Records, scope: Scope, wanted: Seat) -> Channel | None:
    if wanted.channel is None:
        return None
    transport, key = channel_parts(wanted.channel)
    return records.channels.find(scope, transport, key)


def _named_session(
    house: House, records: Records, scope: Scope, thread: Thread, wanted: Seat, at: int
) -> Session | None:
    if wanted.session is None:
        return None
    session = find_session(records, scope, wanted.session)
    if session.thread_ref != thread.ref:
        raise BadInput(
            f"session {wanted.session!r} belongs to another thread; name that thread too"
        )
    if session.task is not None:
        return _working_session(records, scope, session)
    return revive(records, scope, session, at)


def _working_session(records: Records, scope: Scope, session: Session) -> Session:
    """A task's session, or the one that goes on from it after a fork. Only its ritual begins one."""
    found = _heir(records, scope, session)
    if found is not None:
        return found
    raise TaskRefused(
        f"{session.alias} is {session.state}: begin another session of its task with "
        f"`everthread task start {session.task}`"
    )


def _heir(records: Records, scope: Scope, session: Session) -> Session | None:
    """The session of its task that is at work: this one, or the one after it."""
    if session.state == "active":
        return session
    for sitting in records.sittings.active(scope, session.project_normalized):
        found = records.sessions.get(scope, sitting.session_ref)
        if found.task == session.task and found.state == "active":
            return found
    return None


def _open_next(
    house: House,
    records: Records,
    scope: Scope,
    thread: Thread,
    live: Session | None,
    wanted: Seat,
    at: int,
) -> Session:
    """A new session after the gap; the one before it is over."""
    if live is not None:
        end(records, scope, live, now=at, ended=live.last_activity_ms)
    # The one just left; a later start than its own comes from a clock that was wrong.
    latest = live or latest_session(records, scope, thread.ref, wanted)
    previous = None if latest is None else latest.ref
    return open_session(house, records, thread, wanted, started=at, previous=previous)


def open_session(
    house: House,
    records: Records,
    thread: Thread,
    wanted: Seat,
    *,
    started: int,
    previous: int | None,
) -> Session:
    """A session that begins then, after `previous`, under the parent the seat names."""
    scope = Scope(thread.agent_ref)
    parent = None if wanted.parent is None else find_session(records, scope, wanted.parent).ref
    fresh = _new_session(house, thread, wanted, started)
    return records.sessions.add(scope, fresh._replace(previous_ref=previous, parent_ref=parent))


def _new_session(house: House, thread: Thread, wanted: Seat, started: int) -> Session:
    key_id = house.ids.new()
    fresh = new_session(thread.agent_ref, thread.ref, key_id, state="active", started=started)
    return fresh._replace(
        key=wanted.session or fresh.key,
        channel=wanted.channel,
        harness=wanted.harness,
        project=wanted.project,
        project_normalized=None if wanted.project is None else house.files.real(wanted.project),
        principal=wanted.principal,
    )


def _point_channel(
    records: Records,
    scope: Scope,
    wanted: Seat,
    channel: Channel | None,
    session: Session,
    at: int,
) -> None:
    """The channel remembers the session it is in, so that another device cannot move it elsewhere."""
    if wanted.channel is None:
        return
    transport, key = channel_parts(wanted.channel)
    bound = Channel(transport, key, session.thread_ref, session.ref)
    if channel != bound:
        records.channels.bind(scope, bound, now=at)


def find_session(records: Records, scope: Scope, said: object) -> Session:
    """A session by its key or the beginning of it, its id, its alias, or any unique ending of its id."""
    said = id_said(said)
    name = "" if said == "" else checked_text("a session", said)
    found = records.sessions.find(scope, name)
    if found is not None:
        return found
    end = name.rpartition("-")[2] if name.startswith("session-") else name
    digits = SOUGHT.digits(end) if end.strip() else None
    matching: Sequence[Session] = [] if digits is None else records.sessions.ending(scope, digits)
    if not matching and len(name) >= SHORTEST_START:
        # Harnesses show the beginning of their own ids.
        newest = records.sessions.all(scope, limit=LOOKED_THROUGH)
        matching = [session for session in newest if session.key.startswith(name)]
    return SOUGHT.only(name, matching)


def revive(records: Records, scope: Scope, session: Session, now: int) -> Session:
    """The session, active again."""
    for state in way_back(session.state):
        session = records.sessions.move(scope, session, state, now=now)
    return session


_NO_WAY_BACK = (
    "{0} is a session of the task {1}, and a conversation does not go on in it; begin another with "
    "`everthread task start {1}`"
)


def resume(house: House, agent: AgentRow, name: object, channel: str | None = None) -> Session:
    """Make an earlier session the current one, for that channel or for all that have no pointer.

    Not a task's: its startup ritual alone begins work at it.
    """

    def work(records: Records) -> Session:
        scope = Scope(agent.ref)
        found = find_session(records, scope, name)
        if found.task is not None:
            raise TaskRefused(_NO_WAY_BACK.format(found.alias, found.task))
        thread = records.threads.hold(scope, found.thread_ref)
        now = house.clock.now()
        # Read again under the lock: another device may have resumed it just now.
        session = revive(records, scope, records.sessions.get(scope, found.ref), now)
        # A human asked for it just now: that is what the boundary is measured from. What was active in
        # the same instant was so before.
        live = live_session(records, scope, thread.ref, Seat(channel=channel))
        if live is not None and live.ref != session.ref:
            now = max(now, live.last_activity_ms + 1)
        records.sessions.touch(scope, session.ref, at=now, human=True, messages=0)
        _point_channel(records, scope, Seat(channel=channel), None, session, now)
        return records.sessions.get(Scope(thread.agent_ref), session.ref)

    return house.store.write(work)
