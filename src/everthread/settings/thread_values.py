"""Settings of the store, of threads and of what is distilled and recalled of them."""

from __future__ import annotations

from .fact import Facts
from .fact import setting as _setting


class ThreadValues(Facts):
    """The first of the values that can be changed, with their defaults."""

    store: str = _setting(
        "",
        "Where the store is: a path, postgresql://… or memory://. Empty: everthread.db in the home folder.",
    )
    agent: str = _setting(
        "", "The agent that commands speak of when none is named.", also="EVERTHREAD_AGENT"
    )
    durability: str = _setting(
        "full",
        "full: acknowledged means on disk. process: survives a crash of the program, not of the machine.",
        among=("full", "process"),
    )
    inactivity_hours: float = _setting(
        4.0,
        "Hours without a human word after which the next message opens a new session.",
        low=0.01,
        high=8_760,
        also="SESSION_INACTIVITY_HOURS",
    )
    ephemeral_hours: float = _setting(
        24.0,
        "Hours after its last activity when an ephemeral thread vanishes.",
        low=0.01,
        high=8_760,
    )
    window: int = _setting(
        200_000,
        "Tokens that a model takes, for agents that do not say.",
        low=1_000,
        high=100_000_000,
    )
    guard_percent: int = _setting(
        90, "Share of the window that a request may fill before it is refused.", low=10, high=100
    )
    tail_messages: int = _setting(
        10, "How many of the newest recorded messages enter the view.", low=1, high=10_000
    )
    tail_tokens: int = _setting(
        12_000,
        "How many tokens they may have; scales with smaller windows.",
        low=100,
        high=10_000_000,
    )
    vocabulary: str = _setting(
        "o200k", "The vocabulary that counts tokens before calibration.", among=("o200k", "cl100k")
    )
    body_bytes: int = _setting(
        1_800,
        "Blocks larger than this are stored once, apart from their message.",
        low=256,
        high=10_000_000,
    )
    distill_tokens: int = _setting(
        120_000,
        "Reported tokens at which a primary thread is distilled.",
        low=100,
        high=100_000_000,
    )
    distill_messages: int = _setting(
        150, "Messages in the view at which a primary thread is distilled.", low=4, high=1_000_000
    )
    distill_context: int = _setting(
        100_000,
        "Computed tokens at which it is; both scale with the window.",
        low=100,
        high=100_000_000,
    )
    distill_stale_hours: float = _setting(
        168.0, "Hours without one after which it is distilled.", low=0.01, high=876_000
    )
    background_tokens: int = _setting(
        10_000, "The same for background threads: reported tokens.", low=100, high=100_000_000
    )
    background_messages: int = _setting(
        50, "Background threads: messages in the view.", low=21, high=1_000_000
    )
    background_context: int = _setting(
        8_000, "Background threads: computed tokens.", low=100, high=100_000_000
    )
    background_stale_hours: float = _setting(
        24.0, "Background threads: hours without one.", low=0.01, high=876_000
    )
    history_budget: int = _setting(
        0,
        "Tokens of history to send at most; distilled at 80 % of it. 0: no such budget.",
        low=0,
        high=100_000_000,
    )
    summary_tokens: int = _setting(
        4_000, "Tokens of a summary at most; less in smaller windows.", low=150, high=1_000_000
    )
    note_tokens: int = _setting(
        2_000,
        "Tokens of notes that a turn is given at most; scales likewise.",
        low=0,
        high=1_000_000,
    )
    state_tokens: int = _setting(
        500,
        "Tokens of the working state that a turn is given; scales likewise.",
        low=0,
        high=100_000,
    )
    score_threshold: float = _setting(
        95.0,
        "Kept and recoverable, in percent, below which a distillation is repaired.",
        low=0,
        high=100,
    )
    score_seconds: float = _setting(
        5.0, "How long the score of a distillation may take.", low=0, high=600
    )
    distiller: str = _setting(
        "plain",
        "Who writes summaries: plain (no model), anthropic, openai (any compatible server), command.",
        among=("plain", "anthropic", "openai", "command"),
    )
    distiller_model: str = _setting("", "The model that does; empty: a small one of the vendor's.")
    distiller_url: str = _setting("", "The server's address; empty: the vendor's own.")
    distiller_key: str = _setting(
        "", "Its key; empty: ANTHROPIC_API_KEY or OPENAI_API_KEY of the environment."
    )
    distiller_command: str = _setting(
        "claude",
        "What the distiller `command` runs: claude, codex, or a program with its arguments.",
    )
    distiller_seconds: float = _setting(
        120.0, "How long one call of a model may take.", low=1, high=3_600
    )
    distiller_daily_tokens: int = _setting(
        1_000_000,
        "Tokens that models may cost a day; then the plain distiller does.",
        low=0,
        high=10**12,
    )
    distiller_daily_dollars: float = _setting(
        5.0, "Dollars that they may cost a day, where the price is known.", low=0, high=1_000_000
    )
    workspace: str = _setting(
        "",
        "The folder with MEMORY.md and the daily files of each agent. Empty: agents/ in the home folder.",
    )
    recall: str = _setting(
        "auto",
        "Which turns are given what was recalled for them. auto: those of the primary thread. "
        "all: those of every thread. off: none.",
        among=("auto", "all", "off"),
    )
    recall_tokens: int = _setting(
        1_500,
        "How many tokens of it a turn is given at most; scales with smaller windows.",
        low=100,
        high=1_000_000,
    )
    recall_seconds: float = _setting(
        1.0,
        "How long a turn waits for it before it begins without.",
        low=0.01,
        high=60,
    )
