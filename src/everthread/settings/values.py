"""Every setting: its default, what it means, what it may be. The first of them stand beside this."""

from __future__ import annotations

from .fact import setting as _setting
from .thread_values import ThreadValues


class Values(ThreadValues):
    """Every value that can be changed, with its default."""

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
        "Characters reserved for that; nothing else may take them. What the agent itself put down of "
        "it is given whole, also where it needs more.",
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
    direct: str = _setting(
        "off",
        "on: commands open the store themselves, though a daemon of this home folder runs.",
        among=("off", "on"),
    )
    postgres_connections: int = _setting(
        10,
        "Connections to PostgreSQL that a program opens at most, for the store and for its index each.",
        low=1,
        high=1_000,
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
