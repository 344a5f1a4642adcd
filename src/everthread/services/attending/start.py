"""Attend a start: what a session is to be given when its context begins, and when that was given."""

from __future__ import annotations

import logging
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import NOTHING, Answer, Happening, Start
from everthread.ports import Records
from everthread.services.harness.capture import Visit, follow
from everthread.services.harness.give import (
    BACK,
    MEANWHILE,
    START,
    GivenBlock,
    give_once,
    text_given_before,
    texts_given,
)
from everthread.services.harness.session_owner import transcript_of
from everthread.services.harness.stretch import Stretch, stretch_of

from .means import Means
from .meanwhile import meanwhile_block
from .previous import previous_session
from .recover import start_block

log = logging.getLogger("everthread")

CAUGHT_UP = 5
"""Sessions whose transcripts a start reads on at most."""

LOOKED_AT = 500
"""Injections of a session that are looked through for what it was told of others."""


def begin(visit: Visit, session: Session, means: Means) -> Answer:
    """What the session is given, unless it was given that in this stretch of its context already."""
    if not means.answered:
        return NOTHING._replace(reason="nobody waits for it")
    house, scope = visit.house, visit.scope

    def look(records: Records) -> tuple[Onset, str | None]:
        onset = onset_of(visit, records, session)
        epoch = onset.stretch.epoch
        return onset, text_given_before(records, scope, session, onset.purpose, epoch)

    onset, before = house.store.read(look)
    if before is not None and visit.happening.start == "resume":
        return _tell_meanwhile(visit, session, onset, means, before)
    if before is not None:
        return _repeat_answer(visit, before)
    told = due_block(visit, session, onset, means)
    if told is None or means.over():
        return NOTHING._replace(reason="too late: it comes with the next prompt")
    epoch = onset.stretch.epoch
    # Looked at once more: another event of this session may have been quicker.
    before = house.store.write(lambda r: give_once(house, r, session, told, epoch))
    return (
        Answer(told.text, reason=told.reason) if before is None else _repeat_answer(visit, before)
    )


def _repeat_answer(visit: Visit, before: str) -> Answer:
    """Once is enough where the client keeps it; where it does not, the same bytes again (R-23)."""
    return NOTHING._replace(reason="given before") if visit.happening.keeps else Answer(before)


def _tell_meanwhile(
    visit: Visit, session: Session, onset: Onset, means: Means, before: str
) -> Answer:
    """Who goes on with a session has its context, and knows nothing of what others said since.

    Where the client does not keep what it was given, it follows on all of that.
    """
    house, epoch = visit.house, onset.stretch.epoch
    scope = Scope(visit.agent.ref, session.project_normalized)
    again = [before, *_told_meanwhile(visit, session, epoch)] if not visit.happening.keeps else []
    room = house.policy.start_chars - sum(len(text) + 1 for text in again)
    told = meanwhile_block(house, scope, session, epoch=epoch, room=room, now=house.clock.now())
    if told is None or means.over():
        reason = "given before, and nothing was said elsewhere since"
        return Answer("\n".join(filter(None, again)), reason=reason)
    house.store.write(lambda r: give_once(house, r, session, told, epoch))
    return Answer("\n".join(filter(None, [*again, told.text])), reason=told.reason)


def _told_meanwhile(visit: Visit, session: Session, epoch: int) -> list[str]:
    """What it was told of others so far in this stretch, in that order."""
    return visit.house.store.read(
        lambda r: texts_given(r, visit.scope, session, MEANWHILE, epoch, limit=LOOKED_AT)
    )


class Onset(NamedTuple):
    """How the context of a session began: in which stretch it is, and what it is given for that."""

    stretch: Stretch
    start: Start
    purpose: str


def onset_of(visit: Visit, records: Records, session: Session) -> Onset:
    stretch = stretch_of(records, visit.scope, session)
    start: Start = visit.happening.start or stretch.kind or "startup"
    if stretch.kind in ("compact", "clear"):
        start = stretch.kind  # that is what its context goes back to, however it is opened again
    return Onset(stretch, start, BACK if start == "compact" else START)


def was_given(records: Records, scope: Scope, session: Session, onset: Onset) -> bool:
    """Was the session given that in this stretch of its context?"""
    epoch, purpose = onset.stretch.epoch, onset.purpose
    return records.injections.given(scope, session.ref, epoch=epoch, purpose=purpose) is not None


def due_block(visit: Visit, session: Session, onset: Onset, means: Means) -> GivenBlock | None:
    """What a start is to be given that was given nothing so far; None where too many are at that now,
    and it comes with the next prompt."""
    if onset.start == "compact":  # it goes on at once, and must not do so without
        return _make_due_block(visit, session, onset, means)
    with means.turn(means.soon, waits=visit.happening.kind == "start") as mine:
        if mine:
            return _make_due_block(visit, session, onset, means)
    log.info("%s: many sessions begin; its recovery comes with the next prompt", session.alias)
    return None


def _make_due_block(visit: Visit, session: Session, onset: Onset, means: Means) -> GivenBlock:
    house = visit.house
    late = means.late if visit.happening.start == "compact" else means.soon
    now = house.clock.now()
    if onset.start in ("startup", "fork"):
        _catch_up(visit, session, means)
    return start_block(
        house, visit.agent, visit.happening, session, onset.start, now=now, late=late
    )


def _catch_up(visit: Visit, session: Session, means: Means) -> None:
    """Read on what harnesses that were killed had written down: nobody told us of their last turns."""
    house, scope, now = visit.house, visit.scope, visit.house.clock.now()

    def work(records: Records) -> list[tuple[Session, str]]:
        found = previous_session(house, records, scope, visit.happening, session, now)
        first = () if found.session is None else (found.session,)
        left = [s for s in dict.fromkeys((*first, *found.beside, *found.abandoned)) if is_ours(s)]
        return [(s, transcript_of(records, scope, s)) for s in left[:CAUGHT_UP]]

    def is_ours(dead: Session) -> bool:
        return dead.state == "active" and dead.harness == visit.happening.harness

    for dead, place in house.store.read(work):
        _read_on(visit, dead, place, means)


def _read_on(visit: Visit, dead: Session, place: str, means: Means) -> None:
    happening = Happening(
        dead.harness or "", "tool", dead.key, visit.happening.folder, transcript=place or None
    )
    of_then = visit._replace(happening=happening, at=dead.last_activity_ms)
    try:
        follow(of_then, means.others, late=means.soon)
    except OSError as trouble:  # another session's file; what is stored of it does without the rest
        log.warning("the transcript of a killed session cannot be read: %s", trouble)
