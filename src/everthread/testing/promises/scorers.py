"""What the scorer learns from and what it has learnt: kept by agent, judged once, dropped whole."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.scorer.scorer_row import ScorerRow
from everthread.ports import Store

from .rows import NOON, agent_in, new_id, primary_in, session_in

ROW = ScorerRow(1, 2, '{"weights":[0.5]}', '{"0a":[1,0,0]}', "[[0.5,0.75]]", NOON)


def _keep_score(store: Store, scope: Scope, session: Session, *, judged: int | None = None) -> None:
    score = SessionScore(session.ref, 0, 1, 0, "[]", None, None, NOON, judged)
    store.write(lambda r: r.uses.keep(scope, score))


def _use(session: Session, ref: bytes, **more: int | float | str) -> Use:
    base = Use(session.ref, ref, "fact", 1, 1, 0.5, 0, 0, 0, NOON, NOON)
    return base._replace(**more)


class ScorerPromises:
    def test_what_was_learnt_is_one_row_of_its_agent(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        assert store.read(lambda r: r.scorers.get(ada)) is None
        for row in (ROW, ROW._replace(sessions=3, updated_ms=NOON + 1)):
            store.write(lambda r, new=row: r.scorers.keep(ada, new))
            assert store.read(lambda r: r.scorers.get(ada)) == row
        assert store.read(lambda r: r.scorers.get(bob)) is None
        store.write(lambda r: r.scorers.drop(bob))
        assert store.read(lambda r: r.scorers.get(ada)) is not None
        store.write(lambda r: r.scorers.drop(ada))
        assert store.read(lambda r: r.scorers.get(ada)) is None

    def test_sessions_that_are_over_or_silent_wait_to_be_judged_oldest_first(
        self, store: Store
    ) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        primary = primary_in(store, ada)
        active, over, done = (session_in(store, ada, primary) for _ in range(3))
        for session in (over, done):
            store.write(lambda r, s=session: r.sessions.move(ada, s, "complete", now=NOON))
        for session in (active, over):
            _keep_score(store, ada, session)
        _keep_score(store, ada, done, judged=NOON)

        def waiting(quiet: int, limit: int = 9) -> list[int]:
            found = store.read(lambda r: r.scorers.unjudged(ada, quiet=quiet, limit=limit))
            return [score.session_ref for score in found]

        at = active.last_activity_ms
        assert waiting(at) == [over.ref]
        assert waiting(at + 1) == [active.ref, over.ref]
        assert waiting(at + 1, limit=1) == [active.ref]
        assert store.read(lambda r: r.scorers.unjudged(bob, quiet=at + 1, limit=9)) == []
        found = store.read(lambda r: r.scorers.judged(ada, limit=9))
        assert [(s.session_ref, s.judged_ms) for s in found] == [(done.ref, NOON)]
        assert store.read(lambda r: r.scorers.judged(bob, limit=9)) == []

    def test_a_memorys_worth_is_kept_with_what_was_counted(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        session = session_in(store, ada, primary_in(store, ada))
        tabs, spaces = new_id(), new_id()
        counted = [_use(session, tabs, predicted=0.25), _use(session, spaces, best_rank=2)]
        store.write(lambda r: r.uses.add(ada, counted))
        store.write(lambda r: r.scorers.rate(ada, session.ref, {tabs: 0.75}))
        store.write(lambda r: r.scorers.rate(bob, session.ref, {spaces: 0.75}))
        store.write(lambda r: r.uses.add(ada, [_use(session, tabs, final=0.5, retold=1)]))
        one, other = store.read(lambda r: r.uses.of(ada, session.ref))
        assert (one.relevance, one.predicted, one.final) == (0.75, 0.25, 0.5)
        assert (one.injected, one.retold, one.withheld) == (2, 1, 0)
        assert other.relevance is None

    def test_sessions_in_which_something_was_withheld_come_back_whole(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        primary = primary_in(store, ada)
        without, first, second = (session_in(store, ada, primary) for _ in range(3))
        refs = [new_id() for _ in range(6)]
        uses = [
            _use(without, refs[0]),
            _use(first, refs[1]),
            _use(first, refs[2], injected=0, withheld=1),
            _use(second, refs[3], injected=0, withheld=2),
            _use(second, refs[4], kind="message"),
        ]
        store.write(lambda r: r.uses.add(ada, uses))
        found = store.read(lambda r: r.scorers.withholding(ada, limit=9))
        assert {use.ref for use in found} == {refs[1], refs[2], refs[3]}
        found = store.read(lambda r: r.scorers.withholding(ada, limit=1))
        assert {use.ref for use in found} == {refs[3]}
        assert store.read(lambda r: r.scorers.withholding(bob, limit=9)) == []
