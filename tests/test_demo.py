"""`everthread demo`: a living thread, and commands that work as printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from everthread.edges.cli.demo.play import parts
from everthread.edges.cli.demo.script import exchange
from support.born import mother
from support.commands import COMMAND, Answer, Cli, Here, Terminal

pytestmark = pytest.mark.slow

PRIMARY = "agent:ada:main"

# To compute vectors takes half of a demo's time: the one that is typed in full is shown with its model.
BY_WORDS = {"EVERTHREAD_EMBEDDER": "off"}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    made = Here(tmp_path, monkeypatch, capsys)
    made.env |= BY_WORDS
    return made


@pytest.fixture
def store(cli: Cli) -> Path:
    return cli.home / "data" / "demo" / "everthread.db"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """One demo for all who only look at what it left: its home, and what it answered."""
    home = tmp_path_factory.mktemp("demo")
    yours = home / "data" / "agents" / "ada"
    yours.mkdir(parents=True)
    (yours / "MEMORY.md").write_text("mine")
    return home, Cli(home)("demo", "--turns", "60", "--fast", "--json", env=BY_WORDS).json


class Typed(NamedTuple):
    """A demo as somebody at the root of a checkout types it: by a relative path, and nothing more."""

    called: str
    cwd: Path
    env: dict[str, str]
    answer: Answer
    store: Path
    made: Path
    """A copy of what it left there, whatever becomes of that."""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Typed:
    cwd = tmp_path_factory.mktemp("typed")
    home = cwd / "a folder's name"
    env = {**Cli(cwd).env, "EVERTHREAD_HOME": str(home)}
    called = os.path.relpath(COMMAND, cwd)
    done = subprocess.run(
        [called, "demo"], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    shutil.copytree(home, cwd / "made")
    return Typed(
        called,
        cwd,
        env,
        Answer(done.returncode, done.stdout, done.stderr),
        home / "demo" / "everthread.db",
        cwd / "made" / "demo" / "everthread.db",
    )


# Or every worker would play it.
one_demo = pytest.mark.xdist_group("demo")


def printed_commands(out: str) -> list[str]:
    after = out.partition("Try by hand:")[2].splitlines()
    return [line.strip() for line in after if line.strip() and not line.strip().startswith("#")]


def plain(shown: str) -> str:
    """What a terminal shows, without its colours."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@one_demo
def test_a_hundred_turns_flow_through_a_fresh_store(cli: Cli, typed: Typed):
    """Real calls only: channels, tools, a failed turn, three kinds of thread, sessions by the gap."""
    code, out, err = typed.answer
    store = typed.made
    assert (code, err) == (0, "")
    assert "100 turns and a question on one thread that never ends, in 7 sessions" in out
    assert "7 sessions more on the threads beside it" in out and "14 sessions on 3 threads" in out
    assert "% still there if recall is asked only with the user's request" in out
    assert f"store: {typed.store} (" in out
    assert re.search(r"ada is sound: \d+ entries and \d+ rows checked", out)
    assert "\x1b" not in out and "\r" not in out

    (ada,) = cli("status", "--store", store, "--json").json["agents"]
    assert [(t["key"], t["kind"]) for t in ada["threads"]] == [
        (PRIMARY, "primary"),
        ("heartbeat:beds", "background"),
        ("scratch:plan", "ephemeral"),
    ]
    assert ada["threads"][0]["turn_count"] == 101
    assert {c["channel"].partition(":")[0] for c in ada["channels"]} == {
        "webchat",
        "signal",
        "email",
    }
    assert ada["calibration"]["in_use"] and ada["open_turn"] is None

    lines = [json.loads(line) for line in cli("export", "--raw", "--store", store).out.splitlines()]
    turns = [line for line in lines if line.get("table") == "turns"]
    assert sum(turn["state"] == "failed" for turn in turns) == 2
    messages = [line for line in lines if line.get("table") == "messages"]
    assert sum('"type":"tool_use"' in str(m["content"]) for m in messages) == 34
    assert sum(m["source"] == "record" for m in messages) == 8
    assert cli("verify", "--store", store).code == 0


@one_demo
@pytest.mark.req("A-72", "R-18")
def test_after_three_distillations_the_start_is_told_from_memory(
    cli: Cli, played: tuple[Path, Any]
):
    """None of the early messages is sent any more; the turn is given what they said nonetheless."""
    home, answer = played
    store = home / "data" / "demo" / "everthread.db"
    receipts = answer["receipts"]
    assert [(r["number"], r["outcome"]) for r in receipts] == [(3, "ok"), (2, "ok"), (1, "ok")]
    assert all(r["score"]["held"] >= 0.95 and r["flush_succeeded"] for r in receipts)
    asked = answer["answer"]
    assert asked["from_memory"] and asked["oldest_message_sent"] > 100
    assert any("has offered me its greenhouse" in line["text"] for line in asked["lines"])

    # The same by time travel: the words are in what that turn was given, and not as a message of Mel's.
    given = cli("context", "--at", str(asked["turn"]), "--store", store, "--json").json
    texts = [block["text"] for block in given["messages"][0]["content"] if block["type"] == "text"]
    assert (
        texts[0].startswith("Conversation Summary") and "has offered me its greenhouse" in texts[0]
    )
    later = json.dumps(given["messages"][1:])
    assert "has offered me its greenhouse" not in later and "What did we discuss" in later


@one_demo
@pytest.mark.req("R-15")
def test_the_distillation_that_it_undoes_is_undone_to_the_byte(cli: Cli, played: tuple[Path, Any]):
    home, answer = played
    store = home / "data" / "demo" / "everthread.db"
    undone = answer["undone"]
    assert undone["number"] == 3 and undone["as_before"] is True and undone["messages"] > 20
    listed = cli("receipts", "--thread", PRIMARY, "--store", store, "--json").json["receipts"]
    assert [each["outcome"] for each in listed] == ["undone", "ok", "ok"]
    assert cli("redo", undone["receipt"], "--dry-run", "--store", store).code == 0


@one_demo
def test_its_agents_files_lie_beside_its_store_and_not_among_yours(played: tuple[Path, Any]):
    data = played[0] / "data"
    yours = data / "agents" / "ada"
    assert (yours / "MEMORY.md").read_text() == "mine"
    assert [each.name for each in yours.iterdir()] == ["MEMORY.md"]
    assert "slug pellets" in (data / "demo/everthread.db-agents/ada/MEMORY.md").read_text()


def test_its_sessions_are_days_apart_and_the_last_is_live(cli: Cli, store: Path):
    """D-13: a gap of hours ends a sitting; D-15: the newest one goes on."""
    cli("demo", "--turns", "14", "--fast")
    found = cli("sessions", "list", "--thread", PRIMARY, "--store", store, "--json").json[
        "sessions"
    ]
    assert [s["state"] for s in found] == ["active"] + ["complete"] * 6
    days = {s["started_at"][:10] for s in found}
    assert len(days) >= 5
    assert found[0]["last_activity"] <= time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())


@one_demo
def test_the_commands_it_prints_work_as_printed(typed: Typed):
    """The first as it stands; the others call the same program, of which then forks answer."""
    commands = printed_commands(typed.answer.out)
    assert 6 <= len(commands) <= 12
    assert all(command.startswith(typed.called) for command in commands)
    with mother().folder() as folder:
        program = shlex.quote(str(folder / "everthread"))
        for at, command in enumerate(commands):
            done = subprocess.run(
                ["bash", "-c", command.replace(typed.called, program) if at else command],
                cwd=typed.cwd,
                env=typed.env,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), command
            assert done.stdout.strip(), command


def test_the_commands_it_prints_work_although_another_agent_is_set(cli: Cli, store: Path):
    env = {"EVERTHREAD_AGENT": "bob", "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", **BY_WORDS}
    commands = Cli(cli.home)("demo", "--turns", "10", "--json", env=env).json["commands"]
    for command in commands:
        called, *words = shlex.split(command)
        assert called == "everthread" and cli(*words, env=env).code == 0, command


def test_for_programs_it_is_one_document(cli: Cli, store: Path):
    answer = cli("demo", "--turns", "10", "--fast", "--json").json
    assert answer["store"] == str(store)
    assert answer["verify"]["sound"] is True
    assert answer["agent"]["threads"][0]["turn_count"] == 11


def test_each_demo_begins_anew_and_says_the_same(cli: Cli, store: Path):
    def told() -> list[str]:
        cli("demo", "--turns", "10", "--fast")
        lines = cli("export", "--raw", "--store", store).out.splitlines()
        rows = [json.loads(line) for line in lines]
        return [row["content"] for row in rows if row.get("table") == "messages"]

    first = told()
    assert len(first) > 20 and told() == first


def test_it_never_takes_the_place_of_somebodys_store(cli: Cli, store: Path):
    mine = cli.home / "mine.db"
    mine.write_text("mine")
    refused = cli("demo", "--store", mine)
    assert refused.code == 2 and mine.read_text() == "mine"
    store.parent.mkdir(parents=True)
    store.write_text("not the demo's")
    refused = cli("demo")
    assert refused.code == 2 and "left alone" in refused.err
    assert store.read_text() == "not the demo's"
    assert cli("demo", "--store", "memory://").code == 2
    assert cli("demo", "--agent", "bob").code == 2
    fresh = cli.home / "new" / "fresh.db"
    assert cli("demo", "--store", fresh, "--turns", "3", "--fast").code == 0
    assert cli("verify", "--store", fresh).code == 0


def test_two_demos_do_not_share_a_place(cli: Cli, store: Path):
    terminal = Terminal(["demo", "--turns", "1000"], cli.env, cli.home, 80)
    terminal.until(lambda shown: "Mel:" in shown)
    second = Cli(cli.home)("demo")
    assert second.code == 4 and "another demo is running" in second.err
    terminal.interrupt()
    assert terminal.end()[0] == 130


def test_on_a_terminal_a_bar_fills(cli: Cli):
    code, shown = Terminal(["demo", "--turns", "12", "--fast"], cli.env, cli.home, 80).end()
    assert code == 0
    assert "12/12" in shown and "━" in shown
    assert "Mel: " in shown and "Ada: " in shown
    assert "distilling: " in shown and "distilled number 1: " in plain(shown)
    assert len(printed_commands(shown)) == 11
    assert "Asked days later: How much water" in shown


@pytest.mark.parametrize("moment", ["the first turn", "later"])
def test_ctrl_c_leaves_nothing_running_and_says_one_line(cli: Cli, store: Path, moment: str):
    terminal = Terminal(["demo", "--turns", "1000"], cli.env, cli.home, 80)
    wanted = re.compile("Mel:" if moment == "the first turn" else r" [2-9]\d/1000")
    terminal.until(lambda shown: wanted.search(shown) is not None)
    terminal.interrupt()
    code, shown = terminal.end()
    assert code == 130
    assert "Traceback" not in shown
    assert shown.rstrip().endswith("everthread: stopped")
    with pytest.raises(ProcessLookupError):
        os.killpg(terminal.process.pid, 0)
    # What was said before is there, whole.
    assert cli("verify", "--store", store).code == 0
    (ada,) = cli("status", "--store", store, "--json").json["agents"]
    assert ada["open_turn"] is None and 0 < ada["threads"][0]["turn_count"] < 1000


def test_ctrl_c_works_where_nobody_watches(cli: Cli, store: Path):
    with subprocess.Popen(
        [COMMAND, "demo", "--turns", "1000"],
        cwd=cli.home,
        env=cli.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline().endswith("turns\n")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "everthread: stopped\n")
    assert cli("verify", "--store", store).code == 0


@pytest.mark.parametrize("turns", [1, 2, 7, 100, 1000])
def test_the_turns_are_spread_over_sittings_hours_apart(turns: int):
    """D-13: whatever their number, the gaps between sittings stay longer than four hours."""
    now = 1_800_000_000_000
    found = list(parts(turns, now))
    assert found[0].first == 1 and found[-1].last == turns
    hour = 3_600_000
    for one, other in pairwise(found):
        assert other.first == one.last + 1
        ends = one.starts + (one.last - one.first + 1) * one.seconds * 1000
        assert other.starts - ends > 4 * hour
    last = found[-1]
    assert abs(last.starts + (last.last - last.first + 1) * last.seconds * 1000 - now) < 1000


def test_the_words_are_varied_and_readable():
    said = [exchange(number) for number in range(1, 101)]
    assert len({each.say for each in said}) == len({each.reply for each in said}) == 100
    assert all(each.say.strip() and len(each.say) < 900 for each in said)
    assert [n for n, each in enumerate(said, 1) if each.trouble] == [15, 69]
    later = [exchange(number) for number in range(101, 200)]
    assert all("{" not in each.say for each in later)
    assert later == [exchange(number) for number in range(101, 200)]
