"""Attend a harness's session: store what happens in it, and answer what it should know.

Whatever goes wrong with the answer, what was said is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoint_text import LONGEST, Told
from everthread.domain.harness.happenings import NOTHING, Answer
from everthread.domain.harness.recovery import must_keep
from everthread.ports import Records
from everthread.services.archive.end import end
from everthread.services.harness.capture import Sat, Visit, follow, seat_now, seat_of
from everthread.services.harness.checkpoint import ask, ask_extract_of, write
from everthread.services.harness.compaction import happened, opened, overtaken, summarized
from everthread.services.harness.owning import tell_process, tell_transcript
from everthread.services.harness.stretch import began

from .means import Asking, Attended, Means
from .prompt import prompt
from .start import begin
from .starts import tell_start

__all__ = ["Asking", "Attended", "Means", "attend"]

INSTRUCTED = 4_000
"""Characters of what a harness's summariser is asked to keep."""


def attend(visit: Visit, means: Means) -> Attended:
    """Store what the event tells, and answer it."""
    if visit.happening.child is not None:
        act = _OF_CHILD.get(visit.happening.kind, _unheard)
    else:
        act = _OF_SESSION.get(visit.happening.kind, _heard)
    return act(visit, means)


def _heard(visit: Visit, means: Means) -> Attended:
    sat = _sat(visit, means)
    # A summary is measured behind our back; whatever else is told is stored, and that is all.
    return Attended(NOTHING, sat.session, sat.tasked, asked=bool(sat.summaries))


def _unheard(_visit: Visit, _means: Means) -> Attended:
    return Attended(NOTHING)


def _followed(visit: Visit, means: Means) -> Session:
    return _sat(visit, means).session


def _sat(visit: Visit, means: Means) -> Sat:
    """Store what the transcript and the event itself say; a summary of the harness's is measured."""
    sat = follow(visit, means.read, late=means.late)
    _summaries(visit, sat)
    return sat


def _summaries(visit: Visit, sat: Sat) -> None:
    for line in sat.summaries:
        if line.child is None:
            summarized(visit.house, visit.scope, sat.session, str(line.entry.get("content", "")))


def _child_ended(visit: Visit, means: Means) -> Attended:
    """A subagent is done: what it said is stored, and its session is over."""
    session = _followed(visit, means)
    key = seat_of(visit.happening, visit.happening.child).session or ""

    def work(records: Records) -> None:
        child = records.sessions.find(visit.scope, key)
        if child is not None and child.state == "active":
            now = visit.house.clock.now()
            records.sessions.move(visit.scope, child, "complete", now=now, ended=visit.at)

    visit.house.store.write(work)
    return Attended(NOTHING, session)


def _start(visit: Visit, means: Means) -> Attended:
    house, scope = visit.house, visit.scope
    seat = seat_now(visit)
    house.store.write(lambda r: _told_start(visit, r, seat))
    sat = follow(visit, means.read, late=means.late)
    if visit.happening.start == "compact":
        happened(house, scope, sat.session, at=visit.at)
    answer = begin(visit, sat.session, means)
    _summaries(visit, sat)  # after what was given beside it
    return Attended(answer, sat.session)


def _told_start(visit: Visit, records: Records, session: Session) -> None:
    tell_process(records, visit.scope, session, visit.happening.owner, at=visit.at)
    place = visit.happening.transcript or ""
    tell_transcript(records, visit.scope, session, place, at=visit.at)
    tell_start(visit.house, records, visit.happening, session, at=visit.at)


def _compacting(visit: Visit, means: Means) -> Attended:
    """Everything said is on disk and a checkpoint is written before the harness goes on."""
    house = visit.house
    session = _followed(visit, means)
    # What the harness itself says of the session stands first (B-45).
    told = Told(summary=(visit.happening.text or "")[:LONGEST])
    made, digest = write(
        house, visit.agent, session, "pre_compaction", told, pause=means.pause, late=means.late
    )
    past = house.store.read(lambda r: overtaken(r, visit.scope, session, at=visit.at))
    if means.answered or not past:  # what the spool tells may have happened since
        opened(house, visit.scope, session, visit.happening.trigger or "", made)
    return Attended(Answer(instructions=must_keep(digest, INSTRUCTED)), session)


def _compacted(visit: Visit, means: Means) -> Attended:
    """It happened, whoever announced it; its summary is known, where the harness tells it."""
    summary = visit.happening.text
    quiet = visit._replace(happening=visit.happening._replace(text=None))
    sat = follow(quiet, means.read, late=means.late)
    happened(visit.house, visit.scope, sat.session, at=visit.at)
    _summaries(visit, sat)
    if summary:
        summarized(visit.house, visit.scope, sat.session, summary)
    return Attended(NOTHING, sat.session)


def _end(visit: Visit, means: Means) -> Attended:
    """The session is over: its last words are stored, its checkpoint is asked for.

    After a clear nobody goes on from it; what is durable in it is extracted all the same.
    """
    house, scope = visit.house, visit.scope
    seat = _followed(visit, means)
    now = house.clock.now()

    def work(records: Records) -> Session:
        session = records.sessions.get(scope, seat.ref)
        since = max(session.last_activity_ms, began(records, scope, session).at)
        if not means.answered and visit.at < since:
            return session  # an end from the spool: somebody went on with it since
        if session.message_count and house.policy.checkpoints == "on":
            if visit.happening.reason == "clear":
                ask_extract_of(records, scope, session, now=now)
            else:
                ask(records, scope, session, "session_end", due_at=now, now=now)
        if session.state != "active":
            return session
        return end(records, scope, session, now=now, ended=visit.at)

    return Attended(NOTHING, house.store.write(work))


_OF_SESSION: Mapping[str, Callable[[Visit, Means], Attended]] = {
    "start": _start,
    "prompt": prompt,
    "compacting": _compacting,
    "compacted": _compacted,
    "end": _end,
    "other": _unheard,
}
_OF_CHILD: Mapping[str, Callable[[Visit, Means], Attended]] = {
    "child_end": _child_ended,
    "reply": _heard,
    "tool": _heard,
}
"""A subagent's own prompts, starts and compactions are not those of the session that it works for."""
