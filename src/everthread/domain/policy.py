"""The numbers by which the house is run. Settings fill them; services only read them."""

from __future__ import annotations

from typing import NamedTuple

DEFAULT_WINDOW = 200_000


class Policy(NamedTuple):
    """Every limit in one value; each is a setting of the same name (`everthread config explain`)."""

    inactivity_hours: float = 4.0
    ephemeral_hours: float = 24.0
    window: int = DEFAULT_WINDOW
    guard_percent: int = 90
    tail_messages: int = 10
    tail_tokens: int = 12_000
    body_bytes: int = 1_800
    distill_tokens: int = 120_000
    distill_messages: int = 150
    distill_context: int = 100_000
    distill_stale_hours: float = 168.0
    background_tokens: int = 10_000
    background_messages: int = 50
    background_context: int = 8_000
    background_stale_hours: float = 24.0
    history_budget: int = 0
    summary_tokens: int = 4_000
    note_tokens: int = 2_000
    state_tokens: int = 500
    score_threshold: float = 95.0
    score_seconds: float = 5.0
    recall: str = "auto"
    recall_tokens: int = 1_500
    recall_seconds: float = 1.0
    checkpoints: str = "on"
    checkpoint_prompts: int = 10
    checkpoint_minutes: float = 15.0
    checkpoints_kept: int = 50
    checkpoint_days: float = 7.0
    recovery_hours: float = 4.0
    recovery_chars: int = 2_000
    start_chars: int = 9_000
    prompt_tokens: int = 600
    compaction_seconds: float = 2.0
    scorer: str = "auto"
    scorer_cap: float = 0.6
    scorer_holdout_percent: float = 0.0
    recent_sessions: int = 3
    recent_days: float = 14.0
    sessions_per_month: int = 0
    safety_delta: float = 0.2
    safety_baseline_windows: int = 5
    safety_probe_tokens: int = 2_000
    stable_window_percent: int = 80
    refresh_tokens: int = 50_000
    disk_budget_mb: int = 10_240
    background_keep_days: float = 7.0
    primary_keep_days: float = 0.0
    strict: str = "off"
    exchange_depth: int = 3
    turn_wait_seconds: float = 30.0
    turn_lease_seconds: float = 60.0
    job_lease_seconds: float = 60.0
    job_attempts: int = 5
    service: str = "everthread"
    task_lease_minutes: float = 3.0
    smoke_minutes: float = 10.0
    fixer_command: str = ""
    fixer_minutes: float = 10.0
    coalesce_seconds: float = 30.0
    auto_commit: str = "off"
    outbox_file: str = ""
    outbox_url: str = ""
    outbox_secret: str = ""
    outbox_command: str = ""

    def guard(self, window: int) -> int:
        """The tokens of that window which a request may fill, and no more."""
        return window * self.guard_percent // 100
