"""Claude Code: its hook events, and what it reads from a hook."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath

from everthread.domain.harness.happenings import Answer, Happening, Kind, Reading

from .claude_code_transcript import read_transcript
from .dialect import Payload, TranscriptDialect, context_json, session_of, start_of, word
from .prompt_words import typed_words

KINDS: Mapping[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "PostToolBatch": "tool",
    "Stop": "reply",
    "StopFailure": "reply",
    "SubagentStop": "child_end",
    "PreCompact": "compacting",
    "PostCompact": "compacted",
    "SessionEnd": "end",
}

PEOPLE = frozenset({"", "user", "sdk"})
"""By whom a prompt can come and be a person's."""

_SUMMARY = re.compile(r"<summary>(.*)</summary>", re.DOTALL)
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)


class ClaudeCode(TranscriptDialect):
    """The dialect of Claude Code. Each event repeats where the transcript is, which has all the rest."""

    name = "claude-code"
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
        kind = KINDS.get(event)
        transcript = word(payload, "transcript_path", "transcriptPath")
        session = (
            session_of(payload)
            or environ.get("CLAUDE_CODE_SESSION_ID", "")
            or PurePath(transcript).stem
        )
        if kind is None or not session:
            return None
        happening = Happening(
            harness=self.name,
            kind=kind,
            session=session,
            # Where the session was opened: the present folder moves with every `cd`.
            folder=environ.get("CLAUDE_PROJECT_DIR")
            or word(payload, "cwd")
            or environ.get("PWD", ""),
            name=event,
            transcript=transcript or None,
            child=word(payload, "agent_id", "agentId") or None,
        )
        more = _MORE.get(kind)
        return happening if more is None else more(happening, payload)

    def render(self, happening: Happening, answer: Answer) -> bytes:
        if happening.kind == "compacting":
            # Its plain output is appended to the instructions of the summariser.
            return answer.instructions.encode("utf-8", "replace")
        if happening.kind in {"start", "prompt", "tool"}:
            return context_json(happening.name, answer.context)
        return b""

    def read(self, place: str, cursor: str) -> Reading:
        return read_transcript(place, cursor)


def _parse_start(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(start=start_of(payload))


def _parse_prompt(happening: Happening, payload: Payload) -> Happening:
    raw = word(payload, "prompt", "user_prompt", "userPrompt")
    words = typed_words(raw)  # as the transcript tells it
    human = bool(words) and word(payload, "source") in PEOPLE and happening.child is None
    return happening._replace(text=words or raw, human=human)


def _parse_reply(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(text=word(payload, "last_assistant_message") or None)


def _parse_child_end(happening: Happening, payload: Payload) -> Happening | None:
    if happening.child is None or not word(payload, "agent_type", "agentType"):
        return None  # the summariser of a compaction ends like a subagent without a type
    place = word(payload, "agent_transcript_path", "agentTranscriptPath")
    if not place and happening.transcript:
        folder = happening.transcript.removesuffix(".jsonl")
        place = f"{folder}/subagents/agent-{happening.child}.jsonl"
    return _parse_reply(happening, payload)._replace(transcript=place or None)


def _parse_compacting(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(trigger=word(payload, "trigger") or None)


def _parse_compacted(happening: Happening, payload: Payload) -> Happening:
    raw = word(payload, "compact_summary", "compactSummary")
    found = _SUMMARY.search(raw)
    text = found[1] if found else _ANALYSIS.sub("", raw)
    return happening._replace(trigger=word(payload, "trigger") or None, text=text.strip() or None)


def _parse_end(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(reason=word(payload, "reason") or None)


_MORE: Mapping[Kind, Callable[[Happening, Payload], Happening | None]] = {
    "start": _parse_start,
    "prompt": _parse_prompt,
    "reply": _parse_reply,
    "child_end": _parse_child_end,
    "compacting": _parse_compacting,
    "compacted": _parse_compacted,
    "end": _parse_end,
}
