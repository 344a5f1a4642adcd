"""Who types a command by hand is told what is wrong with it, and loses nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import InstallRefused
from everthread.edges.hooks.command import Interpreter
from everthread.edges.install import machine
from support.commands import COMMAND, Here, Terminal
from support.daemon import Daemon


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def ada(cli: Here) -> None:
    with everthread.connect(cli.home / "data" / "everthread.db") as et:
        et.agent("ada")


# ---- hooks


@pytest.fixture(scope="module")
def house() -> Iterator[Daemon]:
    """One daemon for all of them: without one, each would start its own and leave it to itself."""
    with tempfile.TemporaryDirectory(prefix="et-") as folder:
        made = Daemon(Path(folder) / "home").up()
        yield made
        made.close()


def typed(house: Daemon, *words: str, body: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "hook", *words], env=house.env, input=body, capture_output=True, check=False
    )


@pytest.mark.xdist_group("typed-hooks")
@pytest.mark.parametrize(
    ("event", "body", "hint"),
    [
        ("Foo", b'{"session_id": "s"}', b"Claude Code has no event 'Foo'"),
        ("SessionEnd", b"{nonsense", b"the event is no JSON"),
        ("SessionEnd", b"[1]", b"no JSON object but list"),
        ("SessionEnd", b"", b"nothing is on stdin"),
        ("SessionEnd", b'{"session_id": "s"}', b""),
    ],
)
def test_a_hook_by_hand_says_what_is_wrong_and_ends_well(
    house: Daemon, event: str, body: bytes, hint: bytes
):
    done = typed(house, event, body=body)
    assert done.returncode == 0 and done.stdout == b""
    assert hint in done.stderr and bool(done.stderr) == bool(hint)


@pytest.mark.xdist_group("typed-hooks")
def test_a_hook_at_a_terminal_says_what_it_waits_for(house: Daemon):
    terminal = Terminal(["hook", "SessionEnd"], house.env, house.home, width=100)
    assert "then Ctrl-D" in terminal.until(lambda shown: "Ctrl-D" in shown)
    terminal.press("{}\n\x04")
    assert terminal.end()[0] == 0


# ---- tokens


def test_a_token_for_an_agent_that_is_not_here_is_made_with_a_warning(cli: Here, ada: None):
    made = cli("token", "create", "one", "--for", "ada", "--for", "adda", "--json")
    assert made.code == 0 and made.json["agents"] == ["ada", "adda"]
    assert "no agent 'adda' is here yet" in made.err and "'ada'" not in made.err


def test_revoking_twice_says_when_it_was_revoked(cli: Here, ada: None):
    cli("token", "create", "one")
    assert "is revoked" in cli("token", "revoke", "one").out
    again = cli("token", "revoke", "one")
    assert again.code == 0 and "was revoked already, at 20" in again.out
    assert cli("token", "revoke", "one", "--json").json["revoked_before"] is True


# ---- the rest


def test_checkpoints_of_a_folder_that_is_not_there_are_not_taken_for_none_at_all(
    cli: Here, ada: None, tmp_path: Path
):
    assert "no checkpoints yet" in cli("checkpoints", "list").out
    assert "there is no folder" in cli("checkpoints", "list", "--project", "/nope").out
    told = cli("checkpoints", "list", "--project", tmp_path).out
    assert "no checkpoints of the project" in told and "without --project" in told


def test_an_install_that_would_not_last_names_a_way_that_works(monkeypatch: pytest.MonkeyPatch):
    fleeting = Interpreter(
        "/tmp/python", stable=False, why="/tmp/python lies in a temporary folder"
    )
    monkeypatch.setattr(machine, "stable_interpreter", lambda: fleeting)
    monkeypatch.setattr(sys, "prefix", str(Path(machine.__file__).anchor))
    with pytest.raises(InstallRefused, match=r"`pipx install \.`.*checkout"):
        machine.must_last()
