"""MCP when things go wrong: the daemon dies, clients send nonsense, strangers knock."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.daemon import running_daemon
from everthread.edges.mcp import bridge
from everthread.edges.mcp.bridge import Starter
from everthread.edges.mcp.catalogue import tools_for
from everthread.edges.mcp.command import bridge_command
from support.commands import COMMAND
from support.daemon import Daemon, begun, daemon, house, short_home, standing, wait_for  # noqa: F401 - fixtures
from support.mcp import Line, alone, answer, by_command, by_http, said, settled  # noqa: F401 - a fixture

ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One that the daemon of several tests has not seen before."""
    folder = Path(tempfile.mkdtemp(dir=tmp_path)) / "shop"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def text_of(reply: Any) -> str:
    """What a call answered, which must be no error."""
    assert not reply["result"].get("isError"), reply
    return reply["result"]["content"][0]["text"]


def error_of(reply: Any) -> str:
    """What a call answered, which must be an error that a model reads."""
    assert reply["result"]["isError"], reply
    return reply["result"]["content"][0]["text"]


# The daemon ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_daemon_killed_between_two_calls_is_started_again(house: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    async def work() -> None:
        async with by_command(house, project) as client:
            await said(client, "memory_store", text="The staging port is 5433")
            house.kill()
            assert "5433" in await said(client, "memory_search", query="staging port")

    settled(work)


@pytest.mark.slow
def test_a_call_whose_daemon_dies_before_it_answers_is_sent_again(
    daemon: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    with Line(daemon, project) as line:
        text_of(line.call(1, "note", action="add", text="first"))
        os.kill(pid, signal.SIGSTOP)
        call = {"name": "note", "arguments": {"action": "list"}}
        line.send({"jsonrpc": "2.0", "id": "again", "method": "tools/call", "params": call})
        assert line.ask("beside", "ping")["id"] == "beside", "one call does not hold up another"
        daemon.kill()
        reply = line.next()
        assert reply["id"] == "again"
        assert "| first" in text_of(reply)


@pytest.mark.slow
def test_the_handshake_waits_for_no_daemon(alone: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    """A daemon that never comes up: what a client asks at its start is answered all the same."""
    with Line(alone, project) as line:
        told = line.ask("a", "initialize", protocolVersion="2025-06-18")
        assert told["result"]["protocolVersion"] == "2025-06-18"
        assert len(line.ask(2, "tools/list")["result"]["tools"]) == len(tools_for(""))
        assert not alone.answers()


@pytest.mark.slow
def test_a_daemon_that_cannot_be_started_is_told_to_the_model(
    house: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    with Line(house, tmp_path, EVERTHREAD_HOME=str(nowhere / "home")) as line:
        assert "everthread up" in error_of(line.call(1, "note", action="list"))
        reply = line.ask(2, "prompts/get", name="resume")
        assert reply["error"]["code"] == bridge.INTERNAL


def test_after_down_a_running_session_does_not_start_the_daemon_again(
    house: Daemon,  # noqa: F811 - the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house.places.stopped.touch()
    start = Starter(str(house.home))
    monkeypatch.setattr(bridge, "PATIENCE", -1.0)
    assert start() is False
    assert not house.places.starting.exists()


@pytest.mark.slow
def test_two_bridges_at_once_share_one_daemon(house: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    with Line(house, project) as one, Line(house, project) as other:
        call = {"name": "note", "arguments": {"action": "add", "text": "hello"}}
        for line in (one, other):
            line.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        assert {text_of(line.next())[:4] for line in (one, other)} == {"Note"}
        assert "| hello" in text_of(one.call(2, "note", action="list"))


@pytest.mark.slow
def test_many_calls_at_once_are_all_answered(standing: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    with Line(standing, project) as line:
        for n in range(40):
            call = {"name": "note", "arguments": {"action": "add", "text": f"note {n}"}}
            line.send({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call})
        replies = [line.next() for _ in range(40)]
        assert {reply["id"] for reply in replies} == set(range(40))
        assert all("written down" in text_of(reply) for reply in replies)
        assert line.end() == (0, b"", b"")


@pytest.mark.slow
def test_calls_under_way_are_answered_after_stdin_has_ended(
    standing: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    with Line(standing, project) as line:
        call = {"name": "note", "arguments": {"action": "list"}}
        line.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        code, out, err = line.end()
        assert (code, err) == (0, b"")
        assert "no such notes" in text_of(json.loads(out))


@pytest.mark.slow
def test_a_bridge_whose_client_is_gone_goes_too(daemon: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that the call is under way for ever
    try:
        with Line(daemon, project) as line:
            call = {"name": "note", "arguments": {"action": "list"}}
            line.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
            assert line.ask(2, "ping")["result"] == {}
            for stream in (line.process.stdin, line.process.stdout):
                assert stream is not None
                stream.close()
            assert line.process.wait(60) == 0
            line.process.stdin = line.process.stdout = None
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_bridge_leaves_the_daemon_and_nothing_else(house: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    with Line(house, project) as line:
        text_of(line.call(1, "note", action="add", text="x"))
        assert line.end() == (0, b"", b"")
    assert house.answers()


@pytest.mark.slow
def test_a_store_that_was_taken_away_is_told_and_nothing_breaks(
    daemon: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    with Line(daemon, project) as line:
        text_of(line.call(1, "note", action="add", text="kept"))
        store = Path(daemon.settings.store_target)
        away = store.with_name("away.db")
        store.rename(away)
        assert "gone" in error_of(line.call(2, "note", action="list"))
        away.rename(store)

        def back() -> bool:
            return "| kept" in json.dumps(line.call(3, "note", action="list"))

        wait_for(back, "the store is back and is not seen")


# What clients send ---------------------------------------------------------------------------------


def test_the_probe_of_newer_clients_gets_an_error_and_the_handshake_goes_on(
    alone: Daemon,  # noqa: F811 - the fixture
) -> None:
    """Claude Code asks `server/discover` with a text for an id before it shakes hands."""
    with Line(alone, alone.home) as line:
        probe = line.ask("discover-1", "server/discover", _meta={"x": "2026-07-28"})
        assert probe["id"] == "discover-1"
        assert probe["error"]["code"] == bridge.UNKNOWN
        assert line.ask(0, "initialize", protocolVersion="2025-11-25")["id"] == 0
        line.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        newest = line.ask(1, "initialize", protocolVersion="1999-01-01")
        assert newest["result"]["protocolVersion"] == "2025-11-25"


NONSENSE: list[tuple[bytes, int]] = [
    (b"\x00\xff\xfe binary \x80\n", bridge.PARSE),
    (b"half a line {\n", bridge.PARSE),
    (b"[" * 100_000 + b"\n", bridge.PARSE),
    (b"[]\n", bridge.INVALID),
    (b'"text"\n', bridge.INVALID),
    (b"{}\n", bridge.INVALID),
    (b'{"jsonrpc":"2.0","id":1}\n', bridge.INVALID),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', bridge.INVALID),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', bridge.INVALID),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', bridge.INVALID),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/burn"}\n', bridge.UNKNOWN),
    (b'{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}\n', bridge.UNKNOWN),
]


def test_nonsense_gets_an_error_each_and_breaks_nothing(alone: Daemon) -> None:  # noqa: F811 - the fixture
    with Line(alone, alone.home) as line:
        for sent, code in NONSENSE:
            line.send(sent)
            assert line.next()["error"]["code"] == code, sent[:60]
        for silent in (
            b"\n  \r\n",
            b'{"jsonrpc":"2.0","method":"notifications/whatever"}\n',
            b'{"jsonrpc":"2.0","id":9,"result":{}}\n',
        ):
            line.send(silent)
        assert line.ask("well", "ping") == {"jsonrpc": "2.0", "id": "well", "result": {}}


def test_a_line_in_two_halves_is_one_and_half_a_line_at_the_end_is_none(
    alone: Daemon,  # noqa: F811 - the fixture
) -> None:
    with Line(alone, alone.home) as line:
        line.send(b'{"jsonrpc":"2.0","id":1,')
        line.send(b'"method":"ping"}\n')
        assert line.next()["id"] == 1
        line.send(b'{"jsonrpc":"2.0","id":2,"met')
        code, out, err = line.end()
        assert (code, err) == (0, b"")
        assert json.loads(out)["error"]["code"] == bridge.PARSE


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_without_a_client_it_ends_in_silence(house: Daemon, closed: str) -> None:  # noqa: F811 - the fixture
    for command in (["everthread", "mcp"], bridge_command(house.settings)):
        script = f"exec {shlex.join(command)} {closed}"
        path = f"{COMMAND.parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", script],
            env={**house.env, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.slow
def test_arguments_of_a_megabyte_and_more_are_refused_in_words(
    standing: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    with Line(standing, project) as line:
        told = error_of(line.call("big", "session_digest", summary="x" * 1_000_000))
        assert "at most 8,000 characters; got 1,000,000" in told
        assert "bytes" in error_of(line.call("huge", "session_digest", summary="x" * 5_000_000))
        assert "is written" in text_of(line.call("small", "session_digest", summary="x"))


@pytest.mark.slow
def test_texts_of_any_script_and_lone_surrogates_come_through(
    standing: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    with Line(standing, project) as line:
        text_of(line.call(1, "note", action="add", text="Straße 東京 🧵\u2028next"))
        assert "| Straße 東京 🧵" in text_of(line.call(2, "note", action="list"))
        reply = line.call(3, "note", action="add", text="half \ud83e")
        assert reply["id"] == 3
        assert "| Straße" in text_of(line.call(4, "note", action="list"))


# Over the wire -------------------------------------------------------------------------------------


def posted(house: Daemon, headers: Mapping[str, str], **call: Any) -> tuple[int, bytes]:  # noqa: F811 - named as it is
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", **call}
    return house.ask("POST", "/mcp/", json.dumps(body).encode(), {**ACCEPT, **headers})


@pytest.mark.slow
def test_over_tcp_nobody_comes_in_without_a_token_or_by_a_foreign_name(
    standing: Daemon,  # noqa: F811 - the fixture
) -> None:
    good = standing.bearer()
    assert posted(standing, good)[0] == 200
    assert posted(standing, {})[0] == 401
    assert posted(standing, {"authorization": "Bearer wrong"})[0] == 401
    assert posted(standing, {**good, "host": "evil.example"})[0] in {403, 421}
    assert posted(standing, {**good, "origin": "https://evil.example"})[0] == 403
    assert standing.ask("GET", "/mcp/", headers=good)[0] == 405
    assert standing.ask("DELETE", "/mcp/", headers=good)[0] == 405
    assert standing.ask("POST", "/mcp/", b"{half", {**ACCEPT, **good})[0] == 400
    assert standing.ask("POST", "/mcp/", b"x" * 5_000_000, {**ACCEPT, **good})[0] == 413
    assert posted(standing, good)[0] == 200


@pytest.mark.slow
def test_a_token_of_the_store_may_do_what_its_scopes_say(standing: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    import everthread

    with everthread.connect(settings=standing.settings, background=False) as engine:
        secret = engine.create_token("reader", scopes=["read"]).secret
    headers = {"authorization": f"Bearer {secret}", "x-everthread-folder": str(project)}

    async def work() -> None:
        async with by_http(standing, headers) as client:
            await said(client, "memory_search", query="port")
            told, failed = await answer(client, "memory_store", text="The port is 5433")
            assert failed
            assert "scope `write`" in told

    settled(work)
    with everthread.connect(settings=standing.settings, background=False) as engine:
        engine.revoke_token("reader")
    assert posted(standing, headers)[0] == 401


@pytest.mark.slow
def test_the_bridge_speaks_to_another_daemon_where_a_url_names_one(
    standing: Daemon,  # noqa: F811 - the fixture
    project: Path,
    tmp_path: Path,
) -> None:
    url = f"http://127.0.0.1:{standing.port}"
    here = {"EVERTHREAD_HOME": str(tmp_path / "other"), "EVERTHREAD_URL": url}
    with Line(standing, project, EVERTHREAD_TOKEN=standing.token, **here) as line:
        text_of(line.call(1, "note", action="add", text="far away"))
        assert "| far away" in text_of(line.call(2, "note", action="list"))
    assert not (tmp_path / "other").exists()
    with Line(standing, project, EVERTHREAD_TOKEN="wrong", **here) as line:
        assert "EVERTHREAD_TOKEN" in error_of(line.call(1, "note", action="list"))


@pytest.mark.slow
def test_the_sdk_is_loaded_by_the_first_call_and_not_by_the_daemon(
    begun: Daemon,  # noqa: F811 - the fixture
    project: Path,
) -> None:
    """Whoever never calls a tool pays neither its time nor its memory."""

    def loaded() -> bool:
        pid = running_daemon.lock_holder(begun.places)
        return "pydantic_core" in Path(f"/proc/{pid}/maps").read_text()

    with Line(begun, project) as line:
        line.ask(1, "initialize", protocolVersion="2025-11-25")
        line.ask(2, "tools/list")
        assert not loaded()
        line.call(3, "note", action="list")
        assert loaded()


@pytest.mark.slow
def test_calls_while_the_sdk_is_loaded_wait_for_it_together(begun: Daemon, project: Path) -> None:  # noqa: F811 - the fixture
    codes: list[int] = []

    def ask() -> None:
        codes.append(posted(begun, begun.bearer())[0])

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert codes == [200] * 6
