"""What a task's checkpoint must carry, by its kind, and which files it may name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, cast, get_args

from everthread.domain.checks import checked_text, checked_whole
from everthread.domain.errors import BadInput
from everthread.domain.harness.checkpoints import CheckpointKind
from everthread.domain.redaction.secrets import strip_secrets

from .tasks import LONGEST_LIST, LONGEST_TEXT, Task

ASKED_FOR: tuple[CheckpointKind, ...] = (
    "decision",
    "file_change",
    "error_recovery",
    "explicit",
    "agent",
    "context_refresh",
)
"""Kinds that somebody puts down by hand; the others are written by what they stand for."""

WRITTEN_BY = {
    "gate_transition": "task gate",
    "session_end": "task end",
    "interrupted": "the sweep",
    "emergency": "task stop",
}

WAITING = "task:files"
"""Where a session keeps what was told of files and is in no checkpoint yet (a `Cursor`)."""

ACTIONS = ("created", "modified", "deleted")
MOST_FILES = 200
"""Files that one checkpoint lists; beyond that it says how many more."""

LONGEST_PATH = 1_000
MOST_TESTS = 10_000_000
TESTS = ("passing", "failing", "pending")
OURS = re.compile(r"tasks/[^/]+/(?:json|meta|logs|work)(?:/|$)")
"""What this program writes into task folders itself: no work of the session."""


class Decision(NamedTuple):
    """A significant decision: what, why, and what else was thought of."""

    decision: str
    rationale: str
    alternatives: Sequence[str]

    def document(self) -> dict[str, Any]:
        return {
            "decision": self.decision,
            "rationale": self.rationale,
            "alternatives_considered": list(self.alternatives),
        }


class CheckpointRequest(NamedTuple):
    """A checkpoint as somebody asks for it."""

    kind: str
    summary: str = ""
    decisions: Sequence[Mapping[str, Any]] = ()
    files: Sequence[str] = ()
    """`PATH` or `PATH:created|modified|deleted`, relative to the project or inside of it."""
    tests: Mapping[str, int] | str | None = None
    """By name, or `passing,failing,pending`."""
    error: str | None = None
    resolution: str | None = None
    step: str | None = None
    """Of which step the error was; its failures are over. Without one: all of them."""
    next_steps: Sequence[str] = ()
    questions: Sequence[str] = ()
    """What the agent asked the user to clarify."""
    can_resume: bool = True
    resume: str | None = None


class CarriedFields(TypedDict, total=False):
    """The same, beside kind and summary, by name."""

    decisions: Sequence[Mapping[str, Any]]
    files: Sequence[str]
    tests: Mapping[str, int] | str | None
    error: str | None
    resolution: str | None
    step: str | None
    next_steps: Sequence[str]
    questions: Sequence[str]
    can_resume: bool
    resume: str | None


class NamedFile(NamedTuple):
    """A file that a checkpoint is to list."""

    path: str
    action: str | None


def checked_kind(kind: object) -> CheckpointKind:
    for known in ASKED_FOR:
        if kind == known:
            return known
    if isinstance(kind, str) and kind in WRITTEN_BY:
        raise BadInput(f"a checkpoint of type {kind} is written by {WRITTEN_BY[kind]}")
    also = "" if kind not in get_args(CheckpointKind) else ", and no other for a task"
    raise BadInput(f"a checkpoint's type is one of {', '.join(ASKED_FOR)}{also}; got {kind!r:.40}")


def must_carry(asked: CheckpointRequest, kind: CheckpointKind) -> None:
    """Refused with all that is missing, so that nobody has to try twice."""
    wants: list[str] = []
    if not asked.summary.strip():
        wants.append("a summary (--summary)")
    if kind == "decision" and not asked.decisions:
        wants.append(
            "a decision with its rationale and alternatives (--decision, --rationale, --alternative)"
        )
    if kind == "error_recovery":
        parts = (part for part in ("error", "resolution") if not getattr(asked, part))
        wants += [f"the {part} (--{part})" for part in parts]
    if kind == "file_change" and asked.questions:
        raise BadInput("changes of files wait for others; a question is asked with another type")
    if wants:
        raise BadInput(f"a checkpoint of type {kind} needs {' and '.join(wants)}")


def checked_decisions(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each with its rationale and its alternatives; that there were none has to be said."""
    if len(given) > LONGEST_LIST:
        raise BadInput(f"a checkpoint has at most {LONGEST_LIST} decisions; got {len(given)}")
    return [_decision(one).document() for one in given]


def _decision(given: Mapping[str, Any]) -> Decision:
    what = given.get("decision")
    why = given.get("rationale")
    others = given.get("alternatives_considered") or given.get("alternatives") or ()
    lacks = [name for name, value in (("decision", what), ("rationale", why)) if not value]
    if not others:
        lacks.append('alternatives (say "none considered" where that is so)')
    if lacks:
        raise BadInput(f"a decision needs {' and '.join(lacks)}")
    listed = [others] if isinstance(others, str) else list(cast("Sequence[str]", others))
    return Decision(
        _clean("decision", what),
        _clean("rationale", why),
        clean_lines("alternatives", listed),
    )


def checked_tests(given: Mapping[str, int] | str | None) -> dict[str, int] | None:
    if given is None:
        return None
    if isinstance(given, str):
        parts = given.split(",")
        if len(parts) != len(TESTS) or not all(re.fullmatch(r" *\d{1,9} *", p) for p in parts):
            raise BadInput(f"tests are passing,failing,pending, such as 41,0,2; got {given!r:.40}")
        given = dict(zip(TESTS, map(int, parts), strict=True))
    unknown = sorted(set(given) - set(TESTS))
    if unknown:
        raise BadInput(f"tests are {', '.join(TESTS)}; got {unknown[0]!r:.40}")
    return {
        name: checked_whole(f"tests.{name}", given.get(name, 0), high=MOST_TESTS) for name in TESTS
    }


def clean_lines(what: str, lines: Sequence[str]) -> list[str]:
    if isinstance(lines, str):
        raise BadInput(f"{what} is a list of texts; got one text")
    if len(lines) > LONGEST_LIST:
        raise BadInput(f"{what} has at most {LONGEST_LIST} lines; got {len(lines)}")
    return [_clean(what, line) for line in lines]


def clean_text(what: str, text: str | None) -> str | None:
    return None if text is None else _clean(what, text)


def _clean(what: str, text: object) -> str:
    return strip_secrets(checked_text(what, text, longest=LONGEST_TEXT))


# Files


def named_file(text: object, project: str) -> NamedFile:
    """A file of the project by what somebody typed; refused where it lies outside."""
    given = checked_text("a file", text, longest=LONGEST_PATH)
    path, colon, action = given.rpartition(":")
    if not colon or action not in ACTIONS:
        path, action = given, ""
    inside = path.removeprefix(project.rstrip("/") + "/")
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    if inside.startswith("/") or ".." in parts or not parts or "\n" in inside:
        raise BadInput(f"{path!r:.80} is no file of the project {project}")
    return NamedFile("/".join(parts), action or None)


def is_ours(path: str) -> bool:
    """Is it a file that this program writes itself?"""
    return OURS.match(path) is not None


def files_digest(files: Sequence[tuple[str, str, str | None]]) -> str:
    """Of all changed files with their actions and hashes, in any order."""
    lines = "\n".join(
        f"{action} {digest} {path}" for path, action, digest in sorted(files, key=str)
    )
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def files_summary(paths: Sequence[str], count: int) -> str:
    """How a checkpoint is summed up that nobody summed up."""
    shown = ", ".join(paths[:3])
    more = f" and {count - 3} more" if count > 3 else ""  # noqa: PLR2004 - as many as are shown
    return f"{count} {'file' if count == 1 else 'files'} changed: {shown}{more}."


# The mirror in memory


def decision_line(decision: Mapping[str, Any]) -> str:
    what = str(decision.get("decision", "")).rstrip(".")
    return f"{what}. Reason: {decision.get('rationale', '')}"


def decision_text(slug: str, decision: Mapping[str, Any]) -> str:
    """A decision as a memory says it; whoever mirrors one says it like this, so that it is one memory."""
    return f"Task {slug}: {decision_line(decision)}"


def summary_text(task: Task, summary: str) -> str:
    return f"Task {task.slug}: {summary}"
