"""Commands beside a daemon that hangs, dies, fails or is another: nothing is lost or done twice (R-52)."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.daemon.places import Places
from support.beside import (
    SECRET,
    Beside,
    alone,
    asked_itself,
    be_patient,
    listening,
    one_request,
    reply,
)
from support.beside import beside as by_process
from support.commands import COMMAND, Answer, Here
from support.daemon import Daemon, house, short_home, wait_for

__all__ = ["alone", "by_process", "house", "short_home"]


@pytest.fixture
def beside(by_process: Beside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Beside:
    """Commands have a process of their own, but for those that only tell what is right."""
    by_process.here = Here(by_process.cli.home, monkeypatch, capsys)
    by_process.here.env = by_process.cli.env
    be_patient(monkeypatch)
    return by_process


# Faults -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_daemon_that_hangs_costs_a_moment_and_nothing_is_done_twice(beside: Beside) -> None:
    """Reads and writes: it has promised nothing yet, so the command does it itself."""
    pid = beside.daemon.process.pid  # type: ignore[union-attr]
    listed = beside.direct("memories", "list", "--agent", "ada")
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        assert beside("memories", "list", "--agent", "ada") == listed
        assert beside("notes", "add", "while it hung", "--agent", "ada").code == 0
        assert time.monotonic() - began < 30
    finally:
        os.kill(pid, signal.SIGCONT)
    notes = beside.inside("notes", "list", "--agent", "ada", "--json").json["notes"]
    texts = [note["text"] for note in notes]
    assert texts.count("while it hung") == 1, "what was sent to it and given up is not done later"


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_socket_without_a_daemon_or_not_ours_alone_is_passed_over(
    beside: Beside, alone: Here
) -> None:
    words = ("notes", "list")
    listed = beside.direct(*words, "--agent", "ada")
    run = beside.daemon.places.run
    run.chmod(0o777)
    assert asked_itself(alone, *words), "others could have put it there"
    run.chmod(0o700)
    assert not asked_itself(alone, *words)
    beside.daemon.socket.chmod(0)
    assert beside.inside(*words, "--agent", "ada") == listed
    beside.daemon.socket.chmod(stat.S_IRUSR | stat.S_IWUSR)
    beside.daemon.kill()
    assert beside.daemon.socket.exists(), "it had no time to tidy up"
    assert beside(*words, "--agent", "ada") == listed
    beside.daemon.socket.unlink()
    beside.daemon.socket.write_text("no socket")
    assert beside.inside(*words, "--agent", "ada") == listed


@pytest.fixture
def deserted(beside: Beside) -> Beside:
    """The daemon is gone, and somebody else speaks at its place."""
    beside.daemon.down()
    return beside


heard: list[bytes] = []


def meets(line: socket.socket) -> None:
    assert one_request(line).startswith(b"POST /near ")
    reply(line, 200, {"agent": "ada"})


def goes_away(line: socket.socket) -> None:
    meets(line)
    one_request(line)


def fails(line: socket.socket) -> None:
    meets(line)
    one_request(line)
    reply(line, 500, {"type": "about:blank", "detail": "a fault"})


def is_stopping(line: socket.socket) -> None:
    meets(line)
    one_request(line)
    reply(line, 503, {"type": "about:blank", "detail": "the daemon is stopping"})


def talks_nonsense(line: socket.socket) -> None:
    meets(line)
    one_request(line)
    line.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n]]")


def hangs(line: socket.socket) -> None:
    meets(line)
    heard.append(one_request(line))
    line.recv(1)  # until the command goes


def is_older(line: socket.socket) -> None:
    one_request(line)
    line.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\nNot Found")


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_read_that_the_daemon_does_not_answer_is_answered_by_the_store(deserted: Beside) -> None:
    words = ("memories", "list", "--agent", "ada")
    listed = deserted.direct(*words)
    with listening(deserted.daemon.socket, goes_away):
        assert deserted(*words) == listed
    for behaves in (goes_away, fails, is_stopping, talks_nonsense, is_older):
        with listening(deserted.daemon.socket, behaves):
            assert deserted.inside(*words) == listed, behaves


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_write_that_the_daemon_may_have_done_is_not_repeated(deserted: Beside) -> None:
    """It is said that nobody knows, and how to look; the exit code tells it to scripts."""
    ways = (
        (goes_away, deserted),
        (goes_away, deserted.inside),
        (fails, deserted.inside),
        (talks_nonsense, deserted.inside),
    )
    for behaves, way in ways:
        with listening(deserted.daemon.socket, behaves):
            lost = way("remember", "Only once", "--agent", "ada")
            assert lost.code == 7 and not lost.out, lost
            assert "not known" in lost.err and "everthread memories list" in lost.err
            told = deserted.inside("notes", "add", "Only once", "--agent", "ada", "--json")
            assert told.error["name"] == "OutcomeUnknown" and told.code == 7
    assert "Only once" not in deserted.direct("memories", "list", "--agent", "ada").out
    for behaves in (is_stopping, is_older):
        with listening(deserted.daemon.socket, behaves):
            assert deserted.inside("notes", "add", "Done here", "--agent", "ada").code == 0
    notes = deserted.direct("notes", "list", "--agent", "ada", "--json").json["notes"]
    assert [note["text"] for note in notes].count("Done here") == 2, "once each time"


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_daemon_that_is_killed_meanwhile_loses_nothing_and_doubles_nothing(
    beside: Beside,
) -> None:
    """Writers go on while it is killed: each note is there once, or its command said that it may not be."""
    done: list[tuple[str, Answer]] = []

    def write(n: int) -> None:
        for each in range(4):
            text = f"note {n}-{each}"
            done.append((text, beside("notes", "add", text, "--agent", "ada")))

    writers = [threading.Thread(target=write, args=(n,)) for n in range(2)]
    for writer in writers:
        writer.start()
    while len(done) < 3:
        time.sleep(0.02)
    beside.daemon.kill()
    for writer in writers:
        writer.join()
    notes = beside.direct("notes", "list", "--agent", "ada", "--json").json["notes"]
    texts = [note["text"] for note in notes]
    for text, answer in done:
        assert answer.code in (0, 7), answer
        assert texts.count(text) == 1 if answer.code == 0 else texts.count(text) <= 1, (
            text,
            answer,
        )


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_a_long_home_folder_has_its_socket_elsewhere_and_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / ("long" * 20)
    daemon = Daemon(home, HOME=str(tmp_path), EVERTHREAD_EMBEDDER="off", TERM="xterm")
    assert Places(home).socket.parent != Places(home).run
    beside = Beside(daemon, tmp_path)
    beside.said()
    daemon.up()
    try:
        one = beside("notes", "list", "--agent", "ada")
        assert one.code == 0 and one == beside.direct("notes", "list", "--agent", "ada")
    finally:
        daemon.close()


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_ctrl_c_ends_the_waiting_at_once_and_nothing_is_done_here(deserted: Beside) -> None:
    """Whether the daemon does it, nobody knows; the command does not begin on its own."""
    with listening(deserted.daemon.socket, hangs):
        for words in (["notes", "add", "Given up"], ["notes", "list"]):
            process = subprocess.Popen(
                [COMMAND, *words, "--agent", "ada"],
                cwd=deserted.project,
                env=deserted.cli.env,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            wait_for(lambda: len(heard) > 0, "it never asked")
            heard.clear()
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            assert process.returncode == 130 and not out, (out, err)
            assert time.monotonic() - began < 50
    assert "Given up" not in deserted.direct("notes", "list", "--agent", "ada").out


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_no_key_is_needed_and_only_the_owner_can_reach_it(beside: Beside, alone: Here) -> None:
    """The socket in a folder of ours is the key: the token's file may be gone or not readable."""
    run, door = beside.daemon.places.run, beside.daemon.socket
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert not stat.S_IMODE(door.stat().st_mode) & 0o077
    token = beside.daemon.places.token
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    token.chmod(0)
    assert not asked_itself(alone, "notes", "list")
    token.unlink()
    assert not asked_itself(alone, "notes", "list")
    assert alone("notes", "add", "without a key", "--agent", "ada").code == 0
    # By the port, nobody stands in for a command, whatever it claims.
    claim = {"x-everthread-command": "1", "content-type": "application/json"}
    assert beside.daemon.ask("POST", "/near", b"{}", claim)[0] == 404
    assert beside.daemon.ask("GET", "/api/agents", headers=claim)[0] == 401


@pytest.mark.slow
@pytest.mark.req("R-52")
def test_what_a_daemon_lets_pass_the_command_still_takes_out(deserted: Beside) -> None:
    """Its rules of redaction may be older than ours; so may those of one that is far away."""
    note = {"id": "0" * 32, "category": "none", "created_at": "2026-01-01T00:00:00Z"}

    def talks(line: socket.socket) -> None:
        meets(line)
        one_request(line)
        reply(line, 200, {"agent": "ada", "notes": [{**note, "text": f"my key is {SECRET}"}]})

    with listening(deserted.daemon.socket, talks):
        for form, way in (((), deserted), (("--json",), deserted.inside)):
            told = way("notes", "list", "--agent", "ada", *form)
            assert told.code == 0 and "my key is" in told.out and SECRET not in told.out, told
