"""A secret that was said stands in the raw messages of the store, and nowhere else (X-19, R-30)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.harness.happenings import Happening
from support.commands import Cli, Here
from support.daemon import Daemon, daemon, house, short_home  # noqa: F401 - fixtures
from support.sitting import work_off

pytestmark = [pytest.mark.req("X-19", "R-30"), pytest.mark.slow]

SECRET = "ghp_" + "Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"
PLAIN = "The cellar key hangs behind the clock."

RAW = {("messages", "content")}
"""Where what was said is kept as it was said, as long as it is short."""

SHOWN = (
    ("status",),
    ("threads",),
    ("sessions", "list"),
    ("sessions", "show", "SESSION"),
    ("sessions", "timeline", "SESSION"),
    ("checkpoints", "list"),
    ("compactions", "list"),
    ("incidents",),
    ("outbox",),
    ("recall", "which key hangs behind the clock?"),
    ("memories", "list"),
    ("notes", "list"),
    ("injections",),
    ("scorer", "report"),
    ("exchanges", "list"),
    ("receipts",),
    ("receipts", "show", "RECEIPT"),
    ("context",),
    ("doctor",),
    ("verify",),
    ("logs",),
    ("export",),
)


PRINTED = ("logs", "export", "context", "recall", "status")
"""Those that are asked for as people do; the others as programs do, who are told more."""


def told(agent: Agent, n: int) -> None:
    """A turn in which the secret is said by everybody: the person, the agent, a tool, its call."""
    turn = agent.turn(f"Remember: use {SECRET} for push {n}. {PLAIN} Always ask first.")
    call = {"type": "tool_use", "id": f"c{n}", "name": "run", "input": {"token": SECRET, "n": n}}
    turn.add({"role": "assistant", "content": [call]})
    turn.tool_result(f"c{n}", f"error: push {n} was denied for {SECRET}")
    turn.done(f"I decided to push {n} with {SECRET} because the other one failed.")


def said(home: Path, project: Path) -> tuple[str, str]:
    """All that is derived of what was said; the ids of a session and of a receipt."""
    settings = Settings.load(home, {"EVERTHREAD_HOME": str(home), "EVERTHREAD_EMBEDDER": "off"})
    with everthread.connect(settings=settings, background=False) as engine:
        agent = engine.agent("ada", system="You push things.")
        for n in range(15):
            told(agent, n)
        receipt = agent.distill()
        assert receipt.outcome == "ok"
        over = agent.end_session()
        attended(agent, project)
        written(engine, agent)
        work_off(engine)
        return over.id, receipt.id


def attended(agent: Agent, project: Path) -> None:
    base = Happening("claude-code", "prompt", "s1", str(project))
    agent.attend(base._replace(kind="start", start="startup"))
    agent.attend(base._replace(text=f"Push it with {SECRET}, please. {PLAIN}"))
    agent.attend(base._replace(kind="reply", text=f"I pushed it with {SECRET}."))
    agent.attend(base._replace(kind="compacting", trigger="auto"))
    agent.attend(base._replace(kind="compacted", text=f"We pushed with {SECRET}."))
    back = agent.attend(base._replace(kind="start", start="compact"))
    assert SECRET not in str(back)
    agent.attend(base._replace(kind="end", reason="exit"))
    again = agent.attend(base._replace(kind="start", start="startup", session="s2"))
    assert again.context
    assert SECRET not in str(again)
    asks = base._replace(session="s2", text="Which key hangs behind the clock in the cellar?")
    assert SECRET not in str(agent.attend(asks))


def written(engine: Everthread, agent: Agent) -> None:
    """What is put down by hand, and sent to others."""
    engine.agent("bob")
    agent.note(f"the token: {SECRET}")
    agent.remember(f"Push with {SECRET} when the cellar key is back.")
    agent.checkpoint(f"We use {SECRET} for pushing", session="s1")
    agent.send("bob", f"Use {SECRET}.")


def columns(path: Path) -> dict[tuple[str, str], int]:
    """In how many rows of which columns of the file the secret stands."""
    line = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [r[0] for r in line.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found: dict[tuple[str, str], int] = {}
        for table in tables:
            names = [row[1] for row in line.execute(f'PRAGMA table_info("{table}")')]
            for name in names:
                sql = f'SELECT count(*) FROM "{table}" WHERE instr(CAST("{name}" AS BLOB), ?)'
                (number,) = line.execute(sql, (SECRET.encode(),)).fetchone()
                if number:
                    found[table, name] = number
        return found
    finally:
        line.close()


def test_what_was_said_is_kept_raw_in_one_place_and_shown_nowhere(
    house: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every table, every file of ours, every command that shows something, the log of the daemon."""
    project = tmp_path / "shop"
    project.mkdir()
    session, receipt = said(house.home, project)
    (store,) = house.home.rglob("everthread.db")
    stands = columns(store)
    assert set(stands) <= RAW, stands
    assert stands, "what was said is kept as it was said"
    others = [
        path
        for path in house.home.rglob("*")
        if path.is_file() and not path.name.startswith("everthread.db")
    ]
    assert any(path.name == "MEMORY.md" for path in others)
    assert [str(path) for path in others if SECRET.encode() in path.read_bytes()] == []
    here = Here(tmp_path, monkeypatch, capsys)
    here.env = house.env
    for number, words in enumerate(SHOWN):
        named = [{"SESSION": session, "RECEIPT": receipt}.get(word, word) for word in words]
        form = [] if named[0] in PRINTED else ["--json"]
        # The first ones as programs of their own; the door is the same, and to start takes longest.
        command = shown(house) if number < 3 else here
        code, out, err = command(*named, *form, "--agent", "ada")
        assert code in {0, 1}, (named, err)
        assert SECRET not in out + err, named


def shown(at: Daemon) -> Cli:
    made = Cli(at.home)
    made.env = at.env
    return made


def test_neither_the_answers_of_the_daemon_nor_its_log_hold_it(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    """Through the hook, the API and the tools."""
    usual: dict[str, Any] = {"session_id": "s-1", "cwd": str(tmp_path)}
    daemon.hook("claude-code", "SessionStart", {**usual, "source": "startup"})
    said = daemon.hook("claude-code", "UserPromptSubmit", {**usual, "prompt": f"Use {SECRET} now."})
    daemon.hook("claude-code", "PreCompact", {**usual, "trigger": "auto"})
    back = daemon.hook("claude-code", "SessionStart", {**usual, "source": "compact"})
    other = daemon.hook(
        "claude-code", "SessionStart", {**usual, "session_id": "s-2", "source": "startup"}
    )
    for answer in (said, back, other):
        assert SECRET not in (answer.out + answer.err).decode()
    _, body = daemon.get("/api/agents")
    for agent in json.loads(body)["agents"]:
        for tail in ("messages", "sessions", "context", "timeline", "injections"):
            code, body = daemon.get(f"/api/agents/{agent['agent']}/{tail}")
            assert code == 200
            assert SECRET not in body.decode()
    daemon.get(f"/api/agents/{SECRET}")
    assert daemon.down() == 0
    assert SECRET not in daemon.log
