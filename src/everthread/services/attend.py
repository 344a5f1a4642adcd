"""Attend a harness's session: store what happens in it, and answer what it should know.

Capturing comes first: whatever goes wrong with the answer, what was said is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.checkpoint_text import LONGEST, Told
from everthread.domain.errors import EverthreadError
from everthread.domain.happenings import NOTHING, Answer
from everthread.domain.helped import telling, worth_asking
from everthread.domain.hits import Hit
from everthread.domain.packing import pack
from everthread.domain.recovery import Section, framed, must_keep
from everthread.domain.redaction import redacted
from everthread.domain.sessions import Session
from everthread.domain.words import query_words
from everthread.ports import House, Records

from .capture import Also, Read, Sat, Visit, bring, follow, seat_now, tell_process
from .checkpoint import ask, ask_if_due, write
from .compaction import gave, happened, opened, summarized, take_missing
from .inject import bears
from .recover import (
    BACK,
    PROMPT,
    RESTORED,
    START,
    Begun,
    begun,
    epoch_now,
    given_before,
    items_of,
    logged,
    quoted,
)
from .tally import mark_recovered

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
    answered: bool = True
    """Does the harness wait for the answer? An event from the spool is only stored."""
    late: Callable[[], bool] = lambda: False
    """Is the time for reading up?"""
    over: Callable[[], bool] = lambda: False
    """Has the harness gone on without us? Then nothing was given, and nothing is logged as given."""
    pause: Callable[[], None] = lambda: None


def attend(visit: Visit, means: Means) -> Attended:
    """Store what the event tells, and answer it."""
    act = {
        "start": _start,
        "prompt": _prompt,
        "compacting": _compacting,
        "compacted": _compacted,
        "end": _end,
        "other": _unheard,
    }.get(visit.happening.kind, _heard)
    return act(visit, means)


def _heard(visit: Visit, means: Means) -> Attended:
    return Attended(NOTHING, _followed(visit, means).session)


def _unheard(_visit: Visit, _means: Means) -> Attended:
    return Attended(NOTHING)


def _followed(visit: Visit, means: Means) -> Sat:
    """Store what the transcript and the event itself say; a summary of the harness's is measured."""
    sat = follow(visit, means.read, late=means.late)
    for line in sat.summaries:
        summarized(visit.house, visit.scope, sat.session, str(line.entry.get("content", "")))
    return sat


def _start(visit: Visit, means: Means) -> Attended:
    house, scope, owner = visit.house, visit.scope, visit.happening.owner
    session = _followed(visit, means).session
    house.store.write(lambda r: tell_process(r, scope, session, owner, at=visit.at))
    if visit.happening.start != "compact":
        return Attended(_begin(visit, session, means), session)
    compaction = happened(house, scope, session)
    answer = _begin(visit, session, means)
    gave(house, scope, compaction, answer.context)
    return Attended(answer, session)


def _begin(visit: Visit, session: Session, means: Means) -> Answer:
    """What the session is given, unless it was given that in this stretch of its context already."""
    if not means.answered:
        return NOTHING._replace(reason="nobody waits for it")
    house, scope = visit.house, visit.scope
    start = visit.happening.start or "startup"
    epoch = house.store.read(lambda r: epoch_now(r, scope, session))
    if epoch and start in ("startup", "resume"):
        start = "compact"  # what it was given before its compaction is no longer in its context
    purpose = BACK if start == "compact" else START
    before = house.store.read(lambda r: given_before(r, scope, session, purpose, epoch))
    if before is not None:
        # Once is enough where the client keeps it; where it does not, the same bytes again.
        return NOTHING._replace(reason="given before") if visit.happening.keeps else Answer(before)
    now = house.clock.now()
    told = begun(house, visit.agent, visit.happening, session, start, now=now, late=means.late)
    if means.over():
        return NOTHING._replace(reason="too late: it comes with the next prompt")
    _log(house, session, told, epoch)
    return Answer(told.text, reason=told.reason)


def _log(house: House, session: Session, told: Begun, epoch: int) -> None:
    now, scope = house.clock.now(), Scope(session.agent_ref)

    def work(records: Records) -> None:
        count = house.tokenizer.count
        logged(house, records, session, told, epoch=epoch, now=now, count=count)
        if told.recovered and told.text:
            mark_recovered(records, scope, session.ref, now=now)

    house.store.write(work)


def _prompt(visit: Visit, means: Means) -> Attended:
    """The prompt is stored together with the log of what it was given: one transaction."""
    house = visit.house
    if not means.answered:
        session, new = bring(visit)
        text = ""
    else:
        seat = seat_now(visit)
        # What a start missed, because nobody was there to answer, comes now.
        again = visit._replace(happening=visit.happening._replace(start=None, keeps=True))
        missed = _begin(again, seat, means).context
        missing = _missing(house, visit.scope, seat)
        found, epoch = _recalled(visit, seat, means)
        if means.over():
            found = None  # stored all the same, but nobody hears the answer
        session, new = bring(visit, None if found is None else _logging(house, found, epoch))
        text = "\n".join(filter(None, [missed, missing, found.text if found else ""]))
    if new:
        ask_if_due(house, visit.scope, session)
    return Attended(Answer(text), session)


def _logging(house: House, told: Begun, epoch: int) -> Also:
    now, count = house.clock.now(), house.tokenizer.count

    def also(records: Records, session: Session) -> None:
        logged(house, records, session, told, epoch=epoch, now=now, count=count)

    return also


def _missing(house: House, scope: Scope, session: Session) -> str:
    lines = take_missing(house, scope, session)
    if not lines:
        return ""
    heading = "What the compaction of this conversation left out:"
    section = Section("Evidence", [f"- {line}" for line in lines])
    text = framed(heading, [section], RESTORED_CHARS)
    epoch = house.store.read(lambda r: epoch_now(r, scope, session))
    told = Begun(text, RESTORED, [quoted(session)], f"restored {len(lines)} items")
    _log(house, session, told, epoch)
    return text


def _recalled(visit: Visit, session: Session, means: Means) -> tuple[Begun | None, int]:
    """What bears on the prompt and is not in the session's context already; and the epoch of that."""
    house, text = visit.house, visit.happening.text or ""
    tokens, count = house.policy.prompt_tokens, house.tokenizer.count
    if not tokens or house.policy.recall == "off" or not worth_asking(text):
        return None, 0
    scope = Scope(visit.agent.ref, session.project_normalized)
    epoch, given, first = house.store.read(lambda r: _had(r, scope, session))
    try:
        hits = means.recall(Asking(text, scope, given))
    except (EverthreadError, TimeoutError) as trouble:
        log.warning("a prompt goes without recall: %s: %s", type(trouble).__name__, trouble)
        return None, 0
    asked = telling(text)
    new = (h for h in hits if not _in_context(h, session, first) and bears(h, asked))
    best = list(islice(new, MOST_GIVEN))
    packed = pack(best, tokens=tokens, count=count, words=query_words(text), redact=redacted)
    if packed is None:
        return None, 0
    reason = f"recalled {len(packed.items)}"
    return Begun(packed.text, PROMPT, items_of(packed), reason), epoch


def _had(records: Records, scope: Scope, session: Session) -> tuple[int, frozenset[bytes], int]:
    """The epoch of the session's context, what it was given in it, and its first message in it."""
    epoch = epoch_now(records, scope, session)
    given = records.injections.held(scope, session.ref, epoch=epoch)
    last = records.compactions.of_session(scope, session.ref, limit=1)
    first = last[0].last_seq + 1 if last and last[0].state != "open" else 0
    return epoch, frozenset(given), first


def _in_context(hit: Hit, session: Session, first: int) -> bool:
    """Was all of it said in this very stretch of the session? Then the harness has it."""
    return bool(hit.messages) and all(
        m.session_ref == session.ref and m.seq >= first for m in hit.messages
    )


def _compacting(visit: Visit, means: Means) -> Attended:
    """Everything said is on disk and a checkpoint is written before the harness goes on."""
    house = visit.house
    session = _followed(visit, means).session
    # What the harness itself says of the session stands first (B-45).
    told = Told(summary=(visit.happening.text or "")[:LONGEST])
    made, digest = write(
        house, visit.agent, session, "pre_compaction", told, pause=means.pause, late=means.late
    )
    opened(house, visit.scope, session, visit.happening.trigger or "", made)
    return Attended(Answer(instructions=must_keep(digest, INSTRUCTED)), session)


def _compacted(visit: Visit, means: Means) -> Attended:
    """Its summary is known, where the harness tells it."""
    summary = visit.happening.text
    quiet = visit._replace(happening=visit.happening._replace(text=None))
    session = _followed(quiet, means).session
    if summary:
        summarized(visit.house, visit.scope, session, summary)
    return Attended(NOTHING, session)


def _end(visit: Visit, means: Means) -> Attended:
    """The session is over: its last words are stored, its checkpoint is asked for."""
    house, scope = visit.house, visit.scope
    sat = _followed(visit, means)
    now = house.clock.now()
    wanted = visit.happening.reason != "clear" and house.policy.checkpoints == "on"

    def work(records: Records) -> Session:
        session = records.sessions.get(scope, sat.session.ref)
        if wanted and session.message_count:
            ask(records, scope, session, "session_end", due_at=now, now=now)
        if session.state != "active":
            return session
        return records.sessions.move(scope, session, "complete", now=now, ended=visit.at)

    return Attended(NOTHING, house.store.write(work))
