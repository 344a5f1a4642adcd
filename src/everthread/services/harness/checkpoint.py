"""Checkpoint: fold what was said in a session since the last one, and put down where it stands.

The digest of a session is a fold over its messages, carried from checkpoint to checkpoint, as that of
a thread is from distillation to distillation. What was counted is read from the store each time: a
process that dies takes nothing of it along.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import CheckpointUnknown, LeaseLost, SessionUnknown
from everthread.domain.gleaning.digest import Digest, digest_text
from everthread.domain.harness.activity import Activity, activity, checkpoint_due
from everthread.domain.harness.checkpoint_text import NO_STATEMENT, Statement, render_checkpoint
from everthread.domain.harness.checkpoints import ENDS, SCHEMA, Checkpoint, CheckpointKind
from everthread.domain.lookup import Lookup
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.domain.times import SECOND
from everthread.ports import House, Records
from everthread.services.archive.sources import forgotten_keys
from everthread.services.job_names import CHECKPOINT, EXTRACT

from .fold import FoldedSession, fold, never, newest_checkpoint, nothing

SOUGHT = Lookup("checkpoint", "checkpoints", "everthread checkpoints list", CheckpointUnknown)
TRIES = 5
TOP = 5
MOST_NEW = 200
LONGEST_TOP = 120
DEBOUNCE = 2.5 * SECOND

ASKED = ("periodic", "end")
"""For what checkpoints are asked for: of each, one waits at most."""


def ask_checkpoint(
    records: Records, scope: Scope, session: Session, kind: CheckpointKind, *, due_at: int, now: int
) -> None:
    """Have a checkpoint written; asked for twice before that is once, and the later kind does not matter."""
    told = {"agent": scope.agent, "session": session.ref, "kind": kind}
    once = f"{session.ref}:{ASKED[kind != 'periodic']}"
    if kind != "periodic":
        records.jobs.cancel(CHECKPOINT, once=f"{session.ref}:periodic")
    records.jobs.add(
        CHECKPOINT, json.dumps(told), due_at=due_at, now=now, agent=scope.agent, once=once
    )


def ask_if_due(house: House, records: Records, scope: Scope, session: Session) -> bool:
    """Ask for one, in this very transaction, if enough was said, or enough time has passed, since the
    last."""
    policy, now = house.policy, house.clock.now()
    if policy.checkpoints == "off":
        return False
    before = newest_checkpoint(records, scope, session)
    prompts = prompts_since(records, scope, session, before)
    since = session.started_ms if before is None else before.created_ms
    every, minutes = policy.checkpoint_prompts, policy.checkpoint_minutes
    if not checkpoint_due(prompts, since, now=now, every=every, minutes=minutes):
        return False
    at = now + int(DEBOUNCE)
    ask_checkpoint(records, scope, session, "periodic", due_at=at, now=now)
    return True


def prompts_since(
    records: Records, scope: Scope, session: Session, before: Checkpoint | None
) -> int:
    """How often people spoke in the session after that checkpoint."""
    after = 0 if before is None else before.through_seq
    return records.messages.prompts_after(scope, session, after=after)


def write_checkpoint(
    house: House,
    agent: AgentRow,
    session: Session,
    kind: CheckpointKind,
    told: Statement = NO_STATEMENT,
    *,
    pause: Callable[[], None] = nothing,
    late: Callable[[], bool] = never,
) -> tuple[Checkpoint | None, Digest]:
    """Write a checkpoint, and what it carries; none where there is nothing new to say.

    After one that may be the last, what is durable in it is extracted (`services.extract`).
    """
    for left in reversed(range(TRIES)):
        try:
            return _write_once(house, agent, session, kind, told, Pace(pause, late))
        except LeaseLost:
            if not left:
                raise
    raise AssertionError("the loop returns or raises")


class Pace(NamedTuple):
    """Who gives way to others, and when it is late."""

    pause: Callable[[], None]
    late: Callable[[], bool]


def _write_once(
    house: House,
    agent: AgentRow,
    session: Session,
    kind: CheckpointKind,
    told: Statement,
    pace: Pace,
) -> tuple[Checkpoint | None, Digest]:
    scope = Scope(agent.ref)
    before = house.store.read(lambda r: newest_checkpoint(r, scope, session))
    folded = fold(house, scope, session, before, pause=pace.pause, late=pace.late)
    if not folded.messages and not told.says and (before is not None or kind != "explicit"):
        return before if before is not None and kind == "pre_compaction" else None, folded.digest
    now = house.clock.now()
    # Should the clock have stepped back, it is the newest all the same.
    at = max(now, 0 if before is None else before.created_ms)

    def work(records: Records) -> Checkpoint:
        records.memories.hold(scope)  # what is forgotten from now on finds it
        if _forgotten_since(records, scope, before, folded):
            raise LeaseLost("something that it had read was forgotten meanwhile; try again")
        if _is_overtaken(records, scope, session, before, folded):
            raise LeaseLost("another that goes further was written meanwhile; try again")
        counted = _activity_since(records, scope, session, before, folded)
        text = render_checkpoint(
            session.project, counted, now - session.started_ms, folded.digest, told
        )
        made = records.checkpoints.add(
            scope,
            _new_checkpoint(house, session, kind, before, folded, counted, at),
            text,
            digest_text(folded.digest),
        )
        records.checkpoints.trim(scope, session.ref, keep=house.policy.checkpoints_kept, now=now)
        records.jobs.cancel(CHECKPOINT, once=f"{session.ref}:periodic")
        ask_extract(records, scope, made, now=now)
        return made

    return house.store.write(work), folded.digest


def _forgotten_since(
    records: Records, scope: Scope, before: Checkpoint | None, folded: FoldedSession
) -> bool:
    """Was anything forgotten while it was folded? Then the one before was made anew, too."""
    if forgotten_keys(records, scope) != folded.gone:
        return True
    if before is None:
        return False
    try:
        return records.checkpoints.get(scope, before.ref).entry != before.entry
    except CheckpointUnknown:
        return False  # it was too old, and was removed


def _is_overtaken(
    records: Records,
    scope: Scope,
    session: Session,
    before: Checkpoint | None,
    folded: FoldedSession,
) -> bool:
    """Was another written while this one was folded, that holds all of it? One that was late is cut."""
    newest = newest_checkpoint(records, scope, session)
    if newest is None or (before is not None and newest.ref == before.ref):
        return False
    return newest.through_seq >= folded.through


def _activity_since(
    records: Records,
    scope: Scope,
    session: Session,
    before: Checkpoint | None,
    folded: FoldedSession,
) -> Activity:
    since = session.started_ms if before is None else before.created_ms
    lately = records.memories.all(scope, state="kept", limit=MOST_NEW)
    remembered = [m.text for m in lately if m.created_ms >= since and m.origin == "user"]
    uses = [u for u in records.uses.of(scope, session.ref) if u.kind != "message"]
    uses.sort(key=lambda use: (use.hits + use.injected, use.best_score), reverse=True)
    top = [records.memories.find(scope, use.ref) for use in uses[:TOP]]
    shown = [one_line(strip_secrets(m.text), LONGEST_TOP) for m in top if m is not None and m.text]
    total = 0 if before is None else before.total_prompts
    return activity(folded.prompts, before=total, remembered=reversed(remembered), top=shown)


def _new_checkpoint(
    house: House,
    session: Session,
    kind: CheckpointKind,
    before: Checkpoint | None,
    folded: FoldedSession,
    counted: Activity,
    now: int,
) -> Checkpoint:
    return Checkpoint(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=house.ids.new(),
        session_ref=session.ref,
        kind=kind,
        created_ms=now,
        prompt_count=counted.prompts,
        total_prompts=counted.total,
        through_seq=folded.through,
        task=session.task,
        gate=session.gate,
        step=None,
        can_resume=True,
        resume_instructions=None,
        activity_json=counted.text(),
        safety_json=None,
        parent_ref=None if before is None else before.ref,
        text_hash=None,
        state_hash=None,
        schema_version=SCHEMA,
        task_ref=None,
        alias=None,
        document_hash=None,
        entry=0,
    )


def ask_extract(records: Records, scope: Scope, checkpoint: Checkpoint, *, now: int) -> None:
    """Have what the checkpoint holds extracted, in the transaction that writes it."""
    if checkpoint.kind in ENDS:
        told = json.dumps({"agent": scope.agent, "checkpoint": checkpoint.ref})
        once = f"{checkpoint.ref}"
        records.jobs.add(EXTRACT, told, due_at=now, now=now, agent=scope.agent, once=once)


def ask_extract_of(records: Records, scope: Scope, session: Session, *, now: int) -> None:
    """Have what the session holds by now extracted, where no checkpoint is to be left of it."""
    until = session.last_seq
    told = json.dumps({"agent": scope.agent, "session": session.ref, "until": until})
    once = f"session:{session.ref}:{until}"
    records.jobs.add(EXTRACT, told, due_at=now, now=now, agent=scope.agent, once=once)


def run_checkpoint_job(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job: write what was asked for, if its session is still there."""
    told = json.loads(payload)
    scope = Scope(told["agent"])

    def work(records: Records) -> tuple[AgentRow, Session]:
        return records.agents.get(scope), records.sessions.get(scope, told["session"])

    try:
        agent, session = house.store.read(work)
    except SessionUnknown:
        return  # it went with its thread
    write_checkpoint(house, agent, session, told["kind"], pause=pause)


def find_checkpoint(records: Records, scope: Scope, name: object) -> Checkpoint:
    """A checkpoint by its id or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.checkpoints.ending(scope, digits))
