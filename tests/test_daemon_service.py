"""The daemon as a service: what systemd and launchd are given, and that it goes again."""

from __future__ import annotations

import os
import plistlib
import subprocess
from pathlib import Path

import pytest

from everthread.edges.daemon import service
from everthread.settings import Settings, home_folder
from support.commands import COMMAND

ODD = '/opt/a "b" $c 100% \\d/bin/python'


def made(tmp_path: Path, platform: str, interpreter: str = "/usr/bin/python3") -> service.Service:
    environ = {"HOME": str(tmp_path)}
    settings = Settings(home=home_folder(environ))
    return service.service_for(settings, interpreter, platform=platform, environ=environ)


def test_the_unit_runs_the_daemon_of_this_home_folder(tmp_path: Path) -> None:
    found = made(tmp_path, "linux")
    assert found.path == tmp_path / ".config/systemd/user/everthread.service"
    home = home_folder({})
    assert (
        f'ExecStart="/usr/bin/python3" "-P" "-E" "-m" "everthread.edges.daemon" "{home}"'
        in found.text
    )
    # `everthread down` ends with 0, and stays down.
    assert "Restart=on-failure" in found.text


def test_what_systemd_would_expand_is_escaped(tmp_path: Path) -> None:
    text = made(tmp_path, "linux", ODD).text
    assert '"/opt/a \\"b\\" $$c 100%% \\\\d/bin/python"' in text


def test_the_launchd_agent_is_a_property_list(tmp_path: Path) -> None:
    found = made(tmp_path, "darwin", "/opt/<a>&b/python")
    told = plistlib.loads(found.text.encode())
    assert told["ProgramArguments"][0] == "/opt/<a>&b/python"
    assert told["KeepAlive"] == {"SuccessfulExit": False}
    assert found.path == tmp_path / "Library/LaunchAgents/dev.everthread.plist"


def test_another_home_folder_has_a_service_of_its_own(tmp_path: Path) -> None:
    one, two = (
        service.service_for(Settings(home=tmp_path / name), "/p", environ={"HOME": str(tmp_path)})
        for name in ("one", "two")
    )
    assert one.path != two.path
    assert one.path.name.startswith("everthread-")


@pytest.mark.parametrize("answer", ["true", "false"])
def test_it_is_written_once_started_and_removed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "systemctl").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/told\n{answer}\n')
    (tools / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    found = made(tmp_path, "linux")
    first, second = service.install(found), service.install(found)
    assert first[0] == f"wrote {found.path}" and len(second) == len(first) - 1
    outcome = "ran" if answer == "true" else "failed:"
    assert first[-1].startswith(f"{outcome} systemctl --user enable --now everthread.service")
    assert f"removed {found.path}" in service.remove(found)
    assert not found.path.exists()
    assert service.remove(found) == []
    told = (tmp_path / "told").read_text().splitlines()
    assert told[:2] == ["--user daemon-reload", "--user enable --now everthread.service"]
    assert told[-2:] == ["--user disable --now everthread.service", "--user daemon-reload"]


def test_without_a_service_manager_the_file_is_written_and_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = service.install(made(tmp_path, "linux"))
    assert [line.split(" ")[0] for line in done] == ["wrote", "not", "not"]


# ---- shell completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell: str) -> None:
    done = subprocess.run(
        [COMMAND, "completion", shell], capture_output=True, text=True, check=True
    )
    assert "_EVERTHREAD_COMPLETE" in done.stdout and f"{shell}_complete" in done.stdout


def test_a_shell_is_told_the_commands_that_begin_so() -> None:
    asked = {
        "_EVERTHREAD_COMPLETE": "bash_complete",
        "COMP_WORDS": "everthread st",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [COMMAND], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["plain,status"]
