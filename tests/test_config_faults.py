"""Settings that are wrong: who asks what is wrong is told, and not refused for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everthread.settings import Settings, names
from support.commands import Cli, Here

BAD = {"EVERTHREAD_WINDOW": "abc"}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def file(cli: Cli) -> Path:
    assert cli("remember", "--agent", "ada", "Prefers tabs").code == 0
    return cli.home / "data" / "config.toml"


def findings(cli: Cli, **env: str) -> list[dict[str, Any]]:
    answer = cli("doctor", "--json", env=env)
    assert answer.code == 1
    return answer.json["checks"]


@pytest.mark.parametrize(
    ("written", "says", "advice"),
    [
        ("window = \n", "Invalid value", "other commands refuse"),
        ("window = 5\n", "window must be a whole number", "everthread config set window"),
        ("colour = 3\n", "no setting 'colour'", "everthread config unset colour"),
    ],
)
def test_doctor_runs_with_a_broken_file_and_shows_it(
    cli: Cli, file: Path, written: str, says: str, advice: str
) -> None:
    file.write_text(written)
    assert cli("status").code == 2
    first, *others = findings(cli)
    assert (first["check"], first["fine"]) == ("settings", False)
    assert first["says"].startswith(f"{file}: ") and says in first["says"]
    assert advice in first["advice"]
    assert {each["check"]: each["fine"] for each in others}["store"] is True


def test_doctor_shows_a_wrong_variable_and_a_store_that_is_not_there(cli: Cli) -> None:
    first, store, *_ = findings(cli, **BAD)
    assert first["says"].startswith("environment variable EVERTHREAD_WINDOW: ")
    assert "variable" in first["advice"]
    assert (store["check"], store["fine"]) == ("store", False)
    assert "the settings may name another" in store["says"]
    assert cli("doctor").code != 1  # without such a variable it is an error, as ever


def test_explain_shows_a_wrong_variable_and_where_it_is(cli: Cli) -> None:
    told = cli("config", "explain", "window", env=BAD)
    assert told.code == 0
    assert "abc  (environment variable EVERTHREAD_WINDOW)" in told.out
    assert "window must be a whole number from 1,000" in told.out
    whole = cli("config", "explain", "--json", env=BAD).json
    assert [each["name"] for each in whole["settings"]] == names()
    (wrong,) = [each for each in whole["settings"] if each["wrong"]]
    assert (wrong["name"], wrong["value"], wrong["default"]) == ("window", "abc", 200_000)


def test_explain_tells_of_a_wrong_value_in_the_file_behind_a_right_variable(
    cli: Cli, file: Path
) -> None:
    file.write_text("window = 5\n")
    env = {"EVERTHREAD_WINDOW": "5000"}
    (found,) = cli("config", "explain", "window", "--json", env=env).json["settings"]
    assert (found["value"], found["source"]) == (5000, "environment variable EVERTHREAD_WINDOW")
    assert found["wrong"] == [
        f"{file}: window must be a whole number from 1,000 to 100,000,000; got 5"
    ]
    (found,) = cli("config", "explain", "window", "--json").json["settings"]
    assert (found["value"], found["source"]) == (5, f"file {file}")


def test_explain_goes_on_beside_a_file_that_is_no_toml(cli: Cli, file: Path) -> None:
    file.write_text("window = \n")
    told = cli("config", "explain", "window")
    assert told.code == 0 and "200000  (default)" in told.out
    assert str(file) in told.err and "mend the file" in told.err
    assert "Invalid value" in cli("config", "explain", "--json").json["wrong"][0]


def test_get_and_set_go_on_beside_a_wrong_variable(cli: Cli, file: Path) -> None:
    assert cli("config", "get", "inactivity_hours", env=BAD).out == "4.0\n"
    told = cli("config", "get", "window", env=BAD)
    assert told.code == 2 and told.out == ""
    assert "environment variable EVERTHREAD_WINDOW" in told.err and "'abc'" in told.err
    told = cli("config", "get", env=BAD)
    assert told.code == 2 and "'abc'" in told.err
    assert len(told.out.splitlines()) == len(names())
    assert cli("config", "get", "--json", env=BAD).code == 2
    told = cli("config", "set", "window", "5000", env=BAD)
    assert told.code == 0 and "EVERTHREAD_WINDOW is stronger" in told.out
    assert Settings.load(file.parent, {}).window == 5000
