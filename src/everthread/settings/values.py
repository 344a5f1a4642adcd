"""Every setting: its default, what it means, what it may be."""

from __future__ import annotations

from dataclasses import dataclass

from .fact import setting as _setting


# Settings has the same fields and makes its own methods: those of a hundred fields take time to make.
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Values:
    """Every value that can be changed, with its default."""

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
        4_096,
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
        4_000, "Tokens of a summary at most; scales with smaller windows.", low=150, high=1_000_000
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
    checkpoints: str = _setting(
        "on", "on: sessions of harnesses leave checkpoints. off: none.", among=("on", "off")
    )
    checkpoint_prompts: int = _setting(
        10, "Prompts after which a session's checkpoint is due.", low=1, high=1_000
    )
    checkpoint_minutes: float = _setting(
        15.0, "Minutes after which it is due with the next prompt.", low=1, high=60
    )
    checkpoints_kept: int = _setting(
        50, "Checkpoints of one session that are kept, the newest.", low=1, high=500
    )
    checkpoint_days: float = _setting(7.0, "Days that a checkpoint is kept.", low=1, high=90)
    recovery_hours: float = _setting(
        4.0,
        "Hours within which a new session is given where the last one stood.",
        low=0.01,
        high=8_760,
    )
    recovery_chars: int = _setting(
        2_000,
        "Characters reserved for that; nothing else may take them.",
        low=200,
        high=10_000,
    )
    start_chars: int = _setting(
        9_000,
        "Characters that a session is given at its start, all in all.",
        low=400,
        high=100_000,
    )
    prompt_tokens: int = _setting(
        600,
        "Tokens of what was recalled that a prompt in a harness is given at most. 0: none.",
        low=0,
        high=100_000,
    )
    compaction_seconds: float = _setting(
        2.0,
        "How long a harness that is about to compact waits for the checkpoint before.",
        low=0.05,
        high=60,
    )
    disk_budget_mb: int = _setting(
        10_240,
        "Megabytes that the store and its index may take; beyond, old output of tools is cut to both "
        "ends, and nothing else ever. 0: no such budget.",
        low=0,
        high=1_000_000_000,
    )
    turn_wait_seconds: float = _setting(
        30.0,
        "How long a second turn waits for the one that is open on its thread.",
        low=0,
        high=3_600,
    )
    turn_lease_seconds: float = _setting(
        60.0, "How long a turn outlives its process before it counts as failed.", low=1, high=86_400
    )
    worker: str = _setting(
        "thread",
        "Where background work runs: in a thread of this program, in a process of its own, or not at all.",
        among=("thread", "process", "off"),
    )
    hook_prompt_ms: int = _setting(
        300, "How long a prompt in a harness waits for us at most.", low=20, high=60_000
    )
    hook_start_seconds: float = _setting(
        3.0,
        "How long a new session of a harness does, the start of the daemon included.",
        low=0.1,
        high=60,
    )
    api_rate: float = _setting(
        50.0,
        "Requests a second that each token may make in the long run; four times as many at once.",
        low=0.01,
        high=1_000_000,
    )
    api_hosts: str = _setting(
        "",
        "Names under which the API may be asked for beside the machine's own, with their ports, "
        "separated by commas.",
    )
    url: str = _setting(
        "",
        "Another daemon's address, http://host:port or https://host:port, that commands speak to "
        "instead of the store.",
    )
    token: str = _setting("", "The token for it; empty: the local one.")
    daemon_idle_minutes: float = _setting(
        0.0,
        "Minutes without an event after which the daemon leaves. 0: it stays.",
        low=0,
        high=100_000,
    )
    scorer: str = _setting(
        "auto",
        "Learning which memories help. auto: it ranks memories where it was seen to help. shadow: it "
        "predicts, and nothing is ranked by it. off: neither.",
        among=("auto", "shadow", "off"),
    )
    scorer_cap: float = _setting(
        0.6, "How much of a memory's final score may be learned, at most.", low=0, high=1
    )
    scorer_holdout_percent: float = _setting(
        0.0,
        "Share of recalled memories, in percent, that is withheld by chance to see what giving them "
        "is worth. 0: none.",
        low=0,
        high=50,
    )
    service: str = _setting(
        "everthread",
        "The name in front of the log lines of tasks, unless the project's own configuration says one.",
    )
    task_lease_minutes: float = _setting(
        3.0,
        "Minutes without a sign of life after which a task's session is looked at: is its process gone?",
        low=0.01,
        high=1_440,
    )
    smoke_minutes: float = _setting(
        10.0, "Minutes that the smoke command of a task may take.", low=0.01, high=1_440
    )
    fixer_command: str = _setting(
        "",
        "The command that is asked for a fix after three failures; it can write nothing. Empty: a "
        "model where one distills, else a person.",
    )
    fixer_minutes: float = _setting(10.0, "Minutes that it may take.", low=0.01, high=1_440)
    coalesce_seconds: float = _setting(
        30.0,
        "Seconds within which changes of files become one checkpoint of a task.",
        low=0,
        high=3_600,
    )
    auto_commit: str = _setting(
        "off",
        "on: the end of a task's session commits the work where that is safe. off: it leaves a patch.",
        among=("on", "off"),
    )
    outbox_file: str = _setting("", "A file that gets each event of a task as one JSON line.")
    outbox_url: str = _setting("", "An address that each event is posted to, signed.")
    outbox_secret: str = _setting("", "The secret that signs them.")
    outbox_command: str = _setting("", "A command that gets each event on its standard input.")
    exchange_depth: int = _setting(3, "How many agents deep one may ask another.", low=1, high=20)
    recent_sessions: int = _setting(
        3,
        "How many recent conversations a new session is told of. 0: none.",
        low=0,
        high=20,
    )
    recent_days: float = _setting(
        14.0,
        "Days after which a conversation is no recent one any more.",
        low=0.1,
        high=3_650,
    )
    sessions_per_month: int = _setting(
        0,
        "How many sessions a person may open with an agent in a calendar month, UTC, by a turn or by what "
        "is recorded as it is said. Those of harnesses and imports do not count. 0: as many as they like.",
        low=0,
        high=1_000_000,
    )
    sentinel: str = _setting(
        "plain",
        "Who looks for refusals at a task's checkpoints: rules, a server, or the model that distills.",
        among=("plain", "http", "model"),
    )
    sentinel_url: str = _setting("", "The address that `http` posts what was said of late to.")
    sentinel_seconds: float = _setting(10.0, "How long it may take.", low=0.05, high=600)
    safety_delta: float = _setting(
        0.2, "How far the refusal rate may rise over its baseline.", low=0, high=1
    )
    safety_baseline_windows: int = _setting(
        5, "How many windows of a session make up its baseline.", low=1, high=1_000
    )
    safety_probe_tokens: int = _setting(
        2_000, "Tokens of what the agent said last that a probe reads.", low=50, high=1_000_000
    )
    stable_window_percent: int = _setting(
        80, "Share of its window at which a task's session forks.", low=1, high=100
    )
    refresh_tokens: int = _setting(
        50_000, "Tokens after which a task's session is refreshed.", low=100, high=100_000_000
    )
    background_keep_days: float = _setting(
        7.0, "Days until messages distilled on background threads go. 0: never.", low=0, high=99_999
    )
    primary_keep_days: float = _setting(
        0.0, "The same on the primary thread. 0: never.", low=0, high=99_999
    )
    strict: str = _setting(
        "off", "on, for tests: a distillation that draws a warning raises it.", among=("off", "on")
    )
    embedder: str = _setting(
        "auto",
        "auto: recall by meaning too where the extra `embed` is installed. off: by words alone.",
        among=("auto", "off"),
    )
    embedder_idle_seconds: float = _setting(
        300.0,
        "Seconds without use after which the embedding model leaves memory.",
        low=1,
        high=86_400,
    )
    embedder_wait_ms: int = _setting(
        150,
        "How long a question waits for its vector where a worker process holds the model.",
        low=1,
        high=60_000,
    )
    drain_seconds: float = _setting(
        2.0, "How long close() waits for background work that is under way.", low=0, high=600
    )
    job_lease_seconds: float = _setting(
        60.0, "How long a job outlives its worker before another takes it over.", low=1, high=86_400
    )
    job_attempts: int = _setting(
        5, "How often a failing job is tried before it is given up.", low=1, high=100
    )
