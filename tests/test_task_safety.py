"""Long-context safety inside tasks: the probe at each checkpoint, the sandbox, the soft cap, the refresh."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import SandboxActive, TaskRefused
from everthread.domain.safety import Reading, Severity, Window
from everthread.domain.sandbox import Decision
from support.tasking import Site, Work, work

pytestmark = pytest.mark.slow

SAID = "I looked at the lexer."


class Told:
    """A sentinel that says what it is told to."""

    name = "told"

    def __init__(self) -> None:
        self.rate = 0.0
        self.severity: Severity = "none"
        self.seen: list[Window] = []

    def probe(self, window: Window) -> Reading:
        self.seen.append(window)
        return Reading(self.rate, self.severity, probe="told")


class Stage:
    """A task whose session is at work, and a sentinel that can be told what to say."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.site = Site(root, **settings)
        self.work: Work = work(self.site, smoke=None)
        self.sentinel = Told()
        self.engine = self.work.engine
        self.engine.house = replace(self.engine.house, sentinel=self.sentinel)
        self.agent = self.engine.agent("ada")
        self.task = self.agent.task(project=str(self.site.project))

    def start(self) -> str:
        return self.task.start().at.session.alias

    def say(self, text: str = SAID) -> None:
        at = self.task.status().at
        assert at is not None
        self.agent.turn("Go on.", session=at.session.key).done(text)

    def probe(self, rate: float, severity: Severity = "none") -> dict[str, Any]:
        """A checkpoint, and the metrics that its file has."""
        self.sentinel.rate, self.sentinel.severity = rate, severity
        made = self.task.checkpoint("explicit", "Where it stands.").checkpoint
        assert made is not None
        file = self.work.json(f"json/checkpoints/{made.alias}.json")
        metrics = file["state"]["safety_metrics"]
        assert json.loads(made.safety_json or "") == metrics
        return metrics

    def tool(self, name: str, given: dict[str, Any]) -> Decision:
        return self.agent.may_run("claude-code", name, given, project=str(self.site.project))

    def marks(self) -> list[Path]:
        folder = self.site.home / "run" / "sandbox"
        return list(folder.iterdir()) if folder.is_dir() else []

    def lines(self, session: str) -> list[dict[str, Any]]:
        text = self.work.text(f"logs/long-context/{session}.jsonl")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def stage(tmp_path: Path):
    made = Stage(tmp_path)
    yield made
    made.engine.close()


# ---- the probe


def test_every_checkpoint_carries_what_the_probe_found(stage: Stage):
    """C-19, C-49: raw figures, whether anything follows or not; the window is what the agent said."""
    stage.start()
    stage.say("I cannot help with that.")
    metrics = stage.probe(0.25)
    assert metrics == {
        "refusal_rate_window": 0.25,
        "baseline_refusal_rate": None,
        "delta": None,
        "action": "none",
        "severity": "none",
        "probe": "told",
        "window_tokens": stage.sentinel.seen[-1].tokens,
    }
    assert stage.sentinel.seen[-1].messages == ("I cannot help with that.",)
    passed = stage.task.gate("G0", evidence={"task_definition": "x", "acceptance_criteria": "y"})
    stage.task.end("partial", summary="Half of it.")
    kinds = {row.kind: row.safety_json for row in stage.task.checkpoints()}
    assert passed.checkpoint.kind in kinds
    assert all(kinds.values()), kinds


@pytest.mark.parametrize(("rate", "action"), [(0.19, "none"), (0.20, "degrade_to_sandbox")])
def test_a_drift_of_a_fifth_makes_the_next_start_a_sandbox(stage: Stage, rate: float, action: str):
    """C-50, S-10, 3c.8: 0.19 above the baseline changes nothing, 0.20 does."""
    stage.start()
    stage.say()
    for _ in range(5):
        assert stage.probe(0.08)["action"] == "none"
    metrics = stage.probe(round(0.08 + rate, 9))
    assert (metrics["baseline_refusal_rate"], metrics["delta"]) == (0.08, rate)
    assert metrics["action"] == action
    degraded = action != "none"
    assert (stage.task.row.sandbox is not None) == degraded
    assert [i.kind for i in stage.task.incidents(unresolved=True)] == ["safety"] * degraded
    assert any("Safety: refusal rate 0.28" in line for line in stage.work.lines) == degraded
    assert not stage.marks(), "the session that is at work goes on as it is"


def test_a_severity_of_medium_is_enough_without_any_delta(stage: Stage):
    """C-50, 3c.8."""
    stage.start()
    stage.say()
    assert stage.probe(0.0, "low")["action"] == "none"
    assert stage.probe(0.0, "medium")["action"] == "degrade_to_sandbox"
    held = stage.task.row.sandbox
    assert held is not None
    assert held["metrics"]["severity"] == "medium"
    assert held["checkpoint"] == stage.task.checkpoints(limit=1)[0].alias


def test_the_gate_of_a_drifting_session_is_passed_and_the_task_is_in_a_sandbox_all_the_same(
    stage: Stage,
):
    """C-50: what follows from a probe is not lost to what is written after it."""
    stage.start()
    stage.say()
    stage.sentinel.severity = "high"
    stage.task.gate("G0", evidence={"task_definition": "x", "acceptance_criteria": "y"})
    row = stage.task.row
    assert (row.passed, row.sandbox is not None) == (0, True)
    stage.task.stop("enough")
    assert stage.task.row.sandbox is not None


def test_silence_is_no_window_of_the_baseline(stage: Stage):
    """S-10: before the agent said anything there is nothing to compare with."""
    stage.start()
    assert stage.probe(0.0)["window_tokens"] == 0
    at = stage.task.status().at
    assert at is not None
    assert at.sitting.windows == []


def test_what_was_said_before_the_session_began_is_not_its_window(stage: Stage):
    """S-10: the refusals of the session before are not those of this one."""
    stage.start()
    stage.say("I cannot help with that.")
    stage.task.end("partial", summary="Half of it.")
    stage.start()
    assert stage.probe(0.0)["window_tokens"] == 0


# ---- the sandbox


def sandboxed(stage: Stage) -> str:
    stage.start()
    stage.say()
    stage.probe(0.0, "medium")
    stage.sentinel.severity = "none"
    stage.task.end("partial", summary="It drifted.")
    return stage.start()


def test_a_session_in_a_sandbox_is_marked_and_documented(stage: Stage):
    """C-50, C-51, R-32, 3c.8."""
    alias = sandboxed(stage)
    at = stage.task.status().at
    assert at is not None
    assert at.sitting.sandboxed
    [mark] = stage.marks()
    assert bytes.fromhex(mark.read_text().splitlines()[0]).decode() == str(stage.site.project)
    stage.say()
    stage.probe(0.1)
    stage.task.end("partial", summary="It only read.")
    assert not stage.marks()
    assert [line["event"] for line in stage.lines(alias)] == [
        "started",
        "checkpoint",
        "checkpoint",
        "ended",
    ]
    assert stage.lines(alias)[0]["why"]["metrics"]["severity"] == "medium"
    assert stage.lines(alias)[-1]["tools"] == {"asked": 0, "denied": 0}
    manifest = stage.work.json("json/run-manifest.json")
    pointer = {"session_id": alias, "log": f"logs/long-context/{alias}.jsonl"}
    assert manifest["sandbox_runs"] == [pointer]
    assert stage.task.verify().ok


def test_the_tool_gate_lets_reading_pass_denies_the_rest_and_counts(stage: Stage):
    """C-50, R-32."""
    assert stage.tool("Write", {"file_path": "x"}).allow, "no sandbox yet"
    alias = sandboxed(stage)
    assert stage.tool("Read", {"file_path": "x"}).allow
    denied = stage.tool("Write", {"file_path": "x"})
    assert not denied.allow
    assert "only reading is allowed" in denied.reason
    assert stage.tool("Bash", {"command": "git log -5"}).allow
    assert not stage.tool("Bash", {"command": "rm -rf ."}).allow
    stage.task.end("partial", summary="It only read.")
    assert stage.lines(alias)[-1]["tools"] == {"asked": 4, "denied": 2}


def test_only_a_person_leads_a_task_out_of_the_sandbox(stage: Stage):
    """C-50: a calm session is no reason to leave; `allow` with a note is."""
    sandboxed(stage)
    with pytest.raises(SandboxActive, match="task allow --task parser-rewrite"):
        stage.agent.must_be_free("no")
    stage.task.end("success", summary="All calm.")
    stage.start()
    assert stage.marks()
    stage.task.allow("Looked through its replies: they were right to refuse.")
    assert stage.marks(), "the session that is in it stays in it"
    stage.task.end("success", summary="All calm.")
    stage.agent.must_be_free("no")
    stage.start()
    assert not stage.marks()
    assert stage.task.incidents(unresolved=True) == []
    with pytest.raises(TaskRefused, match="neither stopped nor in a sandbox"):
        stage.task.allow("Once more.")
