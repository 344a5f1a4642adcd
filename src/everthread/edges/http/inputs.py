"""What requests may say: queries and bodies, field by field. Whatever else they say is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Word = Annotated[str, Meta(min_length=1, max_length=1_000)]
Text = Annotated[str, Meta(min_length=1, max_length=8_000)]
Few = Annotated[int, Meta(ge=1, le=100)]
Many = Annotated[int, Meta(ge=1, le=1_000)]
Number = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Kind = Literal[
    "rule",
    "identity",
    "correction",
    "decision",
    "preference",
    "open_item",
    "fact",
    "reference",
    "note",
]
Scope = Literal["read", "write", "admin"]
Object = dict[str, Any]


class Asked(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A request that says nothing beyond its path."""

    def close(self) -> None:
        """Let go of what came with it."""


class Lines(Asked):
    """A body of lines: in a file without a name, from its beginning."""

    file: Any

    def close(self) -> None:
        self.file.close()


# Queries ------------------------------------------------------------------------------------------


class OnThread(Asked):
    thread: Word | None = None
    limit: Few = 50


class Messages(Asked):
    thread: Word | None = None
    limit: Many = 50
    tokens: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    """Only as many whole ones as fit into so many tokens."""


class OneSession(Asked):
    limit: Many = 50


class Memories(Asked):
    kind: Kind | None = None
    tag: Word | None = None
    state: Literal["current", "kept", "superseded", "forgotten", "all"] = "current"
    """The current ones are kept and have not ended."""
    project: Word | None = None
    origin: Literal["user", "agent", "tool", "imported"] | None = None
    told: bool = False
    """Only what somebody asked to have remembered, nothing drawn from what was said."""
    limit: Many = 100


class Notes(Asked):
    category: Word | None = None
    limit: Many = 100


class Injections(Asked):
    turn: Number | None = None
    session: Word | None = None
    limit: Few = 50


class ContextOf(Asked):
    at: Number | None = None
    call: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    thread: Word | None = None


class SentIn(Asked):
    call: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    thread: Word | None = None


class TimelineOf(Asked):
    session: Word | None = None
    limit: Many = 100


class CheckpointsOf(Asked):
    project: Word
    agent: Word | None = None
    limit: Few = 10


class CheckpointsOfSession(Asked):
    agent: Word | None = None
    limit: Few = 100


class CheckpointsOfAgent(Asked):
    session: Word | None = None
    project: Word | None = None
    limit: Few = 10


class CompactionsOf(Asked):
    session: Word | None = None
    limit: Few = 20


class Style(Asked):
    style: Literal["anthropic", "openai"] = "anthropic"


# Bodies -------------------------------------------------------------------------------------------


class NewAgent(Asked):
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    system: Annotated[str, Meta(max_length=1_000_000)] | list[Object] | None = None
    tools: list[Object] | None = None
    model: Word | None = None
    window: Annotated[int, Meta(ge=1_000, le=100_000_000)] | None = None
    inactivity_hours: Annotated[float, Meta(gt=0, le=8_760)] | None = None
    time_zone: Word | None = None


class NewThread(Asked):
    key: Word
    kind: Literal["background", "ephemeral"]


class OneThread(Asked):
    key: Word


class Resume(Asked):
    channel: Word | None = None


class Record(Asked):
    entries: Annotated[list[Object], Meta(max_length=10_000)]
    thread: Word | None = None
    session: Word | None = None
    source: Literal["record", "import"] = "record"
    channel: Word | None = None
    project: Word | None = None
    parent: Word | None = None


class Begin(Asked):
    content: str | list[Object]
    channel: Word | None = None
    thread: Word | None = None
    session: Word | None = None
    principal: Word | None = None
    name: Word | None = None
    origin: Literal["user", "agent", "tool", "system"] | None = None
    style: Literal["anthropic", "openai"] = "anthropic"


class Reply(Asked):
    response: str | Object
    style: Literal["anthropic", "openai"] = "anthropic"


class Result(Asked):
    call_id: Word
    output: str | list[Object] | Object
    is_error: bool = False
    style: Literal["anthropic", "openai"] = "anthropic"


class Done(Asked):
    reply: str | Object | None = None
    usage: Object | None = None
    state: str | Object | None = None


class Failed(Asked):
    error: Annotated[str, Meta(max_length=2_000)] = "failed"


class Recall(Asked):
    query: Annotated[str, Meta(min_length=1, max_length=100_000)]
    limit: Few = 5
    tokens: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    project: Word | None = None
    principal: Word | None = None
    patient: bool = False
    """Make the few vectors that are missing first, and wait for that of the question."""


class Remember(Asked):
    text: Text
    kind: Kind = "fact"
    scope: Literal["agent", "project", "user"] = "agent"
    project: Word | None = None
    principal: Word | None = None
    tags: Annotated[list[Word], Meta(max_length=50)] = field(default_factory=list[str])
    sources: Annotated[list[Word], Meta(max_length=100)] = field(default_factory=list[str])
    confidence: Share | None = None
    importance: Share | None = None
    valid_from: Word | None = None
    valid_to: Word | None = None
    origin: Literal["user", "agent", "tool", "imported"] | None = None
    replaces: Annotated[list[Word], Meta(max_length=20)] = field(default_factory=list[str])
    beside: Annotated[int, Meta(ge=0, le=20)] = 0
    """So many others that may be about the same thing are told with the answer."""


class Edit(Asked):
    text: Text


class NewNote(Asked):
    text: Text
    category: Word = "note"
    origin: Literal["user", "agent"] = "agent"


class Distill(Asked):
    thread: Word | None = None


class DryRun(Asked):
    dry_run: bool = False


class NewCheckpoint(Asked):
    text: Annotated[str, Meta(max_length=20_000)] | None = None
    session: Word | None = None
    kind: Literal["explicit", "agent"] = "explicit"
    decisions: Annotated[list[Text], Meta(max_length=50)] = field(default_factory=list[str])
    state: Annotated[str, Meta(max_length=20_000)] = ""
    blockers: Annotated[list[Text], Meta(max_length=50)] = field(default_factory=list[str])
    next_steps: Annotated[list[Text], Meta(max_length=50)] = field(default_factory=list[str])


class Restore(Asked):
    items: Annotated[list[Number], Meta(max_length=1_000)] | None = None


class Erase(Asked):
    agent: Word
    thread: Word | None = None
    reason: Annotated[str, Meta(min_length=1, max_length=4_000)] | None = None


class NewToken(Asked):
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=3)] = field(
        default_factory=lambda: ["read"]
    )
    agents: Annotated[list[Word], Meta(max_length=100)] = field(default_factory=list[str])
