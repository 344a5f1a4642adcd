"""The one door to a database connection: named statements in, plain tuples out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, overload

from everthread.domain.agents import Scope

from .sql.statements import Across, Insert, Scoped

Row = tuple[Any, ...]


class Link(Protocol):
    """A connection in a transaction. A scoped statement needs its scope; the others take None."""

    packs: ClassVar[bool]
    """Whether large texts come packed; where not, the engine packs them itself."""

    @overload
    def all(self, sql: Scoped, scope: Scope, /, **values: Any) -> list[Row]: ...
    @overload
    def all(self, sql: Across, scope: None, /, **values: Any) -> list[Row]: ...

    def legible(self, sql: Scoped, scope: Scope, /, **values: Any) -> list[Row]:
        """The same rows, for whoever looks for damage: also those whose text is none any more."""
        ...

    @overload
    def one(self, sql: Scoped, scope: Scope, /, **values: Any) -> Row | None: ...
    @overload
    def one(self, sql: Across, scope: None, /, **values: Any) -> Row | None: ...

    @overload
    def run(self, sql: Scoped, scope: Scope, /, **values: Any) -> int: ...
    @overload
    def run(self, sql: Across, scope: None, /, **values: Any) -> int: ...

    def many(self, sql: Scoped, rows: Iterable[Mapping[str, Any]], /) -> None:
        """The same statement for every row; each row names its agent."""
        ...

    def insert(self, sql: Insert, rows: Sequence[Row], /) -> None:
        """Rows by position; each begins with its agent."""
        ...

    def lock(self, scope: Scope, /) -> None:
        """Keep every other writer of this agent out until the end of the transaction."""
        ...
