"""Exchanges: each side in its own agent's scope and timeline; emptied together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.errors import ExchangeUnknown, StoreBusy
from everthread.domain.exchanges.exchanges import Exchange, ExchangeKind, exchange_facts
from everthread.domain.ids import with_ending

from .injections import InjectionTable
from .link import Link
from .sql import exchanges as sql
from .sql.statements import Scoped
from .timeline import TimelineTable


class ExchangeTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def add(self, scope: Scope, exchange: Exchange) -> Exchange:
        n = self._seal(scope, "exchange.opened", exchange, exchange.created_ms)
        row = self._db.one(
            sql.EXCHANGE_ADD,
            scope,
            id=exchange.key_id,
            pair=exchange.pair,
            side=exchange.side,
            kind=exchange.kind,
            caller=exchange.caller,
            target=exchange.target,
            depth=exchange.depth,
            thread=exchange.thread_ref,
            created=exchange.created_ms,
            **_changed_columns(exchange),
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return exchange._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def change(self, scope: Scope, exchange: Exchange, *, now: int) -> Exchange:
        self._timeline.lock(scope)
        held = self._get(scope, exchange)
        if held.entry != exchange.entry:
            raise StoreBusy("another program changed this exchange meanwhile; try again")
        same = ("key_id", "pair", "side", "kind", "caller", "target", "depth", "created_ms")
        changed = exchange._replace(
            agent_ref=held.agent_ref, **{name: getattr(held, name) for name in same}
        )
        return self._store(scope, "exchange.changed", changed, now)

    def hold(self, pairs: Iterable[bytes]) -> Sequence[Exchange]:
        wanted = list(dict.fromkeys(pairs))
        # Whoever writes a side seals it in its agent's timeline, and has that agent's lock by then.
        for agent in sorted({side.agent_ref for pair in wanted for side in self.sides(pair)}):
            self._timeline.lock(Scope(agent))
        return [side for pair in wanted for side in self.sides(pair)]

    def sides(self, pair: bytes) -> Sequence[Exchange]:
        return [Exchange._make(row) for row in self._db.all(sql.EXCHANGE_SIDES, None, pair=pair)]

    def find(self, scope: Scope, pair: bytes) -> Exchange | None:
        row = self._db.one(sql.EXCHANGE_FIND, scope, pair=pair)
        return None if row is None else Exchange._make(row)

    def ending(self, scope: Scope, digits: str) -> Sequence[Exchange]:
        pairs = with_ending((raw for (raw,) in self._db.all(sql.EXCHANGE_IDS, scope)), digits)
        found = (self.find(scope, pair) for pair in pairs)
        return [exchange for exchange in found if exchange is not None]

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Exchange]:
        return self._rows(sql.EXCHANGES_NEWEST, scope, limit=limit)

    def waiting(self, scope: Scope, *, limit: int) -> Sequence[Exchange]:
        return self._rows(sql.EXCHANGES_WAITING, scope, limit=limit)

    def pending(
        self, scope: Scope, kind: ExchangeKind, *, target: str | None = None, now: int
    ) -> int:
        self._timeline.lock(scope)
        row = self._db.one(sql.EXCHANGES_PENDING, scope, kind=kind, target=target, now=now)
        return 0 if row is None else row[0]

    def answered_by(self, scope: Scope, turn: int) -> Exchange | None:
        row = self._db.one(sql.EXCHANGE_OF_TURN, scope, turn=turn)
        return None if row is None else Exchange._make(row)

    def given(self, scope: Scope, turn: int) -> Sequence[Exchange]:
        return self._rows(sql.EXCHANGES_GIVEN, scope, turn=turn)

    def due(self, *, now: int, limit: int) -> Sequence[Exchange]:
        rows = self._db.all(sql.EXCHANGES_DUE, None, now=now, limit=limit)
        return [Exchange._make(row) for row in rows]

    def leave(self, scope: Scope, thread: int, *, orphans: bool, now: int) -> None:
        """An erased thread takes the texts of its exchanges, on both sides and wherever quoted."""
        found = self._rows(sql.EXCHANGES_OF_THREAD, scope, ref=thread, orphans=int(orphans))
        for side in self.hold(exchange.pair for exchange in found):
            self._empty(Scope(side.agent_ref), side, now)

    def withhold(self, scope: Scope, exchange: Exchange, *, now: int) -> None:
        for side in self.hold([self._get(scope, exchange).pair]):
            self._empty(Scope(side.agent_ref), side, now)

    def _empty(self, scope: Scope, exchange: Exchange, now: int) -> None:
        empty = exchange._replace(content="", answer=None, error=None)
        if empty == exchange:
            return
        # What was sealed in this very transaction must be found too.
        self._timeline.flush()
        earlier = [entry.n for entry in self._timeline.about(scope, exchange.key_id)]
        self._store(scope, "exchange.withheld", empty, now)
        self._timeline.unsalt(scope, earlier)
        InjectionTable(self._db, self._timeline).withhold([exchange.key_id], now=now)

    def _get(self, scope: Scope, exchange: Exchange) -> Exchange:
        found = [e for e in self.sides(exchange.pair) if e.ref == exchange.ref]
        if not found or found[0].agent_ref != scope.agent:
            raise ExchangeUnknown("there is no such exchange of this agent")
        return found[0]

    def _store(self, scope: Scope, event: str, exchange: Exchange, now: int) -> Exchange:
        n = self._seal(scope, event, exchange, now)
        self._db.run(
            sql.EXCHANGE_CHANGE, scope, ref=exchange.ref, **_changed_columns(exchange), entry=n
        )
        return exchange._replace(entry=n)

    def _seal(self, scope: Scope, event: str, exchange: Exchange, at: int) -> int:
        return self._timeline.seal(scope, event, exchange.key_id, exchange_facts(exchange), at)

    def _rows(self, statement: Scoped, scope: Scope, **values: Any) -> list[Exchange]:
        return [Exchange._make(row) for row in self._db.all(statement, scope, **values)]


def _changed_columns(exchange: Exchange) -> dict[str, Any]:
    """The columns that a change may touch."""
    return {
        "status": exchange.status,
        "turn": exchange.turn_ref,
        "given": exchange.given_turn,
        "content": exchange.content,
        "answer": exchange.answer,
        "error": exchange.error,
        "tokens": exchange.tokens,
        "turns": exchange.turns,
        "expires": exchange.expires_ms,
        "surfaced": exchange.surfaced_ms,
        "closed": exchange.closed_ms,
    }
