"""Messages: appended in order, read newest first, never edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from operator import itemgetter

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import MISREAD, fill_bodies, hashes_in, split
from everthread.domain.conversation.messages import BLOCKS, Draft, Form, Message, message_damaged
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.ids import LANE, message_id, place_at
from everthread.domain.timeline import message_digest

from .bodies import BodyTable
from .link import Link, Row
from .sql import statements as sql
from .sql.harness import KNOWN_AT_ONCE, MESSAGES_BROUGHT, MESSAGES_KNOWN
from .sql.said import SAID_IN
from .threads import ThreadTable
from .timeline import TimelineTable

END = 2**62
"""After every time and every seq."""

AT, SEQ = map(Message._fields.index, ("at_ms", "seq"))
LANED = itemgetter(*map(Message._fields.index, ("thread_ref", "seq", "archived")))

Saying = tuple[str, int, str]
"""Role, form and content: what of a message says the same or something else."""

FEW = 4
"""So many are looked up one by one: the statement for many costs as much as these."""


class MessageTable:
    def __init__(
        self, db: Link, threads: ThreadTable, timeline: TimelineTable, *, body_bytes: int
    ) -> None:
        self._db = db
        self._threads = threads
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
        view_at = max([0 if d.archived else d.at_ms for d in drafts])
        first = self._threads.grow(scope, thread.ref, count=len(drafts), view_at=view_at, now=now)
        key_id, timeline, small = thread.key_id, self._timeline, self._body_bytes // 4
        agent, where = scope.agent, (thread.ref, session, turn)
        start = place_at(thread.ref, 0)
        rows: list[Row] = []
        stored: list[Message] = []
        # No call for each of them but those that compute: they come one by one, or a thousand at once.
        for seq, draft in enumerate(drafts, first):
            role, origin, form, said, kind, source, external, name, who, old, tokens, at = draft
            content = said
            if len(said) > small:
                form, content = self._parted(scope, form, said)
            lane, key, salt = int(old), message_id(key_id, seq, now), timeline.salt()
            spoken = role, kind, origin, source, external, name, who
            row = (key, *where, seq, *spoken, lane, int(form), content, tokens, at, now)
            digest = message_digest(salt, key_id, row)
            entry = timeline.add(scope, "message", key, salt, digest, now)
            rows.append((agent, start + lane * LANE + seq, *row, entry))
            kept = Message._make((*row, entry))
            same = content is said
            stored.append(kept if same else kept._replace(form=draft.form, content=said))
        self._db.insert(sql.MESSAGE_ADD, rows)
        return stored

    def _parted(self, scope: Scope, form: int, content: str) -> tuple[int, str]:
        """Form and content as they are kept: large bodies apart."""
        limit = self._body_bytes
        if len(content) <= limit and (content.isascii() or len(content.encode()) <= limit):
            return form, content
        form, content, bodies = split(form, content, limit=limit)
        if bodies:
            BodyTable(self._db, self._timeline).put(scope, bodies)
        return form, content

    def known(self, scope: Scope, source: str, external_ids: Sequence[str]) -> set[str]:
        if len(external_ids) == 1:
            one = {"source": source, "external_id": external_ids[0]}
            return {row[0] for row in self._db.all(sql.MESSAGE_KNOWN, scope, **one)}
        return {row[0] for row in self._by_ids(MESSAGES_KNOWN, scope, source, external_ids)}

    def differing(self, scope: Scope, source: str, drafts: Sequence[Draft]) -> Sequence[str]:
        named = [draft for draft in drafts if draft.external_id is not None]
        ids = [str(draft.external_id) for draft in named]
        # No more than is compared, and no values made of it: nearly all of these say the same.
        rows = self._by_ids(MESSAGES_BROUGHT, scope, source, ids)
        kept = {external: (role, form, content) for external, role, form, content in rows}
        doubtful = [
            (ident, kept[ident], draft)
            for ident, draft in zip(ids, named, strict=True)
            if ident in kept and not self._says(kept[ident], draft)
        ]
        # Large texts lie apart, by their hash; that also tells those that the disk budget cut.
        large = [
            h for _, (_, form, said), _ in doubtful if form > BLOCKS for h in hashes_in(form, said)
        ]
        bodies = BodyTable(self._db, self._timeline).get(scope, large)
        told = [ident for ident, row, draft in doubtful if _filled(row, bodies) != _saying(draft)]
        return list(dict.fromkeys(told))

    def _says(self, kept: Saying, draft: Draft) -> bool:
        if kept == _saying(draft):
            return True
        form, content, _ = split(draft.form, draft.content, limit=self._body_bytes)
        return kept == (draft.role, form, content)

    def _by_ids(
        self, statement: sql.Scoped, scope: Scope, source: str, external_ids: Sequence[str]
    ) -> Iterator[Row]:
        for start in range(0, len(external_ids), KNOWN_AT_ONCE):
            asked = [*external_ids[start : start + KNOWN_AT_ONCE]]
            asked += [None] * (KNOWN_AT_ONCE - len(asked))
            values = {f"id{n}": ident for n, ident in enumerate(asked)}
            yield from self._db.all(statement, scope, source=source, **values)

    def newest(
        self,
        scope: Scope,
        thread: int,
        *,
        limit: int,
        before: tuple[int, int] | None = None,
        live: int | None = None,
    ) -> Sequence[Message]:
        rows = self._live(scope, thread, limit, before, live)
        at, seq = before or (END, END)
        # Of the archive only what is newer than the oldest live one can be among the newest.
        after_at, after_seq = -END, -END  # a clock may have been set to before 1970
        if len(rows) == limit and rows:
            after_at, after_seq = min(at, *(row[AT] for row in rows)), rows[-1][SEQ]
        archive = self._db.all(
            sql.MESSAGES_ARCHIVE,
            scope,
            thread=thread,
            limit=limit,
            at=at,
            seq=seq,
            after_at=after_at,
            after_seq=after_seq,
        )
        if archive:
            rows = _newest_first(rows, archive, at)[:limit]
        return self.whole(scope, rows[::-1])

    def _live(
        self,
        scope: Scope,
        thread: int,
        limit: int,
        before: tuple[int, int] | None,
        live: int | None,
    ) -> list[Row]:
        low = place_at(thread, 0)
        if before is None:
            high = low + LANE - 1
            return self._db.all(sql.MESSAGES_LIVE, scope, low=low, high=high, limit=limit)
        if live is not None:
            # What was seen is known by its seq, whatever a clock that was wrong wrote on it.
            high = low + live - 1
            return self._db.all(sql.MESSAGES_LIVE, scope, low=low, high=high, limit=limit)
        high = low + LANE - 1
        return self._db.all(
            sql.MESSAGES_LIVE_BEFORE,
            scope,
            low=low,
            high=high,
            limit=limit,
            at=before[0],
            seq=before[1],
        )

    def between(self, scope: Scope, thread: int, first: int, last: int) -> Sequence[Message]:
        low, high = place_at(thread, first), place_at(thread, last)
        return self.whole(scope, self._db.all(sql.MESSAGES_BETWEEN, scope, low=low, high=high))

    def following(self, scope: Scope, thread: int, *, after: int, limit: int) -> Sequence[Message]:
        rows: list[Row] = []
        for archived in (0, 1):
            low = place_at(thread, after + 1, archived=archived)
            high = place_at(thread, 0, archived=archived) + LANE - 1
            rows += self._db.all(sql.MESSAGES_AFTER, scope, low=low, high=high, limit=limit)
        return self.whole(scope, sorted(rows, key=itemgetter(SEQ))[:limit])

    def placed(self, scope: Scope, places: Iterable[int]) -> Sequence[Message]:
        return self.whole(scope, self._rows_placed(scope, places))

    def heads(self, scope: Scope, places: Iterable[int]) -> Sequence[Message]:
        rows = self._rows_placed(scope, places)
        return [Message._make(row)._replace(form=Form.TEXT, content="") for row in rows]

    def _rows_placed(self, scope: Scope, places: Iterable[int]) -> list[Row]:
        wanted = iter(places)
        rows: list[Row] = []
        while some := list(islice(wanted, sql.AT_ONCE)):
            rows += self._rows_at(scope, some)
        return rows

    def _rows_at(self, scope: Scope, places: Sequence[int]) -> list[Row]:
        if len(places) <= FEW:
            found = [self._db.one(sql.MESSAGE_PLACED, scope, place=place) for place in places]
            return [row for row in found if row is not None]
        # Filled up with the first: one statement, whatever their number.
        filled = {f"p{n}": places[0] for n in range(len(places), sql.AT_ONCE)}
        values = {f"p{n}": place for n, place in enumerate(places)} | filled
        by_place = {_place(row): row for row in self._db.all(sql.MESSAGES_PLACED, scope, **values)}
        return [by_place[place] for place in places if place in by_place]

    def holding(self, scope: Scope, signs: Sequence[str], *, limit: int) -> Sequence[int]:
        first, last = (f"%{sign}%" for sign in (signs[0], signs[-1]))
        rows = self._db.all(sql.MESSAGES_HOLDING, scope, sign=first, other=last, limit=limit)
        return [row[0] for row in rows]

    def weights(self, scope: Scope, thread: int, first: int, last: int) -> int:
        low, high = place_at(thread, first), place_at(thread, last)
        row = self._db.one(sql.MESSAGES_WEIGHT, scope, low=low, high=high)
        return 0 if row is None else row[0]

    def spoken(self, scope: Scope, thread: int, first: int, last: int) -> int:
        low, high = place_at(thread, first), place_at(thread, last)
        row = self._db.one(sql.MESSAGES_SPOKEN, scope, low=low, high=high)
        return 0 if row is None else row[0]

    def of_session(self, scope: Scope, session: Session, *, limit: int) -> Sequence[Message]:
        rows = self._db.all(
            sql.MESSAGES_OF_SESSION,
            scope,
            session=session.ref,
            low=place_at(session.thread_ref, session.first_seq),
            high=place_at(session.thread_ref, session.last_seq),
            limit=limit,
        )
        archive = self._db.all(
            sql.ARCHIVE_OF_SESSION,
            scope,
            session=session.ref,
            low=place_at(session.thread_ref, session.first_seq, archived=1),
            high=place_at(session.thread_ref, session.last_seq, archived=1),
            limit=limit,
        )
        return self.whole(scope, _newest_first(rows, archive)[:limit][::-1])

    def said_in(
        self, scope: Scope, session: Session, *, start: int, stop: int, limit: int
    ) -> Sequence[Message]:
        rows: list[Row] = []
        for archived in (0, 1):
            rows += self._db.all(
                SAID_IN,
                scope,
                session=session.ref,
                low=place_at(session.thread_ref, session.first_seq, archived=archived),
                high=place_at(session.thread_ref, session.last_seq, archived=archived),
                start=start,
                stop=stop,
                limit=limit,
            )
        newest = sorted(rows, key=itemgetter(AT, SEQ), reverse=True)[:limit]
        return [Message._make(row) for row in reversed(newest)]

    def of_session_after(
        self, scope: Scope, session: Session, *, after: int, limit: int
    ) -> Sequence[Message]:
        first = max(after + 1, session.first_seq)
        rows = self._db.all(
            sql.SESSION_AFTER,
            scope,
            session=session.ref,
            low=place_at(session.thread_ref, first, archived=1),
            high=place_at(session.thread_ref, session.last_seq, archived=1),
            limit=limit,
        )
        return self.whole(scope, rows)

    def prompts_after(self, scope: Scope, session: Session, *, after: int) -> int:
        first = max(after + 1, session.first_seq)
        row = self._db.one(
            sql.SESSION_PROMPTS,
            scope,
            session=session.ref,
            low=place_at(session.thread_ref, first, archived=1),
            high=place_at(session.thread_ref, session.last_seq, archived=1),
        )
        return 0 if row is None else row[0]

    def tail(
        self, scope: Scope, thread: int, *, after: int, limit: int
    ) -> Sequence[tuple[int, int]]:
        low = place_at(thread, after + 1)
        high = place_at(thread, 0) + LANE - 1
        rows = self._db.all(sql.MESSAGES_TAIL, scope, low=low, high=high, limit=limit)
        return [(seq, tokens) for seq, tokens in rows]

    def whole(self, scope: Scope, rows: Sequence[Row]) -> list[Message]:
        """The messages of these rows, with the bodies that lie elsewhere."""
        messages = list(map(Message._make, rows))
        if all(m.form <= Form.BLOCKS for m in messages):
            return messages
        hashes = [h for m in messages if m.form > Form.BLOCKS for h in _hashes_of(m)]
        found = BodyTable(self._db, self._timeline).get(scope, hashes)
        return [_with_bodies(m, found) if m.form > Form.BLOCKS else m for m in messages]


def _place(row: Row) -> int:
    thread, seq, archived = LANED(row)
    return place_at(thread, seq, archived=archived)


def _saying(draft: Draft) -> Saying:
    return draft.role, draft.form, draft.content


def _filled(kept: Saying, bodies: Mapping[bytes, str]) -> Saying:
    role, form, content = kept
    if form <= BLOCKS:
        return kept
    return role, *fill_bodies(form, content, bodies.__getitem__)


def _newest_first(live: Sequence[Row], archive: Sequence[Row], before: int = END) -> list[Row]:
    """Both, newest first. What is live stays in the order in which it was said, whatever its clock told: if
    that was set back, what was said before counts as said no later. What is archived stands by its time."""
    times = accumulate((row[AT] for row in live), min, initial=before)
    placed = [(at, row[SEQ], row) for at, row in zip(islice(times, 1, None), live, strict=True)]
    placed += [(row[AT], row[SEQ], row) for row in archive]
    return [row for _, _, row in sorted(placed, key=itemgetter(0, 1), reverse=True)]


def _hashes_of(message: Message) -> list[bytes]:
    try:
        return hashes_in(message.form, message.content)
    except MISREAD as wrong:
        raise message_damaged(message.key) from wrong


def _with_bodies(message: Message, bodies: Mapping[bytes, str]) -> Message:
    try:
        form, content = fill_bodies(message.form, message.content, bodies.__getitem__)
    except MISREAD as wrong:
        raise message_damaged(message.key) from wrong
    return message._replace(form=form, content=content)
