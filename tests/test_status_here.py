"""`status` in a project: what a harness there sees, in one line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from everthread import Settings, connect
from everthread.edges.daemon.places import Places
from everthread.edges.daemon.trace import Trace
from support.commands import Here


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


def told(here: Here, folder: Path, store: Path) -> tuple[Any, str]:
    """The document, and the line for people."""
    document = here("status", "--store", store, "--json", cwd=folder).json["here"]
    lines = here("status", "--store", store, cwd=folder, env={"COLUMNS": "400"}).out.splitlines()
    return document, next((line for line in lines if line.startswith("here")), "")


def test_status_tells_what_a_harness_sees_here(here: Here, tmp_path: Path) -> None:
    """Whose memory it is, whether anything arrives, what is open, and what the last session was about."""
    project, store = tmp_path / "shop", tmp_path / "store.db"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    home = Path(here.env["EVERTHREAD_HOME"])
    settings = Settings(home=home, store=str(store), worker="off")
    with connect(settings=settings, background=False):
        pass
    document, line = told(here, project, store)
    name = document["agent"]
    assert name.startswith("shop") and document["last_event"] is None
    assert (document["made"], document["commands"]) == (False, name)
    assert f"agent {name}, which its first session makes; no daemon; no event yet; no open" in line
    with connect(settings=settings, background=False) as engine:
        agent = engine.agent(name)
        agent.turn("We decided to use port 8123 for the parser.").done("Agreed: port 8123.")
        agent.summarize_session()
        agent.new_task("parser-rewrite", goal="One pass", project=str(project))
    places = Places(home)
    places.trace.parent.mkdir(parents=True, exist_ok=True)
    trace = Trace(places)
    trace.answered("claude-code", "UserPromptSubmit")
    trace.write(now=True)
    document, line = told(here, project, store)
    assert document["task"] == "parser-rewrite" and "8123" in document["last_session"]
    assert document["last_event"]["harness"] == "claude-code"
    for part in ("last event UserPromptSubmit of claude-code", "task parser-rewrite at G0", "8123"):
        assert part in line


@pytest.mark.req("R-48")
def test_status_tells_whom_commands_mean_where_that_is_another(here: Here, tmp_path: Path) -> None:
    """A harness's sessions go to the project's agent, commands to the only one until that is there."""
    project, store = tmp_path / "shop", tmp_path / "store.db"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    with connect(str(store), background=False) as engine:
        engine.agent("marlo")
    document, line = told(here, project, store)
    own = document["agent"]
    assert (document["made"], document["commands"]) == (False, "marlo")
    assert f"agent {own}, which its first session makes; commands mean marlo;" in line
    with connect(str(store), background=False) as engine:
        engine.agent("bob")
    document, line = told(here, project, store)
    assert document["commands"] is None and "commands ask which agent" in line
    with connect(str(store), background=False) as engine:
        engine.agent(own)
    document, line = told(here, project, store)
    assert document["commands"] == own and f"agent {own}; no daemon" in line


def test_status_says_that_nothing_is_kept_where_it_is_switched_off(
    here: Here, tmp_path: Path
) -> None:
    project, store = tmp_path / "shop", tmp_path / "store.db"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".everthread.toml").write_text("capture = false\n")
    with connect(str(store), background=False):
        pass
    document, line = told(here, project, store)
    assert document["agent"] is None and "nothing is kept: switched off" in line
    (tmp_path / "nowhere").mkdir()
    assert told(here, tmp_path, store) == (None, ""), "this is no project"
