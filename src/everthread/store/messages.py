"""Messages: appended in order, read newest first, never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.bodies import hashes_in, split, whole
from everthread.domain.messages import Draft, Form, Message
from everthread.domain.threads import Thread
from everthread.domain.timeline import message_facts
from everthread.ports import Ids

from . import statements as sql
from .agents import BodyTable
from .link import Link, Row
from .timeline import TimelineTable


class MessageTable:
    def __init__(self, db: Link, ids: Ids, timeline: TimelineTable, *, body_bytes: int) -> None:
        self._db = db
        self._ids = ids
        self._timeline = timeline
        self._body_bytes = body_bytes

    def append(
        self,
        scope: Scope,
        thread: Thread,
        drafts: Sequence[Draft],
        *,
        session: int | None,
        turn: int | None,
        now: int,
    ) -> Sequence[Message]:
        if not drafts:
            return []
        view_at = max((d.at_ms for d in drafts if not d.archived), default=0)
        grown = self._db.one(
            sql.THREAD_GROW, scope, ref=thread.ref, n=len(drafts), view_at=view_at, now=now
        )
        assert grown is not None, "the caller holds the thread"
        first = grown[0] - len(drafts) + 1
        rows: list[dict[str, object]] = []
        stored: list[Message] = []
        for seq, draft in enumerate(drafts, first):
            message, kept = self._sealed(scope, thread, draft, seq, (session, turn), now)
            rows.append(_columns(scope, kept))
            stored.append(message)
        self._db.many(sql.MESSAGE_ADD, rows)
        return stored

    def _sealed(
        self,
        scope: Scope,
        thread: Thread,
        draft: Draft,
        seq: int,
        place: tuple[int | None, int | None],
        now: int,
    ) -> tuple[Message, Message]:
        """The message as its caller knows it, and as it is kept: large bodies apart."""
        kept = message = _message(self._ids.new(), thread, draft, seq, place, now)
        if len(draft.content) * 4 > self._body_bytes:
            form, content, bodies = split(draft.form, draft.content, limit=self._body_bytes)
            if bodies:
                BodyTable(self._db).put(scope, bodies)
                kept = message._replace(form=form, content=content)
        facts = message_facts(thread.key_id, kept)
        entry = self._timeline.seal(scope, "message", kept.key, facts, now)
        whole_one = message._replace(entry=entry)
        return whole_one, (whole_one if kept is message else kept._replace(entry=entry))

    def known(self, scope: Scope, source: str, external_ids: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for external_id in external_ids:
            row = self._db.one(sql.MESSAGE_KNOWN, scope, source=source, external_id=external_id)
            if row is not None:
                found.add(row[0])
        return found

    def newest(
        self,
        scope: Scope,
        thread: int,
        *,
        limit: int,
        before: tuple[int, int] | None = None,
    ) -> Sequence[Message]:
        if before is None:
            rows = self._db.all(sql.MESSAGES_NEWEST, scope, thread=thread, limit=limit)
        else:
            at, seq = before
            rows = self._db.all(
                sql.MESSAGES_BEFORE, scope, thread=thread, limit=limit, at=at, seq=seq
            )
        return self._whole(scope, rows[::-1])

    def between(self, scope: Scope, thread: int, first: int, last: int) -> Sequence[Message]:
        rows = self._db.all(sql.MESSAGES_BETWEEN, scope, thread=thread, first=first, last=last)
        return self._whole(scope, rows)

    def weights(self, scope: Scope, thread: int, first: int, last: int) -> int:
        row = self._db.one(sql.MESSAGES_WEIGHT, scope, thread=thread, first=first, last=last)
        return 0 if row is None else row[0]

    def of_session(self, scope: Scope, session: int, *, limit: int) -> Sequence[Message]:
        rows = self._db.all(sql.MESSAGES_OF_SESSION, scope, session=session, limit=limit)
        return self._whole(scope, rows[::-1])

    def tail(
        self, scope: Scope, thread: int, *, after: int, limit: int
    ) -> Sequence[tuple[int, int]]:
        rows = self._db.all(sql.MESSAGES_TAIL, scope, thread=thread, after=after, limit=limit)
        return [(seq, tokens) for seq, tokens in rows]

    def _whole(self, scope: Scope, rows: Sequence[Row]) -> list[Message]:
        messages = list(map(Message._make, rows))
        if all(m.form <= Form.BLOCKS for m in messages):
            return messages
        hashes = [h for m in messages if m.form > Form.BLOCKS for h in hashes_in(m.form, m.content)]
        found = BodyTable(self._db).get(scope, hashes)
        return [_filled(m, found) if m.form > Form.BLOCKS else m for m in messages]


def _filled(message: Message, bodies: Mapping[bytes, str]) -> Message:
    form, content = whole(message.form, message.content, bodies.__getitem__)
    return message._replace(form=form, content=content)


def _columns(scope: Scope, m: Message) -> dict[str, object]:
    return {
        "agent": scope.agent,
        "id": m.key,
        "thread": m.thread_ref,
        "session": m.session_ref,
        "turn": m.turn_ref,
        "seq": m.seq,
        "role": m.role,
        "kind": m.kind,
        "origin": m.origin,
        "source": m.source,
        "external_id": m.external_id,
        "name": m.name,
        "principal": m.principal,
        "archived": m.archived,
        "form": m.form,
        "content": m.content,
        "tokens": m.tokens,
        "at": m.at_ms,
        "created": m.created_ms,
        "entry": m.entry,
    }


def _message(
    key: bytes,
    thread: Thread,
    draft: Draft,
    seq: int,
    place: tuple[int | None, int | None],
    now: int,
) -> Message:
    return Message(
        key,
        thread.ref,
        place[0],
        place[1],
        seq,
        draft.role,
        draft.kind,
        draft.origin,
        draft.source,
        draft.external_id,
        draft.name,
        draft.principal,
        int(draft.archived),
        draft.form,
        draft.content,
        draft.tokens,
        draft.at_ms,
        now,
        0,
    )
