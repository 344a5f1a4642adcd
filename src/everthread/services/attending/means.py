"""What attending an event needs, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import Answer
from everthread.domain.recall.hits import Hit
from everthread.services.harness.capture import Read


class EventOutcome(NamedTuple):
    """What came of an event: the answer, the session, and what is to be done behind it."""

    answer: Answer
    session: Session | None = None
    tasked: bool | None = None
    """Is a task worked at in its project? None where nobody looked."""
    asked: bool = True
    """May work have been asked for that the worker does not know of?"""


class PromptQuestion(NamedTuple):
    """What recalling for a prompt needs to know."""

    query: str
    scope: Scope
    without: frozenset[bytes]


Recall = Callable[[PromptQuestion], Sequence[Hit]]
"""Finds what bears on a prompt. May raise."""


class RecoveryTurn(Protocol):
    """Says whether one may recover now; who `waits` is not sent away before it gets late."""

    def __call__(
        self, late: Callable[[], bool], *, waits: bool
    ) -> AbstractContextManager[bool]: ...


@contextmanager
def always_my_turn(late: Callable[[], bool], *, waits: bool) -> Generator[bool]:
    """Nobody else is there."""
    yield True


class Means(NamedTuple):
    """How an event is attended: what reads, what recalls, and whether anyone waits."""

    read: Read
    recall: Recall
    others: Read
    """Reads transcripts of other sessions."""
    answered: bool = True
    """Does the harness wait for the answer? An event from the spool is only stored."""
    late: Callable[[], bool] = lambda: False
    """Is the time for reading up?"""
    soon: Callable[[], bool] = lambda: False
    """Is the time for catching up with what was left behind up? A start is waited for."""
    over: Callable[[], bool] = lambda: False
    """Has the harness gone on without us? Then nothing was given, and nothing is logged as given."""
    pause: Callable[[], None] = lambda: None
    turn: RecoveryTurn = always_my_turn
    """Many sessions that begin in the same second recover one after the other."""
