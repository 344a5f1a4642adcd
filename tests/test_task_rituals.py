"""The rituals of a task's session: every step in its order, with its result on record."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import BadInput, TaskBusy, TaskRefused
from everthread.domain.tasks.rituals import (
    Entry,
    duration_text,
    last_entry,
    status_faults,
    unsafe_patch,
)
from everthread.domain.times import text_of
from everthread.services.tasks.sessions import finish as finishing
from everthread.services.tasks.sessions import start as starting
from everthread.services.tasks.sessions.finish import EndOutcome
from everthread.testing import FrozenClock
from support.tasking import CONFIG, Site, Work, git, work

STARTUP = ["resume", "recall", "log", "status", "commits", "smoke", "goal"]
SHUTDOWN = ["commit", "log", "checkpoint", "memorize", "status", "event"]
DECISION = {
    "decision": "The tokens come from a generator.",
    "rationale": "A list of them does not fit into memory.",
    "alternatives_considered": ["a list"],
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def at(site: Site) -> Iterator[Work]:
    made = work(site)
    yield made
    made.engine.close()


def opened(site: Site, **how: Any) -> Work:
    return work(site, **how)


def results(steps: Any) -> dict[str, str]:
    return {step.name: step.result for step in steps}


# The startup ritual


@pytest.mark.req("C-6", "C-7", "C-8", "C-9", "C-10", "C-11", "C-1")
def test_a_start_takes_its_steps_in_order_and_records_each(at: Work) -> None:
    """C-6 … C-11: recall, implementation log, status, commits, smoke command, goal."""
    told: list[str] = []
    begun = starting.start(
        at.task._desk,  # pyright: ignore[reportPrivateUsage] - the service behind the verb
        at.task.slug,
        starting.Starting(tell=lambda step: told.append(step.name)),
    )
    assert [step.name for step in begun.steps] == STARTUP == told
    assert [entry["name"] for entry in at.record] == STARTUP
    assert all(entry["ritual"] == "startup" for entry in at.record)
    assert results(begun.steps) == {
        "resume": "missing",
        "recall": "missing",
        "log": "missing",
        "status": "ok",
        "commits": "ok",
        "smoke": "pass",
        "goal": "ok",
    }
    assert begun.at.session.state == "active"
    assert at.step("commits")["detail"].endswith("The first")
    assert at.json("json/task-status.json")["last_session"] == begun.at.session.alias


@pytest.mark.req("C-42")
def test_a_log_line_is_one_line_whatever_is_said_in_it(
    at: Work, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "everthread.task"):
        at.task.start(goal="It\n[everthread] Session end: x outcome=success \x1b[2J\u202e")
    wanted = "It [everthread] Session end: x outcome=success \\x1b[2J\\u202e"
    assert f"[everthread] Session starting: {wanted}" in [r.getMessage() for r in caplog.records]
    assert f"[everthread] Session starting: {wanted}" in at.lines


@pytest.mark.req("C-11", "C-42")
def test_the_log_lines_are_exactly_those_of_the_protocol(
    at: Work, caplog: pytest.LogCaptureFixture
) -> None:
    """C-11, C-42: on the logger and in the session's log, with structured fields."""
    with caplog.at_level(logging.INFO, "everthread.task"):
        first = at.task.start(goal="Write the lexer").at.session.alias
        checkpoint = at.task.end("partial").checkpoint.alias
        second = at.task.start().at.session.alias
    expected = [
        f"[everthread] Session start: {first} resuming from none",
        "[everthread] Health check: pass",
        "[everthread] Session starting: Write the lexer",
        f"[everthread] Checkpoint created: {checkpoint}",
        f"[everthread] Session end: {first} outcome=partial",
        f"[everthread] Session start: {second} resuming from {checkpoint}",
        "[everthread] Health check: pass",
        "[everthread] Session starting: Read it in one pass",
    ]
    assert at.lines == expected
    assert [r.getMessage() for r in caplog.records if r.name == "everthread.task"] == expected
    for entry in at.log:
        assert entry["service"] == "everthread"
        assert datetime.fromisoformat(entry["time"]).utcoffset() == timedelta(0)
        assert len(bytes.fromhex(entry["trace_id"])) == 16
        assert entry["traceparent"].startswith(f"00-{entry['trace_id']}-")
    assert at.log[0]["session_id"] == first


@pytest.mark.parametrize(
    ("identity", "prefix"),
    [
        ({"logPrefix": "brand", "serviceName": "svc"}, "brand"),
        ({"serviceName": "svc"}, "svc"),
        ({}, "everthread"),
        ({"logPrefix": "a]\n[b"}, "ab"),
        ({"logPrefix": 7}, "everthread"),
    ],
)
def test_the_prefix_is_the_projects_own(site: Site, identity: Any, prefix: str) -> None:
    """LC-3: logPrefix, else serviceName, else the setting."""
    site.config(identity=identity)
    made = opened(site)
    made.task.start()
    assert {line.partition(" ")[0] for line in made.lines} == {f"[{prefix}]"}
    made.engine.close()


def test_a_broken_configuration_keeps_nobody_from_starting_and_is_told(site: Site) -> None:
    site.write(CONFIG, "{not json")
    made = opened(site, smoke=None)
    begun = made.task.start()
    assert results(begun.steps)["smoke"] == "skipped"
    assert "does not count" in made.step("smoke")["detail"]
    made.engine.close()


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", '{"session": 7, "identity": []}'])
def test_a_configuration_of_a_strange_shape_says_nothing(site: Site, text: str) -> None:
    site.write(CONFIG, text)
    made = opened(site, smoke=None)
    assert results(made.task.start().steps)["smoke"] == "skipped"
    assert made.lines[0].startswith("[everthread] ")
    made.engine.close()


def test_a_configuration_behind_a_link_does_not_count_and_the_work_is_kept(
    tmp_path: Path,
) -> None:
    """Nothing outside of the project is read; nothing is committed on its word."""
    site = Site(tmp_path, auto_commit="on")
    outside = tmp_path / "config.json"
    outside.write_text(
        json.dumps({"identity": {"logPrefix": "other"}, "session": {"autoCommit": 1}})
    )
    (site.project / ".agentic-governance").mkdir()
    (site.project / CONFIG).symlink_to(outside)
    made = opened(site, smoke=None)
    begun = made.task.start()
    assert results(begun.steps)["smoke"] == "skipped"
    assert made.lines[0].startswith("[everthread] ")
    site.write("new.py", "new = 1\n")
    done = made.task.end()
    assert done.steps[0].result == "ok"
    assert done.steps[0].detail.startswith("not committed: ")
    assert "+new = 1" in made.text(f"work/patches/{begun.at.session.alias}.patch")
    made.engine.close()


def test_the_old_place_of_the_implementation_log_is_read(at: Work) -> None:
    """LC-3: it lay beside `work` once."""
    at.site.write(
        "tasks/parser-rewrite/implementation-log.md", "# Log\n\n## Session 1\n\nDone: a\n"
    )
    at.task.start()
    assert at.step("log")["result"] == "ok"
    assert "## Session 1 Done: a" in at.step("log")["detail"]
    at.task.end()
    at.task.start()
    assert at.step("log")["detail"].startswith("work/implementation-log.md")


def test_an_implementation_log_that_cannot_be_read_is_told_and_the_order_goes_on(at: Work) -> None:
    (at.folder / "work" / "implementation-log.md").mkdir(parents=True)
    begun = at.task.start()
    assert results(begun.steps)["log"] == "fail"
    assert begun.at.session.state == "active"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema_version": 2}, "schema 2"),
        ({"schema_version": "x"}, "schema 'x'"),
        ({"updated_at": "2999-01-01T00:00:00.000Z"}, "from the future"),
        ({"updated_at": None}, "does not say when"),
        ({"current_gate": "G9"}, "current_gate is 'G9' there and 'G0' in the store"),
        ({"status": "complete", "blockers": ["none"]}, "status is 'complete' there"),
    ],
)
def test_a_status_file_that_is_not_the_stores_is_told_and_made_anew(
    at: Work, change: dict[str, Any], told: str
) -> None:
    """C-8, X-17: the store is the record."""
    place = at.folder / "json" / "task-status.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **change}))
    begun = at.task.start()
    assert results(begun.steps)["status"] == "changed"
    assert told in at.step("status")["detail"]
    after = at.json("json/task-status.json")
    assert (after["schema_version"], after["current_gate"]) == (1, "G0")
    assert after["status"] == "in-progress"


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000])
def test_a_status_file_that_is_none_is_made_anew(at: Work, text: str) -> None:
    place = at.folder / "json" / "task-status.json"
    place.write_text(text)
    assert results(at.task.start().steps)["status"] == "changed"
    assert at.json("json/task-status.json")["current_gate"] == "G0"
    place.unlink()
    at.task.end()
    place.unlink()
    assert results(at.task.start().steps)["status"] == "missing"


def test_a_status_file_may_be_a_day_ahead_and_no_more(at: Work) -> None:
    """The boundary: clocks of two machines differ; a day is no difference of clocks."""
    now, task = 1_794_700_000_000, at.task.row
    document = json.loads(at.text("json/task-status.json"))
    for late, fault in ((86_399_999, False), (86_400_000, False), (86_400_001, True)):
        document["updated_at"] = text_of(now + late)
        assert bool(status_faults(json.dumps(document), task, now=now)) is fault


def test_without_git_the_commits_are_skipped_and_it_says_so(tmp_path: Path) -> None:
    """C-9"""
    made = opened(Site(tmp_path, repository=False))
    begun = made.task.start()
    assert results(begun.steps)["commits"] == "skipped"
    assert made.step("commits")["detail"] == "the project has no git repository"
    made.engine.close()


# The smoke command


@pytest.mark.req("C-12", "LC-6")
def test_while_the_smoke_command_fails_no_new_work_begins(site: Site) -> None:
    """C-12, LC-6: refused and on record, until it passes; only the fix may begin."""
    made = opened(site, smoke="test -e healthy || { echo it is broken; exit 3; }")
    for _ in range(2):
        with pytest.raises(TaskRefused, match=r"--fix") as refused:
            made.task.start()
        assert "exit 3; it is broken" in str(refused.value)
        sat = made.task.sessions()[0]
        assert (sat.session.state, sat.sitting.health) == ("suspended", "fail")
        assert made.step("smoke")["result"] == "fail"
        assert made.step("goal")["result"] == "skipped"
        with pytest.raises(TaskRefused, match="no session works"):
            made.task.checkpoint("decision", "x", decisions=[DECISION])
    assert not any("Session starting" in line for line in made.lines)
    begun = made.task.start(fix=True)
    assert begun.at.sitting.fix
    assert begun.at.sitting.goal.startswith("P0: repair what makes the smoke command fail")
    made.task.end("partial")
    site.write("healthy", "")
    begun = made.task.start()
    assert not begun.at.sitting.fix
    assert begun.at.sitting.health == "pass"
    assert begun.changed[-1] == "the smoke command failed then and passes now"
    health = [line for line in made.lines if "Health check" in line]
    assert health == ["[everthread] Health check: fail"] * 3 + ["[everthread] Health check: pass"]
    made.engine.close()


@pytest.mark.req("C-12")
def test_a_session_that_repairs_passes_no_gate_before_the_smoke_command_does(site: Site) -> None:
    """C-12: run it until it passes, and only then go on."""
    made = opened(site, smoke="test -e healthy")
    made.task.start(fix=True)
    made.task.checkpoint("decision", "How it is repaired.", decisions=[DECISION])
    with pytest.raises(TaskRefused, match="does not pass yet"):
        made.task.gate("G0", waiver="no time")
    assert made.task.row.gate == "G0"
    site.write("healthy", "")
    made.task.gate("G0", waiver="a test")
    sitting = made.task.sessions()[0].sitting
    assert (sitting.health, bool(sitting.fix)) == ("pass", False)
    health = [line for line in made.lines if "Health check" in line]
    assert health == [f"[everthread] Health check: {how}" for how in ("fail", "fail", "pass")]
    made.engine.close()


def test_who_watches_sees_each_step_of_a_start_that_is_refused_too(site: Site) -> None:
    made = opened(site, smoke="false")
    told: list[str] = []
    with pytest.raises(TaskRefused):
        made.task.start(tell=lambda step: told.append(f"{step.name}: {step.result}"))
    assert [each.partition(":")[0] for each in told] == STARTUP
    assert told[-2:] == ["smoke: fail", "goal: skipped"]
    made.engine.close()


def test_while_the_ritual_runs_nobody_works_in_the_session(
    at: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session is `init` until the last step is done."""
    real = starting.check
    refused: list[str] = []

    def meanwhile(*args: Any) -> Any:
        for verb in (at.task.end, lambda: at.task.gate("G0", waiver="early")):
            with pytest.raises(TaskBusy, match="startup ritual"):
                verb()
            refused.append("busy")
        return real(*args)

    monkeypatch.setattr(starting, "check", meanwhile)
    at.task.start()
    assert refused == ["busy", "busy"]


def test_a_fix_of_what_is_not_broken_is_an_ordinary_session(at: Work) -> None:
    begun = at.task.start(fix=True)
    assert not begun.at.sitting.fix
    assert begun.at.sitting.goal == "Read it in one pass"


@pytest.mark.req("S-9")
def test_a_flaky_smoke_command_is_run_once_more_and_marked(site: Site) -> None:
    """S-9: failed, then passed; the session begins, and the record says flaky."""
    made = opened(site, smoke="echo x >> runs; test $(wc -l < runs) -ge 2")
    begun = made.task.start()
    assert begun.at.sitting.health == "flaky"
    assert made.step("smoke")["result"] == "flaky"
    assert (site.project / "runs").read_text() == "x\nx\n"
    [line] = [entry for entry in made.log if "Health check" in entry["message"]]
    assert line["message"] == "[everthread] Health check: pass"
    assert line["health"] == "flaky"
    made.engine.close()


def test_a_smoke_command_that_fails_twice_is_not_run_a_third_time(site: Site) -> None:
    """S-9"""
    made = opened(site, smoke="echo x >> runs; test $(wc -l < runs) -ge 3")
    with pytest.raises(TaskRefused, match="failed twice"):
        made.task.start()
    assert (site.project / "runs").read_text() == "x\nx\n"
    made.engine.close()


@pytest.mark.req("S-9", "LC-6")
def test_without_a_smoke_command_the_check_is_skipped_and_never_passes(site: Site) -> None:
    """LC-6, S-9: skipped with a warning."""
    made = opened(site, smoke=None)
    begun = made.task.start()
    assert begun.at.sitting.health == "skipped"
    assert made.step("smoke")["detail"].startswith("warning: there is no smoke command")
    assert "[everthread] Health check: skipped" in made.lines
    assert not any("pass" in line for line in made.lines if "Health" in line)
    made.engine.close()


@pytest.mark.req("R-31")
@pytest.mark.parametrize("command", ["touch ran", ["touch", "ran"]])
def test_a_command_of_the_repository_runs_only_while_it_is_trusted(
    site: Site, command: Any
) -> None:
    """R-31: skipped with a warning until `task trust`, and again once its file has changed."""
    site.config(session={"smokeCommand": command})
    made = opened(site, smoke=None)
    begun = made.task.start()
    assert begun.at.sitting.health == "skipped"
    assert "not trusted" in made.step("smoke")["detail"]
    assert "everthread task trust" in made.step("smoke")["detail"]
    assert not (site.project / "ran").exists()
    made.task.end()
    wanted = made.task.smoke()
    assert wanted is not None
    made.task.trust(wanted)
    assert made.task.start().at.sitting.health == "pass"
    assert (site.project / "ran").exists()
    made.task.end()
    site.config(session={"smokeCommand": command, "autoCommit": False})
    assert made.task.start().at.sitting.health == "skipped"
    assert "changed since" in made.step("smoke")["detail"]
    made.engine.close()


def test_a_smoke_command_that_hangs_fails_and_its_time_is_not_spent_twice(tmp_path: Path) -> None:
    """S-9: a timeout is a failure."""
    for minutes in (0.01, 0.1, 1):  # longer only where a busy machine has not yet begun it
        site = Site(tmp_path / f"{minutes}", smoke_minutes=minutes)
        made = opened(site, smoke="echo x >> runs; sleep 600")
        with pytest.raises(TaskRefused, match="did not end in"):
            made.task.start()
        assert made.task.sessions()[0].sitting.health == "fail"
        made.engine.close()
        if (site.project / "runs").exists():
            break
    assert (site.project / "runs").read_text() == "x\n"


def test_what_a_smoke_command_prints_is_recorded_short_and_without_secrets(site: Site) -> None:
    secret = "ghp_" + "a1B2" * 9
    made = opened(site, smoke=f"yes no | head -c 3000000; echo key {secret}; exit 1")
    with pytest.raises(TaskRefused) as refused:
        made.task.start()
    assert len(made.step("smoke")["detail"]) <= 500
    for text in (str(refused.value), json.dumps(made.record), made.text("logs/session.log")):
        assert secret not in text
    made.engine.close()


# Who may start


def test_of_two_who_start_at_once_exactly_one_begins(site: Site) -> None:
    """Although the ritual runs outside of a transaction."""
    made = opened(site, smoke="sleep 0.3")
    told: list[object] = []
    ready = threading.Barrier(3)

    def go() -> None:
        ready.wait()
        try:
            told.append(made.task.start().at.session.state)
        except TaskBusy as busy:
            told.append(type(busy))

    threads = [threading.Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, told)) == sorted(map(str, ["active", TaskBusy, TaskBusy]))
    assert len(made.task.sessions()) == 1
    made.engine.close()


def test_a_ritual_that_is_broken_off_holds_the_task_no_longer(
    at: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(starting, "check", broken)
        with pytest.raises(KeyboardInterrupt):
            at.task.start()
    assert at.task.sessions()[0].session.state == "suspended"
    assert at.task.start().at.session.state == "active"


KILLED = """
import sys, everthread
from everthread.settings import Settings
engine = everthread.connect(sys.argv[1], background=False, settings=Settings.load())
print(engine.agent("ada").task("parser-rewrite", project=sys.argv[2]).start().at.session.alias)
"""


@pytest.mark.slow
def test_a_start_that_is_killed_in_its_ritual_does_not_keep_the_next_one_out(site: Site) -> None:
    made = opened(site, smoke="test -e quick || { touch begun; sleep 60; }")
    env = {**os.environ, "EVERTHREAD_HOME": str(site.home)}
    command = [sys.executable, "-c", KILLED, str(site.place), str(site.project)]
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (site.project / "begun").exists() and time.monotonic() < until:
        time.sleep(0.05)
    with pytest.raises(TaskBusy):
        made.task.start()
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    site.write("quick", "")
    assert made.task.start().at.session.state == "active"
    assert [sat.session.state for sat in made.task.sessions()] == ["active", "suspended"]
    assert made.kinds() == ["interrupted"]
    made.engine.close()


def test_a_complete_task_and_a_stopped_project_start_nothing(at: Work) -> None:
    at.site.write(".agentic-governance/STOP", "")
    with pytest.raises(TaskRefused, match="STOP"):
        at.task.start()
    (at.site.project / ".agentic-governance" / "STOP").unlink()
    assert at.task.sessions() == []
    at.task.start()
    for number in range(11):
        at.task.gate(f"G{number}", waiver="a test of the end")
    assert at.task.end("success").task.status == "complete"
    with pytest.raises(TaskRefused, match="is complete"):
        at.task.start()
    assert at.task.start(from_gate="G9").at.task.status == "in-progress"


def test_a_log_of_a_megabyte_is_put_aside(at: Work) -> None:
    """S-15"""
    place = at.site.write("tasks/parser-rewrite/logs/session.log", "x" * 1_000_000)
    at.task.start()
    at.task.end()
    assert not (at.folder / "logs" / "session-001.log").exists()
    assert place.stat().st_size > 1_000_000
    at.task.start()
    assert (at.folder / "logs" / "session-001.log").stat().st_size > 1_000_000
    assert len(at.lines) == 3


# The shutdown ritual


@pytest.mark.req("C-23", "C-24", "C-25", "C-26", "C-27", "C-28")
def test_an_end_takes_its_steps_in_order_and_records_each(at: Work) -> None:
    """C-23 … C-28: commit or patch, log, checkpoint, memories, status, event."""
    at.task.start()
    done = at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert [step.name for step in done.steps] == SHUTDOWN
    assert [entry["name"] for entry in at.record] == [*STARTUP, *SHUTDOWN]
    assert [entry["result"] for entry in done.record] == ["ok"] * 6
    assert (done.session.state, done.checkpoint.kind) == ("complete", "session_end")
    assert at.engine.verify("ada").faults == []


@pytest.mark.req("C-24")
def test_the_implementation_log_gets_one_entry_of_the_protocols_form(site: Site) -> None:
    """C-24"""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    made = opened(site, clock=clock)
    alias = made.task.start(goal="Write\nthe lexer").at.session.alias
    clock.forward(hours=1, minutes=5)
    made.task.end("partial", completed=["lexer", "its\n## Session tests"], next_steps=["parser"])
    assert made.text("work/implementation-log.md") == (
        "\n## Session 2026-02-20 (1 h 5 min)\n\n"
        "**Goal**: Write the lexer\n"
        "**Completed**: lexer; its ## Session tests\n"
        "**Blocked**: none\n"
        "**Next**: parser\n\n"
        f"<!-- {alias} -->\n"
    )
    made.engine.close()


@pytest.mark.req("C-24", "C-26")
def test_a_session_of_which_nothing_is_said_has_completed_nothing(at: Work) -> None:
    """C-24, C-26: that its goal was reached, nobody said: no entry claims it, and no memory."""
    at.task.start(goal="The lexer reads every file of the corpus.")
    done = at.task.end("failed", blocked=["no access to the corpus"])
    entry = at.text("work/implementation-log.md")
    assert "**Completed**: none\n**Blocked**: no access to the corpus\n" in entry
    document = at.json(f"json/checkpoints/{done.checkpoint.alias}.json")
    assert document["summary"] == "Ended as failed at G0. Blocked: no access to the corpus."
    assert done.steps[3].result == "skipped"
    assert at.engine.agent("ada").memories() == []


@pytest.mark.req("C-26")
def test_what_was_decided_is_remembered_although_nothing_is_said_at_the_end(at: Work) -> None:
    """C-26: what was said in the session counts."""
    at.task.start(goal="The lexer reads every file of the corpus.")
    at.task.checkpoint("decision", "How tokens are made.", decisions=[DECISION])
    assert at.task.end("partial").steps[3].result == "ok"
    texts = [memory.text for memory in at.engine.agent("ada").memories()]
    assert any("generator" in text for text in texts)
    assert not any("corpus" in text for text in texts)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "under 1 min"),
        (59_999, "under 1 min"),
        (60_000, "1 min"),
        (3_599_999, "59 min"),
        (3_600_000, "1 h 0 min"),
        (90_000_000, "25 h 0 min"),
    ],
)
def test_a_duration_is_told_in_hours_and_minutes(ms: int, text: str) -> None:
    assert duration_text(ms) == text


def test_the_last_entry_of_a_log_is_found() -> None:
    entries = [Entry(f"session-{n}", n, 0, f"goal {n}") for n in range(3)]
    assert "goal 2" in last_entry("".join(entry.text for entry in entries))
    assert "goal 1" not in last_entry("".join(entry.text for entry in entries))
    assert last_entry("just\nwords") == "just\nwords"
    assert last_entry("") == ""


@pytest.mark.req("X-30", "C-23")
def test_by_default_nothing_is_committed_and_a_patch_is_kept(at: Work) -> None:
    """X-30: auto-commit is off; the patch brings the work back."""
    head = git(at.site.project, "rev-parse", "HEAD")
    alias = at.task.start().at.session.alias
    at.site.write("new.py", "new = 1\n")
    done = at.task.end()
    assert "auto_commit is off" in done.steps[0].detail
    patch = at.text(f"work/patches/{alias}.patch")
    assert "+new = 1" in patch
    assert "tasks/parser-rewrite/json" not in patch
    assert git(at.site.project, "rev-parse", "HEAD") == head
    (at.site.project / "new.py").unlink()
    git(at.site.project, "apply", str(at.folder / "work" / "patches" / f"{alias}.patch"))
    assert (at.site.project / "new.py").read_text() == "new = 1\n"


@pytest.mark.req("C-23")
def test_files_of_tasks_that_are_uncommitted_are_told_beside_the_work(at: Work) -> None:
    """`git status` shows them; that nothing is uncommitted would not be so."""
    at.task.start()
    assert "?? tasks/" in git(at.site.project, "status", "--short")
    told = at.task.end().steps[0].detail
    assert told == "no work is uncommitted; the files that tasks keep in tasks/ are yours to commit"


def test_a_patch_holds_no_secret(at: Work) -> None:
    secret = "ghp_" + "a1B2" * 9
    alias = at.task.start().at.session.alias
    at.site.write("new.py", f"token = '{secret}'\n")
    done = at.task.end()
    assert secret not in at.text(f"work/patches/{alias}.patch")
    assert "redacted" in done.steps[0].detail


@pytest.mark.parametrize(
    ("setting", "config", "commits"),
    [
        ("off", None, False),
        ("on", None, True),
        ("off", True, False),
        ("on", True, True),
        ("on", False, False),
        ("on", "yes", True),
    ],
)
def test_work_is_committed_if_the_user_allows_it_and_the_project_does_not_forbid_it(
    tmp_path: Path, setting: str, config: object, commits: bool
) -> None:
    """C-23: commit if policy allows."""
    site = Site(tmp_path, auto_commit=setting)
    site.config(session={} if config is None else {"autoCommit": config})
    made = opened(site)
    made.task.start()
    site.write("new.py", "new = 1\n")
    done = made.task.end("partial", summary="A new file.")
    head = git(site.project, "log", "-1", "--format=%s").strip()
    assert head == ("parser-rewrite: A new file." if commits else "The first")
    assert done.steps[0].detail.startswith("committed" if commits else "not committed")
    document = made.json(f"json/checkpoints/{done.checkpoint.alias}.json")
    assert document["state"]["commit"] == git(site.project, "rev-parse", "HEAD").strip()
    made.engine.close()


@pytest.mark.req("C-23", "R-31", "X-30")
@pytest.mark.parametrize(
    ("smoke", "own", "trusted", "commits"),
    [
        ("true", None, False, False),
        ("true", None, True, True),
        ("true", "true", False, False),
        ("false", "true", True, True),
    ],
)
def test_a_projects_word_that_work_is_committed_counts_once_its_file_is_trusted(
    tmp_path: Path, smoke: str, own: str | None, trusted: bool, commits: bool
) -> None:
    """The file came with the repository; nobody but the user turns on what is off by default."""
    site = Site(tmp_path)
    site.config(session={"autoCommit": True, "smokeCommand": smoke})
    made = opened(site, smoke=None)
    if trusted:
        wanted = made.task.smoke()
        assert wanted is not None
        made.task.trust(wanted)
    if own is not None:
        made.engine.close()
        made = work(site, smoke=own, slug="another-one")
    made.task.start()
    site.write("new.py", "new = 1\n")
    done = made.task.end("partial", summary="A new file.")
    head = git(site.project, "log", "-1", "--format=%s").strip()
    assert (head != "The first") is commits, done.steps[0].detail
    if not commits:
        assert "counts once it is trusted" in done.steps[0].detail
    made.engine.close()


@pytest.mark.req("C-23", "R-31")
def test_what_only_the_file_allows_needs_a_smoke_command_that_was_run(
    tmp_path: Path,
) -> None:
    """Its command was trusted, and the task's own is not any more."""
    site = Site(tmp_path)
    site.config(session={"autoCommit": True, "smokeCommand": "true"})
    made = opened(site, smoke=None)
    wanted = made.task.smoke()
    assert wanted is not None
    made.task.trust(wanted)
    made.engine.close()
    made = work(site, smoke="true", slug="another-one")
    made.task.start()
    made.task.distrust()
    site.write("new.py", "new = 1\n")
    done = made.task.end("partial", summary="A new file.")
    assert "needs a smoke command that passes" in done.steps[0].detail
    assert git(site.project, "log", "-1", "--format=%s").strip() == "The first"
    made.engine.close()


UNSAFE = {
    "a secret": ("new.py", "key = 'ghp_" + "a1B2" * 9 + "'\n", "secret"),
    "a file of secrets": ("deploy/id_rsa", "x\n", "secrets"),
    "an environment": (".env", "A=1\n", "secrets"),
    "conflict markers": ("new.py", "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n", "conflict"),
}


@pytest.mark.parametrize("what", UNSAFE)
def test_unsafe_work_is_never_committed(tmp_path: Path, what: str) -> None:
    """C-23: skip if the work is unsafe."""
    name, text, why = UNSAFE[what]
    site = Site(tmp_path, auto_commit="on")
    made = opened(site)
    made.task.start()
    site.write(name, text)
    done = made.task.end()
    assert done.steps[0].detail.startswith("not committed: ")
    assert why in done.steps[0].detail
    assert git(site.project, "log", "-1", "--format=%s").strip() == "The first"
    made.engine.close()


def test_names_that_only_look_like_secrets_are_committed() -> None:
    paths = [".env.example", "environment.py", "keys/README.md", "monkey.py", "a.keys"]
    assert unsafe_patch("+x = 1\n", paths) is None
    assert unsafe_patch("", ["certs/server.pem"]) is not None
    # A heading in Markdown, and markers that were there before, are no conflict of this session.
    assert unsafe_patch("+=======\n <<<<<<< ours\n", []) is None


def test_work_that_fails_the_smoke_command_is_not_committed(tmp_path: Path) -> None:
    """C-23: it passed at the start and fails at the end; the record of the session says so."""
    site = Site(tmp_path, auto_commit="on")
    made = opened(site, smoke="test ! -e broken.py")
    made.task.start()
    site.write("broken.py", "x\n")
    done = made.task.end("failed")
    assert "the smoke command fails" in done.steps[0].detail
    assert made.task.sessions()[0].sitting.health == "fail"
    assert git(site.project, "log", "-1", "--format=%s").strip() == "The first"
    made.engine.close()


def test_a_commit_that_git_refuses_becomes_a_patch(tmp_path: Path) -> None:
    site = Site(tmp_path, auto_commit="on")
    made = opened(site)
    alias = made.task.start().at.session.alias
    site.write("new.py", "new = 1\n")
    git(site.project, "checkout", "-q", "--detach")
    done = made.task.end()
    assert "no branch" in done.steps[0].detail
    assert "+new = 1" in made.text(f"work/patches/{alias}.patch")
    made.engine.close()


def test_without_git_the_bundle_is_a_list_of_files(tmp_path: Path) -> None:
    """C-23"""
    site = Site(tmp_path, repository=False)
    made = opened(site)
    alias = made.task.start().at.session.alias
    site.write("src/new.py", "new = 1\n")
    done = made.task.end()
    assert done.steps[0].result == "ok"
    assert "no git repository" in done.steps[0].detail
    listed = made.text(f"work/patches/{alias}.txt")
    assert "src/new.py" in listed
    assert hashlib.sha256(b"new = 1\n").hexdigest() in listed
    assert "task-status.json" not in listed
    made.engine.close()


@pytest.mark.req("C-26", "LC-2")
def test_decisions_become_memories_of_the_task_and_the_next_start_recalls_them(at: Work) -> None:
    """C-26, C-6, LC-2: kept, tagged, read back; the next session is given them as data."""
    at.task.start()
    at.task.checkpoint("decision", "How tokens are made.", decisions=[DECISION])
    done = at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert done.steps[3].result == "ok"
    ids = at.json("json/memory-ids.json")
    kept = at.engine.agent("ada").memories(tag="task_parser_rewrite")
    assert sorted(ids["memory_ids"]) == sorted(memory.id for memory in kept)
    assert any("generator" in memory.text for memory in kept)
    assert {memory.origin for memory in kept} == {"agent"}
    begun = at.task.start()
    assert begun.steps[1].result == "ok"
    assert "tagged task_parser_rewrite" in begun.steps[1].detail
    assert "generator" in begun.context
    assert "<everthread-recall>" in begun.context


@pytest.mark.req("LC-2")
def test_memories_that_cannot_be_read_back_are_told_as_failed(
    at: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LC-2: success is said only after reading back; the session ends all the same."""
    real = finishing.keep_mirror

    def lost(*args: Any) -> Any:
        return [memory._replace(key_id=bytes(16)) for memory in real(*args)]

    monkeypatch.setattr(finishing, "keep_mirror", lost)
    at.task.start()
    done = at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert done.steps[3].result == "fail"
    assert "read back" in done.steps[3].detail
    assert at.step("memorize")["result"] == "fail"
    assert any("Step failed: memorize: only 0 of 1" in line for line in at.lines)
    assert done.session.state == "complete"
    assert not (at.folder / "json" / "memory-ids.json").exists()


@pytest.mark.parametrize(
    ("outcome", "blocked", "status"),
    [
        ("success", [], "in-progress"),
        ("partial", [], "in-progress"),
        ("failed", [], "blocked"),
        ("partial", ["no access"], "blocked"),
    ],
)
def test_the_status_file_says_how_it_stands_after_the_end(
    at: Work, outcome: Any, blocked: list[str], status: str
) -> None:
    """C-27"""
    alias = at.task.start().at.session.alias
    at.task.end(outcome, blocked=blocked, next_steps=["go on"])
    told = at.json("json/task-status.json")
    assert (told["status"], told["last_session"]) == (status, alias)
    assert (told["blockers"], told["next_steps"]) == (blocked, ["go on"])
    assert told["current_gate"] == "G0"


def test_an_outcome_that_is_none_is_refused_before_anything_is_done(at: Work) -> None:
    at.task.start()
    with pytest.raises(BadInput, match="success, partial, failed"):
        at.task.end("great")  # pyright: ignore[reportArgumentType] - on purpose
    assert at.task.sessions()[0].session.state == "active"
    assert at.kinds() == []


@pytest.mark.req("C-28")
def test_an_end_leaves_one_event_in_the_outbox(at: Work, tmp_path: Path) -> None:
    """C-28: kept where nobody is named; one for each who is."""
    alias = at.task.start().at.session.alias
    at.task.end("partial", next_steps=["write the parser"])
    [event] = at.events
    assert (event.type, event.state) == ("session.complete", "kept")
    assert json.loads(event.body)["data"] == {
        "session_id": alias,
        "outcome": "partial",
        "next_session_hint": "write the parser",
    }
    site = Site(tmp_path / "other", outbox_file=str(tmp_path / "events.jsonl"))
    made = opened(site)
    made.task.start()
    made.task.end(hint="look at the corpus first")
    [event] = made.events
    assert event.state == "pending"
    assert json.loads(event.body)["data"]["next_session_hint"] == "look at the corpus first"
    made.engine.close()


def test_a_step_that_fails_is_told_and_the_order_goes_on(at: Work) -> None:
    (at.folder / "work" / "implementation-log.md").mkdir(parents=True)
    at.task.start()
    done = at.task.end()
    assert done.steps[1].result == "fail"
    assert at.step("log")["result"] == "fail"
    assert [step.name for step in done.steps] == SHUTDOWN
    assert done.session.state == "complete"


def test_files_that_cannot_be_written_at_the_end_are_told_and_the_session_is_over(at: Work) -> None:
    at.task.start()
    place = at.folder / "json" / "checkpoint-index.json"
    place.unlink()
    place.mkdir()
    done = at.task.end()
    assert done.session.state == "complete"
    assert done.steps[4].result == "fail"
    assert at.step("status")["result"] == "fail"
    assert at.engine.verify("ada").faults == []


@pytest.mark.parametrize("step", ["look_at_worktree", "mirror_of", "queue"])
def test_an_end_that_breaks_off_is_ended_once_more_and_nothing_is_there_twice(
    at: Work, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A crash between any two steps: the session is still at work, and can be ended."""
    alias = at.task.start().at.session.alias
    at.site.write("new.py", "new = 1\n")

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(finishing, step, crash)
        with pytest.raises(KeyboardInterrupt):
            at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert at.task.sessions()[0].session.state == "active"
    assert at.events == []
    done = at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert done.session.state == "complete"
    assert at.text("work/implementation-log.md").count(f"<!-- {alias} -->") == 1
    assert at.text("work/implementation-log.md").count("## Session") == 1
    assert at.kinds().count("session_end") == 1
    assert len(at.events) == 1
    assert len(at.engine.agent("ada").memories(tag="task_parser_rewrite")) == 1
    assert [e["name"] for e in at.record if e["ritual"] == "shutdown"] == SHUTDOWN
    assert at.engine.verify("ada").faults == []
    with pytest.raises(TaskRefused, match="no session works"):
        at.task.end()


def test_of_two_who_end_at_once_exactly_one_does(at: Work) -> None:
    at.task.start()
    told: list[object] = []
    ready = threading.Barrier(3)

    def go() -> None:
        ready.wait()
        try:
            told.append(at.task.end("partial"))
        except (TaskBusy, TaskRefused) as refused:
            told.append(refused)

    threads = [threading.Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(each, EndOutcome) for each in told) == 1
    assert at.kinds() == ["session_end"]
    assert len(at.events) == 1
    assert at.text("work/implementation-log.md").count("## Session") == 1


def test_while_one_ends_it_another_is_refused(at: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    at.task.start()
    real = finishing.bundle

    def meanwhile(*args: Any) -> Any:
        with pytest.raises(TaskBusy, match="being ended already"):
            at.task.end("failed")
        return real(*args)

    monkeypatch.setattr(finishing, "bundle", meanwhile)
    assert at.task.end("partial").session.state == "complete"


def test_everything_a_session_leaves_is_without_secrets(at: Work) -> None:
    secret = "ghp_" + "a1B2" * 9
    at.task.start(goal=f"Use {secret}")
    at.task.end(
        "partial",
        summary=f"It used {secret} to read.",
        completed=[f"with {secret}"],
        next_steps=[f"rotate {secret}"],
        hint=f"not {secret}",
    )
    at.task.start()
    for place in at.folder.rglob("*"):
        assert not place.is_file() or secret not in place.read_text(), place
    assert secret not in at.events[0].body


def test_times_in_the_log_are_those_of_the_clock(site: Site) -> None:
    clock = FrozenClock("2026-02-20T23:59:59Z")
    made = opened(site, clock=clock)
    alias = made.task.start().at.session.alias
    assert alias.startswith("session-2026-02-20-")
    clock.forward(seconds=2)
    done = made.task.end()
    assert done.checkpoint.alias == "ckpt-2026-02-21-001"
    assert datetime.fromisoformat(made.log[-1]["time"]) == datetime(
        2026, 2, 21, 0, 0, 1, tzinfo=UTC
    )
    made.engine.close()
