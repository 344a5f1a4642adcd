"""Events of tasks wait in the outbox until they have arrived, at least once and in their order."""

from __future__ import annotations

import hashlib
import hmac
import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.tasks.events import Target, faults
from everthread.domain.times import MINUTE, SECOND
from everthread.jobs.worker import Worker
from everthread.ports.commands import Delivery
from everthread.services.tasks.events import MOST_ATTEMPTS, deliver_due
from everthread.testing import FrozenClock
from support.born import ran
from support.commands import Cli
from support.daemon import Daemon, house, short_home  # noqa: F401 - fixtures
from support.running import until
from support.tasking import Site, Work, git_project, work

pytestmark = pytest.mark.req("C-28")

SECRET = "a-secret-of-the-tests"


class Receiver:
    """A webhook that answers with what it is told to."""

    def __init__(self) -> None:
        self.status = 204
        self.bodies: list[dict[str, Any]] = []
        self.signed: list[bool] = []
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                parts = dict(p.split("=") for p in self.headers["Everthread-Signature"].split(","))
                what = f"{parts['t']}.".encode() + body
                right = hmac.new(SECRET.encode(), what, hashlib.sha256).hexdigest()
                told.signed.append(hmac.compare_digest(right, parts["v1"]))
                told.bodies.append(json.loads(body))
                self.send_response(told.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/events"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join(30)


@contextmanager
def telling(folder: Path, clock: FrozenClock | None = None, **settings: Any) -> Iterator[Work]:
    made = work(Site(folder, **settings), clock=clock)
    try:
        yield made
    finally:
        made.engine.close()


def ended(at: Work, count: int = 1) -> list[str]:
    """End so many sessions; their names, in order."""
    for _ in range(count):
        at.task.start()
        at.task.end("partial", next_steps=["go on"])
    return [sat.session.alias for sat in reversed(at.task.sessions())]


def delivered(at: Work, deliver: Any = None) -> int:
    known = at.engine.house
    return deliver_due(known if deliver is None else replace(known, deliver=deliver), lambda: None)


def told(bodies: list[dict[str, Any]]) -> list[str]:
    return [body["data"]["session_id"] for body in bodies]


class Postman:
    """Takes what it is told to take."""

    def __init__(self, takes: Callable[[dict[str, Any], Target], bool] = lambda *_: True) -> None:
        self.takes = takes
        self.tried: list[str] = []
        self.got: list[dict[str, Any]] = []

    def deliver(self, event: str, target: Target) -> Delivery:
        body = json.loads(event)
        self.tried.append(body["data"]["session_id"])
        if not self.takes(body, target):
            return Delivery(ok=False, error="nobody is at home")
        self.got.append(body)
        return Delivery(ok=True)


# ---- where events go


def test_an_event_exists_though_nobody_is_to_be_told(tmp_path: Path) -> None:
    """C-28, 3a.7: the envelope of CloudEvents 1.0, kept."""
    with telling(tmp_path) as at:
        [session] = ended(at)
        [event] = at.events
        body = json.loads(event.body)
        assert (event.state, event.target) == ("kept", "")
        assert faults(body) == []
        assert body["type"] == "session.complete" and body["subject"] == "parser-rewrite"
        assert body["data"] == {
            "session_id": session,
            "outcome": "partial",
            "next_session_hint": "go on",
        }
        assert delivered(at) == 0


def test_a_file_gets_a_line_an_event(tmp_path: Path) -> None:
    place = tmp_path / "events.jsonl"
    with telling(tmp_path, outbox_file=str(place)) as at:
        sessions = ended(at, 2)
        assert delivered(at) == 2
        assert told([json.loads(line) for line in place.read_text().splitlines()]) == sessions
        assert {event.state for event in at.events} == {"delivered"}
        assert delivered(at) == 0


def test_a_webhook_gets_them_signed(tmp_path: Path, receiver: Receiver) -> None:
    with telling(tmp_path, outbox_url=receiver.url, outbox_secret=SECRET) as at:
        sessions = ended(at)
        assert delivered(at) == 1
        assert told(receiver.bodies) == sessions
        assert receiver.signed == [True]


@pytest.mark.slow
def test_a_command_gets_them_on_its_standard_input(tmp_path: Path) -> None:
    place = tmp_path / "got"
    with telling(tmp_path, outbox_command=f"cat >> {place}") as at:
        sessions = ended(at)
        assert delivered(at) == 1
        assert told([json.loads(place.read_text())]) == sessions


def test_each_receiver_gets_the_same_event(tmp_path: Path, receiver: Receiver) -> None:
    """One that is down keeps no other from it."""
    place = tmp_path / "events.jsonl"
    more = {"outbox_url": receiver.url, "outbox_secret": SECRET}
    with telling(tmp_path, outbox_file=str(place), **more) as at:
        receiver.status = 503
        ended(at)
        assert delivered(at) == 1
        assert {event.target: event.state for event in at.events} == {
            "file": "delivered",
            "webhook": "pending",
        }
        assert json.loads(place.read_text())["id"] == receiver.bodies[0]["id"]


# ---- what goes wrong


def test_a_receiver_that_is_down_gets_it_once_it_is_up(tmp_path: Path, receiver: Receiver) -> None:
    """At least once, with the same id; asked ever later, and not before its time."""
    clock = FrozenClock()
    with telling(tmp_path, clock, outbox_url=receiver.url, outbox_secret=SECRET) as at:
        receiver.status = 503
        ended(at)
        waits: list[int] = []
        for _ in range(4):
            assert delivered(at) == 0
            waits.append(at.events[0].due_ms - clock.now())
            clock.forward(seconds=waits[-1] / SECOND - 0.001)
            before = len(receiver.bodies)
            assert delivered(at) == 0
            assert len(receiver.bodies) == before, "its time has not come"
            clock.forward(seconds=0.001)
        assert waits == [5_000, 10_000, 20_000, 40_000]
        assert "503" in (at.events[0].error or "")
        receiver.status = 200
        assert delivered(at) == 1
        assert len(receiver.bodies) == 5
        assert len({body["id"] for body in receiver.bodies}) == 1
        assert (at.events[0].state, at.events[0].error) == ("delivered", None)


def test_after_twenty_attempts_a_person_is_told(tmp_path: Path) -> None:
    clock, postman = FrozenClock(), Postman(lambda *_: False)
    with telling(tmp_path, clock, outbox_file=str(tmp_path / "x")) as at:
        ended(at)
        for n in range(1, MOST_ATTEMPTS + 1):
            assert delivered(at, postman) == 0
            assert at.events[0].state == ("failed" if n == MOST_ATTEMPTS else "pending")
            assert len(at.task._desk.house.store.read(_incidents(at))) == (n == MOST_ATTEMPTS)  # pyright: ignore[reportPrivateUsage]
            clock.forward(hours=1)
        assert len(postman.tried) == 20
        [found] = at.engine.agent("ada").incidents(unresolved=True)
        assert found.kind == "delivery" and "nobody is at home" in found.summary
        delivered(at, postman)
        assert len(postman.tried) == 20, "it is given up"


def _incidents(at: Work) -> Callable[[Any], Any]:
    scope = at.engine.agent("ada").scope
    return lambda r: r.incidents.all(scope, limit=9)


def test_a_receiver_gets_events_in_their_order(tmp_path: Path) -> None:
    """What is behind one that was not taken waits with it, until that one has arrived or is given up."""
    clock = FrozenClock()
    with telling(tmp_path, clock, outbox_file=str(tmp_path / "x")) as at:
        first, second, third = ended(at, 3)
        postman = Postman(lambda body, _: body["data"]["session_id"] != first)
        assert delivered(at, postman) == 0
        assert postman.tried == [first]
        clock.forward(seconds=5)
        postman.takes = lambda *_: True
        assert delivered(at, postman) == 3
        assert told(postman.got) == [first, second, third]
        fourth, fifth = ended(at, 2)[3:]
        postman.takes = lambda body, _: body["data"]["session_id"] != fourth
        for _ in range(MOST_ATTEMPTS):
            delivered(at, postman)
            clock.forward(hours=1)
        delivered(at, postman)
        assert told(postman.got)[3:] == [fifth]


def test_a_slow_receiver_does_not_keep_the_worker(tmp_path: Path) -> None:
    """What is not done in its time is left to the next job."""
    clock = FrozenClock()

    def slow(*_: Any) -> bool:
        clock.forward(seconds=20)
        return True

    with telling(tmp_path, clock, outbox_file=str(tmp_path / "x")) as at:
        ended(at, 3)
        postman = Postman(slow)
        assert delivered(at, postman) == 2
        assert delivered(at, postman) == 1


def test_a_receiver_that_is_named_no_more_is_told(tmp_path: Path) -> None:
    with telling(tmp_path, outbox_file=str(tmp_path / "x")) as at:
        ended(at)
        policy = at.engine.house.policy._replace(outbox_file="")
        assert deliver_due(replace(at.engine.house, policy=policy), lambda: None) == 0
        assert "no file is named" in (at.events[0].error or "")


def test_a_file_must_be_named_by_its_whole_path(tmp_path: Path) -> None:
    """Or it would lie in the folder of whichever program delivers."""
    with telling(tmp_path, outbox_file="events.jsonl") as at:
        ended(at)
        assert delivered(at) == 0
        assert "whole path" in (at.events[0].error or "")


KILLED = """
import json, os, signal, sys
from pathlib import Path
import everthread
from everthread.services.tasks import events
from everthread.settings import Settings
told = json.loads(sys.argv[1])
settings = Settings.load(home=Path(told["home"]), environ={}).with_(outbox_file=told["file"])
et = everthread.connect(told["store"], background=False, settings=settings)
events._note_outcome = lambda *a, **b: os.kill(os.getpid(), signal.SIGKILL)
events.deliver_due(et.house, lambda: None)
"""


@pytest.mark.slow
def test_killed_between_delivery_and_note_it_is_delivered_again(tmp_path: Path) -> None:
    """At least once: twice the same bytes, by which the receiver knows it again."""
    place = tmp_path / "events.jsonl"
    with telling(tmp_path, outbox_file=str(place)) as at:
        ended(at)
        order = {"home": str(at.site.home), "store": str(at.site.place), "file": str(place)}
        done = ran(KILLED, json.dumps(order))
        assert done.returncode == -signal.SIGKILL
        assert len(place.read_text().splitlines()) == 1
        assert at.events[0].state == "pending"
        assert delivered(at) == 1
        one, two = place.read_text().splitlines()
        assert one == two


# ---- who delivers


def test_the_worker_delivers_what_an_end_left(tmp_path: Path) -> None:
    place = tmp_path / "events.jsonl"
    with telling(tmp_path, outbox_file=str(place)) as at:
        ended(at)
        runner = Worker(at.engine.house, rest=0)
        while runner.step():
            pass
        assert len(place.read_text().splitlines()) == 1


def test_the_worker_tries_again_by_itself(tmp_path: Path) -> None:
    clock = FrozenClock()
    folder = tmp_path / "there"
    folder.write_text("in the way")
    with telling(tmp_path, clock, outbox_file=str(folder / "events.jsonl")) as at:
        ended(at)
        runner = Worker(at.engine.house, rest=0)
        while runner.step():
            pass
        assert (at.events[0].state, at.events[0].attempts) == ("pending", 1)
        folder.unlink()
        clock.forward(seconds=MINUTE / SECOND)
        while runner.step():
            pass
        assert at.events[0].state == "delivered"


@pytest.mark.slow
def test_the_daemon_delivers_with_nobody_calling(
    house: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    """And doctor tells whom they do not reach."""
    folder = tmp_path / "there"
    folder.write_text("in the way")
    house.env["EVERTHREAD_OUTBOX_FILE"] = str(folder / "events.jsonl")
    project = git_project(tmp_path / "project")
    cli = Cli(tmp_path)
    cli.env = house.env
    for words in (("new", "parser", "--goal", "x"), ("start",), ("end", "--outcome", "partial")):
        answer = cli("task", *words, cwd=project)
        assert answer.code == 0, answer.err
    house.up()

    def tried() -> bool:
        [event] = cli("outbox", "--json", cwd=project).json["events"]
        return event["attempts"] > 0

    until(tried, "the daemon did not try")
    doctor = " ".join(cli("doctor", cwd=project).out.split())
    assert "1 event waits for the file" in doctor
    folder.unlink()
    until((folder / "events.jsonl").exists, "the daemon did not deliver")
