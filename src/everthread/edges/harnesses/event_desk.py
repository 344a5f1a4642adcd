"""Where events of harnesses arrive: understood, brought to the agent they belong to, answered."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from time import sleep
from typing import Any, cast

from everthread.domain.errors import BadInput, NotUnderstood, StoreBusy
from everthread.domain.harness.happenings import Happening, Line, Reading
from everthread.domain.times import ms_of
from everthread.engine import Agent, Everthread
from everthread.settings import Settings
from everthread.wiring import harness_process

from .binding import Binding, bound_agent
from .claude_code import ClaudeCode
from .codex import Codex
from .dialect import Dialect, of_child
from .gemini import Gemini
from .openclaw import OpenClaw
from .opencode import OpenCode
from .privacy import (
    Read,
    Span,
    is_asked_for,
    is_private_at,
    may_tell_private,
    public_reader,
    read_private,
    switch,
)
from .seen_cursor import reader_of_lines
from .tool_gate import gate_answer, is_asked

log = logging.getLogger("everthread.harnesses")

DIALECTS: Mapping[str, Dialect] = {
    d.name: d for d in (ClaudeCode(), Codex(), Gemini(), OpenCode(), OpenClaw())
}

EMPTY = b""
PROCESS = "EVERTHREAD_HARNESS_PID"
"""Under this name the client tells who runs it."""
LOOKS, MEANWHILE = 10, 0.05
"""How often, and after how many seconds, a file is looked at again for words that must come."""
CARRIED = "event"
"""The place of messages that came with the events themselves."""
HUGE = 1_000_000
_WHO = {
    *("session_id", "sessionId", "transcript_path", "cwd", "workspaceDir"),
    *("hook_event_name", "source", "trigger", "reason", "model"),
}
_LONG = {
    *("prompt", "user_prompt", "userPrompt"),
    *("last_assistant_message", "prompt_response", "compact_summary"),
}
_KEY = re.compile(r'\s*[{,]\s*"([^"\\]*)"\s*:\s*')
_WORDS = re.compile(r'"((?>(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*))')
CUT = "[Everthread: the rest was too large to be carried, and is not kept]"
"""Stands where the words of an event end before they were at their end."""


def answer(  # noqa: PLR0913 - an event, with all that it came with
    engine: Everthread,
    settings: Settings,
    harness: str,
    event: str,
    payload: bytes,
    environ: Mapping[str, str],
    at: datetime | None = None,
    *,
    seconds: float | None = None,
) -> bytes:
    """What the harness is to read from its hook, which waits so many seconds for it.

    With `at`, the event was met then; with no `seconds` beside it, it is from the spool and nobody waits.
    `NotUnderstood` if it says what we cannot read.
    """
    if is_asked(harness, event):
        return gate_answer(engine, harness, decode_event(payload), environ)
    dialect = dialect_of(harness)
    happening = dialect.parse(event, decode_event(payload), environ)
    if happening is None:
        _pass_over(dialect, event)
        return EMPTY
    binding = bound_agent(engine, happening.folder, settings.home)
    when, spooled = ms_of(at or datetime.now(UTC)), at is not None and seconds is None
    spans = _private_spans(settings, happening, binding, environ, when)
    if spans is None or binding.agent is None:
        _log_left_alone(happening, binding, private=spans is None)
        return EMPTY
    happening = happening._replace(folder=binding.folder)
    if happening.kind == "start":
        happening = _with_owner(happening, binding, environ, spooled=spooled)
    happening, read = _transcript_reader(dialect, happening)
    agent, public = engine.beside(binding.agent), public_reader(read, spans)
    happening = _without_summary(agent, happening, read, spans, when)
    shown: list[Line] = []
    if dialect.silent:
        public = _public_reader(read, spans, shown)
    past = None if at is None else when
    others = _other_reader(dialect, settings)
    given = agent.attend(happening, public, others=others, at=past, seconds=seconds)
    if shown:
        noticed = happening._replace(kind="compacted", text=str(shown[-1].entry["content"]))
        _attend_compaction(agent, _without_summary(agent, noticed, read, spans, when), when)
    return dialect.render(happening, given)


def session_in(harness: str, event: str, payload: bytes, environ: Mapping[str, str]) -> str:
    """The session that an event belongs to; "" if it names none, cannot be read, or tells nothing."""
    try:
        happening = dialect_of(harness).parse(event, decode_event(payload), environ)
    except NotUnderstood:
        return ""
    return "" if happening is None else happening.session


def _without_summary(
    agent: Agent, happening: Happening, read: Read, spans: Sequence[Span], now: int
) -> Happening:
    """Without the harness's summary, where that can tell what was private or is erased."""
    if happening.kind not in ("compacting", "compacted") or not happening.text:
        return happening
    # What an event carries is not all that was said, and does not tell when that began.
    place = "" if happening.transcript in (None, CARRIED) else happening.transcript
    if agent.erased_at(happening.session) or may_tell_private(read, place, spans, at=now):
        return happening._replace(text=None)
    return happening


def _public_reader(read: Read, spans: Sequence[Span], shown: list[Line]) -> Read:
    """Read what is public, but put the harness's summaries aside."""

    def unsummed(place: str, cursor: str) -> Reading:
        found = read(place, cursor)
        shown.extend(line for line in found.lines if line.summary and not line.declined)
        return found._replace(lines=[one for one in found.lines if not one.summary or one.declined])

    return public_reader(unsummed, spans)


def _other_reader(dialect: Dialect, settings: Settings) -> Read:
    """Read a transcript of another session, without what was said at any private time."""

    def reading(place: str, cursor: str) -> Reading:
        spans = read_private(settings.home).whenever()
        return public_reader(dialect.read, spans)(place, cursor)

    return reading


def _attend_compaction(agent: Agent, told: Happening, at: int) -> None:
    """A compaction that no event tells of, seen in the transcript: the next prompt is given back to."""
    told = told._replace(transcript=None, child=None, entries=())
    agent.attend(told._replace(kind="start", start="compact", text=None, owner=""), at=at)
    if told.text:
        agent.attend(told, at=at)


def _with_owner(
    happening: Happening, binding: Binding, environ: Mapping[str, str], *, spooled: bool
) -> Happening:
    """A session that begins: whose process it is. By the time of the spool that may be another's."""
    for warning in binding.warnings:
        log.warning("%s", warning)
    pid = "" if spooled else environ.get(PROCESS, "")
    return happening._replace(owner=harness_process(pid))


def _transcript_reader(dialect: Dialect, happening: Happening) -> tuple[Happening, Read]:
    """What reads the transcript of the event; what it carries itself is read like one."""
    read: Read = dialect.read
    if happening.entries:
        read = reader_of_lines(dialect.lines(happening))
        happening = happening._replace(entries=(), transcript=CARRIED)
    if happening.kind == "child_end" and happening.child is not None:
        read = _child_reader(read, happening.child, happening.text or "")
    return happening, read


def _child_reader(read: Read, child: str, last: str) -> Read:
    """All that is read is the subagent's: its file is its own.

    The harness may tell that it ended before its last words are in the file; nobody comes back for
    them, so they are waited for.
    """

    def reading(place: str, cursor: str) -> Reading:
        found = read(place, cursor)
        for _ in range(LOOKS):
            if not last or not found.whole or any(_says(line, last) for line in found.lines):
                break
            sleep(MEANWHILE)
            more = read(place, found.cursor)
            found = more._replace(
                lines=[*found.lines, *more.lines], skipped=found.skipped + more.skipped
            )
        return found._replace(lines=[of_child(line, child) for line in found.lines])

    return reading


def _says(line: Line, words: str) -> bool:
    content = line.entry["content"]
    return isinstance(content, str) and content.strip() == words.strip()


def dialect_of(harness: str) -> Dialect:
    found = DIALECTS.get(harness)
    if found is None:
        raise NotUnderstood(f"no harness {harness!r:.40}; we know {', '.join(DIALECTS)}")
    return found


def decode_event(payload: bytes) -> dict[str, Any]:
    """The event's fields; no payload at all has none."""
    if not payload.strip():
        return {}
    try:
        told = json.loads(payload)
    except (ValueError, RecursionError) as wrong:
        if told := _leading_fields(payload):
            log.warning("an event ends in the middle, after %s bytes", f"{len(payload):,}")
            return told
        raise NotUnderstood(f"the event is no JSON ({len(payload):,} bytes)") from wrong
    if not isinstance(told, dict):
        raise NotUnderstood(f"the event is no JSON object but {type(told).__name__}")
    return cast("dict[str, Any]", told)


def _leading_fields(payload: bytes) -> dict[str, Any]:
    """What a huge event says first: who and where. The client cut it; the transcript has the rest. Where
    there is none, the words are kept as far as they came, with a mark."""
    if len(payload) < HUGE:
        return {}
    told = dict(_members(payload.decode("utf-8", "ignore")))
    if not told.keys() & _WHO:
        return {}
    written = os.path.isfile(told.get("transcript_path", ""))  # noqa: PTH113 - whatever it says
    wanted = _WHO if written else _WHO | _LONG
    return {name: value for name, value in told.items() if name in wanted}


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The event's own fields that are texts, up to where it was cut; not those inside of others."""
    reader, at = json.JSONDecoder(strict=False), 0
    while key := _KEY.match(text, at):
        try:
            value, at = reader.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            begun = _WORDS.match(text, key.end())
            if begun is not None and key[1] in _LONG:
                words = json.loads(begun[0] + '"', strict=False)
                yield key[1], f"{words}\n\n{CUT}"
            return
        if isinstance(value, str):
            yield key[1], value


def _pass_over(dialect: Dialect, event: str) -> None:
    if not dialect.knows(event):
        raise NotUnderstood(f"{dialect.name} has no event {event!r:.60} that we know")
    log.debug("%s: nothing to do for %s", dialect.name, event)


def _private_spans(
    settings: Settings,
    happening: Happening,
    binding: Binding,
    environ: Mapping[str, str],
    now: int,
) -> tuple[Span, ...] | None:
    """When the session was private; None if it is so now."""
    if is_asked_for(environ):
        _note_private(settings, happening.session, now)
        return None
    spans = read_private(settings.home).spans(happening.session, binding.folder)
    return None if is_private_at(spans, now) else spans


def _note_private(settings: Settings, session: str, now: int) -> None:
    """So that no later import takes the transcript for a public one. The event itself is let go of."""
    try:
        switch(settings.home, now=now, on=True, session=session)
    except (OSError, BadInput, StoreBusy) as trouble:
        log.warning("that session %s is private could not be written down: %s", session, trouble)


def _log_left_alone(happening: Happening, binding: Binding, *, private: bool) -> None:
    reason = "the session is private" if private else binding.reason
    level = logging.INFO if happening.kind == "start" else logging.DEBUG
    log.log(level, "%s: %s is not kept: %s", happening.harness, happening.name, reason)
