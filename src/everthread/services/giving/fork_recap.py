"""After a fork: what the first turn of the session that goes on is given, and what it is not.

It is given where the task stood, by the checkpoint of the fork; nothing is recalled or primed into it, and
nothing of recent conversations is told: all of that quotes what was said. From the second turn on recall
answers what is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.context import Part, part, when
from everthread.domain.ids import id_text
from everthread.domain.recall.hits import Hit
from everthread.ports import House, Records

RECAP = "recap"
"""The kind of an item that quotes a task's checkpoint."""


class ForkRecap(NamedTuple):
    """Where a task stood when its session was forked."""

    alias: str
    at_ms: int
    session: bytes
    """The id of the session whose checkpoint it is: by it a block is known that quotes it."""
    text: str


def recap_after_fork(
    house: House, records: Records, scope: Scope, session: Session
) -> ForkRecap | None:
    """Where it stood, if this is a session after a fork in which nothing was said yet."""
    if session.task is None or session.parent_ref is None or session.message_count:
        return None
    from everthread.domain.tasks.rituals import FORK, ResumePoint  # noqa: PLC0415 - only sessions of tasks have any

    sitting = records.sittings.of_session(scope, session.ref)
    if sitting is None or not any(step.get("name") == FORK for step in sitting.record):
        return None
    row = records.tasks.checkpoint(scope, sitting.task_ref, sitting.resumed_from or "")
    text = "" if row is None else records.tasks.document(scope, row)
    if row is None or not text:
        return ForkRecap("", 0, b"", "")
    of = records.sessions.get(scope, row.session_ref)
    told = ResumePoint(json.loads(text)).body(house.tokenizer.count)
    return ForkRecap(row.alias or "", row.created_ms, of.key_id, told)


def recap_parts(stood: ForkRecap | None, *, count: Callable[[str], int], most: int) -> list[Part]:
    """It as an item of a turn's block."""
    if stood is None:
        return []
    fields = [when(stood.at_ms), "where the task stood", f"checkpoint {stood.alias}"]
    made = part(stood.text, fields, count=count, most=most, ref=stood.session, kind=RECAP)
    return [] if made is None else [made]


def recap_hits(stood: ForkRecap | None) -> list[Hit]:
    """What is quoted of it, to be looked at once more before it is given."""
    if stood is None or not stood.text:
        return []
    return [Hit(id_text(stood.session), "", 1.0, RECAP, stood.at_ms, stood.alias)]


def recap_stands(records: Records, scope: Scope, hit: Hit) -> bool:
    """Has the checkpoint still its words?"""
    for session in records.sessions.ending(scope, hit.id.replace("-", "")):
        for row in records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT):
            if row.alias == hit.why:
                return row.document_hash is not None
    return False


LOOKED_AT = 10
"""The checkpoint of a fork is the last of its session, or nearly so."""
