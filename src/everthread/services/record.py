"""Bulk append of what was said elsewhere or earlier. Idempotent by (source, id)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text
from everthread.domain.errors import BadInput, QuotaReached
from everthread.domain.ids import id_ending
from everthread.domain.messages import (
    SOURCES,
    Block,
    Draft,
    Origin,
    Role,
    Source,
    results_in,
    written,
)
from everthread.domain.packing import unframed
from everthread.domain.replies import read_message
from everthread.domain.sessions import Session, continues
from everthread.domain.threads import Thread, must_be_open
from everthread.domain.times import HOUR, STEP_BACK_LIMIT, ms_of, settled, text_of
from everthread.domain.tokens import PER_MESSAGE, blocks_tokens, content_tokens
from everthread.ports import House, Records

from .end import end
from .sit import (
    ANYWHERE,
    NOTHING_STORED,
    Seat,
    hours_of,
    latest_session,
    open_session,
    open_to,
    opening,
)
from .view import LOOK_BACK, tail

CHUNK = 1_000
LONGEST_FIELD = 1_000
WHOLE_ID = 32
BARE = 2
"""An entry with so few fields says who and what, and nothing about itself."""

ORIGINS: dict[Role, Origin] = {"user": "user", "assistant": "agent", "system": "system"}

# By place and not by `_replace`, which takes three times as long: these are on every append's way.
AT = Draft._fields.index("at_ms")
HUMAN, ACTIVITY = map(Session._fields.index, ("last_human_ms", "last_activity_ms"))

JUST_NOW = 1 << 62
"""The time of an entry that names none, until it is stored: later than all that do."""


class Recorded(NamedTuple):
    """How many messages were new, and how many that source had brought before."""

    added: int
    known: int


def record(
    house: House,
    agent: AgentRow,
    thread: int,
    entries: Sequence[Mapping[str, Any]],
    source: str,
    wanted: Seat,
) -> Recorded:
    """Store the entries in the order they were said; each chunk is one transaction."""
    if source not in SOURCES or source == "turn":
        raise BadInput(f"source must be record, hook or import; got {source!r}")
    count = house.tokenizer.count
    drafts = [drafted(entry, source, count) for entry in entries]
    if len(drafts) > 1:
        drafts.sort(key=lambda draft: draft.at_ms)
    if drafts[0].at_ms != JUST_NOW:
        _check_times(drafts, house.clock.now())
    few = len(drafts) <= CHUNK
    added = 0
    for chunk in [drafts] if few else _chunks(house, agent, thread, drafts):
        try:
            added += house.store.write(
                lambda r, c=chunk: stored(house, r, agent, thread, c, wanted)
            )
        except QuotaReached as reached:
            if not added:
                raise
            kept = f"Only the first {added:,} entries were stored"
            raise QuotaReached(str(reached).replace(NOTHING_STORED, kept)) from reached
    return Recorded(added, len(drafts) - added)


def _check_times(drafts: Sequence[Draft], now: int) -> None:
    """What lies in the future would make everything said until then look old."""
    for draft in reversed(drafts):
        if draft.at_ms == JUST_NOW:
            continue
        if draft.at_ms > now + STEP_BACK_LIMIT:
            raise BadInput(
                f"an entry is dated {text_of(draft.at_ms)}, in the future; give `at` as ISO-8601 text, "
                "a datetime, or seconds (not milliseconds)"
            )
        return


def _chunks(
    house: House, agent: AgentRow, thread: int, drafts: Sequence[Draft]
) -> Iterator[Sequence[Draft]]:
    """One transaction each; since there are several, what enters the view is settled beforehand."""
    scope = Scope(agent.ref)
    view_at = house.store.read(lambda r: r.threads.get(scope, thread)).view_at
    # Everything but the last chunk is older than the tail, hence archive.
    placed = _placed(house, agent, drafts, view_at)
    for start in range(0, len(placed), CHUNK):
        yield placed[start : start + CHUNK]


def drafted(entry: Mapping[str, Any], source: Source, count: Callable[[str], int]) -> Draft:
    """An entry as it is stored, without its time where it has none."""
    # A dict first: to ask whether something else is a mapping takes longer.
    if not isinstance(entry, (dict, Mapping)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"an entry is a dict with role and content; got {type(entry).__name__}")
    said, tokens = _said(*read_message(entry), source, count)
    if len(entry) == BARE:
        return Draft._make((*said, None, None, None, False, tokens, JUST_NOW))
    at = entry.get("at")
    named = (_field(entry, "id"), _field(entry, "name"), _field(entry, "principal"))
    when = JUST_NOW if at is None else ms_of(at)
    return Draft._make((*said, *named, False, tokens, when))


def drafted_line(entry: Mapping[str, Any], source: Source, count: Callable[[str], int]) -> Draft:
    """The same for an entry that a dialect read from a transcript: plain JSON, and named."""
    said, tokens = _said(entry["role"], entry["content"], source, count)
    at = entry.get("at")
    when = JUST_NOW if at is None else ms_of(at)
    return Draft._make((*said, entry["id"], None, None, False, tokens, when))


def _said(
    role: Role, content: str | list[Block], source: Source, count: Callable[[str], int]
) -> tuple[tuple[Role, Origin, int, str, str, Source], int]:
    """The first fields of a draft, and its tokens."""
    if role == "user":
        content = unframed(content)
    form, column = written(content)
    if isinstance(content, str):
        tokens, origin = content_tokens(count, form, column), ORIGINS[role]
    else:
        # The blocks are at hand: to read them out of the column again takes longer than to count.
        tokens, origin = PER_MESSAGE + blocks_tokens(count, content), _origin(role, content)
    return (role, origin, form, column, "said", source), tokens


def _origin(role: Role, content: list[Block]) -> Origin:
    if role == "user" and any(results_in(content)):
        return "tool"
    return ORIGINS[role]


def _field(entry: Mapping[str, Any], name: str) -> str | None:
    value = entry.get(name)
    if value is None:
        return None
    text = str(value)
    return checked_text(name, text, longest=LONGEST_FIELD)


def _placed(
    house: House, agent: AgentRow, drafts: Sequence[Draft], view_at: int
) -> Sequence[Draft]:
    """Older than the view, a harness's or an import's: archive. Of the newer, the tail is not."""
    first = drafts[0]
    if len(drafts) == 1 and first.source == "record" and first.at_ms >= view_at:
        return drafts
    if first.source != "record":
        return [draft._replace(archived=True) for draft in drafts]
    newer = [n for n, d in enumerate(drafts) if d.at_ms >= view_at and not d.archived]
    newest = newer[-house.policy.tail_messages - LOOK_BACK :]
    shown = tail(house, [drafts[n] for n in newest], window=agent.window)
    if len(shown) == len(drafts):
        return drafts
    kept = {newest[n] for n in shown}
    return [d if n in kept else d._replace(archived=True) for n, d in enumerate(drafts)]


def stored(
    house: House,
    records: Records,
    agent: AgentRow,
    ref: int,
    drafts: Sequence[Draft],
    wanted: Seat,
) -> int:
    """Append those that are new, in this very transaction; how many there were."""
    scope = Scope(agent.ref)
    thread = records.threads.hold(scope, ref)
    must_be_open(thread)
    now = house.clock.now()
    unknown = _unknown(records, scope, drafts)
    if not unknown:
        return 0
    if len(unknown) == 1 and wanted is ANYWHERE:
        hours = hours_of(house, agent)
        if _went_on(records, scope, thread, unknown[0], hours=hours, now=now):
            return 1
    placed = _placed(house, agent, unknown, thread.view_at)
    fresh_ones = _timed(placed, settled(now, thread.view_at))
    if wanted.session is not None:
        keyed = _keyed(house, records, agent, thread, fresh_ones[0], wanted)
        _append(records, scope, thread, _moved_by(keyed, fresh_ones), [*fresh_ones], now)
        return len(fresh_ones)
    session: Session | None = None
    group: list[Draft] = []
    for draft in fresh_ones:
        found = _session(house, records, agent, thread, session, draft, wanted)
        if session is not None and found.ref != session.ref:
            _append(records, scope, thread, session, group, now)
            group = []
        session = found
        group.append(draft)
    if session is not None:
        _append(records, scope, thread, session, group, now)
    return len(fresh_ones)


def _went_on(
    records: Records, scope: Scope, thread: Thread, draft: Draft, *, hours: float, now: int
) -> bool:
    """Store a lone entry that enters the view in the session that goes on: the usual append.

    False for any other, with nothing stored: what is archive and what opens a session is for the
    general way to decide. Where this one stores, that one would have stored the same.
    """
    if draft.source != "record" or draft.at_ms < thread.view_at:
        return False
    said = _timed((draft,), settled(now, thread.view_at))
    at = said[0].at_ms
    session = records.sessions.latest(scope, thread.ref, at=at)
    if session is None or not open_to(session, ANYWHERE):
        return False
    if not continues(session.pulse_ms, at=at, hours=hours):
        return False
    stored = records.messages.append(scope, thread, said, session=session.ref, turn=None, now=now)
    seqs = stored[0].seq, stored[0].seq
    human = _keeps_alive(session, draft)
    records.sessions.touch(scope, session.ref, at=at, human=human, messages=1, seqs=seqs)
    return True


def _keeps_alive(session: Session, draft: Draft) -> bool:
    """Does the session's pulse go on with what is said? A human's word, or the answer to one."""
    return draft.origin == "user" or (draft.origin == "agent" and session.last_human_ms is not None)


def _timed(drafts: Sequence[Draft], at: int) -> Sequence[Draft]:
    """What came without a time was said just now."""
    if not drafts or drafts[-1].at_ms != JUST_NOW:
        return drafts
    return [Draft._make((*d[:AT], at)) if d.at_ms == JUST_NOW else d for d in drafts]


def _unknown(records: Records, scope: Scope, drafts: Sequence[Draft]) -> Sequence[Draft]:
    ids = [draft.external_id for draft in drafts if draft.external_id is not None]
    if not ids:
        return drafts
    seen = records.messages.known(scope, drafts[0].source, ids)
    out: list[Draft] = []
    for draft in drafts:
        if draft.external_id is not None:
            if draft.external_id in seen:
                continue
            seen.add(draft.external_id)
        out.append(draft)
    return out


def _session(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    current: Session | None,
    draft: Draft,
    wanted: Seat,
) -> Session:
    """Recorded messages are cut into sessions by their own times."""
    scope = Scope(agent.ref)
    hours = hours_of(house, agent)
    candidate = current or latest_session(records, scope, thread.ref, wanted, at=draft.at_ms)
    if candidate is not None and _takes(candidate, draft, wanted, hours):
        return _moved(candidate, draft)
    before = latest_session(records, scope, thread.ref, wanted, at=draft.at_ms)
    if before is not None and before != candidate and _takes(before, draft, wanted, hours):
        return _moved(before, draft)
    return _opened(house, records, agent, thread, draft, wanted, before)


def _takes(session: Session, draft: Draft, wanted: Seat, hours: float) -> bool:
    if wanted.project is not None and wanted.project != session.project:
        return False
    inside = session.started_ms <= draft.at_ms <= session.last_activity_ms
    return inside or continues(session.pulse_ms, at=draft.at_ms, hours=hours)


def _moved(session: Session, draft: Draft) -> Session:
    """The session as it will be once the draft is in it: its pulse goes on with what is said."""
    human = session.last_human_ms
    if _keeps_alive(session, draft):
        human = max(human or 0, draft.at_ms)
    row = [*session]
    row[HUMAN] = human
    row[ACTIVITY] = max(session.last_activity_ms, draft.at_ms)
    return Session._make(row)


def _moved_by(session: Session, drafts: Sequence[Draft]) -> Session:
    """The session as it will be once all of them are in it: a named session takes them all."""
    human, activity = session.last_human_ms, session.last_activity_ms
    for draft in drafts:
        at, origin = draft.at_ms, draft.origin
        if origin == "user" or (origin == "agent" and human is not None):
            human = max(human or 0, at)
        activity = max(activity, at)
    row = [*session]
    row[HUMAN], row[ACTIVITY] = human, activity
    return Session._make(row)


def _keyed(
    house: House, records: Records, agent: AgentRow, thread: Thread, draft: Draft, wanted: Seat
) -> Session:
    assert wanted.session is not None
    scope = Scope(agent.ref)
    known = records.sessions.find(scope, wanted.session) or _by_id(records, scope, wanted.session)
    if known is not None:
        if known.thread_ref != thread.ref:
            raise BadInput(f"session {wanted.session!r} belongs to another thread")
        return known
    latest = records.sessions.latest(scope, thread.ref, at=draft.at_ms)
    previous = None if latest is None else latest.ref
    wanted = opening(house, records, agent, thread, draft, wanted)
    return open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)


def _by_id(records: Records, scope: Scope, name: str) -> Session | None:
    """The session of that whole id; here an ending of one may be the key of another session."""
    digits = id_ending(name)
    if digits is None or len(digits) != WHOLE_ID:
        return None
    return next(iter(records.sessions.ending(scope, digits)), None)


def _opened(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    draft: Draft,
    wanted: Seat,
    before: Session | None,
) -> Session:
    scope = Scope(agent.ref)
    now = house.clock.now()
    if before is not None and before.state == "active" and _left(house, agent, before, draft):
        end(records, scope, before, now=now, ended=before.last_activity_ms)
    previous = None if before is None else before.ref
    wanted = opening(house, records, agent, thread, draft, wanted)
    opened = open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)
    if not continues(draft.at_ms, at=now, hours=hours_of(house, agent)):
        opened = records.sessions.move(scope, opened, "complete", now=now, ended=draft.at_ms)
    return _moved(opened, draft)


def _left(house: House, agent: AgentRow, session: Session, draft: Draft) -> bool:
    """Was the session over when this was said? One that goes on elsewhere is not ended from here."""
    return draft.at_ms - session.pulse_ms >= hours_of(house, agent) * HOUR


def _append(
    records: Records, scope: Scope, thread: Thread, session: Session, drafts: list[Draft], now: int
) -> None:
    said = records.messages.append(scope, thread, drafts, session=session.ref, turn=None, now=now)
    newest, human = session.last_activity_ms, session.last_human_ms
    records.sessions.touch(
        scope,
        session.ref,
        at=newest,
        human=human == newest,
        messages=len(said),
        seqs=(said[0].seq, said[-1].seq),
    )
    if human is not None and human != newest:
        # What no human said came last: it is activity, and prolongs nothing.
        records.sessions.touch(scope, session.ref, at=human, human=True)
