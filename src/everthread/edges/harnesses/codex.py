"""Codex: hook events in the shape of Claude Code's, and its rollout files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from everthread.domain.harness.happenings import Answer, Happening, Kind, Line, Reading

from .dialect import (
    Payload,
    Record,
    TranscriptDialect,
    context_json,
    count,
    entry,
    inner,
    items,
    line_id,
    records,
    session_of,
    start_of,
    summary_line,
    word,
)
from .jsonl import read_piece
from .prompt_words import own_words, stands_alone

KINDS: Mapping[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "Stop": "reply",
    "Interrupt": "reply",
    "SubagentStop": "child_end",
    "PreCompact": "compacting",
    "PostCompact": "compacted",
    "SessionEnd": "end",
}
METADATA = "internal_chat_message_metadata_passthrough"
PERSON = ("user", "unknown")
"""How the kinds begin of what can be a person's words."""

_AROUND_IMAGE = re.compile(r"\s*(?:<image(?: [^\n]*)?>|</image>)\s*")
"""What it writes before and after an image that goes with a prompt, each a text of its own."""

_HEAD = re.compile(
    r"(?:Chunk ID: \w+\n)?(?:Exit code: (?P<exit>-?\d{1,9})\n)?Wall time: [\d.]+ seconds?\n"
    r"(?:Process (?:exited with code (?P<code>-?\d{1,9})|running with session ID \d+)\n)?"
    r"(?:(?:Total output lines|Original token count): \d+\n)*Output:(?:\n|\Z)"
)
"""What stands above the output of a command."""


class Codex(TranscriptDialect):
    """The dialect of Codex. It tells no summary: that stands in the rollout."""

    name = "codex"
    events = (
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    )

    def parse(self, event: str, payload: Payload, environ: Mapping[str, str]) -> Happening | None:
        kind, session = KINDS.get(event), session_of(payload)
        if kind is None or not session:
            return None
        happening = Happening(
            harness=self.name,
            kind=kind,
            session=session,
            folder=word(payload, "cwd") or environ.get("PWD", ""),
            name=event,
            transcript=word(payload, "transcript_path", "transcriptPath") or None,
            child=word(payload, "agent_id", "agentId") or None,
            trigger=word(payload, "trigger") or None,
            reason=word(payload, "reason") or None,
            text=word(payload, "last_assistant_message") or None,
        )
        more = _MORE.get(kind)
        return happening if more is None else more(happening, payload)

    def render(self, happening: Happening, answer: Answer) -> bytes:
        if happening.kind in {"start", "prompt", "tool"}:
            return context_json(happening.name, answer.context)
        return b""

    def read(self, place: str, cursor: str) -> Reading:
        piece = read_piece(place, cursor)
        lines: list[Line] = []
        for record in piece.records:
            _add(lines, record)
        return piece.reading(lines)


def _parse_start(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(start=start_of(payload))


def _parse_prompt(happening: Happening, payload: Payload) -> Happening:
    raw = word(payload, "prompt", "user_prompt", "userPrompt")
    words = own_words(raw)
    return happening._replace(text=words or raw, human=bool(words) and happening.child is None)


def _parse_child_end(happening: Happening, payload: Payload) -> Happening | None:
    place = word(payload, "agent_transcript_path", "agentTranscriptPath")
    if happening.child is None or not place:
        return None  # without a file of its own there is nothing that the main one does not say
    return happening._replace(transcript=place)


_MORE: Mapping[Kind, Callable[[Happening, Payload], Happening | None]] = {
    "start": _parse_start,
    "prompt": _parse_prompt,
    "child_end": _parse_child_end,
}


# Rollouts


def _add(lines: list[Line], record: Record) -> None:
    """The line that a record makes; or what it says about the one before."""
    payload = inner(record, "payload")
    kind = word(record, "type")
    if kind == "event_msg" and word(payload, "type") == "token_count":
        usage = inner(inner(payload, "info"), "last_token_usage")
        tokens = count(usage, "total_tokens") or count(usage, "input_tokens", "output_tokens")
        if lines and tokens:
            lines[-1] = lines[-1]._replace(tokens=tokens)
    elif kind == "compacted":
        _add_summary(lines, record, word(payload, "message"))
    elif kind == "response_item" and inner(record, "metadata").get("compaction_output") is not True:
        read = _ITEMS.get(word(payload, "type"))
        line = None if read is None else read(record, payload)
        if line is not None:
            lines.append(line)


def _add_summary(lines: list[Line], record: Record, summary: str) -> None:
    """The summary, where it can be read. The summariser's answer just before is no reply to anybody."""
    if not summary.strip():
        return
    if lines and _is_summary_answer(lines[-1], summary):
        lines.pop()
    lines.append(summary_line(summary, _item_id(record), word(record, "timestamp")))


def _is_summary_answer(line: Line, summary: str) -> bool:
    """Is it what the summariser answered? That is the summary, or all of it behind an introduction."""
    content = line.entry["content"]
    if line.entry["role"] != "assistant" or not isinstance(content, str):
        return False
    return f"\n{summary.strip()}".endswith(f"\n{content.strip()}")


def _item_id(record: Record) -> str:
    """The same for the same item, wherever in a file it stands."""
    payload = inner(record, "payload")
    return word(payload, "id") or line_id("codex", record.get("timestamp"), payload)


def _entry(record: Record, role: str, content: object) -> Record:
    return entry(role, content, _item_id(record), word(record, "timestamp"))


def _message(record: Record, payload: Record) -> Line | None:
    texts = [word(part, "text") for part in records(items(payload, "content"))]
    role = word(payload, "role")
    if role == "assistant":
        text = "\n".join(filter(None, texts))
        return Line(_entry(record, "assistant", text)) if text.strip() else None
    if role != "user":
        return None  # developer: what hooks and the harness gave to the model
    words = "\n".join(filter(None, map(own_words, _by_person(payload, texts))))
    return Line(_entry(record, "user", words), human=True) if words else None


def _by_person(payload: Record, texts: list[str]) -> list[str]:
    """The texts without those that the client put beside a person's."""
    kinds = items(inner(payload, METADATA), "content_item_kinds")
    if len(kinds) == len(texts):
        found = [t for t, kind in zip(texts, kinds, strict=True) if str(kind).startswith(PERSON)]
    else:
        found = [text for text in texts if not stands_alone(text)]
    alone = len(texts) == 1
    return [text for text in found if alone or not _AROUND_IMAGE.fullmatch(text)]


def _call(record: Record, payload: Record) -> Line:
    asked = payload.get("arguments", payload.get("input", payload.get("action")))
    block = {
        "type": "tool_use",
        "id": word(payload, "call_id", "id") or _item_id(record),
        "name": word(payload, "name") or word(payload, "type"),
        "input": _arguments(asked),
    }
    return Line(_entry(record, "assistant", [block]))


def _arguments(asked: object) -> dict[str, Any]:
    if isinstance(asked, str):
        try:
            asked = json.loads(asked)
        except ValueError:
            return {"input": asked}
    return asked if isinstance(asked, dict) else {"input": asked}  # pyright: ignore[reportUnknownVariableType]


def _output(record: Record, payload: Record) -> Line:
    given = payload.get("output")
    if isinstance(given, dict):
        given = given.get("content", given)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if isinstance(given, list):
        given = "\n".join(word(part, "text") for part in records(given))  # pyright: ignore[reportUnknownArgumentType]
    text = given if isinstance(given, str) else json.dumps(given)
    block: Record = {
        "type": "tool_result",
        "tool_use_id": word(payload, "call_id"),
        "content": text,
    }
    return Line(_entry(record, "user", [block | _printed(text)]))


def _printed(text: str) -> Record:
    """What a command printed, and how it ended: above it Codex writes how long it took, and more."""
    head = _HEAD.match(text)
    if head is None:
        return {}
    code = head["code"] or head["exit"]
    if code is None:
        return {"content": text[head.end() :]}  # it runs on
    failed = int(code) != 0
    told = f"Exit code {code}\n" if failed else ""
    return {"content": told + text[head.end() :], "is_error": failed}


_ITEMS: Mapping[str, Callable[[Record, Record], Line | None]] = {
    "message": _message,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
}
