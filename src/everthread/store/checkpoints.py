"""Checkpoints and cursors: made, found newest first, trimmed; how far a transcript was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.sessions import LastErasures, buried_key
from everthread.domain.errors import CheckpointUnknown, SessionUnknown
from everthread.domain.harness.checkpoints import NO_ACTIVITY, Checkpoint, Cursor
from everthread.domain.ids import with_ending
from everthread.domain.timeline import checkpoint_facts

from .bodies import BodyTable
from .connection_cache import ConnectionCache
from .link import Link
from .sql import harness as sql
from .timeline import TimelineTable

ALL = 1 << 62
GONE = "the session is gone together with its thread"


class CheckpointTable:
    def __init__(self, db: Link, timeline: TimelineTable, memory: ConnectionCache) -> None:
        self._db = db
        self._timeline = timeline
        self._bodies = BodyTable(db, timeline)
        self._sessions = memory.sessions

    def add(
        self, scope: Scope, checkpoint: Checkpoint, text: str, state: str, document: str = ""
    ) -> Checkpoint:
        checkpoint = Checkpoint._make(map(storable, checkpoint))
        # Before the bodies: whoever removes some holds the agent first, too.
        self._timeline.lock(scope)
        if not self._db.run(sql.CHECKPOINT_COUNT, scope, session=checkpoint.session_ref):
            raise SessionUnknown(GONE)
        # What is remembered of the session tells a count that is no longer true.
        self._sessions.pop(checkpoint.session_ref, None)
        made = checkpoint._replace(
            agent_ref=scope.agent,
            text_hash=put_text(self._bodies, scope, text),
            state_hash=put_text(self._bodies, scope, state),
            document_hash=put_text(self._bodies, scope, document),
        )
        n = self._seal(scope, "checkpoint.made", made, made.created_ms)
        row = self._db.one(
            sql.CHECKPOINT_ADD,
            scope,
            id=made.key_id,
            session=made.session_ref,
            kind=made.kind,
            created=made.created_ms,
            prompts=made.prompt_count,
            total=made.total_prompts,
            through=made.through_seq,
            task=made.task,
            gate=made.gate,
            step=made.step,
            can_resume=int(made.can_resume),
            instructions=made.resume_instructions,
            activity=made.activity_json,
            safety=made.safety_json,
            parent=made.parent_ref,
            text=made.text_hash,
            state=made.state_hash,
            schema=made.schema_version,
            task_ref=made.task_ref,
            alias=made.alias,
            document=made.document_hash,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return made._replace(ref=row[0], entry=n)

    def get(self, scope: Scope, ref: int) -> Checkpoint:
        row = self._db.one(sql.CHECKPOINT_GET, scope, ref=ref)
        if row is None:
            raise CheckpointUnknown("there is no such checkpoint: they are kept for a time only")
        return Checkpoint._make(row)

    def ending(self, scope: Scope, digits: str) -> Sequence[Checkpoint]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.CHECKPOINT_IDS, scope)), digits)
        rows = (self._db.one(sql.CHECKPOINT_FIND, scope, id=raw) for raw in ids)
        return [Checkpoint._make(row) for row in rows if row is not None]

    def of_session(self, scope: Scope, session: int, *, limit: int) -> Sequence[Checkpoint]:
        rows = self._db.all(sql.CHECKPOINTS_OF_SESSION, scope, session=session, limit=limit)
        return [Checkpoint._make(row) for row in rows]

    def of_project(
        self, scope: Scope, project: str, *, since: int = 0, limit: int
    ) -> Sequence[Checkpoint]:
        asked = {"project": project, "since": since, "limit": limit}
        rows = self._db.all(sql.CHECKPOINTS_OF_PROJECT, scope, **asked)
        return [Checkpoint._make(row) for row in rows]

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Checkpoint]:
        rows = self._db.all(sql.CHECKPOINTS_NEWEST, scope, limit=limit)
        return [Checkpoint._make(row) for row in rows]

    def text(self, scope: Scope, checkpoint: Checkpoint) -> str:
        return text_of(self._bodies, scope, checkpoint.text_hash)

    def state(self, scope: Scope, checkpoint: Checkpoint) -> str:
        return text_of(self._bodies, scope, checkpoint.state_hash)

    def withhold(
        self,
        scope: Scope,
        checkpoint: Checkpoint,
        *,
        text: str = "",
        state: str = "",
        activity: str = NO_ACTIVITY,
        now: int,
    ) -> None:
        self._timeline.lock(scope)
        held = self.get(scope, checkpoint.ref)
        earlier = self._entries_about(scope, [held])
        left = held._replace(
            text_hash=put_text(self._bodies, scope, text),
            state_hash=put_text(self._bodies, scope, state),
            document_hash=None,
            resume_instructions=None,
            activity_json=storable(activity),
            safety_json=None,
        )
        texts = (held.text_hash, held.state_hash, held.document_hash)
        self._bodies.release(scope, [h for h in texts if h is not None])
        if left == held:
            return
        n = self._seal(scope, "checkpoint.withheld", left, now)
        self._db.run(
            sql.CHECKPOINT_LEAVE,
            scope,
            ref=held.ref,
            text=left.text_hash,
            state=left.state_hash,
            activity=left.activity_json,
            entry=n,
        )
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)

    def trim(self, scope: Scope, session: int, *, keep: int, now: int) -> int:
        self._timeline.lock(scope)
        rows = self._db.all(
            sql.CHECKPOINTS_BEYOND, scope, session=session, keep=keep, limit=ALL - keep
        )
        return self._remove(scope, [Checkpoint._make(row) for row in rows], now)

    def prune(self, *, before: int, now: int, limit: int) -> int:
        rows = self._db.all(sql.CHECKPOINTS_OLD, None, before=before, limit=limit)
        old = [Checkpoint._make(row) for row in rows]
        # Agents in one order, so that two who prune never wait for each other.
        return sum(
            self._remove(Scope(agent), [c for c in old if c.agent_ref == agent], now)
            for agent in sorted({c.agent_ref for c in old})
        )

    def _remove(self, scope: Scope, gone: Sequence[Checkpoint], now: int) -> int:
        """Each leaves an entry that says so; the earlier ones say nothing any more."""
        if not gone:
            return 0
        self._timeline.lock(scope)
        earlier = self._entries_about(scope, gone)
        count, hashes = 0, list[bytes]()
        for checkpoint in gone:
            row = self._db.one(sql.CHECKPOINT_REMOVE, scope, ref=checkpoint.ref)
            if row is None:
                continue  # on PostgreSQL another one who prunes may have been first
            self._timeline.seal(scope, "checkpoint.removed", checkpoint.key_id, (), now)
            hashes += [h for h in row if h is not None]
            count += 1
        self._bodies.release(scope, hashes)
        self._timeline.unsalt(scope, earlier)
        return count

    def _entries_about(self, scope: Scope, checkpoints: Iterable[Checkpoint]) -> list[int]:
        # What was sealed in this very transaction must be found too.
        self._timeline.flush()
        return [e.n for c in checkpoints for e in self._timeline.about(scope, c.key_id)]

    def _seal(self, scope: Scope, event: str, checkpoint: Checkpoint, at: int) -> int:
        facts = checkpoint_facts(checkpoint)
        return self._timeline.seal(scope, event, checkpoint.key_id, facts, at)


class CursorTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def get(self, scope: Scope, session: int, place: str) -> Cursor | None:
        row = self._db.one(sql.CURSOR_GET, scope, session=session, place=storable(place))
        return None if row is None else Cursor._make(row)

    def of_session(self, scope: Scope, session: int) -> Sequence[Cursor]:
        return [Cursor._make(row) for row in self._db.all(sql.CURSORS_OF, scope, session=session)]

    def put(self, scope: Scope, cursor: Cursor) -> None:
        stored = self._db.run(
            sql.CURSOR_PUT,
            scope,
            session=cursor.session_ref,
            place=storable(cursor.place),
            position=storable(cursor.position),
            pending=storable(cursor.pending_json),
            now=cursor.updated_ms,
        )
        if not stored:
            raise SessionUnknown(GONE)

    def erased(self, scope: Scope, key: str) -> LastErasures:
        row = self._db.one(sql.ERASED_AT, scope, subject=buried_key(key))
        assert row is not None, "a sum has a row"
        return LastErasures(*(at or 0 for at in row))


T = TypeVar("T")


def storable(value: T) -> T:
    """The value; of a text, with a mark in place of what a database refuses: NUL, half a character."""
    if not isinstance(value, str) or (value.isascii() and "\x00" not in value):
        return value
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")  # type: ignore[return-value]  # T is str here


def put_text(bodies: BodyTable, scope: Scope, text: str) -> bytes | None:
    """The hash of a text that is kept as a body; None for no text."""
    if not text:
        return None
    body = body_of(storable(text))
    bodies.put(scope, [body])
    return body.hash


def text_of(bodies: BodyTable, scope: Scope, key: bytes | None) -> str:
    """The text that was put; no text where there is none."""
    return "" if key is None else bodies.get(scope, [key]).get(key, "")
