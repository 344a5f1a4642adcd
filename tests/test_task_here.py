"""Tasks by the command: whose they are, who works at them, and what people see."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everthread import Settings, connect
from everthread.providers import processes
from support.commands import COMMAND, Cli, Here, Installed, Terminal

SLUG = "parser-rewrite"
GOAL = ("--goal", "Parse in one pass")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    found = Here(tmp_path, monkeypatch, capsys)
    found.env["EVERTHREAD_EMBEDDER"] = "off"
    return found


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    found = Cli(tmp_path)
    found.env["EVERTHREAD_EMBEDDER"] = "off"
    return found


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str], Path]:
    def made(name: str = "shop") -> Path:
        subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True)
        return tmp_path / name

    return made


def owners(here: Cli) -> dict[str, list[str]]:
    """Whose tasks there are."""
    settings = Settings(home=Path(here.env["EVERTHREAD_HOME"]), worker="off", embedder="off")
    with connect(settings=settings, background=False) as engine:
        return {a.name: [t.slug for t in a.tasks()] for a in engine.agents()}


# Whose task it is


@pytest.mark.req("C-1")
def test_each_project_has_an_agent_of_its_own_for_its_tasks(
    here: Here, project: Callable[[str], Path]
) -> None:
    """A second and a third project never take the store's only agent."""
    for number, name in enumerate(("shop", "mill", "barn")):
        made = here("task", "new", f"{name}-work", *GOAL, cwd=project(name))
        assert made.code == 0, made.err
        assert len(owners(here)) == number + 1
    assert sorted(slug for [slug] in owners(here).values()) == [
        "barn-work",
        "mill-work",
        "shop-work",
    ]
    for agent, [slug] in owners(here).items():
        assert agent.startswith(slug.split("-")[0])
    told = here("task", "status", "--json", cwd=project("mill"))
    assert told.json["task"] == "mill-work"
    assert [
        t["task"] for t in here("task", "list", "--json", cwd=project("barn")).json["tasks"]
    ] == ["barn-work"]


def test_a_new_name_for_an_agent_makes_it_and_says_so(
    here: Here, project: Callable[[str], Path]
) -> None:
    shop = project("shop")
    here("task", "new", "one", *GOAL, cwd=shop)
    made = here("task", "new", "two", *GOAL, "--agent", "ada", cwd=shop)
    assert made.code == 0 and "ada is a new agent" in made.err
    assert owners(here)["ada"] == ["two"]
    set_so = here("task", "new", "three", *GOAL, cwd=shop, env={"EVERTHREAD_AGENT": "bob"})
    assert set_so.code == 0 and owners(here)["bob"] == ["three"]


def test_a_task_that_is_refused_makes_no_agent(here: Here, project: Callable[[str], Path]) -> None:
    shop = project("shop")
    here("task", "new", "one", *GOAL, cwd=shop)
    before = owners(here)
    for slug in ("one", "no slug"):
        refused = here("task", "new", slug, *GOAL, "--agent", "ada", cwd=shop)
        assert refused.code and "new agent" not in refused.err
    assert owners(here) == before


def test_the_users_own_file_says_whose_tasks_a_projects_are(
    here: Here, project: Callable[[str], Path]
) -> None:
    """As the daemon heeds it: projects.toml and .everthread.toml."""
    shop, mill = project("shop"), project("mill")
    home = Path(here.env["EVERTHREAD_HOME"])
    home.mkdir()
    (home / "projects.toml").write_text(f'[{json.dumps(str(shop))}]\nagent = "ada"\n')
    assert here("task", "new", "one", *GOAL, cwd=shop).code == 0
    (mill / ".everthread.toml").write_text('agent = "miller"\n')
    assert here("task", "new", "two", *GOAL, cwd=mill).code == 0
    assert owners(here) == {"ada": ["one"], "miller": ["two"]}
    for command in ("incidents", "outbox"):
        told = here(command, cwd=shop)
        assert told.code == 0, told.err
    barn = project("barn")
    (barn / ".everthread.toml").write_text('agent = "ada"\n')
    refused = here("task", "new", "three", *GOAL, cwd=barn)
    assert refused.code and "never worked here" in refused.err and "--agent" in refused.err
    assert owners(here) == {"ada": ["one"], "miller": ["two"]}


def test_a_task_of_another_agent_of_this_project_is_found_and_told_whose_it_is(
    here: Here, project: Callable[[str], Path]
) -> None:
    shop = project("shop")
    here("task", "new", SLUG, *GOAL, "--agent", "ada", cwd=shop)
    told = here("task", "status", cwd=shop)
    assert told.code == 0 and SLUG in told.out and "ada's" in told.err
    [row] = here("task", "list", "--json", cwd=shop).json["tasks"]
    assert (row["task"], row["agent"]) == (SLUG, "ada")
    assert here("task", "start", cwd=shop).code == 0
    assert here("task", "end", "--outcome", "partial", cwd=shop).code == 0
    assert here("checkpoints", "verify", "--task", SLUG, cwd=shop).code == 0
    refused = here("task", "new", SLUG, *GOAL, cwd=shop)
    assert refused.code and "another task" in refused.err and SLUG in refused.err
    assert here("checkpoints", "verify", "--task", SLUG, cwd=shop).code == 0, "it was not touched"
    nothing = here("task", "status", cwd=project("mill"))
    assert nothing.code and "task new" in nothing.err


def test_a_folder_of_somebody_elses_task_is_not_written_over(
    here: Here, project: Callable[[str], Path]
) -> None:
    """Such as one that came with a clone."""
    shop = project("shop")
    meta = shop / "tasks" / SLUG / "meta" / "task.json"
    meta.parent.mkdir(parents=True)
    meta.write_text('{"id": "018f0000-0000-7000-8000-000000000000"}')
    refused = here("task", "new", SLUG, *GOAL, cwd=shop)
    assert refused.code and "another task" in refused.err and "slug" in refused.err
    assert meta.read_text() == '{"id": "018f0000-0000-7000-8000-000000000000"}'
    assert [slug for slugs in owners(here).values() for slug in slugs] == []


# A folder that cannot be written


@pytest.mark.parametrize("place", ["tasks", f"tasks/{SLUG}", f"tasks/{SLUG}/json"])
def test_a_folder_that_cannot_be_written_is_found_before_anything_is_stored(
    here: Here, project: Callable[[str], Path], place: str
) -> None:
    shop = project("shop")
    (shop / place).parent.mkdir(parents=True, exist_ok=True)
    (shop / place).write_text("a file stands here")
    refused = here("task", "new", SLUG, *GOAL, cwd=shop)
    assert refused.code and "recorded" not in refused.err
    assert [slug for slugs in owners(here).values() for slug in slugs] == []
    (shop / place).unlink()
    assert here("task", "new", SLUG, *GOAL, cwd=shop).code == 0
    left = [path.name for path in (shop / "tasks").rglob(".*")]
    assert left == [], "what was tried is gone"


# Who works at it


def owner_of(cli: Cli, project: Path) -> Any:
    return cli("task", "status", "--json", cwd=project).json["owner"]


def run_by(cli: Cli, project: Path, *words: str) -> str:
    """What a program that calls the command gets to see; the program is gone afterwards."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words,
        cwd=project,
        env={**cli.env, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.req("C-33")
def test_a_session_belongs_to_who_called_make_and_not_to_make(
    cli: Cli, here: Here, project: Callable[[str], Path]
) -> None:
    """Shells and what only runs one command are gone a moment later."""
    shop = project("shop")
    (shop / "Makefile").write_text(
        "inner:\n\t@sh -c 'timeout 50 sh -c \"everthread task start; true\"; true'; true\n"
        "begin:\n\t@$(MAKE) --no-print-directory inner; true\n"
    )
    here("task", "new", SLUG, *GOAL, cwd=shop)
    told = run_by(cli, shop, "sh", "-c", "make --no-print-directory begin; true")
    assert f"works: process {os.getpid()} (" in told
    owner = owner_of(here, shop)
    assert owner["pid"] == os.getpid() and owner["name"]
    assert set(owner) == {"pid", "name"}, "nothing of the machine"


@pytest.mark.slow
@pytest.mark.req("C-33")
def test_who_goes_on_with_a_session_whose_process_is_gone_owns_it(
    cli: Cli, here: Here, project: Callable[[str], Path]
) -> None:
    shop = project("shop")
    here("task", "new", SLUG, *GOAL, cwd=shop)
    program = "import subprocess; subprocess.run(['everthread', 'task', 'start', '--json'])"
    begun = json.loads(run_by(cli, shop, sys.executable, "-c", program))
    assert begun["owner"]["pid"] != os.getpid()
    gone = owner_of(here, shop)
    assert gone["pid"] == begun["owner"]["pid"] and gone["name"] == "", "that process is gone"
    started = Installed(cli.home)  # by this process
    started.env = cli.env
    assert started("task", "checkpoint", "--summary", "half way", cwd=shop).code == 0
    assert owner_of(here, shop)["pid"] == os.getpid()


def a_tree(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Processes 100, 101 … of these names, each the child of the next; the last one's parent is 0."""
    last = 100 + len(names) - 1

    def stat(pid: int) -> list[str] | None:
        if not 100 <= pid <= last:
            return None
        fields = ["S", str(pid + 1 if pid < last else 0), *(["0"] * 30)]
        fields[processes.START] = str(pid * 7)
        return fields

    monkeypatch.setattr(processes, "_stat", stat)
    monkeypatch.setattr(processes, "_command", lambda pid: names[pid - 100])


@pytest.mark.parametrize(
    ("names", "pid"),
    [
        (["claude", "bash"], "100"),
        (["sh", "make", "sh", "make", "bash", "timeout", "zsh", "codex", "bash"], "107"),
        (["sudo", "xargs", "npm run begin", "npx", "node"], "104"),
        (["python3", "claude"], "100"),
        (["bash", "sh", "bash"], None),
        (["bash", "systemd"], None),
        (["sh", "init"], None),
    ],
)
def test_the_process_that_works_is_looked_for_behind_what_only_runs_a_command(
    monkeypatch: pytest.MonkeyPatch, names: list[str], pid: str | None
) -> None:
    a_tree(monkeypatch, *names)
    found = processes.process_named(100)
    assert (found.split(":")[2] if found else None) == pid


# What people see and type


def test_the_hint_to_trust_a_command_is_one_that_works(
    here: Here, project: Callable[[str], Path]
) -> None:
    """(R-31)"""
    shop = project("shop")
    rules = shop / ".agentic-governance" / "config.json"
    rules.parent.mkdir()
    rules.write_text('{"session": {"smokeCommand": "true"}}')
    here("task", "new", SLUG, *GOAL, cwd=shop)
    told = here("task", "start", cwd=shop).out
    assert f"`everthread task trust --task {SLUG}`" in told
    assert here("task", "trust", "--task", SLUG, "--yes", cwd=shop).code == 0


def test_a_task_can_be_named_without_an_option(here: Here, project: Callable[[str], Path]) -> None:
    shop = project("shop")
    for slug in ("one", "two"):
        here("task", "new", slug, *GOAL, "--smoke", "true", cwd=shop)
    assert here("task", "status", cwd=shop).code, "two are open"
    assert here("task", "status", "two", "--json", cwd=shop).json["task"] == "two"
    assert here("task", "trust", "two", "--json", cwd=shop).json["task"] == "two"
    here("task", "start", "two", cwd=shop)
    assert "two is" in here("task", "end", "two", "--outcome", "partial", cwd=shop).out
    assert "one is stopped" in here("task", "stop", "one", cwd=shop).out
    both = here("task", "status", "one", "--task", "two", cwd=shop)
    assert both.code == 2 and "one" in both.err and "two" in both.err
    assert here("task", "status", "one", "--task", "one", cwd=shop).code == 0


@pytest.mark.req("C-51")
@pytest.mark.parametrize("width", [80, 120])
def test_the_sessions_of_a_task_fit_a_terminal(
    here: Here, project: Callable[[str], Path], width: int
) -> None:
    """Each is named by an ending that `sessions show` takes."""
    shop = project("shop")
    here("task", "new", SLUG, *GOAL, cwd=shop)
    for _ in range(2):
        here("task", "start", cwd=shop)
        here("task", "end", "--outcome", "partial", cwd=shop)
    words: list[str | Path] = ["sessions", "list", "--task", SLUG]
    code, shown = Terminal(words, {**here.env, "NO_COLOR": "1"}, shop, width).end()
    shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    lines = [line.rstrip() for line in shown.splitlines() if line.strip()]
    assert code == 0 and len(lines) == 3 and "…" not in shown
    assert all(len(line) <= width for line in lines)
    heads = lines[0].replace("started (UTC)", "started").split()
    assert heads[:5] == ["id", "state", "outcome", "gate", "started"] and "health" in heads
    [agent] = owners(here)
    newest, first = lines[1].split()[0], lines[2].split()[0]
    assert here("sessions", "show", newest, "--agent", agent, cwd=shop).code == 0
    assert "after" in heads and lines[1].endswith(first), "it came after the first one"
