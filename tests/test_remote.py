"""Commands that speak to another daemon, because EVERTHREAD_URL names one; over TLS too."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.commands import Answer, Here
from support.http_server import TOKEN, Server, serving


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "home", embedder="off") as found:
        found.engine.agent("ada")
        yield found


Ask = Callable[..., Answer]


@pytest.fixture
def ask(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Ask:
    """A command of this machine, about the daemon over there."""
    here = Here(tmp_path, monkeypatch, capsys)
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}

    def asked(*words: str, code: int = 0, cwd: Path | None = None) -> Answer:
        answer = here(*words, env=there, cwd=cwd)
        assert answer.code == code, (words, answer)
        assert not (tmp_path / "data").exists(), "nothing is made on this machine"
        return answer

    return asked


def test_sessions_are_seen_summed_up_ended_and_resumed_from_afar(server: Server, ask: Ask) -> None:
    agent = server.engine.agent("ada")
    agent.turn("We decided to use port 8123 for the parser.").done("Agreed: port 8123.")
    name = agent.sessions()[0].alias
    shown = ask("sessions", "show", name).out
    assert name in shown and "We decided to use port 8123" in shown and "\nada  20" in shown
    assert "message" in ask("sessions", "timeline").out
    assert "8123" in ask("sessions", "summarize").out
    assert ask("sessions", "end").out.startswith(f"{name} is complete")
    assert "could be meant" in ask("sessions", "end", code=3).err
    assert ask("sessions", "resume", "--continue", "--json").json["state"] == "active"
    assert agent.sessions()[0].state == "active"
    agent.thread("heartbeat", kind="background").turn("tick").done("tock")
    assert ask("sessions", "end").out.startswith(f"{name} is complete"), "not the heartbeat's"
    assert "no session" in ask("sessions", "show", "nothing", code=3).err


def test_memories_and_notes_are_kept_from_afar(server: Server, ask: Ask) -> None:
    made = ask("remember", "Prefers tabs in YAML", "--kind", "preference", "--json").json
    kept = made["id"]
    assert "preference" in ask("memories", "show", kept).out
    assert "takes the place of" in ask("memories", "edit", kept, "Prefers spaces in YAML").out
    states = [v["state"] for v in ask("memories", "history", kept, "--json").json["versions"]]
    assert states == ["superseded", "kept"]
    assert (
        "noted under question for ada" in ask("notes", "add", "Mel?", "--category", "question").out
    )
    assert [n.text for n in server.engine.agent("ada").notes()] == ["Mel?"]
    note = ask("notes", "list", "--json").json["notes"][0]
    assert note["origin"] == "user" and "Mel?" in ask("notes", "list").out
    assert "deleted" in ask("notes", "delete", note["id"]).out
    assert "no such notes" in ask("notes", "list").out
    assert "mode" in ask("scorer", "report").out
    assert ask("scorer", "report", "--json").json["agent"] == "ada"


@pytest.mark.req("R-52")
def test_a_daemon_with_older_rules_of_redaction_shows_no_secret_here(
    server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-ant-api03-" + "aB3dE6gH9jK2mN5p" * 5
    server.engine.agent("ada").turn("hello").done("Good.")
    ask("checkpoints", "add", "half done")

    def unclean(document: dict[str, Any], _: object) -> dict[str, Any]:
        told = dict(document)
        for each in told.get("checkpoints", ()):
            each["digest"] = f"my key is {secret}"
        return told

    monkeypatch.setattr("everthread.edges.http.api.redact_document", unclean)
    told = ask("checkpoints", "list", "--json")
    assert "my key is" in told.out and secret not in told.out


def test_exchanges_and_incidents_are_seen_from_afar(server: Server, ask: Ask) -> None:
    server.engine.agent("shop")
    sent = ask("send", "shop", "The API answers 409 now", "--from", "ada")
    assert "waits for shop, from ada" in sent.out
    row = ask("exchanges", "list", "--agent", "shop", "--json").json["exchanges"][0]
    assert "409" in ask("exchanges", "list", "--agent", "shop").out
    assert "409" in ask("exchanges", "show", row["id"], "--agent", "ada").out
    assert "nothing to look at" in ask("incidents", "--agent", "ada").out
    assert "no events yet" in ask("outbox", "--agent", "ada").out


@pytest.mark.slow
def test_a_task_goes_through_its_first_gates_from_afar(
    server: Server, ask: Ask, tmp_path: Path
) -> None:
    project = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    ask = partial(ask, cwd=project)
    assert "from afar" in ask("task", "new", "x", "--goal", "y", "--smoke", "true", code=2).err
    assert "there is none" in ask("task", "status", code=3).err
    assert "parser-rewrite" in ask("task", "new", "parser-rewrite", "--goal", "One pass").out
    assert "One pass" in ask("task", "list").out
    began = ask("task", "start").out
    assert "goal:" in began and "G0" in began
    marked = ask(
        "task", "checkpoint", "--type", "decision", "--summary", "s", "--decision", "one pass",
        "--rationale", "half the memory", "--alternative", "two", "--tests", "3,0,0",
    )  # fmt: skip
    assert marked.out.startswith("ckpt-")
    refused = ask("task", "gate", "G0", "--evidence", "task_definition=@README.md", code=2)
    assert "cannot read files of yours" in refused.err
    evidence = ["task_definition=one pass", "acceptance_criteria=all tests pass"]
    told = ask("task", "gate", "G0", *(w for e in evidence for w in ("--evidence", e))).out
    assert "G1" in told
    assert "ckpt-" in ask("checkpoints", "list", "--task", "parser-rewrite").out
    assert "active" in ask("sessions", "list", "--task", "parser-rewrite").out
    assert "task" in ask("sessions", "timeline", "--task", "parser-rewrite").out
    assert ask("task", "fail", "build", "--kind", "test", "--json").json["failures"] == 1
    assert "are over" in ask("task", "pass", "build").out
    ended = ask("task", "end", "--outcome", "partial", "--next", "the lexer", "--json").json
    assert ended["next_steps"] == ["the lexer"] and ended["ritual"]
    assert "no checkpoint" not in ask("task", "status").out
    assert ask("task", "trust", code=2).err, "whom to trust is decided on the machine itself"


# TLS ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    argv += ["-keyout", str(key), "-out", str(cert), "-subj", "/CN=localhost"]
    argv += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(argv, check=True, capture_output=True)
    return key, cert


@contextmanager
def proxied(server: Server, listener: socket.socket, key: Path, cert: Path) -> Iterator[None]:
    """A proxy that speaks TLS before the daemon, one request at a time."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)

    def passed(line: socket.socket) -> None:
        with line, context.wrap_socket(line, server_side=True) as near:
            near.settimeout(10)
            with socket.create_connection(("127.0.0.1", server.port), 10) as far:
                far.sendall(
                    near.recv(65_536).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
                )
                while part := far.recv(65_536):
                    near.sendall(part)

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _ = listener.accept()
                with suppress(OSError):
                    passed(line)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def test_a_daemon_behind_tls_is_believed_only_with_its_certificate(
    tmp_path: Path,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    here = Here(tmp_path, monkeypatch, capsys)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with (
        serving(tmp_path / "home", api_hosts=f"localhost:{port}") as server,
        proxied(server, listener, *certificate),
    ):
        server.engine.agent("ada").note("over TLS")
        env = {"EVERTHREAD_URL": f"https://localhost:{port}", "EVERTHREAD_TOKEN": TOKEN}
        stranger = here("notes", "list", "--agent", "ada", env=env)
        assert stranger.code == 6 and "certificate" in stranger.err.lower(), stranger
        known = {**env, "SSL_CERT_FILE": str(certificate[1])}
        told = here("notes", "list", "--agent", "ada", env=known)
        assert told.code == 0 and "over TLS" in told.out, told
        other = {**known, "EVERTHREAD_URL": f"https://127.0.0.1:{port}"}
        wrong = here("notes", "list", "--agent", "ada", env=other)
        assert wrong.code == 6 and "certificate" in wrong.err.lower(), "it is not for that name"
