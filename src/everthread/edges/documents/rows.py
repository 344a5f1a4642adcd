"""The engine's values as JSON documents: full ids, ISO-8601 UTC times, plain names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everthread.domain.conversation.messages import Form
from everthread.domain.ids import id_text
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import ms_of, text_of

if TYPE_CHECKING:
    from datetime import datetime

    from everthread.domain.agents import AgentRow, Channel, Tombstone
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.conversation.threads import Thread
    from everthread.domain.conversation.tokens import Calibration
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.jobs import Job
    from everthread.domain.memory.memories import Memory
    from everthread.domain.memory.notes import Note
    from everthread.domain.timeline import Entry
    from everthread.services.distilling.missing import MissingItem
    from everthread.services.upkeep.report import (
        AgentReport,
        DistillationReport,
        SessionReport,
        StoreReport,
    )
    from everthread.services.upkeep.verify import Verdict

Document = dict[str, Any]


def _time(ms: int | None) -> str | None:
    return None if ms is None else text_of(ms)


def thread_document(thread: Thread, window: int, calibration: Calibration) -> Document:
    """`context_tokens` is what turns and distillations go by: calibrated by what the provider reports."""
    size = calibration.apply(thread.computed_context_tokens)
    return {
        "id": thread.id,
        "key": thread.key,
        "kind": thread.kind,
        "lineage": thread.lineage,
        "message_count": thread.message_count,
        "turn_count": thread.turn_count,
        "context_tokens": size,
        "computed_context_tokens": thread.computed_context_tokens,
        "last_input_tokens": thread.last_input_tokens,
        "window": window,
        "window_percent": round(100 * size / window, 2),
        "created_at": text_of(thread.created_ms),
        "last_activity": text_of(thread.last_activity_ms),
    }


LAST_SESSIONS = 20
"""Of an agent's sessions so many of the newest are looked at for when something was last said."""


def agent_line(agent: AgentRow, threads: Sequence[Thread], sessions: Sequence[Session]) -> Document:
    """An agent in a list: how much it holds, and when something was last said.

    Its newest sessions tell that; a thread was last active when an import wrote to it.
    """
    said = [each.last_activity_ms for each in sessions if each.message_count]
    said = said or [each.last_activity_ms for each in threads if each.message_count]
    last = max(said, default=None)
    return {
        "agent": agent.name,
        "agent_id": agent.id,
        "model": agent.model,
        "window": agent.window,
        "message_count": sum(each.message_count for each in threads),
        "last_activity": _time(last),
        "created_at": text_of(agent.created_ms),
    }


def session_document(agent: AgentRow, report: SessionReport) -> Document:
    """A session in the field names that the requirements give it, and ours after them."""
    session = report.session
    return {
        "session_id": session.alias,
        "agent_id": agent.id,
        "task_slug": session.task,
        "state": session.state,
        "started_at": text_of(session.started_ms),
        "last_activity": text_of(session.last_activity_ms),
        "current_gate": session.gate,
        "checkpoint_count": session.checkpoint_count,
        "parent_session": None if report.parent is None else report.parent.alias,
        "child_sessions": [child.alias for child in report.children],
        **_own_fields(agent, report),
    }


def _own_fields(agent: AgentRow, report: SessionReport) -> Document:
    session = report.session
    return {
        "id": session.id,
        "key": session.key,
        "agent": agent.name,
        "thread": report.thread.key,
        "previous_session": None if report.previous is None else report.previous.alias,
        "channel": session.channel,
        "harness": session.harness,
        "project": session.project,
        "principal": session.principal,
        "last_human_at": _time(session.last_human_ms),
        "ended_at": _time(session.ended_ms),
        "message_count": session.message_count,
        "context_tokens": session.context_tokens,
        "summary": session.summary,
        "summary_at": _time(session.summary_ms),
    }


def message_document(message: Message) -> Document:
    return {
        "id": message.id,
        "seq": message.seq,
        "at": text_of(message.at_ms),
        "created_at": text_of(message.created_ms),
        "role": message.role,
        "kind": message.kind,
        "origin": message.origin,
        "source": message.source,
        "external_id": message.external_id,
        "name": message.name,
        "principal": message.principal,
        "archived": bool(message.archived),
        "tokens": message.tokens,
        "content": message.content if message.form == Form.TEXT else message.blocks,
    }


def turn_document(turn: TurnRow | None) -> Document | None:
    if turn is None:
        return None
    return {
        "id": turn.id,
        "number": turn.number,
        "state": turn.state,
        "model": turn.model,
        "context_tokens": turn.context_tokens,
        "reported": None if turn.reported is None else json.loads(turn.reported),
        "error": turn.error,
        "opened_at": text_of(turn.opened_ms),
        "closed_at": _time(turn.closed_ms),
    }


def entry_document(entry: Entry) -> Document:
    return {
        "n": entry.n,
        "at": text_of(entry.at_ms),
        "event": entry.event,
        "subject": entry.subject_id,
        "hash": entry.hash.hex(),
    }


def job_document(job: Job, agents: Mapping[int, str]) -> Document:
    return {
        "kind": job.kind,
        "agent": None if job.agent_ref is None else agents.get(job.agent_ref),
        "state": job.state,
        "attempts": job.attempts,
        "due_at": text_of(job.due_at),
        "error": job.error,
    }


def tombstone_document(stone: Tombstone) -> Document:
    return {
        "id": id_text(stone.key_id),
        "subject": id_text(stone.subject),
        "what": stone.what,
        "reason": stone.reason,
        "messages": stone.messages,
        "erased_at": text_of(stone.erased_ms),
    }


def memory_document(memory: Memory) -> Document:
    """A memory for programs; what leaves is redacted."""
    return {
        "id": memory.id,
        "state": memory.state,
        "kind": memory.kind,
        "text": strip_secrets(memory.text),
        "scope": memory.reach,
        "project": memory.project,
        "principal": memory.principal,
        "origin": memory.origin,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "pinned": bool(memory.pinned),
        "tags": list(memory.tags),
        "sources": [id_text(source) for source in memory.sources],
        "files": dict(memory.files),
        "commits": list(memory.commits),
        "valid_from": _time(memory.valid_from_ms),
        "valid_to": _time(memory.valid_to_ms),
        "superseded_by": memory.superseded_by,
        "said": memory.said,
        "created_at": text_of(memory.created_ms),
        "updated_at": text_of(memory.updated_ms),
    }


def said_document(memory: Memory, said_at: datetime) -> Document:
    """The same, with when it was last said: `updated_at` is when it was last kept."""
    return {**memory_document(memory), "said_at": text_of(ms_of(said_at))}


def note_document(note: Note) -> Document:
    return {
        "id": note.id,
        "category": note.category,
        "text": strip_secrets(note.text),
        "origin": note.origin,
        "created_at": text_of(note.created_ms),
    }


def verdict_document(verdict: Verdict) -> Document:
    return {
        "agent": verdict.agent,
        "sound": verdict.sound,
        "entries": verdict.entries,
        "rows": verdict.rows,
        "faults": [fault._asdict() for fault in verdict.faults],
    }


def _channel(channel: Channel, threads: Mapping[int, str]) -> Document:
    name = f"{channel.transport}:{channel.key}" if channel.key else channel.transport
    return {"channel": name, "thread": threads.get(channel.thread_ref)}


def _calibration(calibration: Calibration) -> Document:
    return {
        "in_use": calibration.samples > 0,
        "samples": calibration.samples,
        "factor": round(calibration.factor, 4),
        "overhead": round(calibration.overhead, 1),
    }


def agent_document(report: AgentReport) -> Document:
    agent, live = report.agent, report.session
    keys = {thread.ref: thread.key for thread in report.threads}
    return {
        "agent": agent.name,
        "agent_id": agent.id,
        "model": agent.model,
        "window": agent.window,
        "created_at": text_of(agent.created_ms),
        "session": None if live is None else _session_line(live),
        "session_count": report.sessions,
        "open_turn": turn_document(report.open_turn),
        "last_turn": turn_document(report.last_turn),
        "timeline_entries": report.entries,
        "calibration": _calibration(report.calibration),
        "distilled": _distilled_document(report.distilled),
        "threads": [
            thread_document(thread, agent.window, report.calibration) for thread in report.threads
        ],
        "channels": [_channel(channel, keys) for channel in report.channels],
    }


def _distilled_document(distilled: DistillationReport) -> Document:
    last, newest = distilled.last, distilled.newest
    score = None if last is None or last.score is None else last.score
    return {
        "number": None if last is None else last.number,
        "receipt": None if last is None else last.id,
        "at": None if last is None else _time(last.closed_ms),
        "kept": None if score is None else round(score.kept, 4),
        "recoverable": None if score is None else round(score.recoverable, 4),
        "lost": None if score is None else round(score.lost, 4),
        "alarm": distilled.alarm,
        "newest_outcome": None if newest is None else newest.outcome,
        "missing": [_missing_document(each) for each in distilled.missing],
        "open_flushes": distilled.waiting,
    }


def _missing_document(missing: MissingItem) -> Document:
    return {
        "kind": missing.kind,
        "text": missing.text,
        "source": missing.ref.source,
        "receipt": missing.receipt.id,
    }


def _session_line(session: Session) -> Document:
    return {
        "session_id": session.alias,
        "id": session.id,
        "state": session.state,
        "channel": session.channel,
        "started_at": text_of(session.started_ms),
        "last_activity": text_of(session.last_activity_ms),
        "message_count": session.message_count,
    }


def store_document(
    report: StoreReport, shown: Sequence[AgentReport], *, vocabulary: str
) -> Document:
    total, messages = sum(report.size.values()), messages_in(report)
    names = {each.agent.ref: each.agent.name for each in report.agents}
    return {
        "store": report.location,
        "disk": {
            "parts": dict(report.size),
            "total": total,
            "messages": messages,
            "bytes_per_message": round(total / messages, 1) if messages else None,
            "used": report.disk.used,
            "free": report.disk.free,
            "budget": report.disk.budget or None,
            "shrunk": report.disk.shrunk.bodies,
            "saved": report.disk.shrunk.saved,
        },
        "vocabulary": vocabulary,
        "jobs": [job_document(job, names) for job in report.jobs],
        "agents": [agent_document(each) for each in shown],
    }


def messages_in(report: StoreReport) -> int:
    """All messages that the store holds."""
    return sum(thread.message_count for each in report.agents for thread in each.threads)
