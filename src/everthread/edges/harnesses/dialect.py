"""What each dialect offers, and the small tools they share to read a payload."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from time import time
from typing import Any, Protocol, cast

from everthread.domain.errors import BadInput
from everthread.domain.harness.happenings import Answer, Happening, Line, Reading, Start
from everthread.domain.times import SECOND, ms_of

from .event_names import KNOWN

Payload = Mapping[str, Any]
Record = dict[str, Any]

LONGEST_ID = 200
AHEAD = 3_600
"""So many seconds a harness's clock may be ahead of ours."""

STARTS: Mapping[str, Start] = {
    "startup": "startup",
    "resume": "resume",
    "clear": "clear",
    "compact": "compact",
    "fork": "fork",
}


class Dialect(Protocol):
    """How one harness speaks: its events, what it wants to hear, its transcripts."""

    @property
    def name(self) -> str:
        """The harness, as `HARNESSES` names it."""
        ...

    @property
    def events(self) -> Sequence[str]:
        """The events that an installation registers, by the harness's own names."""
        ...

    @property
    def silent(self) -> bool:
        """Does it compact without an event that says so? Then its transcript does."""
        ...

    def knows(self, event: str) -> bool:
        """Is this an event of that harness at all?"""
        ...

    def parse(self, event: str, payload: Payload, environ: Mapping[str, str]) -> Happening | None:
        """What happened; None if it is nothing for us. Missing and unknown fields do no harm."""
        ...

    def render(self, happening: Happening, answer: Answer) -> bytes:
        """Exactly what the harness reads from the hook; empty where it takes nothing."""
        ...

    def read(self, place: str, cursor: str) -> Reading:
        """What a transcript says from there on, a bounded piece of it; "" is its beginning."""
        ...

    def lines(self, happening: Happening) -> Sequence[Line]:
        """The messages that an event carries itself, as a transcript would tell them."""
        ...


class TranscriptDialect:
    """A dialect whose events carry no messages: all of them stand in a transcript."""

    name: str = ""
    silent = False

    def knows(self, event: str) -> bool:
        return event in KNOWN[self.name]

    def lines(self, happening: Happening) -> Sequence[Line]:
        return ()


def word(payload: Payload, *names: str) -> str:
    """The first of these fields that holds a text; "" if none does."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def inner(payload: Payload, name: str) -> Record:
    """A field that is an object; empty if it is not."""
    value = payload.get(name)
    return cast("Record", value) if isinstance(value, dict) else {}


def items(payload: Payload, name: str) -> list[Any]:
    """A field that is an array; empty if it is not."""
    value = payload.get(name)
    return cast("list[Any]", value) if isinstance(value, list) else []


def records(values: Iterable[object]) -> list[Record]:
    """Those of the values that are objects."""
    return [cast("Record", value) for value in values if isinstance(value, dict)]


def count(payload: Payload, *names: str) -> int:
    """The sum of those fields that hold whole numbers."""
    values = [payload.get(name) for name in names]
    return sum(v for v in values if isinstance(v, int) and not isinstance(v, bool) and v > 0)


def session_of(payload: Payload) -> str:
    return word(payload, "session_id", "sessionId", "sessionID", "session_key", "sessionKey")


def start_of(payload: Payload) -> Start:
    """How the session began; a word we do not know is a plain beginning."""
    return STARTS.get(word(payload, "source"), "startup")


def as_json(value: Mapping[str, Any]) -> bytes:
    """ASCII only: whatever the text holds, the harness can read it."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def context_json(event: str, context: str) -> bytes:
    """The answer of a hook that gives the model something, in the form that three harnesses share."""
    if not context:
        return b""
    return as_json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})


def plugin_json(answer: Answer) -> bytes:
    """The answer to a plugin of our own."""
    told = {"context": answer.context, "instructions": answer.instructions}
    given = {name: text for name, text in told.items() if text}
    return as_json(given) if given else b""


def line_id(*parts: object) -> str:
    """The name of a record that has none of its own: the same record has the same name."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def blocks_of(values: Iterable[object]) -> list[Record]:
    """The blocks of a content, without what can be none."""
    return [
        block
        for block in records(values)
        if isinstance(kind := block.get("type"), str)
        and (kind != "text" or (isinstance(text := block.get("text"), str) and text.strip()))
    ]


def entry(role: str, content: object, ident: str, at: object) -> Record:
    """A message as `Agent.record` takes it; one without a sane time was said just now."""
    if not 0 < len(ident) <= LONGEST_ID or not ident.isprintable():
        ident = line_id(ident)
    made: Record = {"role": role, "content": content, "id": ident}
    when = _moment(at)
    if when is not None:
        made["at"] = when
    return made


def _moment(at: object) -> float | None:
    """Seconds since 1970, of a text or of milliseconds; None if that is no time, or yet to come."""
    seconds = 0.0
    if isinstance(at, str) and at:
        try:
            seconds = ms_of(at) / SECOND
        except (BadInput, OverflowError):
            return None
    elif isinstance(at, int | float) and not isinstance(at, bool):
        seconds = at / SECOND
    return seconds if 0 < seconds < time() + AHEAD else None


def summary_line(text: str, ident: str, at: object, tokens: int | None = None) -> Line:
    """The harness's own summary: nobody's words."""
    return Line(entry("system", text, ident, at), summary=True, tokens=tokens)


def of_child(line: Line, child: str) -> Line:
    """A subagent's message. What it was told was said by its caller, and by no person."""
    if line.human:
        line = line._replace(entry={**line.entry, "role": "system"}, human=False)
    return line._replace(child=child)
