"""Gather what may answer a question, and rank it: words, vectors, and what stands beside them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import ceil, nan
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow
from everthread.domain.pauses import step_aside
from everthread.domain.recall.cards import Card
from everthread.domain.recall.final_scores import EQUAL
from everthread.domain.recall.questions import Question
from everthread.domain.recall.search_text import MESSAGES
from everthread.domain.recall.weights import COVERED, OWED
from everthread.domain.text.related_words import with_kin
from everthread.domain.text.word_forms import looked_up
from everthread.ports import Catalogue, House, Likeness

if TYPE_CHECKING:
    from everthread.domain.recall.deck import Deck
    from everthread.domain.recall.relevance import Bools, Floats
    from everthread.ports.index import Vectors

DEPTH = 100
"""Candidates by words, and as many by meaning: what is ranked below these is not the answer. With
their neighbours they make some 700 cards; three times as many found no more and took twice as long."""

BESIDE = (-2, -1, 0, 1)
"""Neighbours of a candidate come along: a question and its answer often share no word."""

REPEATS = 5
"""Of messages that say the same, word for word, so many are candidates: a prompt that came a thousand
times leaves no room for what answers it."""

FEW = 5
"""Where fewer texts have any word of the question, those are looked for too that have its kin."""

FULLEST = 3
"""Of so many of the best matches by words it is asked how many of the question's words each has."""

STRANGE = 0.15
"""Where no word is found and nothing is more alike than this, there is no answer. That happens among few
texts alone, where strangers seldom reach it and a short answer in other words has 0.2; what is so faintly
alike is told with a low score, and no turn is given it."""

WORDLESS = 0.25
"""The same of a question without any word ("???"), which is a little like everything."""

BEST, COMPARED = 12, 96
"""Of so many of the best it is asked how alike they are to so many: all that is shown, and some that are
not, as more is found of one thing than is told of it."""

LONGEST_ASKED = 2_000
"""The model reads no more of a question."""


class Ranked(NamedTuple):
    """A card, what it scores, from 0 to 1, and its row in what was gathered."""

    card: Card
    score: float
    row: int
    alike: float | None
    """Cosine of the question and its first passage, where both are embedded."""


class Gathered(NamedTuple):
    """What may answer a question."""

    cards: Deck
    scores: Floats
    alike: Floats
    shares: Mapping[str, Floats]
    more: bool
    """Is there more that has a word of the question, or is like it?"""
    thinned: bool
    """Were some left out for others that say the same?"""
    sure: float = 1.0
    """By what their scores are to be told: each is one candidate's share of the best, which may be bad."""

    def said(self, past: Container[int] = ()) -> Iterator[Ranked]:
        """Messages, best first; a card is made when it is looked at, for few of them are.

        Those whose wording is `past` by then are left out.
        """
        wording = self.cards.column("wording").tolist()
        for each in self._rows(self.cards.are("kind", lambda kind: kind == "message")):
            if wording[each] not in past:
                yield self._ranked(each)

    def learnt(self) -> Iterator[Ranked]:
        """Memories and notes, best first."""
        return map(self._ranked, self._rows(self.cards.are("kind", lambda kind: kind != "message")))

    def _rows(self, wanted: Bools) -> Sequence[int]:
        """Best first; of equals the newest: what was said again with another value is so now."""
        import numpy as np  # noqa: PLC0415 - as below

        rows = wanted.nonzero()[0]
        worth = np.round(self.scores[rows], EQUAL)
        return rows[np.lexsort((-self.cards.column("at")[rows], -worth))].tolist()

    def _ranked(self, row: int) -> Ranked:
        step_aside()
        alike = float(self.alike[row])
        known = None if alike != alike else alike  # noqa: PLR0124 - only NaN differs from itself
        return Ranked(self.cards[row], float(self.scores[row]), row, known)

    def parts(self, row: int) -> dict[str, float]:
        """What each signal adds to the score of a row."""
        return {name: float(share[row]) for name, share in self.shares.items()}


def gather(
    house: House,
    agent: AgentRow,
    question: Question,
    vector: Vectors | None = None,
    *,
    depth: int = DEPTH,
    repeats: int | None = REPEATS,
    held: Sequence[int] = (),
) -> Gathered:
    """Candidates by words and by meaning with their neighbours, ranked.

    `held`: cards that have what is asked for, where that is no word.
    """
    import numpy as np  # noqa: PLC0415 - slow to load, and only recall needs it

    from everthread.domain.recall.deck import Deck  # noqa: PLC0415 - as above
    from everthread.domain.recall.relevance import Pool, certainty, rank  # noqa: PLC0415 - as above

    catalogue = house.index.of(agent)
    seeds = (
        _seeds_of(catalogue, held) if held else _seeds(catalogue, question, vector, depth, repeats)
    )
    more = len(seeds.found) >= depth or len(seeds.near) >= depth
    deck = seeds.deck
    step_aside()
    ids = deck.column("id")
    text = np.zeros(len(ids))
    found = np.array([card for card, _ in seeds.found], dtype=np.int64)
    if len(ids):
        at = np.minimum(np.searchsorted(ids, found), len(ids) - 1)
        there = ids[at] == found  # one that was taken out since the search is not
        text[at[there]] = np.array([score for _, score in seeds.found])[there]
    if vector is None:
        unknown = np.full(len(ids), np.nan)
        like = Likeness(unknown, unknown)
    else:
        like = catalogue.likeness(ids.tolist(), vector)
    best = float(np.nanmax(like.first, initial=-1.0))
    if not len(found) and not best >= (STRANGE if question.words else WORDLESS):
        deck, text, like = Deck.of([]), text[:0], Likeness(like.first[:0], like.best[:0])
        more = False
    step_aside()
    covered = _covered(catalogue, seeds, 0 if held else len(question.words))
    counted = covered if len(found) and vector is not None else 1.0
    ranking = rank(question, Pool(deck, text, like.first, like.best, counted))
    likely = best - OWED if question.foreign else best
    sure = certainty(covered, None if np.isnan(like.first).all() else likely)
    return Gathered(deck, ranking.scores, like.first, ranking.parts, more, seeds.thinned, sure)


class Kinship(NamedTuple):
    """How alike the best of what was gathered are to each other."""

    best: Mapping[int, int]
    """Rows of what was gathered, and of the cosines."""
    compared: Mapping[int, int]
    cosines: Floats

    def alike(self, one: int, other: int) -> float:
        """The cosine of two rows of what was gathered; NaN where it is not known."""
        at, to = self.best.get(one), self.compared.get(other)
        return nan if at is None or to is None else float(self.cosines[at, to])


def kinship(house: House, agent: AgentRow, gathered: Gathered) -> Kinship:
    """Of the `BEST` each, compared with the `COMPARED`: what was told anew is found by what it renews.

    Only what is told to an agent, which is to know what holds; people who talk among themselves come back
    to a matter without changing any of it.
    """
    from everthread.domain.recall.relevance import between_people  # noqa: PLC0415 - as below

    wanted = (~between_people(gathered.cards)).nonzero()[0]
    order = (-gathered.scores[wanted]).argsort(kind="stable")[:COMPARED]
    rows: list[int] = wanted[order].tolist()
    ids = gathered.cards.column("id")[rows].tolist()
    cosines = house.index.of(agent).kinship(ids[:BEST], ids)
    places = {row: n for n, row in enumerate(rows)}
    return Kinship({row: n for row, n in places.items() if n < BEST}, places, cosines)


class _Seeds(NamedTuple):
    """What has words of the question, with scores; what is like it; both with their neighbours."""

    words: Sequence[str]
    found: Sequence[tuple[int, float]]
    near: Sequence[int]
    deck: Deck
    thinned: bool = False


def _seeds(
    catalogue: Catalogue,
    question: Question,
    vector: Vectors | None,
    depth: int,
    repeats: int | None,
) -> _Seeds:
    words: Sequence[str] = looked_up(question.words)
    found = catalogue.search(words, limit=depth)
    if len(found) < FEW and len(asked := looked_up(with_kin(question.words))) > len(words):
        words = asked
        found = catalogue.search(words, limit=depth)
    step_aside()
    near: Sequence[int] = () if vector is None else catalogue.nearest(vector, limit=depth)
    deck = _with_neighbours(catalogue, found, near)
    if repeats is None or not _is_crowded(deck, found, near, repeats):
        return _Seeds(words, found, near, deck)
    found = catalogue.search(words, limit=depth, repeats=repeats)
    step_aside()
    near = () if vector is None else _nearest_distinct(catalogue, vector, depth, repeats)
    return _Seeds(words, found, near, _with_neighbours(catalogue, found, near), thinned=True)


def _seeds_of(catalogue: Catalogue, held: Sequence[int]) -> _Seeds:
    """What has the very thing: each as well as another."""
    found = [(card, 1.0) for card in held]
    return _Seeds((), found, (), _with_neighbours(catalogue, found, ()))


def _covered(catalogue: Catalogue, seeds: _Seeds, asked: int) -> float:
    """How much of the question's words one text has, of `asked`; nothing where no text has any.

    Kin stands for a word of the question and is none besides: no text has all that is looked for then.
    """
    if not seeds.found or not asked:
        return 1.0 if seeds.found else 0.0
    best = [card for card, _ in seeds.found[:FULLEST]]
    enough = ceil(COVERED * asked)
    return min(catalogue.most_words(best, seeds.words, enough=enough) / asked, 1.0)


def _with_neighbours(
    catalogue: Catalogue, found: Sequence[tuple[int, float]], near: Sequence[int]
) -> Deck:
    import numpy as np  # noqa: PLC0415 - as above

    from everthread.domain.recall.deck import Deck  # noqa: PLC0415 - as above

    seeds = np.array([*(card for card, _ in found), *near], dtype=np.int64)
    # Only messages have neighbours; ids of memories and notes next to each other mean nothing.
    around = np.add.outer(seeds[seeds >= MESSAGES], BESIDE).ravel()
    return Deck.of(catalogue.cards(np.concatenate((seeds, around)).tolist()))


def _is_crowded(
    deck: Deck, found: Sequence[tuple[int, float]], near: Sequence[int], repeats: int
) -> bool:
    """Is some text among them more often than it may be? As a neighbour it takes nobody's place."""
    told = deck.repeated(repeats)
    if not told.any():
        return False
    often = set(deck.column("id")[told].tolist())
    return any(card in often for card, _ in found) or any(card in often for card in near)


def _nearest_distinct(
    catalogue: Catalogue, vector: Vectors, depth: int, repeats: int
) -> Sequence[int]:
    """The nearest, without what others of them say word for word."""
    from everthread.domain.recall.deck import Deck  # noqa: PLC0415 - as above

    kept: list[int] = []
    for wide in (10 * depth, 100 * depth):
        near = catalogue.nearest(vector, limit=wide)
        deck = Deck.of(catalogue.cards(near))
        often = set(deck.column("id")[deck.repeated(repeats)].tolist())
        kept = [card for card in near if card not in often]
        if len(kept) >= depth or len(near) < wide:
            break
    return kept[:depth]


def question_vector(house: House, agent: AgentRow, gist: str) -> Vectors | None:
    """The vector of the question, where there are vectors to compare it with."""
    embedder = house.embedder
    if embedder is None or house.index.of(agent).model() != embedder.name:
        return None
    return embedder.ask(gist[:LONGEST_ASKED])
