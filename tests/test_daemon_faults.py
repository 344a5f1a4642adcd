"""The daemon when things go wrong around it: killed, stopped, shut out, robbed of its store."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

import everthread
from everthread.edges.daemon import process, running_daemon
from everthread.edges.daemon.claim import Claim, HomeTaken
from everthread.edges.daemon.core import DaemonCore
from everthread.edges.daemon.events import Hooks
from everthread.edges.daemon.trace import Trace, read_trace, waiting_events
from everthread.edges.hooks import client
from everthread.edges.hooks.command import install_client
from support.commands import COMMAND
from support.daemon import LONGEST, Daemon, Hooked, daemon, house, short_home, wait_for
from support.running import lives
from support.skips import needs, private_mounts

__all__ = ["daemon", "house", "short_home"]

pytestmark = pytest.mark.slow


@pytest.fixture
def project(short_home: Path) -> Path:
    folder = short_home.parent / "project"
    folder.mkdir()
    return folder


def prompt(folder: Path, text: str) -> dict[str, str]:
    return {
        "session_id": "s-1",
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }


def kept(house: Daemon) -> list[str]:
    with everthread.connect(settings=house.settings, background=False) as et:
        return [
            str(message.text)
            for agent in et.agents()
            for message in agent.messages(limit=1_000)
            if message.role == "user"
        ]


# ---- killed


def test_after_kill_9_the_next_daemon_takes_over_lock_socket_and_port(daemon: Daemon) -> None:
    before = running_daemon.lock_holder(daemon.places)

    def killed() -> None:
        daemon.kill()
        assert daemon.socket.exists() and daemon.places.state.exists()

    assert daemon.keeps_port(killed)
    after = running_daemon.lock_holder(daemon.places)
    assert after not in (None, before)
    assert json.loads(daemon.places.state.read_text())["pid"] == after


@pytest.mark.parametrize("killed", [False, True], ids=["SIGTERM", "kill -9"])
@pytest.mark.parametrize("far", [False, True], ids=["client", "another machine"])
def test_what_the_store_could_not_take_in_time_outlives_the_daemon(
    house: Daemon, project: Path, *, killed: bool, far: bool
) -> None:
    """R-45: each prompt is in the store or in the spool, whatever becomes of the daemon."""
    house.impatient().up()
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "before"))
    wait_for(lambda: waiting_events(house.places) == [], "the first one is not stored")
    there = {"EVERTHREAD_URL": f"http://127.0.0.1:{house.port}", "EVERTHREAD_TOKEN": house.token}
    texts = [f"prompt {number}" for number in range(20)]

    def say(text: str) -> Hooked:
        env = there if far else {}
        body = {**prompt(project, text), "session_id": text}
        return house.hook("claude-code", "UserPromptSubmit", body, env=env)

    with closing(sqlite3.connect(house.home / "everthread.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(5) as pool:
            assert {done.code for done in pool.map(say, texts)} == {0}
        lost = read_trace(house.home).unanswered
        if killed:
            house.kill()
        else:
            assert house.process is not None
            house.process.terminate()
        other.execute("ROLLBACK")
    assert house.process is not None
    house.process.wait(LONGEST)
    house.up()
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    found = kept(house)
    assert len(found) == len(set(found))
    assert len(set(texts) & set(found)) >= len(texts) - lost
    assert far or lost == 0


def test_a_daemon_that_cannot_open_its_files_waits_and_does_not_leave(house: Daemon) -> None:
    """A thousand connections that ask nothing: hooks are heard all the same, and the log stays small."""
    house.up()
    lines: list[socket.socket] = []
    try:
        for _ in range(600):
            lines.append(socket.create_connection(("127.0.0.1", house.port), timeout=60))
        assert house.process is not None
        files = Path(f"/proc/{house.process.pid}/fd")
        wait_for(lambda: len(list(files.iterdir())) < 260, "all of them are kept")
        house.hook("claude-code", "UserPromptSubmit", prompt(house.home, "heard"))
        assert waiting_events(house.places) == []
        # Half a head is not a request either.
        with suppress(OSError):
            lines[0].send(b"GET /hea")
        wait_for(lambda: len(list(files.iterdir())) < 60, "who asks nothing is kept")
    finally:
        for line in lines:
            line.close()
    assert house.process.poll() is None and house.answers()
    assert len(house.log) < 10_000


def test_kill_9_leaves_no_worker_behind(house: Daemon, project: Path) -> None:
    """R-47: the one child dies with its parent. Both are started as hooks start them."""
    house.process = house.spawn()
    wait_for(house.answers, "it does not answer")
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "hello"))
    pid = running_daemon.lock_holder(house.places)
    assert pid is not None

    def workers() -> list[int]:
        return [
            child
            for child in (int(path.name) for path in Path("/proc").glob("[0-9]*"))
            if _read(child, "stat").rpartition(")")[2].split()[1:2] == [str(pid)]
            and "edges.worker" in _read(child, "cmdline")
        ]

    wait_for(lambda: bool(workers()), "it has no worker")
    [worker] = workers()
    house.kill()
    wait_for(lambda: not lives(worker), "a worker outlived its daemon")


def _read(pid: int, what: str) -> str:
    try:
        return Path(f"/proc/{pid}/{what}").read_text()
    except OSError:  # it is gone
        return ""


def test_a_killed_client_leaves_half_an_event_that_is_set_aside(house: Daemon) -> None:
    half = house.places.spool / f".{1:020}-77"
    half.write_bytes(b"POST /hook/claude-code/Stop HTTP/1.1\r\ncontent-le")
    os.utime(half, (0, 0))
    house.up()
    wait_for(lambda: not half.exists(), "it is still there")
    assert [path.name for path in house.places.torn.iterdir()] == [f"{1:020}-77"]
    house.down()
    assert read_trace(house.home).torn == 1


# ---- the spool


TORN = {
    "empty": b"",
    "zeros": b"\x00" * 500,
    "cut off": b"POST /hook/claude-code/UserPromptSubmit HTTP/1.1\r\ncontent-length: 100\r\n\r\n{half",
    "no event": b"GET / HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
    "unknown harness": b"POST /hook/nobody/Nothing HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
    "half a JSON": b"POST /hook/claude-code/Stop HTTP/1.1\r\ncontent-length: 5\r\n\r\n{half",
}


def test_a_torn_event_is_set_aside_and_blocks_nothing(house: Daemon, project: Path) -> None:
    """One of each kind, with something to come behind each."""
    house.places.stopped.touch()
    texts: list[str] = []
    for kind, torn in TORN.items():
        (house.places.spool / f"{time.time_ns():020}-1-{len(torn)}").write_bytes(torn)
        texts.append(f"behind {kind}")
        house.hook("claude-code", "UserPromptSubmit", prompt(project, texts[-1]))
    house.up()
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    assert kept(house) == texts
    house.down()
    traced = read_trace(house.home)
    assert (traced.torn + traced.failed, traced.drained) == (len(TORN), len(texts))
    aside = [file for place in (house.places.torn, house.places.failed) for file in place.iterdir()]
    assert sorted(file.read_bytes() for file in aside) == sorted(TORN.values())


def test_a_full_spool_is_drained_and_what_it_dropped_stays_counted(
    house: Daemon, project: Path
) -> None:
    house.places.stopped.touch()
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "the first"))
    for number in range(client.SPOOL_FILES):
        (house.places.spool / f"{number:020}-1-0").touch()
    house.hook("claude-code", "UserPromptSubmit", prompt(project, "one too many"))
    assert read_trace(house.home).dropped == 1
    house.up()
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    assert kept(house) == ["the first"]
    assert read_trace(house.home).dropped == 1
    # What could not be read is kept for a look, but not all of it for ever.
    assert 0 < len(list(house.places.torn.iterdir())) <= 100


# ---- stopped


def test_a_daemon_that_hangs_is_not_waited_for_and_loses_nothing(
    daemon: Daemon, project: Path
) -> None:
    """SIGSTOP: the socket takes connections, nobody answers."""
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "one"))
    os.kill(pid, signal.SIGSTOP)
    done = daemon.impatient().hook("claude-code", "UserPromptSubmit", prompt(project, "two"))
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert done.seconds < 60
    assert len(waiting_events(daemon.places)) == 1
    os.kill(pid, signal.SIGCONT)
    wait_for(lambda: waiting_events(daemon.places) == [], "the spool was not drained")
    # The daemon found it in its socket and in the spool, and took it once.
    assert kept(daemon) == ["one", "two"]


def test_a_daemon_that_hangs_is_told_as_one_that_hangs_and_what_to_do(
    daemon: Daemon, project: Path
) -> None:
    """It is not called stopped: nobody else can come up as long as it has its place."""
    daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "one"))
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        for verb in (["status"], ["doctor"], ["up", "--detach"]):
            done = subprocess.run(
                [COMMAND, *verb], env=daemon.env, capture_output=True, check=False
            )
            told = " ".join((done.stdout + done.stderr).decode().split())
            assert f"process {pid} has the daemon's place and does not answer" in told, verb
            assert f"kill -9 {pid}" in told and "not running" not in told
            assert verb == ["status"] or done.returncode != 0
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.req("R-45")
def test_what_a_start_missed_comes_with_the_next_prompt(daemon: Daemon, project: Path) -> None:
    tell(daemon, project, "SessionStart", "one", source="startup")
    tell(daemon, project, "UserPromptSubmit", "one", prompt="The parser must keep comments.")
    tell(daemon, project, "SessionEnd", "one", reason="exit")
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    daemon.impatient()
    missed = tell(daemon, project, "SessionStart", "two", source="startup")
    assert (missed.code, missed.out, missed.err) == (0, b"", b"")
    os.kill(pid, signal.SIGCONT)
    wait_for(lambda: waiting_events(daemon.places) == [], "the spool was not drained")
    patient = Daemon(daemon.home)
    given = tell(patient, project, "UserPromptSubmit", "two", prompt="Where were we?")
    assert b"The parser must keep comments." in given.out


def tell(daemon: Daemon, folder: Path, event: str, session: str, **more: str) -> Hooked:
    payload = {"session_id": session, "cwd": str(folder), "hook_event_name": event, **more}
    return daemon.hook("claude-code", event, payload)


def test_down_ends_a_daemon_that_hangs_once_it_can_hear(daemon: Daemon) -> None:
    pid = running_daemon.lock_holder(daemon.places)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    down = subprocess.Popen([COMMAND, "down"], env=daemon.env, stdout=subprocess.PIPE)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            down.wait(1)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert daemon.process is not None
    assert daemon.process.wait(LONGEST) == 0
    out, _ = down.communicate(timeout=LONGEST)
    assert down.returncode == 0 and b"has stopped" in out


# ---- two at once, and what is in the way


def test_whose_home_folder_is_made_anew_leaves_it_to_the_next_daemon(house: Daemon) -> None:
    """rm -rf HOME; everthread up: one daemon, and the new one's files stay."""
    old = house.up().process
    assert old is not None
    shutil.rmtree(house.home)
    install_client(house.settings)
    new = house.up().process
    assert new is not None
    assert old.wait(LONGEST) == 0
    found = running_daemon.find(house.places, seconds=LONGEST)
    assert found is not None and found.pid == new.pid
    assert house.places.state.exists()
    with pytest.raises(HomeTaken):
        Claim(house.places)


def test_a_socket_in_another_ones_place_is_not_ours_to_remove(house: Daemon) -> None:
    with Claim(house.places) as claim:
        claim.listen()
        assert claim.present()
        house.socket.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(house.socket))
            assert not claim.present()
    assert house.socket.exists()


def test_a_version_that_cannot_be_read_is_no_other_version(
    house: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Claim(house.places) as claim:
        claim.listen()
        served = DaemonCore(house.settings)
        hooks = Hooks(served, Trace(house.places), lambda _: None)
        life = process.Life(claim, served, hooks, Trace(house.places), process._server())
        monkeypatch.setattr(process, "_version_on_disk", lambda: "")
        assert life._done() == ""
        monkeypatch.setattr(process, "_version_on_disk", lambda: "99.0")
        assert life._done() == "another version was installed"
        served.close()


def test_what_libraries_say_is_in_the_log_that_is_bounded(house: Daemon) -> None:
    """stderr is a file that only grows; and it is not redacted."""
    code = (
        "import logging, sys, threading, warnings\n"
        "from pathlib import Path\n"
        "from everthread.edges.daemon import process\n"
        "from everthread.edges.daemon.places import Places\n"
        "process._log_to(Places(Path(sys.argv[1])), say=False)\n"
        "logging.getLogger('asyncio').error('accept: password=hunter2hunter2')\n"
        "warnings.warn('an old thing')\n"
        "thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(house.home)], capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    for said in ("accept", "an old thing", "ZeroDivisionError"):
        assert said in house.log
    assert "hunter2" not in house.log


def test_of_two_daemons_started_at_once_one_serves(house: Daemon) -> None:
    started = [house.spawn() for _ in range(4)]
    wait_for(house.answers, "nobody serves")
    wait_for(lambda: sum(each.poll() is None for each in started) == 1, "more than one stays")
    [house.process] = [each for each in started if each.poll() is None]
    assert [each.returncode for each in started if each.returncode is not None] == [0, 0, 0]
    assert running_daemon.lock_holder(house.places) == house.process.pid
    assert house.log.count("listens on") == 1


def test_a_socket_file_left_behind_is_no_daemon(house: Daemon, project: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(house.socket))
    done = house.hook("claude-code", "SessionStart", prompt(project, ""))
    assert done.code == 0
    assert house.answers()


@pytest.mark.parametrize("left", ["", "garbage", '{"pid": 99999999, "version": "0"}'])
def test_a_stale_lock_file_is_taken_over(house: Daemon, left: str) -> None:
    house.places.lock.write_text(left)
    with Claim(house.places):
        assert running_daemon.lock_holder(house.places) == os.getpid()
    house.places.lock.write_text(left)
    assert left != "garbage" or house.up().answers()


def test_a_pid_that_now_is_somebody_elses_does_not_count(house: Daemon) -> None:
    """The lock tells, not the number in the file: `down` must not end a stranger."""
    with subprocess.Popen(["sleep", "60"]) as stranger:
        house.places.lock.write_text(json.dumps({"pid": stranger.pid, "version": "0.1.0"}))
        stopped = running_daemon.stop(house.places, seconds=0)
        spared = stranger.poll() is None
        stranger.kill()
    assert stopped and spared
    assert running_daemon.lock_holder(house.places) is None
    with Claim(house.places):
        assert running_daemon.lock_holder(house.places) == os.getpid()


def test_a_taken_port_falls_to_another_which_is_kept(house: Daemon) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        house.places.port.write_text(f"{port}\n")
        with Claim(house.places) as claim:
            claim.listen()
            second = claim.port
            told = running_daemon.port_text(house.places, second)
        assert second not in (0, port)
        assert f"port {second} (it was {port}, which another program has taken" in told
    with Claim(house.places) as claim:
        claim.listen()
        assert claim.port == house.port == second
        assert running_daemon.port_text(house.places, second) == f"port {second}"


def test_that_the_port_changed_is_told_by_the_log_and_by_doctor(house: Daemon) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        house.places.port.write_text(f"{port}\n")
        house.up()
    assert f"port {port} is taken by another program: from now on it is {house.port}" in house.log
    for words in (["up"], ["doctor"], ["status"]):
        done = subprocess.run(
            [COMMAND, *words], env=house.env, capture_output=True, text=True, check=False
        )
        assert f"it was {port}" in " ".join(done.stdout.split()), words


@pytest.mark.parametrize("text", ["", "none", "0", "-5", "70000"])
def test_a_damaged_port_file_is_made_anew(house: Daemon, text: str) -> None:
    house.places.port.write_text(text)
    with Claim(house.places) as claim:
        claim.listen()
        assert 0 < house.port < 65_536


def test_a_start_that_did_not_come_up_is_tried_again(house: Daemon, project: Path) -> None:
    house.places.starting.touch()
    os.utime(house.places.starting, (0, 0))
    house.hook("claude-code", "SessionStart", prompt(project, ""))
    assert house.answers()
    assert not house.places.starting.exists()


# ---- the store and the disk


def test_a_store_that_is_moved_away_makes_events_wait(daemon: Daemon, project: Path) -> None:
    daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "one"))
    store = daemon.home / "everthread.db"
    store.rename(daemon.home / "elsewhere")
    done = daemon.hook("claude-code", "UserPromptSubmit", prompt(project, "two"))
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert len(waiting_events(daemon.places)) == 1
    assert daemon.answers()
    assert not store.exists()
    wait_for(lambda: "gone" in read_trace(daemon.home).trouble, "nobody is told")
    (daemon.home / "elsewhere").rename(store)
    wait_for(lambda: waiting_events(daemon.places) == [], "the spool was not drained")
    assert kept(daemon) == ["one", "two"]
    daemon.down()
    assert read_trace(daemon.home).trouble == ""


def test_a_store_that_is_no_store_is_told_and_hooks_go_on(house: Daemon, project: Path) -> None:
    (house.home / "everthread.db").write_text("not a database" * 100)
    house.up()
    done = house.hook("claude-code", "UserPromptSubmit", prompt(project, "hello"))
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert len(waiting_events(house.places)) == 1
    wait_for(lambda: bool(read_trace(house.home).trouble), "nobody is told")
    assert house.log.count("the daemon's round failed") == 1
    assert "is not an Everthread store" in house.log and "Traceback" not in house.log


READ_ONLY = """
import os, subprocess, sys
home, command = sys.argv[1], sys.argv[2:]
subprocess.run(["mount", "--bind", home, home], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", home], check=True)
done = subprocess.run(command, input=b"{}", capture_output=True)
print(done.returncode, done.stdout, done.stderr)
"""


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_read_only_home_folder_does_not_disturb_the_harness(house: Daemon, event: str) -> None:
    needs("tmpfs")
    from everthread.edges.hooks.command import command_for

    command = command_for(house.impatient().settings, "claude-code", event)
    done = subprocess.run(
        [*(private_mounts() or []), sys.executable, "-c", READ_ONLY, str(house.home), *command],
        env=house.env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0 b'' b''\n"
    assert waiting_events(house.places) == []


def test_a_daemon_that_cannot_start_says_why(house: Daemon) -> None:
    """A home folder whose `run` is a file."""
    house.places.log.parent.rmdir()
    house.places.log.parent.write_text("in the way")
    done = subprocess.run(
        [COMMAND, "up", "--detach"], env=house.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 5
    assert "File exists" in done.stderr or "Not a directory" in done.stderr


def test_a_setting_that_is_wrong_is_told_by_up(house: Daemon) -> None:
    (house.home / "config.toml").write_text("window = 1\n")
    done = subprocess.run(
        [COMMAND, "up", "--detach"], env=house.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "window must be" in done.stderr


def test_a_start_that_fails_is_not_seen_by_the_harness_and_told_by_the_trace(
    house: Daemon, project: Path
) -> None:
    (house.home / "config.toml").write_text("window = 1\n")
    done = house.impatient().hook("claude-code", "SessionStart", prompt(project, ""))
    assert (done.code, done.out, done.err) == (0, b"", b"")
    wait_for(lambda: bool(read_trace(house.home).start_failure), "nobody is told")
    assert "window must be" in read_trace(house.home).start_failure
    # Hooks do not start it over and over: a while has to pass first.
    assert house.places.starting.exists()
    assert len(waiting_events(house.places)) == 1


def test_a_store_without_a_whole_path_is_told(house: Daemon) -> None:
    (house.home / "config.toml").write_text('store = "here.db"\n')
    done = subprocess.run(
        [COMMAND, "up", "--detach"], env=house.env, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "give the whole path" in done.stderr


# ---- where it is started


def test_files_of_the_project_are_not_run_by_the_daemon(house: Daemon, project: Path) -> None:
    """A repository with modules that are named like Python's own, or like ours."""
    mark = project / "was-run"
    (project / "everthread").mkdir()
    for name in ("logging.py", "json.py", "uvicorn.py", "everthread/__init__.py"):
        (project / name).write_text(f"open({str(mark)!r}, 'w'); raise SystemExit(3)\n")
    env = {"PYTHONPATH": str(project), "PYTHONSTARTUP": str(project / "json.py")}
    payload = {**prompt(project, ""), "hook_event_name": "SessionStart"}
    assert house.hook("claude-code", "SessionStart", payload, env=env, cwd=project).code == 0
    assert house.answers()
    assert not mark.exists()


def test_after_an_upgrade_the_daemon_makes_room_for_the_new_version(
    house: Daemon, tmp_path: Path
) -> None:
    """What it would import from now on is of another version: it finishes, and the next event starts it."""
    package = Path(everthread.__file__).parent
    copy = tmp_path / "lib" / "everthread"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    house.process = subprocess.Popen(
        [sys.executable, "-m", "everthread.edges.daemon", str(house.home)],
        env={**house.env, "PYTHONPATH": str(copy.parent)},
        stderr=subprocess.DEVNULL,
    )
    wait_for(house.answers, "it does not come up")
    face = copy / "__init__.py"
    face.write_text(face.read_text().replace(everthread.__version__, "99.0.0"))
    assert house.process.wait(LONGEST) == 0
    assert "another version was installed" in house.log
    assert not house.socket.exists()
