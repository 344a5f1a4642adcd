"""A setting that documents itself, and the class that is made of many of them.

What `dataclass` would write and compile for a hundred fields costs every start of every command ten
milliseconds; so this class keeps its values by name, and only type checkers see a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, NamedTuple, NoReturn, dataclass_transform


class Fact(NamedTuple):
    """What a setting means, what it may be, which variables set it."""

    default: Any
    about: str
    low: float | None
    high: float | None
    among: tuple[str, ...]
    also: str | None


def setting(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    among: tuple[str, ...] = (),
    also: str | None = None,
) -> Any:
    """A field of this default; see `Fact`."""
    return Fact(default, about, low, high, among, also)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Facts:
    """Keeps a value for each of its settings, named ones only; never changed once it is made."""

    known: ClassVar[Mapping[str, Fact]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Fact)}
        cls.known = {**cls.known, **own}

    def __init__(self, **values: Any) -> None:
        for name, fact in self.known.items():
            self.__dict__[name] = self._accept(name, values.pop(name, fact.default))
        for name in values:
            raise TypeError(f"{type(self).__name__}() has no setting {name!r}")

    def _accept(self, name: str, value: Any) -> Any:
        """The value as it is kept."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{name} cannot be changed; with_({name}=…) makes other settings")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"{name} cannot be removed")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"
