"""Attend a harness's session: store what happens in it, and answer what it should know.

Whatever goes wrong with the answer, what was said is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.checkpoint_text import LONGEST, Told
from everthread.domain.errors import EverthreadError
from everthread.domain.happenings import NOTHING, Answer, Happening
from everthread.domain.helped import telling, worth_asking
from everthread.domain.hits import Hit
from everthread.domain.packing import pack
from everthread.domain.recovery import left_out, must_keep
from everthread.domain.redaction import redacted
from everthread.domain.sessions import Session
from everthread.domain.words import query_words
from everthread.ports import House, Records

from .capture import (
    Also,
    Read,
    Sat,
    Visit,
    bring,
    follow,
    seat_now,
    seat_of,
    tell_process,
    tell_transcript,
    transcript_of,
)
from .checkpoint import ask, ask_extract_of, ask_if_due, write
from .compaction import happened, missing, opened, overtaken, summarized
from .end import end
from .giving import BACK, PROMPT, RESTORED, START, Begun, give, given_before, items_of, quoted
from .hearing import notice_of
from .holdout import held_out, told_held
from .inject import bears
from .recover import before_this, begun
from .starts import tell_start
from .stretch import began, stretch_of
from .surface import still_waits
from .tasked import compaction_asked

log = logging.getLogger("everthread")

MOST_GIVEN = 5
INSTRUCTED = 4_000
"""Characters of what a harness's summariser is asked to keep."""

RESTORED_CHARS = 4_000


class Attended(NamedTuple):
    """What came of an event: the answer, the session, and what it was told in it."""

    answer: Answer
    session: Session | None = None


class Asking(NamedTuple):
    """What recalling for a prompt needs to know."""

    query: str
    scope: Scope
    without: frozenset[bytes]


Recall = Callable[[Asking], Sequence[Hit]]
"""Finds what bears on a prompt. May raise."""


class Means(NamedTuple):
    """How an event is attended: what reads, what recalls, and whether anyone waits."""

    read: Read
    recall: Recall
    others: Read
    """Reads transcripts of other sessions."""
    answered: bool = True
    """Does the harness wait for the answer? An event from the spool is only stored."""
    late: Callable[[], bool] = lambda: False
    """Is the time for reading up?"""
    soon: Callable[[], bool] = lambda: False
    """Is the time for catching up with what was left behind up? A start is waited for."""
    over: Callable[[], bool] = lambda: False
    """Has the harness gone on without us? Then nothing was given, and nothing is logged as given."""
    pause: Callable[[], None] = lambda: None


def attend(visit: Visit, means: Means) -> Attended:
    """Store what the event tells, and answer it."""
    if visit.happening.child is not None:
        act = _OF_CHILD.get(visit.happening.kind, _unheard)
    else:
        act = _OF_SESSION.get(visit.happening.kind, _heard)
    return act(visit, means)


def _heard(visit: Visit, means: Means) -> Attended:
    return Attended(NOTHING, _followed(visit, means))


def _unheard(_visit: Visit, _means: Means) -> Attended:
    return Attended(NOTHING)


def _followed(visit: Visit, means: Means) -> Session:
    """Store what the transcript and the event itself say; a summary of the harness's is measured."""
    sat = follow(visit, means.read, late=means.late)
    _summaries(visit, sat)
    return sat.session


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
    answer = _begin(visit, sat.session, means)
    _summaries(visit, sat)  # after what was given beside it
    return Attended(answer, sat.session)


def _told_start(visit: Visit, records: Records, session: Session) -> None:
    tell_process(records, visit.scope, session, visit.happening.owner, at=visit.at)
    place = visit.happening.transcript or ""
    tell_transcript(records, visit.scope, session, place, at=visit.at)
    tell_start(visit.house, records, visit.happening, session, at=visit.at)


def _begin(visit: Visit, session: Session, means: Means) -> Answer:
    """What the session is given, unless it was given that in this stretch of its context already."""
    if not means.answered:
        return NOTHING._replace(reason="nobody waits for it")
    due = _due(visit, session, means)
    if due.told is None:
        # Once is enough where the client keeps it; where it does not, the same bytes again.
        return (
            NOTHING._replace(reason="given before") if visit.happening.keeps else Answer(due.again)
        )
    if means.over():
        return NOTHING._replace(reason="too late: it comes with the next prompt")
    house, told = visit.house, due.told
    house.store.write(lambda r: give(house, r, session, told, due.epoch))
    return Answer(told.text, reason=told.reason)


class Due(NamedTuple):
    """What a session is to be given."""

    epoch: int
    told: Begun | None = None
    again: str = ""
    """What it was given before."""


def _due(visit: Visit, session: Session, means: Means) -> Due:
    """What its start is to be given; nothing new where it was given that in this stretch."""
    house, scope = visit.house, visit.scope
    stretch = house.store.read(lambda r: stretch_of(r, scope, session))
    start = visit.happening.start or stretch.kind or "startup"
    if stretch.kind in ("compact", "clear"):
        start = stretch.kind  # that is what its context goes back to, however it is opened again
    purpose = BACK if start == "compact" else START
    before = house.store.read(lambda r: given_before(r, scope, session, purpose, stretch.epoch))
    if before is not None:
        return Due(stretch.epoch, again=before)
    late = means.late if visit.happening.start == "compact" else means.soon
    now = house.clock.now()
    if start in ("startup", "fork"):
        _catch_up(visit, session, means)
    told = begun(house, visit.agent, visit.happening, session, start, now=now, late=late)
    return Due(stretch.epoch, told)


def _catch_up(visit: Visit, session: Session, means: Means) -> None:
    """Read on what a harness that was killed had written down: nobody told us of its last turn."""
    house, scope, now = visit.house, visit.scope, visit.house.clock.now()

    def work(records: Records) -> tuple[Session | None, str]:
        dead = before_this(house, records, scope, visit.happening, session, now).session
        place = "" if dead is None else transcript_of(records, scope, dead)
        return dead, place

    dead, place = house.store.read(work)
    if dead is None or dead.state != "active" or dead.harness != visit.happening.harness:
        return
    happening = Happening(
        dead.harness or "", "tool", dead.key, visit.happening.folder, transcript=place or None
    )
    of_then = visit._replace(happening=happening, at=dead.last_activity_ms)
    try:
        follow(of_then, means.others, late=means.soon)
    except OSError as trouble:  # another session's file; what is stored of it does without the rest
        log.warning("the transcript of a killed session cannot be read: %s", trouble)


def _prompt(visit: Visit, means: Means) -> Attended:
    """The prompt is stored together with the log of what it was given: one transaction."""
    house = visit.house
    heard: list[str] = []
    if not means.answered:
        session, new = bring(visit)
    else:
        wanted = _wanted_or_nothing(visit, means)
        session, new = bring(visit, _giving(house, wanted, means, heard) if wanted else None)
    if new:
        ask_if_due(house, visit.scope, session)
    return Attended(Answer("\n".join(filter(None, heard))), session)


def _wanted_or_nothing(visit: Visit, means: Means) -> list[tuple[Begun, int]]:
    try:
        return _wanted(visit, seat_now(visit), means)
    except Exception:  # whatever it is, the prompt is stored without an answer
        log.exception("a prompt goes without an answer")
        return []


def _wanted(visit: Visit, session: Session, means: Means) -> list[tuple[Begun, int]]:
    """All that comes with a prompt, and the stretch of the context in which it comes."""
    # What a start missed, because nobody was there to answer, comes now.
    due = _due(visit, session, means)
    found = (
        due.told,
        _missing(visit.house, visit.scope, session),
        compaction_asked(visit, session, due.epoch),
        notice_of(visit.house, visit.scope),
        _recalled(visit, session, means),
    )
    return [(told, due.epoch) for told in found if told is not None]


def _giving(
    house: House, wanted: Sequence[tuple[Begun, int]], means: Means, heard: list[str]
) -> Also:
    """Log what is given, unless nobody hears it any more: then it comes with the next prompt."""

    def also(records: Records, session: Session) -> None:
        heard.clear()
        if means.over():
            return
        for told, epoch in wanted:
            if not still_waits(records, Scope(session.agent_ref), told.heard):
                continue  # another session was told of it a moment ago
            give(house, records, session, told, epoch)
            heard.append(told.text)

    return also


def _missing(house: House, scope: Scope, session: Session) -> Begun | None:
    """What compactions left out, as much as finds room; the rest comes with the prompts after."""
    lines = house.store.read(lambda r: missing(r, scope, session))
    if not lines:
        return None
    heading = "What the compaction of this conversation left out:"
    text, told = left_out(heading, lines, RESTORED_CHARS)
    reason = f"restored {len(told)} items"
    return Begun(text, RESTORED, [quoted(session)], reason, waited=told)


def _recalled(visit: Visit, session: Session, means: Means) -> Begun | None:
    """What bears on the prompt and is not in the session's context already."""
    house, text = visit.house, visit.happening.text or ""
    tokens, count = house.policy.prompt_tokens, house.tokenizer.count
    if not tokens or house.policy.recall == "off" or not worth_asking(text):
        return None
    scope = Scope(visit.agent.ref, session.project_normalized)
    given, first = house.store.read(lambda r: _had(r, scope, session))
    try:
        hits = means.recall(Asking(text, scope, given))
    except (EverthreadError, TimeoutError) as trouble:
        log.warning("a prompt goes without recall: %s: %s", type(trouble).__name__, trouble)
        return None
    asked = telling(text)
    new = (h for h in hits if not _in_context(h, session, first) and bears(h, asked))
    best, held = held_out(house, scope, session.key_id, list(islice(new, MOST_GIVEN)))
    packed = pack(best, tokens=tokens, count=count, words=query_words(text), redact=redacted)
    if packed is None:
        return Begun("", PROMPT, reason=told_held(held), withheld=held) if held else None
    reason = ", ".join(filter(None, [f"recalled {len(packed.items)}", told_held(held)]))
    return Begun(packed.text, PROMPT, items_of(packed), reason, hits=best, withheld=held)


def _had(records: Records, scope: Scope, session: Session) -> tuple[frozenset[bytes], int]:
    """What the session was given in this stretch of its context, and its first message in it."""
    stretch = stretch_of(records, scope, session)
    given = records.injections.held(scope, session.ref, epoch=stretch.epoch)
    return frozenset(given), stretch.first


def _in_context(hit: Hit, session: Session, first: int) -> bool:
    """Was all of it said in this very stretch of the session? Then the harness has it."""
    return bool(hit.messages) and all(
        m.session_ref == session.ref and m.seq >= first for m in hit.messages
    )


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
    "prompt": _prompt,
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
