"""`everthread config`: read, change and explain the settings."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import everthread
from everthread.settings import Settings, facts, names
from support.commands import Answer, Cli, Here


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def file(cli: Cli) -> Path:
    return cli.home / "data" / "config.toml"


def explained(cli: Cli, name: str, **env: str) -> dict[str, object]:
    (found,) = cli("config", "explain", name, "--json", env=env).json["settings"]
    return found


def test_set_writes_a_private_file_that_the_library_reads(cli: Cli, file: Path):
    """LD-7, LA-17: what is set takes effect."""
    told = cli("config", "set", "inactivity_hours", "8")
    assert (told.code, told.out) == (0, f"inactivity_hours = 8.0 in {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert Cli(cli.home)("config", "get", "inactivity_hours").out == "8.0\n"
    assert Settings.load(file.parent, {}).inactivity_hours == 8.0
    assert [p.name for p in file.parent.iterdir()] == ["config.toml"]


def test_set_keeps_comments_and_what_else_is_there(cli: Cli, file: Path):
    file.parent.mkdir()
    file.write_text("# mine\nwindow = 50000  # small\n\n# hours\ninactivity_hours = 2\n")
    assert cli("config", "set", "window", "60000").code == 0
    assert cli("config", "set", "agent", "ada").code == 0
    text = file.read_text()
    assert text.startswith("# mine\nwindow = 60000  # small\n\n# hours\ninactivity_hours = 2\n")
    assert 'agent = "ada"' in text


def test_set_follows_a_link_and_keeps_it(cli: Cli, file: Path):
    """Settings that are kept elsewhere, with other dotfiles, stay there."""
    kept = cli.home / "dotfiles.toml"
    kept.write_text("window = 50000\n")
    file.parent.mkdir()
    file.symlink_to(kept)
    assert cli("config", "set", "window", "60000").code == 0
    assert file.is_symlink() and kept.read_text() == "window = 60000\n"


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("inactivity_hours", "0", "0.01 to 8,760"),
        ("window", "1.5", "a whole number from 1,000"),
        ("guard_percent", "101", "10 to 100"),
        ("durability", "none", "one of full, process"),
        ("colour", "red", "`everthread config explain` shows them all"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_range(
    cli: Cli, file: Path, name: str, value: str, allowed: str
):
    """R-36: refused, not clamped; nothing is written."""
    told = cli("config", "set", name, value)
    assert told.code == 2 and allowed in told.err
    as_json = cli("config", "set", name, value, "--json")
    assert as_json.code == 2 and as_json.error["name"] == "SettingInvalid"
    assert not file.exists()


def test_a_wrong_value_in_the_file_can_be_mended_by_set(cli: Cli, file: Path):
    """R-36: the error names the file and the range; the command mends what it names."""
    file.parent.mkdir()
    file.write_text("window = 5\n")
    told = cli("config", "get")
    assert told.code == 2 and str(file) in told.err and "1,000 to" in told.err
    assert cli("status").code == 2
    assert cli("config", "set", "window", "5000").code == 0
    assert cli("config", "get", "window").out == "5000\n"


@pytest.mark.parametrize("broken", [b"window = \n", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_left_alone(cli: Cli, file: Path, broken: bytes):
    file.parent.mkdir()
    file.write_bytes(broken)
    for words in (("config", "set", "window", "5000"), ("config", "get")):
        told = cli(*words)
        assert told.code == 2 and str(file) in told.err
    assert file.read_bytes() == broken


def test_get_lists_all_values(cli: Cli):
    found = cli("config", "get", "--json").json
    assert list(found) == names()
    assert found["inactivity_hours"] == 4.0 and found["agent"] == ""
    assert cli("config", "get", "window", "--json").json == {"window": 200_000}
    assert len(cli("config", "get").out.splitlines()) == len(names())


def test_explain_says_where_a_value_comes_from(cli: Cli, file: Path):
    """LA-17: environment before file before default."""
    assert explained(cli, "inactivity_hours")["source"] == "default"
    cli("config", "set", "inactivity_hours", "8")
    assert explained(cli, "inactivity_hours")["source"] == f"file {file}"
    told = explained(cli, "inactivity_hours", SESSION_INACTIVITY_HOURS="3")
    assert told["source"] == "environment variable SESSION_INACTIVITY_HOURS"
    assert (told["value"], told["default"]) == (3.0, 4.0)
    stronger = {"SESSION_INACTIVITY_HOURS": "3", "EVERTHREAD_INACTIVITY_HOURS": "2"}
    told = explained(cli, "inactivity_hours", **stronger)
    assert told["source"] == "environment variable EVERTHREAD_INACTIVITY_HOURS"
    assert told["value"] == 2.0


def test_explain_documents_every_setting(cli: Cli):
    """Meaning, range, default, value, variables: for people and for programs."""
    answer: Answer = cli("config", "explain")
    found = {each["name"]: each for each in cli("config", "explain", "--json").json["settings"]}
    assert list(found) == names()
    for name, each in found.items():
        assert each["about"] == facts(name)["about"] and each["about"] in answer.out
        assert each["allowed"] in answer.out and each["variables"][0] in answer.out
    assert found["window"]["allowed"] == "a whole number from 1,000 to 100,000,000"
    assert found["durability"]["allowed"] == "one of full, process"
    one = cli("config", "explain", "window").out
    assert one.startswith("window  Tokens that a model takes") and "durability" not in one


def test_set_warns_of_a_variable_that_is_stronger(cli: Cli):
    told = cli("config", "set", "window", "5000", env={"EVERTHREAD_WINDOW": "6000"})
    assert told.code == 0 and "EVERTHREAD_WINDOW is stronger" in told.out
    words = ("config", "set", "window", "5000", "--json")
    assert (
        cli(*words, env={"EVERTHREAD_WINDOW": "6000"}).json["overridden_by"] == "EVERTHREAD_WINDOW"
    )
    assert cli(*words).json["overridden_by"] is None


def test_a_password_is_not_shown(cli: Cli):
    """R-30: the address of a store may hold one."""
    cli("config", "set", "store", "postgresql://mel:s3cret@there/db")
    for words in (("get",), ("get", "store"), ("explain",), ("explain", "--json")):
        out = cli("config", *words).out
        assert "mel:***@there" in out and "s3cret" not in out


def test_settings_reach_the_other_commands(cli: Cli):
    """LA-17: store and agent are obeyed wherever none is named."""
    path = cli.home / "mine.db"
    with everthread.connect(path, background=False) as engine:
        engine.agent("ada")
        engine.agent("bob")
    cli("config", "set", "store", str(path))
    cli("config", "set", "agent", "bob")
    cli("config", "set", "vocabulary", "cl100k")
    status = cli("status", "--json").json
    assert status["store"] == str(path) and status["vocabulary"] == "cl100k"
    assert cli("threads", "--json").json["agent"] == "bob"


def test_all_settings_are_listed(cli: Cli, file: Path):
    """By the word that other commands have for it."""
    assert cli("config", "list").out == cli("config", "get").out
    assert [*cli("config", "list", "--json").json] == [*names()]


def test_unset_takes_a_value_out_and_leaves_the_rest(cli: Cli, file: Path):
    file.parent.mkdir()
    file.write_text("# mine\nwindow = 50000  # small\n\n# hours\ninactivity_hours = 2\n")
    told = cli("config", "unset", "inactivity_hours")
    assert (told.code, told.err) == (0, "")
    assert told.out == f"inactivity_hours is taken out of {file}; its default is 4.0\n"
    assert file.read_text().startswith("# mine\nwindow = 50000  # small\n")
    assert explained(cli, "inactivity_hours")["source"] == "default"
    again = cli("config", "unset", "inactivity_hours", "--json")
    assert again.code == 0 and again.json["was_set"] is False


def test_unset_says_what_it_cannot_take_away(cli: Cli, file: Path):
    told = cli("config", "unset", "window", env={"EVERTHREAD_WINDOW": "6000"})
    assert "the environment variable EVERTHREAD_WINDOW is stronger, and is set" in told.out
    unknown = cli("config", "unset", "colour")
    assert unknown.code == 2 and "`everthread config explain` shows them all" in unknown.err
    assert not file.exists()


def test_unset_mends_a_file_that_cannot_be_read(cli: Cli, file: Path):
    """A name that nobody knows, or a wrong value: every other command refuses until it is gone."""
    file.parent.mkdir()
    file.write_text('colour = "red"\nwindow = "wide"\n')
    assert cli("status").code == 2
    assert cli("config", "unset", "colour").out.endswith("there is no such setting\n")
    assert cli("config", "unset", "window").code == 0
    assert cli("config", "get", "agent").code == 0


@pytest.mark.parametrize("value", ["-1", "-0.5"])
def test_a_value_below_zero_is_refused_as_a_value(cli: Cli, file: Path, value: str) -> None:
    told = cli("config", "set", "window", value)
    assert told.code == 2
    assert f"from 1,000 to 100,000,000; got '{value}'" in told.err
    assert not file.exists()


def test_a_misspelt_option_beside_a_value_is_still_named(cli: Cli, file: Path) -> None:
    assert "No such option '--jsn'" in cli("config", "set", "window", "-1", "--jsn").err
    assert "No such option '--jsn'" in cli("config", "set", "window", "5000", "--jsn").err
    assert not file.exists()
