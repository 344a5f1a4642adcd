"""Turns, and the marks that shape the view they are given."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.turns import LONGEST_LEASE, TurnRow
from everthread.domain.conversation.views import Mark, Span, join_spans
from everthread.domain.errors import LeaseLost, TurnUnknown
from everthread.domain.timeline import mark_facts, turn_facts

from .link import Link
from .sql import statements as sql
from .sql.receipts import MARKS_HIDING, MARKS_SHORTENING
from .timeline import TimelineTable


class TurnTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def open_on(self, scope: Scope, thread: int) -> TurnRow | None:
        row = self._db.one(sql.TURN_OPEN_ON, scope, thread=thread)
        return None if row is None else TurnRow._make(row)

    def get(self, scope: Scope, ref: int) -> TurnRow:
        row = self._db.one(sql.TURN_GET, scope, ref=ref)
        if row is None:
            raise TurnUnknown("the turn is gone together with its thread")
        return TurnRow._make(row)

    def numbered(self, scope: Scope, thread: int, number: int) -> TurnRow | None:
        row = self._db.one(sql.TURN_NUMBERED, scope, thread=thread, number=number)
        return None if row is None else TurnRow._make(row)

    def add(self, scope: Scope, turn: TurnRow) -> TurnRow:
        n = self._timeline.seal(scope, "turn.opened", turn.key_id, turn_facts(turn), turn.opened_ms)
        row = self._db.one(
            sql.TURN_ADD,
            scope,
            id=turn.key_id,
            thread=turn.thread_ref,
            session=turn.session_ref,
            number=turn.number,
            owner=turn.owner,
            lease=turn.lease_until,
            model=turn.model,
            window=turn.window,
            view_version=turn.view_version,
            first_seq=turn.first_seq,
            last_seq=turn.last_seq,
            system=turn.system_hash,
            tools=turn.tools_hash,
            block=turn.block_hash,
            computed=turn.computed_tokens,
            context=turn.context_tokens,
            opened=turn.opened_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return turn._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def extend(self, scope: Scope, turn: TurnRow, *, last_seq: int, until: int) -> TurnRow:
        changed = self._db.run(
            sql.TURN_EXTEND, scope, ref=turn.ref, owner=turn.owner, last_seq=last_seq, until=until
        )
        if not changed:
            raise LeaseLost(_lost_turn_text(turn))
        return turn._replace(last_seq=last_seq, lease_until=until)

    def close(self, scope: Scope, turn: TurnRow) -> TurnRow:
        at = turn.closed_ms or turn.opened_ms
        # Who closes it holds it as it was when it was opened; what it was given may be withheld since.
        self._timeline.lock(scope)
        row = self._db.one(sql.TURN_GET, scope, ref=turn.ref)
        if row is None:
            raise LeaseLost(_lost_turn_text(turn))
        turn = turn._replace(block_hash=TurnRow._make(row).block_hash)
        n = self._timeline.seal(scope, f"turn.{turn.state}", turn.key_id, turn_facts(turn), at)
        changed = self._db.run(
            sql.TURN_CLOSE,
            scope,
            ref=turn.ref,
            owner=turn.owner,
            state=turn.state,
            last_seq=turn.last_seq,
            model=turn.model,
            reported=turn.reported,
            error=turn.error,
            closed=turn.closed_ms,
            entry=n,
        )
        if not changed:
            raise LeaseLost(_lost_turn_text(turn))
        return turn._replace(entry=n)

    def renew(self, owner: str, refs: Sequence[int], *, until: int) -> int:
        # In one order, so that two who renew never wait for each other.
        return sum(
            self._db.run(sql.TURNS_RENEW, None, owner=owner, ref=ref, until=until)
            for ref in sorted(refs)
        )

    def abandoned(self, *, now: int, limit: int) -> Sequence[tuple[Scope, TurnRow]]:
        absurd = now + LONGEST_LEASE
        rows = self._db.all(sql.TURNS_ABANDONED, None, now=now, absurd=absurd, limit=limit)
        return [(Scope(t.agent_ref), t) for t in map(TurnRow._make, rows)]

    def all(self, scope: Scope, thread: int, *, limit: int) -> Sequence[TurnRow]:
        rows = self._db.all(sql.TURNS_OF, scope, thread=thread, limit=limit)
        return [TurnRow._make(row) for row in rows]


class MarkTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def of(self, scope: Scope, thread: int) -> Sequence[Mark]:
        return [Mark._make(row) for row in self._db.all(sql.MARKS_OF, scope, thread=thread)]

    def hiding(self, scope: Scope, thread: int, *, version: int) -> Sequence[Span]:
        return join_spans(self._db.all(MARKS_HIDING, scope, thread=thread, version=version))

    def shortening(
        self, scope: Scope, thread: int, *, version: int, first: int, last: int
    ) -> Sequence[Mark]:
        rows = self._db.all(
            MARKS_SHORTENING, scope, thread=thread, version=version, first=first, last=last
        )
        return [Mark._make(row) for row in rows]

    def add(self, scope: Scope, mark: Mark, *, now: int) -> Mark:
        n = self._timeline.seal(scope, "mark.added", mark.key_id, mark_facts(mark), now)
        row = self._db.one(
            sql.MARK_ADD,
            scope,
            id=mark.key_id,
            thread=mark.thread_ref,
            receipt=mark.receipt_ref,
            action=mark.action,
            from_seq=mark.from_seq,
            to_seq=mark.to_seq,
            since=mark.since_version,
            until=mark.until_version,
            saved=mark.saved,
            entry=n,
            kept=mark.kept,
        )
        assert row is not None, "an insert returns its reference"
        return mark._replace(ref=row[0], entry=n)

    def by(self, scope: Scope, receipt: int) -> Sequence[Mark]:
        return [Mark._make(row) for row in self._db.all(sql.MARKS_BY, scope, receipt=receipt)]

    def end(self, scope: Scope, mark: Mark, version: int, *, now: int) -> None:
        ended = mark._replace(until_version=version)
        n = self._timeline.seal(scope, "mark.ended", mark.key_id, mark_facts(ended), now)
        self._db.run(sql.MARK_END, scope, ref=mark.ref, until=version, entry=n)


def _lost_turn_text(turn: TurnRow) -> str:
    return (
        f"turn {turn.number} is no longer this process's: it was closed as abandoned after its "
        "lease ran out; begin a new turn"
    )
