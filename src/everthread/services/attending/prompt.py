"""Attend a prompt: a person waits. One look at the store, a recall, and one transaction."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import AgentUnknown, EverthreadError, ThreadUnknown
from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.given.helped import worth_asking
from everthread.domain.given.packing import pack
from everthread.domain.given.reports import newest_of_each
from everthread.domain.harness.happenings import Answer
from everthread.domain.harness.recovery import left_out
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import redacted
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.giving.again import instead
from everthread.services.giving.bearing import bearing
from everthread.services.giving.holdout import held_out, told_held
from everthread.services.giving.standing import key_of
from everthread.services.giving.surface import still_waits, waiting
from everthread.services.harness.capture import Also, Visit, at_task, bring, present, seated
from everthread.services.harness.compaction import missing
from everthread.services.harness.giving import PROMPT, RESTORED, Begun, give_once, items_of, quoted
from everthread.services.tasks.tasked import compaction_asked

from .hearing import notice_of
from .means import Asking, Attended, Means
from .start import Onset, due, onset_of, was_given

log = logging.getLogger("everthread")

MOST_GIVEN = 5
RESTORED_CHARS = 4_000


def prompt(visit: Visit, means: Means) -> Attended:
    """The prompt is stored together with the log of what it was given: one transaction."""
    heard: list[str] = []
    also: Also | None = None
    if means.answered and (wanted := _wanted_or_nothing(visit, means)):
        also = _giving(visit.house, wanted, means, heard)
    brought = bring(visit, also)
    answer = Answer("\n".join(filter(None, heard)))
    return Attended(answer, brought.session, brought.tasked, brought.asked)


def _wanted_or_nothing(visit: Visit, means: Means) -> list[tuple[Begun, int]]:
    try:
        return _wanted(visit, means)
    except (AgentUnknown, ThreadUnknown):
        raise  # it is not to be stored there either
    except Exception:  # whatever it is, the prompt is stored without an answer
        log.exception("a prompt goes without an answer")
        return []


class Around(NamedTuple):
    """What a prompt comes upon, as one look at the store finds it."""

    agent: AgentRow
    session: Session
    onset: Onset
    begun: bool
    """Was its start given what it is to be given?"""
    missing: Sequence[str]
    """What its compactions left out, and it waits for."""
    tasked: bool
    waiting: Sequence[Exchange]
    given: frozenset[bytes]
    """What it was given in this stretch of its context."""


def _wanted(visit: Visit, means: Means) -> list[tuple[Begun, int]]:
    """All that comes with a prompt, and the stretch of the context in which it comes."""
    around = _around(visit)
    visit = visit._replace(agent=around.agent)
    session, epoch = around.session, around.onset.stretch.epoch
    found = (
        # What a start missed, because nobody was there to answer, comes now.
        None if around.begun else due(visit, session, around.onset, means),
        _missing(session, around.missing),
        compaction_asked(visit, session, epoch) if around.tasked else None,
        notice_of(visit.house, around.waiting),
        _recalled(visit, around, means),
    )
    return [(told, epoch) for told in found if told is not None]


def _around(visit: Visit) -> Around:
    """The session is written only where it has to be opened or woken."""

    def look(records: Records) -> Around | None:
        session = records.sessions.find(visit.scope, visit.happening.session)
        if session is None or session.state != "active":
            return None
        return _seen(visit, records, session)

    known = visit.house.store.read(look)
    return known or visit.house.store.write(lambda r: _seen(visit, r, seated(visit, r)))


def _seen(visit: Visit, records: Records, session: Session) -> Around:
    scope, onset = visit.scope, onset_of(visit, records, session)
    return Around(
        present(visit, records),
        session,
        onset,
        was_given(records, scope, session, onset),
        missing(records, scope, session) if onset.stretch.compacted else (),
        at_task(records, scope, session),
        waiting(records, scope, now=visit.house.clock.now()),
        frozenset(records.injections.held(scope, session.ref, epoch=onset.stretch.epoch)),
    )


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
            if give_once(house, records, session, told, epoch) is None:
                heard.append(told.text)

    return also


def _missing(session: Session, lines: Sequence[str]) -> Begun | None:
    """What compactions left out, as much as finds room; the rest comes with the prompts after."""
    if not lines:
        return None
    heading = "What the compaction of this conversation left out:"
    text, told = left_out(heading, lines, RESTORED_CHARS)
    reason = f"restored {len(told)} items"
    return Begun(text, RESTORED, [quoted(session)], reason, waited=told)


def _recalled(visit: Visit, around: Around, means: Means) -> Begun | None:
    """What bears on the prompt and is not in the session's context already."""
    house, text, session = visit.house, visit.happening.text or "", around.session
    tokens, count = house.policy.prompt_tokens, house.tokenizer.count
    if not tokens or house.policy.recall == "off" or not worth_asking(text):
        return None
    scope = Scope(visit.agent.ref, session.project_normalized)
    try:
        hits = means.recall(Asking(text, scope, around.given))
    except (EverthreadError, TimeoutError) as trouble:
        log.warning("a prompt goes without recall: %s: %s", type(trouble).__name__, trouble)
        return None
    first = around.onset.stretch.first
    found = (h for h in instead(house, scope, text, hits) if key_of(h) not in around.given)
    new = [h for h in found if not _in_context(h, session, first)]
    once = newest_of_each(bearing(text, new), text, house.clock.now())
    best, held = held_out(house, scope, session.key_id, once[:MOST_GIVEN])
    packed = pack(best, tokens=tokens, count=count, words=query_words(text), redact=redacted)
    if packed is None:
        return Begun("", PROMPT, reason=told_held(held), withheld=held) if held else None
    reason = ", ".join(filter(None, [f"recalled {len(packed.items)}", told_held(held)]))
    told = Begun(packed.text, PROMPT, items_of(packed), reason, hits=best, withheld=held)
    return told._replace(tokens=packed.tokens)


def _in_context(hit: Hit, session: Session, first: int) -> bool:
    """Was all of it said in this very stretch of the session? Then the harness has it."""
    return bool(hit.messages) and all(
        m.session_ref == session.ref and m.seq >= first for m in hit.messages
    )
