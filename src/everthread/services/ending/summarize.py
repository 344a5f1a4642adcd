"""Summarize a session: two to five sentences on what was decided, done, left open and intended.

A model writes them where there is one, in one answer; each of its sentences is held against the messages
that it names, and struck where they do not bear it out. The plain summary needs nobody, and takes over
where too little is left, the cap is used up, or the model failed three times.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message, Origin
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.drafts import ModelFailed, Outline, Passage
from everthread.domain.ending.session_prose import Claim
from everthread.domain.ending.session_summary import (
    LEAST_SENTENCES,
    MOST_SENTENCES,
    plain_prose,
    with_date,
)
from everthread.domain.ending.session_support import borne_out, own_prose
from everthread.domain.ending.session_talk import Talk
from everthread.domain.recall.shown_text import clean
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import DAY, moment_of
from everthread.ports import House, Records, Summarizer
from everthread.ports.endings import SpokenCounts
from everthread.services.archive.as_said import as_said
from everthread.services.archive.sources import messages_of
from everthread.services.distilling.spend import spend
from everthread.services.harness.fold import FoldedSession

log = logging.getLogger("everthread")

GIVES_WAY = 3
"""After so many failures of a model the plain summary takes over."""

LONGEST = 4_000
"""Characters of a message that a model may see."""

MOST_TOKENS = 150
"""Of a model's prose; what is beyond is left out, sentence by sentence."""


class SummaryResult(NamedTuple):
    """A summary, or why there is none."""

    text: str = ""
    failed: bool = False
    """Could the model not be asked? Then it is asked another time."""
    cause: str = ""
    """Why a model that was asked has not written it."""


def sum_up(
    house: House,
    agent: AgentRow,
    session: Session,
    folded: FoldedSession,
    *,
    failures: int | None,
    pause: Callable[[], None],
) -> SummaryResult:
    """What the session was about, by a model that did not fail too often, else plainly.

    `failures`: how often it failed before; None where no model is to be asked.
    """
    model, cause = house.summarizer, ""
    spoken = house.store.read(lambda r: r.endings.spoken(Scope(agent.ref), session))
    # Not when it was last active: to resume it is to say nothing.
    last = session.last_activity_ms if spoken.last_ms is None else spoken.last_ms
    if (
        model is not None
        and failures is not None
        and failures < GIVES_WAY
        and _is_recent(house, session)
    ):
        try:
            prose = _by_model(house, model, agent, session, folded, pause)
        except ModelFailed as failed:
            cause = failed.cause
            spend(house, Scope(agent.ref), model.name, failed.spent)
            log.warning("a session was not summed up by %s: %s", model.name, failed)
            if failed.cause != "budget" and failures + 1 < GIVES_WAY:
                return SummaryResult(failed=True, cause=cause)
        else:
            if prose:
                return SummaryResult(with_date(prose, last))
    extent = _extent(session, spoken)
    plain = _plain_summary(house, agent, session, folded, extent=extent, pause=pause)
    return SummaryResult(with_date(plain, last), cause=cause)


def _is_recent(house: House, session: Session) -> bool:
    """Will anyone be told of it? No money is spent on what is too old for that."""
    return house.clock.now() - session.last_activity_ms <= house.policy.recent_days * DAY


# By a model


def _by_model(
    house: House,
    model: Summarizer,
    agent: AgentRow,
    session: Session,
    folded: FoldedSession,
    pause: Callable[[], None],
) -> str:
    """Its sentences that are borne out; empty where too few are."""
    scope = Scope(agent.ref)
    messages = dict(enumerate(_spoken_messages(house, scope, session, folded, pause), 1))
    passages = [
        Passage(n, m.key, m.origin, m.name or "", m.at_ms, clean(m.text, strip_secrets)[:LONGEST])
        for n, m in messages.items()
    ]
    told = model.summarize(passages, pause=pause)
    spend(house, scope, model.name, told.spent)
    kept = [line for line in told.sentences if _is_borne_out(line, messages)][:MOST_SENTENCES]
    while len(kept) > LEAST_SENTENCES and _size(house, kept) > MOST_TOKENS:
        kept.pop()
    if len(kept) < LEAST_SENTENCES:
        log.info(
            "of %d sentences of %s %d are borne out", len(told.sentences), model.name, len(kept)
        )
        return ""
    return _prose(kept)


def _spoken_messages(
    house: House, scope: Scope, session: Session, folded: FoldedSession, pause: Callable[[], None]
) -> Iterator[Message]:
    """What the two said to each other, without what was forgotten and without output of tools."""
    for message in chain.from_iterable(as_said(house, scope, session, after=0)):
        pause()
        spoken = message.kind == "said" and message.origin in ("user", "agent")
        if spoken and message.text.strip() and message.key not in folded.gone:
            yield message


def _is_borne_out(line: Outline, messages: Mapping[int, Message]) -> bool:
    """Do the messages that it names say so, those of the one or those of the other?"""
    sources = [messages[n] for n in dict.fromkeys(line.sources) if n in messages]
    origins: Sequence[Origin] = ("user", "agent")
    return any(borne_out(line.text, sources, by=by) for by in origins)


def _size(house: House, lines: Sequence[Outline]) -> int:
    return house.tokenizer.count(_prose(lines))


def _prose(lines: Sequence[Outline]) -> str:
    return " ".join(line.text if line.text[-1] in ".!?”" else f"{line.text}." for line in lines)


# Without one


def _plain_summary(
    house: House,
    agent: AgentRow,
    session: Session,
    folded: FoldedSession,
    *,
    extent: str,
    pause: Callable[[], None],
) -> str:
    scope = Scope(agent.ref)

    def supported(claim: Claim) -> bool:
        pause()
        found = house.store.read(lambda r: _sources(r, scope, claim))
        sources = [own_prose(message, verbatim=claim.verbatim) for message in found]
        return borne_out(claim.text, sources, by=claim.point.by, verbatim=claim.verbatim)

    talk = Talk()
    for message in _spoken_messages(house, scope, session, folded, pause):
        talk.hear(message)
    return plain_prose(folded.digest, supported, house.tokenizer.count, extent=extent, talk=talk)


def _sources(records: Records, scope: Scope, claim: Claim) -> list[Message]:
    return list(messages_of(records, scope, claim.point.sources).values())


def _extent(session: Session, spoken: SpokenCounts) -> str:
    """When what was said in it was said; of a silent one, when it was."""
    first = moment_of(session.started_ms if spoken.first_ms is None else spoken.first_ms)
    last = moment_of(session.last_activity_ms if spoken.last_ms is None else spoken.last_ms)
    days = "" if first.date() == last.date() else f"{last:%Y-%m-%d} "
    number = "once" if spoken.times == 1 else f"{spoken.times} times"
    return f"The user spoke {number}, from {first:%H:%M} to {days}{last:%H:%M} UTC."
