"""Many cards at once, column by column: for one question hundreds are judged, and few are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .cards import Card

Ints = NDArray[np.int64]

FEW = 64

_FIELDS = np.dtype([(name, np.int64) for name in Card._fields])


class Deck(Sequence[Card]):
    """Cards as rows of numbers; a card is made of one when somebody looks at it.

    Kind, role and speaker are numbers here, too, of which `names` tells the words.
    """

    __slots__ = ("_rows", "names")

    def __init__(self, rows: NDArray[Any], names: Mapping[int, str]) -> None:
        self._rows = rows
        self.names = names

    @classmethod
    def of(cls, cards: Sequence[Card]) -> Deck:
        """The same cards, column by column."""
        if isinstance(cards, Deck):
            return cards
        numbers: dict[str, int] = {}

        def number(name: str) -> int:
            return numbers.setdefault(name, len(numbers))

        rows = [
            (c.id, number(c.kind), c.place, c.session, number(c.role), number(c.speaker), *c[6:])
            for c in cards
        ]
        names = {number: name for name, number in numbers.items()}
        return cls(np.array(rows, dtype=_FIELDS), names)

    def column(self, field: str) -> Ints:
        """One field of all cards, in their order."""
        return self._rows[field].astype(np.int64)

    def are(self, field: str, such: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Of which cards the kind, the role or the speaker is such; each name is asked about once."""
        column = self._rows[field]
        # Where there are few names, to ask about all of them is quicker than to see which occur.
        numbers = set(self.names) if len(self.names) <= FEW else set(column.tolist())
        told = np.zeros(max(numbers, default=0) + 1, dtype=np.bool_)
        told[[number for number in numbers if such(self.names[number])]] = True
        return told[column]

    def repeated(self, most: int) -> NDArray[np.bool_]:
        """Which messages say, word for word, what so many later ones say."""
        wording = self._rows["wording"]
        told = np.zeros(len(wording), dtype=np.bool_)
        alike = np.sort(wording)
        if not (alike[most:] == alike[:-most]).any():
            return told
        order = np.lexsort((-self._rows["id"], wording))
        first = np.r_[True, np.diff(wording[order]) != 0]
        begins = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
        told[order] = np.arange(len(order)) - begins >= most
        return told

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Card: ...
    @overload
    def __getitem__(self, at: slice) -> Deck: ...
    def __getitem__(self, at: int | slice) -> Card | Deck:
        if isinstance(at, slice):
            return Deck(self._rows[at], self.names)
        row = dict(zip(self._rows.dtype.names or (), self._rows[at].item(), strict=True))
        return self._card([row[name] for name in Card._fields])

    def __iter__(self) -> Iterator[Card]:
        columns = [self._rows[name].tolist() for name in Card._fields]
        return map(self._card, zip(*columns, strict=True))

    def _card(self, values: Sequence[int]) -> Card:
        card, kind, place, session, role, speaker, *rest = values
        name = self.names
        return Card(card, name[kind], place, session, name[role], name[speaker], *rest)
