"""A session whose process is gone is put down and suspended; one that lives is never touched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.times import MINUTE
from everthread.engine.tasking import Task
from everthread.jobs.duties import DUTIES, WATCH
from everthread.jobs.worker import Worker as JobWorker
from everthread.providers.processes import Owner, process_named, this_process
from everthread.services.tasks.checks.stop_file import STOP_FILE
from everthread.services.tasks.sessions import watch
from everthread.services.tasks.sessions.watch import UNSEEN, interrupt, sweep_sittings
from everthread.settings import Settings
from everthread.testing import FrozenClock
from support.commands import Cli
from support.daemon import Daemon, daemon, house, short_home  # noqa: F401 - fixtures
from support.running import left, until
from support.stores import EACH, fresh
from support.task_worker import QUICK, sleeper, working
from support.tasking import Site, Work, git_project, work

pytestmark = pytest.mark.req("C-29", "C-30", "C-31", "C-32", "X-20", "X-21")

LEASE = int(Settings().task_lease_minutes * MINUTE)
ELSEWHERE = "another-host/0123456789ab:4026531836:4711:99:abcd"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, **QUICK)


@pytest.fixture
def at(site: Site) -> Iterator[Work]:
    made = work(site)
    yield made
    made.engine.close()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def timed(tmp_path: Path, clock: FrozenClock) -> Iterator[Work]:
    """With a clock that moves only when told to, and the usual lease."""
    made = work(Site(tmp_path), clock=clock)
    yield made
    made.engine.close()


def swept(at: Work) -> int:
    return sweep_sittings(at.engine.house, lambda: None)


def session(task: Task) -> Session:
    return task.sessions()[0].session


def everything(at: Work) -> tuple[list[str], int, int, str]:
    """All that a sweep could change."""
    return (
        at.kinds(),
        len(at.task.incidents()),
        len(at.task.timeline(limit=10_000)),
        session(at.task).state,
    )


def silent(clock: FrozenClock, ms: int) -> None:
    clock.forward(seconds=ms / 1_000)


# ---- a process that is gone


@pytest.mark.slow
def test_a_killed_session_is_put_down_from_its_last_known_state(at: Work) -> None:
    """C-29 … C-32: an interrupted checkpoint, a suspended session, an incident; and files that say so."""
    with working(at.site) as worker:
        worker.ready()
        assert swept(at) == 0, "it lives"
        worker.kill()
        until(lambda: swept(at), "the sweep did not find it")
    assert at.kinds() == ["explicit", "interrupted"]
    made = at.task.checkpoints()[0]
    document = at.json(f"json/checkpoints/{made.alias}.json")
    assert document["type"] == "interrupted" and document["can_resume"] is True
    assert "Read the header first" in document["summary"]
    assert "Last known: The header is read." in document["summary"]
    assert document["next_steps"] == ["read the body"]
    assert document["state"]["commit"]
    ended = session(at.task)
    assert ended.state == "suspended"
    assert at.json(f"json/sessions/{ended.alias}.json")["state"] == "suspended"
    assert at.json("json/checkpoint-index.json")["checkpoints"][-1]["type"] == "interrupted"
    [found] = at.task.incidents(unresolved=True)
    assert (found.kind, found.severity) == ("interrupted", "medium")
    assert json.loads(found.details_json)["checkpoint"] == made.alias
    assert f"[everthread] Checkpoint created: {made.alias}" in at.lines
    assert at.task.verify().problems == []
    events = [entry.event for entry in at.task.timeline(limit=1_000)]
    assert {"session.suspended", "incident.logged", "task.interrupted"} <= set(events)


@pytest.mark.slow
def test_a_second_sweep_changes_nothing(at: Work) -> None:
    with working(at.site) as worker:
        worker.ready().kill()
    until(lambda: swept(at), "the sweep did not find it")
    before = everything(at)
    assert swept(at) == 0
    assert everything(at) == before


@pytest.mark.req("C-29", "C-30")
def test_decisions_and_next_steps_from_before_are_told_after_a_crash(
    timed: Work, clock: FrozenClock
) -> None:
    """C-29, C-30: a checkpoint of changed files has neither, and hides neither."""
    decision = {
        "decision": "The tokens come from a generator.",
        "rationale": "A list of them does not fit into memory.",
        "alternatives": ["a list"],
    }
    timed.task.start()
    timed.task.checkpoint("decision", "How tokens are made.", decisions=[decision])
    timed.task.end("partial", completed=["the lexer"], next_steps=["write the parser"])
    with sleeper() as process:
        timed.task.start(owner=process_named(str(process.pid)))
        timed.site.write("new.py", "new = 1\n")
        timed.task.checkpoint("file_change", "The first lines.", files=["new.py"])
        clock.forward(minutes=5)
        timed.task.checkpoint("file_change", "More lines.", files=["new.py"])
        process.kill()
        process.wait()
    begun = timed.task.start()
    last = timed.task.document(timed.task.checkpoints()[0])
    assert json.loads(last)["type"] == "interrupted"
    assert json.loads(last)["next_steps"] == ["write the parser"]
    for told in ("The tokens come from a generator.", "write the parser"):
        assert told in begun.context.partition("<everthread-recall>")[0]


@pytest.mark.slow
def test_the_next_session_goes_on_from_where_the_killed_one_stood(at: Work) -> None:
    """A start need not wait for the sweep, nor for the lease."""
    with working(at.site) as worker:
        worker.ready().kill()
    begun = at.task.start()
    child, parent = at.task.sessions()
    assert child.parent is not None and child.parent.alias == parent.session.alias
    assert parent.session.state == "suspended"
    assert begun.at.sitting.resumed_from == at.task.checkpoints()[0].alias
    assert at.kinds()[-1] == "interrupted"
    assert "read the body" in begun.context


@pytest.mark.slow
def test_one_that_is_killed_in_its_startup_ritual_is_found(site: Site) -> None:
    """Its session is still `init`; the smoke command that it ran is gone as well."""
    smoke = site.script("smoke.sh", "echo $$ > smoke.pid; exec sleep 600")
    at = work(site, smoke=smoke)
    note = site.project / "smoke.pid"
    with working(site) as worker:
        until(lambda: note.exists() and note.read_text().strip(), "the ritual did not get so far")
        assert session(at.task).state == "init"
        pid = int(note.read_text())
        worker.kill()
        until(lambda: swept(at), "the sweep did not find it")
    assert session(at.task).state == "suspended"
    assert at.kinds() == ["interrupted"]
    until(lambda: not left([pid]), "its smoke command is still there")
    at.engine.close()


def test_a_process_whose_number_was_given_to_another_one_is_gone(
    timed: Work, clock: FrozenClock
) -> None:
    here = Owner(*this_process().split(":"))
    timed.task.start(owner=":".join(here._replace(start="1")))
    silent(clock, LEASE)
    assert swept(timed) == 1
    assert session(timed.task).state == "suspended"


def test_files_that_waited_become_a_checkpoint_before_it(timed: Work, clock: FrozenClock) -> None:
    """What was told within the last seconds is not lost with its process."""
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
        timed.site.write("scanner.py", "x = 1\n")
        timed.task.checkpoint("file_change", "A scanner", files=["scanner.py"])
        assert timed.kinds() == []
    silent(clock, LEASE)
    assert swept(timed) == 1
    assert timed.kinds() == ["file_change", "interrupted"]
    last = timed.json(f"json/checkpoints/{timed.task.checkpoints()[0].alias}.json")
    assert [file["path"] for file in last["state"]["files_changed"]] == ["scanner.py"]


def test_an_interrupted_session_is_recorded_without_its_project(
    timed: Work, clock: FrozenClock
) -> None:
    """The store is the record; that the files could not be written is an incident of its own."""
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
    shutil.rmtree(timed.site.project)
    silent(clock, LEASE)
    assert swept(timed) == 1
    assert session(timed.task).state == "suspended"
    kinds = {found.kind for found in timed.task.incidents(unresolved=True)}
    assert kinds == {"interrupted", "files"}


def test_one_that_cannot_be_seen_to_keeps_no_other_waiting(
    timed: Work, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = timed.engine.agent("ada").new_task(
        "lexer-rewrite", goal="x", project=str(timed.site.project)
    )
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
        other.start(owner=process_named(process.pid))
    silent(clock, LEASE)
    usual = watch.interrupt

    def broken(found: Any, sitting: Any) -> bool:
        if sitting.task_ref == timed.task.row.ref:
            raise EverthreadError("its disk is full")
        return usual(found, sitting)

    monkeypatch.setattr(watch, "interrupt", broken)
    with pytest.raises(EverthreadError, match="disk is full"):
        swept(timed)
    assert session(other).state == "suspended"
    monkeypatch.undo()
    assert swept(timed) == 1, "it is tried again"


@pytest.mark.slow
def test_of_two_sweeps_at_once_one_finds_it(at: Work) -> None:
    with working(at.site) as worker:
        worker.ready().kill()
    [sitting] = at.engine.house.store.read(lambda r: r.sittings.lapsed(now=2**62, limit=9))
    engines = [at.site.open() for _ in range(3)]
    start = threading.Barrier(len(engines))
    found: list[bool] = []

    def sweep(engine: Any) -> None:
        start.wait(30)
        found.append(interrupt(engine.house, sitting))

    threads = [threading.Thread(target=sweep, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for engine in engines:
        engine.close()
    assert sorted(found) == [False, False, True]
    assert at.kinds().count("interrupted") == 1
    assert len(at.task.incidents()) == 1


def test_a_sign_of_life_in_the_last_moment_counts(timed: Work, clock: FrozenClock) -> None:
    """What was seen before the lock was had is looked at again under it."""
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
    [stale] = timed.engine.house.store.read(lambda r: r.sittings.lapsed(now=2**62, limit=9))
    clock.forward(seconds=1)
    timed.task.checkpoint("explicit", "Somebody goes on with it.")
    assert interrupt(timed.engine.house, stale) is False
    assert session(timed.task).state == "active"


@pytest.mark.parametrize("engine", EACH)
def test_on_every_store_the_same_is_found_and_told(
    tmp_path: Path, clock: FrozenClock, engine: str
) -> None:
    """Interrupted, stopped, allowed, a failure too many, an event that arrives."""
    told = tmp_path / "events.jsonl"
    site = Site(tmp_path, outbox_file=str(told))
    with fresh(engine, tmp_path) as place:
        site.place = place.target
        at = work(site, clock=clock)
        with sleeper() as process:
            at.task.start(owner=process_named(process.pid))
        silent(clock, LEASE)
        assert (swept(at), swept(at)) == (1, 0)
        at.task.start()
        for _ in range(11):
            at.task.fail("scan", "transient", "no route")
        assert session(at.task).state == "terminated"
        at.task.allow("the route is back")
        at.task.start()
        at.task.end("partial")
        runner = JobWorker(at.engine.house, rest=0)
        while runner.step():
            pass
        types = [json.loads(line)["type"] for line in told.read_text().splitlines()]
        assert types == ["agent.emergency_stop", "session.complete"]
        kinds = ["interrupted", "error_recovery", "emergency", "explicit", "session_end"]
        assert at.kinds() == kinds
        assert at.engine.verify("ada").sound
        at.engine.close()


# ---- a process that lives, or cannot be seen


@pytest.mark.parametrize("stopped", [False, True])
def test_one_that_lives_is_never_reaped(timed: Work, clock: FrozenClock, *, stopped: bool) -> None:
    """C-29: silent for many leases, with a clock that jumps a day ahead, stopped by a signal."""
    with sleeper() as process:
        if stopped:
            os.kill(process.pid, signal.SIGSTOP)
        timed.task.start(owner=process_named(process.pid))
        before = everything(timed)
        for _ in range(3 * UNSEEN):
            silent(clock, LEASE)
            assert swept(timed) == 0
        clock.forward(hours=24)
        assert swept(timed) == 0
        clock.forward(hours=-48)
        assert swept(timed) == 0
        timed.task.status()
        assert everything(timed) == before
        assert session(timed.task).state == "active"


@pytest.mark.parametrize("owner", [ELSEWHERE, "unknown"])
def test_one_that_cannot_be_seen_from_here_is_gone_only_after_a_long_silence(
    timed: Work, clock: FrozenClock, owner: str
) -> None:
    """C-29: just below the limit, and at it: an hour since its last sign of life."""
    timed.task.start(owner=owner)
    silent(clock, UNSEEN * LEASE - 1)
    assert swept(timed) == 0
    assert timed.task.status().at is not None
    silent(clock, 1)
    assert UNSEEN * LEASE == 60 * MINUTE
    assert swept(timed) == 1
    assert session(timed.task).state == "suspended"


def test_within_its_lease_nobody_is_looked_at(timed: Work, clock: FrozenClock) -> None:
    """Just below, and at its end: whoever goes on in another process may do so until then."""
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
    silent(clock, LEASE - 1)
    assert swept(timed) == 0
    silent(clock, 1)
    assert swept(timed) == 1


def test_lease_and_sweep_together_take_less_than_five_minutes() -> None:
    """C-29"""
    every = next(duty.every_ms for duty in DUTIES if duty.name == WATCH)
    assert LEASE + every < 5 * MINUTE


# ---- after an emergency


def test_after_a_stop_file_a_killed_session_is_terminated(timed: Work, clock: FrozenClock) -> None:
    """X-21: with a marker it is over, and a person has to look at it before the next start."""
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
        timed.task.checkpoint("explicit", "Half of it.")
    marker = timed.site.write(STOP_FILE, "")
    silent(clock, LEASE)
    assert swept(timed) == 1
    assert swept(timed) == 0
    assert session(timed.task).state == "terminated"
    assert timed.kinds() == ["explicit", "interrupted"]
    assert not timed.task.checkpoints()[0].can_resume
    assert timed.json("json/emergency-checkpoint.json")["trigger"] == "stop_file"
    with pytest.raises(TaskRefused, match="STOP file"):
        timed.task.start()
    with pytest.raises(TaskRefused, match="remove it first"):
        timed.task.allow("looked at it")
    marker.unlink()
    with pytest.raises(TaskRefused, match="a person has to allow it"):
        timed.task.start()
    timed.task.allow("a test of the alarm")
    assert "a test of the alarm" in timed.task.start().context
    left_over = [found.kind for found in timed.task.incidents(unresolved=True)]
    assert left_over == ["interrupted"]


def test_a_stop_file_ends_a_session_that_lives(timed: Work) -> None:
    """C-53: the sweep sees it; so does the next verb."""
    timed.task.start()
    timed.site.write(STOP_FILE, "")
    assert swept(timed) == 1
    assert session(timed.task).state == "terminated"
    assert timed.kinds() == ["emergency"]
    assert swept(timed) == 0


@pytest.mark.parametrize("verb", ["checkpoint", "gate", "fail", "end", "passed"])
def test_a_stop_file_counts_with_the_next_verb(timed: Work, verb: str) -> None:
    verbs = {
        "checkpoint": lambda: timed.task.checkpoint("explicit", "More of it."),
        "gate": lambda: timed.task.gate("G0", waiver="none of it"),
        "fail": lambda: timed.task.fail("scan", "test"),
        "end": lambda: timed.task.end("partial"),
        "passed": lambda: timed.task.passed("scan"),
    }
    timed.task.start()
    timed.site.write(STOP_FILE, "")
    with pytest.raises(TaskRefused, match="stopped in an emergency"):
        verbs[verb]()
    assert session(timed.task).state == "terminated"


def test_a_stop_file_that_cannot_be_read_stops_all_the_same(timed: Work) -> None:
    timed.task.start()
    (timed.site.project / STOP_FILE).mkdir(parents=True)
    assert swept(timed) == 1


# ---- who sweeps


def test_the_worker_sweeps_by_itself(timed: Work, clock: FrozenClock) -> None:
    with sleeper() as process:
        timed.task.start(owner=process_named(process.pid))
    silent(clock, LEASE)
    runner = JobWorker(timed.engine.house, rest=0)
    while runner.step():
        pass
    assert session(timed.task).state == "suspended"


class Swept:
    """Commands, of which only the sweep is asked for."""

    times = 0

    def sweep(self) -> int:
        self.times += 1
        return 0


@pytest.mark.parametrize("tasks", [0, 1])
def test_processes_are_looked_at_only_where_there_are_tasks(timed: Work, tasks: int) -> None:
    """Only tasks run commands. To read what each process of a machine was given takes its time."""
    commands: Any = Swept()
    with everthread.connect("memory://", background=False) as empty:
        house = (timed.engine if tasks else empty).house
        runner = JobWorker(replace(house, commands=commands), rest=0)
        while runner.step():
            pass
    assert commands.times == tasks


@pytest.mark.slow
def test_the_daemon_finds_a_killed_session_with_nobody_calling(
    house: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    house.env["EVERTHREAD_TASK_LEASE_MINUTES"] = "0.01"
    project = git_project(tmp_path / "project")
    cli = Cli(tmp_path)
    cli.env = house.env
    assert cli("task", "new", "parser", "--goal", "One pass", cwd=project).code == 0
    with sleeper() as process:
        began = cli("task", "start", "parser", "--owner", str(process.pid), cwd=project)
        assert began.code == 0, began.err
    # The watch looks once as the daemon starts, and then each minute: not before the lease is over.
    time.sleep(float(house.env["EVERTHREAD_TASK_LEASE_MINUTES"]) * 60)
    house.up()
    index = project / "tasks" / "parser" / "json" / "checkpoint-index.json"
    until(lambda: '"interrupted"' in index.read_text(), "nobody found it")
    told = cli("incidents", "--task", "parser", "--json", cwd=project).json["incidents"]
    assert [found["kind"] for found in told] == ["interrupted"]
    doctor = cli("doctor", cwd=project)
    assert "1 incident is unresolved" in " ".join(doctor.out.split())


@pytest.mark.slow
def test_without_a_daemon_status_notices_a_killed_session(tmp_path: Path) -> None:
    project = git_project(tmp_path / "project")
    cli = Cli(tmp_path)
    cli.env["EVERTHREAD_TASK_LEASE_MINUTES"] = "0.01"
    assert cli("task", "new", "parser", "--goal", "One pass", cwd=project).code == 0
    with sleeper() as process:
        cli("task", "start", "parser", "--owner", str(process.pid), cwd=project)
        assert cli("task", "status", "--json", cwd=project).json["session"] is not None

    def noticed() -> bool:
        return cli("task", "status", "--json", cwd=project).json["session"] is None

    until(noticed, "the status says that somebody still works at it")
    listed = cli("sessions", "list", "--task", "parser", "--json", cwd=project).json["sessions"]
    assert [one["state"] for one in listed] == ["suspended"]


@pytest.mark.slow
def test_the_end_of_a_conversation_in_a_harness_ends_no_session_of_a_task(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    """C-29: only the end of its process does. A harness may begin another conversation and go on."""
    project = git_project(tmp_path / "project")
    cli = Cli(tmp_path)
    cli.env = daemon.env
    usual = {"session_id": "s-1", "cwd": str(project)}
    assert cli("task", "new", "parser", "--goal", "One pass", cwd=project).code == 0
    with sleeper() as process:
        daemon.hook("claude-code", "SessionStart", {**usual, "source": "startup"})
        assert cli("task", "start", "--owner", str(process.pid), cwd=project).code == 0
        daemon.hook("claude-code", "UserPromptSubmit", {**usual, "prompt": "Go on."})
        daemon.hook("claude-code", "SessionEnd", {**usual, "reason": "clear"})
        assert cli("task", "status", "--json", cwd=project).json["session"] is not None
