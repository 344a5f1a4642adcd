"""A message and its blocks.

Blocks have the shape of the Anthropic Messages API (`text`, `tool_use`, `tool_result`, `image`,
`thinking`, …) and are kept as they came: unknown types and fields stay untouched. Fields that only
another provider understands live under `PRIVATE` and are taken off when rendered for a foreign one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from everthread.domain.checks import shorten
from everthread.domain.errors import BadInput, BodyDamaged
from everthread.domain.ids import id_text
from everthread.domain.times import moment_of

from .legal_json import read_json, write_json

Role = Literal["user", "assistant", "system"]
Kind = Literal["said", "summary", "marker", "notice"]
Origin = Literal["user", "agent", "tool", "system"]
Source = Literal["turn", "record", "hook", "import"]
Block = dict[str, Any]

ORIGINS: tuple[Origin, ...] = ("user", "agent", "tool", "system")
SOURCES: tuple[Source, ...] = ("turn", "record", "hook", "import")

PRIVATE = "everthread"
"""The one key under which a block carries what is not part of its provider-neutral form."""


WORDS = frozenset({"text", "input_text", "output_text"})
"""The kinds of blocks whose `text` is words: the usual one, and those of OpenAI's Responses API."""


class Form(IntEnum):
    """How the content column is to be read."""

    TEXT = 0
    BLOCKS = 1
    TEXT_BODY = 2
    BLOCK_BODIES = 3


TEXT, BLOCKS = int(Form.TEXT), int(Form.BLOCKS)
"""As plain numbers: the store asks about every other type before it binds it."""


class Message(NamedTuple):
    """One message as it is stored. Never edited; `seq` orders the thread, `at` the reading."""

    key: bytes
    thread_ref: int
    session_ref: int | None
    turn_ref: int | None
    seq: int
    role: Role
    kind: Kind
    origin: Origin
    source: Source
    external_id: str | None
    name: str | None
    principal: str | None
    archived: bool | int
    form: int
    content: str
    tokens: int
    at_ms: int
    created_ms: int
    entry: int

    def __repr__(self) -> str:
        # What is not filled in yet is shown as it is kept.
        text = self.text if self.form in (TEXT, BLOCKS) else self.content
        return f"<Message {self.id} by {self.origin}: {shorten(text)!r}>"

    @property
    def id(self) -> str:
        return id_text(self.key)

    @property
    def at(self) -> datetime:
        """When it was said."""
        return moment_of(self.at_ms)

    @property
    def created_at(self) -> datetime:
        """When it was stored."""
        return moment_of(self.created_ms)

    @property
    def blocks(self) -> list[Block]:
        try:
            return blocks_of(self.form, self.content)
        except ValueError as wrong:
            raise message_damaged(self.key) from wrong

    @property
    def text(self) -> str:
        """What a person would read: the text blocks, joined by line breaks."""
        if self.form == Form.TEXT:
            return self.content
        return text_of(self.blocks)


def message_damaged(key: bytes) -> BodyDamaged:
    """The error that names a message whose stored content cannot be read."""
    return BodyDamaged(
        f"what is stored of message {id_text(key)} was changed and cannot be read; "
        "`everthread verify` tells what else was. Put a backup in its place"
    )


class Draft(NamedTuple):
    """A message on its way into the store."""

    role: Role
    origin: Origin
    form: int
    content: str
    kind: Kind = "said"
    source: Source = "turn"
    external_id: str | None = None
    name: str | None = None
    principal: str | None = None
    archived: bool = False
    tokens: int = 0
    at_ms: int = 0


def as_message(draft: Draft) -> Message:
    """A draft as the renderer sees a message, though it has no place in a thread."""
    return Message(
        key=b"",
        thread_ref=0,
        session_ref=None,
        turn_ref=None,
        seq=0,
        role=draft.role,
        kind=draft.kind,
        origin=draft.origin,
        source=draft.source,
        external_id=None,
        name=None,
        principal=None,
        archived=False,
        form=draft.form,
        content=draft.content,
        tokens=draft.tokens,
        at_ms=0,
        created_ms=0,
        entry=0,
    )


def content_column(content: str | Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """Form and content column for a text or a list of blocks.

    A lone plain text is stored as it is: fewer bytes than JSON, and nothing to parse later.
    """
    if isinstance(content, str):
        if _storable(content):
            return TEXT, content
        return BLOCKS, _json([{"type": "text", "text": content}])
    blocks = [dict(block) for block in content]
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["type"] == "text":
        return content_column(str(blocks[0]["text"]))
    return BLOCKS, _json(blocks)


def blocks_of(form: int, content: str) -> list[Block]:
    """The blocks behind a content column whose large bodies have been filled in."""
    if form == Form.TEXT:
        return [{"type": "text", "text": content}]
    return read_json(content)


def _storable(text: str) -> bool:
    # PostgreSQL refuses NUL in text and both refuse lone surrogates; JSON can escape either.
    return "\x00" not in text and (text.isascii() or not _has_surrogate(text))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _json(value: object) -> str:
    try:
        text = write_json(value, in_ascii=False)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise BadInput(f"the content is not JSON: {wrong}") from wrong
    return text if _storable(text) else write_json(value, in_ascii=True)


def text_of(blocks: Sequence[Block]) -> str:
    """The words of the blocks, joined by line breaks."""
    return "\n".join(str(b.get("text") or "") for b in blocks if b.get("type") in WORDS)


def says_something(content: str | Sequence[Block]) -> bool:
    """Does it say anything: a word, or a block that is not text?"""
    if isinstance(content, str):
        return bool(content.strip())
    return any(b.get("type") not in WORDS or str(b.get("text") or "").strip() for b in content)


def calls_in(blocks: Sequence[Block]) -> Iterator[Block]:
    """The tool calls of a message, in order."""
    return (b for b in blocks if b.get("type") == "tool_use")


def results_in(blocks: Sequence[Block]) -> Iterator[Block]:
    """The tool results of a message, in order."""
    return (b for b in blocks if b.get("type") == "tool_result")
