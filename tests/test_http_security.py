"""Who may come in to the HTTP API, and what never gets out."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everthread.domain import errors
from everthread.edges.http import access, problems
from everthread.edges.http.rates import Rates
from everthread.edges.http.routes import ROUTES, Route
from support.http_server import TOKEN, Server, serving

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
EVIL = [
    "..",
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2f",
    "..%5c..%5c",
    "%00",
    "ada%00.db",
    "~root",
    "%2fetc%2fpasswd",
    "a" * 5_000,
    "%ff%fe",
    "';DROP TABLE agents;--",
    "%25%32%65%25%32%65",
    "{{7*7}}",
    "%e2%80%ae",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("api"), api_rate=1_000_000) as found:
        for name in ("ada", "bob"):
            found.engine.agent(name).record([{"role": "user", "content": f"this is {name}'s"}])
        yield found


def filled(route: Route, **values: str) -> str:
    path = route.path
    for name in names_in(route):
        path = path.replace(f"{{{name}}}", values.get(name, "ada" if name == "agent" else "none"))
    if route.by_query and "project" in route.asks.__struct_fields__ and "/tasks" in path:
        path += "?project=/nowhere/at/all"
    return path


def names_in(route: Route) -> list[str]:
    return [part[1:-1] for part in route.path.split("/") if part.startswith("{")]


def minted(server: Server, name: str, scopes: list[str], agents: list[str] | None = None) -> str:
    made = server.post("/api/tokens", {"name": name, "scopes": scopes, "agents": agents or []})
    assert made.status == 201
    return made.json["secret"]


OTHERS = [
    "/api/openapi.json",
    "/api/events",
    "/api/agents/ada/export",
    "/api/backup",
    "/api/nowhere",
    "/api/",
]


@pytest.mark.req("B-61")
@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN + "x", TOKEN[:-1], "etk_" + "0" * 64])
def test_without_its_token_nobody_is_told_anything(server: Server, token: str | None) -> None:
    """Not even which paths there are."""
    asked = [(route.method, filled(route)) for route in ROUTES]
    for method, path in [*asked, *(("GET", other) for other in OTHERS)]:
        answer = server.ask(method, path, token=token)
        assert answer.status == 401, (method, path)
        assert "Bearer" in answer.headers["www-authenticate"]
        assert "token" in answer.detail


@pytest.mark.parametrize(
    "header", [f"Basic {TOKEN}", TOKEN, f"Token {TOKEN}", "Bearer", f"Bearer {TOKEN} {TOKEN}"]
)
def test_only_a_bearer_token_counts(server: Server, header: str) -> None:
    answer = server.get("/api/agents", token=None, headers={"Authorization": header})
    assert answer.status == 401


def test_a_token_that_opens_nothing_is_told_from_none(server: Server) -> None:
    assert server.get("/api/agents", token=None).detail.startswith("send a token")
    wrong = server.get("/api/agents", token="etk_" + "0" * 64)
    assert wrong.status == 401 and wrong.detail.startswith("this token is not known or was revoked")


def test_two_tokens_in_one_request_are_none(server: Server) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.putrequest("GET", "/api/agents")
    line.putheader("Authorization", f"Bearer {TOKEN}")
    line.putheader("Authorization", "Bearer other")
    line.endheaders()
    assert line.getresponse().status == 401
    line.close()


def test_a_revoked_token_opens_nothing(server: Server) -> None:
    secret = minted(server, "short-lived", ["read"])
    assert server.get("/api/agents", token=secret).status == 200
    assert server.ask("DELETE", "/api/tokens/short-lived").json["revoked_at"]
    assert server.get("/api/agents", token=secret).status == 401


def test_the_secret_of_a_token_is_kept_nowhere(server: Server) -> None:
    """Told once, stored as a hash, listed never."""
    secret = minted(server, "told-once", ["read"])
    assert server.get("/api/agents", token=secret).status == 200
    home = server.served.settings.home
    for path in home.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes()
    assert secret not in server.get("/api/tokens").body.decode()


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_a_token_does_only_what_its_scopes_say(server: Server, route: Route) -> None:
    """(B-61)."""
    for needed in route.scope.split():
        scopes = [scope for scope in ("read", "write") if scope != needed]
        secret = _once(server, f"lacks-{needed}", scopes)
        answer = server.ask(route.method, filled(route), token=secret)
        assert answer.status == 403
        assert f"`{needed}`" in answer.detail


def test_a_token_that_only_writes_is_shown_nothing_that_was_said(server: Server) -> None:
    """Whatever answers with what was said before needs `read` too."""
    secret = _once(server, "lacks-read", ["write"])
    word = "kingfisher"
    server.engine.agent("ada").record([{"role": "user", "content": word}], session="shy")
    for route in ROUTES:
        body = None if route.by_query else _valid(route)
        path = filled(route, session="shy")
        answer = server.ask(route.method, path, body, token=secret, headers=_kind(route))
        assert word not in answer.body.decode(), route
        assert route.scope != "read" or answer.status == 403


_KNOWN: dict[tuple[int, str], str] = {}


def _once(server: Server, name: str, scopes: list[str], agents: list[str] | None = None) -> str:
    key = (server.port, name)
    if key not in _KNOWN:
        _KNOWN[key] = minted(server, name, scopes, agents)
    return _KNOWN[key]


OF_AGENTS = [route for route in ROUTES if "{agent}" in route.path]


@pytest.mark.parametrize("route", OF_AGENTS, ids=lambda r: f"{r.method} {r.path}")
def test_an_agent_outside_the_token_is_as_if_it_were_not(server: Server, route: Route) -> None:
    """(R-44) The same answer for one that exists and for one that does not."""
    secret = _once(server, "only-ada", ["admin"], ["ada"])
    body = None if route.by_query else _valid(route)
    seen = [
        server.ask(
            route.method, filled(route, agent=name), body, token=secret, headers=_kind(route)
        )
        for name in ("bob", "nobody")
    ]
    assert [answer.status for answer in seen] == [404, 404]
    assert seen[0].detail.replace("bob", "") == seen[1].detail.replace("nobody", "")
    assert "bob's" not in seen[0].body.decode()


def _kind(route: Route) -> dict[str, str]:
    return {} if route.by_query else {"Content-Type": route.takes}


def _valid(route: Route) -> dict[str, Any]:
    """The least that the route takes."""
    least: dict[str, dict[str, Any]] = {
        "open_thread": {"key": "beds", "kind": "background"},
        "close_thread": {"key": "beds"},
        "record": {"entries": [{"role": "user", "content": "x"}]},
        "begin": {"content": "hello"},
        "add": {"response": "x"},
        "tool_result": {"call_id": "x", "output": "y"},
        "recall": {"query": "port"},
        "remember": {"text": "Bob likes tea with milk"},
        "edit_memory": {"text": "Bob likes tea"},
        "note": {"text": "x"},
        **{n: {"target": "ada", "content": "x"} for n in ("ask", "send", "question", "errand")},
        "spawn": {"content": "x"},
        "reply": {"content": "x"},
        "erase": {"agent": "bob"},
        "resolve": {"note": "x"},
    }
    if route.verb.__module__.endswith("verbs.tasks") and "project" in route.asks.__struct_fields__:
        task: dict[str, Any] = {"project": "/nowhere/at/all"}
        if route.verb.__name__ == "new_task":
            task |= {"slug": "a-task", "goal": "x"}
        more = {
            "gate": {"gate": "G0"},
            "fail": {"step": "x", "kind": "test"},
            "step_passed": {"step": "x"},
            "used": {"current": 1},
        }
        return {**task, **more.get(route.verb.__name__, {})}
    return least.get(route.verb.__name__, {})


def test_lists_show_only_the_agents_of_the_token(server: Server) -> None:
    """(R-44)."""
    secret = _once(server, "only-ada", ["admin"], ["ada"])
    agents = server.get("/api/agents", token=secret).json["agents"]
    assert [each["agent"] for each in agents] == ["ada"]
    status = server.get("/api/status", token=secret).json
    assert [each["agent"] for each in status["agents"]] == ["ada"]
    assert status["store"] is None
    assert "bob" not in json.dumps(status)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/tokens", None),
        ("POST", "/api/tokens", {"name": "more", "scopes": ["admin"]}),
        ("DELETE", "/api/tokens/only-ada", None),
        ("POST", "/api/agents", {"name": "carol"}),
        ("GET", "/api/doctor", None),
    ],
)
def test_a_token_bound_to_agents_cannot_widen_itself(
    server: Server, method: str, path: str, body: Any
) -> None:
    secret = _once(server, "only-ada", ["admin"], ["ada"])
    assert server.ask(method, path, body, token=secret).status == 403
    assert server.get("/api/agents/ada", token=secret).status == 200


def test_a_token_cannot_have_any_folder_of_the_machine_looked_at(tmp_path: Path) -> None:
    """A memory notes what the files of its project are: a digest of a file is a word about it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "diary.txt").write_text("dear diary")
    body = {"text": "What stands in diary.txt matters", "project": str(folder)}
    with serving(tmp_path / "home") as server:
        server.engine.agent("ada")
        secret = minted(server, "writer", ["read", "write"])
        assert server.post("/api/agents/ada/memories", body, token=secret).status == 403
        entries = [{"role": "user", "content": "we work on diary.txt"}]
        record = {"entries": entries, "session": "s1", "project": str(folder)}
        assert server.post("/api/agents/ada/messages", record, token=secret).status == 200
        assert server.post("/api/agents/ada/memories", body, token=secret).status == 403
        assert server.post("/api/agents/ada/memories", body).json["files"]["diary.txt"]


WIDE = {"text": "The user banks with Zenith in Oslo", "scope": "user"}


@pytest.mark.req("R-44")
def test_a_token_for_one_agent_reads_nothing_that_another_shares(tmp_path: Path) -> None:
    """Neither by asking, nor in a turn, nor by naming whose it is."""
    asked = {"query": "Which bank in Oslo?", "limit": 20}
    turn = {"content": "Which bank in Oslo does the user have?"}
    with serving(tmp_path) as server:
        for name in ("ada", "bob", "cid"):
            server.engine.agent(name).record([{"role": "user", "content": f"hello {name}"}])
        server.post("/api/agents/bob/memories", WIDE)
        server.post("/api/agents/bob/memories", {**WIDE, "principal": "mel"})
        one = minted(server, "one", ["read", "write"], ["ada"])
        two = minted(server, "two", ["read", "write"], ["ada", "bob"])
        path = "/api/agents/ada/recall"
        assert "Zenith" in server.post(path, asked).body.decode()
        assert "Zenith" in server.post(path, asked, token=two).body.decode()
        answer = server.post(path, asked, token=one)
        assert answer.status == 200 and "Zenith" not in answer.body.decode()
        assert server.post(path, {**asked, "principal": "mel"}, token=one).status == 403
        begun = server.post("/api/agents/ada/turns", turn, token=one)
        assert begun.status == 200 and "Zenith" not in begun.body.decode()
        begun = server.post("/api/agents/cid/turns", turn)
        assert "Zenith" in begun.body.decode()


@pytest.mark.req("R-44")
def test_a_token_for_one_agent_speaks_of_those_whom_that_agent_has_met(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.engine.agent("ada").record(
            [{"role": "user", "content": "I am Mel", "principal": "mel"}]
        )
        secret = minted(server, "one", ["read", "write"], ["ada"])
        asked = {"query": "who", "principal": "mel"}
        assert server.post("/api/agents/ada/recall", asked, token=secret).status == 200
        tea = {"text": "Mel drinks her tea with milk", "principal": "mel"}
        assert server.post("/api/agents/ada/memories", tea, token=secret).status == 200
        other = {**tea, "principal": "eve"}
        assert server.post("/api/agents/ada/memories", other, token=secret).status == 403


@pytest.mark.req("R-44")
@pytest.mark.parametrize("scope", ["write", "admin"])
def test_a_token_for_one_agent_changes_nothing_for_the_others(tmp_path: Path, scope: str) -> None:
    """What reaches every agent is not its to write, to correct or to remove."""
    with serving(tmp_path) as server:
        server.engine.agent("ada")
        secret = minted(server, "one", [scope], ["ada"])
        refused = server.post("/api/agents/ada/memories", WIDE, token=secret)
        assert refused.status == 403 and "bound to agents" in refused.detail
        kept = server.post("/api/agents/ada/memories", WIDE).json["id"]
        path = f"/api/agents/ada/memories/{kept}"
        assert server.ask("PATCH", path, {"text": "Now with Acme"}, token=secret).status == 403
        assert server.ask("DELETE", path, token=secret).status == 403
        own = {"text": "Ada answers in French on Fridays"}
        assert server.post("/api/agents/ada/memories", own, token=secret).status == 200
        assert server.get(path).json["text"] == WIDE["text"]


def test_what_a_program_remembers_is_not_taken_for_the_users_word(tmp_path: Path) -> None:
    """Unless it says so, or may do everything."""
    path = "/api/agents/ada/memories"
    with serving(tmp_path) as server:
        server.engine.agent("ada")
        secret = minted(server, "writer", ["write"])
        tea, port = {"text": "Mel drinks tea with milk"}, {"text": "The staging port is 8443"}
        assert server.post(path, tea, token=secret).json["origin"] == "agent"
        assert server.post(path, port).json["origin"] == "user"
        said = {"text": "Deploys happen on Tuesdays", "origin": "user"}
        assert server.post(path, said, token=secret).json["origin"] == "user"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:{port}", "localhost:1", "127.0.0.1", "", "[::1]:1"],
)
def test_a_name_that_is_not_ours_is_turned_away(server: Server, host: str) -> None:
    """DNS rebinding: the page's own name leads to us, and gives itself away."""
    answer = server.get("/api/agents", headers={"Host": host.format(port=server.port)})
    assert answer.status == 421
    assert "api_hosts" in answer.detail


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}"])
def test_our_own_names_are_answered(server: Server, host: str) -> None:
    answer = server.get("/api/agents", headers={"Host": host.format(port=server.port)})
    assert answer.status == 200


def test_two_hosts_in_one_request_are_none(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        own = f"Host: 127.0.0.1:{server.port}\r\n"
        head = f"GET /api/agents HTTP/1.1\r\n{own}Host: evil.example\r\nConnection: close\r\n"
        line.sendall(f"{head}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        status = line.makefile("rb").readline()
    assert b" 200 " not in status


def test_a_setting_adds_names(tmp_path: Path) -> None:
    with serving(tmp_path, api_hosts="memory.example:443, other.example") as server:
        for host in ("memory.example:443", "Other.Example"):
            assert server.get("/api/agents", headers={"Host": host}).status == 200
        assert server.get("/api/agents", headers={"Host": "third.example"}).status == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "file://"]
)
def test_a_page_of_another_site_changes_nothing(server: Server, origin: str) -> None:
    """Cross-site POST, even with a valid token."""
    body = {"text": "Planted by a page of another site"}
    answer = server.post("/api/agents/ada/memories", body, headers={"Origin": origin})
    assert answer.status == 403
    assert "Planted" not in server.get("/api/agents/ada/memories").body.decode()


def test_our_own_page_may(server: Server) -> None:
    body, origin = {"query": "ada"}, f"http://127.0.0.1:{server.port}"
    assert server.post("/api/agents/ada/recall", body, headers={"Origin": origin}).status == 200


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_no_answer_ever_lets_another_site_read_it(server: Server, method: str) -> None:
    asks = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for token in (None, TOKEN):
        answer = server.ask(method, "/api/agents", token=token, headers=asks)
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json; charset=utf-16",
        "application/jsonp",
    ],
)
def test_a_body_that_is_not_called_json_is_refused(server: Server, kind: str) -> None:
    raw = json.dumps({"text": "Sent by a form"}).encode()
    headers = {"Content-Type": kind} if kind else {}
    answer = server.ask("POST", "/api/agents/ada/memories", raw=raw, headers=headers)
    assert answer.status == 415
    assert "application/json" in answer.detail


PARAMETERS = [(route, name) for route in ROUTES for name in names_in(route)]


@pytest.mark.parametrize(
    ("route", "name"), PARAMETERS, ids=[f"{r.method} {r.path} {n}" for r, n in PARAMETERS]
)
def test_no_path_parameter_leads_out(server: Server, route: Route, name: str) -> None:
    """Path traversal: whatever stands there is a name that nobody has."""
    body = None if route.by_query else _valid(route)
    for evil in EVIL:
        path = filled(route, **{name: evil}) if name != "agent" else filled(route, agent=evil)
        answer = server.ask(route.method, path.replace(" ", "%20"), body, headers=_kind(route))
        # A task may make its agent, so there the name is good, and the project is what it lacks.
        refused = (404, 405, 422, 409) if route.verb.__name__ == "new_task" else (404, 405, 422)
        assert answer.status in refused, (path, answer)
        assert "root:" not in answer.body.decode()
        assert str(server.served.settings.home) not in answer.body.decode()
    assert {agent.name for agent in server.engine.agents()} <= {"ada", "bob"}


def test_a_body_is_bounded_whether_it_says_its_size_or_not(server: Server) -> None:
    big = b'{"text": "' + b"x" * 1_000_001 + b'"}'
    kind = {"Content-Type": "application/json"}
    told = server.ask("POST", "/api/agents/ada/notes", raw=big, headers=kind)
    assert told.status == 413 and "1,000,000" in told.detail
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.putrequest("POST", "/api/agents/ada/notes")
    for name, value in {**kind, "Authorization": f"Bearer {TOKEN}"}.items():
        line.putheader(name, value)
    line.putheader("Transfer-Encoding", "chunked")
    line.endheaders()
    part = b"x" * 100_000
    try:
        for _ in range(11):
            line.send(b"%x\r\n%s\r\n" % (len(part), part))
        line.send(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # it had heard enough
    assert line.getresponse().status == 413
    line.close()


def test_a_record_may_be_larger(server: Server) -> None:
    entries = [{"role": "user", "content": "x" * 2_000_000}]
    assert server.post("/api/agents/bob/messages", {"entries": entries}).json["added"] == 1


@pytest.mark.req("B-61")
def test_a_token_that_asks_too_often_is_told_when_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other token has to wait for it."""
    # All at one moment: on a busy machine the bucket would fill again meanwhile.
    monkeypatch.setattr(access, "time", SimpleNamespace(monotonic=lambda: 1.0))
    with serving(tmp_path, api_rate=2) as server:
        other = minted(server, "other", ["read"])
        statuses = [server.get("/api/agents").status for _ in range(9)]
        assert statuses[0] == 200 and statuses[-1] == 429
        answer = server.get("/api/agents")
        assert answer.status == 429 and int(answer.headers["retry-after"]) >= 1
        assert server.get("/api/agents", token=other).status == 200


def test_a_bucket_fills_as_time_goes_by() -> None:
    rates = Rates(2)
    assert [rates.wait("a", 0.0) > 0 for _ in range(9)] == [False] * 8 + [True]
    assert rates.wait("a", 0.25) == pytest.approx(0.25)
    assert rates.wait("a", 0.5) == 0
    assert rates.wait("b", 0.5) == 0
    assert rates.wait("a", 0.4) > 0, "a clock that is set back gives nothing"


@pytest.mark.req("B-56", "B-71")
def test_no_secret_leaves_by_any_route(tmp_path: Path) -> None:
    """(R-30) Whatever is stored, what is answered is redacted, at every depth."""
    with serving(tmp_path) as server:
        agent = server.engine.agent("ada", system=f"You hold {SECRET}")
        blocks: list[dict[str, Any]] = [
            {"type": "tool_use", "id": "c1", "name": "run", "input": {"env": {"KEY": SECRET}}}
        ]
        result = [{"type": "tool_result", "tool_use_id": "c1", "content": f"out {SECRET}"}]
        agent.record(
            [
                {"role": "user", "content": f"my key is {SECRET}, keep it", "id": "1"},
                {"role": "assistant", "content": blocks, "id": "2"},
                {"role": "user", "content": result, "id": "3"},
                {"role": "assistant", "content": f"noted: {SECRET}", "id": "4"},
            ],
            session="s1",
            project=str(tmp_path),
        )
        agent.note(f"the key: {SECRET}")
        agent.checkpoint(f"We use {SECRET} for pushing", session="s1")
        turn = server.post("/api/agents/ada/turns", {"content": f"again {SECRET}: which key?"})
        session = agent.sessions()[0]
        asked = [
            "/api/status",
            "/api/checkpoints?project=" + str(tmp_path),
            "/api/checkpoints/s1",
            *(f"/api/agents/ada{tail}" for tail in _TAILS),
            f"/api/agents/ada/sessions/{session.id}",
            f"/api/agents/ada/turns/{turn.json['id']}",
            f"/api/agents/ada/turns/{turn.json['id']}?style=openai",
        ]
        answers = [turn, *(server.get(path) for path in asked)]
        answers.append(server.post("/api/agents/ada/recall", {"query": "which key is it"}))
        answers.append(server.post("/api/agents/ada/memories", {"text": f"Push with {SECRET}"}))
        answers.append(server.get(f"/api/agents/ada/memories?tag={SECRET}x"))
        assert [answer.status for answer in answers] == [200] * len(answers)
        for path, answer in zip(
            ["turn", *asked, "recall", "remember", "tag"], answers, strict=True
        ):
            assert SECRET not in answer.body.decode(), path
        assert server.get("/api/checkpoints/s1").json["count"] == 1


_TAILS = (
    "",
    "/threads",
    "/messages",
    "/sessions",
    "/turns",
    "/timeline",
    "/memories",
    "/notes",
    "/context",
    "/injections",
    "/receipts",
    "/checkpoints",
    "/verify",
)


def test_an_error_repeats_no_secret(server: Server) -> None:
    answer = server.get(f"/api/agents/{SECRET}")
    assert answer.status == 404 and SECRET not in answer.detail


def test_every_error_of_ours_has_a_status() -> None:
    """A new one must be placed, or it would be told as a fault of ours."""
    own = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.EverthreadError)
    }
    assert own == set(problems.STATUSES)
    assert all(400 <= status < 600 for status in problems.STATUSES.values())


@pytest.mark.parametrize(
    "error",
    [
        errors.StoreFailed("cannot open /home/mel/store.db"),
        errors.StoreFull("no space left at /home/mel"),
        RuntimeError("secret inside at /home/mel"),
        OSError(28, "No space left", "/home/mel/x"),
        RecursionError("deep"),
    ],
)
def test_what_the_machine_looks_like_inside_stays_inside(
    server: Server, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(server.served, "engine", fail)
    answer = server.get("/api/agents")
    assert answer.status in (500, 503, 507)
    assert "/home/mel" not in answer.detail and "Traceback" not in answer.detail
    assert answer.detail


def test_a_store_that_is_gone_is_told_without_its_place(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.get("/api/agents").status == 200
        (tmp_path / "store.db").rename(tmp_path / "moved.db")
        answer = server.get("/api/agents")
        assert answer.status == 503
        assert str(tmp_path) not in answer.detail


def test_the_unix_socket_is_its_owners_and_a_wrong_token_is_wrong_there_too(tmp_path: Path) -> None:
    """Whoever can open it can read the local token as well."""

    def first_line(headers: str) -> bytes:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "s"))
            line.sendall(f"GET /api/agents HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
            return line.makefile("rb").readline()

    with serving(tmp_path / "home", unix=tmp_path / "s"):
        assert b" 200 " in first_line("Connection: close\r\n")
        assert b" 200 " in first_line(f"Authorization: Bearer {TOKEN}\r\nConnection: close\r\n")
        assert b" 401 " in first_line("Authorization: Bearer no\r\nConnection: close\r\n")
