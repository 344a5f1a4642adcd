"""Wrong use, through the door: one exit code for one kind of trouble, and messages that say what to do."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import BadInput
from support.commands import Cli, Here, Terminal


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def store(cli: Cli) -> Path:
    path = cli.home / "data" / "everthread.db"
    path.parent.mkdir(exist_ok=True)
    with everthread.connect(path, background=False) as et:
        et.agent("ada").turn("hello").done("hi")
    return path


# ---- exit codes


def test_a_file_that_is_there_already_is_wrong_use_of_every_command(cli: Cli, store: Path) -> None:
    there = cli.home / "there.db"
    there.write_text("mine")
    for words in (("backup", there), ("export", "-o", there), ("demo", "--store", there)):
        code, _, err = cli(*words)
        assert code == 2 and "exists already" in err, words
    assert there.read_text() == "mine"


def test_no_folder_is_made_for_a_copy(cli: Cli, store: Path) -> None:
    """Where a disk is not there, a folder in its place would keep the copy on this one."""
    target = cli.home / "disk" / "copy"
    for words in (("backup", target), ("export", "-o", target)):
        code, _, err = cli(*words)
        assert code == 2, words
        assert f"there is no folder {target.parent}; make it first, or name another file" in err
    assert not target.parent.exists()


@pytest.mark.req("R-48")
def test_who_does_not_say_which_agent_left_something_out(cli: Cli, store: Path) -> None:
    """It is not an agent that was not found."""
    with everthread.connect(store, background=False) as et:
        et.agent("bob")
    for words in (("memories", "list"), ("threads",), ("remember", "Prefers tabs")):
        code, _, err = cli(*words)
        assert code == 2 and "which agent? Name one with --agent: ada, bob" in err, words
    assert cli("threads", "--agent", "carol").code == 3


@pytest.mark.parametrize("address", ["mysql://mel@host/db", "postgresql://mel:a@b@host/db"])
def test_an_address_that_is_none_is_a_wrong_value(cli: Cli, address: str) -> None:
    code, _, err = cli("status", "--store", address)
    assert code == 2
    assert "REDACTED" not in err and "mel:a" not in err
    if address.startswith("postgresql"):
        assert "postgresql://<name>:<password>@<host>/<database>" in err


def test_whoever_says_neither_yes_nor_no_is_told_what_to_say(cli: Cli, store: Path) -> None:
    memory = cli("remember", "Prefers tabs", "--json").json["id"]
    seen = Terminal(["forget", memory], cli.env, cli.home, 100)
    seen.until(lambda shown: "Go on?" in shown)
    seen.press("maybe\n")
    seen.until(lambda shown: "answer y for yes, n for no" in shown)
    seen.press("n\n")
    code, shown = seen.end()
    assert (code, shown.count("Go on?")) == (6, 2)
    assert "everthread: nothing was forgotten" in shown


# ---- messages


def test_a_turn_that_is_no_number_is_told_what_is_meant(cli: Cli, store: Path) -> None:
    code, _, err = cli("context", "--diff", "3", "--agent", "ada")
    assert code == 2 and "'--agent' is not the number of a turn; two are compared" in err
    code, _, err = cli("context", "--at", "two")
    assert code == 2 and "'two' is not the number of a turn" in err
    code, _, err = cli("memories", "list", "--limit", "all")
    assert code == 2 and "'all' is not a whole number" in err
    assert "range 1<=x<=100000" in cli("memories", "list", "--limit", "0").err


def test_an_unknown_thread_is_told_how_to_see_those_there_are(cli: Cli, store: Path) -> None:
    for command in ("context", "distill", "receipts"):
        code, _, err = cli(command, "--thread", "nope")
        assert code == 3 and "no thread 'nope'; `everthread threads` shows those it has" in err


def test_a_setting_is_told_with_the_one_that_is_meant(cli: Cli) -> None:
    code, _, err = cli("config", "set", "windw", "5")
    assert code == 2 and "no setting 'windw'; did you mean 'window'?" in err
    assert len(err) < 200


def test_where_no_store_is_yet_it_is_told_how_to_make_one(cli: Cli) -> None:
    code, _, err = cli("status")
    assert code == 5 and '`everthread remember "…"`' in err


def test_what_is_too_long_is_told_by_its_length_and_its_beginning(store: Path) -> None:
    """Cut between two words, and seen to be cut."""
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        with pytest.raises(BadInput) as told:
            ada.remember("The gateway listens on port 8443 and on no other port at all. " * 200)
        assert str(told.value).endswith(
            "characters; got 12,400: 'The gateway listens on port 8443 and on no other port at…'"
        )
        with pytest.raises(BadInput, match=r"characters; got ' '$"):
            ada.remember(" ")


def test_a_turn_that_was_interrupted_says_just_that(store: Path) -> None:
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        with pytest.raises(KeyboardInterrupt), ada.turn("hello"):
            raise KeyboardInterrupt
        with pytest.raises(ValueError, match="odd"), ada.turn("hello"):
            raise ValueError("odd")
        assert [turn.error for turn in ada.turns(limit=2)] == [
            "ValueError: odd",
            "KeyboardInterrupt",
        ]


LOADING = """
import sys


class Impatient:
    def find_spec(self, name, *_):
        if name == "everthread.edges.cli.app":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Impatient())
from everthread.edges.cli import main

main()
"""


def test_a_command_that_is_stopped_while_it_is_loaded_says_just_that() -> None:
    told = subprocess.run(
        [sys.executable, "-c", LOADING], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (130, "everthread: stopped\n")


BEFORE = """
import sys

known = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from everthread.edges.cli import main

print(*sorted(set(sys.modules) - known))
"""


def test_next_to_nothing_is_loaded_before_ctrl_c_ends_a_command_quietly() -> None:
    """A traceback could only come from the interpreter itself."""
    source = Path(everthread.__file__).parent.parent
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", BEFORE, str(source)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {"everthread", "everthread.edges", "everthread.edges.cli"}
    assert set(told.stdout.split()) <= {*ours, "__future__", "gc"}


@pytest.mark.parametrize(
    ("words", "place"),
    [(["status"], "everthread.edges.cli.app"), (["mcp"], "everthread.edges.mcp.bridge")],
)
def test_a_command_that_is_stopped_outside_its_work_says_just_that(
    words: list[str], place: str
) -> None:
    """Such as once more, while it tells that it was stopped."""
    script = f"""
import sys
import {place} as module
from everthread.edges.cli import main

def stopped():
    raise KeyboardInterrupt

module.main = module.serve_here = stopped
sys.argv = ["everthread", *{words!r}]
main()
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, input=""
    )
    assert (told.returncode, told.stderr) == (130, "everthread: stopped\n")


SWALLOWED = """
import os
import signal
import sys
import everthread.edges.cli.app as app

def load(*_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()
    except KeyboardInterrupt:
        pass
    raise ImportError("PyCapsule_Import could not import module")

app._invoke = load
sys.argv = ["everthread", "recall", "tabs"]
app.main()
"""


def test_a_command_that_is_stopped_while_a_library_is_loaded_says_just_that() -> None:
    """Such as numpy: it tells of Ctrl-C as of a fault of its own."""
    told = subprocess.run(
        [sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (130, "everthread: stopped\n")


LEAVING = """
import os
import signal
import sys
from everthread.edges.cli import main


class Impatient:
    def __del__(self, kill=os.kill, me=os.getpid(), number=signal.SIGINT):
        kill(me, number)


last = Impatient()
sys.argv = ["everthread", "--version"]
main()
"""


def test_ctrl_c_after_all_is_done_does_not_make_it_undone() -> None:
    """The interpreter takes as long to tidy up as some commands for their work."""
    told = subprocess.run(
        [sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("everthread ")


def calls_with_limit(et: everthread.Everthread, folder: Path) -> dict[str, Callable[..., object]]:
    """Every call of the library that takes a limit."""
    ada = et.agent("ada")
    task = ada.new_task("shop", goal="open it", project=str(folder))
    known = {
        "memory_id": ada.remember("The port of the staging database is 5433"),
        "query": "staging port",
        "agent": "ada",
        "name": et.sessions("ada", limit=1)[0].session.key,
    }
    found: dict[str, Callable[..., object]] = {}
    for each in (et, ada, ada.primary, task):
        for name in (n for n in dir(each) if not n.startswith("_")):
            call: Any = getattr(each, name)
            takes = inspect.signature(call).parameters if callable(call) else {}
            if "limit" in takes:
                given = [known[n] for n, one in takes.items() if one.default is one.empty]
                found[f"{type(each).__name__}.{name}"] = partial(call, *given)
    return found


def test_a_limit_is_at_least_one_at_every_call(store: Path) -> None:
    """As it is for commands, requests and tools. None might be meant as none or as all."""
    with everthread.connect(store, background=False) as et:
        calls = calls_with_limit(et, store.parent)
        assert len(calls) > 20
        for name, call in calls.items():
            call(limit=1)
            for wrong in (0, -1, 10**18, True, "3", 2.5):
                with pytest.raises(BadInput, match="limit must be"):
                    pytest.fail(f"{name}(limit={wrong!r}) gave {call(limit=wrong)!r:.80}")


# ---- what is said beside


def test_what_is_found_is_shown_by_its_first_lines(cli: Cli, store: Path) -> None:
    lines = [f"heliotrope {n}" for n in range(30)]
    with everthread.connect(store, background=False) as et:
        et.agent("ada").record([{"role": "user", "content": "\n".join(lines)}])
    cut = cli("recall", "heliotrope", "--limit", "1").out
    assert "heliotrope 7 … (--full shows all of it)\n" in cut and "heliotrope 8" not in cut
    whole = cli("recall", "heliotrope", "--limit", "1", "--full").out
    assert "heliotrope 29\n" in whole and "--full" not in whole


def test_what_the_library_warns_of_is_the_commands_own_word(cli: Cli, store: Path) -> None:
    """Whoever reads the stream sees of whom it is, and nothing in it commands the terminal."""
    folder = store.parent / "agents" / "ada"
    folder.mkdir(parents=True)
    (folder / "memory").write_text("a file where a folder should be")
    told = Cli(cli.home)("erase", "--agent", "ada", "--yes")
    assert told.code == 0 and "everthread: the files of ada cannot be read" in told.err
    assert [line for line in told.err.splitlines() if not line.startswith("everthread: ")] == []
