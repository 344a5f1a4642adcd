"""Memories: what is worth keeping from what was said, where it came from, and how long it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.checks import shorten
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_text
from everthread.domain.times import DAY, moment_of

State = Literal["kept", "superseded", "forgotten"]
Reach = Literal["agent", "project", "user"]
Origin = Literal["user", "agent", "tool", "imported"]
Why = Literal["forgotten", "superseded"]
Whose = Callable[[Sequence[bytes]], str | None]
"""Tells by the ids of messages whose that is which was drawn from them; see `owner`."""

STATES: tuple[State, ...] = ("kept", "superseded", "forgotten")
REACHES: tuple[Reach, ...] = ("agent", "project", "user")
ORIGINS: tuple[Origin, ...] = ("user", "agent", "tool", "imported")

KINDS: Mapping[str, float] = {
    "rule": 0.9,
    "identity": 0.9,
    "correction": 0.85,
    "decision": 0.8,
    "preference": 0.8,
    "open_item": 0.7,
    "fact": 0.6,
    "reference": 0.5,
    "note": 0.4,
}
"""The kinds of memories, and how much each matters where nobody says."""

STANDING = ("rule", "identity", "preference")
"""What a person said to hold from now on. As little as it is said again, nobody took it back."""

CONFIDENCE: Mapping[Origin, float] = {"user": 0.9, "agent": 0.7, "imported": 0.6, "tool": 0.5}
"""How sure we are of what came by that way: a person's own words before all else."""

CERTAIN = 0.99
"""What was said again and again is still only what was said."""

DECAY = 0.95
"""Of its importance a memory keeps so much a day, until it is said again."""

LONGEST_TEXT = 8_000
MOST_TAGS, LONGEST_TAG = 20, 60
MOST_SOURCES = 1_000

_PIN = re.compile(r"\s*critical\s*:", re.IGNORECASE)
_TAGS = re.compile(r"\s*\[([^\[\]\n]{1,400})\]\s*:")
_NO_TAG = re.compile(r"[^\w./+#@-]+")


class Memory(NamedTuple):
    """One memory as it is stored. Its text is never edited: a later one supersedes it."""

    ref: int
    agent_ref: int
    key_id: bytes
    state: State
    kind: str
    text: str
    reach: Reach
    project: str | None
    principal: str | None
    origin: Origin
    confidence: float
    importance: float
    pinned: bool | int
    tags_json: str
    sources_json: str
    evidence_json: str
    receipt_ref: int | None
    session_ref: int | None
    valid_from_ms: int | None
    valid_to_ms: int | None
    successor: bytes | None
    said: int
    created_ms: int
    updated_ms: int
    entry: int

    def __repr__(self) -> str:
        return f"<Memory {self.id} {self.state} {self.kind}: {shorten(self.text)!r}>"

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(json.loads(self.tags_json))

    @property
    def sources(self) -> tuple[bytes, ...]:
        """The ids of the messages it came from."""
        return tuple(bytes.fromhex(each) for each in json.loads(self.sources_json))

    @property
    def files(self) -> Mapping[str, str]:
        """The files it speaks of, each with its SHA-256 at that time."""
        return json.loads(self.evidence_json).get("files", {})

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(json.loads(self.evidence_json).get("commits", ()))

    @property
    def superseded_by(self) -> str | None:
        """The id of the memory that took its place."""
        return None if self.successor is None else id_text(self.successor)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)

    @property
    def updated_at(self) -> datetime:
        """When it was last kept, at once or later; of one that is kept no more, when that ended."""
        return moment_of(self.updated_ms)

    @property
    def told(self) -> bool:
        """Did somebody ask to have it remembered? What was drawn from messages names them."""
        return not self.sources

    @property
    def valid_from(self) -> datetime | None:
        return None if self.valid_from_ms is None else moment_of(self.valid_from_ms)

    @property
    def valid_to(self) -> datetime | None:
        return None if self.valid_to_ms is None else moment_of(self.valid_to_ms)


def new_memory(key_id: bytes, text: str, *, kind: str, origin: Origin, now: int) -> Memory:
    """A memory that nobody has stored yet, with what its kind and origin imply."""
    return Memory(
        ref=0,
        agent_ref=0,
        key_id=key_id,
        state="kept",
        kind=kind,
        text=text,
        reach="agent",
        project=None,
        principal=None,
        origin=origin,
        confidence=CONFIDENCE[origin],
        importance=KINDS[kind],
        pinned=0,
        tags_json="[]",
        sources_json="[]",
        evidence_json="{}",
        receipt_ref=None,
        session_ref=None,
        valid_from_ms=None,
        valid_to_ms=None,
        successor=None,
        said=1,
        created_ms=now,
        updated_ms=now,
        entry=0,
    )


class ParsedMemory(NamedTuple):
    """What was asked to be remembered, without its prefixes."""

    text: str
    pinned: bool
    tags: tuple[str, ...]


def parse(text: str) -> ParsedMemory:
    """`critical:` pins and `[tag, tag]:` tags, in either order; the rest is the text."""
    pinned, tags = False, ()
    while True:
        if found := _PIN.match(text):
            pinned = True
        elif not tags and (found := _TAGS.match(text)) and (named := clean_tags(found[1])):
            tags = named
        else:
            return ParsedMemory(text.strip(), pinned, tags)
        text = text[found.end() :]


def clean_tags(tags: str | Sequence[str]) -> tuple[str, ...]:
    """Tags in small letters, each once, in the order given."""
    given = tags.split(",") if isinstance(tags, str) else tags
    named = (_NO_TAG.sub("-", tag.strip().lower()).strip("-")[:LONGEST_TAG] for tag in given)
    return tuple(dict.fromkeys(tag for tag in named if tag))[:MOST_TAGS]


def checked_kind(kind: object) -> str:
    """A kind we know; spelt with a space or a dash it is meant too."""
    name = kind.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(kind, str) else ""
    if name not in KINDS:
        raise BadInput(f"kind must be one of {', '.join(KINDS)}; got {kind!r:.40}")
    return name


def checked_share(what: str, value: object, otherwise: float) -> float:
    """A number from 0 to 1, or what counts where none is given."""
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{what} must be a number from 0 to 1; got {value!r:.40}")
    return float(value)


def weight(memory: Memory, *, now: int) -> float:
    """How much it matters now: pinned is 1 for ever, all else fades from day to day."""
    if memory.pinned:
        return 1.0
    days = max(now - memory.updated_ms, 0) / DAY
    return memory.importance * DECAY**days


def is_standing(memory: Memory) -> bool:
    """Does it hold until it is taken back: pinned, or a person's rule, preference or word on herself?"""
    return bool(memory.pinned) or (memory.origin == "user" and memory.kind in STANDING)


def is_valid(memory: Memory, *, at: int) -> bool:
    """Is it kept, and does it hold at that time? Its end is the first moment at which it does not."""
    begun = memory.valid_from_ms is None or memory.valid_from_ms <= at
    return memory.state == "kept" and begun and not has_ended(memory, at=at)


def has_ended(memory: Memory, *, at: int) -> bool:
    """Does it hold no more at that time, though it is kept?"""
    return memory.valid_to_ms is not None and memory.valid_to_ms <= at


def is_visible(memory: Memory, scope: Scope) -> bool:
    """May it be shown to whoever asks from there?

    Who asks from a project sees no other's; who asks as a certain human, none of another's. Only what
    reaches user-wide leaves its agent, and then only for the human whose it is.
    """
    if memory.principal is not None and scope.principal not in (None, memory.principal):
        return False
    match memory.reach:
        case "user":
            return memory.agent_ref == scope.agent or memory.principal in (None, scope.principal)
        case "agent":
            return memory.agent_ref == scope.agent
        case "project":
            own = memory.agent_ref == scope.agent
            return own and scope.project in (None, memory.project)


def owner_of(principals: Iterable[str | None]) -> str | None:
    """Whose is what was drawn from messages of these? Nobody's in particular where they are several.

    What was said for nobody in particular makes it no less hers: it still tells what she said.
    """
    known = {principal for principal in principals if principal is not None}
    return known.pop() if len(known) == 1 else None


def joint_confidence(one: float, other: float) -> float:
    """Two who say the same are surer than either, never certain."""
    return max(one, other, min(1 - (1 - one) * (1 - other), CERTAIN))


def sources_text(sources: Sequence[bytes]) -> str:
    """Message ids as they are kept, each once."""
    return json.dumps(list(dict.fromkeys(raw.hex() for raw in sources))[:MOST_SOURCES])


def tags_text(tags: Sequence[str]) -> str:
    return json.dumps(list(tags), ensure_ascii=True)


def evidence_text(files: Mapping[str, str], commits: Sequence[str]) -> str:
    """What a memory speaks of, as it was then; nothing is an empty object."""
    found = {"files": dict(sorted(files.items())), "commits": list(dict.fromkeys(commits))}
    return json.dumps({name: value for name, value in found.items() if value}, ensure_ascii=True)


def empty_memory(memory: Memory, *, now: int) -> Memory:
    """What stays of a forgotten memory: that it was there, and where it came from. No word of it."""
    return memory._replace(
        state="forgotten",
        text="",
        tags_json="[]",
        evidence_json="{}",
        pinned=0,
        updated_ms=now,
    )
