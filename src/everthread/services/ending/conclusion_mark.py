"""Concluded: how far the end of a session was seen to. Light to load: every program looks at it."""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import CONCLUDED, Cursor
from everthread.ports import Records


class Mark(NamedTuple):
    """How far the end of a session was seen to."""

    seq: int = 0
    failures: int = 0
    """How often a model failed to sum it up since."""
    cause: str = ""
    """Why it failed the last time; it stays where the plain summary took over."""


def mark_of(records: Records, scope: Scope, session: Session) -> Mark:
    row = records.cursors.get(scope, session.ref, CONCLUDED)
    if row is None:
        return Mark()
    failures, _, cause = row.pending_json.partition(" ")
    return Mark(int(row.position), int(failures or 0), cause)


def keep(records: Records, scope: Scope, session: Session, mark: Mark, *, now: int) -> None:
    failed = f"{mark.failures} {mark.cause}".strip() if mark.failures or mark.cause else ""
    records.cursors.put(scope, Cursor(session.ref, CONCLUDED, str(mark.seq), failed, now))
