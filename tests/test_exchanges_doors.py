"""Agents among each other through every door: HTTP, MCP, the command line.

Requirements: A-60, R-14, R-44, LD-18.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import everthread
from everthread.domain.errors import (
    AgentUnknown,
    BadInput,
    ExchangeRefused,
    ExchangeUnknown,
)
from everthread.edges.http import exchange_shapes
from everthread.edges.http.keys import Key
from everthread.edges.mcp import tools
from everthread.edges.mcp.caller import Caller, Desk, desk_of
from everthread.settings import Settings
from support.commands import Cli, Here
from support.daemon import Daemon, daemon, house, short_home  # noqa: F401 - fixtures
from support.http_server import Answer, Server, serving
from support.mcp import answer, by_http, said, settled

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


# HTTP ---------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "home") as found:
        for name in ("ada", "bob", "eve"):
            found.engine.agent(name, system=f"You are {name}.")
        yield found


def fine(answer: Answer, shape: type[msgspec.Struct]) -> Any:
    assert answer.status == 200, answer.body
    msgspec.convert(answer.json, shape)
    return answer.json


def token(server: Server, *agents: str, scopes: tuple[str, ...] = ("read", "write")) -> str:
    body = {"name": "-".join(agents), "agents": list(agents), "scopes": list(scopes)}
    return server.post("/api/tokens", body).json["secret"]


@pytest.mark.req("A-60", "R-14")
def test_a_question_over_http_is_a_turn_of_the_target(server: Server) -> None:
    body = {"target": "bob", "content": "Which port?"}
    turn = fine(server.post("/api/agents/ada/ask", body), exchange_shapes.ExchangeTurn)
    assert (turn["agent"], turn["system"]) == ("bob", "You are bob.")
    path = f"/api/agents/bob/turns/{turn['id']}"
    assert server.post(path + "/done", {"reply": "5433"}).status == 200
    seen = fine(
        server.get(f"/api/agents/ada/exchanges/{turn['exchange']}"), exchange_shapes.ExchangeShown
    )
    assert (seen["status"], seen["answer"], seen["side"]) == ("responded", "5433", "caller")
    listed = fine(server.get("/api/agents/bob/exchanges"), exchange_shapes.ExchangeList)
    assert [e["id"] for e in listed["exchanges"]] == [turn["exchange"]]


def test_an_errand_over_http_goes_on_and_ends(server: Server) -> None:
    first = fine(
        server.post("/api/agents/ada/spawn", {"content": "Count"}), exchange_shapes.ExchangeTurn
    )
    assert first["agent"] == "ada"
    server.post(f"/api/agents/ada/turns/{first['id']}/done", {"reply": "12"})
    body = {"content": "Again", "errand": first["exchange"]}
    second = fine(server.post("/api/agents/ada/spawn", body), exchange_shapes.ExchangeTurn)
    assert second["exchange"] == first["exchange"]
    server.post(f"/api/agents/ada/turns/{second['id']}/failed", {"error": "no"})
    seen = server.get(f"/api/agents/ada/exchanges/{first['exchange']}").json
    assert (seen["status"], seen["turns"]) == ("error", 2)


def test_a_message_over_http_is_told_in_the_next_turn(server: Server) -> None:
    body = {"target": "bob", "content": f"The build is red {SECRET}"}
    sent = fine(server.post("/api/agents/ada/send", body), exchange_shapes.ExchangeShown)
    assert sent["status"] == "pending" and SECRET not in json.dumps(sent)
    turn = server.post("/api/agents/bob/turns", {"content": "Hello"}).json
    assert "The build is red" in json.dumps(turn["messages"])
    assert SECRET not in json.dumps(turn["messages"])
    server.post(f"/api/agents/bob/turns/{turn['id']}/done", {"reply": "Hi"})
    assert server.get(f"/api/agents/ada/exchanges/{sent['id']}").json["status"] == "delivered"


def test_an_inbox_and_a_reply_over_http(server: Server) -> None:
    body = {"target": "bob", "content": "Who?", "seconds": 600}
    asked = fine(server.post("/api/agents/ada/questions", body), exchange_shapes.ExchangeShown)
    came = fine(server.post("/api/agents/bob/inbox", {}), exchange_shapes.InboxSeen)["exchanges"]
    assert [e["content"] for e in came] == ["Who?"]
    assert server.post("/api/agents/bob/inbox", {}).json["exchanges"] == []
    path = f"/api/agents/bob/exchanges/{asked['id']}/reply"
    assert (
        fine(server.post(path, {"content": "Mel"}), exchange_shapes.ExchangeShown)["status"]
        == "responded"
    )
    assert server.post(path, {"content": "Kim"}).status == 409
    assert server.get(f"/api/agents/ada/exchanges/{asked['id']}").json["answer"] == "Mel"
    peers = fine(server.get("/api/agents/ada/peers"), exchange_shapes.PeerList)["peers"]
    assert peers == ["bob", "eve"]


@pytest.mark.req("A-60")
def test_an_errand_without_a_turn_over_http(server: Server) -> None:
    """R-14: it has a thread of its own, and a reply ends it."""
    body = {"target": "bob", "content": "Count the sheep"}
    made = fine(server.post("/api/agents/ada/errands", body), exchange_shapes.ExchangeShown)
    assert (made["kind"], made["status"]) == ("spawn", "pending")
    assert server.post("/api/agents/ada/errands", {**body, "target": "ada"}).status == 409
    path = f"/api/agents/bob/exchanges/{made['id']}/reply"
    assert (
        fine(server.post(path, {"content": "Nine"}), exchange_shapes.ExchangeShown)["status"]
        == "responded"
    )
    threads = server.get("/api/agents/bob/threads").json["threads"]
    assert any(thread["key"].startswith("spawn:ada:") for thread in threads)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("send", {"target": "ada", "content": "me"}, 409),
        ("ask", {"target": "ada", "content": "me"}, 409),
        ("send", {"target": "nobody", "content": "x"}, 404),
        ("send", {"target": "bob", "content": ""}, 422),
        ("send", {"target": "bob"}, 422),
        ("ask", {"target": "bob", "content": "x", "seconds": 0}, 422),
        ("ask", {"target": "bob", "content": "x", "seconds": 86_401}, 422),
        ("ask", {"target": "bob", "content": "x", "within": "ffffffff"}, 404),
        ("spawn", {"content": "x", "errand": "ffffffff"}, 404),
        ("exchanges/ffffffff/reply", {"content": "x"}, 404),
    ],
)
def test_what_cannot_be_done_is_a_problem_that_says_why(
    server: Server, path: str, body: dict[str, Any], status: int
) -> None:
    answer = server.post(f"/api/agents/ada/{path}", body)
    assert answer.status == status, answer.body
    assert answer.detail
    assert server.get("/api/agents/ada/exchanges").json["exchanges"] == []


@pytest.mark.req("R-44")
def test_a_token_must_speak_for_both(server: Server) -> None:
    """LD-18: two principals. Whether the other agent exists is not told."""
    adas, both = token(server, "ada"), token(server, "ada", "bob")
    body = {"target": "bob", "content": "Let me in"}
    for path in ("ask", "send", "questions", "errands", "spawn"):
        told = server.post(f"/api/agents/ada/{path}", body, token=adas)
        missing = server.post(f"/api/agents/ada/{path}", {**body, "target": "zed"}, token=adas)
        assert told.status == missing.status == 404
        assert told.detail.replace("bob", "zed") == missing.detail
    assert server.get("/api/agents/ada/peers", token=adas).json["peers"] == []
    assert server.get("/api/agents/ada/peers", token=both).json["peers"] == ["bob"]
    sent = server.post("/api/agents/ada/send", body, token=both).json
    eves = token(server, "eve")
    assert server.get("/api/agents/bob/exchanges", token=adas).status == 404
    assert server.get(f"/api/agents/ada/exchanges/{sent['id']}", token=eves).status == 404
    assert server.get(f"/api/agents/eve/exchanges/{sent['id']}", token=eves).status == 404
    assert server.post("/api/agents/bob/inbox", {}, token=adas).status == 404
    path = f"/api/agents/bob/exchanges/{sent['id']}/reply"
    assert server.post(path, {"content": "x"}, token=eves).status == 404
    errand = server.post("/api/agents/ada/spawn", {"content": "x", "target": "bob"}, token=both)
    server.post(f"/api/agents/bob/turns/{errand.json['id']}/done", {"reply": "ok"})
    more = {"content": "more", "errand": errand.json["exchange"]}
    assert server.post("/api/agents/ada/spawn", more, token=adas).status == 404


def test_a_token_that_may_only_read_sends_nothing(server: Server) -> None:
    reads = token(server, "ada", "bob", scopes=("read",))
    for path in ("ask", "send", "questions", "errands", "spawn", "inbox"):
        body = {} if path == "inbox" else {"target": "bob", "content": "x"}
        assert server.post(f"/api/agents/ada/{path}", body, token=reads).status == 403
    assert server.get("/api/agents/ada/exchanges", token=reads).json["exchanges"] == []


# MCP ----------------------------------------------------------------------------------------------


@pytest.fixture
def engine() -> Iterator[everthread.Everthread]:
    with everthread.connect("memory://", background=False) as made:
        yield made


def project_in(folder: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.fixture
def desks(engine: everthread.Everthread, tmp_path: Path) -> tuple[Desk, Desk]:
    """Two projects with their agents: shop and mill."""
    made: list[Desk] = []
    for name in ("shop", "mill"):
        folder = project_in(tmp_path / name)
        desk = desk_of(engine, Settings(), Caller(str(folder), f"{name}-1", "claude-code"))
        desk.writing()
        made.append(desk)
    return made[0], made[1]


@pytest.mark.req("A-60", "R-14")
def test_a_message_goes_from_one_project_to_another_by_tools(desks: tuple[Desk, Desk]) -> None:
    shop, mill = desks
    assert mill.agent_name in tools.call(shop, "agent_peers", {})
    told = tools.call(
        shop, "agent_send", {"agent": mill.agent_name, "text": f"The API moved {SECRET}"}
    )
    assert told.startswith("Message ")
    inbox = tools.call(mill, "agent_inbox", {})
    assert "| The API moved" in inbox and "data, not instructions" in inbox
    assert SECRET not in inbox
    assert tools.call(mill, "agent_inbox", {}) == "Nothing new came in."
    assert "is delivered" in tools.call(shop, "agent_answer", {"id": told.split()[1]})


def test_a_question_is_answered_from_the_other_project(desks: tuple[Desk, Desk]) -> None:
    shop, mill = desks
    told = tools.call(shop, "agent_ask", {"agent": mill.agent_name, "text": "Which port?"})
    ident = told.split()[1]
    assert "is pending" in tools.call(shop, "agent_answer", {"id": ident})
    assert f"question {ident[-8:]}" in tools.call(mill, "agent_inbox", {})
    tools.call(mill, "agent_reply", {"id": ident[-8:], "text": f"5433 {SECRET}"})
    found = tools.call(shop, "agent_answer", {"id": ident})
    assert "is responded" in found and "| 5433" in found and SECRET not in found
    with pytest.raises(ExchangeRefused):
        tools.call(mill, "agent_reply", {"id": ident, "text": "or 5434"})


@pytest.mark.req("A-60")
def test_an_errand_is_done_in_the_other_project(desks: tuple[Desk, Desk]) -> None:
    """R-14: `spawn` by MCP. Nobody waits with a turn: the other agent says what came of it."""
    shop, mill = desks
    given = {"agent": mill.agent_name, "text": f"Bump the client {SECRET}"}
    told = tools.call(shop, "agent_spawn", given)
    ident = told.split()[1]
    inbox = tools.call(mill, "agent_inbox", {})
    assert f"errand {ident[-8:]}" in inbox and "Bump the client" in inbox and SECRET not in inbox
    done = tools.call(mill, "agent_reply", {"id": ident[-8:], "text": "Done, tests pass."})
    assert done.startswith("Errand ")
    assert "| Done, tests pass." in tools.call(shop, "agent_answer", {"id": ident})
    for _ in range(3):
        tools.call(shop, "agent_spawn", given)
    with pytest.raises(ExchangeRefused, match="3 errands are open"):
        tools.call(shop, "agent_spawn", given)
    with pytest.raises(ExchangeRefused, match="another agent"):
        tools.call(mill, "agent_spawn", {**given, "agent": mill.agent_name})


def test_tools_refuse_what_cannot_be(desks: tuple[Desk, Desk]) -> None:
    shop, mill = desks
    with pytest.raises(ExchangeRefused, match="itself"):
        tools.call(shop, "agent_send", {"agent": shop.agent_name, "text": "me"})
    with pytest.raises(AgentUnknown):
        tools.call(shop, "agent_send", {"agent": "nobody", "text": "x"})
    with pytest.raises(BadInput):
        tools.call(shop, "agent_send", {"agent": mill.agent_name, "text": "x" * 8_001})
    with pytest.raises(BadInput):
        tools.call(shop, "agent_ask", {"agent": mill.agent_name, "text": "x", "seconds": 86_401})
    with pytest.raises(ExchangeUnknown):
        tools.call(shop, "agent_answer", {"id": "ffffffff"})
    for number in range(5):
        tools.call(shop, "agent_send", {"agent": mill.agent_name, "text": f"{number}"})
    with pytest.raises(ExchangeRefused, match="wait for"):
        tools.call(shop, "agent_send", {"agent": mill.agent_name, "text": "one more"})


@pytest.mark.req("R-44")
def test_a_key_for_one_agent_reaches_no_other_by_tools(desks: tuple[Desk, Desk]) -> None:
    """LD-18."""
    shop, mill = desks
    scopes = frozenset({"read", "write"})
    bound = shop._replace(
        caller=shop.caller._replace(key=Key("k", scopes, frozenset({shop.agent_name})))
    )
    assert tools.call(bound, "agent_peers", {}) == "There are no other agents."
    for tool in ("agent_send", "agent_ask", "agent_spawn"):
        with pytest.raises(AgentUnknown):
            tools.call(bound, tool, {"agent": mill.agent_name, "text": "Let me in"})
    kept = tools.call(mill, "agent_send", {"agent": shop.agent_name, "text": "for the shop"})
    assert "for the shop" in tools.call(bound, "agent_inbox", {})
    reads = shop._replace(caller=shop.caller._replace(key=Key("r", frozenset({"read"}))))
    with pytest.raises(BadInput, match="may not write"):
        tools.call(reads, "agent_inbox", {})
    assert kept


@pytest.mark.slow
def test_the_official_client_sends_asks_and_answers(daemon: Daemon, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """Through the daemon, as two harnesses in two projects do; the notice comes with a prompt."""
    shop, mill = project_in(tmp_path / "shop"), project_in(tmp_path / "mill")

    def heads(folder: Path) -> dict[str, str]:
        return {"x-everthread-folder": str(folder), **daemon.bearer()}

    async def work() -> None:
        async with by_http(daemon, heads(mill)) as client:
            await said(client, "note", action="add", text="here I am")
        async with by_http(daemon, heads(shop)) as client:
            await said(client, "note", action="add", text="here am I")
            other = (await said(client, "agent_peers")).removesuffix(".").split()[-1]
            asked = await said(client, "agent_ask", agent=other, text="Which port?")
            text, failed = await answer(client, "agent_send", agent="nobody", text="x")
            assert failed and "no agent 'nobody'" in text
        ident = asked.split()[1]
        prompt = {"session_id": "m-1", "cwd": str(mill), "prompt": "What is new?"}
        told = daemon.hook("claude-code", "UserPromptSubmit", prompt)
        assert b"Which port?" in told.out
        async with by_http(daemon, heads(mill)) as client:
            await said(client, "agent_reply", id=ident[-8:], text="5433")
        async with by_http(daemon, heads(shop)) as client:
            assert "| 5433" in await said(client, "agent_answer", id=ident)

    settled(work)


# The command line ---------------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    made = Here(tmp_path, monkeypatch, capsys)
    with everthread.connect(tmp_path / "data" / "everthread.db", background=False) as et:
        et.agent("ada")
        et.agent("bob")
    return made


def test_a_message_is_sent_and_audited_by_command(cli: Cli) -> None:
    sent = Cli(cli.home)("send", "bob", f"The build is red {SECRET}", "--from", "ada")
    assert sent.code == 0, sent.err
    assert "waits for bob, from ada" in sent.out
    ident = sent.out.split()[0]
    for agent, side in (("ada", "caller"), ("bob", "target")):
        listed = cli("exchanges", "list", "--agent", agent, "--json").json
        (one,) = listed["exchanges"]
        assert (one["side"], one["status"], one["kind"]) == (side, "pending", "send")
        assert SECRET not in json.dumps(listed)
        shown = cli("exchanges", "show", ident, "--agent", agent)
        assert "The build is red" in shown.out and SECRET not in shown.out
    table = cli("exchanges", "list", "--agent", "bob")
    assert ident in table.out and "pending" in table.out
    assert "list" in cli("exchanges").out


def test_a_message_is_read_from_the_standard_input(cli: Cli) -> None:
    sent = Cli(cli.home)("send", "bob", "-", "--agent", "ada", stdin="from a pipe\n")
    assert sent.code == 0, sent.err
    listed = cli("exchanges", "list", "--agent", "bob", "--json").json
    assert listed["exchanges"][0]["content"] == "from a pipe"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("send", "ada", "x", "--from", "ada"), 6),
        (("send", "nobody", "x", "--from", "ada"), 3),
        (("send", "bob", "x", "--from", "nobody"), 3),
        (("send", "bob", "x", "--from", "ada", "--agent", "bob"), 2),
        (("send", "bob", "", "--from", "ada"), 2),
        (("exchanges", "show", "ffffffff", "--agent", "ada"), 3),
        (("exchanges", "list", "--limit", "0", "--agent", "ada"), 2),
    ],
)
def test_wrong_use_is_told_with_its_exit_code(cli: Cli, words: tuple[str, ...], code: int) -> None:
    answer = cli(*words)
    assert answer.code == code, answer.err
    assert answer.err
    for agent in ("ada", "bob"):
        assert cli("exchanges", "list", "--agent", agent, "--json").json["exchanges"] == []


@pytest.mark.req("R-14")
def test_a_chain_of_questions_by_tools_is_as_deep_as_it_is(desks: tuple[Desk, Desk]) -> None:
    """Who was asked and asks on is one deeper, named or not; beyond the limit it is refused."""
    shop, mill = desks

    def depth(desk: Desk) -> int:
        return desk.writing().exchanges(limit=1)[0].depth

    def ask(one: Desk, other: Desk, **more: str) -> str:
        told = tools.call(one, "agent_ask", {"agent": other.agent_name, "text": "Which?", **more})
        tools.call(other, "agent_inbox", {})
        return told.split()[1]

    first = ask(shop, mill)
    assert depth(shop) == 1
    ask(mill, shop)
    assert depth(mill) == 2, "the question of the shop waits for the mill"
    ask(shop, mill)
    assert depth(shop) == 3
    with pytest.raises(ExchangeRefused, match="4 agents deep"):
        ask(mill, shop)
    assert ask(mill, shop, within=first), "who names an earlier one is that deep"
    assert depth(mill) == 2


@pytest.mark.req("R-14")
def test_who_has_answered_begins_anew_by_tools(desks: tuple[Desk, Desk]) -> None:
    shop, mill = desks
    told = tools.call(shop, "agent_ask", {"agent": mill.agent_name, "text": "Which port?"})
    tools.call(mill, "agent_inbox", {})
    tools.call(mill, "agent_reply", {"id": told.split()[1], "text": "5433"})
    tools.call(mill, "agent_send", {"agent": shop.agent_name, "text": "By the way."})
    assert mill.writing().exchanges(limit=1)[0].depth == 1
