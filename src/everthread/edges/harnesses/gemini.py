"""Gemini CLI: its hook events, and its chat files.

It has no event after a compression, and one before every call of the model, whether it compresses or
not. That a compression happened is seen in the chat file, where the snapshot takes the place of what
was said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everthread.domain.harness.happenings import Answer, Happening, Kind, Reading

from .dialect import Payload, TranscriptDialect, context_json, session_of, start_of, word
from .gemini_chat import read_chat, typed_prompt

KINDS: Mapping[str, Kind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterAgent": "reply",
    "AfterTool": "tool",
    "PreCompress": "tool",
    "SessionEnd": "end",
}
TAKES_CONTEXT = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})


class Gemini(TranscriptDialect):
    """The dialect of Gemini CLI."""

    name = "gemini"
    silent = True
    events = ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd")

    def parse(self, event: str, payload: Payload, environ: Mapping[str, str]) -> Happening | None:
        kind = KINDS.get(event)
        session = session_of(payload) or environ.get("GEMINI_SESSION_ID", "")
        if kind is None or not session:
            return None
        folder = environ.get("GEMINI_PROJECT_DIR") or word(payload, "cwd") or environ.get("PWD", "")
        happening = Happening(
            harness=self.name,
            kind=kind,
            session=session,
            folder=folder,
            name=event,
            transcript=word(payload, "transcript_path", "transcriptPath") or None,
            trigger=word(payload, "trigger") or None,
            reason=word(payload, "reason") or None,
        )
        more = _MORE.get(event)
        return happening if more is None else more(happening, payload)

    def render(self, happening: Happening, answer: Answer) -> bytes:
        if happening.name in TAKES_CONTEXT:
            return context_json(happening.name, answer.context)
        return b""

    def read(self, place: str, cursor: str) -> Reading:
        return read_chat(place, cursor)


def _parse_start(happening: Happening, payload: Payload) -> Happening:
    start = start_of(payload)
    # What hooks gave is not kept in the chat file, so a resumed session comes without it.
    return happening._replace(start=start, keeps=start != "resume")


def _parse_prompt(happening: Happening, payload: Payload) -> Happening:
    raw = word(payload, "prompt", "user_prompt", "userPrompt")
    words = typed_prompt(raw)
    return happening._replace(text=words or raw, human=bool(words))


def _parse_reply(happening: Happening, payload: Payload) -> Happening:
    if happening.transcript:
        return happening  # it says it exactly; the event repeats bits of the end
    return happening._replace(text=word(payload, "prompt_response", "promptResponse") or None)


def _parse_compressing(happening: Happening, _payload: Payload) -> Happening:
    """Only a person's command is sure to compress."""
    return happening._replace(kind="compacting") if happening.trigger == "manual" else happening


_MORE: Mapping[str, Callable[[Happening, Payload], Happening]] = {
    "SessionStart": _parse_start,
    "BeforeAgent": _parse_prompt,
    "AfterAgent": _parse_reply,
    "PreCompress": _parse_compressing,
}
