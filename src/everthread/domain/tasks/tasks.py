"""Tasks: work over many sessions, with gates, checkpoints and an audit trail."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime
from typing import Any, Literal, NamedTuple

from everthread.domain.errors import BadInput
from everthread.domain.ids import id_text
from everthread.domain.times import moment_of, text_of

from .gates import current_gate, gate_name

Status = Literal["in-progress", "complete", "blocked"]
Outcome = Literal["success", "partial", "failed"]
Health = Literal["pass", "fail", "skipped", "flaky"]
FailureKind = Literal["transient", "test", "resource", "logic"]

OUTCOMES: tuple[Outcome, ...] = ("success", "partial", "failed")
FAILURES: tuple[FailureKind, ...] = ("transient", "test", "resource", "logic")
LONGEST_SLUG = 64
LONGEST_TEXT = 8_000
LONGEST_LIST = 50

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_RESERVED = {"con", "prn", "aux", "nul"}


class Task(NamedTuple):
    """One task of a project, as it is stored."""

    ref: int
    agent_ref: int
    key_id: bytes
    slug: str
    project: str
    """The real path of the project's root: there its folder `tasks/<slug>` is."""
    goal: str
    acceptance_json: str
    smoke_json: str | None
    """The smoke command: a text for the shell or a list of arguments; None where there is none."""
    status: Status
    passed: int
    """The highest gate that was passed; -1 for none."""
    step: int
    blockers_json: str
    next_steps_json: str
    failures_json: str
    """Failures in a row, by step."""
    sandbox_json: str | None
    """Why the next start is in a sandbox; None where it is not."""
    stopped_ms: int | None
    """When an emergency stopped it; a person has to allow the next start."""
    last_session: str | None
    created_ms: int
    updated_ms: int
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def gate(self) -> str:
        """The gate at which it stands."""
        return gate_name(current_gate(self.passed))

    @property
    def tag(self) -> str:
        """By which memories know it: a slug with underscores."""
        return f"task_{self.slug.replace('-', '_')}"

    @property
    def acceptance(self) -> list[str]:
        return json.loads(self.acceptance_json)

    @property
    def blockers(self) -> list[str]:
        return json.loads(self.blockers_json)

    @property
    def next_steps(self) -> list[str]:
        return json.loads(self.next_steps_json)

    @property
    def smoke(self) -> str | list[str] | None:
        return None if self.smoke_json is None else json.loads(self.smoke_json)

    @property
    def failures(self) -> dict[str, Any]:
        return json.loads(self.failures_json)

    @property
    def sandbox(self) -> dict[str, Any] | None:
        return None if self.sandbox_json is None else json.loads(self.sandbox_json)

    @property
    def updated_at(self) -> datetime:
        return moment_of(self.updated_ms)


class Sitting(NamedTuple):
    """What a task's session has beside what every session has."""

    ref: int
    agent_ref: int
    key_id: bytes
    session_ref: int
    task_ref: int
    owner: str
    """The process that works at it, so that others can tell whether it is gone."""
    lease_ms: int
    """Until when it counts as alive whatever else is known."""
    goal: str
    health: Health
    fix: bool | int
    """It was begun to repair what makes the smoke command fail."""
    sandboxed: bool | int
    resumed_from: str | None
    """The checkpoint it goes on from, by its alias."""
    outcome: Outcome | None
    record_json: str
    """The steps of its rituals, in order: name, result, detail."""
    current_tokens: int
    """The size of its context, as it was last told."""
    refreshed_tokens: int
    """Cumulative tokens at the last refresh."""
    windows_json: str
    """The refusal rates of its probes, oldest first."""
    entry: int

    @property
    def record(self) -> list[dict[str, Any]]:
        return json.loads(self.record_json)

    @property
    def windows(self) -> list[float]:
        return json.loads(self.windows_json)


class Incident(NamedTuple):
    """Something that a person should look at."""

    ref: int
    agent_ref: int
    key_id: bytes
    task_ref: int | None
    session_ref: int | None
    kind: str
    """interrupted, emergency, escalation, safety, delivery …"""
    severity: str
    summary: str
    details_json: str
    created_ms: int
    resolved_ms: int | None
    resolution: str | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


class Event(NamedTuple):
    """One event on its way to one receiver, until it has arrived."""

    ref: int
    agent_ref: int
    key_id: bytes
    type: str
    body: str
    """The CloudEvents envelope as JSON; the same bytes with every attempt."""
    target: str
    """file, webhook or command, as the settings name it; empty: nobody is named, it is only kept.

    Behind an @ the home folder whose settings are meant; behind a / what its webhook was, hashed.
    """
    state: Literal["pending", "delivered", "failed", "kept"]
    attempts: int
    due_ms: int
    error: str | None
    created_ms: int
    delivered_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def receiver(self) -> str:
        """file, webhook or command."""
        return self.target.partition("@")[0]

    @property
    def home(self) -> str:
        """The home folder that it comes from; empty where homes were not told apart yet."""
        return self.target.partition("@")[2].partition("/")[0]

    @property
    def webhook(self) -> str:
        """Which webhook was named there, hashed."""
        return self.target.partition("/")[2]


def checked_slug(slug: object) -> str:
    """The slug, if it may name a folder: kebab-case, ASCII, at most 64 characters."""
    if not isinstance(slug, str) or not slug:
        raise BadInput("a task needs a slug, such as parser-rewrite")
    plain = unicodedata.normalize("NFC", slug)
    if len(slug) > LONGEST_SLUG:
        raise BadInput(f"a slug has at most {LONGEST_SLUG} characters; this one has {len(slug)}")
    if slug in _RESERVED:
        raise BadInput(f"{slug!r} is no slug: some systems can have no folder of that name")
    if plain != slug or not _SLUG.fullmatch(slug):
        raise BadInput(
            f"{slug!r:.80} is no slug: small letters, digits and single hyphens between them, "
            "such as parser-rewrite"
        )
    return slug


def checkpoint_alias(at_ms: int, number: int) -> str:
    """`ckpt-2026-02-20-001`, as people and files name a task's checkpoint."""
    return f"ckpt-{text_of(at_ms)[:10]}-{number:03d}"


def status_after(task: Task, outcome: Outcome, *, blockers: bool) -> Status:
    """What the task is once a session of it ended like this."""
    if outcome == "failed" or blockers:
        return "blocked"
    done = outcome == "success" and task.passed >= LAST_GATE
    return "complete" if done else "in-progress"


LAST_GATE = 10
