"""The daemon: one per home folder, found by all, gone without a trace when told to go."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import stat
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.claim import Claim, HomeTaken
from everthread.edges.daemon.core import DaemonCore
from everthread.edges.daemon.places import LONGEST_SOCKET, Places
from everthread.edges.daemon.running_daemon import RunningDaemon
from everthread.edges.daemon.spool import read_event
from everthread.edges.daemon.trace import read_trace, waiting_events
from everthread.settings import Settings
from support.commands import COMMAND
from support.daemon import LONGEST, Daemon, daemon, house, short_home, standing, wait_for

__all__ = ["daemon", "house", "short_home", "standing"]

pytestmark = pytest.mark.slow

# A client that waits: on a busy machine the first event is soon late, which is right, but not asked here.
PATIENT = {"x-everthread-ms": "20000"}


def prompt(folder: Path, text: str, session: str = "s-1") -> dict[str, str]:
    return {
        "session_id": session,
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }


def start(folder: Path, session: str = "s-1") -> dict[str, str]:
    return {
        "session_id": session,
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }


@pytest.fixture
def project(short_home: Path) -> Path:
    folder = short_home.parent / "project"
    folder.mkdir()
    return folder


def kept(house: Daemon) -> list[str]:
    """What the store has of what people said, oldest first."""
    with everthread.connect(settings=house.settings, background=False) as et:
        return [
            str(message.text)
            for agent in et.agents()
            for message in agent.messages(limit=1_000)
            if message.role == "user"
        ]


def cli(house: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words],
        env=house.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )


# ---- one per home folder


def test_a_daemon_serves_a_unix_socket_of_its_owner_and_a_loopback_port(standing: Daemon) -> None:
    mode = standing.socket.stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    assert stat.S_IMODE(standing.places.run.stat().st_mode) == 0o700
    assert stat.S_IMODE(standing.places.token.stat().st_mode) == 0o600
    assert stat.S_IMODE(standing.places.log.stat().st_mode) == 0o600
    status, body = standing.ask("GET", "/health", unix=True)
    state = json.loads(standing.places.state.read_text())
    said = json.loads(body)
    assert status == 200
    assert said["pid"] == state["pid"] == running_daemon.lock_holder(standing.places)
    assert (state["port"], state["version"]) == (standing.port, everthread.__version__)
    assert state["socket"] == str(standing.socket)


def test_up_comes_back_with_a_running_daemon_and_a_second_up_finds_it(house: Daemon) -> None:
    first = cli(house, "up", "--detach", "--json")
    second = cli(house, "up", "--detach", "--json")
    third = cli(house, "up")
    assert [done.returncode for done in (first, second, third)] == [0, 0, 0], first.stderr
    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert "already up" in third.stdout
    down = cli(house, "down")
    assert (down.returncode, "has stopped" in down.stdout) == (0, True)
    assert running_daemon.lock_holder(house.places) is None
    assert not house.socket.exists() and not house.places.state.exists()
    again = cli(house, "down")
    assert (again.returncode, again.stdout) == (0, "no daemon is running\n")


def test_who_was_told_that_it_is_up_finds_the_store_open(house: Daemon) -> None:
    """A script that goes on at once finds what the daemon makes on its first start."""
    assert cli(house, "up", "--detach").returncode == 0
    found = running_daemon.find(house.places, seconds=LONGEST)
    assert found is not None and found.store_open
    assert (house.home / "everthread.db").exists()


def test_up_tells_why_there_is_no_store(house: Daemon) -> None:
    (house.home / "everthread.db").write_text("not a database" * 100)
    done = cli(house, "up", "--detach")
    assert done.returncode == 0 and "is up" in done.stdout
    assert "it has no store yet" in done.stderr
    assert "NotAStore" in json.loads(cli(house, "up", "--json").stdout)["trouble"]


def test_in_the_foreground_it_tells_what_it_does_until_ctrl_c(house: Daemon) -> None:
    process = subprocess.Popen(
        [COMMAND, "up"], env=house.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(house.answers, "it does not come up")
    process.send_signal(2)
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 0
    assert "listens on" in err and "SIGINT" in out


def test_the_port_is_chosen_once_and_kept(house: Daemon) -> None:
    """R-22: what was recorded with the port still finds us after a restart."""
    house.up()
    assert house.keeps_port(house.down)


def test_a_home_folder_with_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    long = Daemon(home)
    try:
        long.up()
        assert len(os.fsencode(long.socket)) <= LONGEST_SOCKET
        assert stat.S_IMODE(long.socket.parent.stat().st_mode) == 0o700
        assert long.hook("claude-code", "UserPromptSubmit", prompt(tmp_path, "hi")).code == 0
        assert waiting_events(long.places) == []
    finally:
        long.close()
    assert not long.socket.parent.exists()


def test_two_home_folders_have_two_daemons(standing: Daemon, daemon: Daemon) -> None:
    assert daemon.port != standing.port
    assert None not in (
        holders := [running_daemon.lock_holder(each.places) for each in (standing, daemon)]
    )
    assert holders[0] != holders[1]


# ---- starting on demand


def test_the_first_session_starts_the_daemon_and_is_answered(house: Daemon, project: Path) -> None:
    """R-45: the event is in the store, not in the spool, when the hook comes back."""
    done = house.hook("claude-code", "SessionStart", start(project))
    assert (done.code, done.err) == (0, b"")
    assert house.answers()
    assert waiting_events(house.places) == []
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "hello there"))
    assert kept(house) == ["hello there"]


def test_many_sessions_at_once_start_one_daemon(house: Daemon, project: Path) -> None:
    with ThreadPoolExecutor(5) as pool:
        done = list(
            pool.map(
                lambda n: house.hook("claude-code", "SessionStart", start(project, f"s-{n}")),
                range(5),
            )
        )
    assert {each.code for each in done} == {0}
    wait_for(house.answers, "no daemon")
    assert house.log.count("listens on") == 1


def test_any_event_brings_a_dead_daemon_back_and_does_not_wait_for_it(
    daemon: Daemon, project: Path
) -> None:
    daemon.kill()
    done = daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "are you there?"))
    assert (done.code, done.out, done.err) == (0, b"", b"")
    wait_for(daemon.answers, "it was not started")
    wait_for(lambda: kept(daemon) == ["are you there?"], "the spool was not drained")


def test_after_down_only_a_new_session_starts_it(house: Daemon, project: Path) -> None:
    cli(house, "up", "--detach")
    cli(house, "down")
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "quiet, please"))
    assert len(waiting_events(house.places)) == 1
    assert not house.places.starting.exists()
    house.hook("claude-code", "SessionStart", start(project))
    assert house.answers()
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    assert kept(house) == ["quiet, please"]


# ---- what a session leaves


@pytest.mark.req("B-18", "B-19", "B-77")
def test_the_key_of_a_session_goes_from_the_hook_to_the_store(
    daemon: Daemon, project: Path
) -> None:
    payload = prompt(project, "hello")
    payload["sessionId"] = payload.pop("session_id")
    for event in ("UserPromptSubmit", "SessionEnd", "PreCompact"):
        assert daemon.hook("claude-code", event, {**payload, "hook_event_name": event}).code == 0
    with everthread.connect(settings=daemon.settings, background=False) as et:
        [agent] = et.agents()
        assert [row.session.key for row in et.sessions(agent)] == ["s-1"]


@pytest.mark.req("B-75")
def test_ten_prompts_leave_a_checkpoint_also_after_kill_9(daemon: Daemon, project: Path) -> None:
    """The daemon is killed before the checkpoint that is due was written; the next one writes it."""
    daemon.hook("claude-code", "SessionStart", start(project))
    for number in range(10):
        daemon.hook("claude-code", "UserPromptSubmit", prompt(project, f"prompt {number}"))
    daemon.kill()
    daemon.up()

    def made() -> bool:
        with everthread.connect(settings=daemon.settings, background=False) as et:
            [agent] = et.agents()
            return bool(agent.checkpoints(session="s-1"))

    wait_for(made, "no checkpoint")


# ---- the spool


def test_what_was_spooled_is_replayed_in_order_with_its_own_time(
    house: Daemon, project: Path
) -> None:
    house.places.stopped.touch()
    texts = [f"prompt {number}" for number in range(5)]
    for text in texts:
        house.hook("claude-code", "UserPromptSubmit", prompt(project, text))
    before = time.time()
    time.sleep(0.05)
    house.up()
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    assert kept(house) == texts
    with everthread.connect(settings=house.settings, background=False) as et:
        [agent] = et.agents()
        said = [message.at for message in agent.messages(limit=10)]
    assert max(said).timestamp() < before
    house.down()
    assert read_trace(house.home).drained == 5


def test_an_event_that_was_answered_late_is_not_taken_twice(daemon: Daemon, project: Path) -> None:
    """The client gave up and spooled; the daemon had read it all the same."""
    house = daemon
    body = json.dumps(prompt(project, "only once")).encode()
    ticket = f"{time.time_ns():020}-1"
    headers = {"x-everthread-ticket": ticket, "content-type": "application/json", **PATIENT}
    assert (
        house.ask("POST", "/hook/claude-code/UserPromptSubmit", body, headers, unix=True)[0] == 200
    )
    head = f"POST /hook/claude-code/UserPromptSubmit HTTP/1.1\r\nx-everthread-ticket: {ticket}\r\n"
    record = head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body
    made = house.places.spool / f".{ticket}"
    made.write_bytes(record)
    made.rename(house.places.spool / f"{ticket}-{len(record)}")
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    assert kept(house) == ["only once"]


# ---- failing open


UNREADABLE = (
    ("claude-code", "UserPromptSubmit", b'{"session_id": "s", "pro'),
    ("claude-code", "UserPromptSubmit", b"\x00\xff" * 100),
    ("claude-code", "NobodyKnows", b"{}"),
    ("nobody", "SessionStart", b"{}"),
)


def test_an_event_that_cannot_be_read_is_told_in_the_trace_and_not_to_the_harness(
    daemon: Daemon,
) -> None:
    """LB-6: hooks fail open."""
    for harness, event, body in UNREADABLE:
        path = f"/hook/{harness}/{event}"
        assert daemon.ask("POST", path, body, PATIENT, unix=True) == (200, b"")
    daemon.down()
    harnesses = read_trace(daemon.home).harnesses
    for harness, failed, last in (("claude-code", 3, "NobodyKnows"), ("nobody", 1, "SessionStart")):
        seen = harnesses[harness]
        assert (seen.failed, seen.error_event) == (failed, last)
        assert "NotUnderstood" in seen.error
    for harness, event, _ in UNREADABLE:
        assert re.search(f"{harness} {event} failed.*NotUnderstood", daemon.log, re.DOTALL)
    assert daemon.log.count("NotUnderstood") >= len(UNREADABLE)


def test_status_tells_of_the_daemon_and_of_what_was_dropped(daemon: Daemon, project: Path) -> None:
    daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "hello"))
    daemon.places.dropped.write_bytes(b"...")
    told = json.loads(cli(daemon, "status", "--json").stdout)["daemon"]
    assert told["running"] and told["port"] == daemon.port and told["dropped"] == 3
    assert (
        "3 events lost because the spool was full or could not be written"
        in cli(daemon, "status").stdout
    )
    daemon.down()
    assert "not running" in cli(daemon, "status").stdout


def test_logs_shows_the_end_of_the_log_without_secrets(daemon: Daemon) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 20
    body = json.dumps([secret]).encode()
    daemon.ask("POST", f"/hook/claude-code/{secret}", body, PATIENT, unix=True)
    shown = cli(daemon, "logs", "-n", "20").stdout
    assert "listens on" in shown and "NotUnderstood" in shown
    assert secret not in shown and secret not in daemon.log


def test_logs_follows(daemon: Daemon) -> None:
    process = subprocess.Popen(
        [COMMAND, "logs", "-f", "-n", "1"], env=daemon.env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert "listens on" in process.stdout.readline()
    daemon.ask("POST", "/hook/nobody/Nothing", b"{}", unix=True)
    assert "nobody Nothing failed" in process.stdout.readline()
    process.kill()
    process.communicate()


# ---- who may speak to it


def test_over_tcp_only_who_has_the_token_is_heard(daemon: Daemon) -> None:
    for path in ("/hook/claude-code/Stop", "/control/stop"):
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": daemon.token}):
            assert daemon.ask("POST", path, b"{}", headers)[0] == 401
        assert daemon.ask("POST", path, b"{}", daemon.bearer())[0] == 200


def test_hooks_are_posted_to_their_address_and_to_no_other(standing: Daemon) -> None:
    assert standing.ask("GET", "/hook/claude-code/Stop", unix=True)[0] == 405
    for path in ("/hook/claude-code", "/hook/claude-code/", "/hook//Stop", "/hook/a/b/c", "/hook"):
        assert standing.ask("POST", path, b"{}", unix=True)[0] == 404, path
    assert standing.ask("POST", "/hook/claude-code/Stop", b"{}", PATIENT, unix=True) == (200, b"")


def test_over_tcp_events_are_brought_only_by_who_may_do_everything(
    daemon: Daemon, tmp_path: Path
) -> None:
    """They say in which projects harnesses work, and by that a lesser token is bound."""
    made: dict[str, str] = {}
    for name, scopes, agents in (
        ("writer", ["read", "write"], []),
        ("bound", ["admin"], ["ada"]),
        ("admin", ["admin"], []),
    ):
        wanted = {"name": name, "scopes": scopes, "agents": agents}
        made[name] = json.loads(daemon.post("/api/tokens", wanted)[1])["secret"]
    project = tmp_path / "secret"
    (project / ".git").mkdir(parents=True)
    event = {"session_id": "s", "cwd": str(project), "hook_event_name": "SessionStart"}

    def brought(name: str) -> int:
        headers = {"authorization": f"Bearer {made[name]}"}
        path = "/hook/claude-code/SessionStart"
        return daemon.ask("POST", path, json.dumps(event).encode(), headers)[0]

    assert brought("writer") == brought("bound") == 401
    assert json.loads(daemon.get("/api/agents")[1])["agents"] == []
    assert brought("admin") == 200


@pytest.mark.parametrize("path", ["/hook/claude-code/Stop", "/control/stop", "/health"])
def test_a_foreign_host_or_a_web_page_is_turned_away(standing: Daemon, path: str) -> None:
    """DNS rebinding and cross-site requests, even with the token."""
    method = "GET" if path == "/health" else "POST"
    for headers, status in (
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{standing.port}"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": f"http://127.0.0.1:{standing.port}"}, 403),
    ):
        assert standing.ask(method, path, b"{}", {**standing.bearer(), **headers})[0] == status
    assert standing.answers()


def test_health_tells_strangers_no_more_than_our_name(standing: Daemon) -> None:
    status, body = standing.ask("GET", "/health")
    assert (status, set(json.loads(body))) == (200, {"name", "version"})


def test_a_body_larger_than_any_event_is_refused(standing: Daemon) -> None:
    assert standing.ask("POST", "/hook/claude-code/Stop", b"x" * 17_000_000, unix=True)[0] == 413


# ---- finishing


def test_a_stop_lets_what_is_under_way_finish(daemon: Daemon, project: Path) -> None:
    """SIGTERM in the middle of a stream of prompts: whatever was acknowledged is there afterwards."""
    answered: list[str] = []
    over = threading.Event()

    def talk() -> None:
        number = 0
        while not over.is_set():
            text = f"prompt {number}"
            body = json.dumps(prompt(project, text)).encode()
            try:
                status, _ = daemon.ask(
                    "POST", "/hook/claude-code/UserPromptSubmit", body, unix=True
                )
            except (OSError, http.client.HTTPException):
                return
            if status == 200:
                answered.append(text)
            number += 1

    talker = threading.Thread(target=talk)
    talker.start()
    wait_for(lambda: len(answered) > 5, "nothing is answered")
    assert daemon.down() == 0
    over.set()
    talker.join()
    assert set(answered) <= set(kept(daemon))
    assert not daemon.socket.exists()


def test_it_leaves_when_its_home_folder_is_removed(house: Daemon) -> None:
    house.up()
    house.socket.unlink()
    assert house.process is not None
    assert house.process.wait(LONGEST) == 0
    assert "the socket is gone" in house.log


# ---- versions


@pytest.mark.parametrize(
    ("theirs", "older"),
    [("0.0.9", True), ("0.1.0", False), ("0.10.0", False), ("99.0", False), ("strange", True)],
)
def test_only_an_older_daemon_is_asked_to_finish(
    theirs: str, older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_daemon, "__version__", "0.1.0")
    assert RunningDaemon(1, theirs, 1, store_open=True).older is older


def test_a_newer_version_takes_over_once(
    daemon: Daemon, standing: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everthread.edges.daemon import process

    monkeypatch.setattr(running_daemon, "__version__", "99.0")
    with process._claim(daemon.places) as claim:
        assert daemon.process is not None and daemon.process.wait(30) == 0
        assert claim.places.lock.exists()
    monkeypatch.setattr(running_daemon, "__version__", "0.0.1")
    with pytest.raises(Exception, match="already serves"):
        process._claim(standing.places)
    assert standing.answers()


# ---- what its doors share


def test_an_engine_is_opened_once_and_a_missing_store_is_told(tmp_path: Path) -> None:
    served = DaemonCore(Settings(home=tmp_path, embedder="off"))
    engine = served.engine()
    assert served.engine() is engine
    store = tmp_path / "everthread.db"
    store.rename(tmp_path / "moved.db")
    with pytest.raises(everthread.errors.StoreFailed, match="gone"):
        served.engine()
    assert not store.exists()
    (tmp_path / "moved.db").rename(store)
    assert served.engine() is engine
    engine.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db").rename(store)
    assert served.engine() is not engine
    served.close()
    with pytest.raises(everthread.errors.StoreFailed, match="stopping"):
        served.engine()


def test_the_claim_is_given_back(short_home: Path) -> None:
    places = Places(short_home)
    with Claim(places) as claim:
        claim.listen()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(places.socket))
        with pytest.raises(HomeTaken):
            Claim(places)
    assert running_daemon.lock_holder(places) is None and not places.socket.exists()
    with Claim(places):
        assert running_daemon.lock_holder(places) == os.getpid()


def test_a_spooled_event_is_read_as_it_was_sent(house: Daemon) -> None:
    house.places.stopped.touch()
    house.hook("gemini", "BeforeAgent", b"{}", env={"GEMINI_SESSION_ID": "g-1"})
    [name] = waiting_events(house.places)
    event: Any = read_event(house.places, name)
    assert (event.harness, event.name, event.body) == ("gemini", "BeforeAgent", b"{}")
    assert event.environ["GEMINI_SESSION_ID"] == "g-1"
