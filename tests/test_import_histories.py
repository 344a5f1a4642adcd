"""`everthread import` brings in what harnesses have kept: once, each to its project, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.edges.harnesses import histories, history_import
from everthread.edges.harnesses.event_desk import answer
from everthread.edges.harnesses.markdown import chapters
from everthread.edges.harnesses.privacy import switch
from everthread.edges.harnesses.specstory import stored_whole
from everthread.wiring import project_agent
from support.commands import COMMAND, Cli, Here
from support.fixtures import CLAUDE, CODEX, GEMINI, OPENCODE_SESSION, opencode_database
from support.skips import needs

PROJECT = "/home/ada/project"
AGENT = project_agent(PROJECT)
MAIN = "ed8eed8c-789a-4c68-8cec-8fd30bf890ae"
PARENT, CHILD = "68d1161a-528f-4aed-a597-7e94bba88f21", "a728913f4acdff6ef"
HIDDEN = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_DATA_HOME",
    "OPENCLAW_STATE_DIR",
    "GEMINI_CLI_HOME",
)


def claude_folder(home: Path) -> Path:
    folder = home / ".claude" / "projects" / "-home-ada-project"
    folder.mkdir(parents=True)
    for file in (CLAUDE / "captured").glob("*-*-*.jsonl"):
        name, _, agent = file.name.removesuffix(".jsonl").partition(".agent-")
        place = (
            folder / name / "subagents" / f"agent-{agent}.jsonl" if agent else folder / file.name
        )
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    return folder


def codex_folder(home: Path) -> None:
    folder = home / ".codex" / "sessions" / "2026" / "11" / "15"
    folder.mkdir(parents=True)
    for file in (CODEX / "captured").glob("rollout*.jsonl"):
        shutil.copy(file, folder / file.name)


def gemini_folder(home: Path) -> None:
    folder = home / ".gemini" / "tmp" / "project" / "chats"
    folder.mkdir(parents=True)
    for file in (GEMINI / "captured").glob("session*.jsonl"):
        shutil.copy(file, folder / file.name)
    projects = {"projects": {PROJECT: "project"}}
    (home / ".gemini" / "projects.json").write_text(json.dumps(projects))


def opencode_folder(home: Path) -> None:
    folder = home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    opencode_database(folder)


def claw_record(kind: str, number: int, **more: Any) -> dict[str, Any]:
    at = f"2026-11-15T13:12:{number:02}.000Z"
    return {"type": kind, "id": f"e{number}", "timestamp": at, **more}


CLAW = [
    claw_record("session", 0, version=4, cwd=PROJECT),
    claw_record("model_change", 1, modelId="fake"),
    claw_record(
        "message", 2, message={"role": "user", "content": "zebra?", "timestamp": 1794748353673}
    ),
    claw_record(
        "message",
        3,
        message={
            "role": "assistant",
            "content": [{"type": "text", "text": "Forty-two."}],
            "timestamp": 1794748353999,
        },
    ),
    claw_record("compaction", 4, summary="A title", tokensBefore=70),
]


def openclaw_folder(home: Path) -> None:
    folder = home / ".openclaw" / "agents" / "main" / "agent"
    folder.mkdir(parents=True)
    db = sqlite3.connect(folder / "openclaw-agent.sqlite")
    db.execute(
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT,"
        " created_at INTEGER, event_zstd BLOB, PRIMARY KEY (session_id, seq))"
    )
    rows = [("s1", n, json.dumps(row), 1794748360297 + n, None) for n, row in enumerate(CLAW)]
    db.executemany("INSERT INTO transcript_events VALUES (?,?,?,?,?)", rows)
    db.execute("INSERT INTO transcript_events VALUES ('s1', 9, NULL, 1, x'28b52ffd')")
    db.commit()
    db.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder in which all five have worked."""
    place = tmp_path / "home"
    for make in (claude_folder, codex_folder, gemini_folder, opencode_folder, openclaw_folder):
        make(place)
    return place


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return unset(Here(home, monkeypatch, capsys))


def unset(command: Cli) -> Cli:
    for name in HIDDEN:
        command.env.pop(name, None)
    return command


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Everthread]:
    with everthread.connect(
        tmp_path / "data" / "everthread.db", background=False, settings=settings(tmp_path)
    ) as opened:
        yield opened


def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "data", durability="process", embedder="off")


def take_all(
    engine: Everthread, found: list[histories.History], home: Path
) -> list[history_import.ImportResult]:
    ledger = history_import.Ledger(home, engine.location)
    taken = [history_import.take(engine, history, home, None, ledger) for history in found]
    ledger.close()
    return taken


def said(engine: Everthread) -> list[str]:
    texts = [m.text for agent in engine.agents() for m in agent.messages(limit=5_000)]
    return [text for text in texts if text]


# Through the door


@pytest.mark.req("R-37")
def test_all_five_harnesses_histories_come_in_by_one_command(cli: Cli, tmp_path: Path):
    listed = cli("import", "--list", "--json", cwd=tmp_path).json["histories"]
    assert {h["harness"] for h in listed} == {
        "claude-code",
        "codex",
        "gemini",
        "opencode",
        "openclaw",
    }
    assert {h["folder"] for h in listed} == {PROJECT}
    assert not (cli.home / "data" / "everthread.db").exists(), "looking makes no store"

    counted = cli("import", "--dry-run", "--json", cwd=tmp_path).json
    # The fork of a session repeats three of its messages.
    assert counted["dry_run"] and counted["messages"] == 25 + 10 + 12 + 12 + 2
    assert not (cli.home / "data" / "everthread.db").exists()

    brought = cli("import", "--json", cwd=tmp_path).json
    by_harness = {row["harness"]: row["messages"] for row in brought["brought"]}
    # The fork of a session repeats three of its messages.
    assert by_harness == {
        "claude-code": 25,
        "codex": 10,
        "gemini": 12,
        "opencode": 12,
        "openclaw": 2,
    }
    assert {row["agent"] for row in brought["brought"]} == {AGENT}
    assert brought["left_out"] == [{"reason": "nothing was said in it", "sessions": 1}]
    assert brought["unreadable_lines"] == 1, "what OpenClaw has packed"

    again = unset(Cli(cli.home))("import", "--json", cwd=tmp_path)
    assert again.json["messages"] == 0 and again.err == ""
    assert cli("verify", "--agent", str(AGENT)).code == 0


def test_a_dry_run_counts_what_is_new_and_the_list_marks_what_is_known(
    cli: Cli, home: Path, tmp_path: Path
):
    before = cli("import", "--list", "--json", cwd=tmp_path).json["histories"]
    assert not any(history["known"] for history in before)
    cli("import", "--harness", "codex", "--harness", "claude-code", cwd=tmp_path)
    counted = cli("import", "--dry-run", "--json", cwd=tmp_path).json
    by_harness = {row["harness"]: row["messages"] for row in counted["brought"]}
    assert by_harness == {"claude-code": 0, "codex": 0, "gemini": 12, "opencode": 12, "openclaw": 2}
    listed = cli("import", "--list", "--json", cwd=tmp_path).json["histories"]
    known = {history["harness"] for history in listed if history["known"]}
    assert known == {"claude-code", "codex"}

    (main,) = [path for path in home.rglob(f"{MAIN}.jsonl") if path.is_file()]
    row = {"type": "user", "uuid": "later", "sessionId": MAIN, "cwd": PROJECT}
    more = {"timestamp": "2026-11-16T09:00:00Z", "message": {"role": "user", "content": "On."}}
    with main.open("a") as file:
        file.write(json.dumps({**row, **more}) + "\n")
    told = cli("import", "--harness", "claude-code", "--dry-run", "--json", cwd=tmp_path).json
    assert told["messages"] == 1
    brought = cli("import", "--harness", "claude-code", "--json", cwd=tmp_path).json
    assert brought["messages"] == 1, "as it was told"
    assert "known" in cli("import", "--list", cwd=tmp_path).out


def test_a_dry_run_over_logs_counts_each_message_once(cli: Cli, tmp_path: Path):
    folder = tmp_path / "work"
    folder.mkdir()
    log = folder / ".aider.chat.history.md"
    log.write_text("# aider chat started at 2026-01-02 10:00:00\n\n#### zebra?\n\nForty-two.\n")
    first = cli("import", log, "--dry-run", "--json", "--agent", "ada").json["messages"]
    assert first == cli("import", log, "--json", "--agent", "ada").json["messages"] == 2
    (home_ledger := cli.home / "data" / "imports.json").unlink()
    assert cli("import", log, "--dry-run", "--json", "--agent", "ada").json["messages"] == 0
    assert not home_ledger.exists(), "counting writes nothing"


def test_people_see_what_there_is_and_what_came(cli: Cli, tmp_path: Path):
    listed = cli("import", "--list", cwd=tmp_path).out
    assert "Claude Code" in listed and "Gemini CLI" in listed and PROJECT in listed
    told = cli("import", "--harness", "codex", cwd=tmp_path).out
    assert "Codex" in told and "10" in told and "Claude Code" not in told
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no histories were found" in cli("import", empty).out
    assert cli("import", tmp_path / "none.jsonl").code == 2


def test_a_file_or_folder_tells_by_itself_what_it_is(cli: Cli, home: Path):
    rollout = next((home / ".codex").rglob("*.jsonl"))
    assert cli("import", rollout, "--json").json["messages"] == 10
    assert cli("import", home / ".claude", "--json").json["messages"] == 25
    database = home / ".local" / "share" / "opencode" / "opencode.db"
    assert cli("import", database, "--json").json["messages"] == 12
    named = cli("import", home / ".gemini", "--agent", "ada", "--json").json
    assert [row["agent"] for row in named["brought"]] == ["ada"]


@pytest.mark.slow
def test_an_import_that_is_killed_goes_on_where_it_was(cli: Cli, tmp_path: Path):
    """kill -9 in the middle: nothing is lost, nothing comes twice."""
    many = tmp_path / "many"
    many.mkdir()
    for n in range(120):
        rows = [
            {
                "type": "user",
                "uuid": f"{n}-{k}",
                "sessionId": f"s{n}",
                "cwd": PROJECT,
                "timestamp": f"2026-10-02T09:00:{k % 60:02}.000Z",
                "message": {"role": "user", "content": f"prompt {n} {k}"},
            }
            for k in range(60)
        ]
        (many / f"s{n}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = cli.home / "data" / "everthread.db"
    running = subprocess.Popen([COMMAND, "import", many], env=cli.env, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while time.monotonic() < until and not _has_messages(store):
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    first = _messages(store)
    assert 0 < first < 7_200, "it was in the middle"
    assert cli("import", many, "--json").json["messages"] == 7_200 - first
    assert _messages(store) == 7_200
    assert cli("verify", "--agent", str(AGENT)).code == 0


def _has_messages(store: Path) -> bool:
    try:
        return _messages(store) > 0
    except sqlite3.Error:
        return False


def _messages(store: Path) -> int:
    if not store.exists():
        return 0
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=5)
    try:
        return db.execute("SELECT count(*) FROM messages").fetchone()[0]
    finally:
        db.close()


# What comes, and what does not


@pytest.mark.req("R-12", "R-26")
def test_imported_sessions_are_archive_and_over(engine: Everthread, home: Path, tmp_path: Path):
    found = histories.histories_in(home / ".claude")
    take_all(engine, sorted(found, key=lambda h: h.started), tmp_path / "data")
    (agent,) = engine.agents()
    assert all(m.archived and m.source == "hook" for m in agent.messages(limit=100))
    sessions = {s.key: s for s in agent.sessions()}
    assert {s.state for s in sessions.values()} == {"complete"}
    assert sessions[f"{PARENT}:{CHILD}"].parent_ref == sessions[PARENT].ref
    assert f"{sessions[MAIN].started_at:%Y-%m-%d %H:%M}" == "2026-11-15 13:10"
    assert not any("This session is being continued" in text for text in said(engine))


def test_an_import_asks_nothing_of_a_model(engine: Everthread, home: Path, tmp_path: Path):
    take_all(engine, histories.histories_in(home / ".claude"), tmp_path / "data")
    jobs = engine.house.store.read(lambda r: r.jobs.all())
    assert [job.kind for job in jobs if "distill" in job.kind or "checkpoint" in job.kind] == []
    (agent,) = engine.agents()
    assert agent.receipts() == []
    assert agent.checkpoints() == []


def test_what_hooks_brought_is_not_imported_again(engine: Everthread, home: Path, tmp_path: Path):
    """And the other way round."""
    place = home / ".claude" / "projects" / "-home-ada-project" / f"{MAIN}.jsonl"

    def tell(event: str, **more: str) -> None:
        told = {"session_id": MAIN, "cwd": PROJECT, "transcript_path": str(place), **more}
        body = json.dumps(told).encode()
        answer(engine, settings(tmp_path), "claude-code", event, body, {})

    tell("SessionStart", source="startup")
    tell("Stop")
    before = said(engine)
    (history,) = [
        h for h in histories.histories_in(place.parent) if h.session == MAIN and not h.child
    ]
    (taken,) = take_all(engine, [history], tmp_path / "data")
    assert taken.messages == 0 and said(engine) == before
    (agent,) = engine.agents()
    assert agent.session(MAIN).state == "active", "somebody works in it"
    tell("Stop")
    assert said(engine) == before


def test_a_history_that_moved_is_known_by_its_words(engine: Everthread, home: Path, tmp_path: Path):
    """Hooks brought the prompts under names of their own; the harness has archived the file since."""
    place = home / ".claude" / "projects" / "-home-ada-project" / f"{MAIN}.jsonl"
    first, *rest = place.read_text().splitlines(keepends=True)
    spoken = [row for row in map(json.loads, rest) if row.get("type") == "user"]
    prompt = next(row for row in spoken if isinstance(row["message"]["content"], str))
    told = {"session_id": MAIN, "cwd": PROJECT, "transcript_path": str(place)}
    place.write_text(first)
    body = json.dumps({**told, "prompt": prompt["message"]["content"]}).encode()
    at = datetime.fromisoformat(prompt["timestamp"])
    answer(engine, settings(tmp_path), "claude-code", "UserPromptSubmit", body, {}, at)
    place.write_text("".join([first, *rest]))
    answer(engine, settings(tmp_path), "claude-code", "Stop", json.dumps(told).encode(), {})
    before = said(engine)
    assert prompt["message"]["content"] in before
    archived = tmp_path / "archived"
    archived.mkdir()
    shutil.move(place, archived / place.name)
    (taken,) = take_all(engine, histories.histories_in(archived), tmp_path / "data")
    assert taken.messages == 0 and said(engine) == before


def test_what_was_erased_is_not_imported_again(engine: Everthread, home: Path, tmp_path: Path):
    """Whether its history was imported before, or hooks had brought it, or a log tells it."""
    story = tmp_path / "shop" / ".specstory" / "history" / "story.md"
    story.parent.mkdir(parents=True)
    story.write_text(STORY)
    found = [*histories.histories_in(home), *histories.histories_in(story)]
    data = tmp_path / "data"
    take_all(engine, found, data)
    agents = engine.agents()
    assert len(said(engine)) > 10 and len(agents) == 2
    for agent in agents:
        engine.erase(agent)
    (data / history_import.LEDGER).unlink()
    taken = take_all(engine, found, data)
    assert sum(each.messages for each in taken) == 0
    assert history_import.ERASED in {each.reason for each in taken}
    assert said(engine) == []
    assert [s for agent in engine.agents() for s in agent.sessions()] == []


def test_a_history_that_was_never_here_can_be_imported_after_an_erasure(
    engine: Everthread, home: Path, tmp_path: Path
):
    take_all(engine, histories.histories_in(home / ".claude"), tmp_path / "data")
    for agent in engine.agents():
        engine.erase(agent)
    (taken,) = take_all(engine, histories.histories_in(home / ".codex"), tmp_path / "data")
    assert taken.messages > 0


@pytest.mark.parametrize("wrong", ["capture = flase\n", 'capture = "no"\n'])
def test_where_a_projects_file_cannot_be_understood_no_name_helps(
    engine: Everthread, tmp_path: Path, wrong: str
):
    shop, place = tmp_path / "shop", tmp_path / f"{MAIN}.jsonl"
    shop.mkdir()
    (shop / ".everthread.toml").write_text(wrong)
    row = {"type": "user", "uuid": "u1", "sessionId": MAIN, "cwd": str(shop)}
    message = {"role": "user", "content": "hello there"}
    place.write_text(json.dumps({**row, "timestamp": "2026-11-15T13:00:00Z", "message": message}))
    (history,) = histories.histories_in(place)
    ledger = history_import.Ledger(tmp_path / "data", "x")
    taken = history_import.take(engine, history, tmp_path / "data", "ada", ledger)
    assert taken.agent is None and ".everthread.toml" in taken.reason
    assert said(engine) == []


def test_private_sessions_and_projects_that_are_off_stay_out(
    engine: Everthread, home: Path, tmp_path: Path
):
    data = tmp_path / "data"
    switch(data, now=1, on=True, session=MAIN)
    found = histories.histories_in(home / ".claude")
    taken = take_all(engine, found, data)
    main = next(t for t in taken if t.history.session == MAIN)
    assert main.messages == 0
    assert "Run echo hello please" not in said(engine)
    (data / "projects.toml").write_text(f'["{PROJECT}"]\ncapture = false\n')
    off = take_all(engine, histories.histories_in(home / ".codex"), data)
    assert [(t.agent, "switched off" in t.reason) for t in off] == [(None, True)]


def test_a_history_that_does_not_say_where_it_worked_needs_a_name(
    engine: Everthread, home: Path, tmp_path: Path
):
    (home / ".gemini" / "projects.json").unlink()
    (history,) = histories.histories_in(home / ".gemini")
    assert history.folder == ""
    (taken,) = take_all(engine, [history], tmp_path / "data")
    assert taken.agent is None and "--agent" in taken.reason
    ledger = history_import.Ledger(tmp_path / "data", "x")
    assert history_import.take(engine, history, tmp_path / "data", "ada", ledger).messages == 12


def test_a_store_that_was_made_anew_gets_everything_again(home: Path, tmp_path: Path):
    """What is written down beside a store is not believed without it."""
    for _ in range(2):
        store = tmp_path / "data" / "everthread.db"
        with everthread.connect(store, background=False, settings=settings(tmp_path)) as engine:
            taken = take_all(engine, histories.histories_in(home / ".codex"), tmp_path / "data")
            assert [t.messages for t in taken] == [10]
        for file in (tmp_path / "data").glob("everthread.db*"):
            shutil.rmtree(file) if file.is_dir() else file.unlink()


def test_children_of_children_belong_to_the_first(tmp_path: Path):
    database = opencode_database(tmp_path)
    db = sqlite3.connect(database)
    columns = [row[1] for row in db.execute("PRAGMA table_info(session)")]
    for ident, parent in (("ses_b", OPENCODE_SESSION), ("ses_c", "ses_b")):
        chosen = ", ".join({"id": "?", "parent_id": "?"}.get(c, c) for c in columns)
        db.execute(
            f"INSERT INTO session SELECT {chosen} FROM session WHERE id = ?",
            (ident, parent, OPENCODE_SESSION),
        )
    db.commit()
    db.close()
    found = {h.child: h.session for h in histories.histories_in(database)}
    assert found == {None: OPENCODE_SESSION, "ses_b": OPENCODE_SESSION, "ses_c": OPENCODE_SESSION}


def test_files_of_older_openclaws_are_read_too(engine: Everthread, tmp_path: Path):
    file = tmp_path / "s7.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in CLAW))
    taken = take_all(engine, histories.histories_in(file), tmp_path / "data")
    assert [(t.history.harness, t.messages) for t in taken] == [("openclaw", 2)]
    assert said(engine) == ["zebra?", "Forty-two."]


# Markdown

STORY = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-02-23 12:05:09Z

<!-- Claude Code Session ce0023fa-c09f-4e08-ac5c-845e1bd672a5 (2026-02-23 12:05:09Z) -->

_**User (2026-02-23 12:05:09Z)**_

Quote this log:
_**User (2020-01-01 00:00:00Z)**_
and say hello.

---

_**Agent (claude-opus-4-6 2026-02-23 12:05:14Z)**_

<think><details><summary>Thought Process</summary>
secretly
</details></think>

I look.

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash** `echo hello`</summary>

```text
hello
```

</details></tool-use>

---

_**Agent - sidechain (claude-opus-4-6 2026-02-23 12:05:20Z)**_

not in the main session

---

_**User (2026-02-23 12:06:00Z)**_

This session is being continued from a previous conversation that ran out of context.
"""

AIDER = """
# aider chat started at 2024-08-05 19:33:02

> aider --lint
> Aider v0.47.2-dev

# aider chat started at 2024-08-05 19:33:32

> aider aider/utils.py

#### Use the Spinner
#### instead of the custom one

Certainly:

```python
<<<<<<< SEARCH
x
=======
y
>>>>>>> REPLACE
```

> Applied edit to aider/utils.py

#### thanks
"""


def test_a_story_of_specstory_is_told_by_its_headings(tmp_path: Path):
    file = tmp_path / "story.md"
    file.write_text(STORY)
    (chapter,) = chapters(file)
    assert chapter.original == "ce0023fa-c09f-4e08-ac5c-845e1bd672a5"
    told = [(e["role"], e["content"]) for e in chapter.entries]
    assert told[0][0] == "user" and "2020-01-01" in told[0][1] and told[0][1].endswith("say hello.")
    assert told[1] == ("assistant", "I look.")
    assert told[2][1][0]["name"] == "Bash" and "hello" in told[3][1][0]["content"]
    assert len(told) == 4
    assert "secretly" not in str(told) and "sidechain" not in str(told)


def test_aiders_log_is_told_by_its_marks(tmp_path: Path):
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(AIDER)
    (chapter,) = chapters(file)
    told = [(e["role"], e["content"]) for e in chapter.entries]
    assert [role for role, _ in told] == ["system", "user", "assistant", "system", "user"]
    assert told[1][1] == "Use the Spinner\ninstead of the custom one"
    assert ">>>>>>> REPLACE" in told[2][1]
    assert told[3][1] == "Applied edit to aider/utils.py"


@pytest.mark.parametrize(
    "thought",
    [
        "<thinking-content-7bbeb8>\n\nWe'll keep it. ```\n> quoted\n\n</thinking-content-7bbeb8>",
        "--------------\n► **THINKING**\n\nWe'll keep it.\n\n------------\n► **ANSWER**",
    ],
)
def test_what_a_model_thought_in_aiders_log_is_nobodys_word(tmp_path: Path, thought: str):
    file = tmp_path / ".aider.chat.history.md"
    reply = "Mended.\n\n```python\n# done\n```\n\nNow it works."
    file.write_text(
        f"# aider chat started at 2024-08-05 19:33:32\n\n#### mend it  \n\n{thought}\n\n{reply}\n"
    )
    (chapter,) = chapters(file)
    told = [(e["role"], e["content"]) for e in chapter.entries]
    assert told == [("user", "mend it"), ("assistant", reply)]


def test_a_thought_that_was_broken_off_hides_nothing_that_was_said_after_it(tmp_path: Path):
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(
        "# aider chat started at 2024-08-05 19:33:32\n\n#### mend it  \n\n"
        "<thinking-content-7bbeb8>\n\nHmm\n\n> ^C again to exit  \n\n"
        "#### never touch prod  \n\nThe tag is\n<thinking-content-abc> and opens a thought.\n\n"
        "It prints `► **THINKING**` first.\n\n#### and add tests  \n"
    )
    (chapter,) = chapters(file)
    told = [(e["role"], e["content"]) for e in chapter.entries if e["role"] != "system"]
    assert [text for role, text in told if role == "user"] == [
        "mend it",
        "never touch prod",
        "and add tests",
    ]
    (reply,) = [text for role, text in told if role == "assistant"]
    assert reply.endswith("`► **THINKING**` first.") and "opens a thought" in reply


def test_what_follows_a_command_of_aider_is_said_once(tmp_path: Path):
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(
        "# aider chat started at 2024-08-05 19:33:32\n\n"
        "#### /ask what is delta?  \n\n#### what is delta?  \n\nThe time since.\n\n"
        "#### /drop a.py  \n\n#### what is delta?  \n\nAs before.\n"
    )
    (chapter,) = chapters(file)
    said = [e["content"] for e in chapter.entries if e["role"] == "user"]
    assert said == ["what is delta?", "/drop a.py\n\nwhat is delta?"]


def test_the_first_logs_of_specstory_are_known_by_their_heading(tmp_path: Path):
    file = tmp_path / "story.md"
    file.write_text(
        STORY.replace("<!-- Generated by SpecStory, Markdown v2.1.0 -->", "## SpecStory", 1)
    )
    assert file.read_text().startswith("## SpecStory\n")
    (chapter,) = chapters(file)
    assert [made["role"] for made in chapter.entries] == ["user", "assistant", "assistant", "user"]


@pytest.mark.parametrize("end", ["  ", ""])
def test_an_empty_line_of_a_prompt_in_aiders_log_is_empty(tmp_path: Path, end: str):
    """aider marks it too; an editor may have taken away the spaces at the end of the lines."""
    lines = ("#### Use the Spinner.", "####", "#### And no other.")
    said = "\n".join(f"{line} {end}" if end else line for line in lines)
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(f"# aider chat started at 2024-08-05 19:33:32\n\n{said}\n\nDone.\n\n####\n")
    (chapter,) = chapters(file)
    told = [(e["role"], e["content"]) for e in chapter.entries]
    assert told == [("user", "Use the Spinner.\n\nAnd no other."), ("assistant", "Done.\n\n####")]


@pytest.mark.parametrize("end", ["", "  "], ids=["without spaces", "with aider's two spaces"])
def test_a_message_that_aider_was_started_with_is_not_the_agents(tmp_path: Path, end: str):
    """It stands twice in the log: below the command, without a mark, and as what was said."""
    said = "1. Look for the bug.\n2. Mend it."
    typed = "\n".join(f"#### {line}{end}" for line in said.splitlines())
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(
        "# aider chat started at 2024-08-05 19:33:32\n\n"
        f"> C:\\bin\\aider --architect --message \n{said}{end}\n> Aider v0.86.2{end}\n\n{typed}\n\nMended.\n"
    )
    (chapter,) = chapters(file)
    told = [(e["role"], e["content"]) for e in chapter.entries if e["role"] != "system"]
    assert told == [("user", said), ("assistant", "Mended.")]


def test_logs_in_a_project_are_found_and_go_to_its_agent(cli: Cli, tmp_path: Path):
    shop = tmp_path / "shop"
    (shop / ".specstory" / "history").mkdir(parents=True)
    (shop / ".specstory" / "history" / "2026-02-23_12-05-09Z.md").write_text(STORY)
    (shop / ".aider.chat.history.md").write_text(AIDER)
    (shop / "README.md").write_text("# Shop\n")
    wanted = ("import", "--harness", "aider", "--harness", "specstory", "--json")
    brought = cli(*wanted, cwd=shop).json["brought"]
    name = project_agent(shop)
    assert {(b["harness"], b["agent"], b["messages"]) for b in brought} == {
        ("aider", name, 5),
        ("specstory", name, 4),
    }
    assert cli(*wanted, cwd=shop).json["messages"] == 0
    (shop / ".aider.chat.history.md").write_text(AIDER + "\n#### one more\n")
    assert cli(*wanted, cwd=shop).json["messages"] == 1


def test_a_story_of_a_session_that_is_here_is_left_out(engine: Everthread, tmp_path: Path):
    file = tmp_path / "shop" / ".specstory" / "history" / "story.md"
    file.parent.mkdir(parents=True)
    file.write_text(STORY)
    agent = engine.agent(str(project_agent(tmp_path / "shop")))
    entry = {"role": "user", "content": "x", "id": "1"}
    agent.record([entry], source="hook", session="ce0023fa-c09f-4e08-ac5c-845e1bd672a5")
    (taken,) = take_all(engine, histories.histories_in(file), tmp_path / "data")
    assert taken.messages == 0 and "from its harness" in taken.reason


CURSOR = """<!-- Generated by SpecStory -->

<!-- cursor Session 9880e7bf-73cc-44e7-a4d6-93dfcae9f3d9 (2025-08-13 11:12Z) -->

_**User (2025-08-13 11:08Z)**_

look

_**Assistant (m)**_

I look.

---

Tool use: **Bash**

`ls`

```
a.md
```
"""


def test_a_story_that_an_earlier_version_read_otherwise_is_not_doubled(
    engine: Everthread, tmp_path: Path
):
    """It stored a body of several tools as one message: that stays, and its pieces do not come too."""
    file = tmp_path / "shop" / ".specstory" / "history" / "story.md"
    file.parent.mkdir(parents=True)
    file.write_text(CURSOR)
    (chapter,) = chapters(file)
    user, *pieces = chapter.entries
    assert len(pieces) == 3
    (whole, _) = stored_whole(pieces[0]["id"])
    agent = engine.agent(str(project_agent(tmp_path / "shop")))
    before = {"role": "assistant", "content": "I look. ls a.md", "id": whole, "at": user["at"]}
    agent.record([user, before], source="import", session=chapter.session)
    (taken,) = take_all(engine, histories.histories_in(file), tmp_path / "data")
    assert taken.messages == 0
    file.write_text(CURSOR + "\n_**Assistant (m)**_\n\nThere is one file.\n")
    (taken,) = take_all(engine, histories.histories_in(file), tmp_path / "data")
    assert taken.messages == 1


def test_a_log_that_is_stored_already_is_not_recorded_again(engine: Everthread, tmp_path: Path):
    """Its messages are known by their ids: nothing is written, so nobody who writes is waited for."""
    file = tmp_path / "shop" / ".specstory" / "history" / "story.md"
    file.parent.mkdir(parents=True)
    file.write_text(CURSOR)
    (taken,) = take_all(engine, histories.histories_in(file), tmp_path / "data")
    assert taken.messages == 4
    db = sqlite3.connect(engine.location, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    (taken,) = take_all(engine, histories.histories_in(file), tmp_path / "other")
    db.close()
    assert taken.messages == 0


def test_real_logs_are_read_whole():
    needs("test-data")
    folder = Path(os.environ["EVERTHREAD_TEST_DATA"]) / "transcripts"
    (log,) = histories.histories_in(folder / "aider-chat-history.md")
    assert log.harness == "aider" and log.folder == ""
    told = [e for chapter in chapters(Path(log.place)) for e in chapter.entries]
    assert sum(e["role"] == "user" for e in told) > 150
    for history in histories.histories_in(folder / "specstory"):
        (chapter,) = chapters(Path(history.place))
        times = [e["at"] for e in chapter.entries]
        assert times == sorted(times) and chapter.original
        assert (
            sum(e["role"] == "user" and isinstance(e["content"], str) for e in chapter.entries) > 10
        )
