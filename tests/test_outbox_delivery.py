"""Events reach a file, a webhook or a trusted command, and what goes wrong is told (C-28, 3a.7)."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import BadInput
from everthread.domain.tasks.commands import named_command
from everthread.domain.tasks.events import (
    COMPLETE,
    ToCommand,
    ToFile,
    ToWebhook,
    Trail,
    cloud_event,
    faults,
    why_no_address,
)
from everthread.ports.commands import Delivery
from everthread.providers import outbox as outboxes
from everthread.providers.commands import SystemCommands
from everthread.providers.outbox import SystemOutbox
from everthread.providers.trust_file import TrustedFile
from everthread.testing import FrozenClock
from support.running import until

pytestmark = pytest.mark.req("C-28")

SECRET = "a-secret-of-the-tests"
AT = 1_771_581_600_123
DATA = {"session_id": "s-1", "outcome": "success", "next_session_hint": "wire it"}
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def event(**more: Any) -> str:
    wanted = {"type": COMPLETE, "source": "urn:everthread:ada", "at": AT, "data": DATA, **more}
    return cloud_event(wanted.pop("id", "e-1"), **wanted)


# ---- the envelope


def test_the_envelope_is_cloudevents_1_0() -> None:
    """(3a.7)"""
    made = json.loads(event(subject="parser", trail=Trail("c-1", "t-1", TRACE)))
    assert made == {
        "specversion": "1.0",
        "id": "e-1",
        "type": "session.complete",
        "source": "urn:everthread:ada",
        "time": "2026-02-20T10:00:00.123Z",
        "subject": "parser",
        "datacontenttype": "application/json",
        "causationId": "c-1",
        "correlationId": "t-1",
        "ttlMs": 60_000,
        "traceparent": TRACE,
        "data": DATA,
    }
    assert faults(made) == []
    plain = json.loads(event())
    assert not {"subject", "causationId", "correlationId", "traceparent"} & plain.keys()
    assert event() == event() and "\n" not in event()


def test_an_event_holds_no_secret() -> None:
    made = event(data={**DATA, "next_session_hint": "use ghp_0123456789abcdefghijABCDEFGHIJ012345"})
    assert "ghp_0123" not in made and "REDACTED" in made


@pytest.mark.parametrize(
    "more",
    [
        {"id": ""},
        {"type": ""},
        {"source": "not a uri"},
        {"source": "ada"},
        {"subject": ""},
        {"trail": Trail(traceparent="00-00000000000000000000000000000000-00f067aa0ba902b7-01")},
        {"trail": Trail(causation="")},
    ],
)
def test_what_is_no_event_cannot_be_made(more: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="no event can be made of this"):
        event(**more)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"specversion": "0.3"}, 'specversion must be "1.0"'),
        ({"time": "yesterday"}, "time must be"),
        ({"time": "2026-02-20T10:00:00"}, "time must be"),
        ({"ttlMs": 0}, "ttlMs"),
        ({"ttlMs": True}, "ttlMs"),
        ({"id": 3}, "id must be a text"),
        ({"headers": []}, "headers"),
        ({"dataschema": "x"}, "dataschema"),
        ({"a b": 1}, "no name of an attribute"),
    ],
)
def test_faults_of_an_envelope_are_named(change: dict[str, Any], told: str) -> None:
    (fault,) = faults({**json.loads(event()), **change})
    assert told in fault


def test_what_is_missing_is_named() -> None:
    assert faults([]) == ["an event is an object"]
    assert len(faults({})) == 4


# ---- delivering


@pytest.fixture
def trusted(tmp_path: Path) -> TrustedFile:
    return TrustedFile(tmp_path / "home")


@pytest.fixture
def outbox(trusted: TrustedFile) -> SystemOutbox:
    return SystemOutbox(FrozenClock(AT / 1000), SystemCommands(), trusted)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", "[" * 100_000, '{"specversion": "1.0"}'],
    ids=lambda text: text[:9],
)
def test_what_is_no_event_is_not_delivered(outbox: SystemOutbox, tmp_path: Path, text: str) -> None:
    done = outbox.deliver(text, ToFile(str(tmp_path / "events")))
    assert not done.ok and done.error == "it is no event that anybody could read"
    assert not (tmp_path / "events").exists()


# ---- to a file


def test_a_file_grows_by_one_line_an_event(outbox: SystemOutbox, tmp_path: Path) -> None:
    place = tmp_path / "deep" / "events.ndjson"
    for n in range(3):
        assert outbox.deliver(event(id=f"e-{n}"), ToFile(str(place))) == Delivery(ok=True)
    lines = place.read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["e-0", "e-1", "e-2"]
    assert place.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_spoils_no_other(outbox: SystemOutbox, tmp_path: Path) -> None:
    place = tmp_path / "events"
    place.write_text('{"half')
    assert outbox.deliver(event(), ToFile(str(place))).ok
    torn, whole = place.read_text().splitlines()
    assert torn == '{"half' and faults(json.loads(whole)) == []


def test_a_full_disk_leaves_no_half_line(
    outbox: SystemOutbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "events"
    assert outbox.deliver(event(), ToFile(str(place))).ok
    before = place.read_bytes()
    real = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return real(handle, data[:60])

    monkeypatch.setattr(outboxes.os, "write", full)
    done = outbox.deliver(event(), ToFile(str(place)))
    assert not done.ok and "the disk is full" in (done.error or "")
    monkeypatch.undo()
    assert place.read_bytes() == before


def test_what_cannot_be_written_is_told(
    outbox: SystemOutbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outboxes, "LOCK_SECONDS", 0.05)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    for name in ("pipe", "folder", "plain/below"):
        done = outbox.deliver(event(), ToFile(str(tmp_path / name)))
        assert not done.ok and done.error, name
    import fcntl

    with (tmp_path / "plain").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = outbox.deliver(event(), ToFile(str(tmp_path / "plain")))
    assert "another process has held it" in (done.error or "")


APPENDER = """
import sys
from everthread.providers.outbox import SystemOutbox
from everthread.domain.tasks.events import ToFile
outbox = SystemOutbox(None, None, None)
while True:
    outbox.deliver(sys.argv[2], ToFile(sys.argv[1]))
"""


def test_writers_that_are_killed_leave_whole_lines(outbox: SystemOutbox, tmp_path: Path) -> None:
    place = tmp_path / "events"
    long = event(data={**DATA, "next_session_hint": "word " * 2000})
    argv = [sys.executable, "-c", APPENDER, str(place), long]
    for size in (100_000, 300_000):
        pair = [subprocess.Popen(argv) for _ in range(2)]
        until(lambda size=size: place.exists() and place.stat().st_size > size, "nothing came")
        for each in pair:
            each.send_signal(signal.SIGKILL)
            each.wait()
    assert outbox.deliver(event(), ToFile(str(place))).ok
    whole = [line for line in place.read_bytes().splitlines() if line.endswith(b"}")]
    assert len(whole) >= len(place.read_bytes().splitlines()) - 4
    assert all(faults(json.loads(line)) == [] for line in whole)


# ---- to a webhook


class Receiver:
    """A server that answers as it is told, and keeps what came."""

    def __init__(self) -> None:
        self.came: list[tuple[dict[str, str], bytes]] = []
        self.answer: Callable[[BaseHTTPRequestHandler], None] = lambda h: answered(h, 204)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.came.append((headers, body))
                receiver.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = False
        self.port = self.server.server_address[1]

    @contextmanager
    def serving(self) -> Iterator[Receiver]:
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self.server.shutdown()
            thread.join()
            self.server.server_close()


def answered(handler: BaseHTTPRequestHandler, status: int, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", "0")
    handler.end_headers()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver().serving() as receiver:
        yield receiver


def hook(receiver: Receiver, **more: Any) -> ToWebhook:
    return ToWebhook(f"http://127.0.0.1:{receiver.port}/events", SECRET, **more)


def checks(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """As a receiver would: written from the documentation alone."""
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["everthread-signature"])
    assert found is not None
    signed = hmac.new(secret.encode(), found[1].encode() + b"." + body, hashlib.sha256)
    return hmac.compare_digest(signed.hexdigest(), found[2]) and int(found[1]) == AT // 1000


def test_a_webhook_gets_the_event_with_a_signature_that_it_can_check(
    outbox: SystemOutbox, receiver: Receiver
) -> None:
    hinted = event(data={**DATA, "next_session_hint": "Größe prüfen"})
    assert outbox.deliver(hinted, hook(receiver)) == Delivery(ok=True)
    ((headers, body),) = receiver.came
    assert headers["content-type"] == "application/cloudevents+json"
    assert json.loads(body) == json.loads(hinted)
    assert checks(headers, body, SECRET)
    assert not checks(headers, body, "another secret")
    assert not checks(headers, body + b" ", SECRET)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_done(outbox: SystemOutbox, receiver: Receiver, status: int) -> None:
    receiver.answer = lambda handler: answered(handler, status)
    assert outbox.deliver(event(), hook(receiver)).ok


@pytest.mark.parametrize("status", [400, 401, 404, 409, 429, 500, 503])
def test_errors_are_told(outbox: SystemOutbox, receiver: Receiver, status: int) -> None:
    receiver.answer = lambda handler: answered(handler, status)
    done = outbox.deliver(event(), hook(receiver))
    assert done == Delivery(ok=False, error=f"the webhook answered {status}")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_refused(outbox: SystemOutbox, receiver: Receiver, status: int) -> None:
    elsewhere = f"http://127.0.0.1:{receiver.port}/elsewhere"
    receiver.answer = lambda handler: answered(handler, status, location=elsewhere)
    done = outbox.deliver(event(), hook(receiver))
    assert not done.ok and "redirects are not followed" in (done.error or "")
    assert len(receiver.came) == 1


def test_one_that_does_not_answer_is_left(outbox: SystemOutbox, receiver: Receiver) -> None:
    over = threading.Event()
    receiver.answer = lambda handler: over.wait(30) and answered(handler, 200)
    done = outbox.deliver(event(), hook(receiver, seconds=0.4))
    over.set()
    assert done == Delivery(ok=False, error="the webhook did not take it: no whole answer in 0.4 s")


def test_one_that_drips_is_left_too(outbox: SystemOutbox) -> None:
    """Each byte comes in time, the answer never."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            line, _ = server.accept()
            with line:
                while not over.wait(0.05):
                    try:
                        line.send(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        began = time.monotonic()
        done = outbox.deliver(event(), ToWebhook(url, SECRET, seconds=0.5))
        spent = time.monotonic() - began
        over.set()
        thread.join()
    assert not done.ok and done.error
    assert spent < 30


def test_nobody_there_is_told(outbox: SystemOutbox) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # kept, so that nobody else gets it meanwhile
        port = silent.getsockname()[1]
        done = outbox.deliver(event(), ToWebhook(f"http://127.0.0.1:{port}/", SECRET))
    assert not done.ok and "the webhook did not take it" in (done.error or "")


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("https://example.org/hook", True),
        ("http://127.0.0.1:80/x", True),
        ("http://localhost/x", True),
        ("http://[::1]:9/x", True),
        ("http://example.org/hook", False),
        ("http://localhost.example.org/", False),
        ("http://127.0.0.1.example.org/", False),
        ("ftp://example.org/", False),
        ("https://user:pass@example.org/", False),
        ("https://", False),
        ("example.org", False),
        ("https://example.org:99999/", False),
        ("https://[::1/", False),
        ("https://exa mple.org/", False),
        ("https://example.org/\r\nx: y", False),
        ("", False),
    ],
)
def test_only_addresses_that_keep_a_secret_are_used(
    outbox: SystemOutbox, url: str, fine: bool
) -> None:
    assert (why_no_address(url) is None) == fine
    if not fine:
        done = outbox.deliver(event(), ToWebhook(url, SECRET))
        assert done == Delivery(ok=False, error=why_no_address(url))


def test_without_a_secret_nothing_is_sent(outbox: SystemOutbox, receiver: Receiver) -> None:
    done = outbox.deliver(event(), ToWebhook(hook(receiver).url, ""))
    assert not done.ok and "has no secret" in (done.error or "") and receiver.came == []
    assert SECRET not in repr(hook(receiver))


def certificate(folder: Path) -> Path:
    place = folder / "both.pem"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*argv, *names, "-keyout", str(place), "-out", str(folder / "cert.pem")],
        check=True,
        capture_output=True,
    )
    place.write_text(place.read_text() + (folder / "cert.pem").read_text())
    return place


def test_a_certificate_that_nobody_vouches_for_is_refused(
    outbox: SystemOutbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path))
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    # The server's own complaint about a refused handshake is expected.
    monkeypatch.setattr(receiver.server, "handle_error", lambda *_: None)
    url = f"https://localhost:{receiver.port}/"
    with receiver.serving():
        done = outbox.deliver(event(), ToWebhook(url, SECRET))
        assert not done.ok and receiver.came == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        assert outbox.deliver(event(), ToWebhook(url, SECRET)).ok, "the user may vouch for it"


# ---- to a command


def test_a_command_gets_the_event_on_its_input(outbox: SystemOutbox, tmp_path: Path) -> None:
    done = outbox.deliver(event(), ToCommand("cat > got", str(tmp_path)))
    assert done.ok and json.loads((tmp_path / "got").read_text()) == json.loads(event())


def test_a_command_that_fails_is_told(outbox: SystemOutbox, tmp_path: Path) -> None:
    done = outbox.deliver(event(), ToCommand("echo no such bus; exit 4", str(tmp_path)))
    assert done == Delivery(ok=False, error="the command ended with 4: no such bus")
    done = outbox.deliver(event(), ToCommand("sleep 600", str(tmp_path), seconds=0.3))
    assert done == Delivery(ok=False, error="it did not end in 0.3 s, and was ended")
    assert outbox.deliver(event(), ToCommand(" ", str(tmp_path))).error == (
        "the command is empty; name a program"
    )


def test_a_command_of_a_project_must_be_trusted(
    outbox: SystemOutbox, trusted: TrustedFile, tmp_path: Path
) -> None:
    """(R-31)"""
    asked = named_command(str(tmp_path / "config.json"), b"{}", "cat > got")
    target = ToCommand("cat > got", str(tmp_path), named=asked)
    done = outbox.deliver(event(), target)
    assert not done.ok and "is not trusted" in (done.error or "")
    trusted.trust(asked, now=1)
    other = ToCommand("cat > other", str(tmp_path), named=asked)
    assert not outbox.deliver(event(), other).ok, "trusted is what the file names, nothing else"
    assert not (tmp_path / "got").exists() and not (tmp_path / "other").exists()
    assert outbox.deliver(event(), target).ok and (tmp_path / "got").exists()
