"""The hash-chained log of everything that happened to an agent.

An entry holds a salted digest of the row it speaks of, never its text. The chain makes removed and
reordered entries visible; the digests make changed rows visible; a lawful purge drops the salt, after
which the digest says nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from .ids import id_text
from .times import moment_of

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.conversation.threads import Thread
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.conversation.views import Mark
    from everthread.domain.distilling.purging import Purge
    from everthread.domain.distilling.receipts import Receipt, Sentence, SummaryRow
    from everthread.domain.distilling.shrinking import Shrinking
    from everthread.domain.given.injections import Injection
    from everthread.domain.harness.checkpoints import Checkpoint, Compaction
    from everthread.domain.memory.memories import Memory
    from everthread.domain.memory.notes import Note

    from .agents import AgentRow, Tombstone

GENESIS = bytes(32)

Facts = tuple[str | int | float | None, ...]


class Entry(NamedTuple):
    """One link of the chain."""

    n: int
    at_ms: int
    event: str
    subject: bytes
    salt: bytes | None
    digest: bytes
    hash: bytes

    @property
    def at(self) -> datetime:
        return moment_of(self.at_ms)

    @property
    def subject_id(self) -> str:
        return id_text(self.subject)


class Fault(NamedTuple):
    """Something that `verify` found: where, and what is wrong with it."""

    n: int | None
    event: str
    subject: str
    problem: str


def digest_of(salt: bytes, facts: Facts) -> bytes:
    """What an entry says about a row without saying the row."""
    # Lengths before texts: no two different rows can read the same.
    return sha256(salt + ",".join(map(_part, facts)).encode()).digest()


def _part(fact: str | float | None) -> str:
    return f"{len(fact)}:{fact}" if isinstance(fact, str) else repr(fact)


def message_digest(salt: bytes, thread: bytes, row: tuple[Any, ...]) -> bytes:
    """What `digest_of` says of `message_facts`, in one stroke: no row is sealed more often.

    The row is a message but for its entry.
    """
    (
        _,
        _,
        _,
        _,
        seq,
        role,
        kind,
        origin,
        source,
        i,
        name,
        who,
        archived,
        form,
        content,
        _,
        at,
        now,
    ) = row
    told = "None,None,None"
    if i is not None or name is not None or who is not None:
        told = ",".join(map(_part, (i, name, who)))
    head = (
        f"{2 * len(thread)}:{thread.hex()},{seq},{len(role)}:{role},{len(kind)}:{kind},"
        f"{len(origin)}:{origin},{len(source)}:{source},{told},{archived},{form},{len(content)}:"
    )
    # The text by itself: Python has kept its bytes from when it was counted.
    said = content.encode()
    return sha256(b"%b%b%b,%d,%d" % (salt, head.encode(), said, at, now)).digest()


def link(previous: bytes, n: int, at: int, event: str, subject: bytes, digest: bytes) -> bytes:
    """The hash that ties an entry to all before it."""
    head = f"{n}|{at}|{event}|".encode()
    return sha256(previous + head + subject + digest).digest()


def agent_facts(agent: AgentRow) -> Facts:
    return (
        agent.name,
        agent.model,
        agent.window,
        agent.inactivity_hours,
        agent.time_zone,
        _hex(agent.system_hash),
        _hex(agent.tools_hash),
        agent.created_ms,
    )


def thread_facts(thread: Thread) -> Facts:
    return (thread.kind, thread.key, thread.lineage, thread.created_ms, thread.erased_ms)


def session_facts(session: Session) -> Facts:
    return (
        session.key,
        session.state,
        session.channel,
        session.harness,
        session.project,
        session.task,
        session.gate,
        session.principal,
        session.started_ms,
        session.ended_ms,
        session.summary,
    )


def turn_facts(turn: TurnRow) -> Facts:
    return (
        turn.number,
        turn.state,
        turn.model,
        turn.window,
        turn.view_version,
        turn.first_seq,
        # An open turn grows; only where it ended is sealed.
        None if turn.state == "open" else turn.last_seq,
        _hex(turn.system_hash),
        _hex(turn.tools_hash),
        _hex(turn.block_hash),
        turn.computed_tokens,
        turn.context_tokens,
        turn.reported,
        turn.error,
        turn.opened_ms,
        turn.closed_ms,
    )


def message_facts(thread: bytes, message: Message) -> Facts:
    return (
        thread.hex(),
        message.seq,
        message.role,
        message.kind,
        message.origin,
        message.source,
        message.external_id,
        message.name,
        message.principal,
        int(message.archived),
        int(message.form),
        message.content,
        message.at_ms,
        message.created_ms,
    )


def mark_facts(mark: Mark) -> Facts:
    facts = (mark.action, mark.from_seq, mark.to_seq, mark.since_version, mark.until_version)
    # Those without were sealed before there were any.
    return facts if mark.kept is None else (*facts, mark.kept)


def memory_facts(memory: Memory) -> Facts:
    return (
        memory.state,
        memory.kind,
        memory.text,
        memory.reach,
        memory.project,
        memory.principal,
        memory.origin,
        memory.confidence,
        memory.importance,
        int(memory.pinned),
        memory.tags_json,
        memory.sources_json,
        memory.evidence_json,
        memory.valid_from_ms,
        memory.valid_to_ms,
        _hex(memory.successor),
        memory.said,
        memory.created_ms,
        memory.updated_ms,
    )


def note_facts(note: Note) -> Facts:
    return (note.category, note.text, note.origin, note.created_ms, note.deleted_ms)


def injection_facts(injection: Injection) -> Facts:
    return (
        injection.purpose,
        injection.reason,
        injection.epoch,
        _hex(injection.body_hash),
        injection.size,
        injection.tokens,
        injection.at_ms,
    )


def receipt_facts(receipt: Receipt) -> Facts:
    flushed = receipt.flush_succeeded
    return (
        receipt.number,
        receipt.outcome,
        receipt.mode,
        receipt.distiller,
        receipt.messages_before,
        receipt.messages_after,
        receipt.tokens_before,
        receipt.tokens_after,
        receipt.facts_extracted,
        receipt.decisions_extracted,
        receipt.open_items_extracted,
        None if flushed is None else int(flushed),
        receipt.struck,
        receipt.fired_json,
        receipt.detail_json,
        receipt.score_json,
        receipt.errors_json,
        receipt.opened_ms,
        receipt.closed_ms,
        receipt.undone_ms,
        receipt.undone_seq,
    )


def summary_facts(summary: SummaryRow, sentences: Iterable[Sentence]) -> Facts:
    """A summary, with every sentence and its sources as they are stored."""
    told = sha256()
    for sentence in sentences:
        told.update(",".join(map(_part, sentence)).encode())
    return (
        told.hexdigest(),
        summary.since_version,
        summary.until_version,
        _hex(summary.text_hash),
        _hex(summary.digest_hash),
        summary.tokens,
        summary.created_ms,
    )


def checkpoint_facts(checkpoint: Checkpoint) -> Facts:
    """What points at other checkpoints is left out: those may go, and this one stays as it was."""
    # What was sealed before tasks existed says nothing of them.
    of_task = () if checkpoint.alias is None else (checkpoint.alias, _hex(checkpoint.document_hash))
    return (
        checkpoint.kind,
        checkpoint.created_ms,
        checkpoint.prompt_count,
        checkpoint.total_prompts,
        checkpoint.through_seq,
        checkpoint.task,
        checkpoint.gate,
        checkpoint.step,
        int(checkpoint.can_resume),
        checkpoint.resume_instructions,
        checkpoint.activity_json,
        checkpoint.safety_json,
        _hex(checkpoint.text_hash),
        _hex(checkpoint.state_hash),
        checkpoint.schema_version,
        *of_task,
    )


def compaction_facts(compaction: Compaction) -> Facts:
    return (
        compaction.trigger,
        compaction.state,
        compaction.first_seq,
        compaction.last_seq,
        compaction.tokens_before,
        compaction.tokens_after,
        _hex(compaction.summary_hash),
        _hex(compaction.given_hash),
        compaction.score_json,
        compaction.restore_json,
        compaction.error,
        compaction.created_ms,
        compaction.scored_ms,
    )


def shrunk_facts(shrunk: Shrinking) -> Facts:
    """What a body was and what was left of it, by their hashes; the texts are in neither."""
    return (
        shrunk.hash.hex(),
        shrunk.size,
        shrunk.kept_hash.hex(),
        shrunk.kept_size,
        shrunk.at_ms,
    )


def purge_facts(purge: Purge) -> Facts:
    """Which messages went, and under which hash; no word of them is in it."""
    return (
        purge.from_seq,
        purge.to_seq,
        purge.messages,
        purge.tokens,
        purge.hash.hex(),
        purge.at_ms,
    )


def tombstone_facts(stone: Tombstone) -> Facts:
    return (stone.subject.hex(), stone.what, stone.reason, stone.messages, stone.erased_ms)


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()
