"""Retries: what to do after a failure, by its kind and by how often its step has failed in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .tasks import FailureKind

Advice = Literal["retry", "diagnose", "wait", "roll_back", "fixer", "escalate", "stop"]

TRANSIENT_ATTEMPTS = 3
"""Attempts of one step whose failures pass by themselves; the next one is a person's matter."""

FIXER_AFTER = 3
"""Failures in a row on one step after which the fixer is asked."""

LOOPING = 10
"""The same failure more often than this in a row is a loop: an emergency."""

FIRST_WAIT_SECONDS = 30
LONGEST_WAIT_SECONDS = 900

WORDS: Mapping[Advice, str] = {
    "retry": "try the same step again",
    "diagnose": "find the cause, fix it, then try the step again",
    "wait": "wait, raise the limit, then try the step again",
    "roll_back": "roll back to the last checkpoint and plan anew",
    "fixer": "the fixer is asked for a suggestion for this step alone",
    "escalate": "a person has to look at it",
    "stop": "the step goes round in a circle: everything is stopped",
}


FIRST: Mapping[FailureKind, Advice] = {
    "transient": "retry",
    "test": "diagnose",
    "resource": "wait",
    "logic": "roll_back",
}
"""What a failure asks for while there is hope that the session itself can mend it."""


class Failures(NamedTuple):
    """How often a step has failed in a row."""

    total: int = 0
    kind: str = ""
    of_kind: int = 0
    fixed: int = 0
    """How often the fixer was asked about it."""


class NextStep(NamedTuple):
    """What is to be done now."""

    advice: Advice
    failures: Failures
    wait_seconds: int = 0

    @property
    def words(self) -> str:
        waits = f" (wait {self.wait_seconds} s)" if self.wait_seconds else ""
        return WORDS[self.advice] + waits


def read_failures(row: Mapping[str, Any] | None) -> Failures:
    return Failures() if row is None else Failures(**row)


def failed_again(before: Failures, kind: FailureKind) -> Failures:
    same = before.of_kind + 1 if before.kind == kind else 1
    return Failures(before.total + 1, kind, same, before.fixed)


def next_step(before: Failures, kind: FailureKind) -> NextStep:
    """What follows from one more failure of that kind.

    The third in a row starts the fixer, once; a step that goes on failing after it is a person's
    matter, and so is a fourth failure that should have passed by itself.
    """
    now = failed_again(before, kind)
    if now.total > LOOPING:
        return NextStep("stop", now)
    if now.total >= FIXER_AFTER and not now.fixed:
        return NextStep("fixer", now._replace(fixed=1))
    if now.fixed or (kind == "transient" and now.of_kind > TRANSIENT_ATTEMPTS):
        return NextStep("escalate", now)
    waits = FIRST_WAIT_SECONDS * 2 ** (now.of_kind - 1) if kind == "resource" else 0
    return NextStep(FIRST[kind], now, min(waits, LONGEST_WAIT_SECONDS))
