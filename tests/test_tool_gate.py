"""The tool gate: in a sandbox a harness runs only what reads, whoever is or is not there to ask. R-32."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import wiring
from everthread.edges.daemon.trace import waiting_events
from everthread.edges.harnesses.event_names import KNOWN
from everthread.edges.hooks.command import GATES, command_for
from everthread.edges.install.events import GATES as ASKED
from everthread.settings import Settings
from support.client_house import bare, install, ours
from support.client_kinds import ClaudeCode, Codex, Gemini, OpenClaw, OpenCode
from support.commands import COMMAND, Terminal
from support.daemon import Daemon, daemon, house, short_home, standing, wait_for
from support.mcp import by_command, settled
from support.model_script import Reply, ToolCall
from support.sandboxed import sandbox
from support.tasking import git_project

__all__ = ["daemon", "house", "short_home", "standing"]

pytestmark = pytest.mark.slow

HARNESSES = ("claude-code", "codex", "gemini")
WRITE: Mapping[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("Write", {"file_path": "x", "content": "y"}),
    "codex": ("Bash", {"command": "touch x"}),
    "gemini": ("write_file", {"file_path": "x", "content": "y"}),
}
READ: Mapping[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("Read", {"file_path": "x"}),
    "codex": ("Bash", {"command": "ls -la"}),
    "gemini": ("read_file", {"file_path": "x"}),
}


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A name that no test had before: a daemon that serves several would know it again."""
    return Path(tempfile.mkdtemp(dir=tmp_path))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the daemon may need longer than a tool waits, which then is denied: right, but
    not what a test asks."""
    monkeypatch.setattr("everthread.edges.hooks.command.GATE_MS", 20_000)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return git_project(tmp_path / "project")


def asked(
    house: Daemon,
    folder: Path,
    harness: str,
    what: tuple[str, dict[str, Any]],
    *,
    command: list[str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The harness asks about a tool, as it was told to."""
    words = command or command_for(house.settings, harness, ASKED[harness])
    payload = {
        "session_id": "s-1",
        "cwd": str(folder),
        "tool_name": what[0],
        "tool_input": what[1],
    }
    return subprocess.run(
        words,
        input=json.dumps(payload).encode(),
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=120,
        check=False,
    )


def said(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes]:
    return done.returncode, done.stdout


# ---- the client


def test_every_gate_is_an_event_that_its_harness_knows():
    """LB-5."""
    assert set(ASKED.values()) == GATES
    assert all(event in KNOWN[harness] for harness, event in ASKED.items())


def test_without_a_sandbox_not_even_an_interpreter_is_started(house: Daemon, project: Path):
    """R-32: the gate costs a look at one folder; no daemon is asked, none is started."""
    words = command_for(house.settings, "claude-code", "PreToolUse")
    python = next(at for at, word in enumerate(words) if "python" in word)
    words[python] = "/nowhere/python"
    assert said(asked(house, project, "claude-code", WRITE["claude-code"], command=words)) == (
        0,
        b"",
    )
    assert not house.places.starting.exists()


@pytest.mark.parametrize("harness", HARNESSES)
def test_with_a_sandbox_and_no_daemon_every_tool_is_denied(
    house: Daemon, project: Path, harness: str
):
    """R-32: the one exception to failing open. Nothing is spooled."""
    house.places.stopped.touch()
    sandbox(house.home, project)
    done = asked(house, project, harness, READ[harness])
    assert said(done) == (2, b"")
    assert b"everthread up" in done.stderr
    assert not waiting_events(house.places)


def test_a_client_that_is_gone_or_broken_denies_too(house: Daemon, project: Path):
    house.places.stopped.touch()
    sandbox(house.home, project)
    client = house.places.hooks / "carry.py"
    for breaking in (lambda: client.write_text("1 / 0"), client.unlink):
        breaking()
        assert asked(house, project, "codex", READ["codex"]).returncode == 2


def test_the_sandbox_of_one_project_holds_no_other_up(house: Daemon, project: Path, tmp_path: Path):
    """R-32: only who works in it, or above it, is held while nobody can be asked."""
    house.places.stopped.touch()
    sandbox(house.home, project)
    other = git_project(tmp_path / "project-two")
    assert said(asked(house, other, "claude-code", WRITE["claude-code"])) == (0, b"")
    inside = project / "src"
    inside.mkdir()
    for folder in (inside, tmp_path, Path("/")):
        assert asked(house, folder, "claude-code", WRITE["claude-code"]).returncode == 2


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_daemon_lets_reading_pass_and_denies_the_rest_in_the_harnesss_own_words(
    standing: Daemon, project: Path, harness: str
):
    """C-50, R-32."""
    alias = sandbox(standing.home, project)
    assert said(asked(standing, project, harness, READ[harness])) == (0, b"{}")
    denied = asked(standing, project, harness, WRITE[harness])
    assert denied.returncode == 0
    told = json.loads(denied.stdout)
    if harness == "gemini":
        assert told["decision"] == "deny"
    else:
        assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "only reading is allowed" in json.dumps(told)
    log = project / "tasks" / "parser-rewrite" / "logs" / "long-context" / f"{alias}.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["allowed"] for line in lines if line["event"] == "tool"] == [True, False]


def test_a_mark_that_nobody_took_away_holds_nobody_up_for_long(daemon: Daemon, project: Path):
    """The store is the record: the daemon sees that there is no sandbox, and removes the mark."""
    marker = wiring.connect(background=False, settings=daemon.settings)
    with marker as engine:
        agent = engine.agent(wiring.project_agent(project) or "")
        assert engine.house.markers is not None
        engine.house.markers.put("sandbox", str(project), agent.id, "session-gone")
    assert said(asked(daemon, project, "codex", WRITE["codex"])) == (0, b"{}")
    assert not (daemon.home / "run" / "sandbox").exists()


def let(house: Daemon, folder: Path, harness: str, tool: str, **given: Any) -> bool:
    """Does the daemon let the harness run it?"""
    done = asked(house, folder, harness, (tool, given))
    assert done.returncode == 0, done.stderr
    if done.stdout in (b"", b"{}"):
        return True
    assert b"only reading is allowed" in done.stdout
    return False


def test_a_repository_below_a_sandboxed_project_is_in_it_too(standing: Daemon, project: Path):
    """C-50, R-32: a nested repository is another project with another agent, and the same files."""
    sandbox(standing.home, project)
    nested = git_project(project / "vendor")
    assert not let(standing, nested, "claude-code", "Write", file_path="x", content="y")
    assert not let(standing, nested, "codex", "Bash", command="touch x")
    assert let(standing, nested, "claude-code", "Read", file_path="x")
    assert let(standing, nested, "codex", "Bash", command="ls", workdir=str(nested))
    assert not let(standing, nested, "codex", "Bash", command="ls", workdir="/")
    assert not let(standing, project, "gemini", "run_shell_command", command="ls", dir_path="..")


def test_from_elsewhere_nothing_is_written_into_a_sandboxed_project(
    standing: Daemon, project: Path, tmp_path: Path
):
    """C-50, R-32: from a folder above it, no shell and no tool that names a place in it."""
    sandbox(standing.home, project)
    inside, beside = str(project / "x"), str(tmp_path / "x")
    (tmp_path / "link").symlink_to(project)
    for folder in (tmp_path, git_project(tmp_path / "other")):
        assert not let(standing, folder, "claude-code", "Write", file_path=inside, content="y")
        assert not let(standing, folder, "claude-code", "Edit", edits=[{"file_path": inside}])
        assert let(standing, folder, "claude-code", "Write", file_path=beside, content="y")
        assert let(standing, folder, "claude-code", "Read", file_path=inside)
        assert not let(standing, folder, "codex", "Bash", command="touch x", workdir=str(project))
    for relative in ("project/x", "./other/../project/x", "link/x"):
        assert not let(standing, tmp_path, "claude-code", "Write", file_path=relative, content="y")
    assert not let(standing, tmp_path, "claude-code", "mcp__fs__put", uri=f"file://{inside}")
    many = ["x"] * 5_000
    assert let(standing, tmp_path, "claude-code", "mcp__fs__put", names=["x"])
    assert not let(standing, tmp_path, "claude-code", "mcp__fs__put", names=many, last=inside)
    patch = "*** Begin Patch\n*** Add File: project/x\n+y\n*** End Patch"
    assert not let(standing, tmp_path, "codex", "apply_patch", command=patch)
    assert not let(standing, tmp_path, "codex", "Bash", command="touch other/x"), (
        "it could reach it"
    )
    assert let(standing, tmp_path, "codex", "Bash", command="ls project")
    assert let(standing, tmp_path / "other", "codex", "Bash", command="touch x")


# ---- our own doors


def test_over_mcp_a_sandboxed_agent_reads_and_says_where_it_stands_and_no_more(
    standing: Daemon, project: Path
):
    """C-50, R-32."""
    sandbox(standing.home, project)

    async def work() -> dict[str, tuple[bool, str]]:
        found: dict[str, tuple[bool, str]] = {}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("memory_search", {"query": "lexer"}),
            ("task_status", {}),
            ("memory_store", {"text": "The user wants tabs.", "kind": "preference"}),
            ("note", {"action": "add", "text": "x"}),
            ("task_gate", {"gate": "G0", "evidence": {}}),
            ("task_checkpoint", {"type": "agent", "summary": "Only read so far."}),
            ("task_end", {"outcome": "partial", "summary": "Only read."}),
            ("memory_store", {"text": "The user wants tabs.", "kind": "preference"}),
            ("task_start", {}),
        ]
        async with by_command(standing, project) as client:
            for number, (tool, given) in enumerate(calls):
                done = await client.call_tool(tool, given)
                found[f"{number} {tool}"] = bool(done.is_error), done.content[0].text
        return found

    done = settled(work)
    refused = {name for name, (error, _) in done.items() if error}
    held = {"7 memory_store", "8 task_start"}
    assert refused == {"2 memory_store", "3 note", "4 task_gate", *held}, done
    assert "task allow" in done["2 memory_store"][1]
    assert "A person has to look" in done["7 memory_store"][1]


def test_over_http_writing_for_a_sandboxed_agent_is_403(standing: Daemon, project: Path):
    """C-50, R-32: SandboxActive; what ends the session is answered, and frees nobody."""
    sandbox(standing.home, project)
    name = wiring.project_agent(project)
    note = {"text": "x", "category": "note"}
    assert standing.post(f"/api/agents/{name}/notes", note)[0] == 403
    assert standing.get(f"/api/agents/{name}/notes")[0] == 200
    ending = {"project": str(project), "outcome": "partial", "summary": "Only read."}
    assert standing.post(f"/api/agents/{name}/tasks/parser-rewrite/end", ending)[0] == 200
    assert standing.post(f"/api/agents/{name}/notes", note)[0] == 403
    assert not let(standing, project, "claude-code", "Write", file_path="x", content="y")
    allow = ("task", "allow", "--note", "I read it.")
    refused = by_hand(standing, project, *allow)
    assert refused.returncode == 2 and "only a person decides this" in refused.stderr
    assert standing.post(f"/api/agents/{name}/notes", note)[0] == 403
    assert by_hand(standing, project, *allow, "--yes").returncode == 0
    assert standing.post(f"/api/agents/{name}/notes", note)[0] == 200
    assert let(standing, project, "claude-code", "Write", file_path="x", content="y")


def by_hand(
    house: Daemon, project: Path, *words: str, given: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *words],
        cwd=project,
        env=house.env,
        stdin=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_person_at_a_terminal_ends_the_sandbox(house: Daemon, project: Path):
    """C-50: nobody else does."""
    sandbox(house.home, project)
    words: list[str | Path] = ["task", "allow", "--note", "I read it."]
    terminal = Terminal(words, house.env, project, 200)
    terminal.until(lambda shown: "may be started again" in shown)
    assert terminal.end()[0] == 0


@pytest.mark.parametrize("other", ["another", "nowhere"])
def test_a_sandboxed_agent_writes_nothing_by_naming_another_project(
    standing: Daemon, project: Path, tmp_path: Path, other: str
):
    """C-50: only what goes into that project alone is written; what reaches further is not."""
    sandbox(standing.home, project)
    name = wiring.project_agent(project)
    git_project(tmp_path / "another")
    there = str(tmp_path / other)
    wide = {"text": "The user wants tabs.", "project": there}
    for scope in ("user", "agent"):
        answer = standing.post(f"/api/agents/{name}/memories", {**wide, "scope": scope})
        assert answer[0] == 403, answer
    below = {**wide, "scope": "project", "project": str(project / "src")}
    assert standing.post(f"/api/agents/{name}/memories", below)[0] == 403
    narrow = {**wide, "scope": "project"}
    assert standing.post(f"/api/agents/{name}/memories", narrow)[0] == 200
    task = {"project": there, "slug": "one", "goal": "x"}
    made = standing.post(f"/api/agents/{name}/tasks", task)[0]
    assert made == (200 if other == "another" else 409), made
    assert not (tmp_path / "nowhere").exists()


# ---- registered only while a task is open


def everthread_in(project: Path, environ: Mapping[str, str], *words: str) -> str:
    done = subprocess.run(
        [str(COMMAND), *words],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def machine(tmp_path: Path, project: Path) -> Iterator[dict[str, str]]:
    """A person's home with all harnesses in it, Everthread installed in three of them."""
    user = tmp_path / "ada"
    for name in (".claude", ".codex", ".gemini", ".config/opencode"):
        (user / name).mkdir(parents=True)
    (user / ".codex" / "hooks.json").write_text('{"hooks": {"Stop": []}}\n')
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(user),
        "EVERTHREAD_HOME": str(tmp_path / "home"),
    }
    everthread_in(project, environ, "install", "claude-code", "codex", "gemini", "--yes")
    yield environ


def files(folder: Path) -> dict[str, bytes]:
    found = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def test_harnesses_ask_about_tools_only_while_a_task_is_open(
    machine: dict[str, str], project: Path
):
    """R-32: registered by `task start`, gone to the byte with `task end`; what is not installed is left."""
    user, home = Path(machine["HOME"]), Path(machine["EVERTHREAD_HOME"])
    before = files(user), files(home / "plugins")
    everthread_in(project, machine, "task", "new", "one", "--goal", "x")
    assert (files(user), files(home / "plugins")) == before
    everthread_in(project, machine, "task", "start", "one")
    hooks = home / "plugins" / "claude-code" / "plugins" / "everthread" / "hooks" / "hooks.json"
    assert "PreToolUse" in json.loads(hooks.read_text())["hooks"]
    assert "PreToolUse" in json.loads((user / ".codex" / "hooks.json").read_text())["hooks"]
    assert "BeforeTool" in json.loads((user / ".gemini" / "settings.json").read_text())["hooks"]
    assert not list((user / ".config" / "opencode").iterdir())
    everthread_in(project, machine, "install", "codex", "--yes")
    assert "PreToolUse" in json.loads((user / ".codex" / "hooks.json").read_text())["hooks"]
    everthread_in(project, machine, "task", "end", "--outcome", "partial", "--summary", "x")
    assert (files(user), files(home / "plugins")) == before


def test_uninstalling_while_a_task_is_open_leaves_no_gate(
    machine: dict[str, str], project: Path, tmp_path: Path
):
    user = Path(machine["HOME"])
    everthread_in(project, machine, "task", "new", "one", "--goal", "x")
    everthread_in(project, machine, "task", "start", "one")
    everthread_in(project, machine, "uninstall", "--yes")
    assert files(user) == {".codex/hooks.json": b'{"hooks": {"Stop": []}}\n'}
    everthread_in(project, machine, "task", "end", "--outcome", "partial", "--summary", "x")
    assert files(user) == {".codex/hooks.json": b'{"hooks": {"Stop": []}}\n'}


def test_a_task_that_another_door_began_is_settled_by_the_daemon(daemon: Daemon, project: Path):
    """R-32: by MCP, by HTTP, by the sweep: the daemon sees it on its round."""
    gate = daemon.home / "run" / "gate"
    with everthread.connect(
        background=False, settings=Settings.load(home=daemon.home, environ={})
    ) as et:
        task = et.agent("ada").new_task("one", goal="x", project=str(project))
        task.start()
        wait_for(gate.exists, "the gate is not registered")
        task.end("partial", summary="x")
        wait_for(lambda: not gate.exists(), "the gate stays")


# ---- the real clients


def played(there: ClaudeCode | Codex | Gemini | OpenCode | OpenClaw, name: str) -> Path:
    """The client in a project that is in a sandbox, with Everthread installed in it."""
    install(there, name)
    sandbox(there.place.everthread_home, there.place.project)
    ours(there, "task", "status")  # whichever command comes next registers the gate
    return there.place.project / "made.txt"


@pytest.mark.xdist_group("clients")
def test_claude_code_writes_nothing_in_a_sandbox_and_reads_on():
    """C-50, R-32: the real client; its Write and its shell are denied, its Read is not."""
    with bare(ClaudeCode, "claude-code") as claude:
        made = played(claude, "claude-code")
        readme = str(claude.place.project / "README.md")
        claude.place.model.script(
            Reply(calls=[ToolCall("Write", {"file_path": str(made), "content": "x"})]),
            Reply(calls=[ToolCall("Bash", {"command": f"touch '{made}'"})]),
            Reply(calls=[ToolCall("Read", {"file_path": readme})]),
            "Done.",
        )
        claude.say("Write it.")
        assert not made.exists()
        text = claude.place.model.turns[-1].text
        assert text.count("only reading is allowed") == 2
        assert "# project" in text


@pytest.mark.xdist_group("clients")
def test_codex_runs_only_commands_that_read_in_a_sandbox():
    """C-50, R-32: the real client, once its hooks are trusted."""
    with bare(Codex, "codex") as codex:
        made = played(codex, "codex")
        codex.place.model.script(
            Reply(calls=[ToolCall("exec_command", {"cmd": f"touch '{made}'"})]),
            Reply(calls=[ToolCall("exec_command", {"cmd": "cat README.md"})]),
            "Done.",
        )
        codex.say("Write it.")
        assert not made.exists()
        text = codex.place.model.turns[-1].text
        assert "only reading is allowed" in text
        assert "# project" in text


@pytest.mark.xdist_group("clients")
def test_gemini_writes_nothing_in_a_sandbox_and_reads_on():
    """C-50, R-32: the real client."""
    with bare(Gemini, "gemini") as gemini:
        made = played(gemini, "gemini")
        readme = str(gemini.place.project / "README.md")
        gemini.place.model.script(
            Reply(calls=[ToolCall("write_file", {"file_path": str(made), "content": "x"})]),
            Reply(calls=[ToolCall("read_file", {"file_path": readme})]),
            "Done.",
        )
        gemini.say("Write it.")
        assert not made.exists()
        text = gemini.place.model.turns[-1].text
        assert "only reading is allowed" in text
        assert "# project" in text


@pytest.mark.xdist_group("clients")
def test_opencode_writes_nothing_in_a_sandbox_and_reads_on():
    """C-50, R-32: the real client, by its plugin; with the daemon down as well."""
    with bare(OpenCode, "opencode") as opencode:
        made = played(opencode, "opencode")
        readme = str(opencode.place.project / "README.md")
        opencode.place.model.script(
            Reply(calls=[ToolCall("write", {"filePath": str(made), "content": "x"})]),
            Reply(calls=[ToolCall("read", {"filePath": readme})]),
            "Done.",
        )
        opencode.say("Write it.")
        assert not made.exists()
        text = opencode.place.model.turns[-1].text
        assert "only reading is allowed" in text
        assert "# project" in text


@pytest.mark.openclaw
@pytest.mark.xdist_group("clients")
def test_openclaw_writes_nothing_in_a_sandbox_and_reads_on():
    """C-50, R-32: the real client, by its plugin."""
    with bare(OpenClaw, "openclaw") as openclaw:
        made = played(openclaw, "openclaw")
        readme = str(openclaw.place.project / "README.md")
        openclaw.place.model.script(
            Reply(calls=[ToolCall("write", {"path": str(made), "content": "x"})]),
            Reply(calls=[ToolCall("read", {"path": readme})]),
            "Done.",
        )
        openclaw.say_alone("Write it.", "s-1")
        assert not made.exists()
        text = openclaw.place.model.turns[-1].text
        assert "only reading is allowed" in text
        assert "# project" in text
