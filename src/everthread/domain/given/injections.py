"""What was injected into a request, why, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from everthread.domain.conversation.messages import TEXT, Draft, Message, as_message
from everthread.domain.ids import id_text
from everthread.domain.times import moment_of

RECALL = "recall"
"""The purpose of the block that a turn is given beside the user's words."""

LATELY = 5
"""What was injected in so many turns before is not injected again: the reply to it is still in the view."""

MOST_QUERIES = 50
LONGEST_QUERY = 200


class Injection(NamedTuple):
    """One injection as it is stored; one without a body says why there was none."""

    ref: int
    agent_ref: int
    key_id: bytes
    thread_ref: int
    session_ref: int
    turn_ref: int | None
    epoch: int
    purpose: str
    reason: str
    body_hash: bytes | None
    size: int
    tokens: int
    at_ms: int
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def at(self) -> datetime:
        return moment_of(self.at_ms)

    @property
    def hash(self) -> str | None:
        """SHA-256 of what was injected."""
        return None if self.body_hash is None else self.body_hash.hex()


class GivenItem(NamedTuple):
    """One item of an injection: a message, memory or note, by its id."""

    rank: int
    kind: str
    ref: bytes
    score: float
    why: str

    @property
    def id(self) -> str:
        return id_text(self.ref)


class Use(NamedTuple):
    """How often one thing was injected, found, mentioned and corrected in a session."""

    session_ref: int
    ref: bytes
    kind: str
    injected: int
    best_rank: int
    best_score: float
    hits: int
    mentioned: int
    corrected: int
    first_ms: int
    last_ms: int
    predicted: float | None = None
    """What the scorer predicted when it was last ranked."""
    final: float | None = None
    """With what it was ranked then; `best_score` is without the scorer."""
    relevance: float | None = None
    """What it was worth, once the session was judged."""
    withheld: int = 0
    """How often the hold-out kept it back."""
    retold: int = 0
    """In how many messages the person told it again."""

    @property
    def id(self) -> str:
        return id_text(self.ref)

    def plus(self, other: Use) -> Use:
        """Both tallies as one."""
        return Use(
            self.session_ref,
            self.ref,
            self.kind,
            self.injected + other.injected,
            min(self.best_rank, other.best_rank),
            max(self.best_score, other.best_score),
            self.hits + other.hits,
            self.mentioned + other.mentioned,
            self.corrected + other.corrected,
            min(self.first_ms, other.first_ms),
            max(self.last_ms, other.last_ms),
            self.predicted if other.predicted is None else other.predicted,
            self.final if other.final is None else other.final,
            self.relevance if other.relevance is None else other.relevance,
            self.withheld + other.withheld,
            self.retold + other.retold,
        )


class SessionScore(NamedTuple):
    """What a session tells the scorer; `score` and `confidence` are its own, once it has judged."""

    session_ref: int
    recovered: int
    injected_count: int
    novel_context_count: int
    queries_json: str
    score: float | None
    confidence: float | None
    updated_ms: int
    judged_ms: int | None = None
    """When it was judged: once, when it was over."""

    @property
    def queries(self) -> tuple[str, ...]:
        """What was looked for in the session, newest last."""
        return tuple(json.loads(self.queries_json))


def queries_text(before: Sequence[str], queries: Sequence[str]) -> str:
    """The newest queries, each once, short, as they are kept."""
    short = (query[:LONGEST_QUERY] for query in (*before, *queries))
    # The last time a thing is asked for is what counts: take it out of where it stood before.
    newest = list(dict.fromkeys(reversed([*short])))[:MOST_QUERIES]
    return json.dumps(newest[::-1], ensure_ascii=True)


def block_message(text: str) -> Message:
    """The block as the renderer sees it: beside the user's words, and no message of anyone's."""
    return as_message(Draft("user", "system", TEXT, text))
