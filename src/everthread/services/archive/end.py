"""End: a session is over, and what follows from that is asked for in the same transaction.

Whoever notices it says so here: the next message after the gap, the sweep, a harness, a person.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from everthread.domain.times import DAY, HOUR, SECOND
from everthread.services.job_names import ENDED

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.sessions import Session, State
    from everthread.ports import Records

LOOKED_BACK = 30 * DAY
"""What was said longer ago was imported, or nobody waits for it any more."""

SOON = 5 * SECOND
"""So long after something was added to a session that is over: more of it may follow, one by one."""

RESPITE, LONGEST_RESPITE = SECOND // 2, HOUR
"""So long for each message after its end was seen to: all of them are read again, and are summed up."""


def end(
    records: Records,
    scope: Scope,
    session: Session,
    *,
    now: int,
    ended: int | None = None,
    state: State = "complete",
) -> Session:
    """The session, over since `ended`; what it held is drawn from it, and it is summed up, by a job."""
    over = records.sessions.move(scope, session, state, now=now, ended=ended)
    ask_conclusion(records, scope, over, now=now)
    return over


def ask_conclusion(
    records: Records, scope: Scope, session: Session, *, now: int, due_at: int | None = None
) -> None:
    """Have the end of a session seen to; asked for twice before that is once."""
    if not has_conclusion(records, scope, session):
        return
    told = json.dumps({"agent": scope.agent, "session": session.ref})
    due, once = now if due_at is None else due_at, f"{session.ref}"
    records.jobs.add(ENDED, told, due_at=due, now=now, agent=scope.agent, once=once)


def ask_if_over(records: Records, scope: Scope, session: Session, *, now: int) -> None:
    """Have what was added to a session that is over seen to, as the end of any other is."""
    if session.state in ("init", "active") or now - session.last_activity_ms > LOOKED_BACK:
        return
    present = records.sessions.get(scope, session.ref)  # with what was added
    ask_conclusion(
        records, scope, present, now=now, due_at=_due_again(records, scope, present, now)
    )


def _due_again(records: Records, scope: Scope, session: Session, now: int) -> int:
    """When to see to what was added: the later, the more was said, if that was done lately."""
    from everthread.domain.harness.checkpoints import CONCLUDED  # noqa: PLC0415 - seldom needed

    seen_to = records.cursors.get(scope, session.ref, CONCLUDED)
    if seen_to is None:
        return now + SOON
    rest = min(session.message_count * RESPITE, LONGEST_RESPITE)
    # No longer than that from now on either: a clock may have been wrong.
    return max(now + SOON, min(seen_to.updated_ms, now) + rest)


def has_conclusion(records: Records, scope: Scope, session: Session) -> bool:
    """Does anything follow from its end?

    What subagents and background work say is no conversation: nothing follows from their ends. The
    parent of a task's session is the one before it.
    """
    subagents = session.parent_ref is not None and session.task is None
    if not session.message_count or subagents:
        return False
    return records.threads.get(scope, session.thread_ref).kind == "primary"
