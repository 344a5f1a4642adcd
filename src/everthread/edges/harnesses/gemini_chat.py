"""Gemini CLI's chat files: messages as they come, and patches that restate the history.

A message is written again when its tools have answered. So each call and each result has a name of
its own, and what is stated again is known. Thoughts are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from everthread.domain.harness.happenings import Line, Reading

from .dialect import Record, count, entry, inner, items, line_id, records, summary_line, word
from .jsonl import LONGEST_LINE, Piece, read_piece
from .prompt_words import own_words
from .said_to_calls import answer_lines
from .seen_cursor import new_lines, seen_in, with_seen

SNAPSHOT = "<state_snapshot>"
GIVEN = "hook_context"
"""The tag in which it puts what hooks gave: before the words, or in a part of its own behind them."""
ASKS = "ask_user"
"""The tool by which the agent asks the person."""

_BEHIND = re.compile(
    r"\n(?:--- Content from referenced files ---\s{1,4}Content from @"
    r"|<system_note>\nThe user has explicitly selected the following agent\(s\): )"
)
"""What it puts behind a prompt that names files or agents with `@`: what stands in them, whom to call."""


def typed_prompt(text: str) -> str:
    """What the person typed of a prompt; "" if nobody typed it."""
    found = _BEHIND.search(text) if "@" in text else None
    return own_words(text[: found.start()] if found else text, after=GIVEN)


def read_chat(place: str, cursor: str) -> Reading:
    """The messages of a chat file; of an older version, which is one JSON document, all or none."""
    where, seen = seen_in(cursor)
    reader = _read_document if place.endswith(".json") else read_piece
    piece = reader(place, where)
    lines, known = new_lines([line for record in piece.records for line in _lines(record)], seen)
    return piece.reading(lines)._replace(cursor=with_seen(piece.cursor, known))


def _read_document(place: str, mark: str) -> Piece:
    try:
        path = Path(place)
        if not path.is_file() or path.stat().st_size > LONGEST_LINE:
            return Piece([], mark)
        data = path.read_bytes()
        found = hashlib.sha256(data).hexdigest()
        document: object = {} if found == mark else json.loads(data)
    except (OSError, ValueError, RecursionError):
        return Piece([], mark)  # it is being written
    messages = [m for doc in records([document]) for m in records(items(doc, "messages"))]
    return Piece(messages, found)


def _lines(record: Record) -> Iterator[Line]:
    """A patch restates the history, after a compression under new names: only the snapshot is new."""
    if "$set" not in record:
        yield from _message_lines(record)
        return
    for message in records(items(inner(record, "$set"), "messages")):
        yield from (line for line in _message_lines(message) if line.summary)


def _message_lines(message: Record) -> Iterator[Line]:
    kind, at = word(message, "type"), word(message, "timestamp")
    ident = word(message, "id") or line_id("gemini", at, message.get("content"))
    text = _text(message)
    if SNAPSHOT in text:
        yield summary_line(text, ident, at)
    elif kind == "user":
        words = typed_prompt(text)
        if words:
            yield Line(entry("user", words, ident, at), human=True)
    elif kind == "gemini":
        tokens = count(inner(message, "tokens"), "total") or None
        if text.strip():
            yield Line(entry("assistant", text, ident, at), tokens=tokens)
        for call in records(items(message, "toolCalls")):
            yield from _call_lines(call, ident, at)


def _text(message: Record) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [word(part, "text") for part in records(items(message, "content"))]
    said = [part for place, part in enumerate(parts) if part and not (place and _is_given(part))]
    return "\n".join(said)


def _is_given(part: str) -> bool:
    """Is it what a hook gave, from end to end? The first part is the prompt, whatever stands in it."""
    closing = f"</{GIVEN}>"
    return part.startswith(f"<{GIVEN}>") and part.find(closing) == len(part) - len(closing)


def _call_lines(call: Record, ident: str, at: str) -> Iterator[Line]:
    key = word(call, "id") or line_id(call.get("name"), call.get("args"))
    when = word(call, "timestamp") or at
    use = {"type": "tool_use", "id": key, "name": word(call, "name"), "input": inner(call, "args")}
    yield Line(entry("assistant", [use], f"{ident}:{key}", at))
    output = _output(call)
    if output:
        result: Record = {"type": "tool_result", "tool_use_id": key, "content": output}
        if word(call, "status") == "error":
            result["is_error"] = True
        yield Line(entry("user", [result], f"{ident}:{key}:result", when))
        if word(call, "name") == ASKS:
            yield from answer_lines(_answered(call, output), f"{ident}:{key}", when)


def _answered(call: Record, output: str) -> Iterator[tuple[str, str]]:
    """The questions of a call, each with the person's answer; those are told by their numbers."""
    try:
        told: object = json.loads(output)
    except (ValueError, RecursionError):
        return  # she closed it without an answer
    answers = {n: text for one in records([told]) for n, text in inner(one, "answers").items()}
    for place, question in enumerate(records(items(inner(call, "args"), "questions"))):
        yield word(question, "question"), word(answers, str(place))


def _output(call: Record) -> str:
    """What the tool answered; "" while it has not."""
    answered: list[str] = []
    for part in records(items(call, "result")):
        response = inner(inner(part, "functionResponse"), "response")
        said_so = word(response, "output", "error") or (json.dumps(response) if response else "")
        answered.append(said_so or word(part, "text"))
    return "\n".join(filter(None, answered)) or word(call, "result", "resultDisplay")
