"""Who turns messages into points. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from everthread.domain.distilling.drafts import DraftResult, Material, OutlineResult, Passage


class Distiller(Protocol):
    """A model that distils. It may fail, be slow or talk nonsense; the plain distiller does not."""

    @property
    def name(self) -> str:
        """Which one, for receipts: `anthropic:…`, `openai:…`, `command:…`. Without secrets."""
        ...

    def distill(self, material: Material, *, pause: Callable[[], None]) -> DraftResult:
        """Points from the material, each with sources that exist; and which of the known memories no
        longer hold, each by a passage of a person. Can take minutes.

        Raises `ModelFailed`, and nothing else of its own; its `spent` tells what it cost all the
        same. `pause` is called between passages, between calls and while an answer streams in; what
        it raises ends the work and comes through.
        """
        ...


class Summarizer(Protocol):
    """A model that sums up a session in a few sentences. It may fail; the plain summary does not."""

    @property
    def name(self) -> str:
        """Which one; without secrets."""
        ...

    def summarize(self, passages: Sequence[Passage], *, pause: Callable[[], None]) -> OutlineResult:
        """Sentences, each with the numbers of the passages it names as its sources: one answer.

        Raises `ModelFailed`, and nothing else of its own, as `Distiller.distill` does.
        """
        ...
