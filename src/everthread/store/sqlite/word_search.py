"""Looking for words in the index file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from everthread.domain.text.word_forms import Beginning

from .card_rows import WORDING

# By `rank` it would be slower by half: that prepares a statement of its own, and judges the best twice.
SEARCH = "SELECT rowid, bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score, rowid LIMIT ?"
# Every card that has a word is looked at, which takes longer: only where some text is there so often.
APART = f"""
    SELECT id, score FROM (
        SELECT id, score, row_number() OVER (PARTITION BY {WORDING} ORDER BY id DESC) AS nth
        FROM (SELECT rowid AS id, bm25(texts) AS score FROM texts WHERE texts MATCH ?) JOIN cards USING (id)
    ) WHERE nth <= ?
    ORDER BY score, id LIMIT ?"""

HELD = "SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = ?"


def search_words(
    db: sqlite3.Connection, words: Sequence[str], limit: int, repeats: int | None
) -> list[tuple[int, float]]:
    """The cards that fit best, with a score above zero."""
    match = " OR ".join(_quoted(words))
    if not match:
        return []
    if repeats is None:
        rows = db.execute(SEARCH, (match, limit)).fetchall()
    else:
        rows = db.execute(APART, (match, repeats, limit)).fetchall()
    return [(card, -score) for card, score in rows]


def most_words(
    db: sqlite3.Connection, ids: Sequence[int], words: Sequence[str], enough: int
) -> int:
    """How many of the words the card has that has most of them, or `enough`.

    Word by word for one card after the other: mostly the first has enough, and each look costs as much.
    """
    asked, most = _quoted(words), 0
    for card in ids:
        held = 0
        for n, word in enumerate(asked):
            if most >= enough or held + len(asked) - n <= most:
                break
            held += db.execute(HELD, (word, card)).fetchone() is not None
            most = max(most, held)
    return most


def _quoted(words: Sequence[str]) -> list[str]:
    """What is quoted is no syntax; at a character of number zero SQLite would stop to read."""
    plain = [(word.replace('"', '""').replace("\0", ""), word) for word in words]
    return [f'"{text}"{"*" * isinstance(word, Beginning)}' for text, word in plain if text]
