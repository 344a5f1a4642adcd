"""What the full-text index holds of a card whose text nobody knows any more.

The index has no text of its own, and takes words out only if it is told which. Where the text has
changed since it was filed, the words are read out of the index itself: all of it is looked through
once, which takes long and is seldom needed. A word that was taken out stays in the pages until they
are merged. Both are done in steps, so that nobody waits long.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

TOKENIZER = "porter unicode61"
ENDINGS = ("", "e", "s", "ed", "ing", "ness")
"""A stem may have a stem of its own (`agree`, `agre`, `agr`): then a word is told that leads to it."""

VOCABULARY = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, texts, instance)"
FIRST = "SELECT term FROM temp.vocabulary WHERE term >= ? LIMIT 1"
INSTANCES = """
    SELECT doc, term FROM temp.vocabulary
    WHERE term >= ? AND term < ? AND doc IN (SELECT value FROM json_each(?))"""
LETTERS = 2
"""Words that begin with the same are looked through at once: of a million texts, a second at most."""
BEHIND = "\U0010ffff"
"""Sorts behind all that can follow."""

MERGED = 200
"""Pages of the full-text index that are written at once where deleted words are to go from it."""

REST = 0.001
"""Between two steps somebody who waits gets his turn."""

Held = list[tuple[int, str]]
Run = Callable[[Callable[[sqlite3.Connection], tuple[Held, str]]], tuple[Held, str]]


def filed_words(read: Run, ids: Sequence[int]) -> Mapping[int, str]:
    """For each of these cards a text of which the index makes the very words that it holds of it."""
    rows = _instances(read, json.dumps(list(ids)))
    words = _leading_to({term for _, term in rows})
    held: dict[int, list[str]] = {card: [] for card in ids}
    for card, term in rows:
        if term in words:
            held[card].append(words[term])
    return {card: " ".join(told) for card, told in held.items()}


def take_words_out(db: sqlite3.Connection, card: int, text: str) -> None:
    """Take the words of a card out; `text` is as it was filed."""
    db.execute("INSERT INTO texts (texts, rowid, text) VALUES ('delete', ?, ?)", (card, text))


def merge_step(db: sqlite3.Connection, *, first: bool) -> bool:
    """A step towards pages without deleted words; is there more to do?"""
    before = db.total_changes
    pages = -MERGED if first else MERGED
    db.execute("INSERT INTO texts (texts, rank) VALUES ('merge', ?)", (pages,))
    return db.total_changes - before > 1


def _instances(read: Run, ids: str) -> Held:
    found: Held = []
    start = " "
    while start:
        rows, start = read(lambda db, at=start: _step(db, at, ids))
        found += rows
        time.sleep(REST)
    return found


def _step(db: sqlite3.Connection, start: str, ids: str) -> tuple[Held, str]:
    """What is held of the words from there on that begin with the same; where the next begin."""
    db.execute(VOCABULARY)
    try:
        first = db.execute(FIRST, (start,)).fetchone()
        if first is None:
            return [], ""
        term: str = first[0]
        end = term[:LETTERS] + (BEHIND if len(term) >= LETTERS else " ")
        return db.execute(INSTANCES, (term, end, ids)).fetchall(), end
    finally:
        db.execute("DROP TABLE temp.vocabulary")


def _leading_to(terms: Iterable[str]) -> dict[str, str]:
    """A word for each term, tried out beside the index."""
    left = sorted(terms)
    found: dict[str, str] = {}
    beside = sqlite3.connect(":memory:")
    try:
        beside.execute(
            f"CREATE VIRTUAL TABLE t USING fts5 (text, content='', tokenize='{TOKENIZER}')"
        )
        beside.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        for ending in ENDINGS:
            beside.execute("INSERT INTO t (t) VALUES ('delete-all')")
            tried = [(n, f"{term}{ending}") for n, term in enumerate(left, 1)]
            beside.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", tried)
            made: dict[int, list[str]] = {}
            for term, n in beside.execute("SELECT term, doc FROM v"):
                made.setdefault(n, []).append(term)
            found |= {left[n - 1]: word for n, word in tried if made.get(n) == [left[n - 1]]}
            left = [term for term in left if term not in found]
    finally:
        beside.close()
    return found
