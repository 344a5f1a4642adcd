"""What must be true once the page about tasks was played: three sessions, a crash, eleven gates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SLUG = "parser-rewrite"


def told(*words: str) -> Any:
    """What the installed command answers, as JSON."""
    command = Path(sys.executable).parent / "everthread"
    done = subprocess.run(
        [str(command), *words, "--json"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_played(project: Path) -> None:
    """The sessions are chained, every gate left its evidence, the crash its trace, and all verifies."""
    task = told("task", "status", "--task", SLUG)
    assert (task["status"], task["gate"], task["gates_passed"]) == ("complete", "G10", 11)
    _chained(told("sessions", "list", "--task", SLUG)["sessions"])
    checkpoints = told("checkpoints", "list", "--task", SLUG, "--limit", "99")["checkpoints"]
    _evidence(checkpoints)
    _files(project / "tasks" / SLUG, checkpoints)
    [incident] = told("incidents", "--task", SLUG, "--all")["incidents"]
    assert incident["kind"] == "interrupted"
    done = [event for event in told("outbox")["events"] if event["type"] == "session.complete"]
    assert [event["event"]["data"]["outcome"] for event in done] == ["success", "partial"]
    assert all(event["event"]["specversion"] == "1.0" for event in done)
    entries = told("sessions", "timeline", "--task", SLUG, "--limit", "999")["entries"]
    events = [entry["event"] for entry in entries]
    assert {"task.made", "session.suspended", "incident.logged", "session.complete"} <= set(events)


def _chained(sessions: list[dict[str, Any]]) -> None:
    third, second, first = sessions
    assert (first["state"], second["state"], third["state"]) == (
        "complete",
        "suspended",
        "complete",
    )
    assert (first["parent_session"], second["parent_session"]) == (None, first["session_id"])
    assert third["parent_session"] == second["session_id"]
    assert first["child_sessions"] == [second["session_id"]]
    order = [step["name"] for step in third["record"] if step["name"] != "resume"]
    assert order[:6] == ["recall", "log", "status", "commits", "smoke", "goal"]
    assert third["resumed_from"] is not None


def _evidence(checkpoints: list[dict[str, Any]]) -> None:
    kinds = [checkpoint["type"] for checkpoint in reversed(checkpoints)]
    gates = [c["gate"] for c in reversed(checkpoints) if c["type"] == "gate_transition"]
    assert gates == [f"G{n}" for n in range(11)]
    assert all(c["state"]["evidence"] for c in checkpoints if c["type"] == "gate_transition")
    assert {"decision", "file_change", "interrupted", "session_end"} <= set(kinds)


def _files(folder: Path, checkpoints: list[dict[str, Any]]) -> None:
    for checkpoint in checkpoints:
        stored = json.loads(
            (folder / "json/checkpoints" / f"{checkpoint['checkpoint_id']}.json").read_text("utf-8")
        )
        assert stored["checkpoint_id"] == checkpoint["checkpoint_id"]
    log = (folder / "work/implementation-log.md").read_text("utf-8")
    assert log.count("## Session ") == 2
    lines = (folder / "logs/session.log").read_text("utf-8")
    for line in ("Session starting: ", "Health check: pass", "Checkpoint created: ckpt-"):
        assert f"[everthread] {line}" in lines
    assert "outcome=success" in lines
