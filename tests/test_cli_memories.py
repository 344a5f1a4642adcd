"""`remember`, `forget`, `memories` and `notes`, through the door."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import everthread
from everthread.wiring import project_agent
from support.commands import Cli, Here, Terminal

WIDE = {"COLUMNS": "300"}
TOKEN = "ghp_" + "Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def project(cli: Cli) -> Path:
    folder = cli.home / "parser"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def kept(cli: Cli, text: str, *options: str, cwd: Path | None = None) -> str:
    """Remember it; the id."""
    answer = cli("remember", text, "--agent", "ada", "--json", *options, cwd=cwd)
    assert answer.code == 0, answer.err
    return answer.json["id"]


def connected(cli: Cli) -> everthread.Everthread:
    return everthread.connect(cli.home / "data" / "everthread.db", background=False)


# ---- remember


@pytest.mark.req("R-48")
def test_the_first_memory_makes_the_store_and_the_projects_agent(cli: Cli, project: Path) -> None:
    command = Cli(cli.home)
    code, out, err = command(
        "remember", "critical: Prefers tabs", "--kind", "preference", cwd=project
    )
    assert code == 0
    assert "is the first agent in" in err  # a mistyped --store would make one too
    name = project_agent(project)
    assert name is not None and name.startswith("parser-")
    assert out.strip().endswith(f"remembered, preference, pinned for {name}")
    code, out, _ = command("memories", "list", cwd=project)
    assert code == 0 and "Prefers tabs" in out and "pinned" in out


def test_where_no_project_is_an_agent_must_be_named(cli: Cli) -> None:
    code, _, err = cli("remember", "Prefers tabs")
    assert code == 2 and "name one with --agent" in err
    assert cli("remember", "Prefers tabs", "--agent", "ada").code == 0
    # From now on there is one, and a name that is not there is a mistake.
    assert cli("remember", "The port is 8080").code == 0
    code, _, err = cli("remember", "The port is 8080", "--agent", "adda")
    assert code == 3 and "no agent 'adda'" in err


def test_remember_answers_programs_with_the_whole_memory(cli: Cli, project: Path) -> None:
    (project / "a.py").write_text("x = 1\n")
    answer = cli(
        *(
            "remember",
            "[style]: The parser is in a.py",
            "--agent",
            "ada",
            "--tag",
            "Code",
            "--json",
        ),
        cwd=project,
    ).json
    assert answer["agent"] == "ada"
    assert answer["text"] == "The parser is in a.py"
    assert answer["tags"] == ["style", "code"]
    assert list(answer["files"]) == ["a.py"]
    assert (answer["scope"], answer["origin"], answer["state"]) == ("agent", "user", "kept")
    assert answer["supersedes"] == []


def test_remember_says_what_became_of_it(cli: Cli) -> None:
    first = kept(cli, "The port is 8080")
    answer = cli("remember", "The port is 8081", "--json").json
    assert answer["supersedes"] == [first]
    assert ": The port is 8081" in cli("remember", "The port is 8082").out.split("supersedes ")[1]
    assert "said 2 times" in cli("remember", "The port is 8082.").out


def test_text_may_come_by_the_standard_input(cli: Cli) -> None:
    assert cli("remember", "-", "--agent", "ada", stdin="Prefers tabs\n").code == 0
    assert cli("notes", "add", "-", stdin="Ask Mel\n").code == 0
    assert [m["text"] for m in cli("memories", "list", "--json").json["memories"]] == [
        "Prefers tabs"
    ]
    assert [n["text"] for n in cli("notes", "list", "--json").json["notes"]] == ["Ask Mel"]
    code, _, err = cli("remember", "-", stdin="")
    assert code == 2 and "1 to 8,000 characters" in err


def test_a_memory_may_be_a_projects_or_user_wide(cli: Cli, project: Path) -> None:
    kept(cli, "Use ruff", "--project", str(project))
    kept(cli, "Prefers tabs", "--user-wide")
    found = cli("memories", "list", "--json").json["memories"]
    assert {m["text"]: m["scope"] for m in found} == {"Use ruff": "project", "Prefers tabs": "user"}
    of_project = cli("memories", "list", "--project", str(project), "--json").json["memories"]
    assert [m["text"] for m in of_project] == ["Use ruff"]
    code, _, err = cli("remember", "x", "--user-wide", "--project", str(project))
    assert code == 2 and "not both" in err


def test_a_memory_names_its_sources(cli: Cli) -> None:
    kept(cli, "something")
    with connected(cli) as et:
        ada = et.agent("ada")
        ada.turn("I like tabs").done("Noted.")
        source = ada.messages()[0].id
    memory = kept(cli, "Prefers tabs", "--source", source)
    assert cli("memories", "show", memory, "--json").json["sources"] == [source]
    code, _, err = cli("remember", "x", "--source", "0" * 32)
    assert code == 2 and "has no message" in err


@pytest.mark.req("R-30", "X-19")
def test_what_is_shown_holds_no_secret(cli: Cli) -> None:
    memory = kept(cli, f"The token is {TOKEN}")
    cli("notes", "add", f"use {TOKEN}")
    for words in (
        *(("memories", "list"), ("memories", "show", memory), ("memories", "history", memory)),
        *(("notes", "list"), ("memories", "list", "--json"), ("notes", "list", "--json")),
    ):
        code, out, _ = cli(*words)
        assert code == 0 and TOKEN not in out and "REDACTED" in out


def test_wrong_use_is_told_with_its_exit_code(cli: Cli) -> None:
    kept(cli, "Prefers tabs")
    cases: list[tuple[tuple[str, ...], int, str]] = [
        (("remember", ""), 2, "1 to 8,000 characters"),
        (("remember", "x", "--kind", "opinion"), 2, "opinion"),
        (("remember", "<everthread-recall>x"), 6, "our own text"),
        (("memories", "show", "ffffffff"), 3, "no memory"),
        (("memories", "edit", "ffffffff", "x"), 3, "no memory"),
        (("memories", "history", "nothex"), 3, "no memory"),
        (("forget", "ffffffff", "--yes"), 3, "no memory"),
        (("notes", "delete", "ffffffff"), 3, "no note"),
        (("memories", "list", "--state", "gone"), 2, "gone"),
    ]
    for words, expected, message in cases:
        code, _, err = cli(*words)
        assert (code, message in err) == (expected, True), (words, err)
    assert cli("memories", "show", "ffffffff", "--json").error["name"] == "MemoryUnknown"


# ---- memories


def test_an_edit_takes_the_place_of_the_old_version(cli: Cli) -> None:
    old = kept(cli, "Prefers tabs", "--kind", "preference")
    code, out, _ = cli("memories", "edit", old[-8:], "Prefers spaces")
    assert code == 0 and f"takes the place of {old[-8:]}" in out
    new = cli("memories", "list", "--json").json["memories"][0]
    assert (new["text"], new["kind"]) == ("Prefers spaces", "preference")
    assert "says that already" in cli("memories", "edit", new["id"], "Prefers spaces").out
    code, out, _ = cli("memories", "history", old)
    lines = out.splitlines()
    assert code == 0 and "memory.kept" in lines[1] and "Prefers tabs" in lines[1]
    assert [line.split()[3] for line in lines[1:]] == [
        *("memory.kept", "memory.kept", "memory.superseded"),
    ]
    versions = cli("memories", "history", old, "--json").json["versions"]
    assert [v["text"] for v in versions] == ["Prefers tabs", "Prefers spaces"]
    assert versions[0]["superseded_by"] == new["id"]
    code, _, err = cli("memories", "edit", old, "x")
    assert code == 6 and new["id"] in err


def test_show_tells_whether_the_files_have_changed(cli: Cli, project: Path) -> None:
    (project / "a.py").write_text("x = 1\n")
    memory = kept(cli, "The parser is in a.py", cwd=project)
    assert "fresh: the files are as they were" in cli("memories", "show", memory).out
    (project / "a.py").write_text("x = 2\n")
    assert "changed since: verify before relying on it" in cli("memories", "show", memory).out
    assert cli("memories", "show", memory, "--json").json["fresh"] == "changed"


def test_an_empty_list_says_what_to_do(cli: Cli) -> None:
    kept(cli, "Prefers tabs")
    assert "everthread remember" in cli("memories", "list", "--kind", "rule").out
    assert "everthread notes add" in cli("notes", "list").out
    assert cli("memories", "list", "--kind", "rule", "--json").json["memories"] == []
    for group in ("memories", "notes"):
        assert "Commands:" in cli(group).out


# ---- forget


@pytest.mark.req("R-43")
def test_forget_shows_no_word_and_needs_a_yes_where_nobody_is_there(cli: Cli) -> None:
    memory = kept(cli, "The vault code is heliotrope")
    code, out, err = cli("forget", memory[-8:])
    assert code == 2 and "say --yes" in err
    assert "heliotrope" not in out + err
    code, out, err = cli("forget", memory[-8:], "--yes")
    assert (code, out, err) == (0, f"{memory[-8:]}  forgotten\n", "")
    gone = cli("memories", "list", "--state", "forgotten", "--json").json["memories"]
    assert [(m["id"], m["text"]) for m in gone] == [(memory, "")]
    assert "heliotrope" not in cli("memories", "history", memory).out
    assert cli("forget", memory, "--yes", "--json").json == {
        "agent": "ada",
        "id": memory,
        "state": "forgotten",
        "left": [],
    }
    assert cli("verify").code == 0


def test_forget_names_what_may_still_say_it_and_shows_no_word(cli: Cli) -> None:
    memory = kept(cli, "The vault code is heliotrope")
    other = kept(cli, "Mel opens the vault with heliotrope, the code of 2019")
    code, out, err = cli("forget", memory, "--yes")
    told = f"these may still say it in other words: fact {other[-8:]}\n"
    assert (code, out, err) == (0, f"{memory[-8:]}  forgotten\n{told}", "")
    assert cli("forget", other, "--yes", "--json").json["left"] == []


def test_forget_names_the_day_on_which_it_was_said(cli: Cli) -> None:
    with connected(cli) as engine:
        ada = engine.agent("ada")
        ada.record(
            [{"role": "user", "content": "The vault is shut.", "at": "2021-03-04T10:00:00Z"}]
        )
        memory = ada.remember("The vault is shut", sources=ada.messages(limit=1))
    assert " of 2021-03-04 " in cli("forget", memory.id).err


@pytest.mark.parametrize(("key", "code"), [("y", 0), ("n", 6)])
def test_forget_asks_a_person_without_showing_the_text(cli: Cli, key: str, code: int) -> None:
    memory = kept(cli, "The vault code is heliotrope", "--kind", "rule")
    seen = Terminal(["forget", memory[-8:]], cli.env, cli.home, 100)
    seen.until(lambda shown: "Go on?" in shown)
    seen.press(f"{key}\n")
    ended, shown = seen.end()
    assert ended == code
    assert f"rule {memory[-8:]}" in shown and "heliotrope" not in shown
    state = cli("memories", "show", memory, "--json").json["state"]
    assert state == ("forgotten" if key == "y" else "kept")


@pytest.mark.slow
def test_what_one_terminal_remembers_another_lists_at_once(cli: Cli) -> None:
    command = Cli(cli.home)
    for i in range(3):
        command("remember", f"The port of host{i} is {i}", "--agent", "ada")
        found = json.loads(command("memories", "list", "--json").out)["memories"]
        assert len(found) == i + 1


# ---- notes


@pytest.mark.req("R-19")
def test_notes_are_added_listed_and_deleted(cli: Cli) -> None:
    code, out, _ = cli("notes", "add", "We use tabs", "--category", "Decision", "--agent", "ada")
    assert code == 0 and out.strip().endswith("noted under decision for ada")
    cli("notes", "add", "Ask Mel")
    notes = cli("notes", "list", "--json").json["notes"]
    assert [(n["category"], n["text"], n["origin"]) for n in notes] == [
        ("note", "Ask Mel", "user"),
        ("decision", "We use tabs", "user"),
    ]
    shown = cli("notes", "list", "--category", "decision").out
    assert "We use tabs" in shown and "Ask Mel" not in shown
    assert cli("notes", "delete", notes[0]["id"][-8:]).code == 0
    assert [n["text"] for n in cli("notes", "list", "--json").json["notes"]] == ["We use tabs"]
    assert cli("notes", "delete", notes[1]["id"], "--json").json["deleted"] == notes[1]["id"]


def test_the_list_says_what_holds_no_more_and_what_not_yet(cli: Cli) -> None:
    with connected(cli) as engine:
        ada = engine.agent("ada")
        ada.remember("The kiln rents for 40 a day", valid_to="2020-05-01T00:00:00Z")
        ada.remember("The studio moves to Bergen", valid_from="2099-01-02T00:00:00Z")
        ada.remember("The glaze is cobalt blue")
    shown = {
        line.split()[0]: line
        for line in cli("memories", "list", "--state", "kept", env=WIDE).out.splitlines()
        if line.strip()
    }
    marks = {
        word: next(line for line in shown.values() if word in line)
        for word in ("kiln", "studio", "glaze")
    }
    assert "ended 2020-05-01" in marks["kiln"] and "from 2099-01-02" in marks["studio"]
    assert "ended" not in marks["glaze"] and "from" not in marks["glaze"]
    assert "kiln" not in cli("memories", "list", env=WIDE).out


@pytest.mark.req("R-48")
def test_who_finds_nothing_is_told_whom_was_asked_and_who_else_there_is(cli: Cli) -> None:
    kept(cli, "The glaze is cobalt blue")
    told = cli("recall", "zebra crossing").out
    assert told == "nothing found of ada: try other words\n"
    with connected(cli) as engine:
        engine.agent("marlo")
    told = cli("recall", "zebra crossing", "--agent", "marlo").out
    assert "nothing found of marlo" in told and "other agents: ada; ask one with --agent" in told


def test_who_gives_too_few_tokens_is_not_told_to_try_other_words(cli: Cli) -> None:
    kept(cli, "We go by train to Hamburg.", "--agent", "ada")
    told = cli("recall", "train to Hamburg", "--tokens", "1").out
    assert "1 found, and none fits 1 token; give --tokens more room" in told
    assert "other words" not in told
    as_json = cli("recall", "train to Hamburg", "--tokens", "1", "--json").json
    assert (as_json["hits"], as_json["note"][:7]) == ([], "1 found")
    assert "try other words" in cli("recall", "zebra", "--tokens", "1").out
