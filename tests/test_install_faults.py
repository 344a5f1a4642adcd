"""Installing where things are wrong: told, left alone, put back; never half done."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from everthread.domain.errors import InstallRefused
from everthread.edges.install import changes
from everthread.edges.install import machine as here
from everthread.edges.install.install_log import load, log_path
from everthread.edges.install.installation import install, plan, removal, uninstall
from everthread.edges.install.machine import installer
from support.born import ran
from support.commands import Cli
from support.installing import hook_of, machine
from test_install import SETTINGS, put, take, tree, wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"{", "line 1, column 2"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[]", "not an object"),
        (b'{"enabledPlugins": []}', "enabledPlugins is not an object"),
        (b'{"hooks": 1}', "hooks is not an object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is not an array"),
    ],
)
def test_settings_that_do_not_fit_are_told_and_left_alone(
    tmp_path: Path, text: bytes, why: str
) -> None:
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_bytes(text)
    around = machine(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(InstallRefused, match=why) as told:
        put("claude-code", around)
    assert str(path) in str(told.value) and "left alone" in str(told.value)
    assert tree(tmp_path) == before


LATIN = "Bitte alles prüfen\n".encode("latin-1")


def test_a_file_that_is_not_ours_to_change_may_be_in_any_encoding(tmp_path: Path) -> None:
    """Only who wants a section in it has to mend it; and what is in it already goes without a scratch."""
    path = tmp_path / ".codex" / "AGENTS.md"
    path.parent.mkdir()
    path.write_bytes(LATIN)
    around = machine(tmp_path)
    before = tree(tmp_path)
    put("codex", around)
    assert not wanted("codex", around)
    with pytest.raises(InstallRefused, match="not UTF-8"):
        put("codex", machine(tmp_path, instructions=True))
    take("codex", around)
    assert tree(tmp_path) == before
    path.unlink()
    put("codex", machine(tmp_path, instructions=True))
    path.write_bytes(LATIN + b"\n" + path.read_bytes())
    take("codex", around)
    assert path.read_bytes() == LATIN


@pytest.mark.parametrize("name", ["codex", "gemini", "claude-code"])
@pytest.mark.parametrize("home", ["Bob's disk", 'a "quoted" one', "two words"])
def test_our_hooks_are_found_again_in_a_home_of_any_name(
    tmp_path: Path, name: str, home: str
) -> None:
    """A shell's line gives a quote in pieces; in the words of it the path is whole again."""
    folder = tmp_path / home
    folder.mkdir()
    around = replace(machine(tmp_path, plain=True, hook=hook_of(folder)), home=folder)
    path = tmp_path / SETTINGS[name]
    put(name, around)
    path.write_text(path.read_text() + "\n")  # no longer what we wrote: our entries are looked for
    assert not wanted(name, around)
    put(name, replace(around, hook=hook_of(folder, "/opt/newer")))
    for groups in json.loads(path.read_text())["hooks"].values():
        assert len(groups) == 1 and "/opt/newer" in json.dumps(groups), "the old one is still there"
    path.write_text(path.read_text() + "\n")
    take(name, around)
    assert not path.exists()


def test_a_hook_of_the_form_before_is_known_as_ours(tmp_path: Path) -> None:
    around = machine(tmp_path)
    client = str(around.hooks / "client.py")
    assert around.ours(["/opt/python", "-I", "-S", client, "codex", "Stop"])
    assert around.ours([shlex.join(["/opt/python", "-I", "-S", client, "codex", "Stop"])])
    assert around.ours(around.hook("codex", "Stop"))
    assert not around.ours(["/opt/python", "/elsewhere/hooks/client.py", None, "it's"])


def test_a_broken_toml_is_told(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("a = [\n")
    with pytest.raises(InstallRefused, match=r"config.toml.*left alone"):
        put("codex", machine(tmp_path))


def test_read_only_settings_stay_as_they_are_and_nothing_else_is_done(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    around = machine(tmp_path)
    with pytest.raises(InstallRefused, match="read-only"):
        put("claude-code", around)
    assert path.read_text() == "{}"
    assert not (around.home / "plugins").exists()


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / SETTINGS["gemini"]).mkdir(parents=True)
    with pytest.raises(InstallRefused, match="cannot be read"):
        put("gemini", machine(tmp_path))


def test_what_somebody_writes_between_plan_and_change_is_not_overwritten(tmp_path: Path) -> None:
    around = machine(tmp_path)
    path = tmp_path / SETTINGS["gemini"]
    planned = plan(installer("gemini"), around)
    path.parent.mkdir()
    path.write_text('{"theirs": 1}')
    with pytest.raises(InstallRefused, match="run it again"):
        install(planned, around)
    assert path.read_text() == '{"theirs": 1}'
    put("gemini", around)
    take("gemini", around)
    assert path.read_text() == '{"theirs": 1}'


def test_a_disk_that_is_full_halfway_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = machine(tmp_path)
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text("{}")
    before = tree(tmp_path)
    whole = changes.os.fsync
    calls: list[int] = []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 12:  # some files were written by then
            raise OSError(28, "No space left on device")
        whole(handle)

    monkeypatch.setattr(changes.os, "fsync", full)
    with pytest.raises(InstallRefused, match="No space left"):
        put("claude-code", around)
    monkeypatch.undo()
    assert tree(tmp_path) == before
    put("claude-code", around)
    take("claude-code", around)
    assert tree(tmp_path) == before


def test_what_cannot_be_put_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("was")
    wanted = [
        changes.Change(one, b"was", b"is", "the first"),
        changes.Change(two, None, b"is", "the second"),
    ]
    whole = changes.os.fsync
    calls: list[int] = []

    def full(handle: int) -> None:
        calls.append(handle)
        if (
            len(calls) > 2
        ):  # the first file and its folder; then for good, so nothing can be put back
            raise OSError(28, "No space left on device")
        whole(handle)

    monkeypatch.setattr(changes.os, "fsync", full)
    with pytest.raises(InstallRefused) as refused:
        changes.apply(wanted)
    assert str(refused.value) == (
        f"{two}: No space left on device; these could not be put back: {one}. "
        "Run `everthread uninstall` once that is mended"
    )
    assert one.read_text() == "is" and not two.exists()


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from everthread.edges.install import changes
from support.installing import machine
from test_install import put
count = 0
whole = changes._write
def write(path, data):
    global count
    count += 1
    if count == {at}:
        os.kill(os.getpid(), 9)
    whole(path, data)
changes._write = write
put("claude-code", machine(Path({root!r})))
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 6, 11])
def test_an_installation_that_is_killed_can_be_taken_back_or_finished(
    tmp_path: Path, at: int
) -> None:
    around = machine(tmp_path)
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text('{"mine": 1}')
    before = tree(tmp_path)
    tests = str(Path(__file__).parent)
    for finish in (False, True):
        code = KILLED.format(tests=tests, root=str(tmp_path), at=at)
        assert ran(code).returncode == -signal.SIGKILL
        for stray in tmp_path.rglob(".*.json.*"):
            stray.unlink()
        if finish:
            put("claude-code", around)
            assert not wanted("claude-code", around)
        take("claude-code", around)
        assert tree(tmp_path) == before


def test_settings_behind_a_link_stay_behind_the_link(tmp_path: Path) -> None:
    """Dotfiles are often links into a repository."""
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text('{"mine": 1}')
    real.chmod(0o600)
    link = tmp_path / SETTINGS["claude-code"]
    link.parent.mkdir()
    link.symlink_to(real)
    around = machine(tmp_path)
    put("claude-code", around)
    assert link.is_symlink() and "enabledPlugins" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600
    take("claude-code", around)
    assert link.is_symlink() and real.read_text() == '{"mine": 1}'


def test_without_its_book_an_installation_is_still_found_and_taken_out(tmp_path: Path) -> None:
    around = machine(tmp_path)
    path = tmp_path / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text('{"mine": 1}')
    put("claude-code", around)
    shutil.rmtree(around.home / "install")
    assert [each.name for each in here.installers_in_use(around)] == ["claude-code"]
    take("claude-code", around)
    left = json.loads(path.read_text())
    assert left == {"mine": 1, "extraKnownMarketplaces": {}, "enabledPlugins": {}}
    assert not [p for p in around.home.rglob("*") if p.is_file()]


def test_a_damaged_book_is_told_and_nothing_is_guessed(tmp_path: Path) -> None:
    around = machine(tmp_path)
    put("gemini", around)
    log_path(around.home, "gemini").write_text("{")
    with pytest.raises(InstallRefused, match="set it aside"):
        load(around.home, "gemini")
    with pytest.raises(InstallRefused, match="uninstall gemini"):
        removal(installer("gemini"), around)


def test_a_file_of_ours_that_somebody_changed_is_left_and_told(tmp_path: Path) -> None:
    around = machine(tmp_path)
    put("opencode", around)
    path = tmp_path / ".config" / "opencode" / "plugin" / "everthread.js"
    path.write_text("// better\n")
    planned = removal(installer("opencode"), around)
    assert planned.told == [f"{path} was changed by somebody since; it was left alone"]
    uninstall(planned, around)
    assert path.read_text() == "// better\n"
    assert not (path.parents[1] / "opencode.json").exists()


def test_the_book_may_be_read_by_its_owner_only(tmp_path: Path) -> None:
    """It holds the settings as they were, and those may hold keys."""
    around = machine(tmp_path)
    put("gemini", around)
    assert log_path(around.home, "gemini").stat().st_mode & 0o077 == 0


def test_from_a_throw_away_environment_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = tmp_path / ".cache" / "uv" / "archive-v0" / "x"
    code = environment / "lib" / "everthread" / "machine.py"
    monkeypatch.setattr(sys, "executable", str(environment / "bin" / "python"))
    here.must_last()  # a checkout: whoever works on it knows what they do
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setattr(here, "__file__", str(code))
    with pytest.raises(InstallRefused, match=r"uv tool install \."):
        here.must_last()


@pytest.mark.slow
def test_one_broken_harness_does_not_keep_the_others_out(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text("{oops")
    code, _, err = cli("install", "--yes", env={"PATH": "/nowhere"})
    assert code == 6
    assert "Claude Code" in err and "left alone" in err
    assert (tmp_path / ".claude" / "settings.json").read_text() == "{oops"
    assert "everthread" in (tmp_path / ".gemini" / "settings.json").read_text()


@pytest.mark.slow
def test_a_purge_follows_a_home_that_is_a_link(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    real.mkdir()
    env = {"EVERTHREAD_HOME": str(link)}
    assert cli("token", "create", "one", env=env)[0] == 0
    code, out, err = cli("uninstall", "--purge", "--yes", env=env)
    assert code == 0 and f"removed {link}" in out, err
    assert not real.exists() and not link.is_symlink()


@pytest.mark.slow
def test_a_purge_refuses_a_link_to_a_folder_that_is_not_ours_alone(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "run").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    code, _, err = cli("uninstall", "--purge", "--yes", env={"EVERTHREAD_HOME": str(link)})
    assert code == 6 and "not a folder of Everthread's alone" in err
    assert (tmp_path / "run").is_dir()


@pytest.mark.slow
def test_a_purge_refuses_a_folder_that_is_not_ours_alone(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    precious = tmp_path / "precious.txt"
    precious.write_text("x")
    code, _, err = cli("uninstall", "--purge", "--yes", env={"EVERTHREAD_HOME": str(tmp_path)})
    assert code == 6 and "not a folder of Everthread's alone" in err
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("x")
    code, _, err = cli("uninstall", "--purge", "--yes", env={"EVERTHREAD_HOME": str(other)})
    assert code == 6 and "does not look like" in err
    assert precious.exists() and (other / "thesis.txt").exists()
