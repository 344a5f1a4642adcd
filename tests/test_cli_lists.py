"""Lists, through the door: one that was cut says so, and a memory is dated by when it was said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import everthread
from everthread.domain.errors import BadInput
from everthread.edges.cli.app import cli as app
from support.commands import Cli, Here
from support.harness import bench
from support.tasking import git_project

AGO = "2025-03-01T10:00:00Z"
MORE = "… there are more than these; --limit shows them"
LISTS: dict[str, tuple[str, ...]] = {
    "agents": ("agents",),
    "memories": ("memories", "list"),
    "notes": ("notes", "list"),
    "messages": ("messages",),
    "sessions": ("sessions", "list"),
    "entries": ("sessions", "timeline"),
    "injections": ("injections",),
    "exchanges": ("exchanges", "list"),
    "checkpoints": ("checkpoints", "list"),
    "compactions": ("compactions", "list"),
    "receipts": ("receipts",),
    "incidents": ("incidents",),
    "events": ("outbox",),
}
OF_TASK = {"sessions", "entries", "checkpoints", "incidents"}
NO_LISTS = {("recall",), ("sessions", "show")}
"""These have a limit too: one is as long as asked for, the other says how many are left."""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def store(cli: Cli) -> Path:
    path = cli.home / "data" / "everthread.db"
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.fixture
def project(cli: Cli, store: Path) -> Path:
    """Of everything that can be listed there is more than one; a task of the project has it too."""
    folder = git_project(cli.home / "shop")
    with everthread.connect(store, background=False) as et:
        ada, _ = et.agent("ada"), et.agent("bob")
        for n in (1, 2):
            ada.record([{"role": "user", "content": f"Port {n} is open."}], session=f"s-{n}")
            ada.remember(f"The gateway {n} listens on port 84{n}3")
            ada.note(f"Ask Mel about gateway {n}")
            ada.send("bob", f"Gateway {n} is up")
            ada.turn(f"On which port does gateway {n} listen?").done(f"On 84{n}3.")
            ada.checkpoint(f"gateway {n} is up", session=f"s-{n}")
            ada.distill()
        task = ada.new_task("parser", goal="Read it in one pass", project=str(folder))
        for n in (1, 2):
            task.start()
            task.checkpoint("explicit", f"half way {n}")
            task.stop(f"smoke {n}")
            task.allow("it is fine")
    return folder


@pytest.fixture
def compacted(cli: Cli, store: Path) -> Iterator[str]:
    """An agent in a harness that compacted twice."""
    with bench(cli.home, str(store)) as made:
        window = made.window()
        window.start()
        for n in (1, 2):
            window.turn(f"Deploy to port 844{n} of the gateway.", "Done.")
            window.compact("The user works on a gateway.")
        made.work()
        yield made.agent.name


def cut(cli: Cli, words: tuple[str, ...], name: str, cwd: Path) -> None:
    """One of it is shown, and that there are more; all of it, and that there are not."""
    one = cli(*words, "--limit", "1", "--json", cwd=cwd)
    assert one.code == 0, (words, one.err)
    assert (len(one.json[name]), one.json["more"]) == (1, True), words
    told = cli(*words, "--limit", "1", cwd=cwd).out
    assert told.rstrip().endswith(MORE), (words, told)
    whole = cli(*words, "--limit", "1000", "--json", cwd=cwd).json
    assert len(whole[name]) > 1 and whole["more"] is False, words
    assert MORE not in cli(*words, "--limit", str(len(whole[name])), cwd=cwd).out, words


def test_a_list_that_was_cut_says_so(cli: Cli, project: Path, compacted: str) -> None:
    """R-48: nobody takes the first rows for all there are."""
    for name, command in LISTS.items():
        words = (*command, "--all") if name == "incidents" else command
        agent = compacted if name == "compactions" else "ada"
        named = () if name == "agents" else ("--agent", agent)
        cut(cli, (*words, *named), name, project)
        if name in OF_TASK:
            cut(cli, (*words, "--agent", "ada", "--task", "parser"), name, project)


def test_what_was_cut_is_the_oldest(cli: Cli, project: Path) -> None:
    """Also where the oldest stands first."""
    entries = cli("sessions", "timeline", "--agent", "ada", "--json").json["entries"]
    last = cli("sessions", "timeline", "--agent", "ada", "--limit", "2", "--json").json["entries"]
    assert last == entries[-2:]


def test_the_agents_are_listed_with_what_they_hold(cli: Cli, project: Path) -> None:
    """Lately active first; one that never said anything is last."""
    found = cli("agents", "--json").json["agents"]
    assert [each["agent"] for each in found] == ["ada", "bob"]
    with everthread.connect(cli.home / "data" / "everthread.db", background=False) as et:
        held = sum(thread.row.message_count for thread in et.agent("ada").threads())
    assert found[0]["message_count"] == held > 0 and found[0]["last_activity"]
    shown = cli("agents", env={"COLUMNS": "200"}).out
    assert "ada" in shown and "bob" in shown and f"{held:,}" in shown
    refused = cli("agents", "--agent", "ada")
    assert refused.code == 2 and "status --agent" in refused.err


def test_every_list_is_among_these() -> None:
    found = {
        words
        for words, command in commands(app)
        if any("--limit" in parameter.opts for parameter in command.params)
    }
    assert found == {*LISTS.values(), *NO_LISTS}


def commands(group: click.Group, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*above, name), command
        if isinstance(command, click.Group):
            yield from commands(command, *above, name)


def test_all_tasks_are_listed(cli: Cli, store: Path) -> None:
    """There is no limit to ask for, and so none."""
    folder = git_project(cli.home / "shop")
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        for n in range(101):
            ada.new_task(f"task-{n}", goal="Read it", project=str(folder))
    assert len(cli("task", "list", "--agent", "ada", "--json", cwd=folder).json["tasks"]) == 101


# ---- when a memory was said, and by whom


def listed(cli: Cli, *words: str) -> list[dict[str, Any]]:
    return cli("memories", "list", "--agent", "ada", "--json", *words).json["memories"]


@pytest.fixture
def remembered(store: Path) -> None:
    """One was said long ago and drawn last; the user told one, the agent another."""
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "The gateway listens on 8443.", "at": AGO}])
        ada.remember("Prefers tabs in YAML")
        ada.remember("The tests take four minutes", origin="agent")
        ada.remember("The gateway listens on 8443", sources=ada.messages(limit=1))


@pytest.mark.req("R-48")
def test_memories_are_dated_and_ordered_by_when_they_were_said(cli: Cli, remembered: None) -> None:
    """However late they were drawn from what was said."""
    found = listed(cli)
    assert [m["text"] for m in found] == [
        "The tests take four minutes",
        "Prefers tabs in YAML",
        "The gateway listens on 8443",
    ]
    old = found[-1]
    assert old["said_at"] == "2025-03-01T10:00:00.000Z" < old["created_at"]
    last = cli("memories", "list", "--agent", "ada").out.splitlines()[-1]
    assert "2025-03-01" in last and old["created_at"][:10] not in last
    assert cli("memories", "show", old["id"], "--json").json["said_at"] == old["said_at"]


def test_what_was_told_is_found_among_what_was_drawn(cli: Cli, remembered: None) -> None:
    out = cli("memories", "list", "--agent", "ada").out
    assert [line.split("  ")[2] for line in out.splitlines()[1:]] == [
        "agent, told",
        "user, told",
        "user",
    ]
    assert [m["text"] for m in listed(cli, "--told", "--origin", "user")] == [
        "Prefers tabs in YAML"
    ]
    assert [m["origin"] for m in listed(cli, "--told")] == ["agent", "user"]
    assert [m["origin"] for m in listed(cli, "--origin", "agent")] == ["agent"]


def test_an_unknown_origin_is_named(cli: Cli, store: Path) -> None:
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        with pytest.raises(BadInput, match="origin must be one of user, agent"):
            ada.memories(origin="me")


@pytest.mark.parametrize("name", ["agents", "receipts", "incidents", "injections", "threads"])
def test_list_behind_what_lists_by_itself_asks_for_nothing_else(
    cli: Cli, project: Path, name: str
) -> None:
    """Who knows `memories list` types `agents list`."""
    named = () if name == "agents" else ("--agent", "ada")
    plain = cli(name, "--json", *named, cwd=project)
    assert plain.code == 0 and plain.out
    assert cli(name, "list", "--json", *named, cwd=project).out == plain.out
    wrong = cli(name, "listen", *named, cwd=project)
    assert wrong.code == 2 and "listen" in wrong.err
