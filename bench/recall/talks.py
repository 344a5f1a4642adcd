"""What is measured on: conversations, and questions whose evidence is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

STEP = timedelta(minutes=1)
"""Between two messages of a sitting, where the data tells only when it began."""


@dataclass(frozen=True)
class Said:
    """One message as it is recorded: role is user, assistant or tool."""

    id: str
    role: str
    name: str | None
    content: str
    at: datetime


@dataclass(frozen=True)
class Question:
    id: str
    kind: str
    text: str
    gold: frozenset[str]
    part: str = "dev"
    outdated: frozenset[str] = frozenset()
    """What answered it once and no longer holds, where that is known."""


@dataclass
class Talk:
    """One conversation, recorded into one thread, and what is asked about it afterwards."""

    name: str
    said: list[Said] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def end(self) -> datetime:
        return max(said.at for said in self.said)


def clock(start: datetime) -> Iterator[datetime]:
    """The moments of a sitting's messages, one `STEP` apart."""
    at = start.replace(tzinfo=UTC)
    while True:
        yield at
        at += STEP
