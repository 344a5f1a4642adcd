"""A command of a task that is told to end (SIGTERM), as tools do it whose time is over."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from everthread import Settings, connect
from everthread.services.tasks.status import SessionRelations
from support.commands import COMMAND, Cli
from support.tasking import git_project

SLUG = "parser-rewrite"
SMOKE = "test -e quick || { echo $$ > begun; sleep 600; }"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    found = Cli(tmp_path)
    found.env["EVERTHREAD_EMBEDDER"] = "off"
    return found


@pytest.fixture
def project(tmp_path: Path, cli: Cli) -> Path:
    place = tmp_path / "shop"
    git_project(place)
    made = cli("task", "new", SLUG, "--goal", "Parse in one pass", "--smoke", SMOKE, cwd=place)
    assert made.code == 0, made.err
    return place


def sessions(cli: Cli) -> list[SessionRelations]:
    settings = Settings(home=Path(cli.env["EVERTHREAD_HOME"]), worker="off", embedder="off")
    with connect(settings=settings, background=False) as engine:
        (agent,) = engine.agents()
        (task,) = agent.tasks()
        return list(agent.task(task.slug, project=task.project).sessions())


def ended(cli: Cli, project: Path, *words: str) -> tuple[int, str]:
    """The command, told to end once its smoke command runs: its exit code, and what it said."""
    child = subprocess.Popen(
        [COMMAND, *words],
        cwd=project,
        env=cli.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    begun, until = project / "begun", time.monotonic() + 60
    while time.monotonic() < until and child.poll() is None:
        if begun.exists() and begun.read_text().endswith("\n"):
            break
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGTERM)
    _, err = child.communicate(timeout=60)
    return child.returncode, err


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_a_start_that_is_told_to_end_lets_go_of_the_task_and_ends_what_it_runs(
    cli: Cli, project: Path
) -> None:
    """(C-6, C-10): as by Ctrl-C."""
    begun = project / "begun"
    code, err = ended(cli, project, "task", "start")
    assert (code, err) == (143, "everthread: stopped\n")
    assert [sat.session.state for sat in sessions(cli)] == ["suspended"]
    assert not lives(int(begun.read_text()))
    (project / "quick").touch()
    again = cli("task", "start", cwd=project)
    assert again.code == 0, again.err


@pytest.mark.slow
def test_an_end_that_is_told_to_end_can_be_done_again(cli: Cli, project: Path) -> None:
    """(C-12): its session goes on, and nobody is in the way of the next who ends it."""
    (project / "quick").touch()
    assert cli("task", "start", "--owner", str(os.getpid()), cwd=project).code == 0
    (project / "quick").unlink()
    (project / "kept.py").write_text("two = 2\n")
    cli.env["EVERTHREAD_AUTO_COMMIT"] = "on"
    code, err = ended(cli, project, "task", "end", "--summary", "half of it")
    assert (code, err) == (143, "everthread: stopped\n")
    (sat,) = sessions(cli)
    assert sat.session.state == "active"
    assert not [entry for entry in sat.sitting.record if entry["ritual"] == "shutdown"]
    assert not lives(int((project / "begun").read_text()))
    (project / "quick").touch()
    done = cli("task", "end", "--summary", "half of it", cwd=project)
    assert done.code == 0, done.err
