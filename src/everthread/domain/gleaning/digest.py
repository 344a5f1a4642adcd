"""What a distillation carries forward: the digest of what was said, and the words for it.

A digest is made by reading messages one after the other on top of the digest before, so the digest
of a history is a fold over its ranges: leave one range out, and the rest can be folded again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from everthread.domain.conversation.messages import Origin

from .offers import ChoiceState, PeerStatement, choice_row, peer_row, read_choice, read_peer

T = TypeVar("T")

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

ASKS = ("?", "\uff1f", "\u061f")
"""So ends what is asked."""

WORDS = "words"
"""The kind of a person's message that is carried whole, beside the points that were read off it."""

LOST = "[…]"
"""Stands for a figure that no longer holds, in what holds otherwise."""

CHOSEN = 0.8
"""What weighs as a choice: an answer that decides between two ways, and what takes another's place."""

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


class RequestStanding(NamedTuple):
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
    "own": "a person will do it",
    "left": "a person said that it is open",
    "sought": "a person will find out, or think about, what the agent asked in the same turn",
}


class Series(NamedTuple):
    """How often something came with another date and other figures: the newest stands for all."""

    times: int
    since_ms: int


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
    stands: RequestStanding | None = None
    """Of what was asked lately; digests of old do not tell it."""
    series: Series | None = None
    """Of a report that comes again and again."""
    name: str = ""
    """What the person is called who said it, where that is known."""

    @property
    def bare(self) -> Point:
        """The same, whatever became of it: by this one digest's points are known in another."""
        return self if self.stands is None else self._replace(stands=None)

    @property
    def section(self) -> str:
        """What a person told stands with what she asked: how things are now, her next words may change.

        So does what the agent asked, which her answer follows.
        """
        told = self.kind == "fact" and (self.by == "user" or self.text.endswith(ASKS))
        return "task" if told else SECTION_OF[self.kind]


def mark_of(point: Point) -> str:
    """By this a point is known after it is gone; of its words nothing is kept."""
    told = f"{point.kind}\0{point.name}\0{point.text}"
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def are_two_people(one: str, other: str) -> bool:
    """Are these the names of two people? Who is not known may be either."""
    return bool(one and other) and one.casefold() != other.casefold()


def are_several_people(points: Iterable[Point]) -> bool:
    """Are these the words of more than one person, so that it must be told who said what?"""
    return len({point.name.casefold() for point in points if point.name}) > 1


MENDED = "since mended"
"""The note of an error whose command went well later, without it."""

FAILED_BEFORE, OK_BEFORE = ", failed before", ", ok before"
"""What the note of a command says of runs that ended otherwise than the last."""

TOLD = "told"
"""The note is in our own words."""


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
    by: str = ""
    """Whose words its note gives (`Origin`), or `TOLD`; empty in digests of old, which do not tell it."""
    name: str = ""
    """What that person is called, where it is known."""


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
    choosing: ChoiceState | None = None
    """None where nothing is on offer, and in a digest of old."""
    put: tuple[PeerStatement, ...] = ()
    """What people said to one another last, the newest first."""
    gone: tuple[str, ...] = ()
    """The marks of what was open or in force and was done, answered or taken back, the newest last.

    What is only absent may have lost its place to others, or be told in other words.
    """
    people: tuple[str, ...] = ()
    """What those are called who spoke, so that it is told who said what also where one fell silent."""

    def known(self) -> frozenset[Point]:
        """Its points, by which a later digest's are new or not."""
        return frozenset(point.bare for point in self.points)


def several_spoke(digest: Digest) -> bool:
    """Did more than one person speak, though perhaps only one of them is still told of?"""
    return len(digest.people) > 1 or are_several_people(digest.points)


EMPTY = Digest()
STANDS = Point._fields.index("stands")
SERIES = Point._fields.index("series")
NAME = Point._fields.index("name")
RAN = Trace._fields.index("ran")
BY = Trace._fields.index("by")
MOST_ALIKE = 8
"""Of what has one text, so many are known again: its times and its weight change as it is carried on."""


def digest_text(digest: Digest, told: dict[Any, str] | None = None) -> str:
    """The digest as it is stored.

    `told`: rows of others. Whoever stores many writes once what each carries on from the last.
    """
    told = {} if told is None else told
    points = _rows(digest.points, _point_row, told)
    ledger = _rows(digest.ledger, _trace_row, told)
    rest = {
        "messages": digest.messages,
        "first": digest.first_ms,
        "last": digest.last_ms,
        **({"talk": digest.talk} if digest.talk is not None else {}),
        **({"choosing": choice_row(digest.choosing)} if digest.choosing is not None else {}),
        **({"put": [peer_row(put) for put in digest.put]} if digest.put else {}),
        **({"gone": digest.gone} if digest.gone else {}),
        **({"people": digest.people} if digest.people else {}),
    }
    return f'{{"points":[{points}],"ledger":[{ledger}],{_json(rest)[1:]}'


def _rows(items: Sequence[T], make: Callable[[T], list[Any]], told: dict[Any, str]) -> str:
    return ",".join([told.get(i) or told.setdefault(i, _json(make(i))) for i in items])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def read_digest(text: str, made: dict[Any, Any] | None = None) -> Digest:
    """A stored digest.

    `made`: what was made of others. Whoever reads many makes once what each carries on from the last.
    """
    told: dict[str, Any] = json.loads(text)
    point, trace = (
        (_read_point, _read_trace)
        if made is None
        else (_cached(_read_point, made), _cached(_read_trace, made))
    )
    return Digest(
        tuple(map(point, told["points"])),
        tuple(map(trace, told["ledger"])),
        told["messages"],
        told["first"],
        told["last"],
        Talk._make(told["talk"]) if "talk" in told else None,
        read_choice(told["choosing"]) if "choosing" in told else None,
        tuple(map(read_peer, told.get("put", ()))),
        tuple(told.get("gone", ())),
        tuple(told.get("people", ())),
    )


def _cached(make: Callable[[list[Any]], T], made: dict[Any, Any]) -> Callable[[list[Any]], T]:
    def found(told: list[Any]) -> T:
        # By its text, then by all of it: to make a key of all of it takes as long as the thing itself.
        known: list[tuple[list[Any], T]] = made.setdefault(told[1], [])
        for row, one in known:
            if row == told:
                return one
        known.insert(0, (told, one := make(told)))
        del known[MOST_ALIKE:]
        return one

    return found


def _point_row(point: Point) -> list[Any]:
    """A point as it is stored; most tell nothing of how they stand, and are of no series."""
    told = [*point[:2], [key.hex() for key in point.sources], *point[3:STANDS]]
    if point.name:
        return [*told, point.stands, point.series, point.name]
    if point.series is not None:
        return [*told, point.stands, point.series]
    return told if point.stands is None else [*told, point.stands]


def _read_point(told: list[Any]) -> Point:
    """Digests of old tell nothing of how it stands, nor by whom."""
    stands = RequestStanding._make(told[STANDS]) if len(told) > STANDS and told[STANDS] else None
    series = Series._make(told[SERIES]) if len(told) > SERIES and told[SERIES] else None
    name = told[NAME] if len(told) > NAME else ""
    return Point._make((*told[:2], _keys(told[2]), *told[3:STANDS], stands, series, name))


def _trace_row(trace: Trace) -> list[Any]:
    """A line of the ledger as it is stored; most tell of no command, and of no speaker.

    Digests of old keep their text.
    """
    told = [*trace[:3], [key.hex() for key in trace.sources], *trace[4:RAN]]
    if trace.by:
        return [*told, trace.ran, trace.by, *([trace.name] if trace.name else [])]
    return [*told, trace.ran] if trace.ran else told


def _read_trace(told: list[Any]) -> Trace:
    ran = told[RAN] if len(told) > RAN else ""
    words = [*told[BY : BY + 2], "", ""][:2]
    return Trace._make((*told[:3], _keys(told[3]), *told[4:RAN], ran, *words))


def _keys(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(text) for text in texts)
