"""Each harness through its door: the hook command, the daemon, the store, and the answer on its way back."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.distilling.prompts import Prompt
from everthread.edges.hooks.command import command_for
from everthread.providers.models.command import Command
from support.daemon import Daemon, daemon, house, short_home  # noqa: F401 - fixtures
from support.model_commands import command

pytestmark = pytest.mark.slow

SAID = "Please change the port to {} in config/app.toml."


def told(harness: str, project: Path, number: int) -> list[tuple[str, dict[str, Any]]]:
    """How that harness tells of a prompt, and of the compaction that follows."""
    words, folder = SAID.format(number), str(project)
    usual = {"session_id": f"s-{number}", "cwd": folder}
    claw = {"sessionId": f"s-{number}", "workspaceDir": folder, "trigger": "user"}
    code = {"sessionID": f"s-{number}", "directory": folder, "database": f"{folder}/none.db"}
    return {
        "claude-code": [
            ("SessionStart", {**usual, "source": "startup"}),
            ("UserPromptSubmit", {**usual, "prompt": words}),
            ("PreCompact", {**usual, "trigger": "auto"}),
            ("SessionStart", {**usual, "source": "compact"}),
        ],
        "codex": [
            ("SessionStart", {**usual, "source": "startup"}),
            ("UserPromptSubmit", {**usual, "prompt": words}),
            ("PreCompact", {**usual, "trigger": "auto"}),
            ("SessionStart", {**usual, "source": "compact"}),
        ],
        "gemini": [
            ("SessionStart", {**usual, "source": "startup"}),
            ("BeforeAgent", {**usual, "prompt": f"<hook_context>x</hook_context>\n\n{words}"}),
            ("PreCompress", {**usual, "trigger": "auto"}),
            ("AfterAgent", {**usual, "transcript_path": str(compressed(project, words))}),
            ("BeforeAgent", {**usual, "prompt": "Go on."}),
        ],
        "opencode": [
            ("session.created", code),
            ("chat.message", {**code, "prompt": f'"{words}"'}),
            ("experimental.session.compacting", code),
            ("session.compacted", code),
        ],
        "openclaw": [
            ("session_start", {"event": {}, "ctx": claw}),
            ("before_prompt_build", {"event": {"prompt": words}, "ctx": claw}),
            ("before_compaction", {"event": {"messageCount": 9}, "ctx": claw}),
            ("after_compaction", {"event": {"compactedCount": 8}, "ctx": claw}),
        ],
    }[harness]


def compressed(project: Path, words: str) -> Path:
    """Gemini CLI's chat file after a compression, of which no event tells."""
    now = datetime.now(UTC).isoformat()
    header = {"sessionId": "s", "projectHash": "x", "startTime": now, "kind": "main"}
    asked = {"id": "m1", "timestamp": now, "type": "user", "content": [{"text": words}]}
    snapshot = "<state_snapshot>the goal was a port</state_snapshot>"
    kept = {"id": "m2", "timestamp": now, "type": "user", "content": [{"text": snapshot}]}
    file = project / "session-1.jsonl"
    rows = (header, asked, {"$set": {"messages": [kept]}})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_what_is_said_in_each_harness_is_kept_and_given_back_after_it_compacts(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
):
    harnesses = ("claude-code", "codex", "gemini", "opencode", "openclaw")
    for number, harness in enumerate(harnesses, 8440):
        project = tmp_path / harness
        project.mkdir()
        answers = []
        for event, body in told(harness, project, number):
            done = daemon.hook(harness, event, body)
            assert (done.code, done.err) == (0, b"")
            answers.append(done.out)
        assert str(number) in answers[-1].decode(), f"{harness}: {answers}"
        assert json.loads(answers[-1]), "three want JSON, two plugins are ours"
    assert daemon.down() == 0
    with everthread.connect(settings=daemon.settings, background=False) as engine:
        kept = {a.sessions()[0].harness: [m.text for m in a.messages()] for a in engine.agents()}
    assert kept.pop("gemini") == [SAID.format(8442), "Go on."]
    assert kept == {n: [SAID.format(k)] for k, n in enumerate(harnesses, 8440) if n != "gemini"}


def test_rubbish_private_words_and_strangers_leave_no_trace_in_the_store(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
):
    usual = {"session_id": "s", "cwd": str(tmp_path / "shop"), "prompt": "Keep this out."}
    (tmp_path / "shop").mkdir()
    for harness, event, body, env in (
        ("claude-code", "UserPromptSubmit", b'{"session_id": "s", "pro', {}),
        ("claude-code", "UserPromptSubmit", b"\x00\xff" * 1_000, {}),
        ("claude-code", "PreCompaction", usual, {}),
        ("claude-code", "UserPromptSubmit", usual, {"EVERTHREAD_PRIVATE": "1"}),
        ("claude-code", "UserPromptSubmit", usual, {}),  # the same session: still private
    ):
        done = daemon.hook(harness, event, body, env=env)
        assert (done.code, done.out, done.err) == (0, b"", b"")
    assert "NotUnderstood" in daemon.log
    assert "Keep this out" not in daemon.log
    assert daemon.down() == 0
    with everthread.connect(settings=daemon.settings, background=False) as engine:
        assert engine.agents() == []
    left = [f for f in daemon.home.rglob("*") if f.is_file() and b"Keep this out" in f.read_bytes()]
    assert left == []


INSIDE = """
import json, subprocess
for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
    told = json.dumps({"session_id": SESSION, "cwd": FOLDER, "prompt": "Sum this up, claude."})
    subprocess.run(HOOKS[event], input=told.encode(), check=True)
print(ANSWER)
"""


def test_what_we_ask_a_command_ourselves_is_no_conversation_of_the_users(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
):
    """`claude -p` runs the user's hooks, ours among them; one that is not marked is kept."""
    kept: list[bool] = []
    for session, marked in (("ours", True), ("theirs", False)):
        folder = tmp_path / session
        folder.mkdir()
        names = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
        hooks = {name: command_for(daemon.settings, "claude-code", name) for name in names}
        argv = command(folder, f"SESSION, HOOKS = {session!r}, {hooks!r}\n{INSIDE}", "Done.")
        if marked:
            prompt = Prompt("Sum up.", "Sum this up, claude.", {}, 9)
            assert Command(argv).ask(prompt, most=9, pause=lambda: None).text.strip() == "Done."
        else:
            subprocess.run(argv, check=True, capture_output=True, env=daemon.env)
        status, body = daemon.get("/api/agents")
        assert status == 200
        kept.append(session in body.decode())
    assert kept == [False, True]
