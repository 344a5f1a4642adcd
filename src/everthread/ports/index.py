"""What can be found again. All of it is derived from the store and can be made anew at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from everthread.domain.agents import AgentRow
    from everthread.domain.recall.cards import Card

    Vectors = NDArray[float32]


class Filing(NamedTuple):
    """A card, and the text by which it is found."""

    card: Card
    text: str


class IndexProgress(NamedTuple):
    """How far a catalogue follows the store."""

    entry: int
    """The number in the agent's timeline up to which it has seen everything."""
    threads: Mapping[int, int]
    """Of each thread, the seq of the last message it holds."""
    shared: int = 0
    """Which memories of other agents it holds, as one number: another number, others to file."""


class Likeness(NamedTuple):
    """How alike cards are to a question: of the first passage and of the best; NaN without vectors."""

    first: Vectors
    best: Vectors


class Counts(NamedTuple):
    """How much there is, and how much of it has vectors."""

    cards: int
    embedded: int


class Catalogue(Protocol):
    """The index of one agent. It holds nothing of another's, so nothing can leak.

    Where it finds itself damaged it starts empty and raises `IndexDamaged`: file again, ask again.
    """

    def reached(self) -> IndexProgress: ...

    def file(
        self,
        filings: Sequence[Filing],
        *,
        threads: Mapping[int, int],
        entry: int | None = None,
        shared: int | None = None,
    ) -> int:
        """Add cards; how many were new. What another process filed meanwhile is passed over.

        `threads`: the seq that is reached with them; `entry` and `shared`: see `Reached`, set when
        all of it is filed.
        """
        ...

    def take_out(self, ids: Sequence[int], *, scrub: bool) -> None:
        """Remove cards of memories: they are found no more.

        `scrub`: nor may a word stay of these, or of any that was taken out before. Dear, as all of the
        index is gone through, so only for what was forgotten.
        """
        ...

    def scrub(self, pause: Callable[[], None]) -> None:
        """No word stays of anything that was removed before, in no file; others may work meanwhile."""
        ...

    def withdraw(self, filings: Sequence[Filing]) -> int:
        """Remove cards of messages that are about to go; how many there were.

        Each with the text by which it was filed, so that its words go too. Without a text (it is not
        known any more) they are looked for in the index itself, which takes long.
        """
        ...

    def memories(self) -> Mapping[int, int]:
        """Cards of memories: id and place, which is below zero for one that another agent owns."""
        ...

    def search(
        self, words: Sequence[str], *, limit: int, repeats: int | None = None
    ) -> Sequence[tuple[int, float]]:
        """The cards whose text fits best, with a score above zero, best first.

        A word may be a `Beginning`: then every word that begins so will do.

        With `repeats`: of messages that say the same, word for word, so many, the last ones.
        """
        ...

    def most_words(self, ids: Sequence[int], words: Sequence[str], *, enough: int) -> int:
        """How many of the words that one of these cards has which has most of them.

        From `enough` on it may be more: nobody looks any further.
        """
        ...

    def nearest(self, vector: Vectors, *, limit: int) -> Sequence[int]:
        """The cards of which a passage is most alike, best first; those without vectors are absent."""
        ...

    def likeness(self, ids: Sequence[int], vector: Vectors) -> Likeness:
        """How alike each of these cards is."""
        ...

    def kinship(self, ids: Sequence[int], others: Sequence[int]) -> Vectors:
        """How alike these cards are to those, by first passages: a row for each; NaN without vectors."""
        ...

    def cards(self, ids: Iterable[int]) -> Sequence[Card]:
        """Those of these cards that exist, in the order of their ids."""
        ...

    def unembedded(self, model: str, *, limit: int) -> Sequence[int]:
        """Cards without vectors of that model; vectors of another one do not count."""
        ...

    def embed(self, model: str, vectors: Sequence[tuple[int, Vectors]]) -> None:
        """Keep the passages' vectors of these cards; no rows mean that there is nothing to embed."""
        ...

    def model(self) -> str | None:
        """The model of which it holds vectors; None where it holds none."""
        ...

    def counts(self, model: str | None = None) -> Counts: ...


class Index(Protocol):
    def of(self, agent: AgentRow) -> Catalogue: ...

    def drop(self, agent: AgentRow) -> None:
        """Remove all that was derived of an agent; the next use makes it anew."""
        ...

    def check(self, agent: AgentRow) -> None:
        """Look whether what lies on disk is sound; what is not is dropped, to be made anew."""
        ...

    def settle(self, agent: AgentRow) -> bool:
        """Bring it to its final place: nothing that was removed lingers in a log.

        False: it does for now, as somebody reads; to be tried again later.
        """
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def place(self) -> str:
        """Its folder on this machine; empty where it has none."""
        ...

    def spare(self) -> Index:
        """One in memory, for as long as this one finds no space; this one where it has no folder.

        It is kept for a while, for the next question, and closed with this one.
        """
        ...

    def lacks(self) -> str:
        """What is missing, and what to do, where vectors cannot be kept; empty where they can."""
        ...

    def beside(self) -> Index:
        """The same for work beside whoever serves: neither waits until the other has looked something up.

        It is closed with this one.
        """
        ...

    def close(self) -> None: ...
