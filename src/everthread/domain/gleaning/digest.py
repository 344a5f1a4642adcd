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


class Stands(NamedTuple):
    """How it stands with what is asked, so that the next range goes on where this one ended."""

    turn: int
    """How many messages the person had written when she asked for it, or came back to it."""
    state: str = ""
    """One of `OPEN_STATES`."""


OPEN_STATES: Mapping[str, str] = {
    "": "nobody said a word to it yet",
    "begun": "the agent spoke or worked in its turn, and told no end of it",
    "asked": "the agent asked back first; of what the agent asks: it waits for the answer",
    "carried": "it was begun, and the person spoke on before its end was told",
    "promised": "the agent said that it will do it, and did nothing since",
    "deferred": "it was put off or refused",
    "fallen": "its turn ended without a word and without a deed",
    "answered": "it was answered, and the person has not spoken since",
}


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
    stands: Stands | None = None
    """Of what was asked lately; digests of old do not tell it."""

    @property
    def bare(self) -> Point:
        """The same, whatever became of it: by this one digest's points are known in another."""
        return self if self.stands is None else self._replace(stands=None)

    @property
    def section(self) -> str:
        return SECTION_OF[self.kind]


MENDED = "since mended"
"""The note of an error whose command went well later, without it."""


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
    ran: str = ""
    """Of an error: by which the command that printed it is known again."""


class Talk(NamedTuple):
    """Where the talk is, so that it does not matter after which message a range ended."""

    turns: int = 0
    """Messages that the person wrote."""
    first: int = 0
    """The first of them in the turn that was read last; she may add to what she said."""
    ref: int | None = None
    """The number of that turn in its store; in another store only a report is known as an answer."""
    ahead: int | None = None
    """A turn of which the agent's words were read, while the person's were kept in the view."""


class Digest(NamedTuple):
    """All that is carried forward of what the view no longer shows. Bounded, however much that was."""

    points: tuple[Point, ...] = ()
    ledger: tuple[Trace, ...] = ()
    messages: int = 0
    """How many messages it stands for."""
    first_ms: int = 0
    last_ms: int = 0
    talk: Talk | None = None
    """None in a digest of old."""

    def known(self) -> frozenset[Point]:
        """Its points, by which a later digest's are new or not."""
        return frozenset(point.bare for point in self.points)


EMPTY = Digest()
STANDS = Point._fields.index("stands")
RAN = Trace._fields.index("ran")


def digest_text(digest: Digest) -> str:
    """The digest as it is stored."""
    told = {
        "points": [_row(point) for point in digest.points],
        "ledger": [_line(trace) for trace in digest.ledger],
        "messages": digest.messages,
        "first": digest.first_ms,
        "last": digest.last_ms,
        **({"talk": digest.talk} if digest.talk is not None else {}),
    }
    return json.dumps(told, ensure_ascii=True, separators=(",", ":"))


def read_digest(text: str) -> Digest:
    """A stored digest."""
    told: dict[str, Any] = json.loads(text)
    return Digest(
        tuple(map(_point, told["points"])),
        tuple(map(_trace, told["ledger"])),
        told["messages"],
        told["first"],
        told["last"],
        Talk._make(told["talk"]) if "talk" in told else None,
    )


def _row(point: Point) -> list[Any]:
    """A point as it is stored; most tell nothing of how they stand."""
    told = [*point[:2], [key.hex() for key in point.sources], *point[3:STANDS]]
    return told if point.stands is None else [*told, point.stands]


def _point(told: list[Any]) -> Point:
    """Digests of old tell nothing of how it stands."""
    stands = Stands._make(told[STANDS]) if len(told) > STANDS else None
    return Point._make((*told[:2], _keys(told[2]), *told[3:STANDS], stands))


def _line(trace: Trace) -> list[Any]:
    """A line of the ledger as it is stored; most tell of no command. Digests of old keep their text."""
    told = [*trace[:3], [key.hex() for key in trace.sources], *trace[4:RAN]]
    return [*told, trace.ran] if trace.ran else told


def _trace(told: list[Any]) -> Trace:
    ran = told[RAN] if len(told) > RAN else ""
    return Trace._make((*told[:3], _keys(told[3]), *told[4:RAN], ran))


def _keys(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(text) for text in texts)
