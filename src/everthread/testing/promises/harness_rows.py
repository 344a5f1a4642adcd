"""What the sessions of harnesses leave, to try a store with."""

from __future__ import annotations

from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Checkpoint, Compaction
from everthread.ports import Store

from .rows import NOON, new_id


def a_checkpoint(session: Session, **changes: Any) -> Checkpoint:
    """A checkpoint that no store has seen yet."""
    checkpoint = Checkpoint(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=new_id(),
        session_ref=session.ref,
        kind="periodic",
        created_ms=NOON,
        prompt_count=3,
        total_prompts=12,
        through_seq=40,
        task=None,
        gate=None,
        step=None,
        can_resume=1,
        resume_instructions=None,
        activity_json='{"queries": []}',
        safety_json=None,
        parent_ref=None,
        text_hash=None,
        state_hash=None,
        schema_version=1,
        task_ref=None,
        alias=None,
        document_hash=None,
        entry=0,
    )
    return checkpoint._replace(**changes)


def checkpoint_in(
    store: Store,
    scope: Scope,
    session: Session,
    text: str = "what was done",
    state: str = "",
    **changes: Any,
) -> Checkpoint:
    made = a_checkpoint(session, **changes)
    return store.write(lambda r: r.checkpoints.add(scope, made, text, state))


def a_compaction(session: Session, **changes: Any) -> Compaction:
    """A compaction that no store has seen yet and that is about to happen."""
    compaction = Compaction(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=new_id(),
        session_ref=session.ref,
        checkpoint_ref=None,
        trigger="auto",
        state="open",
        first_seq=1,
        last_seq=40,
        tokens_before=150_000,
        tokens_after=0,
        summary_hash=None,
        given_hash=None,
        score_json=None,
        restore_json="[]",
        error=None,
        created_ms=NOON,
        scored_ms=None,
        entry=0,
    )
    return compaction._replace(**changes)


def compaction_in(store: Store, scope: Scope, session: Session, **changes: Any) -> Compaction:
    return store.write(lambda r: r.compactions.add(scope, a_compaction(session, **changes)))
