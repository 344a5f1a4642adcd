"""Claude Code's transcripts: one JSON line per content block, attachments and bookkeeping between them.

Thinking is left out: it is signed for the provider and of no use to anybody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from everthread.domain.harness.happenings import Line, Reading

from .dialect import (
    Record,
    blocks_of,
    count,
    entry,
    inner,
    items,
    line_id,
    of_child,
    records,
    summary_line,
    word,
)
from .jsonl import read_piece
from .prompt_words import typed_words, without_reminders
from .said_to_calls import answer_lines, refusal_lines

SYNTHETIC_MODEL = "<synthetic>"
"""Whom the harness names for what it says itself in the model's place."""

_PRINTED = re.compile(
    r"<local-command-std(?:out|err)>(.*?)</local-command-std(?:out|err)>", re.DOTALL
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
THINKING = frozenset({"thinking", "redacted_thinking"})


def read_transcript(place: str, cursor: str) -> Reading:
    piece = read_piece(place, cursor)
    lines = [line for record in piece.records for line in _lines(record)]
    return piece.reading(lines)


def _lines(record: Record) -> Iterator[Line]:
    line = line_of(record)
    if line is not None:
        yield line
        if line.child is None and line.entry["role"] == "user" and not line.human:
            yield from _said_to_calls(record, line)


def _said_to_calls(record: Record, line: Line) -> Iterator[Line]:
    """What the person said in the results of this record: that she refused a call, what she answered."""
    ident, at = line.entry["id"], word(record, "timestamp")
    told = inner(record, "toolUseResult")
    notes, answers = inner(told, "annotations"), inner(told, "answers")
    if items(told, "questions"):
        yield from answer_lines(
            ((asked, _with_note(said, inner(notes, asked))) for asked, said in answers.items()),
            ident,
            at,
        )
    for n, block in enumerate(records(line.entry["content"])):
        output = block.get("content")
        if not isinstance(output, str):
            output = _text_in(items(block, "content"))
        yield from refusal_lines(output, f"{ident}:{n}", at)


def _with_note(answer: object, about: Record) -> object:
    """The answer, and what she added to it."""
    note = word(about, "notes").strip()
    return f"{answer}\n{note}" if note and isinstance(answer, str) else answer


def line_of(record: Record) -> Line | None:
    """The message that a record holds; None for all that is bookkeeping, or that nobody said."""
    read = _TYPES.get(word(record, "type"))
    line = None if read is None or record.get("isMeta") is True else read(record)
    if line is None or not record.get("isSidechain"):
        return line
    return of_child(line, word(record, "agentId") or "sidechain")


def _entry(record: Record, role: str, content: object) -> Record:
    ident = word(record, "uuid") or line_id(record)
    return entry(role, content, ident, word(record, "timestamp"))


def _by_user(record: Record) -> Line | None:
    message = inner(record, "message")
    content = message.get("content")
    if record.get("isCompactSummary") is True:
        text = content if isinstance(content, str) else _text_in(items(message, "content"))
        return summary_line(
            text, word(record, "uuid") or line_id(record), word(record, "timestamp")
        )
    if record.get("isVisibleInTranscriptOnly") is True:
        return None
    if isinstance(content, str):
        words = typed_words(content)
        return Line(_entry(record, "user", words), human=True) if words else None
    blocks = [b for block in blocks_of(items(message, "content")) if (b := _user_block(block))]
    if not blocks:
        return None
    human = not any(block.get("type") == "tool_result" for block in blocks)
    lone = _only_text(blocks) if human else None
    return Line(_entry(record, "user", lone or blocks), human=human)


def _only_text(blocks: list[Record]) -> str | None:
    """The text of what is one text and nothing else, as the hook tells it."""
    if any(block.get("type") != "text" for block in blocks):
        return None
    return "\n".join(block["text"] for block in blocks)


def _text_in(blocks: list[object]) -> str:
    return "\n".join(word(block, "text") for block in records(blocks))


def _user_block(block: Record) -> Record | None:
    kind = block.get("type")
    if kind == "text":
        words = typed_words(word(block, "text"))
        return {**block, "text": words} if words else None
    return _result(block) if kind == "tool_result" else block


def _result(block: Record) -> Record:
    content = block.get("content")
    if isinstance(content, str):
        return {**block, "content": without_reminders(content)}
    parts = [
        {**part, "text": without_reminders(word(part, "text"))}
        if part.get("type") == "text"
        else part
        for part in records(items(block, "content"))
    ]
    return {**block, "content": parts}


def _by_assistant(record: Record) -> Line | None:
    message = inner(record, "message")
    if word(message, "model") == SYNTHETIC_MODEL or record.get("isApiErrorMessage") is True:
        return None
    content: object = message.get("content")
    if not isinstance(content, str):
        blocks = [b for b in blocks_of(items(message, "content")) if b["type"] not in THINKING]
        content = _only_text(blocks) or blocks
    if not content:
        return None
    usage = inner(message, "usage")
    tokens = count(
        usage,
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "output_tokens",
    )
    return Line(_entry(record, "assistant", content), tokens=tokens or None)


def _by_attachment(record: Record) -> Line | None:
    """Of attachments only what a person typed while the agent was at work."""
    attached = inner(record, "attachment")
    if word(attached, "type") != "queued_command":
        return None
    if word(attached, "commandMode") not in {"", "prompt"}:
        return None
    prompt = attached.get("prompt")
    text = prompt if isinstance(prompt, str) else _text_in(items(attached, "prompt"))
    words = typed_words(text)
    return Line(_entry(record, "user", words), human=True) if words else None


def _by_system(record: Record) -> Line | None:
    """Of what the harness prints itself only why it did not compact."""
    if word(inner(record, "commandRun"), "command") != "compact":
        return None
    found = _PRINTED.search(word(record, "content"))
    why = _COLOURS.sub("", found[1]).strip() if found else ""
    if not why or why.startswith("Compacted"):
        return None
    ident = word(record, "uuid") or line_id(record)
    return summary_line(why, ident, word(record, "timestamp"))._replace(declined=True)


_TYPES: Mapping[str, Callable[[Record], Line | None]] = {
    "user": _by_user,
    "assistant": _by_assistant,
    "attachment": _by_attachment,
    "system": _by_system,
}
