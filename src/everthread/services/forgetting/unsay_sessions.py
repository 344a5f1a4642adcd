"""Unsay in sessions: what was forgotten leaves the checkpoints and compactions of harnesses.

A checkpoint is made anew without it, in its place, so that the next one goes on from what is left: its
rules and open requests are not lost with one sentence. A compaction keeps its figures. Whatever quoted
such a session loses its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session, undated_summary
from everthread.domain.distilling.daily_files import day_of
from everthread.domain.forgetting.forgotten_sessions import (
    activity_of,
    activity_without,
    checkpoint_text,
    echo_of,
    score_without,
    statement_lines,
    statement_without,
    waiting_without,
)
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts, Sieve
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.harness.activity import Activity
from everthread.domain.harness.checkpoints import ENDS, WITHHELD, Checkpoint, Compaction
from everthread.ports import House, Records
from everthread.services.archive.sources import message_of
from everthread.services.job_names import COMPACTION

from .erase import Section

ALL = 1 << 62


class CheckpointRest(NamedTuple):
    """What of a checkpoint may still be told."""

    text: str
    state: str
    activity: str


class CompactionRest(NamedTuple):
    """What of a compaction may still be told. Its texts go: they are prose that nobody can sort."""

    score: str | None
    waiting: str


class SessionFindings(NamedTuple):
    """What was found in one state of the store; by reference, entry and what is left."""

    checkpoints: dict[tuple[int, int], CheckpointRest | None]
    """None: it tells nothing of it."""
    compactions: dict[tuple[int, int], CompactionRest | None]


class SessionSearch:
    """Looks through what the sessions of an agent left."""

    def __init__(self, records: Records, agent: AgentRow, gone: ForgottenTexts) -> None:
        self._records = records
        self._scope = Scope(agent.ref)
        self._sieve = Sieve(gone, self._existing_messages)
        said = [message_of(records, self._scope, key) for key in gone.said]
        self._said = [message for message in said if message is not None]
        self._echo = echo_of(gone, self._said)
        self._made: dict[Any, Any] = {}

    def all(self) -> SessionFindings:
        return SessionFindings(
            {(c.ref, c.entry): self.checkpoint(c) for c in self.checkpoints()},
            {(c.ref, c.entry): self.compaction(c) for c in self.compactions()},
        )

    def checkpoints(self) -> Sequence[Checkpoint]:
        return self._records.checkpoints.newest(self._scope, limit=ALL)

    def compactions(self) -> Sequence[Compaction]:
        return self._records.compactions.newest(self._scope, limit=ALL)

    def sessions(self) -> set[int]:
        """Where it was said."""
        return {message.session_ref for message in self._said if message.session_ref is not None}

    def summarized(self) -> Sequence[Session]:
        return self._records.endings.summarized(self._scope)

    def told_in_summary(self, session: Session) -> bool:
        """Does the summary of a session say it, as a whole or in one of its sentences?"""
        prose = undated_summary(session.summary or "")
        return any(map(self._echo.tells, (prose, *re.split(r"(?<=[.!?”]) ", prose))))

    def checkpoint(self, held: Checkpoint) -> CheckpointRest | None:
        """What is left of it; None where all of it may stay."""
        records, scope, echo = self._records, self._scope, self._echo
        state = records.checkpoints.state(scope, held)
        before = read_digest(state, self._made) if state else EMPTY
        digest = self._sieve.without(before)
        seen = activity_of(held)
        activity = activity_without(seen, echo)
        text = records.checkpoints.text(scope, held)
        told = statement_lines(text)
        left = statement_without(told, echo)
        noted = filter(None, (held.resume_instructions, held.safety_json))
        if (digest, activity, left) == (before, seen, told) and not any(map(echo.tells, noted)):
            return None
        return self._rewrite(held, activity, digest, left if text else [])

    def _rewrite(
        self, held: Checkpoint, activity: Activity, digest: Digest, told: Sequence[str]
    ) -> CheckpointRest:
        session = self._records.sessions.get(self._scope, held.session_ref)
        text = checkpoint_text(session, held, activity, digest, told)
        state = digest_text(digest) if held.state_hash is not None else ""
        return CheckpointRest(text, state, activity.text())

    def compaction(self, held: Compaction) -> CompactionRest | None:
        """What is left of it; None where all of it may stay.

        Its summary stands for all that was said before: where one of those messages is gone, it goes.
        """
        stood = any(
            message.session_ref == held.session_ref and message.seq <= held.last_seq
            for message in self._said
        )
        texts = "\n".join(self._texts(held))
        score = score_without(held.score_json, self._echo)
        waiting = waiting_without(held.restore_json, self._echo)
        if (score, waiting) != (held.score_json, held.restore_json):
            return CompactionRest(score, waiting)
        told = texts not in ("", WITHHELD)
        if told and (stood or any(map(self._echo.tells, texts.split("\n")))):
            return CompactionRest(score, waiting)
        return None

    def _texts(self, held: Compaction) -> Iterator[str]:
        for text in (
            self._records.compactions.summary(self._scope, held),
            self._records.compactions.given(self._scope, held),
            held.error or "",
        ):
            if text:
                yield text

    def _existing_messages(self, keys: Sequence[bytes]) -> list[Message]:
        found = (message_of(self._records, self._scope, key) for key in keys)
        return [message for message in found if message is not None]


# The transaction -----------------------------------------------------------------------------------


def clear_sessions(
    house: House, records: Records, agent: AgentRow, gone: ForgottenTexts, looked: SessionFindings
) -> list[Section]:
    """Take it out; the sections of files that are to be written anew.

    What came meanwhile is looked at now.
    """
    scope, now = Scope(agent.ref), house.clock.now()
    looking = SessionSearch(records, agent, gone)
    touched, sections = looking.sessions(), list[Section]()
    for one in looking.checkpoints():
        key = one.ref, one.entry
        left = looked.checkpoints[key] if key in looked.checkpoints else looking.checkpoint(one)
        if left is not None:
            records.checkpoints.withhold(scope, one, **left._asdict(), now=now)
            touched.add(one.session_ref)
            sections += [(one.id, day_of(one.created_ms))] if one.kind in ENDS else []
    for one in looking.compactions():
        key = one.ref, one.entry
        spared = looked.compactions[key] if key in looked.compactions else looking.compaction(one)
        if spared is not None:
            _spare(records, scope, one, spared, now)
            touched.add(one.session_ref)
    for one in looking.summarized():
        if one.ref in touched or looking.told_in_summary(one):
            from everthread.services.ending.conclude import resummarize  # noqa: PLC0415 - all that reads speech, seldom needed here

            resummarize(records, scope, one, now=now)
            touched.add(one.ref)
    # A block says of a session only which one it quotes, so all that do lose their text.
    quoted = [records.sessions.get(scope, ref).key_id for ref in sorted(touched)]
    records.injections.withhold(quoted, now=now)
    return sections


def _spare(
    records: Records, scope: Scope, held: Compaction, spared: CompactionRest, now: int
) -> None:
    """Its texts go, its figures stay; one whose summary nobody has read yet is not measured any more."""
    records.compactions.withhold(scope, held, score=spared.score, now=now)
    records.jobs.cancel(COMPACTION, once=f"{held.ref}")
    known = held.summary_hash is not None
    if known or spared.waiting != "[]":
        left = records.compactions.get(scope, held.ref)._replace(restore_json=spared.waiting)
        # It is known, and must not be taken from the transcript once more.
        summary = WITHHELD if known else None
        records.compactions.change(scope, left, summary=summary, now=now)
