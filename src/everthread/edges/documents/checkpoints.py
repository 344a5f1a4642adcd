"""Checkpoints and compactions for programs. Texts were redacted before they were written, and are again.

Whoever shows these documents need not search them: by its name, `session_key` would pass for a secret.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Checkpoint, Compaction
    from everthread.domain.harness.compaction_loss import Outcome


COUNTED = ("memory_queries", "recent_remembers", "snippets", "top_memories")


def checkpoint_document(checkpoint: Checkpoint, session: Session, digest: str) -> dict[str, Any]:
    """One checkpoint with its text (B-10, X-10)."""
    # Nothing is left of it where it was withheld.
    told: dict[str, Any] = dict.fromkeys(COUNTED, ()) | json.loads(checkpoint.activity_json)
    return {
        "id": checkpoint.id,
        "session_id": session.id,
        "session_key": session.key,
        "harness": session.harness,
        "project": None if session.project is None else strip_secrets(session.project),
        "project_normalized": session.project_normalized,
        "kind": checkpoint.kind,
        "created_at": text_of(checkpoint.created_ms),
        "prompt_count": checkpoint.prompt_count,
        "total_prompts": checkpoint.total_prompts,
        "task": checkpoint.task,
        "gate": checkpoint.gate,
        "step": checkpoint.step,
        "can_resume": bool(checkpoint.can_resume),
        "digest": digest,
        **{name: [strip_secrets(str(text)) for text in part] for name, part in told.items()},
        "schema_version": checkpoint.schema_version,
    }


def compaction_document(
    compaction: Compaction, session: Session, outcome: Outcome | None
) -> dict[str, Any]:
    """One compaction of a harness: who kept what, as shares; None where that is not measured."""
    return {
        "id": compaction.id,
        "session_id": session.id,
        "session_key": session.key,
        "harness": session.harness,
        "trigger": compaction.trigger,
        "state": compaction.state,
        "created_at": text_of(compaction.created_ms),
        "items": None if outcome is None else outcome.items,
        "harness_kept": None if outcome is None else round(outcome.harness, 4),
        "given_back": None if outcome is None else round(outcome.given, 4),
        "recoverable": None if outcome is None else round(outcome.recoverable, 4),
        "lost": None if outcome is None else round(outcome.lost, 4),
        "waiting": len(json.loads(compaction.restore_json)),
        "error": None if compaction.error is None else strip_secrets(compaction.error),
    }
