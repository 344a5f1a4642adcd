"""`doctor` proves for each harness that it is captured, or says what is wrong and what to do."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.daemon.places import Places
from everthread.edges.daemon.trace import Trace, read_trace
from support.commands import Cli, Here


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    cli = Here(tmp_path, monkeypatch, capsys)
    cli.env["PATH"] = "/nowhere"
    return cli


def checks(cli: Cli) -> dict[str, dict[str, Any]]:
    """The findings of doctor, by name."""
    answer = cli("doctor", "--json")
    assert answer.code in (0, 1), answer.err
    found = {each["check"]: each for each in answer.json["checks"]}
    assert answer.json["fine"] == all(each["fine"] for each in found.values())
    return found


def install(cli: Cli, name: str, *options: str) -> None:
    answer = cli("install", name, "--yes", *options)
    assert answer.code == 0, answer.err


def trace(cli: Cli, harness: str, **seen: Any) -> None:
    """What a daemon would have written."""
    place = cli.home / "data" / "run" / "trace.json"
    facts = {"answered": 3, "failed": 0, "late": 0, "last": {}, "error": "", "error_event": ""}
    held = {**facts, "error_at": 0.0, **seen}
    document = {"harnesses": {harness: held}, "torn": 0, "drained": 0, "start_failure": ""}
    place.write_text(json.dumps(document))


def used(path: Path, *, ago: float) -> None:
    """The harness writes a session of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time.time() - ago, time.time() - ago))


def aged(cli: Cli, name: str, *, ago: float) -> None:
    """It was installed so long ago."""
    place = cli.home / "data" / "install" / f"{name}.json"
    os.utime(place, (time.time() - ago, time.time() - ago))


def test_straight_after_installing_everything_is_fine(cli: Cli) -> None:
    install(cli, "claude-code")
    found = checks(cli)
    assert found["store"]["says"].startswith("there is none yet")
    assert found["claude-code"]["fine"] and "not used since" in found["claude-code"]["says"]
    assert found["hooks"]["fine"] and found["daemon"]["fine"] and found["spool"]["fine"]


def test_where_nothing_is_installed_doctor_speaks_of_the_store_alone(cli: Cli) -> None:
    assert cli("doctor").code == 5  # there is no store either
    remembered = cli("remember", "Prefers tabs", "--agent", "ada")
    assert remembered.code == 0, remembered.err
    assert not {"claude-code", "hooks", "daemon", "spool"} & set(checks(cli))
    (cli.home / ".gemini").mkdir()
    assert "everthread install gemini" in checks(cli)["gemini"]["says"]


def test_a_harness_that_is_used_and_not_heard_is_loud(cli: Cli) -> None:
    """Harness drift (field.md 5.6): hooks that are silently not run."""
    install(cli, "codex")
    aged(cli, "codex", ago=7_200)
    used(cli.home / ".codex/sessions/2026/03/04/rollout-1.jsonl", ago=60)
    codex = checks(cli)["codex"]
    assert not codex["fine"]
    assert codex["says"] == "not captured: it was used 1 minute ago, and no event ever came"
    assert "trust" in codex["advice"]
    trace(cli, "codex", last={"Stop": time.time() - 4_000})
    assert "the newest event came 1 hour ago" in checks(cli)["codex"]["says"]
    trace(cli, "codex", last={"Stop": time.time() - 50})
    assert checks(cli)["codex"]["fine"]


def test_an_event_that_failed_last_is_told_with_its_reason(cli: Cli) -> None:
    install(cli, "gemini")
    now = time.time()
    wrong = {"error": "KeyError: 'x'", "error_event": "BeforeAgent", "error_at": now}
    trace(cli, "gemini", last={"SessionStart": now - 10}, failed=1, **wrong)
    gemini = checks(cli)["gemini"]
    assert not gemini["fine"]
    assert gemini["says"] == "its last event, BeforeAgent, failed: KeyError: 'x'"


def test_events_that_failed_are_told_for_a_day_though_later_ones_did_not(cli: Cli) -> None:
    install(cli, "gemini")
    now = time.time()
    wrong = {"error": "KeyError: 'x'", "error_event": "BeforeAgent", "error_at": now - 3_600}
    some = {"failed": 15, "errors": 15, "error_since": now - 7_200}
    trace(cli, "gemini", last={"SessionStart": now - 10}, **wrong, **some)
    answer = cli("doctor")
    assert answer.code == 1, "as with all that is to be looked at"
    gemini = checks(cli)["gemini"]
    assert not gemini["fine"]
    assert re.search(
        r"^15 events failed between \S+ \S+ and \S+ \S+ UTC, the last success was just now; "
        r"the last to fail was BeforeAgent: KeyError: 'x'$",
        gemini["says"],
    )
    wrong["error_at"] = now - 90_000
    trace(cli, "gemini", last={"SessionStart": now - 10}, **wrong, **some)
    assert checks(cli)["gemini"]["fine"], "a day later it is the log's"


def test_failures_are_counted_from_the_first_of_them(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.make()
    seen = Trace(places)
    for event in ("SessionStart", "Stop"):
        seen.failed("codex", event, KeyError("x"))
    seen.answered("codex", "Stop")
    seen.write(now=True)
    told = read_trace(tmp_path).harnesses["codex"]
    assert (told.errors, told.failed, told.error_event) == (2, 2, "Stop")
    assert 0 < told.error_since <= told.error_at


def test_settings_that_the_harness_passes_over_are_told(cli: Cli) -> None:
    """`install` says so; whoever asks later must be told, too."""
    place = cli.home / ".claude" / "settings.json"
    place.parent.mkdir(parents=True)
    place.write_text('{\n  // my own\n  "model": "opus"\n}\n')
    install(cli, "claude-code")
    found = checks(cli)["claude-code"]
    assert not found["fine"] and "Claude Code ignores all of it" in found["says"]
    place.write_text(place.read_text().replace("  // my own\n", ""))
    assert checks(cli)["claude-code"]["fine"]


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "opencode", "openclaw"])
def test_entries_that_are_gone_or_old_are_missed(cli: Cli, name: str) -> None:
    install(cli, name)
    before = {
        p: p.read_bytes() for p in sorted(cli.home.rglob("*.js*")) if "install" not in p.parts
    }
    path = max(before, key=lambda each: b"everthread" in before[each])
    path.write_text("{}")
    finding = checks(cli)[name]
    assert not finding["fine"] and str(path) in finding["says"]
    assert finding["advice"] == f"everthread install {name}"
    install(cli, name)
    assert checks(cli)[name]["fine"]


def test_settings_that_cannot_be_read_any_more_are_told(cli: Cli) -> None:
    install(cli, "claude-code")
    (cli.home / ".claude" / "settings.json").write_text("{")
    finding = checks(cli)["claude-code"]
    assert not finding["fine"] and "line 1, column 2" in finding["says"]


def test_an_interpreter_that_is_gone_is_named(cli: Cli) -> None:
    install(cli, "claude-code", "--plain")
    place = cli.home / "data" / "install" / "claude-code.json"
    book = json.loads(place.read_text())
    place.write_text(json.dumps({**book, "program": "/gone/bin/python"}))
    finding = checks(cli)["claude-code"]
    assert not finding["fine"] and "/gone/bin/python, which is gone" in finding["says"]
    assert finding["advice"] == "everthread install claude-code --plain"


def test_a_client_of_another_version_is_told(cli: Cli) -> None:
    install(cli, "gemini")
    client = cli.home / "data" / "hooks" / "client.py"
    client.write_text("# old\n")
    assert "another version" in checks(cli)["hooks"]["says"]
    client.unlink()
    finding = checks(cli)["hooks"]
    assert not finding["fine"] and "missing" in finding["says"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hooks/carry.py", "is missing: nothing is captured"),
        ("hooks/start", "is missing: no hook can start the daemon"),
        ("run", "is missing: hooks cannot start the daemon or keep events"),
        ("spool", "is missing: hooks cannot start the daemon or keep events"),
        ("logs", "is missing: hooks cannot start the daemon or keep events"),
    ],
)
def test_whatever_a_hook_needs_and_is_gone_is_told(cli: Cli, name: str, says: str) -> None:
    install(cli, "gemini")
    place = cli.home / "data" / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    finding = checks(cli)["hooks"]
    assert not finding["fine"] and finding["says"] == f"{place} {says}"
    assert finding["advice"] == "everthread install puts it there"
    install(cli, "gemini")
    assert checks(cli)["hooks"]["fine"]


def test_what_carries_events_is_of_this_version_too(cli: Cli) -> None:
    install(cli, "gemini")
    place = cli.home / "data" / "hooks" / "carry.py"
    place.write_text("# old\n")
    assert checks(cli)["hooks"]["says"] == f"{place} is another version"


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("dropped", "2 events were lost: it was full or could not be written"),
        ("unanswered", "the daemon at EVERTHREAD_URL did not answer: 2 events were lost"),
    ],
)
def test_events_that_were_lost_are_counted(cli: Cli, file: str, says: str) -> None:
    install(cli, "gemini")
    place = cli.home / "data" / "spool" / file
    place.write_bytes(b"..")
    finding = checks(cli)["spool"]
    assert not finding["fine"] and finding["says"] == f"{says}, the last just now"
    # A day later there is nothing left to do about it.
    used(place, ago=90_000)
    finding = checks(cli)["spool"]
    assert finding["fine"] and finding["says"] == f"no event waits; {says}, the last 1 day ago"


def test_events_that_were_set_aside_are_told_with_and_without_a_harness(cli: Cli) -> None:
    install(cli, "gemini")
    trace(cli, "gemini")
    place = cli.home / "data" / "run" / "trace.json"
    held = json.loads(place.read_text())
    place.write_text(json.dumps({**held, "trouble": "", "failed": 1, "failed_at": time.time()}))
    says = "1 event failed each time and was set aside in spool/failed, the last just now"
    assert checks(cli)["spool"]["says"] == says
    assert cli("uninstall", "--yes").code == 0
    assert cli("remember", "Prefers tabs", "--agent", "ada").code == 0
    finding = checks(cli)["spool"]
    assert not finding["fine"] and finding["says"] == says


def test_an_event_that_fails_again_and_again_is_told_while_it_waits(cli: Cli) -> None:
    install(cli, "gemini")
    trace(cli, "gemini")
    place = cli.home / "data" / "run" / "trace.json"
    told = {**json.loads(place.read_text()), "stuck": 1, "stuck_error": "StoreFailed: no such row"}
    place.write_text(json.dumps(told))
    assert checks(cli)["spool"]["fine"], "it is gone meanwhile"
    spool = cli.home / "data" / "spool"
    spool.mkdir(exist_ok=True)
    (spool / "00000000000000000001-7-20").write_bytes(b"x" * 20)
    finding = checks(cli)["spool"]
    assert not finding["fine"]
    says = "1 event waits; 1 event failed again and again: StoreFailed: no such row"
    assert finding["says"] == says


def test_a_damaged_trace_is_told(cli: Cli) -> None:
    install(cli, "gemini")
    trace(cli, "gemini")
    assert "trace" not in checks(cli)
    (cli.home / "data" / "run" / "trace.json").write_text("{")
    finding = checks(cli)["trace"]
    assert not finding["fine"] and "cannot be read" in finding["says"]


def test_hooks_cannot_speak_https_and_say_so(cli: Cli) -> None:
    """They are a few milliseconds long; TLS is not."""
    cli.env["EVERTHREAD_URL"] = "https://example.invalid"
    answer = cli("install", "gemini", "--yes")
    assert answer.code != 0 and "hooks cannot speak https" in answer.err
    assert not (cli.home / ".gemini").exists()
    del cli.env["EVERTHREAD_URL"]
    install(cli, "gemini")
    assert cli("remember", "Prefers tabs", "--agent", "ada").code == 0
    cli.env["EVERTHREAD_URL"] = "https://example.invalid"
    answer = cli("doctor", "--json", "--store", str(cli.home / "data" / "everthread.db"))
    [finding] = [each for each in answer.json["checks"] if each["check"] == "url"]
    assert not finding["fine"] and "hooks cannot speak https" in finding["says"]


def test_people_read_the_same_in_words(cli: Cli) -> None:
    install(cli, "gemini")
    answer = cli("doctor")
    assert answer.code == 0
    assert "fine  gemini         installed; not used since" in answer.out


@pytest.mark.slow
def test_a_real_event_through_the_installed_hook_is_proved(tmp_path: Path) -> None:
    """From the command that install wrote to the store, with a daemon of its own."""
    cli = Cli(tmp_path)
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert cli("install", "claude-code", "--yes", "--plain").code == 0
    hooks = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]
    said = {"session_id": "s-1", "cwd": str(project), "transcript_path": "", "source": "startup"}
    try:
        for event, more in (
            ("SessionStart", {}),
            ("UserPromptSubmit", {"prompt": "Use port 8080."}),
        ):
            definition = hooks[event][0]["hooks"][0]
            done = subprocess.run(
                [definition["command"], *definition["args"]],
                input=json.dumps({**said, **more, "hook_event_name": event}).encode(),
                cwd=project,
                env=cli.env,
                capture_output=True,
                timeout=120,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, b"")
        deadline = time.monotonic() + 120
        while "in the store up to" not in (last := checks(cli)["claude-code"])["says"]:
            assert time.monotonic() < deadline, last
        assert last["fine"] and last["says"].startswith("captured: ")
        assert checks(cli)["daemon"]["says"].startswith("process ")
    finally:
        assert cli("uninstall", "--purge", "--yes").code == 0
    assert not (tmp_path / "data").exists()


def test_a_project_of_which_nothing_is_kept_is_told_and_a_broken_file_is_no_fine_thing(cli: Cli):
    install(cli, "codex")
    shop = cli.home / "shop"
    shop.mkdir()

    def here() -> dict[str, Any] | None:
        found = cli("doctor", "--json", cwd=shop).json["checks"]
        return next((each for each in found if each["check"] == "this project"), None)

    assert here() is None
    (shop / ".everthread.toml").write_text("agent = [")
    told = here()
    assert told is not None and not told["fine"] and ".everthread.toml" in told["says"]
    (shop / ".everthread.toml").write_text("capture = false\n")
    told = here()
    assert told is not None and told["fine"] and "switched off" in told["says"]
    (shop / ".everthread.toml").unlink()
    cli("private", "on", cwd=shop)
    told = here()
    assert told is not None and "private" in told["says"]
