"""Looking for words in the index file."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence

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

COUNT = "SELECT count(*) FROM texts WHERE texts MATCH ?"
# At least as many as there are cards.
ALL = "SELECT coalesce((SELECT sum(seq) FROM threads), 0) + (SELECT count(*) FROM memories)"

LARGE = 50_000
"""Below so many cards, all that have a word are judged: to count them first would not pay."""

MANY = 25_000
"""Nor does it where fewer have one: too few of them have two that could leave out the others."""

MOST = 2.2
"""So many times its weight a word adds at most to a score: bm25 with FTS5's k1 = 1.2, said without end."""

HELD = "SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = ?"


def search_words(
    db: sqlite3.Connection, words: Sequence[str], limit: int, repeats: int | None
) -> list[tuple[int, float]]:
    """The cards that fit best, with a score above zero."""
    asked = list(dict.fromkeys(_quoted(words)))
    if not asked:
        return []
    if repeats is None:
        found = _best(db, SEARCH, asked, (limit,))
    else:
        found = _best(db, APART, asked, (repeats, limit))
    return [(card, -score) for card, score in found]


Scored = list[tuple[int, float]]
"""Cards with their scores as FTS5 gives them: the lower, the better."""


def _best(db: sqlite3.Connection, search: str, asked: list[str], limits: tuple[int, ...]) -> Scored:
    """To judge a card takes twenty times as long as to find it, so in a large store not all are judged."""

    def judged(match: str) -> Scored:
        return db.execute(search, (match, *limits)).fetchall()

    cards: int = db.execute(ALL).fetchone()[0]
    if len(asked) > 1 and cards >= LARGE:
        counts = {word: db.execute(COUNT, (word,)).fetchone()[0] for word in asked}
        if sum(counts.values()) >= MANY:
            weights = {word: _weight(count, cards) for word, count in counts.items()}
            found = best_of_two(judged, weights, limits[-1])
            if found is not None:
                return found
    return judged(_any_of(asked))


def best_of_two(
    judged: Callable[[str], Scored], weights: dict[str, float], limit: int
) -> Scored | None:
    """The same as if all were judged; None, if too few have two of the words.

    Those that have two are judged first. Whether a card with only one can be as good follows from the
    word's weight, and most words have too little of it.
    """
    found: dict[int, float] = {}
    for match in _pairs(list(weights)):
        found = dict(judged(match)) | found
    if len(found) < limit:
        return None
    last = _sorted(found, limit)[-1][1]
    for word, weight in weights.items():
        if -MOST * weight <= last:
            found = dict(judged(word)) | found
    return _sorted(found, limit)


def _weight(count: int, cards: int) -> float:
    """What FTS5's bm25 makes of a word that `count` of the cards have."""
    return max(math.log((max(cards, count) - count + 0.5) / (count + 0.5)), 1e-6)


def _pairs(asked: list[str]) -> Iterator[str]:
    """Some searches, one of which at least finds each card that has two of the words.

    Two numbers differ in some digit. So the words are parted by each binary digit of theirs, and one of
    either part is asked for. Every word stands once in each search, so that the scores are the same.
    """
    for digit in range((len(asked) - 1).bit_length()):
        parts: tuple[list[str], list[str]] = [], []
        for number, word in enumerate(asked):
            parts[number >> digit & 1].append(word)
        yield " AND ".join(f"({_any_of(part)})" for part in parts)


def _any_of(asked: list[str]) -> str:
    return " OR ".join(asked)


def _sorted(found: dict[int, float], limit: int) -> Scored:
    return sorted(found.items(), key=lambda pair: (pair[1], pair[0]))[:limit]


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
