"""Commands beside a running daemon: it does them, with the same words as if there were none (R-52)."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import everthread
from everthread.edges.cli.app import cli
from everthread.edges.cli.base.daemon_or_store import _hello
from everthread.edges.cli.base.options import Choice
from support.beside import (
    DIRECT,
    HARNESSED,
    SECRET,
    Beside,
    alone,
    alone_at,
    asked_itself,
    be_patient,
    opened,
)
from support.beside import beside as by_process
from support.commands import Answer, Here
from support.daemon import Daemon, house, short_home

__all__ = ["alone", "by_process", "house", "short_home"]


@pytest.fixture
def beside(by_process: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Beside:
    """Hundreds of commands, so none has a process of its own; those of test_near_faults have."""
    return _here(by_process, monkeypatch, capsys)


@pytest.fixture(scope="module")
def untouched() -> Iterator[Beside]:
    """For all who only look, or are refused."""
    folder = Path(tempfile.mkdtemp(prefix="et-"))
    house = Daemon(folder / "home")
    try:
        yield opened(house)
    finally:
        house.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def seen(untouched: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Beside:
    return _here(untouched, monkeypatch, capsys)


@pytest.fixture
def seen_alone(untouched: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    return alone_at(untouched, monkeypatch, capsys)


def _here(beside: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Beside:
    here = Here(beside.daemon.home.parent, monkeypatch, capsys)
    here.env = beside.daemon.env
    beside.cli = here
    be_patient(monkeypatch)
    return beside


def ids(beside: Beside, *words: str, agent: str = "ada") -> list[str]:
    told = beside.direct(*words, "--agent", agent, "--json").json
    return [each["id"] for each in next(v for v in told.values() if isinstance(v, list))]


def reads(beside: Beside) -> list[tuple[str, ...]]:
    """Every command that looks, and goes through the daemon."""
    memory, session = ids(beside, "memories", "list")[0], ids(beside, "sessions", "list")[0]
    exchange = ids(beside, "exchanges", "list")[0]
    return [
        ("memories", "list"),
        ("memories", "list", "--state", "all", "--limit", "2"),
        ("memories", "list", "--project", "."),
        ("memories", "list", "--told", "--limit", "1"),
        ("memories", "list", "--origin", "user"),
        ("memories", "show", memory),
        ("memories", "history", memory[-8:]),
        ("notes", "list"),
        ("notes", "list", "--category", "none"),
        ("injections",),
        ("threads",),
        ("messages",),
        ("messages", "--limit", "1"),
        ("messages", "--tokens", "40"),
        ("messages", "--session", session),
        ("messages", "--session", session, "--tokens", "20"),
        ("sessions", "list"),
        ("sessions", "show", session),
        ("sessions", "show", session, "--limit", "1"),
        ("sessions", "timeline"),
        ("sessions", "timeline", "--limit", "2"),
        ("sessions", "timeline", session),
        ("exchanges", "list"),
        ("exchanges", "show", exchange),
        ("incidents",),
        ("outbox",),
        ("checkpoints", "list"),
        ("checkpoints", "list", "--project", "."),
        ("compactions", "list"),
        ("scorer", "report"),
        ("recall", "nothing like this was ever said zebra"),
    ]


def of_a_harness(beside: Beside) -> list[tuple[str, ...]]:
    """The same, of an agent that works in a harness."""
    compaction = ids(beside, "compactions", "list", agent=HARNESSED)[0]
    return [
        ("sessions", "list"),
        ("sessions", "show", "s-1"),
        ("checkpoints", "list"),
        ("injections",),
        ("compactions", "list"),
        ("compactions", "show", compaction),
    ]


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_command_tells_the_same_through_the_daemon_and_without_it(
    seen: Beside, seen_alone: Here
) -> None:
    """Output, errors and exit codes, byte for byte; for people and for programs."""
    asked = [(words, "ada") for words in reads(seen)]
    asked += [(words, HARNESSED) for words in of_a_harness(seen)]
    for words, agent in asked:
        for form in ((), ("--json",)):
            one = (*words, "--agent", agent, *form)
            direct = seen.direct(*one)
            assert seen(*one) == direct, one
            assert direct.code == 0, direct
            assert seen_alone(*one, cwd=seen.project) == direct, "it went through the daemon"


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_what_cannot_be_told_is_refused_in_the_same_words(seen: Beside) -> None:
    wrong: list[tuple[str, ...]] = [
        ("memories", "show", "00000000"),
        ("memories", "edit", "00000000", "x"),
        ("forget", "00000000", "--yes"),
        ("notes", "delete", "00000000"),
        ("sessions", "show", "nothing"),
        ("messages", "--session", "nothing"),
        ("messages", "--thread", "nothing"),
        ("recall", "  "),
        ("remember", ""),
        ("remember", "x" * 120_000),
        ("remember", "y", "--source", "nothing"),
        ("notes", "add", " "),
        ("send", "nobody", "hello"),
        ("send", "ada", "hello to myself"),
        ("incidents", "resolve", "00000000", "--note", "seen"),
        ("checkpoints", "list", "--session", "nothing"),
        ("checkpoints", "add", "where it stands", "--session", "nothing"),
        ("compactions", "show", "00000000"),
        ("compactions", "restore", "00000000"),
        ("sessions", "end", "nothing"),
        ("sessions", "resume", "nothing"),
    ]
    for words in wrong:
        for form in ((), ("--json",)):
            direct = seen.direct(*words, "--agent", "ada", *form)
            assert seen(*words, "--agent", "ada", *form) == direct, words
            assert direct.code not in (0, 70), direct
    for words in (("notes", "list"), ("recall", "port"), ("remember", "whose is this?")):
        direct = seen.direct(*words)
        assert seen(*words) == direct and "which agent?" in direct.err, direct
        direct = seen.direct(*words, "--agent", "nobody")
        assert seen(*words, "--agent", "nobody") == direct and direct.code == 3


HITS = re.compile(r"[-+]?\d\.\d+")
MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{8}\b|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
COUNT = re.compile(r'"checkpoint_count": \d+')
BESIDE = re.compile(r"^  (?:beside|If it takes the place) .*\n", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_recall_finds_the_same_either_way(seen: Beside, seen_alone: Here) -> None:
    """What is new weighs a little more; but for that figure all of it is the same."""
    for form in ((), ("--explain",), ("--json",), ("--limit", "1", "--json"), ("--project", ".")):
        words = ("recall", "which port for the parser", "--agent", "ada", *form)
        told = [seen.direct(*words), seen(*words), seen_alone(*words, cwd=seen.project)]
        assert len({(a.code, HITS.sub("0", a.out), a.err) for a in told}) == 1, told
        assert "8123" in told[0].out or "--project" in form, told[0]
    few = ("recall", "parser", "--agent", "ada", "--tokens", "40")
    assert HITS.sub("0", seen(*few).out) == HITS.sub("0", seen.direct(*few).out)
    with pytest.raises(AssertionError, match="opened the store itself"):
        raise AssertionError(seen_alone(*few, cwd=seen.project).err)


def written(beside: Beside, way: Callable[..., Answer]) -> list[Answer]:
    """What is written, by one way; each word as if it had never been said before."""
    mark = "alpha" if way == beside.direct else "omega"
    who = ("--agent", "ada")
    told = [
        way("remember", f"The {mark} build takes long", *who),
        way("remember", f"The {mark} build takes long", *who, "--json"),
        way("remember", "-", *who, "--json", "--tag", "x", stdin=f"The {mark} token is {SECRET}"),
        way("remember", f"{mark} is only for here", *who, "--project", ".", "--json"),
        way("remember", f"Everybody likes {mark}", *who, "--user-wide", "--kind", "preference"),
        way("notes", "add", f"{mark} to be asked", *who, "--category", "question"),
        way("notes", "add", f"{mark} again", *who, "--json"),
        way("send", "shop", f"{mark} is done", "--from", "ada"),
        way("send", "shop", f"{mark} is over", *who, "--json"),
    ]
    kept, noted = told[1].json["id"], told[6].json["id"]
    told += [
        way("memories", "edit", kept, f"The {mark} build takes very long", *who),
        way("memories", "edit", kept, f"The {mark} build takes very long", *who, "--json"),
        way("forget", told[3].json["id"], *who),
        way("forget", told[3].json["id"], *who, "--yes", "--json"),
        way("notes", "delete", noted, *who, "--json"),
        way("checkpoints", "add", f"{mark} is half done", "--decision", "one pass", *who),
        way("checkpoints", "add", f"{mark} is whole", "--next", "rest", *who, "--json"),
    ]
    return told


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_what_is_written_through_the_daemon_is_what_a_command_writes(beside: Beside) -> None:
    """The same answers, the same rows: origin, scope, project, tags; and the same entries of the log."""
    told: list[list[tuple[int, str, str]]] = []
    rows: list[list[Any]] = []
    events: list[list[str]] = []
    for way in (beside.direct, beside):
        before = len(
            beside.direct("sessions", "timeline", "--agent", "ada", "--json").json["entries"]
        )
        answers = written(beside, way)
        told.append([(a.code, masked(without_others(a.out)), masked(a.err)) for a in answers])
        entries = beside.direct(
            "sessions", "timeline", "--agent", "ada", "--json", "--limit", "999"
        ).json["entries"]
        events.append([entry["event"] for entry in entries[before:]])
        kept = beside.direct("memories", "list", "--agent", "ada", "--state", "all", "--json").json[
            "memories"
        ]
        mark = "alpha" if way == beside.direct else "omega"
        rows.append([masked(json.dumps(each)) for each in kept if mark in each["text"]])
    assert told[0] == told[1]
    assert events[0] == events[1]
    assert rows[0] == rows[1] and len(rows[0]) == 4


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_sessions_end_and_go_on_the_same_either_way(beside: Beside) -> None:
    """The daemon sees to what follows, whoever ended it."""
    told = [[masked(str(answer)) for answer in sat(beside, way)] for way in (beside.direct, beside)]
    assert told[0] == told[1]


def sat(beside: Beside, way: Callable[..., Answer]) -> list[Answer]:
    who = ("--agent", "ada")
    return [
        way("sessions", "end", *who),
        way("sessions", "end", *who),
        way("sessions", "resume", "--continue", *who),
        way("sessions", "resume", "--continue", "--channel", "webchat", *who, "--json"),
        way("sessions", "end", *who, "--json"),
        way("sessions", "resume", "--continue", *who),
        way("sessions", "resume", "s-1", "--agent", HARNESSED),
        way(
            "compactions",
            "restore",
            ids(beside, "compactions", "list", agent=HARNESSED)[0],
            "--agent",
            HARNESSED,
        ),
    ]


def without_others(out: str) -> str:
    """Without what stands beside a memory: who writes second is shown what the first wrote."""
    if not out.startswith("{"):
        return BESIDE.sub("", out)
    told = json.loads(out)
    return json.dumps(told | {"beside": []} if "beside" in told else told)


def masked(text: str) -> str:
    """Without what is new each time, and without how many there were before."""
    return COUNT.sub("", MADE.sub("·", text)).replace("omega", "alpha")


@pytest.mark.slow
@pytest.mark.req("R-52", "R-48")
def test_the_agent_of_the_folder_is_meant_either_way(beside: Beside, short_home: Path) -> None:
    (short_home / "projects.toml").write_text(f'["{beside.project}"]\nagent = "shop"\n')
    below = beside.project / "src"
    below.mkdir()
    for words in (("notes", "add", "from here", "--json"), ("notes", "list", "--json")):
        assert beside(*words, cwd=below).json["agent"] == "shop"
        assert beside.direct(*words, cwd=below).json["agent"] == "shop"
    set_ = {"EVERTHREAD_AGENT": "ada"}
    assert beside("notes", "list", "--json", env=set_).json["agent"] == "ada"
    assert beside("private", "on").code == 0
    listed = ("notes", "list", "--json", "--agent", "ada")
    assert beside(*listed, cwd=below) == beside.direct(*listed, cwd=below)


# Which commands ---------------------------------------------------------------------------------

THROUGH = {
    "threads", "messages", "sessions list", "sessions show", "sessions timeline", "sessions resume",
    "sessions end", "checkpoints list", "checkpoints add", "incidents", "incidents resolve",
    "outbox", "compactions list", "compactions show", "compactions restore", "recall", "remember",
    "forget", "memories list", "memories show", "memories edit", "memories history", "notes add",
    "notes list", "notes delete", "injections", "scorer report", "send", "exchanges list",
    "exchanges show",
}  # fmt: skip
ALONE = {
    "needs no store": (
        "demo", "install", "uninstall", "up", "down", "logs", "hook", "mcp", "config get",
        "config set", "config unset", "config list", "config explain", "completion", "embed setup",
        "embed status", "help",
    ),
    "tends the store itself": (
        "doctor", "verify", "backup", "export", "import", "erase", "index", "vacuum", "status",
        "agents", "receipts dismiss",
        "token create", "token list", "token revoke", "private on", "private off", "private list",
    ),
    "asks a model, or runs for as long as it takes": (
        "distill", "undo", "redo", "scorer learn", "sessions summarize",
    ),
    "runs a project's own commands, for the process that called": (
        "task new", "task start", "task end", "task status", "task list", "task checkpoint",
        "task gate", "task fail", "task pass", "task stop", "task allow", "task trust", "task used",
        "checkpoints verify",
    ),
    "shows what a document does not hold": ("receipts", "receipts show", "context", "checkpoints show"),
}  # fmt: skip
"""Those that open the store though a daemon runs, by the reason; docs/decisions has the long one."""


def commands(group: click.Group, before: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if not isinstance(found, click.Group):
            yield before + name
            continue
        yield from commands(found, f"{before}{name} ")


@pytest.mark.req("R-52")
def test_every_command_goes_through_the_daemon_or_says_why_not() -> None:
    """A new one must be placed. That those of THROUGH do is shown above."""
    told = {*THROUGH, *(name for names in ALONE.values() for name in names)}
    assert set(commands(cli)) <= told
    assert told <= {*commands(cli), "incidents", "receipts"}
    assert sum(map(len, ALONE.values())) + len(THROUGH) == len(told), "each is placed once"


# Which way --------------------------------------------------------------------------------------


hello = _hello


def as_in_a_container(choice: Choice, settings: everthread.Settings) -> dict[str, Any]:
    """What lies there under the same path is another file."""
    return {**(hello(choice, settings) or {}), "store": [1, 2]}


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_daemon_stands_in_only_where_it_would_do_the_very_same(
    beside: Beside, alone: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("notes", "list")
    assert not asked_itself(alone, *words)
    assert asked_itself(alone, *words, env=DIRECT), "wished"
    assert asked_itself(alone, "--store", str(beside.store), *words), "a store is named"
    other = {"EVERTHREAD_RECENT_DAYS": "3"}
    assert asked_itself(alone, *words, env=other), "other settings than the daemon's"
    assert asked_itself(alone, *words, env={"HOME": "/"}), "somebody else's home folder"
    assert not asked_itself(alone, *words, env={"EVERTHREAD_AGENT": "ada"})
    with monkeypatch.context() as patch:
        patch.setattr("everthread.edges.cli.base.daemon_or_store.__version__", "9.9.9")
        assert asked_itself(alone, *words), "another version"
    with monkeypatch.context() as patch:
        patch.setattr("everthread.edges.cli.base.daemon_or_store._hello", as_in_a_container)
        assert asked_itself(alone, *words), "another file of that name"
    copy = beside.store.with_name("copy.db")
    with everthread.connect(settings=beside.daemon.settings, background=False) as et:
        assert et.agents()
    copy.write_bytes(beside.store.read_bytes())
    assert asked_itself(alone, *words, env={"EVERTHREAD_STORE": str(copy)}), "another store"
