"""Checkpoints: what a session was about at a moment, so that the next one can go on from it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from everthread.domain.ids import id_text
from everthread.domain.times import moment_of

CheckpointKind = Literal[
    "periodic",
    "pre_compaction",
    "agent",
    "explicit",
    "session_end",
    "gate_transition",
    "decision",
    "file_change",
    "error_recovery",
    "interrupted",
    "emergency",
    "context_refresh",
    "distillation",
]
"""Why it was written. `explicit`: a person asked for it; `agent`: the agent did."""

ENDS: tuple[CheckpointKind, ...] = ("pre_compaction", "session_end", "interrupted")
"""Checkpoints after which there may be no other: what they hold is extracted."""

SCHEMA = 1

NO_ACTIVITY = "{}"
"""The activity of a checkpoint whose texts were withheld."""


class Checkpoint(NamedTuple):
    """One checkpoint as it is stored. Text and state are bodies of their own."""

    ref: int
    agent_ref: int
    key_id: bytes
    session_ref: int
    kind: CheckpointKind
    created_ms: int
    prompt_count: int
    """Prompts since the checkpoint before."""
    total_prompts: int
    """Prompts of the whole session."""
    through_seq: int
    """Messages of its thread up to this one are in its state."""
    task: str | None
    gate: str | None
    step: str | None
    can_resume: bool | int
    resume_instructions: str | None
    activity_json: str
    """What was looked for, remembered, asked since the one before: queries, remembers, snippets."""
    safety_json: str | None
    parent_ref: int | None
    text_hash: bytes | None
    """The digest that people and agents read, redacted."""
    state_hash: bytes | None
    """The carried digest of the session (`distillation.digest_text`), for the next to build on."""
    schema_version: int
    task_ref: int | None
    """The task whose checkpoint it is; those of a task are kept as long as the task."""
    alias: str | None
    """`ckpt-2026-02-20-001`: its name within the task, and of its file."""
    document_hash: bytes | None
    """What its file holds, as a body."""
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


def carries_digest(checkpoint: Checkpoint) -> bool:
    """Is a digest of what was said its state? A task's checkpoint is the state of the task alone."""
    return checkpoint.task_ref is None


CONCLUDED = "ended"
"""The place of a cursor that tells up to where the end of a session was seen to; no transcript."""


class Cursor(NamedTuple):
    """How far a transcript was read; or, at a place of its own, what else is known of the session."""

    session_ref: int
    place: str
    """The file, or whatever the dialect reads."""
    position: str
    """Where to go on, in the dialect's own words. Where there is no transcript: which lines of one say
    what hooks brought."""
    pending_json: str
    """What stands open there. Where there is no transcript: the balance, {hash of a text: [how often the
    transcript owes it, or below 0 a hook, since when]}. At a transcript: whether it may repeat others."""
    updated_ms: int


WITHHELD = "(withheld: something that it told was forgotten)"
"""In the place of a summary, which is known and must not be told; nobody measures it."""


class Compaction(NamedTuple):
    """One compaction that a harness made by itself, and what became of what it dropped."""

    ref: int
    agent_ref: int
    key_id: bytes
    session_ref: int
    checkpoint_ref: int | None
    """The one that was written before it."""
    trigger: str
    state: Literal["open", "given", "scored", "failed"]
    """open: it is about to happen; given: we gave back; scored: its summary is known and measured."""
    first_seq: int
    last_seq: int
    """The messages of the session that its summary stands for."""
    tokens_before: int
    tokens_after: int
    summary_hash: bytes | None
    given_hash: bytes | None
    """What was given back, all of it, as a body."""
    score_json: str | None
    restore_json: str
    """Evidence that a person asked to be put into the next prompt; [] where there is none."""
    error: str | None
    created_ms: int
    scored_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


class Token(NamedTuple):
    """A key to the HTTP API: who may do what. The secret itself is kept nowhere."""

    ref: int
    key_id: bytes
    name: str
    hash: bytes
    """SHA-256 of the secret."""
    scopes_json: str
    """Some of read, write, admin."""
    agents_json: str
    """The names of the agents it speaks for; [] for all."""
    created_ms: int
    used_ms: int | None
    revoked_ms: int | None

    @property
    def id(self) -> str:
        return id_text(self.key_id)
