"""Attend a harness's session: store what happens in it, and answer what it should know.

Whatever goes wrong with the answer, what was said is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoint_text import LONGEST, Statement
from everthread.domain.harness.happenings import NOTHING, Answer
from everthread.domain.harness.recovery import keep_request
from everthread.domain.times import SECOND, ms_of
from everthread.ports import Records
from everthread.services.archive.end import end
from everthread.services.harness.capture import CapturedSession, Visit, follow, seat_now, seat_of
from everthread.services.harness.checkpoint import ask_checkpoint, ask_extract_of, write_checkpoint
from everthread.services.harness.compaction import (
    add_summary,
    announce,
    decline,
    is_overtaken,
    record_happened,
)
from everthread.services.harness.session_owner import note_process, note_transcript
from everthread.services.harness.stretch import context_start

from .means import EventOutcome, Means, PromptQuestion
from .prompt import prompt
from .start import begin
from .start_record import record_start

__all__ = ["EventOutcome", "Means", "PromptQuestion", "attend"]

INSTRUCTED = 4_000
"""Characters of what a harness's summariser is asked to keep."""


def attend(visit: Visit, means: Means) -> EventOutcome:
    """Store what the event tells, and answer it."""
    if visit.happening.child is not None:
        act = _OF_CHILD.get(visit.happening.kind, _ignore)
    else:
        act = _OF_SESSION.get(visit.happening.kind, _store_event)
    return act(visit, means)


def _store_event(visit: Visit, means: Means) -> EventOutcome:
    sat = _follow_transcript(visit, means)
    # A summary is measured behind our back; whatever else is told is stored, and that is all.
    return EventOutcome(NOTHING, sat.session, sat.tasked, asked=bool(sat.summaries))


def _ignore(_visit: Visit, _means: Means) -> EventOutcome:
    return EventOutcome(NOTHING)


def _follow_session(visit: Visit, means: Means) -> Session:
    return _follow_transcript(visit, means).session


def _follow_transcript(visit: Visit, means: Means) -> CapturedSession:
    """Store what the transcript and the event itself say; a summary of the harness's is measured."""
    sat = follow(visit, means.read, late=means.late)
    _measure_summaries(visit, sat)
    return sat


def _measure_summaries(visit: Visit, sat: CapturedSession) -> None:
    for line in sat.summaries:
        if line.child is not None:
            continue
        text = str(line.entry.get("content", ""))
        if line.declined:
            at = ms_of(line.entry.get("at") or visit.at / SECOND)
            decline(visit.house, visit.scope, sat.session, text, at=at)
        else:
            add_summary(visit.house, visit.scope, sat.session, text)


def _end_child(visit: Visit, means: Means) -> EventOutcome:
    """A subagent is done: what it said is stored, and its session is over."""
    session = _follow_session(visit, means)
    key = seat_of(visit.happening, visit.happening.child).session or ""

    def work(records: Records) -> None:
        child = records.sessions.find(visit.scope, key)
        if child is not None and child.state == "active":
            now = visit.house.clock.now()
            records.sessions.move(visit.scope, child, "complete", now=now, ended=visit.at)

    visit.house.store.write(work)
    return EventOutcome(NOTHING, session)


def _start(visit: Visit, means: Means) -> EventOutcome:
    house, scope = visit.house, visit.scope
    seat = seat_now(visit)
    house.store.write(lambda r: _record_start(visit, r, seat))
    sat = follow(visit, means.read, late=means.late)
    if visit.happening.start == "compact":
        record_happened(house, scope, sat.session, at=visit.at)
    answer = begin(visit, sat.session, means)
    _measure_summaries(visit, sat)  # after what was given beside it
    return EventOutcome(answer, sat.session)


def _record_start(visit: Visit, records: Records, session: Session) -> None:
    note_process(records, visit.scope, session, visit.happening.owner, at=visit.at)
    place = visit.happening.transcript or ""
    note_transcript(records, visit.scope, session, place, at=visit.at)
    record_start(visit.house, records, visit.happening, session, at=visit.at)


def _before_compaction(visit: Visit, means: Means) -> EventOutcome:
    """Everything said is on disk and a checkpoint is written before the harness goes on."""
    house = visit.house
    session = _follow_session(visit, means)
    # What the harness itself says of the session stands first (B-45).
    told = Statement(summary=(visit.happening.text or "")[:LONGEST])
    made, digest = write_checkpoint(
        house, visit.agent, session, "pre_compaction", told, pause=means.pause, late=means.late
    )
    past = house.store.read(lambda r: is_overtaken(r, visit.scope, session, at=visit.at))
    if means.answered or not past:  # what the spool tells may have happened since
        announce(house, visit.scope, session, visit.happening.trigger or "", made)
    return EventOutcome(Answer(instructions=keep_request(digest, INSTRUCTED)), session)


def _after_compaction(visit: Visit, means: Means) -> EventOutcome:
    """It happened, whoever announced it; its summary is known, where the harness tells it."""
    summary = visit.happening.text
    quiet = visit._replace(happening=visit.happening._replace(text=None))
    sat = follow(quiet, means.read, late=means.late)
    record_happened(visit.house, visit.scope, sat.session, at=visit.at)
    _measure_summaries(visit, sat)
    if summary:
        add_summary(visit.house, visit.scope, sat.session, summary)
    return EventOutcome(NOTHING, sat.session)


def _end(visit: Visit, means: Means) -> EventOutcome:
    """The session is over: its last words are stored, its checkpoint is asked for.

    After a clear nobody goes on from it; what is durable in it is extracted all the same.
    """
    house, scope = visit.house, visit.scope
    seat = _follow_session(visit, means)
    now = house.clock.now()

    def work(records: Records) -> Session:
        session = records.sessions.get(scope, seat.ref)
        since = max(session.last_activity_ms, context_start(records, scope, session).at)
        if not means.answered and visit.at < since:
            return session  # an end from the spool: somebody went on with it since
        if session.message_count and house.policy.checkpoints == "on":
            if visit.happening.reason == "clear":
                ask_extract_of(records, scope, session, now=now)
            else:
                ask_checkpoint(records, scope, session, "session_end", due_at=now, now=now)
        if session.state != "active":
            return session
        return end(records, scope, session, now=now, ended=visit.at)

    return EventOutcome(NOTHING, house.store.write(work))


_OF_SESSION: Mapping[str, Callable[[Visit, Means], EventOutcome]] = {
    "start": _start,
    "prompt": prompt,
    "compacting": _before_compaction,
    "compacted": _after_compaction,
    "end": _end,
    "other": _ignore,
}
_OF_CHILD: Mapping[str, Callable[[Visit, Means], EventOutcome]] = {
    "child_end": _end_child,
    "reply": _store_event,
    "tool": _store_event,
}
"""A subagent's own prompts, starts and compactions are not those of the session that it works for."""
