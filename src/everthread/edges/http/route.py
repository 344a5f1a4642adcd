"""A route of the API: what it is called, who may, what it takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Struct

from . import inputs

MEGABYTE = 1_000_000
RECORD_BYTES = 16 * MEGABYTE
IMPORT_BYTES = 100 * MEGABYTE

JSON = "application/json"
LINES = "application/x-ndjson"

BOTH = "read write"
"""The scopes of what writes and answers with what was said before."""

AGENT = "/api/agents/{agent}"


class Route(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    scope: str
    """What its token must be able to do."""
    verb: Callable[[Any, Any], dict[str, Any]]
    asks: type[inputs.Asked]
    """What its query says, for GET and DELETE; else its body."""
    answer: type[Struct]
    status: int = 200
    most: int = MEGABYTE
    """Bytes that a body may have."""
    takes: str = JSON
    """What its body is."""
    slow: bool = False
    """May it take seconds? Few of these run at once."""
    told: str = ""
    """The one field that leaves as it is, though it is a secret."""

    @property
    def name(self) -> str:
        """Its operation id."""
        module = self.verb.__module__.rpartition(".")[2]
        return f"{module}_{self.verb.__name__}"

    @property
    def by_query(self) -> bool:
        return self.method in ("GET", "DELETE")
