"""The index of one agent in PostgreSQL: its cards, their words, and vectors where pgvector is there.

The server splits and stems; what it has no notion of is how telling a word is. So the score is computed
here as SQLite does (BM25), from in how many texts a word occurs, how often in this one, how long this one is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import IndexDamaged
from everthread.domain.recall.cards import Card
from everthread.ports.index import Counts, Filing, IndexProgress, Likeness
from everthread.store.sql.statements import Scoped

from . import index_sql as sql
from .link import PostgresLink
from .words import Term, agent_prefix, query_tokens, telling_query, tokens, weight

if TYPE_CHECKING:
    from everthread.ports.index import Vectors

T = TypeVar("T")


class Desk(NamedTuple):
    """Where a piece of work is done: a transaction, and where pgvector lies if vectors can be kept."""

    link: PostgresLink
    vectors: str


class Tables(Protocol):
    """What a catalogue needs of the index that it is part of."""

    def run(self, work: Callable[[Desk], T]) -> T:
        """Run the work in one transaction."""
        ...

    def swept(self) -> None:
        """Let what was removed go from the pages too."""
        ...


class State(NamedTuple):
    """An agent's row in the list of catalogues."""

    stamp: UUID
    entry: int
    shared: int
    life: int
    """Another number after each time it was emptied."""
    model: str | None
    cards: int
    size: int


class PostgresCatalogue:
    def __init__(self, tables: Tables, agent: AgentRow) -> None:
        self._tables = tables
        self._scope = Scope(agent.ref)
        self._stamp = UUID(bytes=agent.key_id)
        self._mark = agent_prefix(agent.ref)
        self._life: int | None = None

    # Whose it is, and how far it came -----------------------------------------------------------------

    def _state(self, link: PostgresLink) -> State:
        """Empty, where there is none of this very agent."""
        row = link.one(sql.STATE, self._scope, stamp=self._stamp)
        return State(self._stamp, 0, 0, 0, None, 0, 0) if row is None else State._make(row)

    def _write(self, work: Callable[[Desk, State], T]) -> T:
        """Alone among the writers of this agent: so nothing is filed twice, and none blocks another."""

        def held(desk: Desk) -> T:
            desk.link.run(sql.BEGIN, self._scope, stamp=self._stamp, life=secrets.randbits(62))
            row = desk.link.one(sql.HOLD, self._scope)
            assert row is not None
            state = State._make(row)
            if state.stamp != self._stamp:
                self._clear(desk)
                state = self._state(desk.link)
            return work(desk, state)

        return self._tables.run(held)

    def _clear(self, desk: Desk) -> None:
        """Everything under the agent's number, also what another agent left there."""
        for statement in (sql.CLEAR_CARDS, sql.CLEAR_TEXTS, sql.CLEAR_THREADS):
            desk.link.run(statement, self._scope)
        if desk.vectors:
            desk.link.run(sql.CLEAR_PASSAGES, self._scope)
        desk.link.run(sql.RESET, self._scope, stamp=self._stamp, life=secrets.randbits(62))

    def discard(self) -> None:
        """Throw it away: what is left is a row that says there is nothing."""
        self._write(lambda desk, _: self._clear(desk))
        self._tables.swept()

    def reached(self) -> IndexProgress:
        def work(desk: Desk) -> IndexProgress:
            state = self._state(desk.link)
            self._life = state.life
            rows = desk.link.all(sql.THREADS, self._scope, stamp=self._stamp)
            return IndexProgress(state.entry, dict(rows), state.shared)

        return self._tables.run(work)

    # Words and cards ----------------------------------------------------------------------------------

    def file(
        self,
        filings: Sequence[Filing],
        *,
        threads: Mapping[int, int],
        entry: int | None = None,
        shared: int | None = None,
    ) -> int:
        # The same order for everyone, as everywhere where several rows are locked.
        cards = {filing.card.id: filing for filing in filings}
        rows = [self._row(cards[card]) for card in sorted(cards)]

        def work(desk: Desk, state: State) -> int:
            if self._life not in (None, 0, state.life):
                # There would be a gap before what is filed now.
                raise IndexDamaged("the index was emptied meanwhile; file again from its beginning")
            added = self._add_cards(desk.link, rows) if rows else (0, 0)
            refs = sorted(threads)
            desk.link.run(
                sql.REACH,
                self._scope,
                stamp=self._stamp,
                threads=refs,
                seqs=[threads[ref] for ref in refs],
            )
            desk.link.run(
                sql.ADVANCE,
                self._scope,
                stamp=self._stamp,
                entry=state.entry if entry is None else entry,
                shared=state.shared if shared is None else shared,
                cards=added[0],
                size=added[1],
            )
            return added[0]

        return self._write(work)

    def _row(self, filing: Filing) -> tuple[Any, ...]:
        words = tokens(filing.text)
        marked = " ".join([self._mark + word for word in words])
        # The server keeps no character of number zero.
        card = filing.card._replace(speaker=filing.card.speaker.replace("\0", ""))
        return (*card, len(words), marked)

    def _add_cards(self, link: PostgresLink, rows: Sequence[tuple[Any, ...]]) -> tuple[int, int]:
        columns = dict(zip((*Card._fields, "size", "text"), zip(*rows, strict=True), strict=True))
        values = {name: list(column) for name, column in columns.items()}
        together = len(rows) >= sql.MANY and link.one(sql.TOGETHER, None) is not None
        found = link.one(sql.FILE, self._scope, stamp=self._stamp, **values)
        if together:
            link.all(sql.SORT, None)
        return (0, 0) if found is None else (found[0], found[1])

    def withdraw(self, filings: Sequence[Filing]) -> int:
        ids = sorted({filing.card.id for filing in filings})
        return self._write(lambda desk, _: self._take_cards(desk, sql.TAKE_MESSAGES, ids))

    def take_out(self, ids: Sequence[int], *, scrub: bool) -> None:
        self._write(lambda desk, _: self._take_cards(desk, sql.TAKE_CARDS, ids))
        if scrub:
            self._tables.swept()

    def scrub(self, pause: Callable[[], None]) -> None:
        pause()
        self._tables.swept()

    def _take_cards(self, desk: Desk, statement: Scoped, ids: Sequence[int]) -> int:
        gone = [
            card
            for (card,) in desk.link.all(statement, self._scope, stamp=self._stamp, ids=list(ids))
        ]
        taken = desk.link.one(sql.TAKE_TEXTS, self._scope, stamp=self._stamp, ids=gone)
        assert taken is not None
        if desk.vectors:
            desk.link.run(sql.TAKE_PASSAGES, self._scope, stamp=self._stamp, ids=gone)
        desk.link.run(sql.LESSEN, self._scope, stamp=self._stamp, cards=len(gone), size=taken[0])
        return len(gone)

    def memories(self) -> Mapping[int, int]:
        rows = self._tables.run(
            lambda desk: desk.link.all(sql.MEMORIES, self._scope, stamp=self._stamp)
        )
        return dict(rows)

    def cards(self, ids: Iterable[int]) -> Sequence[Card]:
        wanted = sorted(set(ids))
        rows = self._tables.run(
            lambda desk: desk.link.all(sql.CARDS, self._scope, stamp=self._stamp, ids=wanted)
        )
        return [Card._make(row) for row in rows]

    def search(
        self, words: Sequence[str], *, limit: int, repeats: int | None = None
    ) -> Sequence[tuple[int, float]]:
        wanted = [self._mark + token for word in words for token in query_tokens(word)]
        if not wanted:
            return []

        def work(desk: Desk) -> Sequence[tuple[int, float]]:
            state = self._state(desk.link)
            desk.link.run(sql.BY_WORDS, None)
            found = desk.link.all(
                sql.MEASURE, self._scope, stamp=self._stamp, words=wanted, bound=sql.EXACT
            )
            terms = [Term.counted(query, few, part) for query, few, part in found if few]
            if not terms:
                return []
            return self._score(desk.link, terms, state, limit, repeats)

        return self._tables.run(work)

    def most_words(self, ids: Sequence[int], words: Sequence[str], *, enough: int) -> int:
        asked = [" & ".join(self._mark + token for token in query_tokens(word)) for word in words]

        def work(desk: Desk) -> int:
            wanted = {"ids": list(ids), "words": [word for word in asked if word]}
            found = desk.link.all(sql.MOST_WORDS, self._scope, stamp=self._stamp, **wanted)
            return min(found[0][0], enough)

        return self._tables.run(work)

    def _score(
        self,
        link: PostgresLink,
        terms: Sequence[Term],
        state: State,
        limit: int,
        repeats: int | None,
    ) -> Sequence[tuple[int, float]]:
        cards = max(state.cards, 1)
        given: dict[str, Any] = {f"q{n}": term.query for n, term in enumerate(terms)}
        given |= {f"w{n}": weight(cards, term.cards) for n, term in enumerate(terms)}
        given |= {} if repeats is None else {"repeats": repeats}
        rows = link.all(
            sql.scoring_sql(len(terms), apart=repeats is not None),
            self._scope,
            stamp=self._stamp,
            telling=telling_query(terms, lambda query: self._sampled(link, query)),
            average=max(state.size / cards, 1.0),
            limit=limit,
            **given,
        )
        return [(card, score) for card, score in rows]

    def _sampled(self, link: PostgresLink, query: str) -> int:
        return link.all(sql.SAMPLED, self._scope, stamp=self._stamp, query=query)[0][0]

    # Vectors ------------------------------------------------------------------------------------------

    def nearest(self, vector: Vectors, *, limit: int) -> Sequence[int]:
        question = vector_literal(vector)

        def work(desk: Desk) -> Sequence[int]:
            asked = limit * 2
            while desk.vectors:
                nearest = sql.vector_sql(desk.vectors).nearest
                rows = desk.link.all(
                    nearest, self._scope, stamp=self._stamp, vector=question, limit=asked
                )
                # Several passages of a card stand for one.
                found = list(dict.fromkeys(card for (card,) in rows))
                if len(found) >= limit or len(rows) < asked:
                    return found[:limit]
                asked *= 4
            return []

        return self._tables.run(work)

    def likeness(self, ids: Sequence[int], vector: Vectors) -> Likeness:
        import numpy as np  # noqa: PLC0415 - only where there are vectors

        question = vector_literal(vector)

        def work(desk: Desk) -> list[Any]:
            if not desk.vectors:
                return []
            likeness = sql.vector_sql(desk.vectors).likeness
            return desk.link.all(
                likeness, self._scope, stamp=self._stamp, vector=question, ids=list(ids)
            )

        found = {card: (first, best) for card, first, best in self._tables.run(work)}
        values = [found.get(card, (np.nan, np.nan)) for card in ids]
        values = np.array(values, dtype=np.float32).reshape(len(ids), 2)
        return Likeness(values[:, 0].copy(), values[:, 1].copy())

    def kinship(self, ids: Sequence[int], others: Sequence[int]) -> Vectors:
        import numpy as np  # noqa: PLC0415 - only where there are vectors

        def work(desk: Desk) -> list[Any]:
            if not desk.vectors:
                return []
            wanted = {"stamp": self._stamp, "ids": list(ids), "others": list(others)}
            return desk.link.all(sql.vector_sql(desk.vectors).kinship, self._scope, **wanted)

        found = {(one, other): alike for one, other, alike in self._tables.run(work)}
        values = [[found.get((one, other), np.nan) for other in others] for one in ids]
        return np.array(values, dtype=np.float32).reshape(len(ids), len(others))

    def unembedded(self, model: str, *, limit: int) -> Sequence[int]:
        def work(desk: Desk, state: State) -> Sequence[int]:
            if not desk.vectors:
                return []
            self._follow(desk.link, state, model)
            rows = desk.link.all(sql.WAITING, self._scope, stamp=self._stamp, limit=limit)
            return [card for (card,) in rows]

        return self._write(work)

    def embed(self, model: str, vectors: Sequence[tuple[int, Vectors]]) -> None:
        def work(desk: Desk, state: State) -> None:
            if not desk.vectors:
                return
            self._follow(desk.link, state, model)
            sizes = {card: len(rows) for card, rows in vectors}
            known = desk.link.all(
                sql.EMBEDDED,
                self._scope,
                stamp=self._stamp,
                ids=list(sizes),
                sizes=list(sizes.values()),
            )
            fresh = {card for (card,) in known}
            rows = [
                (card, part, vector_literal(row))
                for card, parts in vectors
                if card in fresh
                for part, row in enumerate(parts)
            ]
            if rows:
                cards, parts, texts = (list(column) for column in zip(*rows, strict=True))
                values = {"ids": cards, "parts": parts, "vectors": texts}
                embed = sql.vector_sql(desk.vectors).embed
                desk.link.run(embed, self._scope, stamp=self._stamp, **values)

        self._write(work)

    def _follow(self, link: PostgresLink, state: State, model: str) -> None:
        """Vectors of another model are of no use: they go, and all is embedded again."""
        if state.model == model:
            return
        if state.model is not None:
            link.run(sql.CLEAR_PASSAGES, self._scope)
            link.run(sql.UNEMBED, self._scope, stamp=self._stamp)
        link.run(sql.MODEL, self._scope, stamp=self._stamp, model=model)

    def model(self) -> str | None:
        def work(desk: Desk) -> str | None:
            if not desk.vectors or desk.link.one(sql.ANY, self._scope, stamp=self._stamp) is None:
                return None
            return self._state(desk.link).model

        return self._tables.run(work)

    def counts(self, model: str | None = None) -> Counts:
        def work(desk: Desk) -> Counts:
            state = self._state(desk.link)
            if not desk.vectors or model is None or state.model != model:
                return Counts(state.cards, 0)
            row = desk.link.one(sql.COUNT_WAITING, self._scope, stamp=self._stamp)
            return Counts(state.cards, state.cards - (0 if row is None else row[0]))

        return self._tables.run(work)

    def check(self) -> None:
        """The server guards its pages; here is asked whether the parts fit each other."""

        def work(desk: Desk, state: State) -> bool:
            row = desk.link.one(sql.SUMS, self._scope, stamp=self._stamp)
            sound = row is not None and row[:3] == (state.cards, state.cards, state.size)
            if sound and desk.vectors and row is not None:
                kept = desk.link.one(sql.SUM_PASSAGES, self._scope, stamp=self._stamp)
                sound = kept is not None and kept[0] == row[3]
            if not sound:
                self._clear(desk)
            return sound

        if not self._write(work):
            self._tables.swept()


def vector_literal(vector: Vectors) -> str:
    """A vector as the server reads it."""
    return f"[{','.join([f'{x:.5g}' for x in vector.tolist()])}]"
