"""Output of tools that gives way when the disk budget is spent: which bodies may, and what stays.

Only what a tool printed ever shrinks. What a person or an agent said does not, also where it came
back through a tool.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from everthread.domain.conversation.bodies import field_bodies
from everthread.domain.conversation.contents import listing, mapping, text_block
from everthread.domain.conversation.messages import Block, Form

from .shortening import ends_of

LIMIT = 2_000
"""Characters that are left of a text, with the line that says what is missing."""

NOTICE = 200
"""Characters of that line."""

WORTH = 0.5
"""A body that would keep more than this share of its bytes stays as it is."""

VOICES = frozenset(
    {
        *("agent", "task", "spawn_agent", "send_input", "wait", "delegate_to_agent"),
        *("sessions_spawn", "sessions_send", "subagents"),
        *("askuserquestion", "ask_user", "ask_user_question", "request_user_input", "question"),
        *("exitplanmode", "exit_plan_mode", "plan_exit"),
    }
)
"""Tools through which another agent or a person answers: what comes back was said."""


class StoredContent(NamedTuple):
    """A message's content as it is stored, with its bodies apart."""

    place: int
    seq: int
    form: int
    content: str
    at_ms: int


class Use(NamedTuple):
    """A body that is what a tool answered in one message, and how often in it."""

    hash: bytes
    place: int
    times: int
    at_ms: int


class Output(NamedTuple):
    """A body that is output of tools in every message that uses it; as old as its newest use."""

    agent_ref: int
    body_ref: int
    hash: bytes
    uses: int
    at_ms: int


class Shrinking(NamedTuple):
    """The record of a shrinking."""

    ref: int
    key_id: bytes
    hash: bytes
    size: int
    kept_hash: bytes
    kept_size: int
    at_ms: int
    restored: int
    """1 if the same content came again since: then the body is whole."""
    entry: int


class Space(NamedTuple):
    """Bytes of a store: those that hold something, and those that are free for what comes."""

    used: int
    free: int


class Savings(NamedTuple):
    """How many bodies are shrunk, and how many bytes that saved."""

    bodies: int
    saved: int


def calls_of(form: int, content: str) -> Mapping[str, str]:
    """The names of the tools that a stored message calls, by the id of the call."""
    if form == Form.TEXT or "tool_use" not in content:
        return {}
    return {
        str(block["id"]): str(block.get("name") or "")
        for block in _blocks(form, content)
        if block.get("type") == "tool_use" and block.get("id") is not None
    }


def outputs_of(written: StoredContent, calls: Mapping[str, str]) -> list[Use]:
    """Its bodies that are output of tools. Of a result whose call is not known nobody knows who spoke."""
    if written.form != Form.BLOCK_BODIES:
        return []
    times: Counter[bytes] = Counter()
    for block in _blocks(written.form, written.content):
        call = calls.get(str(block.get("tool_use_id")))
        if block.get("type") == "tool_result" and call and not _is_speech_tool(call):
            times.update(h for name, h in field_bodies(block) if name == "content")
    return [Use(h, written.place, n, written.at_ms) for h, n in times.items()]


def _blocks(form: int, content: str) -> Iterator[Block]:
    if form in (Form.BLOCKS, Form.BLOCK_BODIES):
        blocks: Iterable[Any] = json.loads(content)
        yield from (block for block in map(mapping, blocks) if block is not None)


def _is_speech_tool(tool: str) -> bool:
    # A tool of an MCP server is called by both names.
    return tool.lower().rpartition("__")[2] in VOICES


def shrunk_text(content: str, *, limit: int = LIMIT) -> str | None:
    """What stays of a body: head, tail and hash. None where that would save too little."""
    whole = content.encode()
    told = f"{len(whole):,} bytes, SHA-256 {hashlib.sha256(whole).hexdigest()}"
    try:
        value: Any = json.loads(content)
    except ValueError:
        return None
    kept = json.dumps(_cut(value, told, limit), ensure_ascii=False, separators=(",", ":"))
    try:
        size = len(kept.encode())
    except UnicodeEncodeError:
        kept = json.dumps(json.loads(kept), ensure_ascii=True, separators=(",", ":"))
        size = len(kept)
    return kept if size <= WORTH * len(whole) else None


def _cut(value: Any, told: str, limit: int) -> Any:
    if isinstance(value, str):
        return _text(value, told, limit)
    parts = listing(value)
    if parts is None:
        return value
    told_by = [_part_text(part) for part in parts]
    texts = [text for text in told_by if text is not None]
    others = [
        _note_for_part(part, told, limit)
        for part, text in zip(parts, told_by, strict=True)
        if text is None
    ]
    return [*([text_block(_text("\n".join(texts), told, limit))] if texts else []), *others]


def _text(text: str, told: str, limit: int) -> str:
    ends = ends_of(text, limit - NOTICE) if len(text) > limit else None
    if ends is None:
        return text
    head, tail = ends
    gone = len(text) - len(head) - len(tail)
    line = f"[… {gone:,} characters were given up to save disk space; the whole was {told}]"
    return "\n".join(part for part in (head.removesuffix("\n"), line, tail) if part)


def _part_text(part: object) -> str | None:
    """The text of a part; None if it is of another sort."""
    text = (mapping(part) or {}).get("text")
    return text if isinstance(text, str) else None


def _note_for_part(part: Any, told: str, limit: int) -> Any:
    """An image or a file gives way to a line that says so."""
    block = mapping(part)
    if len(json.dumps(part)) <= limit:
        return part
    kind = "part" if block is None else str(block.get("type") or "part")
    line = f"[… one {kind:.20} was given up to save disk space; the whole was {told}]"
    return text_block(line)
