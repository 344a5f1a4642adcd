"""Injections: logged once, withheld when what they quote is gone; and what helped in a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.given.injections import GivenItem, Injection, SessionScore, Use, queries_text
from everthread.domain.given.usefulness import unrelated_queries
from everthread.domain.ids import lanes_of, place_at
from everthread.domain.timeline import injection_facts, turn_facts

from .bodies import BodyTable
from .link import Link, Row
from .sql import injections as sql
from .sql.statements import TURN_GET
from .timeline import TimelineTable

WITHHELD = "withheld: what it quoted was erased or forgotten"


def use_from(row: Row) -> Use:
    """A row of what helped; what was not counted yet when it was written is none."""
    use = Use._make(row)
    return use._replace(withheld=use.withheld or 0, retold=use.retold or 0)


class InjectionTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline
        self._bodies = BodyTable(db, timeline)

    def add(
        self, scope: Scope, injection: Injection, text: str | None, items: Sequence[GivenItem]
    ) -> Injection:
        if text is not None:
            body = body_of(text)
            injection = injection._replace(body_hash=body.hash)
            known = self._find_same(scope, injection)
            if known is not None:
                return known
            self._bodies.put(scope, [body])
        stored = self._insert(scope, injection)
        rows = [{"agent": scope.agent, "injection": stored.ref, **item._asdict()} for item in items]
        self._db.many(sql.INJECTED_ADD, rows)
        return stored

    def _find_same(self, scope: Scope, injection: Injection) -> Injection | None:
        row = self._db.one(
            sql.INJECTION_SAME,
            scope,
            session=injection.session_ref,
            epoch=injection.epoch,
            purpose=injection.purpose,
            hash=injection.body_hash,
        )
        return None if row is None else Injection._make(row)

    def _insert(self, scope: Scope, injection: Injection) -> Injection:
        n = self._seal(scope, "injection.logged", injection, injection.at_ms)
        row = self._db.one(
            sql.INJECTION_ADD,
            scope,
            id=injection.key_id,
            thread=injection.thread_ref,
            session=injection.session_ref,
            turn=injection.turn_ref,
            epoch=injection.epoch,
            purpose=injection.purpose,
            reason=injection.reason,
            hash=injection.body_hash,
            bytes=injection.size,
            tokens=injection.tokens,
            at=injection.at_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return injection._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def _seal(self, scope: Scope, event: str, injection: Injection, at: int) -> int:
        facts = injection_facts(injection)
        return self._timeline.seal(scope, event, injection.key_id, facts, at)

    def given(self, scope: Scope, session: int, *, epoch: int, purpose: str) -> Injection | None:
        row = self._db.one(sql.INJECTION_FOR, scope, session=session, epoch=epoch, purpose=purpose)
        return None if row is None else Injection._make(row)

    def held(self, scope: Scope, session: int, *, epoch: int) -> set[bytes]:
        rows = self._db.all(sql.INJECTED_IN, scope, session=session, epoch=epoch)
        return {bytes(ref) for (ref,) in rows}

    def all(
        self,
        scope: Scope,
        *,
        thread: int | None = None,
        session: int | None = None,
        limit: int,
    ) -> Sequence[Injection]:
        if session is not None:
            rows = self._db.all(sql.INJECTIONS_OF_SESSION, scope, session=session, limit=limit)
        elif thread is not None:
            rows = self._db.all(sql.INJECTIONS_OF_THREAD, scope, thread=thread, limit=limit)
        else:
            rows = self._db.all(sql.INJECTIONS_ALL, scope, limit=limit)
        return [Injection._make(row) for row in rows]

    def of_turn(self, scope: Scope, turn: TurnRow) -> Sequence[Injection]:
        rows = self._db.all(
            sql.INJECTIONS_OF_TURN,
            scope,
            session=turn.session_ref,
            turn=turn.ref,
            epoch=turn.view_version,
            # No hash is of this length: of a turn without a block only its own rows are meant.
            hash=turn.block_hash or b"",
        )
        return [Injection._make(row) for row in rows]

    def items(self, scope: Scope, injection: int) -> Sequence[GivenItem]:
        rows = self._db.all(sql.INJECTED_OF, scope, injection=injection)
        return [GivenItem._make(row) for row in rows]

    def lately(self, scope: Scope, thread: int, *, turns: int) -> set[bytes]:
        rows = self._db.all(sql.INJECTED_LATELY, scope, thread=thread, turns=turns)
        return {ref for (ref,) in rows}

    def elsewhere(self, scope: Scope, thread: int) -> bool:
        low, high = place_at(thread, 0, archived=1), lanes_of(thread)[1]
        row = self._db.one(sql.ELSEWHERE, scope, thread=thread, low=low, high=high)
        found = row is not None and bool(row[0])
        return found or self._db.one(sql.SHARED, None) is not None

    def withhold(self, refs: Iterable[bytes], *, now: int) -> int:
        count = 0
        for ref in refs:
            for (agent,) in self._db.all(sql.INJECTED_BY, None, ref=ref):
                scope = Scope(agent)
                # Before they are read: a turn that is given them may end meanwhile.
                self._timeline.lock(scope)
                for row in self._db.all(sql.INJECTIONS_WITH, scope, ref=ref):
                    self._empty(scope, Injection._make(row), now)
                    count += 1
        # What is taken back next, in the same transaction, must find these entries.
        self._timeline.flush()
        return count

    def _empty(self, scope: Scope, injection: Injection, now: int) -> None:
        uses = self._ungive(scope, injection, now)
        earlier = [entry.n for entry in self._timeline.about(scope, injection.key_id)]
        gone = injection._replace(reason=WITHHELD, body_hash=None, size=0, tokens=0)
        n = self._seal(scope, "injection.withheld", gone, now)
        self._db.run(sql.INJECTION_EMPTY, scope, ref=gone.ref, reason=WITHHELD, entry=n)
        self._db.run(sql.INJECTED_END, scope, injection=gone.ref)
        # A digest that seals the hash of a text would let a guess at that text be tested.
        self._timeline.unsalt(scope, earlier)
        if injection.body_hash is not None:
            self._bodies.release(scope, [injection.body_hash] * (uses + 1))

    def _ungive(self, scope: Scope, injection: Injection, now: int) -> int:
        """Take the block from the turns that were given it; how many."""
        if injection.body_hash is None:
            return 0
        found = self._db.all(
            sql.TURNS_GIVEN, scope, session=injection.session_ref, hash=injection.body_hash
        )
        for (ref,) in found:
            row = self._db.one(TURN_GET, scope, ref=ref)
            assert row is not None, "it was found a moment ago"
            turn = TurnRow._make(row)._replace(block_hash=None)
            earlier = [entry.n for entry in self._timeline.about(scope, turn.key_id)]
            n = self._timeline.seal(scope, "turn.withheld", turn.key_id, turn_facts(turn), now)
            self._db.run(sql.TURN_UNGIVEN, scope, ref=ref, entry=n)
            self._timeline.unsalt(scope, earlier)
        return len(found)

    # When a thread goes -----------------------------------------------------------------------

    def entries(self, scope: Scope, thread: int) -> list[int]:
        """The entries that speak of a thread's injections."""
        return [n for (n,) in self._db.all(sql.INJECTION_ENTRIES, scope, ref=thread)]

    def leave(self, scope: Scope, thread: int, *, now: int) -> None:
        """A thread goes: its injections go with it, and elsewhere those that quote it lose their text."""
        hashes = [h for (h,) in self._db.all(sql.INJECTION_BODIES, scope, ref=thread)]
        self._bodies.release(scope, hashes)
        self._db.run(sql.INJECTIONS_LEAVE, scope, ref=thread)
        low, high = lanes_of(thread)
        quoted = self._db.all(sql.INJECTED_FROM, scope, low=low, high=high)
        self.withhold([ref for (ref,) in quoted], now=now)


class UseTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def add(self, scope: Scope, uses: Iterable[Use]) -> None:
        # In one order, so that two who add never wait for each other.
        rows = [
            {
                "agent": scope.agent,
                "session": use.session_ref,
                "ref": use.ref,
                "kind": use.kind,
                "injected": use.injected,
                "best_rank": use.best_rank,
                "best_score": use.best_score,
                "hits": use.hits,
                "mentioned": use.mentioned,
                "corrected": use.corrected,
                "first_at": use.first_ms,
                "last_at": use.last_ms,
                "predicted": use.predicted,
                "final": use.final,
                "withheld": use.withheld,
                "retold": use.retold,
            }
            for use in sorted(uses, key=lambda use: (use.session_ref, use.ref))
        ]
        self._db.many(sql.USE_ADD, rows)

    def of(self, scope: Scope, session: int) -> Sequence[Use]:
        return [use_from(row) for row in self._db.all(sql.USES_OF, scope, session=session)]

    def given(self, scope: Scope, session: int, refs: Iterable[bytes]) -> set[bytes]:
        one = self._db.one
        return {ref for ref in refs if one(sql.USE_GIVEN, scope, session=session, ref=ref)}

    def score(self, scope: Scope, session: int) -> SessionScore | None:
        row = self._db.one(sql.SCORE_OF, scope, session=session)
        return None if row is None else SessionScore._make(row)

    def keep(self, scope: Scope, score: SessionScore) -> None:
        self._db.run(
            sql.SCORE_KEEP,
            scope,
            session=score.session_ref,
            recovered=score.recovered,
            injected=score.injected_count,
            novel=score.novel_context_count,
            queries=score.queries_json,
            score=score.score,
            confidence=score.confidence,
            now=score.updated_ms,
            judged=score.judged_ms,
        )

    def asked_by(self) -> list[Scope]:
        """The agents of which it is known what was looked for."""
        return [Scope(agent) for (agent,) in self._db.all(sql.ASKED_BY, None)]

    def unask(self, scope: Scope, text: str) -> None:
        """A text is forgotten: what was looked for in its words must not tell it."""
        for row in self._db.all(sql.SCORES_ASKED, scope):
            score = SessionScore._make(row)
            left = unrelated_queries(score.queries, text)
            if len(left) < len(score.queries):
                self.keep(scope, score._replace(queries_json=queries_text((), left)))
