"""The HTTP API, verb by verb, through a real port."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from everthread.domain.errors import BadInput, TokenUnknown
from everthread.edges.http import answers, inputs
from everthread.edges.http import memory_answers as known
from everthread.edges.http.openapi import api_description
from everthread.edges.http.routes import ROUTES
from support.commands import Cli, Here
from support.http_server import LONGEST, TOKEN, Answer, Server, serving


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "home") as found:
        found.engine.agent("ada")
        yield found


def fine(answer: Answer, shape: type[msgspec.Struct]) -> Any:
    """The document, once it is seen to have the shape that is promised."""
    assert answer.status in (200, 201), answer.body
    assert answer.headers["content-type"] == "application/json"
    msgspec.convert(answer.json, shape)
    return answer.json


# Checkpoints --------------------------------------------------------------------------------------


def spoken(server: Server, project: Path, key: str, *words: str, agent: str = "ada") -> None:
    """A session of a harness with a checkpoint after each word."""
    mind = server.engine.agent(agent)
    for word in words:
        entry = {"role": "user", "content": f"please see to the {word}"}
        mind.record([entry], session=key, project=str(project))
        mind.checkpoint(f"working on the {word}", session=key)


@pytest.mark.req("B-59", "B-78")
def test_the_checkpoints_of_a_project_come_newest_first(server: Server, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "p")
    spoken(server, tmp_path / "p", "s1", "parser", "lexer")
    spoken(server, tmp_path / "p", "s2", "printer", agent="bob")
    spoken(server, tmp_path / "q", "s3", "other")
    told = fine(server.get(f"/api/checkpoints?project={tmp_path}/link"), known.CheckpointList)
    assert told["count"] == 3
    assert [c["agent"] for c in told["checkpoints"]] == ["bob", "ada", "ada"]
    for checkpoint, word in zip(told["checkpoints"], ("printer", "lexer", "parser"), strict=True):
        assert word in checkpoint["digest"]
    assert {c["kind"] for c in told["checkpoints"]} == {"explicit"}
    one = server.get(f"/api/checkpoints?project={tmp_path}/p&limit=1&agent=ada").json
    assert one["count"] == 1 and "lexer" in one["checkpoints"][0]["digest"]


@pytest.mark.req("B-60", "B-78")
@pytest.mark.parametrize("key", ["s1", "agent:ada:main/2 ünïcode", "claude:0198-77"])
def test_the_checkpoints_of_a_session_are_found_by_its_key(server: Server, key: str) -> None:
    from urllib.parse import quote

    spoken(server, Path("/somewhere"), key, "parser", "lexer")
    told = fine(server.get(f"/api/checkpoints/{quote(key, safe='')}"), known.CheckpointList)
    assert told["count"] == 2
    assert {c["session_key"] for c in told["checkpoints"]} == {key}
    assert "lexer" in told["checkpoints"][0]["digest"]
    assert server.get("/api/checkpoints/unheard-of").status == 404


@pytest.mark.req("B-59")
@pytest.mark.parametrize(
    "query",
    [
        "",
        "limit=5",
        "project=",
        "project=/p&limit=abc",
        "project=/p&limit=-1",
        "project=/p&limit=0",
        "project=/p&limit=1000000",
        "project=/p&limit=1.5",
        "project=/p&project=/q",
        "project=/p&x=1",
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(server: Server, query: str) -> None:
    answer = server.get(f"/api/checkpoints?{query}")
    assert answer.status == 400
    assert any(name in answer.detail for name in ("project", "limit", "`x`"))


@pytest.mark.req("B-59")
def test_ten_checkpoints_are_told_unless_more_are_asked_for(server: Server, tmp_path: Path) -> None:
    spoken(server, tmp_path, "s1", *(f"part {n}" for n in range(12)))
    assert server.get(f"/api/checkpoints?project={tmp_path}").json["count"] == 10
    assert server.get(f"/api/checkpoints?project={tmp_path}&limit=100").json["count"] == 12


def test_a_checkpoint_of_an_agent_that_the_token_may_not_see_is_not_shown(
    server: Server, tmp_path: Path
) -> None:
    """(R-44)."""
    spoken(server, tmp_path, "s1", "parser")
    spoken(server, tmp_path, "s2", "secret plan", agent="bob")
    made = server.post("/api/tokens", {"name": "a", "agents": ["ada"]}).json["secret"]
    told = server.get(f"/api/checkpoints?project={tmp_path}", token=made).json
    assert [c["agent"] for c in told["checkpoints"]] == ["ada"]
    assert server.get("/api/checkpoints/s2", token=made).status == 404
    assert server.get(f"/api/checkpoints?project={tmp_path}&agent=bob", token=made).status == 404


def test_a_checkpoint_can_be_written(server: Server) -> None:
    server.engine.agent("ada").record([{"role": "user", "content": "go"}], session="s1")
    body = {"text": "half way", "session": "s1", "next_steps": ["write the tests"]}
    made = fine(server.post("/api/agents/ada/checkpoints", body), known.CheckpointSeen)
    assert "half way" in made["digest"] and "write the tests" in made["digest"]
    listed = fine(server.get("/api/agents/ada/checkpoints"), known.CheckpointList)
    assert [c["id"] for c in listed["checkpoints"]] == [made["id"]]


# What was said ------------------------------------------------------------------------------------


def test_what_is_recorded_is_read_recalled_and_proved(server: Server) -> None:
    entries = [
        {"role": "user", "content": "The parser listens on port 8123.", "id": "1"},
        {"role": "assistant", "content": "Noted.", "id": "2"},
    ]
    body = {"entries": entries, "session": "s1"}
    assert fine(server.post("/api/agents/ada/messages", body), answers.Counted)["added"] == 2
    assert server.post("/api/agents/ada/messages", body).json == {
        "added": 0,
        "known": 2,
        "changed": [],
    }
    told = fine(server.get("/api/agents/ada/messages"), answers.MessageList)
    assert [m["content"] for m in told["messages"]] == [e["content"] for e in entries]
    assert told["more"] is False
    assert server.get("/api/agents/ada/messages?limit=1").json["more"] is True
    hits = fine(server.post("/api/agents/ada/recall", {"query": "which port?"}), known.HitList)
    assert "8123" in hits["hits"][0]["text"]
    sessions = fine(server.get("/api/agents/ada/sessions"), answers.SessionList)["sessions"]
    shown = server.get(f"/api/agents/ada/sessions/{sessions[0]['session_id']}")
    assert len(fine(shown, answers.SessionShown)["messages"]) == 2
    assert fine(server.get("/api/agents/ada/timeline"), answers.EntryList)["entries"]
    assert fine(server.get("/api/agents/ada/verify"), answers.VerdictSeen)["sound"] is True


def test_an_answer_is_bounded_whatever_messages_weigh(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everthread.edges.http.verbs import said

    monkeypatch.setattr(said, "MOST_BYTES", 2_500)
    entries = [{"role": "user", "content": f"{n} " + "x" * 1_000} for n in range(5)]
    server.engine.agent("ada").record(entries)
    told = server.get("/api/agents/ada/messages").json
    assert [m["content"][0] for m in told["messages"]] == ["4"] or len(told["messages"]) == 2
    assert told["messages"][-1]["content"][0] == "4"
    assert told["more"] is True
    monkeypatch.setattr(said, "MOST_BYTES", 10)
    assert len(server.get("/api/agents/ada/messages").json["messages"]) == 1


def test_agents_and_threads_are_made_and_shown(server: Server) -> None:
    body = {"name": "carol", "model": "some-model", "window": 50_000, "system": "Be kind."}
    made = fine(server.post("/api/agents", body), answers.AgentName)
    assert made["window"] == 50_000
    names = fine(server.get("/api/agents"), answers.AgentList)["agents"]
    assert [each["agent"] for each in names] == ["ada", "carol"]
    thread = {"key": "beds", "kind": "ephemeral"}
    assert (
        fine(server.post("/api/agents/carol/threads", thread), answers.ThreadSeen)["key"] == "beds"
    )
    keys = fine(server.get("/api/agents/carol/threads"), answers.ThreadList)["threads"]
    assert [each["key"] for each in keys] == ["agent:carol:main", "beds"]
    fine(server.post("/api/agents/carol/threads/close", {"key": "beds"}), answers.ThreadSeen)
    late = {"entries": [{"role": "user", "content": "more"}], "thread": "beds"}
    assert server.post("/api/agents/carol/messages", late).status == 409
    other = {"key": "beds", "kind": "background"}
    assert server.post("/api/agents/carol/threads", other).status == 409
    fine(server.get("/api/agents/carol"), answers.AgentSeen)
    fine(server.get("/api/status"), answers.Status)
    fine(server.get("/api/doctor"), answers.Findings)
    assert fine(server.get("/api/agents/carol/context"), known.ContextSeen)["system"] == "Be kind."


# Turns --------------------------------------------------------------------------------------------


def test_a_turn_with_tools_goes_through(server: Server) -> None:
    """Begin, add, tool result, done: the model is the caller's."""
    begun = server.post("/api/agents/ada/turns", {"content": "What time is it?"})
    turn = fine(begun, answers.OpenTurn)
    said = [{"type": "text", "text": "What time is it?"}]
    assert turn["messages"] == [{"role": "user", "content": said}]
    path = f"/api/agents/ada/turns/{turn['id']}"
    call = {"type": "tool_use", "id": "c1", "name": "clock", "input": {}}
    reply = {"role": "assistant", "content": [call]}
    added = fine(server.post(f"{path}/replies", {"response": reply}), answers.OpenTurn)
    assert added["open_calls"] == ["c1"]
    assert server.post(f"{path}/done", {"reply": "Noon."}).status == 409
    assert server.post(f"{path}/results", {"call_id": "c2", "output": "x"}).status == 404
    result = {"call_id": "c1", "output": "12:00"}
    assert fine(server.post(f"{path}/results", result), answers.OpenTurn)["open_calls"] == []
    openai = fine(server.get(f"{path}?style=openai"), answers.OpenTurn)
    assert [m["role"] for m in openai["messages"]] == ["user", "assistant", "tool"]
    usage = {"input_tokens": 20, "output_tokens": 5}
    done = fine(server.post(f"{path}/done", {"reply": "Noon.", "usage": usage}), answers.OpenTurn)
    assert done["state"] == "done"
    assert server.post(f"{path}/done", {"reply": "Again."}).status == 404
    turns = fine(server.get("/api/agents/ada/turns"), answers.TurnList)["turns"]
    assert [(t["number"], t["state"]) for t in turns] == [(1, "done")]
    assert fine(server.get("/api/agents/ada/knew/1"), known.KnewSeen)["turn"] == 1
    sent = fine(server.get("/api/agents/ada/sent/1"), known.ContextSeen)
    assert [m["role"] for m in sent["messages"]] == ["user", "assistant", "user"]
    first = fine(server.get("/api/agents/ada/sent/1?call=1"), known.ContextSeen)
    assert [m["role"] for m in first["messages"]] == ["user"]
    assert first["tokens"] < sent["tokens"]
    assert server.get("/api/agents/ada/sent/99").status == 404
    assert fine(server.post("/api/agents/ada/index"), known.Indexed)["agent"] == "ada"
    fine(server.get("/api/agents/ada/injections"), known.InjectionList)


def test_an_open_turn_is_named_by_its_id_or_its_number(server: Server) -> None:
    """Each thread counts its own: where two are open under one number, the id is asked for."""
    turn = server.post("/api/agents/ada/turns", {"content": "one"}).json
    path = f"/api/agents/ada/turns/{turn['number']}"
    assert fine(server.get(path), answers.OpenTurn)["id"] == turn["id"]
    aside = {
        "content": "two",
        "thread": server.engine.agent("ada").thread("side", kind="background").key,
    }
    second = server.post("/api/agents/ada/turns", aside).json
    assert second["number"] == turn["number"]
    assert "give the `id`" in server.get(path).json["detail"]
    fine(server.post(f"/api/agents/ada/turns/{second['id']}/failed"), answers.OpenTurn)
    assert fine(server.post(f"{path}/done", {"reply": "1"}), answers.OpenTurn)["state"] == "done"
    told = server.get(path)
    assert told.status == 404 and "the `id` or the `number`" in told.json["detail"]


def test_a_turn_that_failed_leaves_its_thread_free(server: Server) -> None:
    turn = server.post("/api/agents/ada/turns", {"content": "one"}).json
    path = f"/api/agents/ada/turns/{turn['id']}"
    assert server.post(f"/api/agents/bob/turns/{turn['id']}/failed").status == 404
    assert (
        fine(server.post(f"{path}/failed", {"error": "down"}), answers.OpenTurn)["state"]
        == "failed"
    )
    assert server.post("/api/agents/ada/turns", {"content": "two"}).status == 200


def test_a_turn_that_nobody_speaks_of_is_given_up(server: Server) -> None:
    from everthread.edges.http.open_turns import OpenTurns

    agent, desk = server.engine.agent("ada"), OpenTurns(idle_seconds=0)
    turn = agent.turn("hello")
    desk.hold(turn, "ada")
    desk.sweep()
    assert turn.state == "failed"
    assert agent.turns()[0].error == "nobody spoke of the turn for a quarter of an hour"


@pytest.mark.slow
def test_a_second_turn_on_a_thread_is_busy_and_the_daemon_goes_on(tmp_path: Path) -> None:
    """Turns that wait for their thread hold up neither each other's answers nor anyone else."""
    with serving(tmp_path, turn_wait_seconds=0.2) as server:
        server.engine.agent("ada")
        assert server.post("/api/agents/ada/turns", {"content": "one"}).status == 200
        got: list[Answer] = []

        def again() -> None:
            got.append(server.post("/api/agents/ada/turns", {"content": "two"}))

        waiting = [threading.Thread(target=again) for _ in range(10)]
        for each in waiting:
            each.start()
        assert server.get("/api/agents").status == 200
        for each in waiting:
            each.join()
        assert {answer.status for answer in got} == {409}
        assert {answer.headers["retry-after"] for answer in got} == {"1"}
        assert "waited for it for 0.2 s (turn_wait_seconds)" in got[0].json["detail"]


# Memory -------------------------------------------------------------------------------------------


def test_a_memory_is_kept_corrected_and_forgotten(server: Server) -> None:
    body = {"text": "Prefers tabs in YAML", "kind": "preference", "tags": ["style"]}
    kept = fine(server.post("/api/agents/ada/memories", body), known.MemoryKept)
    path = f"/api/agents/ada/memories/{kept['id']}"
    assert fine(server.get(path), known.MemoryShown)["text"] == body["text"]
    edited = server.ask("PATCH", path, {"text": "Prefers spaces in YAML"})
    new = fine(edited, known.MemoryKept)
    assert new["supersedes"] == [kept["id"]]
    versions = fine(server.get(f"{path}/history"), known.MemoryHistory)["versions"]
    assert [each["state"] for each in versions] == ["superseded", "kept"]
    listed = fine(server.get("/api/agents/ada/memories?tag=style"), known.MemoryList)["memories"]
    assert [each["id"] for each in listed] == [new["id"]]
    gone = server.ask("DELETE", f"/api/agents/ada/memories/{new['id']}")
    assert fine(gone, known.Forgotten)["state"] == "forgotten"
    assert server.get("/api/agents/ada/memories").json["memories"] == []
    plan = {"text": "I'll now look at the file", "origin": "agent"}
    refused = server.post("/api/agents/ada/memories", plan)
    assert refused.status == 422 and refused.detail


def test_notes_are_written_and_deleted(server: Server) -> None:
    note = {"text": "Ask Mel", "category": "question"}
    made = fine(server.post("/api/agents/ada/notes", note), known.NoteKept)
    listed = fine(server.get("/api/agents/ada/notes?category=question"), known.NoteList)["notes"]
    assert [each["text"] for each in listed] == ["Ask Mel"]
    gone = server.ask("DELETE", f"/api/agents/ada/notes/{made['id']}")
    assert fine(gone, known.Deleted)["deleted"] == made["id"]
    assert server.ask("DELETE", f"/api/agents/ada/notes/{made['id']}").status == 404


# Distilling ---------------------------------------------------------------------------------------


def test_a_distillation_is_made_shown_undone_and_redone(server: Server) -> None:
    words = [
        {"role": "user", "content": f"Decision {n}: we use port {8000 + n} for part {n}. " * 4}
        if n % 2 == 0
        else {"role": "assistant", "content": f"Agreed on {n}. " + "I changed src/part.py. " * 6}
        for n in range(40)
    ]
    for n in range(0, 40, 2):
        turn = server.engine.agent("ada").turn(words[n]["content"])
        turn.done(words[n + 1]["content"])
    receipt = fine(server.post("/api/agents/ada/distill"), known.ReceiptSeen)
    assert receipt["outcome"] in ("ok", "degraded"), receipt
    path = f"/api/agents/ada/receipts/{receipt['id']}"
    assert fine(server.get(path), known.ReceiptShown)["sentences"]
    listed = fine(server.get("/api/agents/ada/receipts"), known.ReceiptList)["receipts"]
    assert [each["id"] for each in listed] == [receipt["id"]]
    dry = fine(server.post(f"{path}/undo", {"dry_run": True}), known.Reversed)
    assert dry["dry_run"] is True and dry["messages"] > 0
    assert fine(server.post(f"{path}/undo"), known.Reversed)["outcome"] == "undone"
    assert server.post(f"{path}/undo").status == 409
    fine(server.post(f"{path}/redo"), known.Reversed)
    assert server.get("/api/agents/ada/receipts/123").status == 404


@pytest.mark.slow
def test_an_agent_is_exported_without_secrets(server: Server) -> None:
    """(R-30)."""
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    agent = server.engine.agent("ada")
    agent.record([{"role": "user", "content": f"line {n}: {secret}"} for n in range(2_000)])
    server.engine.agent("bob").note("of somebody else")
    answer = server.get("/api/agents/ada/export")
    assert answer.status == 200 and answer.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in answer.body.splitlines()]
    assert rows[0]["kind"] == "export" and rows[-1]["kind"] == "end"
    assert rows[-1]["redacted"] >= 2_000
    assert secret.encode() not in answer.body and b"somebody else" not in answer.body
    assert server.get("/api/agents/nobody/export").status == 404
    writer = server.post("/api/tokens", {"name": "w", "scopes": ["read", "write"]}).json["secret"]
    assert server.get("/api/agents/ada/export", token=writer).status == 403


def test_erasing_wants_the_name_twice(server: Server) -> None:
    server.engine.agent("ada").record([{"role": "user", "content": "never mind"}])
    refused = server.post("/api/agents/ada/erase", {"agent": "adb"})
    assert refused.status == 422 and "nothing was erased" in refused.detail
    gone = server.post("/api/agents/ada/erase", {"agent": "ada", "reason": "asked"})
    assert fine(gone, answers.Erased)["erased"][0]["messages"] == 1
    assert server.get("/api/agents/ada/messages").json["messages"] == []


# How requests fail --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "status", "says"),
    [
        (b'{"text": "x", "txet": 1}', 422, "txet"),
        (b'{"text": "x", "txet": 1}', 422, "; it takes `text`, `kind`, "),
        (b'{"text": 5}', 422, "$.text"),
        (b"{}", 422, "missing required field `text`; it takes `text`, "),
        (b'{"text": "x", "kind": "gossip"}', 422, "$.kind"),
        (b"[]", 422, "object"),
        (b'{"text": ', 400, "JSON"),
        (b"\xff\xfe", 400, "JSON"),
        (b'{"text": "\\ud800"}', 400, "JSON"),
        (b'{"text": "a\\u0000b"}', 422, "cannot be stored"),
    ],
)
def test_a_body_that_does_not_fit_is_told_which_field(
    server: Server, raw: bytes, status: int, says: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = server.ask("POST", "/api/agents/ada/memories", raw=raw, headers=headers)
    assert answer.status == status, answer.body
    assert says in answer.detail


def test_a_body_of_a_thousand_brackets_harms_nobody(server: Server) -> None:
    headers = {"Content-Type": "application/json"}
    raw = b'{"entries": [{"role": "user", "content": ' + b"[" * 100_000
    answer = server.ask("POST", "/api/agents/ada/messages", raw=raw, headers=headers)
    assert answer.status == 400 and answer.detail
    raw += b"]" * 100_000 + b"}]}"
    answer = server.ask("POST", "/api/agents/ada/messages", raw=raw, headers=headers)
    assert answer.status == 400 and answer.detail


def test_what_is_not_there_and_what_cannot_be_done_is_a_problem_too(server: Server) -> None:
    for path in ("/api/nothing", "/api/agents/ada/nothing", "/api/agents//threads", "/api/agents/"):
        assert server.get(path).status == 404 and server.get(path).detail
    answer = server.ask("PUT", "/api/agents")
    assert answer.status == 405 and answer.detail
    assert answer.headers["allow"] == "GET, POST"
    assert server.get("/api/agents/ada/sessions/none").json["type"].endswith("SessionUnknown")
    assert server.post("/api/agents/ada/recall?limit=5", {"query": "x"}).status == 400
    head = server.ask("HEAD", "/api/agents")
    assert head.status == 200 and head.body == b""


def test_a_connection_is_kept_for_many_requests(server: Server) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for path in ("/api/agents", "/api/nothing", "/api/agents"):
        line.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        answer = line.getresponse()
        answer.read()
        assert not answer.will_close, path
    line.close()


# The description ----------------------------------------------------------------------------------


def test_the_description_tells_every_route(server: Server) -> None:
    told = server.get("/api/openapi.json").json
    assert told == json.loads(json.dumps(api_description()))
    assert told["openapi"] == "3.1.0"
    listed = {(m.upper(), path) for path, own in told["paths"].items() for m in own}
    assert listed == {(r.method, r.path) for r in ROUTES} | {
        ("GET", "/api/openapi.json"),
        ("GET", "/api/events"),
        ("GET", "/api/agents/{agent}/export"),
        ("GET", "/api/backup"),
    }
    ids = [own["operationId"] for path in told["paths"].values() for own in path.values()]
    assert len(set(ids)) == len(ids)
    assert all(own["summary"] for path in told["paths"].values() for own in path.values())


def test_every_list_is_bounded() -> None:
    """Whatever takes a limit has a greatest one."""
    for shape in vars(inputs).values():
        if not (isinstance(shape, type) and issubclass(shape, inputs.Asked)):
            continue
        schema = msgspec.json.schema(shape)["$defs"][shape.__name__]["properties"]
        if "limit" in schema:
            assert schema["limit"]["maximum"] <= 1_000, shape


# Live events --------------------------------------------------------------------------------------


def events(stream: http.client.HTTPResponse, count: int) -> list[tuple[str, dict[str, Any]]]:
    """So many events as they come: id and data."""
    found: list[tuple[str, dict[str, Any]]] = []
    mark = ""
    while len(found) < count:
        line = stream.readline().decode().rstrip("\n")
        if line.startswith("id: "):
            mark = line[4:]
        elif line.startswith("data: "):
            found.append((mark, json.loads(line[6:])))
    return found


def test_what_happens_is_told_as_it_happens(server: Server) -> None:
    """Without a word of what was said, and from where a client was when it comes back."""
    agent = server.engine.agent("ada")
    with server.stream("/api/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        stream.readline()
        agent.remember("Mel likes her tea with milk")
        (mark, first), *_ = events(stream, 1)
        assert first["agent"] == "ada" and first["event"].startswith("memory")
        assert "tea" not in json.dumps(first)
    agent.note("while nobody listened")
    server.engine.agent("bob").note("by somebody new")
    with server.stream("/api/events", headers={"Last-Event-ID": mark}) as stream:
        missed = [data for _, data in events(stream, 4)]
    assert {data["agent"] for data in missed} == {"ada", "bob"}
    assert first["n"] + 1 in [data["n"] for data in missed if data["agent"] == "ada"]


def test_a_stream_tells_only_of_the_agents_of_its_token(server: Server) -> None:
    """(R-44)."""
    server.engine.agent("bob")
    made = server.post("/api/tokens", {"name": "a", "agents": ["ada"]}).json["secret"]
    with server.stream("/api/events?agent=bob", token=made) as refused:
        assert refused.status == 404
    assert server.get("/api/events?x=1").status == 400
    with server.stream("/api/events", token=made) as stream:
        stream.readline()
        server.engine.agent("bob").note("not yours")
        server.engine.agent("ada").note("yours")
        assert [data["agent"] for _, data in events(stream, 1)] == ["ada"]


def test_streams_are_bounded_and_let_go(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from everthread.edges.http import events as module

    monkeypatch.setattr(module, "MOST_CLIENTS", 1)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.05)
    with server.stream("/api/events") as stream:
        stream.readline()
        assert server.get("/api/events").status == 503
        lines = [stream.readline() for _ in range(4)]
        assert b": still here\n" in lines
    for _ in range(200):
        with server.stream("/api/events") as stream:
            if stream.status == 200:
                return
            stream.read()
    pytest.fail("a client that left still counts")


def test_a_stream_ends_when_its_token_is_revoked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everthread.edges.http import events as module

    monkeypatch.setattr(module, "BEAT_SECONDS", 0.05)
    made = server.post("/api/tokens", {"name": "a"}).json["secret"]
    with server.stream("/api/events", token=made) as stream:
        stream.readline()
        server.ask("DELETE", "/api/tokens/a")
        while stream.readline():
            pass
        assert stream.closed or stream.read() == b""
    with server.stream("/api/events", token=made) as stream:
        assert stream.status == 401


def test_a_busy_stream_ends_as_well_when_its_token_is_revoked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much happens, it is asked by the clock whether the token still opens anything."""
    from everthread.edges.http import events as module

    monkeypatch.setattr(module, "BEAT_SECONDS", 0.5)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    made = server.post("/api/tokens", {"name": "a"}).json["secret"]
    ended = threading.Event()
    quiet = threading.Event()

    def talk() -> None:
        for n in range(2_000):
            if ended.wait(0.01):
                return
            server.engine.agent("ada").note(f"note {n}")
        quiet.set()

    talker = threading.Thread(target=talk)
    with server.stream("/api/events", token=made) as stream:
        stream.readline()
        talker.start()
        try:
            events(stream, 1)
            server.ask("DELETE", "/api/tokens/a")
            while stream.readline():
                pass
        finally:
            ended.set()
            talker.join()
    assert not quiet.is_set(), "it ended only when nothing happened any more"


def test_the_owner_hears_what_happens_over_the_unix_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket needs no token, so there is none to be revoked."""
    from everthread.edges.http import events as module

    monkeypatch.setattr(module, "BEAT_SECONDS", 0.05)
    with serving(tmp_path / "home", unix=tmp_path / "s") as server:
        server.engine.agent("ada")
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rb") as answer:
            line.settimeout(LONGEST)
            line.connect(str(tmp_path / "s"))
            line.sendall(b"GET /api/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b" 200 " in answer.readline()
            while b"still here" not in answer.readline():
                pass
            server.engine.agent("ada").note("heard")
            while b"event: note" not in (said := answer.readline()):
                assert said


# Tokens on the command line -----------------------------------------------------------------------


@pytest.mark.req("B-61", "B-78")
def test_a_token_made_by_the_command_opens_the_api_until_it_is_revoked(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    cli = Here(tmp_path, monkeypatch, capsys)
    store = server.served.settings.store_target
    made = Cli(tmp_path)(
        "token", "create", "board", "--scope", "read", "--for", "ada", "--store", store
    )
    assert made.code == 0, made.err
    secret = made.out.strip()
    assert "read for ada" in made.err
    assert server.get("/api/agents", token=secret).json["agents"][0]["agent"] == "ada"
    assert server.post("/api/agents/ada/notes", {"text": "x"}, token=secret).status == 403
    listed = cli("token", "list", "--store", store, "--json").json["tokens"]
    assert [(t["name"], t["scopes"], t["agents"]) for t in listed] == [("board", ["read"], ["ada"])]
    assert listed[0]["used_at"]
    assert secret not in cli("token", "list", "--store", store).out
    again = cli("token", "create", "board", "--store", store)
    assert again.code == 2 and "already" in again.err
    assert cli("token", "revoke", "board", "--store", store).code == 0
    assert server.get("/api/agents", token=secret).status == 401
    assert cli("token", "revoke", "nobody", "--store", store).code == 3


def test_a_token_is_named_by_its_name_or_the_end_of_its_id(server: Server) -> None:
    engine = server.engine
    first = engine.create_token("board", scopes=["write", "read"], agents=["ada", "ada"])
    assert first.token.scopes_json == '["read","write"]' and first.token.agents_json == '["ada"]'
    ending = first.token.id[-8:]
    assert engine.revoke_token(ending).revoked_ms is not None
    second = engine.create_token("board")
    assert [t.revoked_ms is None for t in engine.tokens()] == [True, False]
    assert engine.revoke_token("board").id == second.token.id, "the one that is in force"
    assert engine.token_of(first.secret) is None
    for wrong in ("abc", "0000000000", "nobody"):
        with pytest.raises(TokenUnknown):
            engine.revoke_token(wrong)
    for scopes in ([], ["root"]):
        with pytest.raises(BadInput, match="read, write, admin"):
            engine.create_token("x", scopes=scopes)
    with pytest.raises(BadInput):
        engine.create_token("x", agents=["../etc"])


# Commands that speak to another daemon ------------------------------------------------------------


def test_commands_speak_to_the_daemon_that_the_url_names(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    here = Here(tmp_path, monkeypatch, capsys)
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}

    def told(*words: str) -> Any:
        answer = here(*words, "--json", env=there)
        assert answer.code == 0, answer.err
        return answer.json

    spoken(server, tmp_path, "s1", "parser")
    assert told("remember", "Mel prefers tabs in YAML", "--kind", "preference")
    assert [m["kind"] for m in told("memories", "list")["memories"]] == ["preference"]
    assert "tabs" in told("recall", "tabs or spaces?", "--limit", "1")["hits"][0]["text"]
    assert told("checkpoints", "list", "--session", "s1")["count"] == 1
    assert [s["key"] for s in told("sessions", "list")["sessions"]] == ["s1"]
    assert [a["agent"] for a in told("status")["agents"]] == ["ada"]
    assert "tabs" in here("memories", "list", env=there).out
    assert "explicit" in here("checkpoints", "list", env=there).out
    assert not (tmp_path / "data").exists(), "nothing was made on this machine"


def test_a_command_that_cannot_be_done_there_is_not_done_here(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    here = Here(tmp_path, monkeypatch, capsys)
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}
    refused = here("erase", "--agent", "ada", "--yes", env=there)
    assert refused.code == 2 and "--store" in refused.err
    assert here("recall", "x", "--agent", "nobody", env=there).code == 3
    assert here("memories", "list", "--limit", "5000", env=there).code == 2
    for wrong in ({"EVERTHREAD_TOKEN": "none"}, {"EVERTHREAD_URL": "http://127.0.0.1:9"}):
        answer = here("status", env={**there, **wrong})
        assert answer.code == 6 and answer.err
    assert here("status", env={"EVERTHREAD_URL": "ftp://x"}).code == 2


def test_the_local_token_is_sent_to_this_machine_alone(tmp_path: Path) -> None:
    from everthread import Settings
    from everthread.edges.http import client

    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "token").write_text("the-local-one\n")
    near = client.remote_daemon(Settings(home=tmp_path, url="http://localhost:8123"))
    away = client.remote_daemon(Settings(home=tmp_path, url="https://memory.example"))
    given = client.remote_daemon(
        Settings(home=tmp_path, url="https://memory.example", token="given")
    )
    tokens = [each and vars(each)["_token"] for each in (near, away, given)]
    assert tokens == ["the-local-one", "", "given"]
    assert client.remote_daemon(Settings(home=tmp_path)) is None


def test_the_newest_messages_that_fit_into_so_many_tokens_are_given(server: Server) -> None:
    ada = server.engine.agent("ada")
    for n in range(3):
        ada.turn(f"Question {n}?").done(f"Answer {n}.")
    told = fine(server.get("/api/agents/ada/messages?tokens=20"), answers.MessageList)
    fitting = [message.text for message in ada.messages(tokens=20)]
    assert [message["content"] for message in told["messages"]] == fitting
    assert 0 < len(fitting) < 6 and told["more"] is True
    assert server.get("/api/agents/ada/messages").json["more"] is False
