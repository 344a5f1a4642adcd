"""What a distillation carries forward: the digest of what was said, and the words for it.

A digest is made by reading messages one after the other on top of the digest before, so the digest
of a history is a fold over its ranges: leave one range out, and the rest can be folded again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from everthread.domain.conversation.messages import Origin

SECTIONS: Mapping[str, str] = {
    "task": "Task Context",
    "done": "Completed Work",
    "decisions": "Key Decisions & Rationale",
    "state": "Current State",
    "open": "Open Threads",
    "corrections": "Corrections & Failed Approaches",
    "tone": "Tone & Register",
}
"""The sections of a summary, in their order. Empty ones are left out."""

WORDS = "words"
"""The kind of a person's message that is carried whole, beside the points that were read off it."""

SECTION_OF: Mapping[str, str] = {
    "request": "task",
    WORDS: "task",
    "rule": "task",
    "preference": "task",
    "identity": "task",
    "done": "done",
    "decision": "decisions",
    "state": "state",
    "fact": "state",
    "open_item": "open",
    "correction": "corrections",
    "failure": "corrections",
    "tone": "tone",
}
"""The kinds of points, and the section in which each stands."""

TRACES: Mapping[str, str] = {
    "file": "Files",
    "command": "Commands",
    "error": "Errors",
    "number": "Numbers",
    "identifier": "Identifiers",
    "url": "Links",
    "person": "People",
}
"""The kinds of evidence in the ledger, in their order."""


class Point(NamedTuple):
    """One sentence of a summary. Its text is the words of its sources, or is held against them."""

    kind: str
    """One of `SECTION_OF`."""
    text: str
    sources: tuple[bytes, ...]
    """The ids (`Message.key`) of the messages it came from; never none."""
    by: Origin
    """Whose words it gives: a person's, the agent's, a tool's."""
    at_ms: int
    """When its newest source was said."""
    weight: float = 0.0
    """How much it matters beside the others of its kind."""
    verbatim: bool = False
    """Is it a span of its source, word for word? Only such a point may read as an order."""
    pinned: bool = False
    """A rule, or a request that is still open: shown before all else, and never dropped for room."""

    @property
    def section(self) -> str:
        return SECTION_OF[self.kind]


class Trace(NamedTuple):
    """One line of the ledger: a specific that prose would lose."""

    kind: str
    """One of `TRACES`."""
    text: str
    note: str
    """What became of it: a command's outcome, what was done to a file, what a number counts."""
    sources: tuple[bytes, ...]
    at_ms: int
    times: int = 1
    """How often it came up."""
    weight: float = 0.0


class Digest(NamedTuple):
    """All that is carried forward of what the view no longer shows. Bounded, however much that was."""

    points: tuple[Point, ...] = ()
    ledger: tuple[Trace, ...] = ()
    messages: int = 0
    """How many messages it stands for."""
    first_ms: int = 0
    last_ms: int = 0


EMPTY = Digest()


def digest_text(digest: Digest) -> str:
    """The digest as it is stored."""
    told = {
        "points": [[*p[:2], [k.hex() for k in p.sources], *p[3:]] for p in digest.points],
        "ledger": [[*t[:3], [k.hex() for k in t.sources], *t[4:]] for t in digest.ledger],
        "messages": digest.messages,
        "first": digest.first_ms,
        "last": digest.last_ms,
    }
    return json.dumps(told, ensure_ascii=True, separators=(",", ":"))


def read_digest(text: str) -> Digest:
    """A stored digest."""
    told: dict[str, Any] = json.loads(text)
    return Digest(
        tuple(Point._make((*p[:2], _keys(p[2]), *p[3:])) for p in told["points"]),
        tuple(Trace._make((*t[:3], _keys(t[3]), *t[4:])) for t in told["ledger"]),
        told["messages"],
        told["first"],
        told["last"],
    )


def _keys(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(text) for text in texts)
