"""What a harness tells us, in our own words, and what we answer. Dialects translate both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Kind = Literal[
    "start", "prompt", "tool", "reply", "compacting", "compacted", "end", "child_end", "other"
]
"""What happened. `other`: something we know and have nothing to do with."""

Start = Literal["startup", "resume", "clear", "compact", "fork"]
"""How a session began, or its context began anew."""

HARNESSES: Mapping[str, str] = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "OpenCode",
    "openclaw": "OpenClaw",
}
"""The harnesses by the names we give them, as people know them."""

LOGS = ("specstory", "aider")
"""Tools that keep a log of sessions in Markdown. The key of an imported one begins with such a name."""


def is_vouched(session: str) -> bool:
    """Is it the key of a session from such a log? That tells who spoke as surely as a harness does."""
    return session.partition(":")[0] in LOGS and ":" in session


class Happening(NamedTuple):
    """One event of a harness's session."""

    harness: str
    kind: Kind
    session: str
    """The harness's own id of the session; also its key with us."""
    folder: str
    """Where the harness works."""
    name: str = ""
    """The harness's name of the event."""
    start: Start | None = None
    text: str | None = None
    """What was said: the prompt, the last reply, the harness's own summary."""
    transcript: str | None = None
    """The file in which the harness keeps the session, if it can be read."""
    trigger: str | None = None
    """Why it compacts: manual or auto."""
    reason: str | None = None
    """Why the session ends."""
    child: str | None = None
    """The subagent that speaks, by the harness's id of it."""
    previous: str | None = None
    """The session that this one goes on from, where the harness says so."""
    human: bool = True
    """Was the prompt a person's? A notification of the harness is none."""
    owner: str = ""
    """The harness's process, as `wiring.process_named` writes it: whether the session is alive."""
    entries: Sequence[Mapping[str, Any]] = ()
    """Messages that the event itself carries, as `Agent.record` takes them."""
    keeps: bool = True
    """Does the client keep what it was given? If not, it is given the same again with each request."""


class Answer(NamedTuple):
    """What the harness is given."""

    context: str = ""
    """For the model, beside what the user says."""
    instructions: str = ""
    """For the harness's own summariser: what must be kept."""
    reason: str = ""
    """Why there is nothing, for the log."""


NOTHING = Answer()


class Line(NamedTuple):
    """One message of a transcript, as `Agent.record` takes it, and what it is."""

    entry: Mapping[str, Any]
    """role, content, id, at; the content as blocks where there are tool calls."""
    child: str | None = None
    """The subagent whose message it is."""
    summary: bool = False
    """The harness's own summary of what it compacted: nobody said it, and it is not recorded."""
    human: bool = False
    """A person's prompt, which a hook may have brought before."""
    tokens: int | None = None
    """The size of the context that the provider reported with it."""
    declined: bool = False
    """In place of a summary: why the harness did not compact, though it was about to."""


class Reading(NamedTuple):
    """What a transcript had to say since it was last read."""

    lines: Sequence[Line]
    cursor: str
    """Where to go on; the dialect's own words."""
    whole: bool = True
    """Was it read to its end? If not, there is more for the next call."""
    skipped: int = 0
    """Lines that could not be read."""
    again: bool = False
    """The transcript is not what it was, and was read from its beginning: it repeats itself."""
