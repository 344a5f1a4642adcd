"""What few programs use is made, and what it needs is loaded, when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class _Lazy(Generic[T]):
    """Stands for what it makes."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever copies or inspects it means this object
            raise AttributeError(name)
        if self._made is None:
            # Two threads at once make two of them: they hold only what they are given here.
            self._made = self._make()
        return getattr(self._made, name)


def lazy(make: Callable[[], T]) -> T:
    """The same as `make()`, later."""
    return cast("T", _Lazy(make))
