"""Who looks at what the assistant said of late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.safety.safety import Reading, Window


class Sentinel(Protocol):
    """A probe for refusals and worse. There is always an answer: if it fails, the plain one is given."""

    @property
    def name(self) -> str:
        """Which one, for checkpoints and `doctor`. Without secrets."""
        ...

    def probe(self, window: Window) -> Reading:
        """What it says of the window, within its time limit. Never raises.

        Where it could not be asked, or what it said cannot be read, the plain reading is given, and its
        `probe` says so: `plain (http failed: …)`.
        """
        ...
