"""What is carried over the API: messages and exports in, a copy of the store out; and sessions that end."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from everthread import Settings, connect
from everthread.edges.http import answers, request_reader
from everthread.edges.http import memory_answers as known
from everthread.edges.http.routes import ROUTES
from support.http_server import Answer, Server, serving

LINES = {"Content-Type": "application/x-ndjson"}
SAID = [
    {"role": "user", "content": "The parser listens on port 8123.", "id": "1"},
    {"role": "assistant", "content": "Noted, port 8123.", "id": "2"},
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "home") as found:
        found.engine.agent("ada")
        yield found


def fine(answer: Answer, shape: type[msgspec.Struct]) -> Any:
    assert answer.status == 200, answer.body
    msgspec.convert(answer.json, shape)
    return answer.json


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def brought(
    server: Server, raw: bytes, *, path: str = "/api/agents/ada/import", **more: Any
) -> Answer:
    return server.ask("POST", path, raw=raw, headers=LINES, **more)


def left_in(server: Server) -> list[str]:
    """Files in the home folder that are not the store's."""
    home = server.served.settings.home
    return [p.name for p in home.iterdir() if p.name.startswith((".backup", "tmp"))]


# Sessions -----------------------------------------------------------------------------------------


def test_a_session_is_summed_up_ended_and_taken_up_again(server: Server) -> None:
    agent = server.engine.agent("ada")
    agent.turn("We decided to use port 8123 for the parser.").done("Agreed: port 8123.")
    path = f"/api/agents/ada/sessions/{agent.sessions()[0].id}"
    told = fine(server.post(f"{path}/summarize"), answers.SessionSeen)
    assert "8123" in told["summary"] and told["state"] == "active"
    ended = fine(server.post(f"{path}/end"), answers.SessionSeen)
    assert ended["state"] == "complete" and ended["ended_at"]
    assert fine(server.post(f"{path}/end"), answers.SessionSeen)["ended_at"] == ended["ended_at"]
    assert fine(server.post(f"{path}/resume"), answers.SessionSeen)["state"] == "active"
    for verb in ("end", "summarize", "resume"):
        assert server.post(f"/api/agents/ada/sessions/none/{verb}").status == 404


def test_a_session_with_an_open_turn_is_not_ended(server: Server) -> None:
    agent = server.engine.agent("ada")
    turn = agent.turn("hello")
    refused = server.post(f"/api/agents/ada/sessions/{agent.sessions()[0].id}/end")
    assert refused.status == 409 and "turn is open" in refused.detail
    turn.done("hi")


def test_what_the_scorer_learnt_is_told(server: Server) -> None:
    told = fine(server.get("/api/agents/ada/scorer"), known.ScorerSeen)
    assert told["agent"] == "ada" and told["mode"] and told["sessions"]["judged"] == 0


# Messages in --------------------------------------------------------------------------------------


def test_plain_messages_are_brought_once(server: Server) -> None:
    assert fine(brought(server, lines(*SAID)), answers.Counted) == {
        "added": 2,
        "known": 0,
        "changed": [],
    }
    more = {"role": "user", "content": "And the lexer on 8124.", "id": "3"}
    assert brought(server, lines(*SAID, more)).json == {"added": 1, "known": 2, "changed": []}
    other = {**SAID[0], "content": "Something else was said."}
    told = brought(server, lines(other)).json
    assert told == {"added": 0, "known": 1, "changed": [SAID[0]["id"]]}
    kept = server.get("/api/agents/ada/messages").json["messages"]
    assert [m["content"] for m in kept] == [*(m["content"] for m in SAID), more["content"]]
    assert {m["source"] for m in kept} == {"import"}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (lines(*SAID) + b"{torn", "line 3 is not JSON"),
        (lines(*SAID) + b"\xff\n", "line 3 is not text"),
        (lines(SAID[0], {"content": "who?"}), "line 2 is no message"),
        (lines(SAID[0]) + b"[" * 100_000 + b"\n", "line 2 is not JSON"),
        (b"[" * 100_000, "begins like a JSON array and is none"),
        (b"", "no messages"),
        (lines({"everthread": 1, "kind": "export"}), "brings its own agents"),
    ],
)
def test_lines_that_are_no_messages_bring_nothing(server: Server, raw: bytes, says: str) -> None:
    refused = brought(server, raw)
    assert refused.status == 422 and says in refused.detail
    assert server.get("/api/agents/ada/messages").json["messages"] == []
    assert left_in(server) == []


def test_lines_are_bounded_and_must_be_lines(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.post("/api/agents/ada/import", {"role": "user"}).status == 415
    most = {r.path: r.most for r in ROUTES if r.name.startswith("carry_")}
    assert most == {"/api/agents/{agent}/import": 16_000_000, "/api/import": 100_000_000}
    refused = brought(server, b"x" * 16_000_001)
    assert refused.status == 413 and "16,000,000" in refused.detail
    assert brought(server, lines(*SAID), path="/api/agents/nobody/import").status == 404
    assert brought(server, lines(*SAID), path="/api/agents/ada/import?x=1").status == 400

    class Full:
        def write(self, _part: bytes) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    monkeypatch.setattr(request_reader.tempfile, "TemporaryFile", lambda **_: Full())
    full = brought(server, lines(*SAID))
    assert full.status == 507 and "No space left" in full.detail


# An export in -------------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path: Path) -> bytes:
    """What another store holds, faithfully."""
    settings = Settings(home=tmp_path / "other", store=str(tmp_path / "other.db"), worker="off")
    with connect(settings=settings, background=False) as engine:
        engine.agent("bob").record(SAID)
        engine.agent("carol").note("Ask Mel")
        out: list[str] = []
        engine.export(out.append)
    return "".join(out).encode()


def test_an_export_comes_in_whole_and_twice_is_once(server: Server, exported: bytes) -> None:
    told = fine(brought(server, exported, path="/api/import"), answers.ImportList)
    assert [(a["agent"], a["outcome"]) for a in told["agents"]] == [
        ("bob", "added"),
        ("carol", "added"),
    ]
    assert server.engine.verify("bob").sound
    again = brought(server, exported, path="/api/import").json
    assert {a["outcome"] for a in again["agents"]} == {"known"}
    assert left_in(server) == []


def test_an_export_that_was_cut_redacted_or_is_none_brings_nothing(
    server: Server, exported: bytes
) -> None:
    redacted = server.get("/api/agents/ada/export").body
    for raw, says in (
        (exported[: len(exported) // 2], "nothing was imported"),
        (exported.rpartition(b"\n{")[0], "it was cut"),
        (redacted, "redacted"),
        (lines(*SAID), "not an Everthread export"),
        (b"", "not an Everthread export"),
    ):
        refused = brought(server, raw, path="/api/import")
        assert refused.status == 422 and says in refused.detail, refused.detail
    assert [a.name for a in server.engine.agents()] == ["ada"]


def test_rows_that_no_export_holds_are_refused(server: Server) -> None:
    head, end = {"everthread": 1, "kind": "export"}, {"everthread": 1, "kind": "end"}
    for row in (
        {"table": "agents", "name": "x"},
        {"table": "agents", "name": "ada"},
        {"table": "agents", "name": 5},
        {"table": 5},
        {"table": "agents", "name": "x", "id": "zz", "created_ms": "soon"},
        {},
    ):
        refused = brought(server, lines(head, row, end), path="/api/import")
        assert refused.status == 422, (row, refused.body)
    assert [a.name for a in server.engine.agents()] == ["ada"]


# A copy out ---------------------------------------------------------------------------------------


@pytest.mark.req("R-30")
def test_a_copy_of_the_store_is_a_store(server: Server, tmp_path: Path) -> None:
    server.engine.agent("ada").record(SAID)
    answer = server.get("/api/backup")
    assert answer.status == 200 and answer.headers["content-type"] == "application/octet-stream"
    assert int(answer.headers["content-length"]) == len(answer.body)
    copy = tmp_path / "copy.db"
    copy.write_bytes(answer.body)
    with sqlite3.connect(copy) as line:
        assert line.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    line.close()
    settings = Settings(home=tmp_path / "there", store=str(copy), worker="off")
    with connect(settings=settings, background=False) as engine:
        assert len(engine.agent("ada").messages()) == 2
        assert engine.verify("ada").sound
    assert left_in(server) == []
    assert server.ask("HEAD", "/api/backup").body == b""
    assert server.get("/api/backup?x=1").status == 400


def test_a_draft_that_a_killed_process_left_goes_with_the_next_copy(server: Server) -> None:
    import os

    home = server.served.settings.home
    for name, at in ((".backup-old", 0), (".backup-new", None)):
        (home / name).mkdir()
        if at is not None:
            os.utime(home / name, (at, at))
    assert server.get("/api/backup").status == 200
    assert left_in(server) == [".backup-new"], "somebody may be at work on that one"


def test_the_whole_store_is_for_the_admin_of_the_whole_store(
    server: Server, exported: bytes
) -> None:
    """(R-44)."""
    made = {"name": "a", "scopes": ["admin"], "agents": ["ada"]}
    bound = server.post("/api/tokens", made).json["secret"]
    writer = server.post("/api/tokens", {"name": "w", "scopes": ["read", "write"]}).json["secret"]
    for token in (bound, writer):
        assert server.get("/api/backup", token=token).status == 403
        assert brought(server, exported, path="/api/import", token=token).status == 403
    assert brought(server, lines(*SAID), token=bound).status == 200
    assert [a.name for a in server.engine.agents()] == ["ada"]


def test_a_store_on_a_server_is_copied_by_the_server(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(server.engine)
    monkeypatch.setattr(kind, "location", property(lambda _: "postgresql://h/db"))
    refused = server.get("/api/backup")
    assert refused.status == 409 and "pg_dump" in refused.detail
