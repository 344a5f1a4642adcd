"""The index of one agent beside the store: one SQLite file for words and cards, flat files for vectors.

Derived from the store, so a crash costs at most some work: commits are not synced one by one, and
what is damaged is thrown away and made anew.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from everthread.domain.errors import IndexDamaged
from everthread.domain.recall.cards import Card
from everthread.domain.text.words import index_text
from everthread.ports.index import Counts, Filing, IndexProgress, Likeness

from .card_rows import READ, card_row, embedded_row, vectors_of
from .catalogue_file import MALFORMED, CatalogueFile, get_fact, put_fact
from .filed_cards import SAID, cards_unsure, filings_unknown
from .filed_words import REST, filed_words, merge_step, take_words_out
from .word_search import most_words, search_words

if TYPE_CHECKING:
    from .vectors import Array, Floats, Read, Vectors

T = TypeVar("T")


class VectorsLost(Exception):
    """The files are not there, or too short."""


class SqliteCatalogue(CatalogueFile):
    """`path=None` keeps it in memory, as the store itself is then."""

    # Words and cards ------------------------------------------------------------------------------

    def reached(self) -> IndexProgress:
        def work(db: sqlite3.Connection) -> IndexProgress:
            self.follow(db)
            threads = dict(db.execute("SELECT thread_id, seq FROM threads").fetchall())
            return IndexProgress(get_fact(db, "entry") or 0, threads, get_fact(db, "shared") or 0)

        return self.read(work)

    def file(
        self,
        filings: Sequence[Filing],
        *,
        threads: Mapping[int, int],
        entry: int | None = None,
        shared: int | None = None,
    ) -> int:
        def work(db: sqlite3.Connection) -> int:
            self.must_follow(db)
            fresh = filings_unknown(db, filings)
            self._named(db)
            db.executemany(
                "INSERT INTO texts (rowid, text) VALUES (?, ?)",
                [(card.id, index_text(text)) for card, text in fresh],
            )
            db.executemany("INSERT INTO cards (id, card) VALUES (?, ?)", self._rows(db, fresh))
            db.executemany(
                "INSERT INTO memories (id, place, text) VALUES (?, ?, ?)",
                [(card.id, card.place, text) for card, text in fresh if card.kind != "message"],
            )
            db.executemany(
                "INSERT INTO threads VALUES (?, ?) ON CONFLICT (thread_id) "
                "DO UPDATE SET seq = max(seq, excluded.seq)",
                list(threads.items()),
            )
            if entry is not None:
                put_fact(db, "entry", max(entry, get_fact(db, "entry") or 0))
            if shared is not None:
                put_fact(db, "shared", shared)
            return len(fresh)

        return self.write(work)

    def take_out(self, ids: Sequence[int], *, scrub: bool) -> None:
        def work(db: sqlite3.Connection) -> None:
            rows: list[int] = []
            for card in ids:
                found = db.execute("SELECT text FROM memories WHERE id = ?", (card,)).fetchone()
                if found is None:
                    continue
                take_words_out(db, card, index_text(found[0]))
                rows += _rows_of(db, card)
                db.execute("DELETE FROM cards WHERE id = ?", (card,))
                db.execute("DELETE FROM memories WHERE id = ?", (card,))
            if scrub:
                put_fact(db, "unscrubbed", 1)
            self._blanked(db, rows)

        self.write(work)
        if scrub:
            self.scrub(lambda: time.sleep(REST))

    def scrub(self, pause: Callable[[], None]) -> None:
        # A deleted word stays in its segment until that is merged; in one go, all would wait for it.
        more = self.write(lambda db: merge_step(db, first=True))
        while more:
            pause()
            more = self.write(lambda db: merge_step(db, first=False))
        # As long as the log keeps the words, the next check tries again.
        if self.settle():
            self.write(lambda db: put_fact(db, "unscrubbed", 0))

    def withdraw(self, filings: Sequence[Filing]) -> int:
        """If all is made anew while words are looked up, they are not those that it holds then."""
        while True:
            life, unsure = self.read(lambda db: (get_fact(db, "life"), cards_unsure(db, filings)))
            told = {filing.card.id: index_text(filing.text) for filing in filings}
            if unsure:
                told |= filed_words(self.read, unsure)
            gone = self.write(lambda db, t=told, n=life: self._withdrawn(db, t, n))
            if gone is not None:
                return gone

    def _withdrawn(self, db: sqlite3.Connection, told: Mapping[int, str], life: int) -> int | None:
        if get_fact(db, "life") != life:
            return None
        rows: list[int] = []
        known = [card for (card,) in db.execute(SAID, (json.dumps(list(told)),))]
        for card in known:
            take_words_out(db, card, told[card])
            rows += _rows_of(db, card)
            db.execute("DELETE FROM cards WHERE id = ?", (card,))
        self._blanked(db, rows)
        return len(known)

    def _blanked(self, db: sqlite3.Connection, rows: Sequence[int]) -> None:
        """The vectors of what went are overwritten."""
        self._mend(db)
        if rows and get_fact(db, "rows"):
            _checksums(db, self._vectors().blank(rows, get_fact(db, "rows")))
        self._read = None

    def memories(self) -> Mapping[int, int]:
        return self.read(lambda db: dict(db.execute("SELECT id, place FROM memories")))

    def search(
        self, words: Sequence[str], *, limit: int, repeats: int | None = None
    ) -> Sequence[tuple[int, float]]:
        return self.read(lambda db: search_words(db, words, limit, repeats)) if words else []

    def most_words(self, ids: Sequence[int], words: Sequence[str], *, enough: int) -> int:
        return self.read(lambda db: most_words(db, ids, words, enough))

    def cards(self, ids: Iterable[int]) -> Sequence[Card]:
        from everthread.domain.recall.deck import Deck  # noqa: PLC0415 - numpy, only to recall

        wanted = sorted(set(ids))

        def work(db: sqlite3.Connection) -> Deck:
            self._read = read = self._reading(db, wanted)
            self._read_at = _data_version(db)
            return Deck(read, self._named(db))

        return self.read(work)

    def _reading(self, db: sqlite3.Connection, ids: list[int]) -> Read:
        from .vectors import read_rows  # noqa: PLC0415 - as above

        return read_rows(db.execute(READ, (json.dumps(ids),)).fetchone()[0])

    def _rows(self, db: sqlite3.Connection, fresh: Sequence[Filing]) -> list[tuple[int, bytes]]:
        """The cards as they lie in the index; hundreds share the few names they bear."""
        known: dict[tuple[str, str, str], tuple[int, int, int]] = {}
        rows: list[tuple[int, bytes]] = []
        for card, _text in fresh:
            names = card.kind, card.role, card.speaker
            numbers = known.get(names)
            if numbers is None:
                kind, role, speaker = (self._number(db, name) for name in names)
                known[names] = numbers = kind, role, speaker
            rows.append((card.id, card_row(card, *numbers)))
        return rows

    def _number(self, db: sqlite3.Connection, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            db.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (name,))
            row = db.execute("SELECT name_id FROM names WHERE name = ?", (name,)).fetchone()
            number = int(row[0])
        return number

    def _named(self, db: sqlite3.Connection) -> dict[int, str]:
        newest: int = db.execute("SELECT max(name_id) FROM names").fetchone()[0] or 0
        if len(self._names) != newest:
            self._names = dict(db.execute("SELECT name_id, name FROM names").fetchall())
            self._numbers = {name: number for number, name in self._names.items()}
        return self._names

    def model(self) -> str | None:
        return self.read(lambda db: get_fact(db, "model") if get_fact(db, "rows") else None)

    def counts(self, model: str | None = None) -> Counts:
        def work(db: sqlite3.Connection) -> Counts:
            cards: int = db.execute("SELECT count(*) FROM cards").fetchone()[0]
            waiting: int = db.execute(
                "SELECT count(*) FROM cards WHERE passages IS NULL"
            ).fetchone()[0]
            if model is None or get_fact(db, "model") != model:
                return Counts(cards, 0)
            return Counts(cards, cards - waiting)

        return self.read(work)

    # Vectors --------------------------------------------------------------------------------------

    def _vectors(self) -> Vectors:
        """Of this generation: after a loss, or a change of the model, files of another name begin."""
        if self._files is None:
            from .vectors import Vectors  # noqa: PLC0415 - numpy, only where there are vectors

            stem = self._path
            self._files = Vectors(
                None if stem is None else stem.with_name(f"{stem.name}.{self._generation}")
            )
        return self._files

    def _has_vectors(self, db: sqlite3.Connection) -> bool:
        """Are there vectors, all of those that were written?"""
        rows: int = get_fact(db, "rows") or 0
        if not rows:
            return False
        if not self._vectors().look(rows):
            raise VectorsLost
        return True

    def _compared(self, work: Callable[[sqlite3.Connection], T], without: T) -> T:
        """Do it with the vectors. Where they turn out to be lost, text goes on; all is embedded again."""

        def looked(db: sqlite3.Connection) -> T:
            return work(db) if self._has_vectors(db) else without

        try:
            return self.read(looked)
        except VectorsLost:
            self.write(self._mend)
            return without

    def _mend(self, db: sqlite3.Connection) -> None:
        """Looked at again, now alone: another process may have been here first."""
        try:
            self._has_vectors(db)
        except VectorsLost:
            self._forget_vectors(db)

    def _forget_vectors(self, db: sqlite3.Connection) -> None:
        """Text goes on; the worker embeds everything again."""
        self._vectors().remove()
        db.execute("UPDATE cards SET passages = NULL WHERE passages IS NOT NULL")
        db.execute("DELETE FROM blocks")
        put_fact(db, "rows", 0)
        generation = self._generation + 1
        put_fact(db, "generation", generation)
        self._files = None
        self._read = None
        self._generation = generation

    def nearest(self, vector: Floats, *, limit: int) -> Sequence[int]:
        def work(_: sqlite3.Connection) -> list[int]:
            ids, _values = self._vectors().nearest(vector, limit)
            return list(dict.fromkeys(card for card in ids.tolist() if card))[:limit]

        return self._compared(work, [])

    def likeness(self, ids: Sequence[int], vector: Floats) -> Likeness:
        import numpy as np  # noqa: PLC0415

        from .vectors import spans  # noqa: PLC0415

        wanted = np.asarray(ids, dtype=np.int64)
        first = np.full(len(ids), np.nan, dtype=np.float32)
        best = first.copy()

        def work(db: sqlite3.Connection) -> Likeness:
            at, starts, sizes = spans(self._known(db, wanted), wanted, self._generation)
            if len(at):
                first[at], best[at] = self._vectors().alike(starts, sizes, vector)
            return Likeness(first, best)

        return self._compared(work, Likeness(first, best))

    def kinship(self, ids: Sequence[int], others: Sequence[int]) -> Floats:
        import numpy as np  # noqa: PLC0415

        def work(db: sqlite3.Connection) -> Floats:
            return self._directions(db, ids) @ self._directions(db, others).T

        return self._compared(work, np.full((len(ids), len(others)), np.nan, dtype=np.float32))

    def _directions(self, db: sqlite3.Connection, ids: Sequence[int]) -> Floats:
        """The first passage of each of these cards; NaN without one."""
        import numpy as np  # noqa: PLC0415

        from .vectors import DIMENSIONS, spans  # noqa: PLC0415

        wanted = np.asarray(ids, dtype=np.int64)
        found = np.full((len(ids), DIMENSIONS), np.nan, dtype=np.float32)
        at, starts, _ = spans(self._known(db, wanted), wanted, self._generation)
        if len(at):
            found[at] = self._vectors().directions(starts)
        return found

    def _known(self, db: sqlite3.Connection, wanted: Array) -> Read:
        """The rows of these cards: at hand, if they are of the last that were read and nobody wrote since."""
        from .vectors import covers  # noqa: PLC0415

        known = self._read
        if known is not None and self._read_at == _data_version(db) and covers(known, wanted):
            return known
        return self._reading(db, sorted(set(wanted.tolist())))

    def unembedded(self, model: str, *, limit: int) -> Sequence[int]:
        def work(db: sqlite3.Connection) -> list[int]:
            if get_fact(db, "model") not in (None, model):
                self._forget_vectors(db)
                put_fact(db, "model", model)
            rows = db.execute(
                "SELECT id FROM cards WHERE passages IS NULL ORDER BY id DESC LIMIT ?", (limit,)
            )
            return [card for (card,) in rows]

        return self.write(work)

    def embed(self, model: str, vectors: Sequence[tuple[int, Floats]]) -> None:
        import numpy as np  # noqa: PLC0415

        def work(db: sqlite3.Connection) -> None:
            if get_fact(db, "model") not in (None, model):
                self._forget_vectors(db)
            put_fact(db, "model", model)
            self._mend(db)
            rows: int = get_fact(db, "rows") or 0
            known = _cards_waiting(db, [card for card, _ in vectors])
            wanted = [(card, part) for card, part in vectors if card in known]
            at = rows
            ids: list[int] = []
            for card, part in wanted:
                size = len(part)
                db.execute(
                    "UPDATE cards SET passages = ?, card = ? WHERE id = ?",
                    (size, embedded_row(known[card], size, at, self._generation), card),
                )
                ids += [card] * size
                at += size
            if ids:
                stacked = np.concatenate([part for _, part in wanted if len(part)])
                _checksums(db, self._vectors().append(rows, ids, stacked))
                put_fact(db, "rows", at)
            self._read = None

        self.write(work)

    def check(self) -> None:
        """Compare everything with its checksums; what is not sound is dropped."""

        def work(db: sqlite3.Connection) -> None:
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError(MALFORMED)
            db.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")
            rows: int = get_fact(db, "rows") or 0
            told = dict(db.execute("SELECT block, checksum FROM blocks").fetchall())
            if rows and not self._vectors().sound(rows, told):
                self._forget_vectors(db)

        # What is damaged is thrown away then, and made anew by whoever files next.
        with suppress(IndexDamaged):
            self.write(work)
            if self.read(lambda db: get_fact(db, "unscrubbed")):
                self.scrub(lambda: time.sleep(REST))  # somebody was stopped, or read, in the middle


def _data_version(db: sqlite3.Connection) -> int:
    """Another number, once another connection has written."""
    return db.execute("PRAGMA data_version").fetchone()[0]


def _cards_waiting(db: sqlite3.Connection, ids: Sequence[int]) -> Mapping[int, bytes]:
    rows = db.execute(
        "SELECT id, card FROM cards WHERE passages IS NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return dict(rows.fetchall())


def _rows_of(db: sqlite3.Connection, card: int) -> range:
    found = db.execute("SELECT card FROM cards WHERE id = ?", (card,)).fetchone()
    return range(0) if found is None else vectors_of(found[0], get_fact(db, "generation"))


def _checksums(db: sqlite3.Connection, told: Mapping[int, int]) -> None:
    db.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?)", list(told.items()))
