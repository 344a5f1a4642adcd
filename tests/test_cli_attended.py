"""`checkpoints`, `compactions` and `sessions resume` of a harness's session, through the door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import Cli, Here
from support.harness import Bench, bench

RULE = "Always run make check before you commit."
OPEN = "Please also write the migration guide in docs/migrate.md."
TOKEN = "ghp_" + "Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def b(cli: Cli) -> Iterator[Bench]:
    """A session in a harness, on the store that the command opens."""
    place = cli.home / "data"
    place.mkdir(parents=True, exist_ok=True)
    with bench(cli.home, str(place / "everthread.db")) as made:
        w = made.window()
        w.start()
        w.turn(RULE, "Understood.")
        w.turn(f"Deploy with {TOKEN} to port 8443 of the gateway.", "Done.")
        w.tool("pytest -q tests/test_parser.py", "FAILED tests/test_parser.py - KeyError: 'rate'")
        w.turn(OPEN, "I will do that later.")
        yield made


def test_checkpoints_are_listed_shown_and_put_down_by_hand(cli: Cli, b: Bench):
    """B-11, B-35, B-70: `explicit` is a person's."""
    assert "no checkpoints yet" in cli("checkpoints", "list").out
    made = cli("checkpoints", "add", "Half way.", "--decision", "use 8443", "--next", "test it")
    assert made.code == 0
    listed = cli("checkpoints", "list", "--json").json
    assert listed["count"] == 1
    (one,) = listed["checkpoints"]
    assert (one["kind"], one["session_key"], one["total_prompts"]) == ("explicit", "s-1", 3)
    assert one["harness"] == "claude-code"
    assert "Half way." in one["digest"]
    shown = cli("checkpoints", "show", one["id"][-8:]).out
    for part in ("Half way.", "- use 8443", "- test it", OPEN, "pytest -q tests/test_parser.py"):
        assert part in shown
    assert "explicit" in cli("checkpoints", "list").out


def test_nothing_that_is_shown_holds_a_secret(cli: Cli, b: Bench):
    """B-54, B-56, B-71."""
    cli("checkpoints", "add", f"the token is {TOKEN}")
    b.window().compact(f"They deploy with {TOKEN}.")
    b.work()
    told = [
        cli("checkpoints", "list", "--json").out,
        cli("compactions", "list", "--json").out,
        cli("sessions", "resume", "s-1").out,
    ]
    assert all(TOKEN not in text for text in told)
    assert any("REDACTED" in text for text in told)


def test_a_compaction_tells_who_kept_what_and_gives_back_on_request(cli: Cli, b: Bench):
    assert "no compactions yet" in cli("compactions", "list").out
    b.window().compact("The user works on a gateway.")
    assert "not measured" in cli("compactions", "list").out
    b.work()
    (one,) = cli("compactions", "list", "--json").json["compactions"]
    shares = [one[name] for name in ("harness_kept", "given_back", "recoverable", "lost")]
    assert sum(shares) == pytest.approx(1, abs=0.001)
    shown = cli("compactions", "show", one["id"][-8:])
    assert shown.code == 0
    assert "Claude Code kept " in shown.out
    assert "Everthread gave back " in shown.out
    restored = cli("compactions", "restore", one["id"][-8:])
    assert restored.code == 0
    wrong = cli("compactions", "restore", one["id"][-8:], "999")
    assert wrong.code == 2
    assert "there is no item 999" in wrong.err
    assert cli("compactions", "show", "ffffffff").code == 3


def test_resuming_a_harness_session_tells_where_it_stood(cli: Cli, b: Bench):
    """R-46."""
    told = cli("sessions", "resume", "s-1").out
    assert RULE in told
    assert OPEN in told
    assert cli("sessions", "resume", "s-1", "--json").json["recovery"].count(OPEN) >= 1
    assert b.window().row.state == "active"
