"""What a model is given to distil and what comes back: a draft, which is believed only as far as read.

The draft is text from outside. `reading` makes points of it; these values are what both sides share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from everthread.domain.conversation.messages import Origin
from everthread.domain.errors import EverthreadError
from everthread.domain.gleaning.digest import Digest, Point

__all__ = [
    "NOTHING",
    "Allowed",
    "Cause",
    "DraftResult",
    "Ending",
    "Known",
    "KnownMemory",
    "Material",
    "ModelFailed",
    "Outline",
    "OutlineResult",
    "Passage",
    "Spend",
    "nothing_known",
]

Cause: TypeAlias = Literal[
    "timeout", "overloaded", "refused", "nonsense", "auth", "budget", "unreachable"
]
"""Why a distiller failed: too slow; busy; it (or its server) said no; nothing usable came; it did not
know us; the daily cap is used up; nobody there."""


class Passage(NamedTuple):
    """One message as a distiller reads it."""

    n: int
    """Its number in the material, by which a draft cites it: each once, growing."""
    key: bytes
    """`Message.key`."""
    by: Origin
    name: str
    """Who spoke, where an agent knows several; may be empty."""
    at_ms: int
    text: str


class KnownMemory(NamedTuple):
    """A memory that holds, learnt anywhere, as a distiller is shown it."""

    key: bytes
    """`Memory.key_id`."""
    kind: str
    text: str
    at_ms: int
    """When it was last said."""
    near: frozenset[bytes]
    """The keys of the passages that speak of the like, were said later, and by whom it may be ended."""


class Ending(NamedTuple):
    """A memory that no longer holds, and the message in which a person said so."""

    memory: bytes
    """`Memory.key_id`."""
    because: bytes
    """`Message.key`."""


Known: TypeAlias = Callable[[Sequence[Passage]], Sequence[KnownMemory]]
"""The memories that bear on these passages, those that do so most first."""


def nothing_known(_: Sequence[Passage]) -> Sequence[KnownMemory]:
    return ()


class Material(NamedTuple):
    """What to distil."""

    previous: Digest
    """What stands already for all that came before the passages. It is carried forward."""
    digest: Digest
    """What the plain distiller made of the same passages on top of `previous`. Its points of these
    passages are hints to the model; its pinned points are in every draft, word for word."""
    passages: Iterable[Passage]
    """The messages, oldest first; gone through once, so it may be a stream."""
    tokens: int
    """The room of the summary."""
    known: Known = nothing_known
    """What else is known, asked for with the passages of each call."""


class Spend(NamedTuple):
    """What calls to a model have cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micros: int = 0
    """Millionths of a dollar; 0 where nobody knows the price, so that only tokens can be capped."""

    def plus(self, other: Spend) -> Spend:
        return Spend(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


NOTHING = Spend()

Allowed: TypeAlias = Callable[[Spend], bool]
"""May so much be spent? Asked before every call, with all that this distillation has spent so far and
the most that the call can cost; where it says no, the call is not made."""


class DraftResult(NamedTuple):
    """What a distiller made of its material."""

    points: tuple[Point, ...]
    """Of previous and new together: they take the place of the previous points. Not yet held against
    their sources."""
    spent: Spend = NOTHING
    dropped: int = 0
    """How many statements of the draft were unusable: without a source, of no kind, no quote."""
    joined: str = ""
    """Why what was drafted so far was joined with what the plain distiller made of the rest; empty: it
    was not."""
    endings: tuple[Ending, ...] = ()
    """The memories that no longer hold, by a person's words in the material."""
    doubted: str = ""
    """Why nothing is believed of what it said about memories; empty where that is not so."""


class Outline(NamedTuple):
    """A sentence on a session, and the numbers of the passages that it names as its sources."""

    text: str
    sources: tuple[int, ...]


class OutlineResult(NamedTuple):
    """What a model says a session was about. Not yet held against its sources."""

    sentences: tuple[Outline, ...]
    spent: Spend = NOTHING


class ModelFailed(EverthreadError):
    """A model gave no answer that can be used; what works without one goes on."""

    def __init__(self, cause: Cause, detail: str, spent: Spend = NOTHING) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause: Cause = cause
        self.detail = detail
        self.spent = spent
        """What was spent all the same."""
