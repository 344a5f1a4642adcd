"""Long-context safety inside tasks: the probe at each checkpoint, the sandbox, the soft cap, the refresh."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everthread.services.distilling.distill
from everthread.domain.errors import SandboxActive, StoreFailed, TaskRefused
from everthread.domain.harness.happenings import Happening
from everthread.domain.safety.safety import Reading, Severity, Window
from everthread.domain.safety.sandbox import Decision
from everthread.services.tasks.sessions.watch import interrupt
from support.sitting import work_off
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
        self.meeting: threading.Barrier | None = None
        """Where those who look at the project wait for each other."""

    def probe(self, window: Window) -> Reading:
        self.seen.append(window)
        if self.meeting is not None:
            self.meeting.wait(20)
        return Reading(self.rate, self.severity, probe="told")


class Stage:
    """A task whose session is at work, and a sentinel that can be told what to say."""

    def __init__(self, root: Path, *, smoke: str | None = None, **settings: Any) -> None:
        self.site = Site(root, **settings)
        self.work: Work = work(self.site, smoke=smoke)
        self.sentinel = Told()
        self.engine = self.work.engine
        self.engine.house = replace(self.engine.house, sentinel=self.sentinel)
        self.agent = self.engine.agent("ada")
        self.task = self.agent.task(project=str(self.site.project))

    def start(self) -> str:
        return self.task.start().at.session.alias

    def process(self, *, gone: bool) -> None:
        """Is the process that works there no more?"""
        self.engine.house = replace(self.engine.house, gone=lambda _owner: gone)
        self.agent = self.engine.agent("ada")
        self.task = self.agent.task(project=str(self.site.project))

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
    assert stage.marks() == [mark], "who worked at it is still there"
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
    assert stage.engine.verify("ada").sound


def test_the_tool_gate_lets_reading_pass_denies_the_rest_and_counts(stage: Stage):
    """C-50, R-32."""
    assert stage.tool("Write", {"file_path": "x"}).allow, "no sandbox yet"
    alias = sandboxed(stage)
    assert stage.tool("Read", {"file_path": "x"}).allow
    denied = stage.tool("Write", {"file_path": "x"})
    assert not denied.allow
    assert "only reading is allowed" in denied.reason
    assert stage.tool("Bash", {"command": "ls -la"}).allow
    assert not stage.tool("Bash", {"command": "rm -rf ."}).allow
    stage.task.end("partial", summary="It only read.")
    assert stage.lines(alias)[-1]["tools"] == {"asked": 4, "denied": 2}


@pytest.mark.parametrize("how", ["stopped", "suspended"])
def test_a_sandboxed_session_that_breaks_off_leaves_the_task_in_it(stage: Stage, how: str):
    """R-32, C-51: by an emergency or a crash; what is open is documented."""
    alias = sandboxed(stage)
    at = stage.task.status().at
    assert at is not None
    if how == "stopped":
        stage.task.stop("enough")
    else:
        assert interrupt(stage.engine.house, at.sitting)
    assert stage.marks(), "the process that worked at it is still there"
    assert stage.lines(alias)[-1]["how"] == how
    assert stage.task.row.sandbox is not None
    assert stage.task.checkpoints(limit=1)[0].safety_json is not None
    marks = stage.site.home / "run" / "tasks"
    assert marks.is_dir(), "the next start is in a sandbox: harnesses go on asking"


@pytest.mark.parametrize("outcome", ["partial", "success"])
def test_the_end_of_a_sandboxed_session_frees_nobody_while_its_process_is_there(
    stage: Stage, outcome: Any
):
    """C-50, R-32: by one call that is allowed an agent would be free of it."""
    alias = sandboxed(stage)
    stage.task.end(outcome, summary="It only read.")
    assert stage.tool("Read", {"file_path": "x"}).allow
    assert not stage.tool("Write", {"file_path": "x"}).allow
    assert stage.lines(alias)[-1]["allowed"] is False, "it is put down after the end too"
    with pytest.raises(SandboxActive, match="task allow --task parser-rewrite"):
        stage.agent.must_be_free("no", project=str(stage.site.project))
    assert stage.marks()
    stage.process(gone=True)
    assert stage.tool("Write", {"file_path": "x"}).allow, "its process is no more"
    stage.agent.must_be_free("no")
    assert not stage.marks()
    stage.process(gone=False)
    assert not stage.tool("Write", {"file_path": "x"}).allow
    stage.task.allow("I looked at it.")
    assert stage.tool("Write", {"file_path": "x"}).allow
    assert not stage.marks()


def test_a_start_that_was_refused_holds_nobody(tmp_path: Path):
    """C-50: nobody has worked in it."""
    stage = Stage(tmp_path, smoke="test ! -e broken")
    with stage.engine:
        stage.start()
        stage.say()
        stage.probe(0.0, "medium")
        stage.task.end("partial", summary="It drifted.")
        (stage.site.project / "broken").touch()
        with pytest.raises(TaskRefused, match="smoke command fails"):
            stage.start()
        assert stage.tool("Write", {"file_path": "x"}).allow
        (stage.site.project / "broken").unlink()
        stage.start()
        assert not stage.tool("Write", {"file_path": "x"}).allow


def test_a_mark_that_cannot_be_written_lets_no_session_start(stage: Stage):
    """R-32: a sandbox that no harness would know of is none."""
    stage.start()
    stage.say()
    stage.probe(0.0, "medium")
    stage.task.end("partial", summary="It drifted.")
    run = stage.site.home / "run"
    shutil.rmtree(run)
    run.write_text("in the way")
    with pytest.raises(StoreFailed, match="cannot be written"):
        stage.start()
    assert stage.task.status().at is None
    run.unlink()
    stage.start()
    assert stage.marks()


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


# ---- how much a session carries


def sized(root: Path, window: int, **settings: Any) -> Stage:
    """A stage whose agent has a model with that window."""
    stage = Stage(root, **settings)
    stage.agent = stage.engine.agent("ada", model="a-model", window=window)
    stage.task = stage.agent.task(project=str(stage.site.project))
    return stage


@pytest.mark.parametrize(("window", "cap"), [(100_000, 80_000), (200_000, 160_000)])
def test_the_soft_cap_is_four_fifths_of_the_window_by_the_current_size(
    tmp_path: Path, window: int, cap: int
):
    """C-47, C-48, X-22, 3c.6: one token below nothing happens; at the cap the session forks."""
    stage = sized(tmp_path, window)
    with stage.engine:
        parent = stage.start()
        assert stage.task.used(current=cap - 1) is None
        reached = stage.task.used(current=cap)
        assert reached is not None
        assert reached.forked
        assert "[everthread] Context budget reached" in stage.work.lines
        child = reached.at.session.alias
        sessions = {sat.session.alias: sat.session for sat in stage.task.sessions()}
        assert sessions[parent].state == "complete"
        assert sessions[child].state == "active"
        assert sessions[child].parent_ref == sessions[parent].ref
        document = stage.work.json(f"json/sessions/{parent}.json")
        assert document["child_sessions"] == [child]
        assert document["computed_context_tokens"] == cap
        assert stage.work.json(f"json/sessions/{child}.json")["parent_session"] == parent
        assert stage.task.verify().ok


RAW = [f"raw line {n}: the parser reads token {n * 7919}" for n in range(12)]


def test_the_child_has_the_summary_and_no_raw_line(tmp_path: Path):
    """C-48, X-3, 3c.6: neither what it is told nor what its first turn sends has one."""
    stage = sized(tmp_path, 100_000)
    with stage.engine:
        key = stage.start()
        for line in RAW:
            stage.agent.turn(line, session=key).done(f"Heard: {line}")
        stage.task.checkpoint("explicit", "The parser is half done; the lexer works.")
        reached = stage.task.used(current=80_000)
        assert reached is not None
        assert "The parser is half done; the lexer works." in reached.context
        assert not [line for line in RAW if line in reached.context]
        turn = stage.agent.turn("Go on.", session=key)
        assert turn.session.alias == reached.at.session.alias, (
            "who speaks to the parent is in the child"
        )
        assert len(turn.messages) == 1, "what it sends is the summary and the new message"
        assert "Conversation Summary" in turn.messages[0]["content"][0]["text"]
        turn.done("Yes.")


def test_an_ended_session_of_a_task_is_not_woken_by_a_turn(stage: Stage):
    """C-3: only the startup ritual begins one."""
    alias = stage.start()
    stage.task.end("partial", summary="x")
    with pytest.raises(TaskRefused, match="task start parser-rewrite"):
        stage.agent.turn("Go on.", session=alias)


@pytest.mark.parametrize(
    ("steps", "times"),
    [([49_999], 0), ([50_000], 1), ([50_000, 50_000], 2), ([49_999, 1, 49_999], 1), ([130_000], 1)],
)
def test_a_refresh_falls_due_with_every_50000_tokens(tmp_path: Path, steps: list[int], times: int):
    """C-46, C-52, X-22, 3c.7: by all that was processed; a jump over two is one refresh."""
    stage = sized(tmp_path, 200_000)
    with stage.engine:
        stage.start()
        for tokens in steps:
            stage.task.used(current=1_000, processed=tokens)
        at = stage.task.status().at
        assert at is not None
        assert at.session.context_tokens == sum(steps)
        assert at.sitting.refreshed_tokens == sum(steps) // 50_000 * 50_000
        lines = [line for line in stage.work.lines if "Context refresh complete" in line]
        assert lines == ["[everthread] Context refresh complete (tokens_flushed=0)"] * times
        assert stage.work.kinds().count("context_refresh") == times
        noted = [m for m in stage.agent.memories() if "parser_rewrite" in str(m.tags)]
        assert bool(noted) == bool(times)


def test_a_refresh_flushes_what_the_view_held_and_says_how_much(tmp_path: Path):
    """C-52, 3c.7: turns are counted by themselves; tokens_flushed is what the context lost."""
    stage = sized(tmp_path, 200_000, refresh_tokens=3_000)
    with stage.engine:
        key = stage.start()
        sizes: list[int] = []
        long = " ".join(f"word{n}" for n in range(120))
        while not [line for line in stage.work.lines if "refresh complete" in line]:
            turn = stage.agent.turn(f"{len(sizes)} {long}", session=key)
            sizes.append(turn.context_tokens)
            turn.done(f"Heard {len(sizes)}.")
            work_off(stage.engine)
            assert len(sizes) < 50
        assert sum(sizes[:-1]) < 3_000 <= sum(sizes)
        [line] = [line for line in stage.work.log if "refresh complete" in line["message"]]
        assert line["tokens_flushed"] > 0
        after = stage.agent.turn("Go on.", session=key)
        assert after.context_tokens < sizes[-1]
        after.done("Yes.")


def spoken(stage: Stage) -> str:
    """A session at work in which the agent said something, so that there is something to probe."""
    key = stage.start()
    stage.agent.turn("Go on.", session=key).done(SAID)
    return key


@pytest.mark.parametrize("settings", [{"refresh_tokens": 300}, {"stable_window_percent": 10}])
def test_the_end_of_a_turn_waits_for_no_fork_and_no_refresh(
    tmp_path: Path, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
):
    """R-8: it is counted; git, the sentinel and the distillation are work of the worker."""
    stage = sized(tmp_path, 2_000, **settings)
    distilled: list[object] = []
    real = everthread.services.distilling.distill.distill
    monkeypatch.setattr(
        everthread.services.distilling.distill,
        "distill",
        lambda *given, **named: distilled.append(given) or real(*given, **named),
    )
    with stage.engine:
        key = spoken(stage)
        size = stage.agent.turn("word " * 300, session=key)
        size.done("Heard.")
        at = stage.task.status().at
        assert at is not None
        assert at.sitting.current_tokens == size.context_tokens > 200
        assert (stage.sentinel.seen, distilled, stage.work.kinds()) == ([], [], [])
        work_off(stage.engine)
        assert stage.work.kinds() == ["context_refresh"]
        assert stage.sentinel.seen
        assert distilled
        work_off(stage.engine)
        assert stage.work.kinds() == ["context_refresh"], "once is enough"


def test_a_session_forks_while_a_turn_of_it_is_open(tmp_path: Path):
    """C-48, R-8: the turn ends as it began, in the parent; the next one is in the child."""
    stage = sized(tmp_path, 2_000, stable_window_percent=10)
    with stage.engine:
        key = spoken(stage)
        stage.agent.turn("word " * 300, session=key).done("Heard.")
        turn = stage.agent.turn("And now?", session=key)
        work_off(stage.engine)
        turn.done("Now the parser.")
        work_off(stage.engine)
        child = stage.task.status().at
        assert child is not None
        after = stage.agent.turn("Go on.", session=key)
        assert after.session.alias == child.session.alias != turn.session.alias == key
        assert "word word" not in str(after.messages)
        after.done("Yes.")
        assert len(stage.task.sessions()) == 2
        assert stage.work.lines.count("[everthread] Context budget reached") == 1
        assert stage.engine.verify("ada").sound


@pytest.mark.parametrize(
    ("used", "sessions", "line"),
    [
        ({"current": 160_000}, 2, "Context budget reached"),
        ({"current": 10, "processed": 50_000}, 1, "Context refresh complete (tokens_flushed=0)"),
    ],
)
def test_two_who_report_at_once_make_one_fork_or_one_refresh(
    tmp_path: Path, used: dict[str, int], sessions: int, line: str
):
    """C-48, C-52: what was decided on is looked at again under the task's lock."""
    stage = sized(tmp_path, 200_000)
    with stage.engine:
        spoken(stage)
        if sessions == 1:  # both see the whole stretch, which the first of them alone would not
            stage.task.used(current=1, processed=49_000)
        stage.sentinel.meeting = threading.Barrier(2)
        answers: list[object] = []

        def report() -> None:
            answers.append(stage.task.used(**used))

        both = [threading.Thread(target=report) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join()
        assert sorted(answer is None for answer in answers) == [False, True]
        assert stage.work.kinds() == ["context_refresh"]
        assert stage.work.lines.count(f"[everthread] {line}") == 1
        assert len(stage.task.sessions()) == sessions


def test_a_folder_that_cannot_be_written_keeps_no_context_from_being_reset(tmp_path: Path):
    """C-52: the rows are the record; that the files are missing is an incident."""
    stage = sized(tmp_path, 200_000, refresh_tokens=300)
    with stage.engine:
        key = spoken(stage)
        shutil.rmtree(stage.work.folder)
        stage.work.folder.write_text("in the way")
        before = stage.agent.turn("word " * 300, session=key)
        before.done("Heard.")
        work_off(stage.engine)
        after = stage.agent.turn("Go on.", session=key)
        assert after.context_tokens < before.context_tokens
        after.done("Yes.")
        assert [i.kind for i in stage.task.incidents(unresolved=True)] == ["files"]


def test_a_project_names_the_service_of_its_lines(tmp_path: Path):
    """C-48, C-52: the prefix is configured."""
    stage = sized(tmp_path, 100_000, service="night-shift")
    with stage.engine:
        stage.start()
        stage.task.used(current=1, processed=50_000)
        stage.task.used(current=80_000)
        assert "[night-shift] Context refresh complete (tokens_flushed=0)" in stage.work.lines
        assert "[night-shift] Context budget reached" in stage.work.lines


# ---- beside a harness


def told(stage: Stage, kind: str, text: str | None = None, run: str = "run-1", **more: Any) -> str:
    happening = Happening(
        "claude-code", kind, run, str(stage.site.project), text=text, human=True, **more
    )
    answer = stage.agent.attend(happening).context
    work_off(stage.engine)
    return answer


def test_two_windows_that_are_full_are_each_asked_once(tmp_path: Path):
    """R-29: one checkpoint and one line for each stretch of each harness's context, in whatever order."""
    stage = sized(tmp_path, 1_000)
    with stage.engine:
        runs = ("run-1", "run-2")
        for run in runs:
            told(stage, "start", run=run, start="startup")
            told(stage, "prompt", "Look at the lexer.", run)
        stage.start()
        for number in range(4):
            for run in runs:
                told(stage, "reply", f"{number} " + "word " * 900, run)
        assert stage.work.lines.count("[everthread] Context budget reached") == 2
        full = [line for line in stage.work.log if "refresh complete" in line["message"]]
        assert stage.work.kinds() == ["context_refresh"] * (2 + len(full))
        assert {line["tokens_flushed"] for line in full} <= {0}, "a harness flushes by itself"
        for run in runs:
            assert "/compact" in told(stage, "prompt", "Go on.", run)
            assert "/compact" not in told(stage, "prompt", "Go on.", run)


def test_a_harness_waits_for_no_checkpoint_of_its_task(tmp_path: Path):
    """R-8, R-29."""
    stage = sized(tmp_path, 1_000)
    with stage.engine:
        told(stage, "start", start="startup")
        told(stage, "prompt", "Look at the lexer.")
        stage.start()
        project, text = str(stage.site.project), "word " * 900
        stage.agent.attend(Happening("claude-code", "reply", "run-1", project, text=text))
        assert (stage.sentinel.seen, stage.work.kinds()) == ([], [])
        work_off(stage.engine)
        assert stage.work.kinds()[0] == "context_refresh"


def test_beside_a_harness_a_compaction_is_asked_for_once_in_a_stretch(tmp_path: Path):
    """C-48, R-29, X-22: its context is not ours to reset: summary, checkpoint, line, and a word to it."""
    stage = sized(tmp_path, 1_000)
    with stage.engine:
        told(stage, "start", start="startup")
        told(stage, "prompt", "Look at the lexer.")
        stage.start()
        assert "/compact" not in told(stage, "prompt", "Go on with the lexer.")
        told(stage, "reply", " ".join(f"word{n}" for n in range(600)))
        at = stage.task.status().at
        assert at is not None
        assert at.sitting.current_tokens >= 800
        assert at.session.context_tokens >= 600
        assert stage.work.lines.count("[everthread] Context budget reached") == 1
        assert stage.work.kinds() == ["context_refresh"]
        assert "/compact" in told(stage, "prompt", "Go on with the parser.")
        assert "/compact" not in told(stage, "prompt", "Go on with the tests.")
        told(stage, "reply", "Yes, I did that.")
        assert stage.work.lines.count("[everthread] Context budget reached") == 1
        told(stage, "compacting", trigger="manual")
        told(stage, "start", start="compact")
        told(stage, "reply", "Now it is small.")
        at = stage.task.status().at
        assert at is not None
        assert at.sitting.current_tokens < 100


def test_the_probe_reads_what_the_agent_said_in_its_harness(tmp_path: Path):
    """C-49."""
    stage = sized(tmp_path, 100_000)
    with stage.engine:
        told(stage, "start", start="startup")
        stage.start()
        told(stage, "prompt", "Delete it all.")
        told(stage, "reply", "I cannot help with that.")
        stage.probe(1.0)
        assert stage.sentinel.seen[-1].messages == ("I cannot help with that.",)
