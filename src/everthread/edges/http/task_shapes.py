"""Tasks: what requests may say, and what answers look like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from .answers import EntrySeen, Object, Time
from .inputs import Asked, Few, Many, Text, Word

Line = Annotated[str, Meta(min_length=1, max_length=1_000)]
Lines = Annotated[list[Line], Meta(max_length=50)]
Tokens = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Outcome = Literal["success", "partial", "failed"]
Failure = Literal["transient", "test", "resource", "logic"]
Kind = Literal["decision", "file_change", "error_recovery", "explicit", "agent", "context_refresh"]


class InProject(Asked):
    """Tasks belong to a project: the folder of it on the daemon's machine."""

    project: Word
    limit: Few = 50


class OfTask(Asked):
    project: Word
    limit: Many = 100


class Everywhere(Asked):
    task: Word | None = None
    project: Word | None = None
    unresolved: bool = True
    limit: Few = 50


class Limited(Asked):
    limit: Few = 20


class NewTask(Asked):
    project: Word
    slug: Word
    goal: Text
    acceptance: Lines = field(default_factory=list)


class Start(Asked):
    project: Word
    goal: Text | None = None
    from_gate: Word | None = None
    fix: bool = False


class Mark(Asked):
    project: Word
    kind: Kind = "explicit"
    summary: Annotated[str, Meta(max_length=8_000)] = ""
    decisions: Annotated[list[Object], Meta(max_length=50)] = field(default_factory=list)
    files: Annotated[list[Word], Meta(max_length=1_000)] = field(default_factory=list)
    tests: dict[str, int] | None = None
    error: Text | None = None
    resolution: Text | None = None
    step: Word | None = None
    next_steps: Lines = field(default_factory=list)
    questions: Lines = field(default_factory=list)
    resume: Text | None = None
    can_resume: bool = True


class Pass(Asked):
    project: Word
    gate: Word
    evidence: dict[str, Text] = field(default_factory=dict)
    waiver: Text | None = None
    summary: Text | None = None
    next_steps: Lines = field(default_factory=list)


class Fail(Asked):
    project: Word
    step: Word
    kind: Failure
    detail: Annotated[str, Meta(max_length=8_000)] = ""


class StepPassed(Asked):
    project: Word
    step: Word


class End(Asked):
    project: Word
    outcome: Outcome = "success"
    summary: Annotated[str, Meta(max_length=8_000)] = ""
    completed: Lines = field(default_factory=list)
    blocked: Lines = field(default_factory=list)
    next_steps: Lines = field(default_factory=list)
    hint: Annotated[str, Meta(max_length=1_000)] = ""


class Used(Asked):
    """How large the model's context is, and how many tokens more it processed."""

    project: Word
    current: Tokens
    processed: Tokens = 0


class Stop(Asked):
    project: Word
    reason: Annotated[str, Meta(max_length=1_000)] = ""


class Verify(Asked):
    project: Word
    repair: bool = False


class Resolve(Asked):
    note: Text


class TaskSeen(Struct, kw_only=True):
    agent: str
    task: str
    id: str
    project: str
    goal: str
    acceptance: list[str]
    smoke: Any
    status: Literal["in-progress", "complete", "blocked"]
    gate: str
    gate_name: str
    asks: list[str]
    gates_passed: int
    step: int
    blockers: list[str]
    next_steps: list[str]
    failures: Object
    sandbox: Object | None
    stopped_at: Time | None
    last_session: str | None
    created_at: Time
    updated_at: Time


class TaskList(Struct):
    agent: str
    tasks: list[Object]
    more: bool


class TaskStanding(TaskSeen, kw_only=True):
    session: str | None
    session_state: str | None
    sandboxed: bool
    health: str | None
    owner: Object | None
    context_tokens: int
    arc: Object
    last_checkpoint: str | None
    sessions: int
    incidents: list[Object]


class TaskBegun(TaskStanding, kw_only=True):
    ritual: list[Object]
    changed: list[str]
    context: str


class TaskMarked(Struct):
    agent: str
    task: str
    checkpoint: Object | None
    waiting: int
    arc: Object


class TaskPassed(TaskStanding, kw_only=True):
    checkpoint: str
    waived: bool


class TaskFailed(Struct):
    agent: str
    task: str
    step: str
    failures: int
    advice: str
    words: str
    wait_seconds: int
    rolls_back_to: str | None
    fixer: Object | None


class TaskReached(TaskStanding, kw_only=True):
    reached: Literal["nothing", "refresh", "fork"]
    checkpoint: str | None
    tokens_flushed: int
    context: str


class TaskEnded(TaskSeen, kw_only=True):
    checkpoint: str
    ritual: list[Object]


class TaskStopped(TaskSeen, kw_only=True):
    checkpoint: str | None
    patch: str | None


class TaskSessions(Struct):
    agent: str
    task: str
    sessions: list[Object]
    more: bool


class TaskCheckpoints(Struct):
    agent: str
    task: str
    checkpoints: list[Object]
    more: bool


class TaskTimeline(Struct):
    agent: str
    task: str
    entries: list[EntrySeen]
    more: bool


class TaskVerified(Struct):
    agent: str
    task: str
    folder: str
    ok: bool
    checkpoints: int
    problems: list[Object]


class IncidentSeen(Struct):
    agent: str
    id: str
    kind: str
    severity: str
    summary: str
    details: Object
    created_at: Time
    resolved_at: Time | None
    resolution: str | None


class IncidentList(Struct):
    agent: str
    incidents: list[Object]
    more: bool


class EventList(Struct):
    agent: str
    events: list[Object]
    more: bool
