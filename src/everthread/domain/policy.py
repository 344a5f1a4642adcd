"""The numbers by which the house is run. Settings fill them; services only read them."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_WINDOW = 200_000


@dataclass(frozen=True, slots=True)
class Policy:
    """Every limit in one value; each is a setting of the same name (`everthread config explain`)."""

    inactivity_hours: float = 4.0
    ephemeral_hours: float = 24.0
    window: int = DEFAULT_WINDOW
    guard_percent: int = 90
    tail_messages: int = 10
    tail_tokens: int = 12_000
    body_bytes: int = 4_096
    recall: str = "auto"
    recall_tokens: int = 1_500
    recall_seconds: float = 1.0
    turn_wait_seconds: float = 30.0
    turn_lease_seconds: float = 60.0
    job_lease_seconds: float = 60.0
    job_attempts: int = 5
