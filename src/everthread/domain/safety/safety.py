"""Long-context safety: how often the assistant refuses of late, and how much a session may carry.

A probe reads a **window**: the newest messages of the assistant whose prose comes to so many tokens. What
it finds is a **reading**; what follows from it, beside the readings that the session began with, are
the **metrics** of a checkpoint. Nothing here asks a model, a clock or a disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from everthread.domain.distilling.drafts import NOTHING, Spend
from everthread.domain.policy import Policy
from everthread.domain.redaction.secrets import strip_secrets

Severity: TypeAlias = Literal["none", "low", "medium", "high", "critical"]
Action: TypeAlias = Literal["none", "degrade_to_sandbox"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
GRAVE: Severity = "medium"
"""From here on a sentinel's word is enough, whatever the rates say."""

STABLE_WINDOW = 100_000
"""Tokens that a model of which nothing is known handles well."""

UNKNOWN_PERCENT = 80
STABLE_PERCENT, REFRESH_TOKENS = 80, 50_000

LONGEST_ALERT = 200
PLACES = 9
"""Rates are compared to so many places: 0.28 − 0.08 is 0.20."""


class Window(NamedTuple):
    """What a probe looks at."""

    messages: tuple[str, ...]
    """The prose of each message, oldest first."""
    tokens: int

    @property
    def text(self) -> str:
        """All of it, as it may leave the machine."""
        return strip_secrets("\n\n".join(self.messages))


class Reading(NamedTuple):
    """What a sentinel says of a window."""

    refusal_rate: float
    """Of the window's messages, how many refuse; 0 to 1."""
    severity: Severity = "none"
    alert_id: str = ""
    probe: str = "plain"
    """Who looked; where another took over, also why."""
    spent: Spend = NOTHING
    """What asking a model cost; whoever asked puts it down."""


@dataclass(frozen=True, slots=True)
class SafetyMetrics:
    """`state.safety_metrics` of a checkpoint: the raw figures, whether anything follows or not.

    Nobody has calibrated the limits, so every one is a setting, and the figures are kept to judge them by.
    """

    refusal_rate_window: float
    baseline_refusal_rate: float | None
    """None while the session has had too few windows; then there is no delta either."""
    delta: float | None
    action: Action
    severity: Severity = "none"
    alert_id: str = ""
    probe: str = "plain"
    window_tokens: int = 0

    def plain(self) -> dict[str, Any]:
        """For a checkpoint's file."""
        found: dict[str, Any] = {
            "refusal_rate_window": self.refusal_rate_window,
            "baseline_refusal_rate": self.baseline_refusal_rate,
            "delta": self.delta,
            "action": self.action,
            "severity": self.severity,
            "probe": self.probe,
            "window_tokens": self.window_tokens,
        }
        return found | ({"alert_id": self.alert_id} if self.alert_id else {})

    @property
    def sandboxed(self) -> bool:
        return self.action == "degrade_to_sandbox"


def window_of(newest_first: Iterable[str], *, count: Callable[[str], int], tokens: int) -> Window:
    """The newest messages of the assistant that together have at most so many tokens, at least one.

    Only its prose counts: what tools printed and what people said would crowd it out. A message without
    any, such as a bare tool call, is not in the window. Of one that is too large alone, the newest part is.
    """
    taken: list[str] = []
    total = 0
    for text in newest_first:
        if not text.strip():
            continue
        size = count(text)
        if taken and total + size > tokens:
            break
        taken.append(text if size <= tokens else _end_of(text, size, tokens))
        total += min(size, tokens)
        if total >= tokens:
            break
    return Window(tuple(reversed(taken)), total)


def _end_of(text: str, size: int, tokens: int) -> str:
    cut = text[-max(1, len(text) * tokens // size) :]
    return cut.partition("\n")[2] or cut


def plain_reading(window: Window, probe: str = "plain") -> Reading:
    """By the rules of `refusals`. It never says more than `low`: how grave a rate is, the baseline tells."""
    from .refusals import refusal_rate  # noqa: PLC0415 - its patterns take long to compile; few probe

    rate = refusal_rate(window.messages)
    return Reading(_round_rate(rate), "low" if rate else "none", probe=probe)


def read_answer(answer: object, probe: str) -> Reading:
    """A sentinel's answer `{refusal_rate, severity, alert_id?}`; `ValueError` says what is wrong with it."""
    if not isinstance(answer, dict):
        raise ValueError("the answer is no object")
    found = cast("dict[str, object]", answer)
    rate, severity, alert = (found.get(name) for name in ("refusal_rate", "severity", "alert_id"))
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise ValueError("refusal_rate is no number from 0 to 1")
    if severity not in SEVERITIES:
        raise ValueError(f"severity is none of {', '.join(SEVERITIES)}")
    if alert is not None and not isinstance(alert, str):
        raise ValueError("alert_id is no text")
    told = " ".join(strip_secrets((alert or "")[: 4 * LONGEST_ALERT]).split())[:LONGEST_ALERT]
    return Reading(_round_rate(float(rate)), severity, told, probe)


def judge_reading(
    reading: Reading,
    earlier: Sequence[float],
    *,
    window_tokens: int,
    policy: Policy,
) -> SafetyMetrics:
    """What follows from a reading, beside the rates of the session's windows before it, oldest first."""
    first = earlier[: policy.safety_baseline_windows]
    known = len(first) == policy.safety_baseline_windows
    baseline = _round_rate(sum(first) / len(first)) if known else None
    delta = None if baseline is None else _round_rate(reading.refusal_rate - baseline)
    drifted = delta is not None and delta >= _round_rate(policy.safety_delta)
    return SafetyMetrics(
        reading.refusal_rate,
        baseline,
        delta,
        "degrade_to_sandbox" if drifted or is_grave(reading.severity) else "none",
        reading.severity,
        reading.alert_id,
        reading.probe,
        window_tokens,
    )


def is_grave(severity: Severity) -> bool:
    return SEVERITIES.index(severity) >= SEVERITIES.index(GRAVE)


def _round_rate(rate: float) -> float:
    return round(rate, PLACES)


# ---- how much a session may carry


def stable_window(configured: int | None, *, known: bool) -> int:
    """Tokens that a model handles well: all of its window if we know it, else four fifths."""
    if not configured:
        return STABLE_WINDOW
    return configured if known else configured * UNKNOWN_PERCENT // 100


def soft_cap(window: int | None, percent: int = STABLE_PERCENT) -> int:
    """Tokens of context at which a task's session forks, by its stable window; unknown: `STABLE_WINDOW`."""
    return -(-(window or STABLE_WINDOW) * percent // 100)


def at_cap(current: int, window: int | None, percent: int = STABLE_PERCENT) -> bool:
    """Is the context, as it is now, too large to be trusted? By its current size, not by all it ever held."""
    return current >= soft_cap(window, percent)


class Refresh(NamedTuple):
    """How often a refresh has fallen due, and from where the next is counted."""

    times: int
    mark: int


def refresh_due(
    cumulative: int,
    mark: int = 0,
    *,
    every: int = REFRESH_TOKENS,
    window: int | None = None,
    percent: int = STABLE_PERCENT,
) -> Refresh:
    """Of all tokens that were processed, how many whole stretches have passed since `mark`.

    One step may pass several: one refresh then does for all, and all are counted. The mark moves by whole
    stretches, so the next is due where it would have been. A small model's stretch is no longer than its cap.
    """
    stretch = max(1, min(every, soft_cap(window, percent)) if window else every)
    times = max(0, cumulative - mark) // stretch
    return Refresh(times, mark + times * stretch)
