"""Installing: the harness is told, everything else stays, and it can be taken back."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everthread.domain.errors import InstallRefused
from everthread.edges.harnesses.event_desk import DIALECTS
from everthread.edges.harnesses.event_names import KNOWN
from everthread.edges.install import claude_code, codex, gemini, openclaw, opencode
from everthread.edges.install.installation import install, plan, removal, uninstall
from everthread.edges.install.machine import INSTALLERS, installer
from everthread.edges.install.parts import Entries, Machine
from everthread.edges.install.textedit import Text
from support.chance import few
from support.commands import Cli, Terminal
from support.installing import hook_of, machine, settings_texts

NAMES = [each.name for each in INSTALLERS]

# Where each harness keeps the settings that we change.
SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "openclaw": ".openclaw/openclaw.json",
    "openclaw-legacy": ".openclaw/openclaw.json",
}


def tree(root: Path) -> dict[str, bytes | None]:
    """Every file below a folder, and every folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


def put(name: str, around: Machine) -> None:
    install(plan(installer(name), around), around)


def take(name: str, around: Machine) -> list[str]:
    planned = removal(installer(name), around)
    uninstall(planned, around)
    return planned.told


def wanted(name: str, around: Machine) -> bool:
    return bool(plan(installer(name), around).changes)


# ---- what the harnesses know


@pytest.mark.req("LB-5")
def test_only_events_that_a_harness_knows_are_asked_for(tmp_path: Path) -> None:
    """LB-5: a name of our own invention made a harness refuse to start."""
    around = machine(tmp_path)
    assert set(claude_code.groups(around)) <= KNOWN["claude-code"]
    assert set(codex.groups(around)) <= KNOWN["codex"]
    assert set(gemini.groups(around)) <= KNOWN["gemini"]
    assert set(opencode.HOOKS) <= KNOWN["opencode"]
    assert set(openclaw.EVENTS) <= KNOWN["openclaw"]
    assert set(openclaw.LEGACY_EVENTS) <= KNOWN["openclaw-legacy"]


def test_the_dialects_understand_every_event_that_is_asked_for(tmp_path: Path) -> None:
    around = machine(tmp_path)
    asked = {
        "claude-code": claude_code.groups(around),
        "codex": codex.groups(around),
        "gemini": gemini.groups(around),
        "opencode": opencode.EVENTS,
        "openclaw": (*openclaw.EVENTS, *openclaw.LEGACY_EVENTS),
    }
    assert set(asked) == set(DIALECTS)
    for name, events in asked.items():
        assert [event for event in events if not DIALECTS[name].knows(event)] == []
        assert set(DIALECTS[name].events) <= set(events)


def test_each_hook_is_given_the_time_that_its_harness_counts_in(tmp_path: Path) -> None:
    around = machine(tmp_path)
    seconds = {e: g["hooks"][0]["timeout"] for e, g in claude_code.groups(around).items()}
    assert seconds["SessionStart"] == 5 and seconds["UserPromptSubmit"] == 2
    assert codex.groups(around)["SessionEnd"]["hooks"][0]["timeout"] == 3
    assert gemini.groups(around)["BeforeAgent"]["hooks"][0]["timeout"] == 2_000


# ---- there and back


@pytest.mark.parametrize("name", NAMES)
def test_an_installation_comes_and_goes_without_a_trace(tmp_path: Path, name: str) -> None:
    around = machine(tmp_path, instructions=True)
    before = tree(tmp_path)
    put(name, around)
    assert not wanted(name, around)
    assert take(name, around) == []
    assert tree(tmp_path) == before


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=settings_texts(), name=st.sampled_from(NAMES))
def test_any_settings_are_given_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, name: str, sample: tuple[str, dict[str, Any]]
) -> None:
    root = tmp_path_factory.mktemp("machine")
    around = machine(root, instructions=True)
    path = root / SETTINGS[name]
    path.parent.mkdir(parents=True)
    path.write_bytes(sample[0].encode())
    before = tree(root)
    put(name, around)
    once = tree(root)
    put(name, around)
    assert tree(root) == once
    take(name, around)
    assert tree(root) == before


@pytest.mark.slow
@settings(max_examples=few(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=settings_texts(), name=st.sampled_from(NAMES), value=st.integers())
def test_of_a_file_that_was_changed_since_exactly_our_entries_go(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    sample: tuple[str, dict[str, Any]],
    value: int,
) -> None:
    text, document = sample
    root = tmp_path_factory.getbasetemp()
    part = entries(name, machine(root))
    with_ours, made = part.add(text)
    assert part.add(with_ours)[0] == with_ours  # twice is once
    assert holds(Text(with_ours, loose=True).root.value(), document)
    meanwhile = Text(with_ours, loose=True)
    meanwhile.put(("written", "since"), value)
    left = part.remove(meanwhile.text, made)
    now = Text(left, loose=True).root.value()
    assert now == {**document, "written": {"since": value}}


def entries(name: str, around: Machine) -> Entries:
    """Our entries in the settings of a harness."""
    path = around.user / SETTINGS[name]
    part = next(part for part in installer(name).parts(around) if part.path == path)
    assert isinstance(part, Entries)
    return part


def holds(larger: Any, smaller: Any) -> bool:
    """Is all of the smaller in the larger, arrays in order from their beginning?"""
    if isinstance(smaller, dict):
        return all(name in larger and holds(larger[name], smaller[name]) for name in smaller)
    if isinstance(smaller, list):
        return all(holds(a, b) for a, b in zip(larger, smaller, strict=False))
    return larger == smaller


def test_a_hook_of_somebody_else_in_the_same_group_stays(tmp_path: Path) -> None:
    around = machine(tmp_path, plain=True)
    path = tmp_path / SETTINGS["claude-code"]
    put("claude-code", around)
    document = json.loads(path.read_text())
    foreign = {"type": "command", "command": "true"}
    document["hooks"]["Stop"][0]["hooks"].append(foreign)
    path.write_text(json.dumps(document))
    take("claude-code", around)
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [foreign]}]}}


@pytest.mark.req("LB-5")
def test_what_an_older_version_left_is_cleaned_up(tmp_path: Path) -> None:
    """LB-5: a stale key, an interpreter that is gone, and the same hook twice."""
    around = machine(tmp_path, plain=True)
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    old = hook_of(around.home, "/gone/python")("claude-code", "PreCompaction")
    stale = {"hooks": [{"type": "command", "command": shlex.join(old)}]}
    mine = {"hooks": [{"type": "command", "command": "mine"}]}
    path.write_text(json.dumps({"hooks": {"PreCompaction": [stale, mine], "Stop": [stale, stale]}}))
    put("claude-code", around)
    hooks = json.loads(path.read_text())["hooks"]
    assert hooks.pop("PreCompaction") == [mine]
    assert hooks == {event: [group] for event, group in claude_code.groups(around).items()}


def test_a_new_interpreter_replaces_the_old_one_and_the_way_back_stays(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["codex"]
    path.parent.mkdir()
    path.write_text('{"hooks": {}}')
    old = machine(tmp_path, hook=hook_of(tmp_path / "data", "/old/python"))
    put("codex", old)
    new = machine(tmp_path)
    assert wanted("codex", new)
    put("codex", new)
    assert "/old/python" not in path.read_text()
    take("codex", new)
    assert path.read_text() == '{"hooks": {}}'


# ---- Claude Code


def test_claude_code_gets_a_plugin_that_is_switched_on(tmp_path: Path) -> None:
    around = machine(tmp_path, environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "cc")})
    put("claude-code", around)
    folder = around.home / "plugins" / "claude-code"
    document = json.loads((tmp_path / "cc" / "settings.json").read_text())
    assert document == {
        "extraKnownMarketplaces": {
            "everthread": {"source": {"source": "directory", "path": str(folder)}}
        },
        "enabledPlugins": {"everthread@everthread": True},
    }
    plugin = folder / "plugins" / "everthread"
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    start = hooks["SessionStart"][0]
    assert "matcher" not in start  # all sources
    # Exec form: no shell between the harness and the interpreter.
    assert start["hooks"][0]["command"] == "/opt/python" and start["hooks"][0]["args"][:2] == [
        "-I",
        "-S",
    ]
    assert json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["everthread"]
    commands = {path.stem for path in (plugin / "commands").iterdir()}
    assert commands == {"recall", "remember", "checkpoint", "resume", "status"}
    assert "session_digest" in (plugin / "skills" / "everthread" / "SKILL.md").read_text()


def test_the_texts_for_the_model_name_tools_that_there_are() -> None:
    from everthread.edges.mcp.catalogue import TOOLS

    known = {str(tool["name"]) for tool in TOOLS}
    folder = Path(claude_code.__file__).parent / "assets"
    spoken = ("session_digest", "memory_search", "memory_store", "memory_forget", "note")
    spoken += ("thread_context", "checkpoint_list")
    assert set(spoken) <= known
    for page in (*folder.glob("*.md"), *(folder / "commands").glob("*.md")):
        words = page.read_text()
        assert len(words) < 3_000
        named = {w.strip("`") for w in words.split("`")[1::2] if "_" in w}
        assert {w for w in named if w.isidentifier()} <= known, page


def test_claude_code_can_change_between_plugin_and_plain_hooks(tmp_path: Path) -> None:
    plugin, plain = machine(tmp_path), machine(tmp_path, plain=True)
    before = tree(tmp_path)
    put("claude-code", plugin)
    put("claude-code", plain)
    document = json.loads((tmp_path / SETTINGS["claude-code"]).read_text())
    assert "enabledPlugins" not in document or document["enabledPlugins"] == {}
    assert set(document["hooks"]) == set(claude_code.groups(plain))
    servers = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]
    assert set(servers) == {"everthread"}
    assert not (plugin.home / "plugins").exists()
    put("claude-code", plugin)
    assert "hooks" not in json.loads((tmp_path / SETTINGS["claude-code"]).read_text())
    take("claude-code", plugin)
    assert tree(tmp_path) == before


def test_what_claude_code_wrote_about_the_plugin_goes_too(tmp_path: Path) -> None:
    around = machine(tmp_path)
    put("claude-code", around)
    folder = tmp_path / ".claude" / "plugins"
    folder.mkdir()
    known = {"everthread": {"source": 1}, "other": {"source": 2}}
    (folder / "known_marketplaces.json").write_text(json.dumps(known))
    listed = {"version": 2, "plugins": {"everthread@everthread": [1], "a@b": [2]}}
    (folder / "installed_plugins.json").write_text(json.dumps(listed))
    take("claude-code", around)
    assert json.loads((folder / "known_marketplaces.json").read_text()) == {"other": {"source": 2}}
    left = json.loads((folder / "installed_plugins.json").read_text())
    assert left == {"version": 2, "plugins": {"a@b": [2]}}


def test_settings_that_claude_code_ignores_are_told(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text('{"model": "opus"} // mine\n')
    told = plan(installer("claude-code"), machine(tmp_path)).told
    assert any("ignores all of it" in line for line in told)


# ---- the others


def test_codex_keeps_its_configuration_with_its_comments(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    text = '# mine\nmodel = "o5" # quick\n\n[mcp_servers.mini]\ncommand = "x" # y\n\n[tui]\na = [1,2]\n'
    path.write_text(text)
    around = machine(tmp_path)
    planned = plan(installer("codex"), around)
    assert any("trust" in line for line in planned.told)
    install(planned, around)
    now = path.read_text()
    assert tomllib.loads(now)["mcp_servers"]["everthread"]["command"] == "/opt/python"
    for line in text.splitlines():
        assert line in now
    path.write_text(now + "\n[late]\nb = 1 # kept\n")
    take("codex", around)
    assert tomllib.loads(path.read_text()) == {**tomllib.loads(text), "late": {"b": 1}}
    assert "# kept" in path.read_text() and "# quick" in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mcp_servers = {}\n",
        'mcp_servers = { mini = { command = "x" } }\n',
        "[mcp_servers]\n",
        'mcp_servers.mini.command = "x"\n',
        '[mcp_servers.everthread]\ncommand = "old"\n',
        "a = 1\r\n[b]\r\nc = 2\r\n",
    ],
)
def test_codex_takes_the_server_in_any_way_of_writing(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    around = machine(tmp_path)
    put("codex", around)
    assert not wanted("codex", around)
    read = tomllib.loads(path.read_text())
    assert read["mcp_servers"]["everthread"]["args"][0] == "-I"
    before = tomllib.loads(text)
    before.setdefault("mcp_servers", {})["everthread"] = read["mcp_servers"]["everthread"]
    assert read == before
    take("codex", around)
    assert path.read_bytes() == text.encode()


def test_gemini_and_codex_get_commands_for_a_shell(tmp_path: Path) -> None:
    around = machine(tmp_path / "with blank")
    for name, module in (("codex", codex), ("gemini", gemini)):
        for event, group in module.groups(around).items():
            assert shlex.split(group["hooks"][0]["command"]) == around.hook(name, event)


def test_opencode_with_comments_in_its_configuration_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "model": "a/b", // why\n}\n')
    around = machine(tmp_path)
    put("opencode", around)
    assert not (path.parent / "opencode.json").exists()
    assert "// mine" in path.read_text() and "// why" in path.read_text()
    assert Text(path.read_text()).get(("mcp", "everthread", "type")) == "local"


def test_openclaw_joins_a_list_of_allowed_plugins_and_never_makes_one(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["openclaw"]
    path.parent.mkdir()
    path.write_text("{plugins: {allow: ['mine']}}")
    around = machine(tmp_path)
    put("openclaw", around)
    held = Text(path.read_text(), loose=True)
    assert held.get(("plugins", "allow")) == ["mine", "everthread"]
    entry = held.get(("plugins", "entries", "everthread"))
    assert entry == {
        "enabled": True,
        "hooks": {"allowConversationAccess": True, "allowPromptInjection": True},
    }
    take("openclaw", around)
    assert path.read_text() == "{plugins: {allow: ['mine']}}"
    path.write_text("{}")
    put("openclaw", around)
    assert not Text(path.read_text(), loose=True).has(("plugins", "allow"))


def test_the_two_forms_for_openclaw_are_never_there_at_once(tmp_path: Path) -> None:
    around = machine(tmp_path)
    put("openclaw", around)
    with pytest.raises(InstallRefused, match="uninstall openclaw` first"):
        plan(installer("openclaw-legacy"), around)
    take("openclaw", around)
    put("openclaw-legacy", around)
    hook = tmp_path / ".openclaw" / "hooks" / "everthread"
    assert json.dumps(list(openclaw.LEGACY_EVENTS)) in (hook / "HOOK.md").read_text()


def test_a_switch_that_others_use_by_now_stays_on(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["openclaw-legacy"]
    around = machine(tmp_path)
    put("openclaw-legacy", around)
    document = json.loads(path.read_text())
    document["hooks"]["internal"]["entries"]["mine"] = {"enabled": True}
    path.write_text(json.dumps(document))
    take("openclaw-legacy", around)
    mine = {"internal": {"enabled": True, "entries": {"mine": {"enabled": True}}}}
    assert json.loads(path.read_text()) == {"hooks": mine}


# ---- instruction files


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("codex", ".codex/AGENTS.md"),
        ("gemini", ".gemini/GEMINI.md"),
        ("opencode", ".config/opencode/AGENTS.md"),
    ],
)
@pytest.mark.parametrize(
    "text", ["# Mine\n\nAlways be kind.\n", "no newline at the end", "a\r\nb\r\n"]
)
def test_a_section_is_written_on_request_only_and_goes_alone(
    tmp_path: Path, name: str, file: str, text: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    put(name, machine(tmp_path))
    assert path.read_bytes() == text.encode()
    around = machine(tmp_path, instructions=True)
    put(name, around)
    assert (
        path.read_text().startswith(text.replace("\r\n", "\n"))
        and "session_digest" in path.read_text()
    )
    assert not wanted(name, around)
    # Whoever asked for it once keeps it current without asking again.
    assert not wanted(name, machine(tmp_path))
    path.write_bytes(path.read_bytes() + b"later words\n")
    take(name, around)
    assert path.read_bytes() in (
        text.encode() + b"later words\n",
        text.encode() + b"\nlater words\n",
    )


# ---- through the door


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.mark.slow
def test_without_a_terminal_and_without_yes_nothing_is_changed(cli: Cli) -> None:
    (cli.home / ".codex").mkdir()
    before = tree(cli.home)
    code, out, err = cli("install", "codex")
    assert code == 2
    assert "+++ " in out and "mcp_servers.everthread" in out
    assert "nothing was changed" in err and "--yes" in err
    assert tree(cli.home) == before
    assert cli("install", "codex", "--dry-run").code == 0
    assert tree(cli.home) == before


@pytest.mark.slow
def test_files_of_ours_are_named_and_those_of_others_shown_line_by_line(cli: Cli) -> None:
    """Nobody reads four hundred lines of new files; the few lines that change are not to drown in them."""
    settings = cli.home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"model": "some"}\n')
    short = cli("install", "claude-code", "--dry-run").out
    long = cli("install", "claude-code", "--dry-run", "--verbose").out
    assert "settings.json" in short and "+++ " in short and len(short.splitlines()) < 60, short
    new = [line for line in short.splitlines() if line.startswith("  create ")]
    assert len(new) > 3 and all(re.search(r" \(\d+(\.\d)? k?B?(bytes)?\): ", line) for line in new)
    assert short.count("+++ ") == 1 < long.count("+++ ") == 1 + len(new)
    assert "--verbose" in short and len(long.splitlines()) > 200
    told = cli("install", "claude-code", "--dry-run", "--json").json["harnesses"][0]["changes"]
    assert all(change["diff"] for change in told), "a program is told everything"


@pytest.mark.slow
def test_the_command_installs_for_what_it_finds_and_takes_it_back(cli: Cli) -> None:
    for folder in (".claude", ".gemini"):
        (cli.home / folder).mkdir()
    settings = cli.home / ".claude" / "settings.json"
    settings.write_text('{"env": {"API_TOKEN": "ghp_Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"}}\n')
    code, out, err = cli("install", "--yes", env={"PATH": "/nowhere"})
    assert code == 0, err
    assert "Claude Code" in out and "Gemini CLI" in out and "Codex" not in out
    assert "ghp_Zk3v" not in out  # what is shown is redacted, what is written is not
    assert "ghp_Zk3v" in settings.read_text()
    client = cli.home / "data" / "hooks" / "client.py"
    assert client.is_file()
    assert cli("install", "--yes", env={"PATH": "/nowhere"}).out.count("nothing to do") == 2
    answer = cli("uninstall", "--yes", "--json")
    assert answer.code == 0
    assert [row["name"] for row in answer.json["harnesses"]] == ["claude-code", "gemini"]
    assert "enabledPlugins" not in settings.read_text()
    assert not client.exists() and not (cli.home / ".gemini" / "settings.json").exists()
    assert "everthread.db" not in tree(cli.home / "data")


@pytest.mark.slow
def test_a_person_is_asked_and_may_say_no(cli: Cli) -> None:
    before = tree(cli.home)
    for key, done in (("n", False), ("y", True)):
        asked = Terminal(["install", "opencode"], cli.env, cli.home, width=120)
        asked.until(lambda shown: "Make these changes for OpenCode?" in shown)
        asked.press(f"{key}\n")
        code, shown = asked.end()
        assert code == 0 and "\x1b[32m" in shown  # what comes is green
        assert (tree(cli.home) != before) is done


@pytest.mark.slow
def test_where_no_harness_is_found_one_has_to_be_named(cli: Cli) -> None:
    code, _, err = cli("install", "--yes", env={"PATH": "/nowhere"})
    assert code == 2 and "claude-code, codex, gemini" in err


@pytest.mark.slow
def test_a_purge_takes_the_data_after_a_clear_word(cli: Cli) -> None:
    cli("remember", "Prefers tabs", "--agent", "ada")
    cli("install", "gemini", "--yes")
    data = cli.home / "data"
    code, _, err = cli("uninstall", "gemini", "--purge", "--yes")
    assert code == 2 and "no harness" in err
    code, out, _ = cli("uninstall", "--purge")
    assert code == 2 and (data / "everthread.db").exists()
    assert f"{data} and all that was kept in it would be removed" in " ".join(out.split())
    assert "would be removed" in cli("uninstall", "--purge", "--json").json["told"][-1]
    asked = Terminal(["uninstall", "--purge"], cli.env, cli.home, width=120)
    asked.until(lambda shown: "Gemini CLI?" in shown)
    asked.press("y\n")
    asked.until(lambda shown: "Type the name" in shown)
    asked.press("nonsense\n")
    assert asked.end()[0] == 6 and (data / "everthread.db").exists()
    code, out, _ = cli("uninstall", "--purge", "--yes")
    assert code == 0 and "removed" in out
    assert not data.exists()


@pytest.mark.slow
def test_where_there_is_nothing_to_take_back_that_is_said(cli: Cli) -> None:
    told = cli("uninstall", "--yes")
    assert told.code == 0 and "nothing to take back" in told.out
    code, out, _ = cli("uninstall", "--purge")
    assert code == 2 and "would be removed" in out, "nobody said yes"


@pytest.mark.slow
def test_with_the_last_harness_the_daemon_stops(cli: Cli) -> None:
    """And only then: whoever has none, or another one still, may need it."""

    def runs() -> bool:
        return cli("status", "--json").json["daemon"]["running"]

    try:
        assert cli("up", "--detach").code == 0
        assert "daemon" not in cli("uninstall", "--yes").out and runs()
        for name in ("gemini", "codex"):
            cli("install", name, "--yes")
        assert "daemon has" not in cli("uninstall", "codex", "--yes").out and runs()
        assert "daemon has" not in cli("uninstall", "gemini", "--dry-run").out and runs()
        told = cli("uninstall", "gemini", "--yes", "--json").json["told"]
        assert told == ["the daemon has stopped: no harness needs it any more"] and not runs()
        cli("install", "codex", "--yes")
        assert "daemon has" not in cli("uninstall", "--yes").out, "there was none to stop"
    finally:
        cli("down")


@pytest.mark.slow
def test_the_service_is_shown_written_and_removed_like_the_rest(cli: Cli) -> None:
    env = {"PATH": "/nowhere", "XDG_CONFIG_HOME": str(cli.home / "config")}
    before = tree(cli.home)
    code, out, _ = cli("install", "gemini", "--service", "--verbose", env=env)
    assert code == 2 and "ExecStart=" in out and tree(cli.home) == before
    code, out, _ = cli("install", "gemini", "--service", "--yes", env=env)
    assert code == 0 and "not run, there is no systemctl here" in out
    (unit,) = (cli.home / "config" / "systemd" / "user").iterdir()
    assert "everthread.edges.daemon" in unit.read_text()
    assert "nothing to do" in cli("install", "--service", "--yes", env=env).out
    assert cli("uninstall", "gemini", "--yes", env=env).code == 0
    assert unit.exists()  # one harness less; the daemon serves the others
    assert cli("uninstall", "--yes", env=env).code == 0
    assert not unit.exists()


def test_the_command_knows_every_installer() -> None:
    from everthread.edges.cli.install import HARNESSES

    assert list(HARNESSES) == NAMES
