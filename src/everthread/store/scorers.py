"""The scorer's table, and the sessions it learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.scorer.scorer_row import ScorerRow

from .injections import use_from
from .link import Link
from .sql import scorers as sql


class ScorerTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def get(self, scope: Scope) -> ScorerRow | None:
        row = self._db.one(sql.SCORER_OF, scope)
        return None if row is None else ScorerRow._make(row)

    def keep(self, scope: Scope, row: ScorerRow) -> None:
        self._db.run(
            sql.SCORER_KEEP,
            scope,
            trained=row.trained,
            sessions=row.sessions,
            learnt=row.learnt_json,
            past=row.past_json,
            history=row.history_json,
            now=row.updated_ms,
        )

    def drop(self, scope: Scope) -> None:
        self._db.run(sql.SCORER_DROP, scope)

    def unjudged(self, scope: Scope, *, quiet: int, limit: int) -> Sequence[SessionScore]:
        rows = self._db.all(sql.UNJUDGED, scope, quiet=quiet, limit=limit)
        return [SessionScore._make(row) for row in rows]

    def judged(self, scope: Scope, *, limit: int) -> Sequence[SessionScore]:
        rows = self._db.all(sql.JUDGED, scope, limit=limit)
        return [SessionScore._make(row) for row in rows]

    def rate(self, scope: Scope, session: int, worth: Mapping[bytes, float]) -> None:
        rows = [
            {"agent": scope.agent, "session": session, "ref": ref, "relevance": value}
            for ref, value in sorted(worth.items())
        ]
        self._db.many(sql.RELEVANCE, rows)

    def withholding(self, scope: Scope, *, limit: int) -> Sequence[Use]:
        return [use_from(row) for row in self._db.all(sql.LIFTS, scope, limit=limit)]
