"""What recall answers with: a passage, where it comes from, and why it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from everthread.domain.conversation.messages import Message
from everthread.domain.memory.memories import Origin
from everthread.domain.scorer.scorer import LearnedScore
from everthread.domain.times import moment_of

Fresh = Literal["fresh", "changed", "unknown"]
"""Are the files it speaks of still as they were? `unknown` where it speaks of none we can see."""

WORDS_ALONE = "by words alone, as vectors were not ready"
"""What is told where there is an embedder, and the question could not be compared by its meaning yet."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of a recall, best first. `text` is data from earlier: verify before relying on it."""

    id: str
    """Of the memory or the message."""
    text: str
    score: float
    """From 0 to 1 within this recall; less for all where even the best may be no answer."""
    kind: str
    """`message`, `note`, or the kind of the memory: `fact`, `decision`, `preference` …"""
    at_ms: int
    why: str
    """Why it matched, for people."""
    fresh: Fresh = "unknown"
    messages: Sequence[Message] = ()
    """The sources, with id and external_id."""
    context: Sequence[Message] = ()
    """Neighbours that complete it: the question it answers, the reply to it."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """Each part of the score, for `--explain`."""
    superseded: bool = False
    alike: float | None = None
    """Cosine of the question and the text, where both are embedded: how near they are in meaning."""
    origin: Origin | None = None
    """Of a memory: whose words it gives, a user's, the agent's, a tool's. A message has its own."""
    learned: LearnedScore | None = None
    """Of a memory: what it scored without the scorer, what that predicts, and what both make."""
    cut: bool = False
    """Is `text` the part around what was asked, to fit into `tokens`? The whole has its id."""
    by_words: bool = False
    """Was the question compared by its words alone, though there is an embedder? `why` says so too."""
    later: str | None = None
    """The id of a later message or memory that seems to tell it anew; `why` says so too. It may be wrong."""

    @property
    def at(self) -> datetime:
        return moment_of(self.at_ms)
