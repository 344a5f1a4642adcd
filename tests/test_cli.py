"""The command line, through the door: what it prints, what it answers to programs, how it ends."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest

import everthread
from everthread.domain import errors
from everthread.domain.harness.projects import meant_agent, project_name
from everthread.edges.cli.base.exits import EXIT_CODES, code_of, report_error
from everthread.edges.cli.base.terminal import clean, say, show_json
from everthread.testing import FrozenClock
from everthread.wiring import project_agent
from support.commands import COMMAND, Cli, Here, Installed, Terminal, clean_environment

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
PRIMARY = "agent:ada:main"


def converse(path: Path) -> None:
    """Two agents; Ada has two sessions, a tool call, a failed turn and a thread for her heartbeat."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect(path, background=False, clock=clock) as engine:
        ada = engine.agent("ada", system="You are Ada.", model="claude-test", window=10_000)
        ada.turn("Shall we use tabs?", channel="webchat", name="Mel").done(
            "Spaces.", usage={"input_tokens": 60, "output_tokens": 2}
        )
        turn = ada.turn("How warm is it?", channel="webchat", name="Mel")
        turn.add([{"type": "tool_use", "id": "c1", "name": "thermometer", "input": {"room": 3}}])
        turn.tool_result("c1", "21 degrees")
        turn.done("21 degrees.")
        clock.forward(hours=5)
        ada.turn("Are you there?", channel="signal:+49").failed("overloaded")
        ada.thread("heartbeat:morning", kind="background").turn("Check.").done("All is well.")
        engine.agent("bob").record([{"id": "1", "role": "user", "content": "Hello, Bob."}])


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "everthread.db"
    converse(path)
    return path


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def command(cli: Cli) -> Cli:
    """The installed command, in a process of its own."""
    return Installed(cli.home)


@pytest.fixture
def store(cli: Cli, original: Path) -> Path:
    """A copy of the conversation where the command looks for it by default."""
    path = cli.home / "data" / "everthread.db"
    path.parent.mkdir()
    shutil.copy(original, path)
    return path


# ---- status, threads


def test_status_tells_people_how_things_stand(command: Cli, store: Path):
    """A disk meter, threads by their share of the window, where the conversation is."""
    code, out, err = command("status")
    assert (code, err) == (0, "")
    assert str(store) in out
    assert re.search(r"disk +[\d.]+ kB \(store .*, log .*\); [\d,]+ bytes a message", out)
    assert "counted by the o200k vocabulary" in out
    assert re.search(r"agent:ada:main +primary +7 +3 +█", out)
    assert re.search(r"heartbeat:morning +background +2 +1 ", out)
    assert "last turn  number 3, failed, 2026-02-20 15:00" in out and "overloaded" in out
    assert "open turn  none" in out
    assert "calibrated by 1 report of the provider" in out
    assert "by the vocabulary alone" in out  # Bob's
    assert "\x1b" not in out and not re.search(r" $", out, re.M)


def test_status_tells_programs_everything_in_one_document(cli: Cli, store: Path):
    answer = cli("status", "--json").json
    assert answer["store"] == str(store)
    assert answer["disk"]["total"] == sum(answer["disk"]["parts"].values()) > 0
    assert answer["disk"]["bytes_per_message"] == round(answer["disk"]["total"] / 10, 1)
    ada, bob = answer["agents"]
    assert (ada["agent"], bob["agent"]) == ("ada", "bob")
    assert UUID.fullmatch(ada["agent_id"])
    assert ada["calibration"]["in_use"] and not bob["calibration"]["in_use"]
    assert ada["last_turn"]["error"] == "overloaded"
    primary = ada["threads"][0]
    assert primary["kind"] == "primary" and primary["window"] == 10_000
    assert primary["window_percent"] == primary["context_tokens"] / 100
    assert TIME.fullmatch(primary["last_activity"])
    assert {"channel": "signal:+49", "thread": PRIMARY} in ada["channels"]


def test_status_speaks_of_one_agent_if_one_is_named(cli: Cli, store: Path):
    assert [a["agent"] for a in cli("--json", "status", "--agent", "bob").json["agents"]] == ["bob"]


def test_status_works_with_no_agents(cli: Cli):
    code, out, _ = cli("status", "--store", "memory://")
    assert code == 0 and "No agents yet" in out
    assert cli("status", "--store", "memory://", "--json").json["agents"] == []


def waiting(out: str) -> int:
    """How many jobs wait, as the status says."""
    found = re.search(r"(\d+) jobs? waiting", out)
    return 0 if found is None else int(found[1])


def test_status_shows_the_work_that_waits_and_the_work_that_died(cli: Cli, store: Path):
    before = waiting(cli("status").out)
    with everthread.connect(store, background=False) as engine:

        def work(records):
            for kind in ("letters.send", "letters.sort"):
                records.jobs.add(kind, "{}", due_at=0, now=0)
            job = records.jobs.claim("me", ("letters.send",), now=1, until=2)
            records.jobs.retry(job, error="OSError: no stamps", due_at=None)

        engine.house.store.write(work)
    out = cli("status").out
    # One of the letters, and what the ends of the conversation's sessions left to do.
    assert before + 1 == waiting(out)
    assert "letters.send was given up after 1 attempt: OSError: no stamps" in out
    jobs = {job["kind"]: job for job in cli("status", "--json").json["jobs"]}
    assert jobs["letters.send"]["state"] == "dead"
    assert jobs["letters.send"]["error"] == "OSError: no stamps"


def test_status_shows_an_open_turn(cli: Cli, store: Path):
    with everthread.connect(store, background=False) as engine:
        engine.agent("ada").turn("One moment …")
        assert "open turn  number 4, open" in cli("status").out


def test_threads_lists_an_agents_threads(cli: Cli, store: Path):
    """A-10: three kinds, one primary."""
    answer = cli("threads", "--agent", "ada", "--json").json
    assert [(t["key"], t["kind"]) for t in answer["threads"]] == [
        (PRIMARY, "primary"),
        ("heartbeat:morning", "background"),
    ]
    assert "heartbeat:morning" in cli("threads", "--agent", "ada").out


# ---- sessions


def test_sessions_list_names_them_newest_first(cli: Cli, store: Path):
    """C-4: the field names of the requirements, times in ISO-8601 UTC, states in lower case."""
    found = cli("sessions", "list", "--agent", "ada", "--thread", PRIMARY, "--json").json[
        "sessions"
    ]
    assert [s["started_at"] for s in found] == [
        "2026-02-20T15:00:00.000Z",
        "2026-02-20T10:00:00.000Z",
    ]
    required = ["session_id", "agent_id", "task_slug", "state", "started_at", "last_activity"]
    required += ["current_gate", "checkpoint_count", "parent_session", "child_sessions"]
    assert list(found[0])[: len(required)] == required
    assert found[0]["session_id"] == f"session-2026-02-20-{found[0]['id'][-8:]}"
    assert [s["state"] for s in found] == ["active", "complete"]
    assert found[0]["previous_session"] == found[1]["session_id"]
    assert found[0]["parent_session"] is None and found[0]["child_sessions"] == []
    listed = cli("sessions", "list", "--agent", "ada", "--limit", "1").out.splitlines()
    assert len(listed) == 4  # the heading, the newest, and that there are more


def test_a_session_is_shown_by_any_unique_ending_of_its_id(cli: Cli, store: Path):
    """R-48, C-4: by id, by alias, by ending; with what was said in it."""
    first = cli("sessions", "list", "--agent", "ada", "--json").json["sessions"][-1]
    for name in (first["id"], first["session_id"], first["id"][-8:]):
        shown = cli("sessions", "show", name, "--agent", "ada", "--json").json
        assert shown["id"] == first["id"]
    assert [m["content"] for m in shown["messages"]][:2] == ["Shall we use tabs?", "Spaces."]
    assert shown["messages"][3]["content"][0]["name"] == "thermometer"
    assert all(TIME.fullmatch(m["at"]) and UUID.fullmatch(m["id"]) for m in shown["messages"])
    newest = cli("sessions", "show", first["id"], "--agent", "ada", "--limit", "1", "--json").json
    assert [m["content"] for m in newest["messages"]] == ["21 degrees."]


def test_a_session_reads_like_a_conversation(cli: Cli, store: Path):
    first = cli("sessions", "list", "--agent", "ada", "--json").json["sessions"][-1]["id"]
    out = cli("sessions", "show", first, "--agent", "ada", "--limit", "5").out
    assert "… 1 earlier message; --limit shows more" in out
    assert 'ada  2026-02-20 10:00\n  [calls thermometer {"room": 3}]' in out
    assert "[result: 21 degrees]" in out
    assert "Mel  2026-02-20 10:00\n  How warm is it?" in out


def test_the_timeline_speaks_of_the_agent_or_of_one_session(cli: Cli, store: Path):
    """R-33: hashes and no text."""
    whole = cli("sessions", "timeline", "--agent", "ada", "--limit", "500", "--json").json[
        "entries"
    ]
    assert [e["n"] for e in whole] == list(range(1, len(whole) + 1))
    first = cli("sessions", "list", "--agent", "ada", "--json").json["sessions"][-1]["id"]
    part = cli("sessions", "timeline", first, "--agent", "ada", "--json").json["entries"]
    assert 0 < len(part) < len(whole) and all(e in whole for e in part)
    assert {"session.opened", "turn.opened", "turn.done", "message"} <= {e["event"] for e in part}
    out = cli("sessions", "timeline", first, "--agent", "ada").out
    assert "session.opened" in out and "tabs" not in out


def test_an_earlier_session_can_be_resumed(cli: Cli, store: Path):
    """D-23, R-9: the next message on the channel goes on in it."""
    first = cli("sessions", "list", "--agent", "ada", "--json").json["sessions"][-1]
    words = ("sessions", "resume", first["id"][-8:], "--channel", "webchat", "--agent", "ada")
    assert cli(*words, "--json").json["state"] == "active"
    assert "is current again on webchat" in cli(*words).out
    with everthread.connect(store, background=False) as engine:
        turn = engine.agent("ada").turn("Back again.", channel="webchat")
        assert turn.session.id == first["id"]
        turn.done("Welcome.")


# ---- verify, backup, export, import


@pytest.mark.slow
def test_verify_says_sound(command: Cli, store: Path):
    code, out, err = command("verify")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"(ada|bob) is sound: \d+ entries and \d+ rows checked\n" * 2, out)
    assert command("verify", "--agent", "ada", "--json").json["sound"] is True


def test_verify_names_what_is_wrong_and_ends_with_one(cli: Cli, store: Path):
    """R-33: a changed row is found and named."""
    with closing(sqlite3.connect(store)) as db, db:
        # The store itself refuses this; whoever has the file can take the refusal out.
        for (trigger,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("UPDATE messages SET content = 'Tabs.' WHERE content = 'Spaces.'")
    code, out, _ = cli("verify")
    assert code == 1
    assert "ada is not sound: 1 fault" in out and "the row was changed" in out
    answer = cli("verify", "--json")
    assert answer.code == 1 and not answer.json["sound"]
    (fault,) = answer.json["agents"][0]["faults"]
    assert UUID.fullmatch(fault["subject"]) and fault["problem"] == "the row was changed"
    assert cli("verify", "--agent", "bob").code == 0


def test_backup_makes_a_store_that_only_its_owner_reads(cli: Cli, store: Path):
    target = cli.home / "copy.db"
    assert cli("backup", target, "--json").json == {
        "file": str(target),
        "bytes": target.stat().st_size,
    }
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert cli("verify", "--store", target).code == 0
    again = cli("backup", target)
    assert again.code == 2 and "exists already; name a new file" in again.err
    assert cli("backup", cli.home / "other.db").out.startswith("copied to")
    assert cli("backup", cli.home / "x.db", "--agent", "ada").code == 2


def test_export_and_import_carry_everything(cli: Cli, store: Path):
    """R-30, R-37: faithful, private, and back."""
    file = cli.home / "all.jsonl"
    answer = cli("export", "--raw", "-o", file, "--json").json
    assert answer["agents"] == ["ada", "bob"]
    assert answer["lines"] == len(file.read_text().splitlines())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    printed = cli("export", "--raw").out
    assert printed == file.read_text()
    assert all(isinstance(json.loads(line), dict) for line in printed.splitlines())

    there = cli.home / "there.db"
    brought = cli("import", file, "--store", there, "--json").json["agents"]
    assert [(b["agent"], b["outcome"]) for b in brought] == [("ada", "added"), ("bob", "added")]
    assert cli("export", "--raw", "--store", there).out == printed
    again = cli("import", "-", "--store", there, stdin=printed)
    assert again.code == 0 and re.search(r"ada +known +0", again.out)
    assert cli("verify", "--store", there).code == 0


def test_export_takes_one_agent_and_leaves_files_alone(cli: Cli, store: Path):
    only = cli("export", "--raw", "--agent", "bob").out
    assert "Hello, Bob." in only and "tabs" not in only
    file = cli.home / "mine.txt"
    file.write_text("mine")
    refused = cli("export", "--raw", "-o", file)
    assert refused.code == 2 and file.read_text() == "mine"
    nowhere = cli("export", "--raw", "-o", cli.home / "no" / "where")
    assert nowhere.code == 2 and "there is no folder" in nowhere.err


SECRET = "ghp_" + "a1B2c3" * 6


def confide(store: Path) -> str:
    """Bob is told secrets in every way: in words, to a tool, in a name, in an error. The session's id."""
    with everthread.connect(store, background=False) as engine:
        bob = engine.agent("bob")
        turn = bob.turn(f"Use {SECRET}, and remember: the password is hunter2.", name=SECRET)
        turn.add([{"type": "tool_use", "id": "c1", "name": "f", "input": {"password": "hunter2"}}])
        turn.tool_result("c1", "x" * 150 + f" {SECRET}")
        turn.done("y" * 1_980 + f" {SECRET}")
        bob.turn("Again?").failed(f"401 for {SECRET}")
        bob.thread(f"watch:{SECRET}", kind="background").turn("tick").done("tock")
        return turn.session.id


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["people", "programs"])
def test_no_command_shows_a_secret(cli: Cli, store: Path, as_json: list[str]):
    """R-30: not even half of one, where a text is cut; the store itself keeps what was said."""
    session = confide(store)
    shown = ""
    for words in (
        ["status"],
        ["threads"],
        ["sessions", "list"],
        ["sessions", "show", session],
        ["sessions", "resume", session],
        ["erase", "--yes", "--reason", f"asked with {SECRET}", "--thread", f"watch:{SECRET}"],
    ):
        answer = cli(*words, "--agent", "bob", *as_json)
        assert answer.code == 0
        shown += answer.out
    assert "ghp_" not in shown and "hunter2" not in shown
    assert "[REDACTED: github token]" in shown and "[REDACTED: password]" in shown
    with everthread.connect(store, background=False) as engine:
        assert SECRET in "".join(m.text for m in engine.known_agent("bob").messages())


def test_export_takes_secrets_out_unless_it_is_told_not_to(cli: Cli, store: Path):
    """R-30: the file says that it is redacted, and how often; --raw is faithful."""
    confide(store)
    file = cli.home / "to-read.jsonl"
    answer = cli("export", "-o", file, "--json").json
    text = file.read_text()
    assert cli("export").out == text
    assert SECRET not in text and "hunter2" not in text and "[REDACTED: github token]" in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["redacted"] is True
    assert lines[-1]["redacted"] == answer["redacted"] >= 7
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Shall we use tabs?" in text
    told = cli("export", "-o", cli.home / "again.jsonl").out
    assert f"; {answer['redacted']} secrets taken out" in told
    raw = cli("export", "--raw").out
    assert SECRET in raw and "hunter2" in raw


def test_a_redacted_export_is_not_imported(cli: Cli, store: Path):
    """R-30: it is no longer what was said, so `verify` is never asked about it."""
    redacted = cli("export").out
    there = cli.home / "there.db"
    for more in ([], ["--agent", "ada"]):
        refused = cli("import", "-", "--store", there, *more, stdin=redacted)
        assert refused.code == 6 and "redacted" in refused.err and "--raw" in refused.err
    assert not there.exists()


@pytest.mark.parametrize(
    "text", ["", "hello\n", '{"everthread":1,"kind":"export"}\n', "\udcff\udcfe"]
)
def test_import_refuses_what_is_no_whole_export(cli: Cli, text: str):
    file = cli.home / "file"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    code, out, err = cli("import", file)
    assert (code, out) == (6, "") and err.startswith("everthread: ")
    assert not (cli.home / "everthread.db").exists(), "nothing was made for a file that is refused"


def test_import_takes_a_byte_order_mark_and_an_array(cli: Cli):
    """Editors write the one, other programs the other."""
    file, said = cli.home / "chat.json", [{"role": "user", "content": "Tea at 5.", "id": "1"}]
    for text in (json.dumps(said, indent=2), json.dumps(said[0])):
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
        answer = cli("import", file, "--agent", "ada", "--json")
        assert answer.code == 0, answer.err
    assert answer.json["agents"][0]["outcome"] == "known"
    exported = cli.home / "all.jsonl"
    cli("export", "--raw", "-o", exported)
    exported.write_bytes(b"\xef\xbb\xbf" + exported.read_bytes())
    brought = cli("import", exported, "--store", cli.home / "there.db", "--json")
    assert brought.code == 0 and brought.json["agents"][0]["outcome"] == "added"


# ---- erase


def test_erase_needs_a_name_and_a_yes(cli: Cli, store: Path):
    """X-29: a person's explicit wish, never a default."""
    assert "--agent" in cli("erase", "--yes").err
    refused = cli("erase", "--agent", "ada")
    assert refused.code == 2 and "--yes" in refused.err
    assert cli("erase", "--agent", "ada", "--thread", "no", "--yes").code == 3
    assert cli("verify").code == 0 and "Spaces." in cli("export", "--raw").out


def test_erase_leaves_a_tombstone_and_a_new_primary(cli: Cli, store: Path):
    """X-29: audited; a new lineage begins."""
    words = ("erase", "--agent", "ada", "--yes", "--reason", "asked by Mel")
    answer = cli(*words, "--thread", PRIMARY, "--json").json
    (stone,) = answer["erased"]
    assert answer["files_elsewhere"] == []
    assert stone["messages"] == 7 and stone["reason"] == "asked by Mel"
    assert UUID.fullmatch(stone["subject"]) and TIME.fullmatch(stone["erased_at"])
    threads = cli("threads", "--agent", "ada", "--json").json["threads"]
    assert [(t["key"], t["lineage"]) for t in threads] == [(PRIMARY, 2), ("heartbeat:morning", 1)]
    assert "Spaces." not in cli("export", "--raw").out
    assert cli("verify").code == 0
    assert cli(*words).out == "erased 2 messages on 2 threads of ada\n"


@pytest.mark.parametrize(("typed", "code"), [("ada", 0), ("bob", 6)])
def test_on_a_terminal_erase_asks_for_the_agents_name(cli: Cli, store: Path, typed: str, code: int):
    terminal = Terminal(["erase", "--agent", "ada"], cli.env, cli.home, 80)
    terminal.until(lambda shown: "Type the agent's name" in shown)
    terminal.press(f"{typed}\n")
    ended, shown = terminal.end()
    assert ended == code
    assert ("erased 9 messages" if code == 0 else "nothing was erased") in shown


# ---- which store, which agent


READING = [
    ("status",),
    ("threads",),
    ("sessions", "list"),
    ("sessions", "show", "1a2b"),
    ("sessions", "timeline"),
    ("sessions", "resume", "1a2b"),
    ("verify",),
    ("backup", "copy.db"),
    ("export", "--raw"),
    ("erase", "--agent", "ada", "--yes"),
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_no_command_that_reads_makes_a_store(cli: Cli, words: tuple[str, ...]):
    empty = cli.home / "empty.db"
    empty.touch()
    for answer in (cli(*words), cli(*words, "--store", empty)):
        assert (answer.code, answer.out) == (5, "") and "everthread demo" in answer.err
    assert [p.name for p in cli.home.iterdir()] == ["empty.db"] and empty.stat().st_size == 0


def test_common_options_are_understood_before_and_after_every_command(cli: Cli, store: Path):
    elsewhere = store.with_name("elsewhere.db")
    shutil.move(store, elsewhere)
    common = ["--store", elsewhere, "--agent", "ada", "--json"]
    before = cli(*common, "sessions", "list")
    assert before.json["sessions"]
    assert cli("sessions", "list", *common) == before
    assert cli("sessions", *common, "list") == before
    assert cli("--agent", "bob", "sessions", "list", *common) == before  # the nearer one counts


def test_the_agent_is_named_or_set_or_the_projects_or_the_only_one(cli: Cli, store: Path):
    """R-48: in this order; else an error that lists them."""
    project = cli.home / "My Project"
    (project / "deep").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").touch()

    def meant_in(folder: Path, *words: str, **env: str) -> str:
        answer = cli("threads", "--json", *words, cwd=folder, env=env)
        return answer.json["agent"] if answer.code == 0 else answer.error["message"]

    assert meant_in(project) == "which agent? Name one with --agent: ada, bob"
    name = f"My-Project-{hashlib.sha256(str(project).encode()).hexdigest()[:6]}"
    with everthread.connect(store, background=False) as engine:
        engine.agent(name)
    assert meant_in(project / "deep") == name
    assert meant_in(project, EVERTHREAD_AGENT="ada") == "ada"
    assert meant_in(project, "--agent", "bob", EVERTHREAD_AGENT="ada") == "bob"
    assert meant_in(project, EVERTHREAD_AGENT="eve").startswith("no agent 'eve'")
    alone = cli.home / "alone.db"
    with everthread.connect(alone, background=False) as engine:
        engine.agent("solo")
    assert meant_in(project, "--store", str(alone)) == "solo"


def test_an_agent_is_also_named_by_its_id(cli: Cli, store: Path):
    """R-48: by the whole of it or by its end; so short an end that it may be a mistyped name is not heard."""
    with everthread.connect(store, background=False) as engine:
        ada = next(agent for agent in engine.agents() if agent.name == "ada")
        assert engine.known_agent(ada.id.upper()).name == "ada"
    for said in (ada.id, ada.id[-8:]):
        assert cli("threads", "--json", "--agent", said).json["agent"] == "ada"
    assert cli("threads", "--json", env={"EVERTHREAD_AGENT": ada.id[-6:]}).json["agent"] == "ada"
    for said in (ada.id[-5:], "beefbeefbeef"):
        unknown = cli("threads", "--agent", said)
        assert unknown.code == 3
        assert "agents here: ada, bob" in unknown.err
        assert f"everthread.connect().agent('{said}')" in unknown.err, "how to make one"


def do(*words: str, cwd: Path) -> None:
    """Run git."""
    told = ("user.name=M", "user.email=m@example.org", "init.defaultBranch=x")
    given = [word for each in (*told, "protocol.file.allow=always") for word in ("-c", each)]
    subprocess.run(["git", *given, *words], cwd=cwd, check=True, capture_output=True)


def test_all_worktrees_of_a_repository_are_one_project(tmp_path: Path, monkeypatch):
    """R-27: the canonical git root; links resolved; submodules stand for themselves."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    main = tmp_path / "main"
    main.mkdir()
    do("init", cwd=main)
    do("commit", "--allow-empty", "-m", "first", cwd=main)
    do("worktree", "add", str(tmp_path / "side"), cwd=main)
    (tmp_path / "link").symlink_to(main)
    (main / "deep").mkdir()
    name = project_name(str(main), home="/home/mel")
    for folder in (main, main / "deep", tmp_path / "side", tmp_path / "link" / "deep"):
        assert project_agent(folder) == name
    other = tmp_path / "other"
    other.mkdir()
    do("init", cwd=other)
    do("submodule", "add", str(main), "part", cwd=other)
    assert project_agent(other / "part") not in {name, project_agent(other)}
    do("worktree", "add", str(tmp_path / "partside"), cwd=other / "part")
    assert project_agent(tmp_path / "partside") == project_agent(other / "part")
    shutil.move(other, tmp_path / "moved")
    assert (project_agent(tmp_path / "moved" / "part") or "").startswith("part-")
    do("clone", "--bare", str(main), str(tmp_path / "bare.git"), cwd=tmp_path)
    do("worktree", "add", str(tmp_path / "tree"), cwd=tmp_path / "bare.git")
    assert (project_agent(tmp_path / "tree") or "").startswith("bare-")


def gitdir(main: Path, evil: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {main}/.git\n")


def relative_gitdir(_main: Path, evil: Path) -> None:
    (evil / ".git").write_text("gitdir: ../main/.git\n")


def worktree_of_another(main: Path, evil: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {main}/.git/worktrees/side\n")


def own_commondir(main: Path, evil: Path) -> None:
    """Everything that a worktree has, but not where a repository keeps its worktrees."""
    git = evil / "worktrees" / "w"
    git.mkdir(parents=True)
    (evil / ".git").write_text("gitdir: worktrees/w\n")
    (git / "HEAD").touch()
    (git / "gitdir").write_text(f"{evil}/.git\n")
    (git / "commondir").write_text(f"{main}/.git\n")


def commondir_in_a_folder(main: Path, evil: Path) -> None:
    (evil / ".git").mkdir()
    (evil / ".git" / "HEAD").touch()
    (evil / ".git" / "gitdir").write_text(f"{evil}/.git\n")
    (evil / ".git" / "commondir").write_text(f"{main}/.git\n")


def link(main: Path, evil: Path) -> None:
    (evil / ".git").symlink_to(main / ".git")


def submodule_of_another(main: Path, evil: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {main}/.git/modules/part\n")


def no_path(_main: Path, evil: Path) -> None:
    (evil / ".git").write_text("gitdir: a\0b\n")


@pytest.mark.parametrize(
    "forge",
    [
        gitdir,
        relative_gitdir,
        worktree_of_another,
        own_commondir,
        commondir_in_a_folder,
        link,
        submodule_of_another,
        no_path,
    ],
)
def test_a_folder_that_names_another_repository_is_not_given_its_memory(
    tmp_path: Path, monkeypatch, forge: Callable[[Path, Path], None]
):
    """R-27: what was unpacked can say anything; the repository must name the folder in turn."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    part, main, evil = (tmp_path / name for name in ("whole", "main", "evil"))
    for folder in (part, main, evil):
        folder.mkdir()
    for folder in (part, main):
        do("init", cwd=folder)
        do("commit", "--allow-empty", "-m", "first", cwd=folder)
    do("worktree", "add", str(tmp_path / "side"), cwd=main)
    do("submodule", "add", str(part), "part", cwd=main)
    forge(main, evil)
    assert project_agent(evil) == project_name(str(evil), home="/home/mel")


def test_neither_the_root_nor_the_home_folder_is_a_project(tmp_path: Path, monkeypatch):
    """R-27: a repository of dotfiles makes no project of everything at home."""
    home = tmp_path / "home"
    (home / "plain").mkdir(parents=True)
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").touch()
    monkeypatch.setenv("HOME", str(home))
    assert project_agent("/") is None
    assert project_agent(home) is None
    assert project_agent(home / "plain") == project_name(str(home / "plain"), home=str(home))


@pytest.mark.parametrize(
    ("root", "folder"),
    [
        ("/srv/tidy.name", "tidy.name"),
        ("/srv/два слова", "project"),
        ("/srv/.hidden", "hidden"),
        ("/srv/bare.git", "bare"),
        ("/srv/a b!c", "a-b-c"),
        ("/srv/" + "x" * 200, "x" * 90),
        ("/srv/\udcff", "project"),
    ],
    ids=["plain", "foreign", "hidden", "bare", "blanks", "long", "bytes"],
)
def test_a_projects_name_is_a_name_for_an_agent(root: str, folder: str):
    """R-27: the folder's name and six digits."""
    name = project_name(root, home="/home/mel")
    assert name is not None and re.fullmatch(re.escape(folder) + "-[0-9a-f]{6}", name)
    with everthread.connect("memory://", background=False) as engine:
        assert engine.agent(name).name == name


def test_nobody_is_meant_where_several_could_be():
    """R-48."""
    assert meant_agent(None, []) is None
    assert meant_agent("p", ["a", "b"]) is None
    assert meant_agent("p", ["a", "p"]) == "p"
    assert meant_agent("p", ["a"]) == "a"


# ---- how it ends


def test_the_help_teaches(cli: Cli):
    """Every command shows an example that parses; the exit codes are in the help."""
    out = cli("--help").out
    assert cli().out == out and cli("-h").out == out and cli("help").out == out
    for words in (("memories",), ("memories", "list"), ("recall",)):
        assert cli("help", *words).out == cli(*words, "--help").out
    for wrong in (("memory",), ("recall", "list")):
        assert cli("help", *wrong).code == 2
    for row in EXIT_CODES:
        assert f"{row.code}  {row.meaning}" in out
    for words in (
        *READING,
        ("import",),
        ("demo",),
        *((("config", w)) for w in ("get", "set", "explain")),
    ):
        names = words[:2] if words[0] in {"sessions", "config"} else words[:1]
        shown = cli(*names, "--help").out
        assert f"everthread {' '.join(names)}" in shown.partition("Example")[2]
        assert all(option in shown for option in ("--store", "--agent", "--json"))
    assert "timeline" in cli("sessions").out and cli("sessions").code == 0


def test_every_error_of_ours_has_an_exit_code():
    named = {kind: code_of(kind("x")) for kind in vars(errors).values() if isinstance(kind, type)}
    wanted = {
        errors.BadInput: 2,
        errors.SettingInvalid: 2,
        errors.KindUnknown: 2,
        errors.AgentUnknown: 3,
        errors.SessionUnknown: 3,
        errors.ThreadUnknown: 3,
        errors.ThreadBusy: 4,
        errors.StoreBusy: 4,
        errors.LeaseLost: 4,
        errors.StoreFull: 5,
        errors.StoreReadOnly: 5,
        errors.NotAStore: 5,
        errors.StoreTooNew: 5,
        errors.ImportRefused: 6,
        errors.ContextFull: 6,
        errors.TransitionIllegal: 6,
    }
    assert {kind: named[kind] for kind in wanted} == wanted
    assert 70 not in named.values()
    assert code_of(KeyError("x")) == 70 and code_of(KeyboardInterrupt()) == 130


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        (("nonsense",), 2, "NoSuchCommand"),
        (("sessions", "list", "--limit", "0"), 2, "BadParameter"),
        (("status", "--store", "ftp://there"), 2, "BadInput"),
        (("threads", "--agent", "eve"), 3, "AgentUnknown"),
        (("sessions", "show", "ffffffffffff", "--agent", "ada"), 3, "SessionUnknown"),
        (("sessions", "list", "--agent", "ada", "--thread", "no"), 3, "ThreadUnknown"),
        (("status", "--store", "."), 5, "NotAStore"),
        (("import", "-"), 6, "ImportRefused"),
    ],
)
def test_errors_have_a_name_for_programs_and_a_sentence_for_people(
    cli: Cli, store: Path, words: tuple[str, ...], code: int, name: str
):
    people = cli(*words)
    assert (people.code, people.out) == (code, "")
    assert people.err.startswith("everthread: ") and "Traceback" not in people.err
    programs = cli("--json", *words)
    assert (programs.code, programs.out) == (code, "")
    if name != "NoSuchCommand":  # older versions of click call it otherwise
        assert programs.error["name"].endswith(name)
    assert programs.error["message"]


def test_a_fault_of_our_own_says_how_to_see_more(
    cli: Cli, store: Path, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr("everthread.engine.Everthread.report", broken)
    code, out, err = cli("status")
    assert (code, out) == (70, "")
    assert "KeyError" in err and "EVERTHREAD_DEBUG=1" in err and "Traceback" not in err
    assert "Traceback" in cli("status", env={"EVERTHREAD_DEBUG": "1"}).err


def test_what_is_noted_of_a_fault_follows_it_as_a_sentence(capsys: pytest.CaptureFixture[str]):
    fault = KeyError("surprise")
    fault.add_note("Nothing was imported")
    report_error(fault, as_json=False)
    assert capsys.readouterr().err.endswith("try again to see where. Nothing was imported\n")


def test_a_reader_who_goes_away_hears_no_complaint(cli: Cli, store: Path):
    line = f"{COMMAND} export --raw | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], env=cli.env, cwd=cli.home, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in {"141", "0"}
    first = subprocess.run(
        ["bash", "-c", f"{COMMAND} status | true"],
        env=cli.env,
        cwd=cli.home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert first.stderr == ""


@pytest.mark.parametrize(
    ("where", "code", "told"),
    [(">&-", 0, ""), ("<&- >&- 2>&-", 0, ""), (">/dev/full", 5, "No space")],
)
def test_output_that_nobody_takes_is_no_fault_of_ours(
    cli: Cli, store: Path, where: str, code: int, told: str
):
    done = subprocess.run(
        ["bash", "-c", f"{COMMAND} status {where}"],
        env=cli.env,
        cwd=cli.home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code and told in done.stderr and "Traceback" not in done.stderr
    assert cli("verify").code == 0


def test_the_version_is_told_without_loading_what_it_does_not_need(cli: Cli, command: Cli):
    code = (
        "import sys; sys.argv = ['everthread', '--version']\n"
        "from everthread.edges.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=cli.env
    )
    version, loaded = done.stdout.splitlines()
    assert version == f"everthread {everthread.__version__}" == command("--version").out.strip()
    packages = {name.partition(".")[0] for name in loaded.split()}
    assert not packages & {"rich", "psycopg", "rs_bpe", "tomlkit", "sqlite3", "asyncio"}


# ---- on a terminal


@pytest.mark.slow
@pytest.mark.parametrize("width", [30, 45, 80, 120])
def test_nothing_is_wider_than_the_terminal(cli: Cli, store: Path, width: int):
    for words in (["status"], ["sessions", "list", "--agent", "ada"], ["config", "explain"]):
        code, shown = Terminal(list(words), cli.env, cli.home, width).end()
        assert code == 0
        lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).splitlines()
        assert max(map(len, lines)) <= width, shown


def test_colour_is_for_terminals_that_want_it(cli: Cli, store: Path):
    coloured = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
    assert coloured.search(Terminal(["status"], cli.env, cli.home, 80).end()[1])
    plain = clean_environment(cli.home, NO_COLOR="1")
    assert not coloured.search(Terminal(["status"], plain, cli.home, 80).end()[1])
    assert "\x1b" not in cli("status", env={"FORCE_COLOR": "1"}).out


def test_what_was_said_cannot_command_the_terminal(cli: Cli, store: Path):
    with everthread.connect(store, background=False) as engine:
        bob = engine.agent("bob")
        bob.record([{"role": "user", "content": "\x1b[2Jgone\x07 \u202eback [bold]x[/bold]"}])
        session = bob.sessions()[0].id
    out = cli("sessions", "show", session, "--agent", "bob").out
    assert "\\x1b[2Jgone\\x07 \\u202eback [bold]x[/bold]" in out
    assert clean("نامه‌ها\tok\n") == "نامه‌ها    ok\n"


ARMED = "\x1b]0;title\x07 \x1b[31m \x9b2J \x7f \u202e \u2028 \r \U000e0041"


def test_a_line_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]):
    say(f"a\r\nb\tc\u00a0d {ARMED}")
    out = capsys.readouterr().out
    assert out.startswith("a\nb\tc\u00a0d \\x1b]0;title\\x07 \\x1b[31m \\x9b2J \\x7f \\u202e")
    assert not set(out) & set(ARMED.replace(" ", "")) - set("]0;tile[31m2J")
    say(ARMED, verbatim=True)
    assert capsys.readouterr().out == f"{ARMED}\n", "what is piped as it is"


def test_json_and_errors_cannot_command_the_terminal_either(capsys: pytest.CaptureFixture[str]):
    show_json({"said": ARMED})
    out = capsys.readouterr().out
    assert all(c.isprintable() or c == "\n" for c in out)
    assert json.loads(out) == {"said": ARMED}, "and it says the same"
    report_error(errors.TaskRefused(f"no {ARMED}"), as_json=False)
    shown = capsys.readouterr().err
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert "\\x1b]0;title" in shown


def test_what_others_said_in_a_task_cannot_command_the_terminal(cli: Cli, tmp_path: Path):
    """The subject of a commit, a goal and a failure are lines that somebody else may have written."""
    project = tmp_path / "cloned"
    project.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], cwd=project, check=True)
    words = ["commit", "-q", "--allow-empty", "-m", "good \x1b]0;T\x07\x1b[8m hidden"]
    subprocess.run([*git, *words], cwd=project, check=True)

    def shown(*words: str) -> str:
        code, text = Terminal(["task", *words], cli.env, project, 200).end()
        assert code == 0, text
        return text

    shown("new", "demo", "--goal", "G \x1b[31m red")
    text = shown("start", "demo")
    assert "good \\x1b]0;T" in text
    text += shown("fail", "a \x1b[2J", "--kind", "test", "--detail", "d")
    armed = ("\x1b]", "\x07", "\x1b[8m", "\x1b[31m", "\x1b[2J")
    assert not [each for each in armed if each in text]


@pytest.mark.slow
def test_streams_that_know_only_ascii_still_get_an_answer(command: Cli, store: Path):
    with everthread.connect(store, background=False) as engine:
        engine.agent("bob").record([{"role": "user", "content": "请 \U0001f331"}])
    poor = {"PYTHONIOENCODING": "ascii"}
    session = command("sessions", "list", "--agent", "bob", "--json").json["sessions"][0]["id"]
    words = ("sessions", "show", session, "--agent", "bob")
    assert command(*words, env=poor).code == 0
    assert command(*words, "--json", env=poor).json["messages"][-1]["content"] == "请 \U0001f331"
    assert "#" in command("status", env=poor).out


def test_what_few_need_is_not_loaded_by_everybody() -> None:
    """Patterns of speech take a tenth of a second to compile; a hook's daemon and each command would pay."""
    code = (
        "import sys, everthread, everthread.edges.cli.app\n"
        "everthread.connect('memory://', background=False).close()\n"
        "dear = ('text.acts.sentence_forms', 'safety.refusals_forms', 'ending.session_summary')\n"
        "dear += ('text.pasted_text', 'gleaning.gleaner')\n"
        "from importlib.util import find_spec\n"
        "print([n for n in dear if f'everthread.domain.{n}' in sys.modules])\n"
        "assert all(find_spec(f'everthread.domain.{n}') for n in dear)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


FEW = """
import sys
from everthread.edges.cli.app import run
assert run(sys.argv[1:]) == 0
dear = ("domain.gleaning.", "engine.turn", "jobs.worker", "providers.git", "providers.workspace")
dear += ("services.memory.", "services.tasks.", "services.turns.", "wiring.task_ports")
ours = [name for name in sys.modules if name.startswith("everthread.")]
print("loaded", len(ours), [name for name in ours if name.removeprefix("everthread.").startswith(dear)])
"""


@pytest.mark.parametrize("words", [("threads", "--agent", "ada"), ("status", "--json")])
def test_a_command_that_looks_loads_little_of_ours(
    cli: Cli, store: Path, words: tuple[str, ...]
) -> None:
    """Of all modules it needs these; each of them costs every start half a millisecond and more."""
    done = subprocess.run(
        [sys.executable, "-c", FEW, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**cli.env, "EVERTHREAD_STORE": str(store)},
    )
    _, number, dear = done.stdout.splitlines()[-1].split(" ", 2)
    assert dear == "[]"
    assert int(number) <= 217


def test_a_command_loads_no_other_command() -> None:
    code = (
        "import sys; from everthread.edges.cli.app import COMMANDS, run; run(['--version'])\n"
        "here = 'everthread.edges.cli.'\n"
        "print([m for m, _ in COMMANDS.values() if here + m in sys.modules and m != 'completion'])\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "[]"


def test_every_command_is_where_the_table_says() -> None:
    from everthread.edges.cli.app import COMMANDS, cli

    context = click.Context(cli)
    assert list(COMMANDS) == cli.list_commands(context)
    for name in COMMANDS:
        found = cli.get_command(context, name)
        assert found is not None and found.name == name
