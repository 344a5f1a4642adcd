"""Jobs: work that is done later, by whoever holds its lease."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .times import MINUTE, SECOND

JobState = Literal["due", "running", "dead"]

FIRST_DELAY = SECOND
LONGEST_DELAY = 10 * MINUTE


BY_WORKER = "done by a program that uses the store, while it runs, or by `everthread up`"
"""Who does the jobs, for people who wonder why one waits."""


class Job(NamedTuple):
    """A piece of work. `fence` grows with every claim, so that a late owner can be told apart."""

    ref: int
    agent_ref: int | None
    kind: str
    once: str | None
    payload: str
    state: JobState
    due_at: int
    attempts: int
    owner: str | None
    lease_until: int
    fence: int
    error: str | None
    created_at: int


class Duty(NamedTuple):
    """Something that the scheduler asks for at an interval; after downtime it is asked for once."""

    name: str
    every_ms: int


def retry_delay(attempts: int) -> int:
    """How long to wait after so many failed attempts: doubling, up to ten minutes."""
    return min(FIRST_DELAY * 2 ** max(attempts - 1, 0), LONGEST_DELAY)


def is_due(duty: Duty, last_at: int | None, *, now: int) -> bool:
    """A clock that stepped back must not silence a duty for long: it counts as due again."""
    if last_at is None:
        return True
    return now - last_at >= duty.every_ms or last_at - now >= duty.every_ms
