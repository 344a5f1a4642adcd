"""Sessions: one bounded sitting on a thread, its life cycle, its boundary, its lineage."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import Literal, NamedTuple

from everthread.domain.errors import TransitionIllegal
from everthread.domain.ids import id_text
from everthread.domain.times import HOUR, STEP_BACK_LIMIT, moment_of, text_of

from .messages import Origin

State = Literal["init", "active", "suspended", "complete", "terminated"]

TRANSITIONS: dict[State, tuple[State, ...]] = {
    "init": ("active", "suspended", "terminated"),
    "active": ("complete", "suspended", "terminated"),
    "complete": ("suspended",),
    "suspended": ("active", "terminated"),
    "terminated": (),
}


class Session(NamedTuple):
    """One sitting: a chat stretch, a harness run, a task's working session."""

    ref: int
    agent_ref: int
    key_id: bytes
    thread_ref: int
    key: str
    state: State
    channel: str | None
    harness: str | None
    project: str | None
    project_normalized: str | None
    task: str | None
    gate: str | None
    principal: str | None
    parent_ref: int | None
    previous_ref: int | None
    started_ms: int
    last_human_ms: int | None
    last_activity_ms: int
    ended_ms: int | None
    message_count: int
    first_seq: int
    last_seq: int
    context_tokens: int
    checkpoint_count: int
    summary: str | None
    summary_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def alias(self) -> str:
        """`session-2026-02-20-1a2b3c4d`, as people write it."""
        return alias_of(self.started_ms, self.key_id)

    @property
    def started_at(self) -> datetime:
        return moment_of(self.started_ms)

    @property
    def last_human_at(self) -> datetime | None:
        return None if self.last_human_ms is None else moment_of(self.last_human_ms)

    @property
    def last_activity_at(self) -> datetime:
        return moment_of(self.last_activity_ms)

    @property
    def ended_at(self) -> datetime | None:
        return None if self.ended_ms is None else moment_of(self.ended_ms)

    @property
    def pulse_ms(self) -> int:
        """What the boundary is measured from: the last human word; without any, the last activity."""
        return self.last_activity_ms if self.last_human_ms is None else self.last_human_ms

    def pulse_for(self, *, human: bool) -> int:
        """The same for what is said next. To a person, a session in which nobody spoke yet is as old
        as its beginning: beats that went on for days would else have kept it open for her.
        """
        alone = human and self.last_human_ms is None
        return self.started_ms if alone else self.pulse_ms


def new_session(agent: int, thread: int, key_id: bytes, *, state: State, started: int) -> Session:
    """A session that begins then and holds nothing yet; no store knows it."""
    return Session(
        ref=0,
        agent_ref=agent,
        key_id=key_id,
        thread_ref=thread,
        key=alias_of(started, key_id),
        state=state,
        channel=None,
        harness=None,
        project=None,
        project_normalized=None,
        task=None,
        gate=None,
        principal=None,
        parent_ref=None,
        previous_ref=None,
        started_ms=started,
        last_human_ms=None,
        last_activity_ms=started,
        ended_ms=None,
        message_count=0,
        first_seq=0,
        last_seq=0,
        context_tokens=0,
        checkpoint_count=0,
        summary=None,
        summary_ms=None,
        entry=0,
    )


def alias_of(started: int, key_id: bytes) -> str:
    return f"session-{text_of(started)[:10]}-{key_id.hex()[-8:]}"


def undated_summary(summary: str) -> str:
    """The prose of a session's summary, without the date in front."""
    return summary.partition("] ")[2] if summary.startswith("[") else summary


def buried_key(key: str) -> bytes:
    """How a tombstone names the session of that key."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class LastErasures(NamedTuple):
    """When named sessions were last erased; 0 for never."""

    this: int = 0
    """The one that is asked for."""
    any: int = 0
    """Any of the agent's."""


def continues(pulse: int, *, at: int, hours: float) -> bool:
    """Does something said at `at` still belong to a session whose pulse was then?

    A gap of the whole window opens a new session. A clock that stepped back a little changes
    nothing; one that was a day or more ahead had been wrong, and what it left binds nobody.
    """
    elapsed = at - pulse
    return -STEP_BACK_LIMIT < elapsed < hours * HOUR


def human_pulse(
    human: int | None, origin: Origin, at: int, *, answers: bool
) -> tuple[int | None, bool]:
    """When a human spoke last or was answered, once this is said too; and is what follows an answer?

    Only what the agent says to a human answers her: who replies to a beat replies to nobody.
    """
    if origin == "user" or (answers and origin == "agent"):
        return max(human or 0, at), True
    return human, answers and origin != "system"


def checked_move(state: State, to: State) -> State:
    """`to`, if the life cycle allows it."""
    if to not in TRANSITIONS[state]:
        allowed = ", ".join(TRANSITIONS[state]) or "nothing: it is final"
        raise TransitionIllegal(
            f"a session that is {state} cannot become {to}; it can become {allowed}"
        )
    return to


def way_back(state: State) -> tuple[State, ...]:
    """The moves that make a session active again; a finished one is re-opened first."""
    match state:
        case "active":
            return ()
        case "init" | "suspended":
            return ("active",)
        case "complete":
            return ("suspended", "active")
        case "terminated":
            checked_move(state, "active")
            return ()
