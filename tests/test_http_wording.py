"""The API speaks one way everywhere: errors by their names, times in one format, values listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.http.routes import ROUTES
from support.http_server import Server, serving

LIKE_A_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "home") as found:
        found.engine.agent("ada")
        yield found


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/api/agents/nobody", "AgentUnknown"),
        ("GET", "/api/agents/nobody/messages", "AgentUnknown"),
        ("POST", "/api/agents/nobody/recall", "AgentUnknown"),
        ("GET", "/api/events?agent=nobody", "AgentUnknown"),
        ("POST", "/api/agents/ada/threads/close", "ThreadUnknown"),
        ("GET", "/api/checkpoints/unheard-of", "SessionUnknown"),
        ("GET", "/api/agents/ada/knew/x", "TurnUnknown"),
    ],
)
def test_what_is_not_there_is_told_by_its_name(
    server: Server, method: str, path: str, name: str
) -> None:
    bodies = {"/api/agents/nobody/recall": {"query": "owls"}}
    body = bodies.get(path, {"key": "no"} if method == "POST" else None)
    answer = server.ask(method, path, body)
    assert answer.status == 404, answer.body
    assert answer.json["type"] == f"urn:everthread:error:{name}", answer.json


def test_who_names_an_unknown_agent_is_told_how_to_make_one(server: Server) -> None:
    detail = server.get("/api/agents/bob/memories").json["detail"]
    assert "POST /api/agents with its name makes one" in detail
    assert server.post("/api/agents", {"name": "bob"}).status == 200
    assert server.get("/api/agents/bob/memories").status == 200


def test_what_a_receipt_lost_is_dismissed(server: Server) -> None:
    ada = server.engine.agent("ada")
    for n in range(20):
        ada.turn(f"I weeded row {n} of the onions.").done(f"Row {n} is noted. " * 20)
    receipt = ada.distill()
    path = f"/api/agents/ada/receipts/{receipt.id}/dismiss"
    assert server.post(path, {}).json["id"] == receipt.id
    assert "dismissed" in ada.receipt(receipt).receipt.detail
    assert server.post("/api/agents/ada/receipts/ffffffff/dismiss", {}).status == 404


def test_an_agent_that_a_token_may_not_see_looks_like_one_that_is_not_there(server: Server) -> None:
    server.engine.agent("bob")
    token = server.post("/api/tokens", {"name": "t", "scopes": ["read"], "agents": ["ada"]})
    key = token.json["secret"]
    one, other = (server.ask("GET", f"/api/agents/{n}", token=key).json for n in ("bob", "nob"))
    assert one["type"] == other["type"] == "urn:everthread:error:AgentUnknown"
    assert one["detail"].replace("bob", "nob") == other["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "says"),
    [
        (
            "GET",
            "/api/agents/ada/memories?state=lost",
            None,
            "all, current, forgotten, kept, superseded",
        ),
        ("GET", "/api/agents/ada/memories?kind=idea", None, "correction, decision, fact, identity"),
        ("POST", "/api/tokens", {"name": "t", "scopes": ["all"]}, "admin, read, write"),
        ("POST", "/api/agents/ada/turns", {"content": "hi", "origin": "bot"}, "system"),
    ],
)
def test_a_value_that_is_none_of_a_few_is_refused_with_those(
    server: Server, method: str, path: str, body: Any, says: str
) -> None:
    detail = server.ask(method, path, body).detail
    assert "Invalid enum value" in detail and f"it takes {says}" in detail.replace("agent, ", "")


def times_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from times_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from times_in(each)
    elif isinstance(value, str) and LIKE_A_TIME.match(value):
        yield value


def test_every_time_is_told_in_one_format(server: Server, tmp_path: Path) -> None:
    """ISO 8601, UTC, with milliseconds and Z: as text it sorts as it reads."""
    ada = server.engine.agent("ada")
    said = {
        "role": "user",
        "content": "We decided to use PostgreSQL.",
        "at": "2026-02-20T10:00:00Z",
    }
    ada.record([said], session="s1", project=str(tmp_path))
    ada.checkpoint("working on the store", session="s1")
    ada.turn("Shall we use tabs?").done("Yes.")
    memory = ada.remember("The store is PostgreSQL.")
    ada.note("Ask Mel about the port.")
    told = [server.post("/api/agents/ada/recall", {"query": "PostgreSQL store"}).json]
    assert told[0]["hits"]
    given = {"agent": "ada", "session_key": "s1", "session": "s1", "number": "1", "id": memory.id}
    for route in ROUTES:
        names = set(re.findall(r"\{(\w+)\}", route.path))
        if route.method != "GET" or not names <= set(given):
            continue
        path = re.sub(r"\{(\w+)\}", lambda m: given[m[1]], route.path)
        needs = "?project=" + str(tmp_path) if route.path == "/api/checkpoints" else ""
        answer = server.get(path + needs)
        told.append(answer.json if answer.status == 200 else {})
    times = [*times_in(told)]
    assert len(times) > 20
    assert [time for time in times if not TIME.fullmatch(time)] == []
