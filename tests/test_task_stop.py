"""An emergency stop ends a session at once, keeps what is uncommitted, and waits for a person (3a.6)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.errors import BadInput, TaskRefused
from support.commands import Cli
from support.tasking import Site, Work, git, git_project, work

pytestmark = pytest.mark.req("C-53", "X-21")

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def at(site: Site) -> Iterator[Work]:
    made = work(site)
    yield made
    made.engine.close()


def test_the_emergency_checkpoint_has_the_fields_of_the_protocol(at: Work) -> None:
    """(3a.6)"""
    at.task.start()
    good = at.task.checkpoint("explicit", "Half of it.").checkpoint
    assert good is not None
    at.site.write("kept.py", "one = 2\n")
    at.site.write("new.py", f"token = {SECRET!r}\n")
    stopped = at.task.stop(f"the key {SECRET} leaked")
    told = at.json("json/emergency-checkpoint.json")
    session = at.task.sessions()[0].session
    assert told == {
        "timestamp": told["timestamp"],
        "agent_id": "ada",
        "session_id": session.alias,
        "trigger": "manual",
        "trigger_details": {
            "metric": None,
            "threshold": None,
            "actual": None,
            "reason": told["trigger_details"]["reason"],
        },
        "state": {
            "current_task": "parser-rewrite",
            "current_gate": "G0",
            "last_completed_step": 0,
            "files_modified": ["kept.py", "new.py"],
            "uncommitted_changes": True,
        },
        "recovery": {
            "can_resume": False,
            "resume_from": good.alias,
            "manual_review_required": True,
        },
    }
    assert session.state == "terminated"
    assert at.kinds() == ["explicit", "emergency"]
    assert stopped.patch is not None and stopped.patch.startswith("work/patches/emergency-")
    patch = at.text(stopped.patch)
    assert "+one = 2" in patch and "new.py" in patch
    whole = "".join(p.read_text() for p in at.folder.rglob("*") if p.is_file())
    assert SECRET not in whole
    assert at.json("json/task-status.json")["status"] == "blocked"
    assert at.lines[-1] == f"[everthread] Session end: {session.alias} outcome=failed"
    [incident] = at.task.incidents(unresolved=True)
    assert (incident.kind, incident.severity) == ("emergency", "critical")
    [event] = at.events
    assert json.loads(event.body)["type"] == "agent.emergency_stop"
    assert json.loads(event.body)["data"]["session_id"] == session.alias
    assert at.task.verify().problems == []


def test_its_patch_brings_the_work_back(at: Work) -> None:
    at.task.start()
    at.site.write("kept.py", "one = 2\n")
    patch = at.folder / (at.task.stop("enough").patch or "")
    git(at.site.project, "checkout", "-q", "--", "kept.py")
    git(at.site.project, "apply", str(patch))
    assert (at.site.project / "kept.py").read_text() == "one = 2\n"


def test_nothing_uncommitted_leaves_no_patch(at: Work) -> None:
    at.task.start()
    assert at.task.stop("enough").patch is None
    assert at.json("json/emergency-checkpoint.json")["state"]["uncommitted_changes"] is False


def test_a_project_without_git_leaves_a_list_of_files(tmp_path: Path) -> None:
    site = Site(tmp_path, repository=False)
    site.write("notes.txt", "x")
    at = work(site)
    at.task.start()
    stopped = at.task.stop("enough")
    assert stopped.patch is not None and stopped.patch.endswith(".txt")
    assert "notes.txt" in at.text(stopped.patch)
    assert at.json("json/emergency-checkpoint.json")["state"]["uncommitted_changes"] is None
    at.engine.close()


def test_nobody_starts_before_a_person_allowed_it(at: Work) -> None:
    """X-21: it goes on from what the person said, with the state that was last known."""
    at.task.start()
    at.task.checkpoint("explicit", "Half of it.", next_steps=["the other half"])
    at.task.stop("a loop")
    for fix in (False, True):
        with pytest.raises(TaskRefused, match="task allow"):
            at.task.start(fix=fix)
    with pytest.raises(TaskRefused, match="stopped in an emergency"):
        at.task.checkpoint("explicit", "on and on")
    with pytest.raises(BadInput, match="note"):
        at.task.allow("")
    at.task.allow("the loop is mended")
    assert at.task.incidents(unresolved=True) == []
    assert at.task.incidents()[0].resolution == "the loop is mended"
    begun = at.task.start()
    assert "the loop is mended" in begun.context and "the other half" in begun.context
    assert at.kinds() == ["explicit", "emergency", "explicit"]
    assert at.task.verify().problems == []
    with pytest.raises(TaskRefused, match="nothing has to be allowed"):
        at.task.allow("again")


def test_a_task_that_nobody_works_at_can_be_stopped(at: Work) -> None:
    assert at.task.stop("not today").checkpoint is None
    with pytest.raises(TaskRefused, match="task allow"):
        at.task.start()
    at.task.allow("today")
    at.task.start()
    assert at.kinds() == []


def test_stopped_twice_is_stopped_once(at: Work) -> None:
    at.task.start()
    first = at.task.stop("enough")
    again = at.task.stop("enough, I said")
    assert (again.checkpoint, again.patch) == (None, None)
    assert again.task.stopped_ms == first.task.stopped_ms
    assert len(at.task.incidents()) == len(at.events) == 1


def test_a_folder_that_cannot_be_written_stops_nobody_from_stopping(at: Work) -> None:
    at.task.start()
    shutil.rmtree(at.folder)
    at.folder.write_text("in the way")
    stopped = at.task.stop("enough")
    assert stopped.task.stopped_ms is not None
    assert at.task.sessions()[0].session.state == "terminated"
    kinds = {found.kind for found in at.task.incidents(unresolved=True)}
    assert kinds == {"emergency", "files"}


@pytest.mark.slow
def test_by_the_installed_command(tmp_path: Path) -> None:
    project = git_project(tmp_path / "project")
    cli = Cli(tmp_path)
    assert cli("task", "new", "parser", "--goal", "One pass", cwd=project).code == 0
    assert cli("task", "start", cwd=project).code == 0
    (project / "kept.py").write_text("one = 2\n")
    stopped = cli("task", "stop", "--reason", "leaked key", "--json", cwd=project)
    assert stopped.code == 0, stopped.err
    assert (project / "tasks" / "parser" / stopped.json["patch"]).exists()
    refused = cli("task", "start", cwd=project)
    assert refused.code != 0 and "task allow" in refused.err
    doctor = " ".join(cli("doctor", cwd=project).out.split())
    assert "was stopped in an emergency" in doctor and "leaked key" in doctor
    assert cli("task", "allow", "--note", "the key is changed", "--yes", cwd=project).code == 0
    assert cli("task", "start", cwd=project).code == 0
