"""A command of a project runs within limits, and nothing of it stays, whoever is killed (R-31)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from everthread.domain.errors import BadInput
from everthread.domain.tasks.commands import CommandRun
from everthread.providers import commands
from everthread.providers.commands import SystemCommands
from support.running import asked, left, lives, noted, spawner, struck, until

pytestmark = pytest.mark.req("R-31")


def run(command: str | list[str], **more: object) -> CommandRun:
    wanted = {"folder": "/", "seconds": 60.0, **more}
    return SystemCommands().run(command, **wanted)  # pyright: ignore[reportArgumentType]


# ---- what it does


def test_a_line_runs_in_a_shell_and_both_streams_come_in_order(tmp_path: Path) -> None:
    """(C-10)"""
    ran = run(
        "echo one; echo two >&2; echo three; cat; pwd; exit 3", folder=str(tmp_path), stdin=b"in\n"
    )
    assert ran.output == f"one\ntwo\nthree\nin\n{tmp_path}\n"
    assert (ran.code, ran.cut, ran.timed_out, ran.leftovers_killed) == (3, False, False, 0)
    assert ran.error is None and not ran.passed
    assert run("true").passed


def test_a_list_runs_without_a_shell() -> None:
    assert run(["printf", "%s|", "$HOME", "a b", ";", "ü"]).output == "$HOME|a b|;|ü|"


def test_a_signal_that_ended_it_is_told() -> None:
    assert run("kill -SEGV $$").code == -signal.SIGSEGV


def test_much_input_is_fed_while_output_is_read() -> None:
    given = os.urandom(3_000_000)
    ran = run("wc -c", stdin=given)
    assert ran.output.strip() == "3000000"
    assert run("exit 0", stdin=given).passed, "one that reads nothing is fine"


def test_what_cannot_run_says_why(tmp_path: Path) -> None:
    ran = run(["no-such-program-anywhere"])
    assert ran.code is None and ran.error == "No such file or directory: no-such-program-anywhere"
    ran = run("true", folder=str(tmp_path / "gone"))
    assert ran.code is None and ran.error == f"No such file or directory: {tmp_path / 'gone'}"
    plain = tmp_path / "plain"
    plain.write_text("text")
    assert run([str(plain)]).error == f"Permission denied: {plain}"


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("", {}),
        ("  ", {}),
        ([], {}),
        (["echo", "a\0b"], {}),
        ("x" * 200_000, {}),
        ("true", {"seconds": 0}),
        ("true", {"seconds": float("nan")}),
        ("true", {"output_bytes": -1}),
        ("true", {"output_bytes": 10**9}),
        ("true", {"stdin": b"x" * (17 * 1024 * 1024)}),
    ],
)
def test_what_makes_no_sense_is_refused(command: str | list[str], more: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        run(command, **more)


# ---- limits


@pytest.mark.slow
def test_one_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """(S-9)"""
    for seconds in (2.0, 10.0, 60.0):  # longer only where a busy machine has not yet started it all
        ran = run(spawner(tmp_path), seconds=seconds)
        assert ran.timed_out and ran.code is None and not ran.passed
        assert ran.error == f"it did not end in {seconds:g} s, and was ended"
        if "command" in noted(tmp_path):
            break
    assert set(noted(tmp_path)) == {"command", "marked", "bare"}
    assert left(noted(tmp_path).values()) == []
    assert ran.leftovers_killed == 2


def test_daemons_that_it_leaves_behind_are_ended(tmp_path: Path) -> None:
    ran = run(spawner(tmp_path), env={"leave": "1"})
    assert ran.passed and ran.leftovers_killed == 2
    assert left(noted(tmp_path).values()) == []


CHAIN = """
import os, time
if os.fork():
    while not os.path.exists("at"):
        time.sleep(0.01)
    time.sleep(0.1)
    os._exit(0)
os.setsid()
while True:
    with open("at", "w") as file:
        file.write(str(os.getpid()))
    if os.fork():
        os._exit(0)
"""


def test_one_that_is_born_anew_all_the_time_is_ended_too(tmp_path: Path) -> None:
    ran = run([sys.executable, "-I", "-S", "-c", CHAIN], folder=str(tmp_path))
    assert ran.code == 0 and ran.leftovers_killed >= 1
    last = (tmp_path / "at").read_text()
    assert not (last and lives(int(last)))
    assert (tmp_path / "at").read_text() == last, "nobody writes there any more"


@pytest.mark.parametrize("most", [0, 1, 10, 64, 65_536])
def test_of_long_output_head_and_tail_are_kept(most: int) -> None:
    whole = "".join(f"{n}\n" for n in range(100_000))
    ran = run("seq 0 99999", output_bytes=most)
    head, mark, tail = ran.output.partition("\n[… ")
    missing, _, tail = tail.partition(" bytes left out …]\n")
    assert mark and ran.cut and ran.passed
    assert whole.startswith(head) and whole.endswith(tail)
    assert len(head) + len(tail) == most
    assert int(missing.replace(",", "")) == len(whole) - most


def test_output_that_just_fits_is_whole() -> None:
    assert run("printf 12345678", output_bytes=8).output == "12345678"
    assert run("printf 12345678", output_bytes=7).cut


GIGABYTE = """
import resource
from everthread.providers.commands import SystemCommands

def most():
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(each).ru_maxrss for each in who)

SystemCommands().run("true", folder="/", seconds=60)
before = most()
ran = SystemCommands().run("exec head -c 1000000000 /dev/zero", folder="/", seconds=60)
print(most() - before, len(ran.output), ran.cut, ran.code, ran.error, sep="|")
"""


def test_a_gigabyte_costs_little_and_is_cut_off() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GIGABYTE], capture_output=True, text=True, check=True
    )
    more, kept, cut, code, error = done.stdout.strip().split("|")
    assert int(more) < 8_000, "kilobytes more than for a command that prints nothing"
    assert int(kept) < 70_000
    assert (cut, code) == ("True", "None")
    assert error == "it printed more than 64 MiB, and was ended"


def test_one_that_stops_its_runner_is_ended_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "GRACE", 0.5)
    line = f"echo $$ > {tmp_path}/it.pid; kill -STOP $PPID $(ps -o ppid= -p $PPID); sleep 600"
    ran = run(line, seconds=0.5)
    assert ran.timed_out and ran.code is None
    until(lambda: not left(noted(tmp_path).values()), "it outlived its runner")


STUBBORN = """
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import runner
real = os.kill
def kill(pid, number):
    if pid == os.getpid():
        return real(pid, number)
    raise PermissionError(1, "Operation not permitted")
runner.os.kill = kill
runner.PATIENCE = 0.2
sys.exit(runner.main())
"""


def test_what_cannot_be_ended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a program that became another user's."""
    script = tmp_path / "stubborn.py"
    script.write_text(STUBBORN.replace("sys.argv[1]", repr(str(commands.RUNNER))))
    monkeypatch.setattr(commands, "RUNNER", script)
    ran = run(
        f"(setsid sh -c 'echo $$ > {tmp_path}/it.pid; exec sleep 600' &); "
        f"until test -s {tmp_path}/it.pid; do sleep 0.02; done; echo out"
    )
    assert (ran.code, ran.output) == (0, "out\n")
    assert ran.error == "1 of its processes cannot be ended" and not ran.passed
    os.kill(noted(tmp_path)["it"], signal.SIGKILL)


# ---- nothing of it stays, whoever is killed


@pytest.mark.parametrize(
    "victims",
    [
        *[("asker",), ("keeper",), ("runner",), ("command",), ("marked",), ("asker", "keeper")],
        *[("asker", "runner"), ("asker", "command"), ("runner", "command"), ("keeper", "command")],
    ],
    ids=" and ".join,
)
def test_no_orphan_survives_a_kill_of_anything(tmp_path: Path, victims: tuple[str, ...]) -> None:
    with asked(tmp_path) as (asker, tree):
        struck(tree[name] for name in victims)
        if victims == ("marked",):
            os.kill(tree["command"], signal.SIGKILL)
        rest = [pid for name, pid in tree.items() if name != "asker"]
        until(lambda: not left(rest), f"left: {[n for n, pid in tree.items() if lives(pid)]}")
        out, _ = asker.communicate(timeout=60)
        if "asker" not in victims:
            assert out.strip(), "whoever asked is told"


def test_with_both_of_its_guards_killed_at_once_the_mark_is_left(tmp_path: Path) -> None:
    with asked(tmp_path, "marked") as (asker, tree):
        struck((tree["keeper"], tree["runner"]))
        out, _ = asker.communicate(timeout=60)
        assert out == "its runner was killed\n"
        assert left((tree["command"], tree["marked"])) == []


def test_with_all_three_killed_at_once_the_next_sweep_ends_it(tmp_path: Path) -> None:
    """Other tests sweep at the same time: whoever comes first ends it, so it is tried until we do."""
    ours = False
    for number in range(8):
        places = [tmp_path / f"{number}{name}" for name in "ab"]
        for place in places:
            place.mkdir()
        with asked(places[0], "marked") as (_, tree), asked(places[1], "marked") as (_, other):
            struck((tree["asker"], tree["keeper"], tree["runner"]))
            until(lambda died=tree["command"]: not lives(died), "it dies with its runner")
            ours = lives(tree["marked"]) and SystemCommands().sweep() >= 1
            until(lambda died=tree["marked"]: not lives(died), "nobody swept")
            assert len(left(other.values())) == 5, "a run whose process lives is left alone"
        if ours:
            break
    assert ours


def test_an_interrupted_program_leaves_nothing(tmp_path: Path) -> None:
    with asked(tmp_path) as (asker, tree):
        asker.send_signal(signal.SIGINT)
        asker.communicate(timeout=60)
        assert left(tree.values()) == []


FORKED = """
import os, sys, threading, time
from everthread.providers.commands import SystemCommands
argv = [sys.executable, "-I", "-S", *sys.argv[1:]]
threading.Thread(target=lambda: SystemCommands().run(argv, folder="/", seconds=600)).start()
while not os.path.exists(sys.argv[2] + "/command.pid"):
    time.sleep(0.01)
child = os.fork()
if child == 0:
    time.sleep(600)
with open(sys.argv[2] + "/forked.tmp", "w") as file:
    file.write(str(child))
os.rename(sys.argv[2] + "/forked.tmp", sys.argv[2] + "/forked")
time.sleep(600)
"""


def test_a_fork_that_holds_on_to_the_leash_changes_nothing(tmp_path: Path) -> None:
    asker = subprocess.Popen([sys.executable, "-c", FORKED, *spawner(tmp_path)[3:]])
    try:
        until((tmp_path / "forked").exists, "it did not fork")
        asker.kill()
        asker.wait()
        until(lambda: not left(noted(tmp_path).values()), "the leash was still held")
    finally:
        asker.kill()
        os.kill(int((tmp_path / "forked").read_text()), signal.SIGKILL)


def test_runs_at_the_same_time_do_not_hold_each_other(tmp_path: Path) -> None:
    found: list[CommandRun] = []
    runs = [
        threading.Thread(target=lambda n=n: found.append(run(f"sleep 0.{n}; echo {n}")))
        for n in range(6)
    ]
    for each in runs:
        each.start()
    for each in runs:
        each.join()
    assert sorted(ran.output for ran in found) == [f"{n}\n" for n in range(6)]


# ---- what it gets


def test_it_gets_the_users_environment_but_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVERTHREAD_TOKEN", "EVERTHREAD_URL", "EVERTHREAD_DATABASE", "CLAUDECODE"):
        monkeypatch.setenv(name, "not-for-you")
    monkeypatch.setenv("SOME_API_KEY", "the-users-own")
    printed = run("env", env={"MORE": "yes"}).output.splitlines()
    assert "SOME_API_KEY=the-users-own" in printed and "MORE=yes" in printed
    assert not [line for line in printed if "not-for-you" in line]
    ours = sorted(line.partition("=")[0] for line in printed if line.startswith("EVERTHREAD_"))
    assert ours == ["EVERTHREAD_INSIDE", "EVERTHREAD_PRIVATE", "EVERTHREAD_RUN"]
    assert "EVERTHREAD_PRIVATE=1" in printed, "hooks inside keep nothing"


def test_it_inherits_no_descriptor_and_no_terminal(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        line = "import os; print(sorted(os.listdir('/proc/self/fd'))); open('/dev/tty')"
        ran = run([sys.executable, "-I", "-S", "-c", line])
    assert "['0', '1', '2', '3']" in ran.output, "the last one is the listing's own"
    assert "No such device or address: '/dev/tty'" in ran.output


def test_a_pipe_that_breaks_ends_it_as_in_a_shell() -> None:
    printed = run("(yes; echo $? >&2) | head -1").output.split()
    assert sorted(printed) == [f"{128 + signal.SIGPIPE}", "y"]
