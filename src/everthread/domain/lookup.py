"""One thing by its id or by how that ends: one rule for whatever has an id, and one way to say no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from .checks import checked_text
from .errors import EverthreadError
from .ids import id_ending

T = TypeVar("T")

SHORTEST = 4
"""One or two signs fit a thing by chance, and look like the number of a row."""


def id_said(name: object) -> object:
    """The id of what has one: whoever gives the thing itself means its id. All else as it is."""
    own = None if isinstance(name, str) else getattr(name, "id", None)
    return own if isinstance(own, str) else name


class Lookup(NamedTuple):
    """What kind of thing is looked for."""

    one: str
    many: str
    shown: str
    """The command that lists them."""
    unknown: type[EverthreadError]

    @property
    def _a(self) -> str:
        return f"{'an' if self.one[0] in 'aeiou' else 'a'} {self.one}"

    def digits(self, name: object) -> str | None:
        """The ending by which it may be found; None for what is no part of an id."""
        name = id_said(name)
        digits = id_ending(checked_text(f"the id of {self._a}", name))
        if digits is not None and len(digits) < SHORTEST:
            raise self.unknown(
                f"{name!r} is too short to name {self._a}; give at least {SHORTEST} characters of its "
                f"id, as `{self.shown}` shows them"
            )
        return digits

    def found(self, name: object, ending: Callable[[str], Sequence[T]]) -> T:
        """The one whose id ends so."""
        digits = self.digits(name)
        return self.only(name, () if digits is None else ending(digits))

    def only(self, name: object, matching: Sequence[T]) -> T:
        """The one that fits; where none or several do, that is told."""
        name = id_said(name)
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise self.unknown(
                f"{name!r:.60} fits {len(matching)} {self.many}; give more of the id"
            )
        raise self.unknown(f"no {self.one} {name!r:.60}; `{self.shown}` shows what there is")
