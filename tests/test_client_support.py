"""What the tests with real clients stand on: the cache of clients, and the scripted model."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support import clients
from support.clients import CLIENTS, Unavailable, fetch
from support.model_script import TOO_LONG, Reply, ScriptedModel, ToolCall

TOOL = Path(__file__).resolve().parent.parent / "tools" / "clients.py"
CODEX = CLIENTS["codex"]


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVERTHREAD_CLIENT_CACHE", str(tmp_path))
    return tmp_path / "everthread-clients"


def program_of(folder: Path) -> Path:
    return folder / CODEX.path.relative_to(CODEX.folder)


# ---- the cache


def test_a_client_is_installed_once_however_many_ask(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    installed: list[str] = []

    def npm(package: str, folder: Path) -> None:
        installed.append(package)
        time.sleep(0.05)
        program_of(folder).parent.mkdir(parents=True)
        program_of(folder).touch()

    monkeypatch.setattr(clients, "_npm_install", npm)
    asking = [threading.Thread(target=fetch, args=(CODEX,)) for _ in range(4)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert installed == ["@openai/codex@0.166.0"]
    assert CODEX.path.exists()
    left = [path.name for path in empty_cache.iterdir() if path.name.endswith(".lock") is False]
    assert left == ["codex-0.166.0"]


def test_an_installation_that_fails_leaves_nothing_and_says_why(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    def npm(package: str, folder: Path) -> None:
        program_of(folder).parent.mkdir(parents=True)
        raise Unavailable(f"npm install {package}: the line is dead")

    monkeypatch.setattr(clients, "_npm_install", npm)
    assert clients.why_missing("codex") == "npm install @openai/codex@0.166.0: the line is dead"
    assert not CODEX.folder.exists()
    assert not [path for path in empty_cache.iterdir() if path.is_dir()]


def test_a_package_without_a_program_for_this_machine_is_told(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(clients, "_npm_install", lambda package, folder: None)
    assert "has no program for" in (clients.why_missing("codex") or "")


def test_an_unknown_client_is_refused_by_name():
    done = subprocess.run(
        [sys.executable, str(TOOL), "emacs"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "no client 'emacs'" in done.stderr


# ---- the scripted model

PATHS = {
    "claude": ("/v1/messages?beta=true", "messages"),
    "chat": ("/v1/chat/completions", "messages"),
    "responses": ("/v1/responses", "input"),
    "gemini": ("/v1beta/models/m:streamGenerateContent?alt=sse", "contents"),
}


def ask(model: ScriptedModel, way: str, text: str) -> str:
    path, history = PATHS[way]
    said = {"role": "user", "content": text} if way != "gemini" else {"parts": [{"text": text}]}
    body = {"model": "m", "stream": True, "tools": [{"name": "t"}], history: [said]}
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("way", PATHS)
def test_the_conversation_is_answered_from_the_script_in_order(way: str):
    with ScriptedModel() as model:
        model.script(Reply(calls=[ToolCall("look", {"at": "it"})]), "Seen.")
        first, second, third = (ask(model, way, text) for text in ("one", "two", "three"))
    assert "look" in first
    assert "Seen." in second
    assert "stood" in third
    assert [asked.newest.splitlines()[-1] for asked in model.turns] == ["one", "two", "three"]


@pytest.mark.parametrize("way", PATHS)
def test_a_summary_uses_up_nothing_of_the_script(way: str):
    with ScriptedModel() as model:
        model.script("Mine.")
        assert "Mine." not in ask(model, way, "CONTEXT CHECKPOINT COMPACTION")
        assert "Mine." in ask(model, way, "one")
    assert [asked.summarizing for asked in model.requests] == [True, False]


def test_a_refusal_is_an_error_of_its_protocol():
    with ScriptedModel() as model:
        model.script(TOO_LONG)
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(model, "claude", "one")
        with refused.value:
            told = json.loads(refused.value.read())
    assert refused.value.code == 400
    assert told["error"]["message"].startswith("prompt is too long")
