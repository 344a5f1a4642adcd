"""Attend a prompt: a person waits. One look at the store, a recall, and one transaction."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.context_text import ContextText
from everthread.domain.errors import AgentUnknown, EverthreadError, ThreadUnknown
from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.given.echoes import without_echoes
from everthread.domain.given.packing import pack
from everthread.domain.given.question_check import is_question
from everthread.domain.given.report_series import newest_of_each
from everthread.domain.given.usefulness import worth_asking
from everthread.domain.harness.happenings import Answer
from everthread.domain.harness.recovery import evidence_block
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.giving.bearing import bearing_hits, told_once
from everthread.services.giving.earlier_answers import answers_for_repeats
from everthread.services.giving.holdout import hold_out, holdout_reason
from everthread.services.giving.surface import still_waits, waiting_exchanges
from everthread.services.giving.validity import key_of
from everthread.services.harness.capture import (
    Also,
    Visit,
    bring,
    current_agent,
    is_at_task,
    seat_session,
)
from everthread.services.harness.compaction import missing_lines
from everthread.services.harness.give import (
    PROMPT,
    RESTORED,
    GivenBlock,
    give_once,
    items_of,
    quoted_session,
    text_begun_with,
)
from everthread.services.tasks.sessions.harness_context import compaction_request

from .agents_notice import notice_of
from .means import EventOutcome, Means, PromptQuestion
from .start import Onset, due_block, onset_of, was_given

log = logging.getLogger("everthread")

MOST_GIVEN = 5
RESTORED_CHARS = 4_000


def prompt(visit: Visit, means: Means) -> EventOutcome:
    """The prompt is stored together with the log of what it was given: one transaction."""
    heard: list[str] = []
    also: Also | None = None
    if means.answered and (wanted := _blocks_or_nothing(visit, means)):
        also = _give_and_log(visit.house, wanted, means, heard)
    brought = bring(visit, also)
    answer = Answer("\n".join(filter(None, heard)))
    return EventOutcome(answer, brought.session, brought.tasked, brought.asked)


def _blocks_or_nothing(visit: Visit, means: Means) -> list[tuple[GivenBlock, int]]:
    try:
        return _prompt_blocks(visit, means)
    except (AgentUnknown, ThreadUnknown):
        raise  # it is not to be stored there either
    except Exception:  # whatever it is, the prompt is stored without an answer
        log.exception("a prompt goes without an answer")
        return []


class PromptContext(NamedTuple):
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
    told: ContextText
    """What that stretch began with, in words: a message says what a memory keeps of it."""


def _prompt_blocks(visit: Visit, means: Means) -> list[tuple[GivenBlock, int]]:
    """All that comes with a prompt, and the stretch of the context in which it comes."""
    around = _prompt_context(visit)
    visit = visit._replace(agent=around.agent)
    session, epoch = around.session, around.onset.stretch.epoch
    found = (
        # What a start missed, because nobody was there to answer, comes now.
        None if around.begun else due_block(visit, session, around.onset, means),
        _missing_block(session, around.missing),
        compaction_request(visit, session, epoch) if around.tasked else None,
        notice_of(visit.house, around.waiting),
        _recalled_block(visit, around, means),
    )
    return [(told, epoch) for told in found if told is not None]


def _prompt_context(visit: Visit) -> PromptContext:
    """The session is written only where it has to be opened or woken."""

    def look(records: Records) -> PromptContext | None:
        session = records.sessions.find(visit.scope, visit.happening.session)
        if session is None or session.state != "active":
            return None
        return _read_context(visit, records, session)

    known = visit.house.store.read(look)
    return known or visit.house.store.write(
        lambda r: _read_context(visit, r, seat_session(visit, r))
    )


def _read_context(visit: Visit, records: Records, session: Session) -> PromptContext:
    scope, onset = visit.scope, onset_of(visit, records, session)
    epoch = onset.stretch.epoch
    return PromptContext(
        current_agent(visit, records),
        session,
        onset,
        was_given(records, scope, session, onset),
        missing_lines(records, scope, session) if onset.stretch.compacted else (),
        is_at_task(records, scope, session),
        waiting_exchanges(records, scope, now=visit.house.clock.now()),
        frozenset(records.injections.held(scope, session.ref, epoch=epoch)),
        ContextText(text_begun_with(records, scope, session, epoch)),
    )


def _give_and_log(
    house: House, wanted: Sequence[tuple[GivenBlock, int]], means: Means, heard: list[str]
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


def _missing_block(session: Session, lines: Sequence[str]) -> GivenBlock | None:
    """What compactions left out, as much as finds room; the rest comes with the prompts after."""
    if not lines:
        return None
    heading = "What the compaction of this conversation left out:"
    text, told = evidence_block(heading, lines, RESTORED_CHARS)
    reason = f"restored {len(told)} items"
    return GivenBlock(text, RESTORED, [quoted_session(session)], reason, waited=told)


def _recalled_block(visit: Visit, around: PromptContext, means: Means) -> GivenBlock | None:
    """What bears on the prompt and is not in the session's context already."""
    house, text, session = visit.house, visit.happening.text or "", around.session
    tokens, count = house.policy.prompt_tokens, house.tokenizer.count
    if not tokens or house.policy.recall == "off" or not worth_asking(text):
        return None
    scope = Scope(visit.agent.ref, session.project_normalized)
    try:
        hits = means.recall(PromptQuestion(text, scope, around.given))
    except (EverthreadError, TimeoutError) as trouble:
        log.warning("a prompt goes without recall: %s: %s", type(trouble).__name__, trouble)
        return None
    first = around.onset.stretch.first
    found = (
        h for h in answers_for_repeats(house, scope, text, hits) if key_of(h) not in around.given
    )
    new = [h for h in found if not _in_context(h, session, first)]
    bearing = without_echoes(bearing_hits(text, new))
    if not is_question(text):  # who asks is given the answer, though it stands far above
        bearing = [h for h in bearing if not around.told.says(h.text)]
    once = newest_of_each(told_once(bearing), text, house.clock.now())
    best, held = hold_out(house, scope, session.key_id, once[:MOST_GIVEN])
    packed = pack(best, tokens=tokens, count=count, words=query_words(text), redact=strip_secrets)
    if packed is None:
        return GivenBlock("", PROMPT, reason=holdout_reason(held), withheld=held) if held else None
    reason = ", ".join(filter(None, [f"recalled {len(packed.items)}", holdout_reason(held)]))
    told = GivenBlock(packed.text, PROMPT, items_of(packed), reason, hits=best, withheld=held)
    return told._replace(tokens=packed.tokens)


def _in_context(hit: Hit, session: Session, first: int) -> bool:
    """Was all of it said in this very stretch of the session? Then the harness has it."""
    return bool(hit.messages) and all(
        m.session_ref == session.ref and m.seq >= first for m in hit.messages
    )
