"""The hook command: it carries an event, or spools it, and is never seen otherwise."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import BadInput
from everthread.edges.daemon import spool
from everthread.edges.daemon.events import Event
from everthread.edges.daemon.spool import read_event
from everthread.edges.daemon.trace import read_trace, waiting_events
from everthread.edges.hooks import client
from everthread.edges.hooks.command import (
    CARRY,
    CLIENT,
    command_for,
    install_client,
    stable_interpreter,
)
from support.commands import COMMAND
from support.daemon import Daemon, Hooked, house, short_home, wait_for

__all__ = ["house", "short_home"]

PROMPT = {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": "hello"}


class Listener:
    """Something that listens where the daemon would, and answers as it is told to."""

    def __init__(self, path: Path, answer: Callable[[socket.socket], None]) -> None:
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        self._answer = answer
        self._over = threading.Event()
        self.asked = b""
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            line, _ = self._door.accept()
            with line:
                if self._over.is_set():
                    return
                self._read(line)
                self._answer(line)

    def _read(self, line: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += line.recv(65_536)
        head, _, body = asked.partition(b"\r\n\r\n")
        wanted = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        parts = [body]
        while (have := sum(map(len, parts))) < wanted:
            parts.append(line.recv(1_000_000))
            assert parts[-1] or have
        self.asked = head + b"\r\n\r\n" + b"".join(parts)

    def close(self) -> None:
        self._over.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self._door.getsockname())
        self._thread.join()
        self._door.close()


@pytest.fixture
def listening(house: Daemon) -> Iterator[Callable[[Callable[[socket.socket], None]], Listener]]:
    made: list[Listener] = []

    def make(answer: Callable[[socket.socket], None]) -> Listener:
        made.append(Listener(house.socket, answer))
        return made[-1]

    yield make
    for each in made:
        each.close()


def saying(body: bytes) -> Callable[[socket.socket], None]:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body)
    return lambda line: line.sendall(head + body)


def alone(house: Daemon) -> Daemon:
    """No daemon, and none to be started by an ordinary event."""
    house.places.stopped.touch()
    return house


def quiet(done: Hooked) -> None:
    assert (done.code, done.out, done.err) == (0, b"", b"")


def spooled(house: Daemon) -> list[Event]:
    return [read_event(house.places, name) for name in waiting_events(house.places)]


# ---- carrying


def test_the_answer_of_the_daemon_is_what_the_harness_reads(house: Daemon, listening: Any) -> None:
    """R-22: the client carries bytes, whatever they are."""
    answer = b'{"hookSpecificOutput": "\xc3\xa4\x00\xff"}\n' * 20_000
    server = listening(saying(answer))
    body = bytes(range(256)) * 10
    done = house.hook("claude-code", "UserPromptSubmit", body)
    assert (done.code, done.err) == (0, b"")
    assert done.out == answer
    assert server.asked.startswith(b"POST /hook/claude-code/UserPromptSubmit HTTP/1.1\r\n")
    assert server.asked.endswith(b"\r\n\r\n" + body)
    assert spooled(house) == []


def test_it_tells_where_the_harness_works_and_what_it_set(
    house: Daemon, listening: Any, tmp_path: Path
) -> None:
    server = listening(saying(b""))
    folder = tmp_path / "wörk\nshop"
    folder.mkdir()
    env = {"CLAUDE_PROJECT_DIR": "/somewhere/ä", "EVERTHREAD_PRIVATE": "1", "SECRET_THING": "x"}
    quiet(house.hook("claude-code", "Stop", b"{}", env=env, cwd=folder))
    head = server.asked.partition(b"\r\n\r\n")[0].decode()
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    event = Event.of({"harness": "h", "event": "e"}, headers, b"")
    assert event.environ == {
        "CLAUDE_PROJECT_DIR": "/somewhere/ä",
        "EVERTHREAD_PRIVATE": "1",
        "EVERTHREAD_HARNESS_PID": str(os.getpid()),
        "PWD": str(folder),
    }
    assert event.at is not None and abs(event.at.timestamp() - time.time()) < 60
    assert event.ms == 1_000


@pytest.mark.parametrize(
    "answer",
    [
        lambda line: None,
        lambda line: line.sendall(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"),
        lambda line: line.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
        lambda line: line.sendall(b"\x00\xff" * 500),
        lambda line: line.shutdown(socket.SHUT_RDWR),
    ],
    ids=["closes", "no store", "half an answer", "garbage", "hangs up"],
)
def test_a_broken_daemon_is_not_seen_and_the_event_is_spooled(
    house: Daemon, listening: Any, answer: Any
) -> None:
    """R-45: fail open, lose nothing."""
    listening(answer)
    quiet(house.hook("claude-code", "UserPromptSubmit", PROMPT))
    assert [json.loads(event.body) for event in spooled(house)] == [PROMPT]


def test_a_daemon_that_does_not_answer_in_time_is_left(house: Daemon, listening: Any) -> None:
    """A prompt waits 300 ms and no longer."""
    over = threading.Event()
    listening(lambda line: over.wait(90))
    done = house.impatient().hook("claude-code", "UserPromptSubmit", PROMPT)
    over.set()
    quiet(done)
    assert done.seconds < 25
    assert len(spooled(house)) == 1


def test_without_a_daemon_the_event_is_spooled_as_it_came(house: Daemon) -> None:
    for number in range(3):
        quiet(alone(house).hook("codex", "Stop", {**PROMPT, "number": number}))
    events = spooled(house)
    assert [json.loads(event.body)["number"] for event in events] == [0, 1, 2]
    assert {(event.harness, event.name) for event in events} == {("codex", "Stop")}
    assert [event.at for event in events] == sorted(event.at for event in events if event.at)
    files = [house.places.spool / name for name in waiting_events(house.places)]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_a_ticket_that_was_given_with_the_event_is_kept(house: Daemon) -> None:
    """A plugin hands over what the daemon may have read all the same."""
    for event in ("Stop", "UserPromptSubmit"):
        ticket = f"{time.time_ns():020}-77"
        command = [*command_for(alone(house).settings, "opencode", event), ticket]
        subprocess.run(command, input=b"{}", check=True)
        assert spooled(house)[-1].ticket == ticket


# ---- what may be on stdin


@pytest.mark.parametrize("body", [b"", b'{"session_id": "s', b"\x00\xff\xfe" * 999], ids=str)
def test_whatever_is_on_stdin_is_carried(house: Daemon, body: bytes) -> None:
    quiet(alone(house).hook("claude-code", "Stop", body))
    assert [event.body for event in spooled(house)] == [body]


@pytest.mark.parametrize("ms", [60_000, 1], ids=["in time", "while nobody waits"])
def test_fifty_megabytes_go_by_the_spool_and_whole(
    house: Daemon, monkeypatch: pytest.MonkeyPatch, ms: int
) -> None:
    monkeypatch.setattr("everthread.edges.hooks.command.OTHER_MS", ms)
    body = b'{"session_id": "s", "last_assistant_message": "' + b"x" * 50_000_000 + b'"}'
    quiet(alone(house).hook("claude-code", "Stop", body))
    wait_for(lambda: len(spooled(house)) == 1, "it was not spooled")
    (event,) = spooled(house)
    assert event.body == body and event.cut == 0
    assert event.environ["EVERTHREAD_HARNESS_PID"] == str(os.getpid())


def test_of_what_is_larger_the_beginning_is_spooled_and_its_size(
    house: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everthread.edges.hooks.command.OTHER_MS", 60_000)
    body = b"y" * (client.WHOLE + 1_000_000)
    quiet(alone(house).hook("claude-code", "Stop", body))
    wait_for(lambda: len(spooled(house)) == 1, "it was not spooled")
    (event,) = spooled(house)
    assert event.body == body[: client.WHOLE] and event.cut == len(body)
    quiet(house.hook("claude-code", "Stop", b"y" * (client.LARGEST + 1)))
    assert read_trace(house.home).dropped == 1, "there is no room for any of it"
    (house.places.spool / waiting_events(house.places)[0]).unlink()
    size = client.SPOOL_BYTES - client.LARGEST - 100_000
    (house.places.spool / f"{0:020}-1-{size}").touch()
    quiet(house.hook("claude-code", "Stop", b"z" * (client.LARGEST + 1_000_000)))
    wait_for(lambda: len(waiting_events(house.places)) == 2, "it was not spooled")
    last = spool.read_event(house.places, waiting_events(house.places)[1])
    assert last.body == b"z" * client.LARGEST and last.cut == client.LARGEST + 1_000_000


def test_what_was_read_when_the_time_is_up_is_known_to_be_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces = iter([b"x" * 1_000_000] * 9)

    def read(_file: int, _most: int) -> bytes:
        for piece in pieces:
            return piece
        raise client.TimeUp

    monkeypatch.setattr("posix.read", read)
    parts, size = list[bytes](), [0, 0]
    with pytest.raises(client.TimeUp):
        client.read_stdin(parts, size)
    size_of_all = client.whole(parts, size)
    event = client.request(["", "", "codex", "Stop", "1000"], "1-1", parts, size_of_all)
    assert b"x-everthread-cut: 9000000" in event.splitlines()
    assert event.endswith(b"\r\n\r\n" + b"x" * client.LARGEST)


def test_a_harness_that_never_closes_stdin_is_not_waited_for(house: Daemon) -> None:
    command = command_for(alone(house).impatient().settings, "claude-code", "UserPromptSubmit")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b'{"half":')
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stdout.read() == b""
        wait_for(lambda: len(spooled(house)) == 1, "it was not spooled")
    assert [event.body for event in spooled(house)] == [b'{"half":']


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-", ">/dev/full"])
def test_closed_streams_do_no_harm(house: Daemon, listening: Any, closed: str) -> None:
    listening(saying(b"an answer"))
    command = command_for(house.settings, "claude-code", "Stop")
    line = " ".join(f"'{word}'" for word in command)
    done = subprocess.run(
        ["sh", "-c", f"{line} {closed}"], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


# ---- the spool


def test_a_spool_with_too_many_events_drops_and_counts(
    house: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(client.SPOOL_FILES):
        (house.places.spool / f"{number:020}-1-5").touch()
    quiet(alone(house).hook("claude-code", "Stop", b"{}"))
    quiet(house.hook("claude-code", "Stop", b"{}"))
    assert len(waiting_events(house.places)) == client.SPOOL_FILES
    assert read_trace(house.home).dropped == 2


def test_a_spool_with_too_many_bytes_drops_and_counts(house: Daemon) -> None:
    size = client.SPOOL_BYTES - 1_000
    (house.places.spool / f"{0:020}-1-{size}").touch()
    quiet(alone(house).hook("claude-code", "Stop", b"x" * 2_000))
    assert read_trace(house.home).dropped == 1
    quiet(house.hook("claude-code", "Stop", b"x"))
    assert len(waiting_events(house.places)) == 2


SLOW = """
import posix, sys, time
write = posix.write
posix.write = lambda file, what: (time.sleep({seconds} if len(what) > 9 else 0), write(file, what))[1]
sys.argv = {words!r}
exec({source!r})
"""


def hook_on_a_slow_disk(house: Daemon, seconds: float, **constants: float) -> float:
    """Run it where each piece takes so long to write; how long the harness waited."""
    command = command_for(alone(house).settings, "claude-code", "Stop")
    source = Path(client.__file__).read_text()
    for name, value in constants.items():
        assert f"\n{name} = " in source
        source = source.replace("\ndef main()", f"\n{name} = {value}\ndef main()")
    runs = SLOW.format(seconds=seconds, words=command[5:], source=source)
    began = time.monotonic()
    done = subprocess.run(
        [command[0], "-I", "-S", "-c", runs], input=b'"large"', capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return time.monotonic() - began


def test_what_takes_long_to_spool_is_spooled_while_nobody_waits(house: Daemon) -> None:
    """A large event on a busy machine: neither is it lost, nor is the harness kept."""
    slow = 8.0
    assert hook_on_a_slow_disk(house, slow, SPOOL_SECONDS=0.2) < slow
    assert spooled(house) == []
    wait_for(lambda: len(spooled(house)) == 1, "it was not spooled")
    (event,) = spooled(house)
    assert event.body == b'"large"'
    assert event.environ["EVERTHREAD_HARNESS_PID"] == str(os.getpid()), "the harness, not the hook"
    assert (read_trace(house.home).dropped, list(house.places.spool.glob(".*"))) == (0, [])


def test_what_even_so_cannot_be_spooled_is_counted(house: Daemon) -> None:
    hook_on_a_slow_disk(house, 30.0, SPOOL_SECONDS=0.2, BEHIND_SECONDS=0.5)
    wait_for(lambda: read_trace(house.home).dropped == 1, "nobody is told of it")
    assert spooled(house) == []
    assert list(house.places.spool.glob(".*")) == [], "and no half of it is left"


def test_the_daemon_bounds_the_spool_as_the_client_does() -> None:
    assert (spool.SPOOL_FILES, spool.SPOOL_BYTES) == (client.SPOOL_FILES, client.SPOOL_BYTES)


def test_a_spool_that_somebody_took_away_is_made_anew(house: Daemon) -> None:
    shutil.rmtree(alone(house).places.spool)
    quiet(house.hook("claude-code", "Stop", PROMPT))
    assert [json.loads(event.body) for event in spooled(house)] == [PROMPT]
    assert house.places.spool.stat().st_mode & 0o777 == 0o700


def test_what_a_stranger_s_file_keeps_out_of_the_spool_is_counted(house: Daemon) -> None:
    (alone(house).places.spool / "1 of two.txt").write_bytes(b"not ours")
    quiet(house.hook("claude-code", "Stop", PROMPT))
    assert read_trace(house.home).dropped == 1


def test_two_hooks_may_make_it_anew_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the slower one brings is kept as well."""
    folder = tmp_path / "spool"

    def missed(_folder: str) -> list[str]:
        folder.mkdir()  # by the quicker one, just after this look
        raise FileNotFoundError

    with monkeypatch.context() as quicker:
        quicker.setattr("posix.listdir", missed)
        client.spool(str(folder), "1-1", b"event")
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("1-1-5", b"event")]


def test_a_home_folder_that_is_not_there_does_no_harm(house: Daemon) -> None:
    command = command_for(house.impatient().settings, "claude-code", "SessionStart")
    words = ["/nowhere/hooks/client.py", "/nowhere/run/daemon.sock", *command[7:]]
    source = Path(client.__file__).read_text()
    runs = f"import sys; sys.argv = {words!r}; exec({source!r})"
    done = subprocess.run(
        [command[0], "-I", "-S", "-c", runs], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_socket_in_a_folder_of_somebody_else_is_not_spoken_to(
    house: Daemon, listening: Any
) -> None:
    server = listening(saying(b"from a stranger"))
    command = command_for(alone(house).settings, "claude-code", "Stop")
    source = Path(client.__file__).read_text()
    runs = f"import posix, sys; posix.getuid = lambda: 4711; sys.argv = {command[5:]!r}; exec({source!r})"
    done = subprocess.run(
        [command[0], "-I", "-S", "-c", runs], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert server.asked == b""
    assert len(spooled(house)) == 1


# ---- another daemon


@pytest.mark.slow
def test_a_url_points_it_at_another_daemon(house: Daemon) -> None:
    house.up()
    env = {"EVERTHREAD_URL": f"http://127.0.0.1:{house.port}", "EVERTHREAD_TOKEN": house.token}
    payload = {"session_id": "s", "cwd": str(house.home), "hook_event_name": "Stop"}
    quiet(house.hook("claude-code", "Stop", payload, env=env))

    def seen() -> int:
        found = read_trace(house.home).harnesses.get("claude-code")
        return found.answered if found else 0

    wait_for(lambda: seen() == 1, "it did not arrive")


@pytest.mark.parametrize("wrong", ["token", "https", "nobody", "no port", "no host"])
def test_what_another_daemon_does_not_take_is_counted(house: Daemon, wrong: str) -> None:
    """By a counter of its own: no spool was full."""
    house.up()
    url = {
        "token": f"http://127.0.0.1:{house.port}",
        "https": "https://example.invalid",
        "nobody": "http://127.0.0.1:1",
        "no port": "http://127.0.0.1:",
        "no host": "http://",
    }[wrong]
    began = time.time() - 1
    quiet(
        house.hook(
            "claude-code", "Stop", b"{}", env={"EVERTHREAD_URL": url, "EVERTHREAD_TOKEN": "no"}
        )
    )
    assert spooled(house) == []
    traced = read_trace(house.home)
    assert (traced.dropped, traced.unanswered) == (0, 1)
    assert traced.unanswered_at >= began


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://127.0.0.1", ("127.0.0.1", 80)),
        ("http://127.0.0.1/", ("127.0.0.1", 80)),
        ("http://127.0.0.1:81/x", ("127.0.0.1", 81)),
        ("http://[::1]", ("::1", 80)),
        ("http://[::1]:81", ("::1", 81)),
    ],
)
def test_a_url_without_a_port_means_the_usual_one(
    url: str, place: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Line:
        def __init__(self, _kind: int) -> None:
            self.asked: tuple[str, int] | None = None

        def connect(self, place: tuple[str, int]) -> None:
            self.asked = place

    monkeypatch.setattr("_socket.socket", Line)
    line: Any = client.remote_line(url)
    assert line.asked == place


# ---- what it costs

LIGHT = {
    "itertools",
    "_signal",
    "_socket",
    "posix",
    "sys",
    "time",
    "marshal",
    "builtins",
    "errno",
}


def test_the_client_imports_nothing_written_in_python(house: Daemon) -> None:
    command = command_for(alone(house).settings, "claude-code", "Stop")
    bare = [*command[:3], "-X", "importtime", "-c", "pass"]
    ours = [*command[:3], "-X", "importtime", *command[3:]]
    seen = [
        {
            line.rpartition("|")[2].strip()
            for line in subprocess.run(
                words, input=b"{}", capture_output=True, text=False, check=True
            )
            .stderr.decode()
            .splitlines()
        }
        for words in (bare, ours)
    ]
    assert seen[1] - seen[0] <= LIGHT


def cpu(words: list[str], folder: Path) -> float:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        streams = [(os.POSIX_SPAWN_DUP2, null, number) for number in range(3)]
        child = os.posix_spawn(words[0], words, {"PATH": "/"}, file_actions=streams)
        _, status, usage = os.wait4(child, 0)
    finally:
        os.close(null)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize("up", [True, False], ids=["daemon up", "spooling"])
def test_a_hook_costs_hardly_more_than_the_bare_interpreter(
    house: Daemon, record_property: Any, up: bool
) -> None:
    """At most 1.3 times the CPU of `python -I -S -c pass`; the benchmark has the figures."""
    if up:
        house.up()
    else:
        alone(house)
    hook = command_for(house.settings, "claude-code", "UserPromptSubmit")
    bare = [*hook[:3], "-c", "pass"]
    pairs = [(cpu(bare, house.home), cpu(hook, house.home)) for _ in range(25)]
    floor, ours = (min(column) for column in zip(*pairs, strict=True))
    record_property("hook_cpu_ratio", round(ours / floor, 2))
    assert ours / floor <= 1.3


# ---- the command


def test_print_command_prints_what_install_writes(house: Daemon) -> None:
    done = subprocess.run(
        [COMMAND, "hook", "--print-command", "PreCompact", "--harness", "codex"],
        env=house.env,
        capture_output=True,
        check=True,
    )
    wanted = command_for(house.settings, "codex", "PreCompact")
    assert json.loads(done.stdout) == wanted
    assert wanted[1:4] == ["-I", "-S", "-c"]
    assert wanted[5] == str(house.places.hooks / "client.py")
    assert Path(wanted[0]).is_absolute() and wanted[-2:] == ["2000", "start"]


@pytest.mark.parametrize(
    ("harness", "event"),
    [
        ("claude-code", "SesionStart"),
        ("claude-code", "PostToolUse"),
        ("gemini", "UserPromptSubmit"),
    ],
)
def test_print_command_prints_nothing_that_install_never_writes(
    house: Daemon, harness: str, event: str
) -> None:
    words = [COMMAND, "hook", "--print-command", event, "--harness", harness]
    done = subprocess.run(words, env=house.env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "writes no command" in done.stderr and "SessionStart" in done.stderr


def test_print_command_says_where_its_client_is_missing(house: Daemon) -> None:
    """Who copies the command into a harness of their own would never hear that nothing happens."""
    client = house.places.hooks / "client.py"
    printing = [COMMAND, "hook", "--print-command", "Stop"]
    for there in (True, False):
        if not there:
            client.unlink()
        done = subprocess.run(printing, env=house.env, capture_output=True, check=True)
        assert str(client) in json.loads(done.stdout)
        assert (b"everthread install" not in done.stderr) is there


def test_the_hook_by_hand_is_the_same_command(house: Daemon) -> None:
    done = subprocess.run(
        [COMMAND, "hook", "Stop"],
        env=alone(house).env,
        input=b"{}",
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert [event.name for event in spooled(house)] == ["Stop"]


@pytest.mark.parametrize("word", ["", "a b", "../x", "a/b", "a\nb", "ä;"])
def test_a_word_that_could_be_anything_else_is_no_event(house: Daemon, word: str) -> None:
    with pytest.raises(BadInput):
        command_for(house.settings, "claude-code", word)


def test_the_client_is_copied_once_and_again_when_it_changes(house: Daemon) -> None:
    """It survives an upgrade: the command names a copy in the home folder."""
    copy = house.places.hooks / "client.py"
    before = copy.stat().st_ino
    install_client(house.settings)
    assert copy.stat().st_ino == before
    copy.write_text("an older one")
    install_client(house.settings)
    assert copy.read_bytes() == CLIENT.read_bytes()
    assert (house.places.hooks / "carry.py").read_bytes() == CARRY.read_bytes()


@pytest.mark.parametrize("harm", ["missing", "cut off", "of another interpreter", "empty"])
def test_without_compiled_code_for_this_interpreter_the_source_does(
    house: Daemon, harm: str
) -> None:
    compiled = house.places.hooks / f"carry.{sys.implementation.cache_tag}"
    good = compiled.read_bytes()
    compiled.unlink()
    if harm != "missing":
        compiled.write_bytes({"cut off": good[:100], "empty": b""}.get(harm, b"??\r\n" + good[4:]))
    quiet(alone(house).hook("claude-code", "Stop", b"{}"))
    assert len(spooled(house)) == 1


def test_without_any_code_the_hook_still_fails_open(house: Daemon) -> None:
    for path in house.places.hooks.glob("carry.*"):
        path.unlink()
    quiet(house.hook("claude-code", "Stop", b"{}"))


@pytest.mark.parametrize("harm", ["file", "folder", "no python", "a loop", "a folder"])
def test_a_client_that_is_gone_or_damaged_does_not_block_the_prompt(
    house: Daemon, harm: str
) -> None:
    """R-45: exit 2 means "block it", and that is how Python ends where its file is missing."""
    copy = house.places.hooks / "client.py"
    copy.unlink()
    if harm == "folder":
        shutil.rmtree(house.places.hooks)
    elif harm == "no python":
        copy.write_bytes(b"\x00 def (")
    elif harm == "a loop":
        copy.symlink_to(copy)
    elif harm == "a folder":
        copy.mkdir()
    quiet(house.hook("claude-code", "UserPromptSubmit", PROMPT))


def test_the_command_goes_through_a_shell_as_it_is(house: Daemon, listening: Any) -> None:
    """Codex and Gemini CLI take a line, not words."""
    listening(saying(b"an answer"))
    line = shlex.join(command_for(house.settings, "codex", "UserPromptSubmit"))
    assert not set(line) & set('"$`!\\\n')
    done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"an answer", b"")


@pytest.mark.parametrize(
    ("path", "stable"),
    [
        ("/opt/pipx/venvs/everthread/bin/python", True),
        ("/home/ada/.local/share/uv/tools/everthread/bin/python", True),
        ("/usr/bin/python3", True),
        ("/tmp/venv/bin/python", False),
        ("/home/ada/.cache/uv/archive-v0/x1/bin/python", False),
        ("/home/ada/.local/share/pipx/.cache/0123/bin/python", False),
    ],
)
def test_an_interpreter_in_a_throw_away_place_is_told(path: str, stable: bool) -> None:
    found = stable_interpreter(path)
    assert (found.path, found.stable) == (path, stable)
    assert bool(found.why) != stable


def test_this_interpreter_is_named_by_its_own_path_not_by_what_it_links_to() -> None:
    assert stable_interpreter().path == str(Path(sys.executable).absolute())
