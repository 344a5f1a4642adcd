"""Gather what may answer a question, and rank it: words, vectors, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow
from everthread.domain.aside import step_aside
from everthread.domain.recall.cards import Card
from everthread.domain.recall.findable import MESSAGES
from everthread.domain.recall.questions import Question
from everthread.domain.text.kin import with_kin
from everthread.ports import House, Likeness

if TYPE_CHECKING:
    from everthread.domain.recall.deck import Deck
    from everthread.domain.recall.relevance import Bools, Floats
    from everthread.ports.index import Vectors

DEPTH = 100
"""Candidates by words, and as many by meaning: what is ranked below these is not the answer. With
their neighbours they make some 700 cards; three times as many found no more and took twice as long."""

BESIDE = (-2, -1, 0, 1)
"""Neighbours of a candidate come along: a question and its answer often share no word."""

FEW = 5
"""Where fewer texts have any word of the question, those are looked for too that have its kin."""

STRANGE = 0.25
"""Where no word is found and nothing is more alike than this, there is no answer: strangers reach it."""

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

    def said(self) -> Iterator[Ranked]:
        """Messages, best first; a card is made when it is looked at, for few of them are."""
        return self._ranked(self.cards.are("kind", lambda kind: kind == "message"))

    def learnt(self) -> Iterator[Ranked]:
        """Memories and notes, best first."""
        return self._ranked(self.cards.are("kind", lambda kind: kind != "message"))

    def _ranked(self, wanted: Bools) -> Iterator[Ranked]:
        rows = wanted.nonzero()[0]
        for row in rows[(-self.scores[rows]).argsort(kind="stable")].tolist():
            step_aside()
            alike = float(self.alike[row])
            known = None if alike != alike else alike  # noqa: PLR0124 - only NaN differs from itself
            yield Ranked(self.cards[row], float(self.scores[row]), row, known)

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
) -> Gathered:
    """Candidates by words and by meaning with their neighbours, ranked."""
    import numpy as np  # noqa: PLC0415 - dear to load, and only recall needs it

    from everthread.domain.recall.deck import Deck  # noqa: PLC0415 - as above
    from everthread.domain.recall.relevance import Pool, rank  # noqa: PLC0415 - as above

    catalogue = house.index.of(agent)
    found = catalogue.search(question.words, limit=depth)
    if len(found) < FEW and len(asked := with_kin(question.words)) > len(question.words):
        found = catalogue.search(asked, limit=depth)
    step_aside()
    near = () if vector is None else catalogue.nearest(vector, limit=depth)
    seeds = np.array([*(card for card, _ in found), *near], dtype=np.int64)
    # Only messages have neighbours; ids of memories and notes next to each other mean nothing.
    around = np.add.outer(seeds[seeds >= MESSAGES], BESIDE).ravel()
    deck = Deck.of(catalogue.cards(np.unique(np.concatenate((seeds, around))).tolist()))
    step_aside()
    ids = deck.column("id")
    text = np.zeros(len(ids))
    # A card that was taken out since the search is not among them.
    there = np.isin(seeds[: len(found)], ids)
    scores = np.array([score for _, score in found])
    text[np.searchsorted(ids, seeds[: len(found)][there])] = scores[there]
    if vector is None:
        unknown = np.full(len(ids), np.nan)
        like = Likeness(unknown, unknown)
    else:
        like = catalogue.likeness(ids.tolist(), vector)
    if not found and not np.nanmax(like.first, initial=-1.0) >= STRANGE:
        deck, text, like = Deck.of([]), text[:0], Likeness(like.first[:0], like.best[:0])
    step_aside()
    ranking = rank(question, Pool(deck, text, like.first, like.best))
    return Gathered(deck, ranking.scores, like.first, ranking.parts)


def meaning(house: House, agent: AgentRow, gist: str) -> Vectors | None:
    """The vector of the question, where there are vectors to compare it with."""
    embedder = house.embedder
    if embedder is None or house.index.of(agent).model() != embedder.name:
        return None
    return embedder.ask(gist[:LONGEST_ASKED])
