"""Stretches of a session's context: each compaction begins another, and each clear that keeps its id.

What was said or given before a stretch is in the harness's context no more. How a stretch began is
kept with the session, so that a start which nobody could answer is not taken for one of another kind.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Compaction, Cursor
from everthread.domain.harness.happenings import Start
from everthread.ports import Records

PLACE = "stretch"
"""The place under which it is known how a session's context began; no transcript has that name."""

ALL = 10_000
HAPPENED = ("given", "scored")


class CompactionHistory(NamedTuple):
    """What a session's context went through."""

    happened: Sequence[Compaction]
    """The compactions that happened, newest first."""
    announced: Compaction | None
    """One that was to happen, and did not so far."""

    @property
    def last(self) -> Compaction | None:
        return self.happened[0] if self.happened else None


def compaction_history(records: Records, scope: Scope, session: Session) -> CompactionHistory:
    """The newest compaction that happened and those before it, and the announced one that is open."""
    known = records.compactions.of_session(scope, session.ref, limit=ALL)
    # In the order of writing: a clock may have stepped back.
    known = sorted(known, key=lambda one: one.ref, reverse=True)
    announced = next((one for one in known if one.state == "open"), None)
    return CompactionHistory([one for one in known if one.state in HAPPENED], announced)


class ContextStart(NamedTuple):
    """How the context of a session began, as it is kept."""

    kind: Start | None = None
    epoch: int = 0
    """The stretch that began like this."""
    clears: int = 0
    after: int = 0
    """The last message before the last clear."""
    parent: int = 0
    """The session that a fork was made of."""
    parent_seq: int = 0
    """That one's last message at the time."""
    at: int = 0
    """When a start was last told."""


def context_start(records: Records, scope: Scope, session: Session) -> ContextStart:
    row = records.cursors.get(scope, session.ref, PLACE)
    if row is None:
        return ContextStart()
    told = cast("dict[str, Any]", json.loads(row.position))
    return ContextStart(**told, at=row.updated_ms)


def keep_start(records: Records, scope: Scope, session: Session, told: ContextStart) -> None:
    """Put down how it began."""
    facts = told._asdict()
    at = facts.pop("at")
    records.cursors.put(scope, Cursor(session.ref, PLACE, json.dumps(facts), "", at))


class Stretch(NamedTuple):
    """The stretch of its context that a session is in."""

    epoch: int
    first: int
    """Its first message."""
    kind: Start | None
    """How it began; None where nobody told."""
    compacted: bool = False
    """Was anything compacted in the session?"""


def stretch_of(records: Records, scope: Scope, session: Session) -> Stretch:
    known, row = compaction_history(records, scope, session), context_start(records, scope, session)
    epoch = len(known.happened) + row.clears
    first = 1 + max(row.after, 0 if known.last is None else known.last.last_seq)
    compacted = bool(known.happened)
    if row.epoch == epoch:
        return Stretch(epoch, first, row.kind, compacted)
    # A compaction came after what was told last.
    return Stretch(epoch, first, "compact", compacted)
