"""Rituals: what is done at the start and at the end of a task's session, in which order, and its words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from everthread.domain.errors import BadInput
from everthread.domain.given.packing import SESSION_CLOSING, SESSION_OPENING
from everthread.domain.harness.recovery import NOTICE
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import DAY, HOUR, MINUTE, ms_of, text_of

from .charter import Count, Frame, RecapPart, recap
from .task_files import SCHEMA_VERSION, status_document, strip_document
from .tasks import Health, Task

Result = Literal["ok", "pass", "flaky", "missing", "skipped", "changed", "fail"]
Ritual = Literal["startup", "shutdown"]

RESUME = "resume"
FORK = "fork"
"""The one step of a session that another was forked into: it has no ritual of its own."""

LONGEST_DETAIL = 500
LONGEST_ENTRY = 4_000
FUTURE = DAY
"""A status file that says to be later than this is from a clock that was wrong, or made up."""

COMPARED = ("status", "current_gate", "blockers", "next_steps", "last_session")
HEALTHY: tuple[Health, ...] = ("pass", "flaky")

_SESSION = re.compile(r"^## Session ", re.MULTILINE)
_MARKERS = re.compile(r"^\+(?:<{7} |>{7} |\|{7} )", re.MULTILINE)
_SECRET_NAME = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example|sample|template)[\w-]+)?|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|[^/]*\.(?:pem|p12|pfx|key|keystore|jks|kdbx))$"
)


class Step(NamedTuple):
    """One step of a ritual, and what came of it."""

    name: str
    result: Result
    detail: str = ""
    seconds: float = 0.0
    commit: str | None = None
    """What was checked out, where the step looked at that."""

    def entry(self, ritual: Ritual) -> dict[str, Any]:
        """As it stands in the session's record."""
        told = {
            "ritual": ritual,
            "name": self.name,
            "result": self.result,
            "detail": detail_text(self.detail),
            "seconds": round(self.seconds, 3),
        }
        return told if self.commit is None else {**told, "commit": self.commit}


def detail_text(text: str, longest: int = LONGEST_DETAIL) -> str:
    """A text that may be recorded and shown: without secrets, and then short."""
    plain = strip_secrets(text).strip()
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"


def health_line(health: Health) -> str:
    """What the log says. What was not run did not pass."""
    return f"Health check: {'pass' if health in HEALTHY else health}"


# The implementation log


def duration_text(ms: int) -> str:
    """`1 h 5 min`; of a session's length, no more than that is of use."""
    if ms < MINUTE:
        return "under 1 min"
    hours, minutes = divmod(ms // MINUTE, HOUR // MINUTE)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def mark_of(session: str) -> str:
    """By which an entry of the log is known to be that session's."""
    return f"<!-- {session} -->"


class Entry(NamedTuple):
    """What the implementation log is told of a session."""

    session: str
    at_ms: int
    lasted_ms: int
    goal: str
    completed: Sequence[str] = ()
    blocked: Sequence[str] = ()
    next_steps: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The entry of C-24, and which session it is of."""
        return (
            f"\n## Session {text_of(self.at_ms)[:10]} ({duration_text(self.lasted_ms)})\n\n"
            f"**Goal**: {_join_lines([self.goal])}\n"
            f"**Completed**: {_join_lines(self.completed)}\n"
            f"**Blocked**: {_join_lines(self.blocked)}\n"
            f"**Next**: {_join_lines(self.next_steps)}\n\n"
            f"{mark_of(self.session)}\n"
        )


def _join_lines(lines: Sequence[str]) -> str:
    """Several texts on one line: a text with line breaks must not begin an entry of its own."""
    told = (" ".join(strip_secrets(line).split()) for line in lines)
    return "; ".join(line for line in told if line) or "none"


def last_entry(text: str) -> str:
    """The newest entry of an implementation log; its last lines where nobody made entries."""
    starts = [found.start() for found in _SESSION.finditer(text)]
    entry = text[starts[-1] :] if starts else "\n".join(text.strip().splitlines()[-20:])
    return entry.strip()[:LONGEST_ENTRY]


# The status file


def status_faults(text: str, task: Task, *, now: int) -> list[str]:
    """In what a status file differs from the store, which is the record; nothing if in nothing."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ["it is no JSON"]
    if not isinstance(document, dict):
        return ["it is no JSON object"]
    fields = cast("dict[str, Any]", document)
    version = fields.get("schema_version")
    if type(version) is not int or version > SCHEMA_VERSION:
        return [f"it has schema {version!r:.20}, and this program knows {SCHEMA_VERSION}"]
    late = _why_wrong_time(fields.get("updated_at"), now)
    expected = strip_document(status_document(task))
    return [
        *([late] if late else []),
        *(
            f"{name} is {fields.get(name)!r:.80} there and {expected[name]!r:.80} in the store"
            for name in COMPARED
            if fields.get(name) != expected[name]
        ),
    ]


def _why_wrong_time(updated: object, now: int) -> str | None:
    try:
        at = ms_of(updated) if isinstance(updated, str) else None
    except BadInput:
        at = None
    if at is None:
        return "it does not say when it was written"
    return f"it is from the future ({updated:.40})" if at > now + FUTURE else None


def standing_text(task: Task) -> str:
    """The task in a line, from the store."""
    parts = [f"{task.status} at {task.gate}"]
    parts += [f"blocked by: {'; '.join(task.blockers)}"] if task.blockers else []
    parts += [f"next: {'; '.join(task.next_steps)}"] if task.next_steps else []
    return ". ".join(parts)


# What a patch must not hold to be committed


def unsafe_patch(patch: str, paths: Sequence[str]) -> str | None:
    """Why this must not be committed by a program; None if nothing speaks against it."""
    if found := next((path for path in paths if _SECRET_NAME.search(path)), None):
        return f"{found:.120} looks like a file of secrets"
    if _MARKERS.search(patch):
        return "there are conflict markers in it"
    added = "\n".join(line[1:] for line in patch.splitlines() if line.startswith("+"))
    if strip_secrets(added) != added:
        return "there is something in it that looks like a secret"
    return None


# What the next session is told


class ResumePoint(NamedTuple):
    """A checkpoint that a session goes on from, and what is not as it was any more."""

    document: Mapping[str, Any]
    changed: Sequence[str] = ()

    @property
    def alias(self) -> str | None:
        return self.document.get("checkpoint_id")

    def context(self, count: Count) -> str:
        """What an agent is told of it: data in a frame. Only the checkpoint's words, no raw line.

        In the tokens that the charter lets a recap have; the newest decisions come first.
        """
        if not self.document:
            return ""
        head = [f"{SESSION_OPENING}## {self.document['task_slug']}: where it stood", NOTICE]
        return self._recap(head, SESSION_CLOSING, count)

    def body(self, count: Count) -> str:
        """The same without a frame, for a block that has its own."""
        head = [f"Task {self.document['task_slug']}: where it stood."]
        return self._recap(head, "", count).rstrip()

    def _recap(self, head: Sequence[str], tail: str, count: Count) -> str:
        told = self.document
        state: Mapping[str, Any] = told.get("state", {})
        decided = [str(each.get("decision", "")) for each in state.get("decisions", ())]
        parts = [
            RecapPart("Summary", [str(told.get("summary") or "")]),
            RecapPart("Changed since then", self.changed),
            RecapPart("How to go on", [str(told.get("resume_instructions") or "")]),
            RecapPart("Next steps", list(map(str, told.get("next_steps", ())))),
            RecapPart("Questions asked", list(map(str, state.get("questions", ())))),
            RecapPart("Decisions, newest first", decided[::-1]),
        ]
        where = f"Checkpoint {told['checkpoint_id']} of {told['timestamp']} at {told['gate']}."
        more = f"All of it: `everthread checkpoints show {told['checkpoint_id']}`"
        return recap(Frame([*head, where], tail, more), parts, count)
