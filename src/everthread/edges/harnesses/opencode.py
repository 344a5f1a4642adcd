"""OpenCode: what our plugin there sends, and OpenCode's own database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from everthread.domain.harness.happenings import Answer, Happening, Kind, Reading, Start

from .dialect import Payload, TranscriptDialect, plugin_json, session_of, word
from .opencode_db import read_session, session_place
from .prompt_words import own_words, without_quotes

KINDS: Mapping[str, Kind] = {
    "session.created": "start",
    "session.resumed": "start",
    "chat.message": "prompt",
    "tool.execute.after": "tool",
    "session.idle": "reply",
    "experimental.session.compacting": "compacting",
    "session.compacted": "start",
    "dispose": "end",
}
STARTS: Mapping[str, Start] = {
    "session.created": "startup",
    "session.resumed": "resume",
    "session.compacted": "compact",
}


class OpenCode(TranscriptDialect):
    """The dialect of OpenCode. It keeps nothing that it was given: the plugin gives it each time."""

    name = "opencode"
    events = (
        "session.created",
        "session.resumed",
        "chat.message",
        "session.idle",
        "experimental.session.compacting",
        "session.compacted",
        "dispose",
    )

    def knows(self, event: str) -> bool:
        return event in KINDS

    def parse(self, event: str, payload: Payload, environ: Mapping[str, str]) -> Happening | None:
        kind, session = KINDS.get(event), session_of(payload)
        if kind is None or not session:
            return None
        happening = Happening(
            harness=self.name,
            kind=kind,
            session=session,
            folder=word(payload, "directory", "cwd", "worktree") or environ.get("PWD", ""),
            name=event,
            transcript=session_place(_database(payload, environ), session),
            reason=word(payload, "reason") or None,
            keeps=False,
        )
        parent = word(payload, "parentID", "parentId", "parent_id")
        if parent:
            return _of_child(happening, parent)
        more = _MORE.get(kind)
        return happening if more is None else more(happening, payload)

    def render(self, happening: Happening, answer: Answer) -> bytes:
        return plugin_json(answer)

    def read(self, place: str, cursor: str) -> Reading:
        return read_session(place, cursor)


def database(environ: Mapping[str, str]) -> Path:
    """Where OpenCode keeps its sessions."""
    data = environ.get("XDG_DATA_HOME")
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    return (Path(data) if data else home / ".local" / "share") / "opencode" / "opencode.db"


def _database(payload: Payload, environ: Mapping[str, str]) -> str:
    return word(payload, "database", "transcript_path") or str(database(environ))


def _of_child(happening: Happening, parent: str) -> Happening | None:
    """A subagent's session: only its end is of interest, when all of it can be read."""
    if happening.kind not in {"reply", "end"}:
        return None
    return happening._replace(kind="child_end", session=parent, child=happening.session)


def _parse_start(happening: Happening, payload: Payload) -> Happening:
    trigger = word(payload, "trigger") or None
    return happening._replace(start=STARTS[happening.name], trigger=trigger)


def _parse_prompt(happening: Happening, payload: Payload) -> Happening:
    raw = without_quotes(word(payload, "prompt", "user_prompt", "userPrompt").strip())
    words = own_words(raw)
    return happening._replace(text=words or raw, human=bool(words))


def _parse_compacting(happening: Happening, payload: Payload) -> Happening:
    return happening._replace(trigger=word(payload, "trigger") or "auto")


_MORE: Mapping[Kind, Callable[[Happening, Payload], Happening]] = {
    "start": _parse_start,
    "prompt": _parse_prompt,
    "compacting": _parse_compacting,
}
