"""OpenClaw: what our plugin there sends, and its older internal hooks.

Its storage is not to be read. The messages that events carry are the transcript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from everthread.domain.conversation.beats import is_wake_up
from everthread.domain.harness.happenings import Answer, Happening, Kind, Line, Reading, Start

from .dialect import (
    Payload,
    Record,
    blocks_of,
    count,
    entry,
    inner,
    items,
    line_id,
    plugin_json,
    records,
    session_of,
    summary_line,
    word,
)
from .prompt_words import own_words

SUMMARY = "The conversation history before this point"

KINDS: Mapping[str, Kind] = {
    "session_start": "start",
    "before_prompt_build": "prompt",
    "before_agent_start": "prompt",
    "agent_end": "reply",
    "before_compaction": "compacting",
    "after_compaction": "start",
    "before_reset": "end",
    "session_end": "end",
    "agent:bootstrap": "start",
    "message:received": "prompt",
    "message:sent": "reply",
    "session:compact:before": "compacting",
    "session:compact:after": "start",
    "command:new": "end",
    "command:reset": "end",
    "command:stop": "reply",
}
CLOCKS = frozenset({"heartbeat", "cron", "memory"})
"""What begins a run in which nobody spoke: `trigger` in what is told around an event."""
INTERNAL = "internal_system"
"""The provenance of a message that OpenClaw wrote itself."""
COMPACTED = frozenset({"after_compaction", "session:compact:after"})
RESETS = {"before_reset": "reset", "command:new": "new", "command:reset": "reset"}


class OpenClaw:
    """The dialect of OpenClaw. It keeps nothing that it was given: the plugin gives it each time."""

    name = "openclaw"
    silent = False
    events = (
        "session_start",
        "before_prompt_build",
        "agent_end",
        "before_compaction",
        "after_compaction",
        "before_reset",
        "session_end",
    )
    legacy = (
        "agent:bootstrap",
        "message:received",
        "message:sent",
        "session:compact:before",
        "session:compact:after",
        "command:new",
        "command:reset",
    )
    """The events of its internal hooks, for hosts without plugins."""

    def knows(self, event: str) -> bool:
        return event in KINDS

    def parse(self, event: str, payload: Payload, environ: Mapping[str, str]) -> Happening | None:
        kind = KINDS.get(event)
        told = _flat_fields(payload)
        # Across a reset the id stays the same; what separates the two is told by the reset.
        session = word(told, "sessionId", "session_id")
        session = session or word(inner(told, "sessionEntry"), "sessionId") or session_of(told)
        if kind is None or not session:
            return None
        happening = Happening(
            harness=self.name,
            kind=kind,
            session=session,
            folder=word(told, "workspaceDir", "cwd") or environ.get("PWD", ""),
            name=event,
            reason=word(told, "reason") or RESETS.get(event),
            entries=_with_run_prompt(records(items(told, "messages")), told),
            keeps=False,
        )
        more = _MORE.get(kind)
        return happening if more is None else more(happening, told)

    def render(self, happening: Happening, answer: Answer) -> bytes:
        return plugin_json(answer)

    def read(self, place: str, cursor: str) -> Reading:
        """Nothing: what it names as files are none."""
        return Reading((), cursor)

    def lines(self, happening: Happening) -> list[Line]:
        """The messages that an event carries, as a transcript would tell them."""
        return lines_in(happening.session, records(happening.entries))


def _with_run_prompt(messages: Iterable[Record], event: Payload) -> tuple[Record, ...]:
    """The messages, the prompt of this run under the name that it has in all later events.

    Only of this run is it told what began it: a person, or a clock.
    """
    told, run = list(messages), word(event, "runId")
    for n in range(len(told) - 1, -1, -1):
        if word(told[n], "role") == "user":
            named = word(told[n], "idempotencyKey")
            own = f"{run}:user"
            if run and not named:
                told[n] = told[n] | {"idempotencyKey": own}
            if word(event, "trigger") in CLOCKS and named in ("", own):
                told[n] = told[n] | {"provenance": {"kind": INTERNAL}}
            break
    return tuple(told)


def _flat_fields(payload: Payload) -> Record:
    """All that is told: the event's own fields, and what is told around it."""
    event = inner(payload, "event")
    around = [inner(event, "context"), inner(payload, "context"), inner(payload, "ctx")]
    told: Record = {**payload, **event}
    for part in around:
        told |= part
    return told


def _parse_start(happening: Happening, told: Payload) -> Happening:
    start: Start = "startup"
    if happening.name in COMPACTED:
        start = "compact"
    resumed = word(told, "resumedFrom")
    if resumed and resumed == happening.session and start == "startup":
        return happening._replace(start="clear", entries=())
    # What another session held is not in the context of this one: it begins, and goes on from there.
    return happening._replace(start=start, previous=resumed or None, entries=())


def _parse_prompt(happening: Happening, told: Payload) -> Happening:
    current = told.get("currentUserMessage")
    raw = word(told, "currentUserMessage", "prompt", "content", "text", "body")
    if isinstance(current, dict):
        raw = _text(inner(told, "currentUserMessage")) or raw
    words = own_words(raw)
    human = (
        bool(words) and word(told, "trigger") in {"", "user", "message"} and not is_wake_up(words)
    )
    return happening._replace(text=words or raw, human=human, entries=())


def _parse_reply(happening: Happening, told: Payload) -> Happening:
    if happening.name != "message:sent":
        return happening
    return happening._replace(text=word(told, "content", "text", "body") or None, entries=())


def _parse_compacting(happening: Happening, told: Payload) -> Happening:
    return happening._replace(trigger=word(told, "trigger") or "auto")


_MORE: Mapping[Kind, Callable[[Happening, Payload], Happening]] = {
    "start": _parse_start,
    "prompt": _parse_prompt,
    "reply": _parse_reply,
    "compacting": _parse_compacting,
}


# Messages


def lines_in(session: str, messages: Iterable[Record]) -> list[Line]:
    """Its messages as lines. One without a name is known by what it says, when, and how often so far.

    What is said of a prompt changes with the events, its form and its time too, but not its key.
    """
    seen: dict[str, int] = {}
    lines: list[Line] = []
    for message in messages:
        at = message.get("timestamp", message.get("createdAt"))
        name = line_id("openclaw", session, message.get("role"), at, message.get("content"))
        seen[name] = seen.get(name, 0) + 1
        named = word(message, "idempotencyKey", "responseId", "id")
        ident = named or (name if seen[name] == 1 else f"{name}:{seen[name]}")
        line = _line(message, ident, at)
        if line is not None:
            lines.append(line)
    return lines


def _line(message: Record, ident: str, at: object) -> Line | None:
    read = _ROLES.get(word(message, "role"))
    return None if read is None else read(message, ident, at)


def _text(message: Record) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(word(b, "text") for b in blocks_of(items(message, "content")))


def _by_user(message: Record, ident: str, at: object) -> Line | None:
    text = _text(message)
    if text.lstrip().startswith(SUMMARY):
        return summary_line(text, ident, at)
    words = own_words(text)
    if not words:
        return None
    line = entry("user", words, ident, at)
    if is_wake_up(words) or word(inner(message, "provenance"), "kind") == INTERNAL:
        return Line(line | {"origin": "system"})
    return Line(line, human=True)


def _by_assistant(message: Record, ident: str, at: object) -> Line | None:
    content: object = message.get("content")
    if not isinstance(content, str):
        blocks = [_block(block) for block in blocks_of(items(message, "content"))]
        content = [block for block in blocks if block["type"] in {"text", "tool_use"}]
    if not content:
        return None
    usage = inner(message, "usage")
    tokens = (
        count(usage, "total")
        or count(usage, "totalTokens")
        or count(usage, "input", "output", "cacheRead", "cacheWrite")
    )
    return Line(entry("assistant", content, ident, at), tokens=tokens or None)


def _block(block: Record) -> Record:
    if block["type"] not in {"toolCall", "tool_call", "toolUse"}:
        return block
    asked = inner(block, "arguments") or inner(block, "input")
    return {
        "type": "tool_use",
        "id": word(block, "id"),
        "name": word(block, "name"),
        "input": asked,
    }


def _by_tool(message: Record, ident: str, at: object) -> Line | None:
    key = word(message, "toolCallId", "tool_call_id", "toolUseId")
    result: Record = {"type": "tool_result", "tool_use_id": key, "content": _text(message)}
    if message.get("isError") is True:
        result["is_error"] = True
    return Line(entry("user", [result], ident, at))


_ROLES: Mapping[str, Callable[[Record, str, object], Line | None]] = {
    "user": _by_user,
    "assistant": _by_assistant,
    "toolResult": _by_tool,
    "tool": _by_tool,
    "compactionSummary": lambda message, ident, at: summary_line(
        _text(message) or word(message, "summary"), ident, at
    ),
}
