"""A composed summary. Whoever only swaps, writes or forgets one need not know how it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.views import Span
from everthread.domain.distilling.drafts import NOTHING, Ending, Spend
from everthread.domain.distilling.receipts import Sentence
from everthread.domain.gleaning.digest import Digest

PLAIN = "plain"


class ComposedSummary(NamedTuple):
    """A summary that may be shown, and how it came about."""

    before: Digest
    digest: Digest
    text: str
    tokens: int
    sentences: Sequence[Sentence]
    """What is shown, and what was struck, with its sources and why."""
    warnings: Sequence[str]
    dropped: Mapping[str, int]
    struck: int
    distiller: str = PLAIN
    degraded: bool = False
    spent: Spend = NOTHING
    spans: Sequence[Span] = ()
    """The messages that it stands for, beside what it carries."""
    room: tuple[int, int] = (0, 0)
    """The tokens that it had, and those that a summary of this agent has at most."""
    endings: Sequence[Ending] = ()
    """The memories that no longer hold, by a person's words among these messages."""
