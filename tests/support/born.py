"""Commands, daemons and small programs of which many are started: forks of one that has loaded everything.

    with Born() as commands:
        with commands.folder() as folder:    # goes before all others in a script's PATH
            ...
    mother().bear("daemon", words, env, folder)    # one for all tests of this process
    ran(code, "a word")                            # as `python -c` would

The first that a script types is the installed command itself; that it starts is thereby seen. Of the
others, the start would take five times as long as what they are typed for. Each is a process of its own
with the arguments, the environment, the folder and the streams of whoever typed it. What a start takes,
and what can go wrong with it, is shown by the tests that start a daemon by a hook or by `everthread up`.

The worker of such a daemon is a fork too. That a worker starts by itself, and dies with its parent, is
shown by its own tests and by those of daemons that were started as hooks start them.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import io
import marshal
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

COMMAND = Path(sys.executable).with_name("everthread")

# What is typed. As good as nothing is loaded: it hands over what it was given and waits for the end.
TYPED = """#!{python} -IS
import os, sys
try:
    os.unlink({first!r})
except FileNotFoundError:
    import _socket, array, marshal
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    line.connect({place!r})
    told = marshal.dumps(("everthread", sys.argv[1:], dict(os.environ), os.getcwd()))
    streams = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))
    line.sendmsg([told], [streams])
    line.recv(4)
    code = int.from_bytes(line.recv(12)[:4], "little", signed=True)
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)
os.execv({command!r}, [{command!r}, *sys.argv[1:]])
"""

LONGEST = 1 << 20
NUMBER, ENDED = struct.Struct("<i"), struct.Struct("<id")
"""What is told of a fork: its number; then how it ended, and its CPU seconds."""

elsewhere = 0.0
"""CPU seconds of the forks that have ended: they are nobody's children here."""


class Child:
    """A fork, to be treated like one of `subprocess.Popen`."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        (self.pid,) = NUMBER.unpack(line.recv(NUMBER.size))
        self.returncode: int | None = None
        self.stdin: io.FileIO | None = None

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        global elsewhere  # noqa: PLW0603 - one sum for all
        if self.returncode is not None:
            return self.returncode
        if not select.select([self._line], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(f"the fork {self.pid}", timeout or 0.0)
        with self._line:
            self.returncode, seconds = ENDED.unpack(self._line.recv(ENDED.size))
        elsewhere += seconds
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Born:
    """The process of which the commands are forks; it ends with the block."""

    def __enter__(self) -> Born:
        self._folder = Path(tempfile.mkdtemp(prefix="et-born-"))
        self._place = str(self._folder / "line")
        # -P: beside this file there are modules with names of others.
        self._mother = subprocess.Popen(
            [sys.executable, "-P", __file__, self._place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._mother.stdout is not None
        assert self._mother.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._mother.communicate(timeout=60)
        shutil.rmtree(self._folder, ignore_errors=True)

    def bear(
        self,
        program: str,
        words: Sequence[str],
        env: Mapping[str, str],
        folder: Path,
        streams: Sequence[int],
    ) -> Child:
        """A fork that becomes the program, `everthread` or `daemon`, with these streams."""
        return asked_for(self._place, (program, list(words), dict(env), str(folder)), streams)

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Where a script finds the command."""
        made = Path(tempfile.mkdtemp(dir=self._folder))
        first = made / "first"
        first.touch()
        typed = made / "everthread"
        typed.write_text(
            TYPED.format(
                python=sys.executable, first=str(first), place=self._place, command=str(COMMAND)
            )
        )
        typed.chmod(0o700)
        yield made


@functools.cache
def mother() -> Born:
    """One for all tests of this process; it ends with it."""
    made = Born()
    atexit.register(made.__exit__)
    return made.__enter__()


def ran(code: str, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """A small program run to its end, and what it wrote."""
    return lived("code", [code, *words], os.environ, Path.cwd(), seconds=seconds)


def lived(
    program: str,
    words: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    *,
    stdin: str = "",
    seconds: float = 120,
) -> subprocess.CompletedProcess[str]:
    """A program run to its end, and what it wrote."""
    with contextlib.ExitStack() as files:
        streams = [files.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin.encode())
        streams[0].seek(0)
        handles = [each.fileno() for each in streams]
        child = mother().bear(program, words, env, folder, handles)
        try:
            ended = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        said = [_text_of(each) for each in streams[1:]]
    return subprocess.CompletedProcess(words, ended, *said)


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    with io.TextIOWrapper(file, encoding="utf-8") as text:
        return text.read()


class Talking:
    """A small program that is listened and talked to while it runs."""

    def __init__(self, code: str, *words: str) -> None:
        (theirs, into), (out, its) = os.pipe(), os.pipe()
        try:
            made = mother().bear("code", [code, *words], os.environ, Path.cwd(), [theirs, its, 2])
        finally:
            os.close(theirs)
            os.close(its)
        self.child = made
        self.stdin = os.fdopen(into, "w", encoding="utf-8", buffering=1)
        self.stdout = os.fdopen(out, encoding="utf-8")

    def end(self, seconds: float = 120) -> tuple[int, str]:
        """How it ended, and what it said since it was listened to last."""
        self.stdin.close()
        with self.stdout:
            said = self.stdout.read()
        return self.child.wait(seconds), said


Wanted = tuple[str, list[str], dict[str, str], str]
"""The program, its arguments, its environment and its folder."""


def asked_for(place: str, wanted: Wanted, streams: Sequence[int]) -> Child:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.connect(place)
    socket.send_fds(line, [marshal.dumps(wanted)], streams)
    return Child(line)


# ---- in the process that is forked


def serve(place: str) -> tuple[str, list[str]] | None:
    """Fork one after the other until nobody wants any more; in a fork: what it is to be."""
    load("everthread")
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.bind(place)
    line.listen(50)
    awaited: dict[int, socket.socket] = {}
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    print("ready", flush=True)  # noqa: T201 - this is the answer that is waited for
    while True:
        for ready in select.select([0, ended, line.fileno()], [], [])[0]:
            if ready == 0:
                return None
            if ready == ended:
                os.read(ended, 4_096)
                tell(awaited)
                continue
            asker, _ = line.accept()
            told, streams, _, _ = socket.recv_fds(asker, LONGEST, 3)
            wanted = marshal.loads(told)
            load(wanted[0])
            child = os.fork()
            if not child:
                return born(wanted, streams, (ended, wakes))
            awaited[child] = asker
            with contextlib.suppress(OSError):
                asker.send(NUMBER.pack(child))
            for handle in streams:
                os.close(handle)


def tell(awaited: dict[int, socket.socket]) -> None:
    """Whoever typed a command that has ended hears how."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.wait4(-1, os.WNOHANG))[0]:
            code = os.waitstatus_to_exitcode(found[1])
            with awaited.pop(found[0]) as asker, contextlib.suppress(OSError):
                asker.send(ENDED.pack(code, found[2].ru_utime + found[2].ru_stime))


@functools.cache
def load(program: str) -> None:
    """Everything that it loads, and nothing opened."""
    from everthread.providers.tokenizer import BpeTokenizer

    if program == "daemon":
        load_daemon()
    elif program == "everthread":
        from everthread.edges.cli.app import COMMANDS

        for module, _ in COMMANDS.values():
            importlib.import_module(f"everthread.edges.cli.{module}")
        load_jobs()
    for name in ("wiring", "wiring.task_ports", "engine", "store.sqlite.store"):
        importlib.import_module(f"everthread.{name}")
    BpeTokenizer().count("x")
    gc.collect()
    gc.freeze()


def load_daemon() -> None:
    """What it has loaded and compiled once its first events are answered."""
    from everthread.engine import attending

    for name in ("__main__", "app", "events", "connections", "process", "core", "spool"):
        importlib.import_module(f"everthread.edges.daemon.{name}")
    for name in (
        "uvicorn",
        "everthread.edges.harnesses.event_desk",
        "everthread.edges.http.api",
        "everthread.edges.install.tool_gate",
        "everthread.edges.mcp.protocol",
    ):
        importlib.import_module(name)
    attending.prepare()
    attending.prepare_recall()
    load_patterns()


def load_jobs() -> None:
    """What a worker has loaded and compiled once it has distilled and ended a session."""
    from everthread.jobs import loading

    importlib.import_module("everthread.edges.worker")
    for modules in (loading.SCORING, loading.ENDING):
        loading.load(modules, lambda: None)
    load_patterns()


def load_patterns() -> None:
    """What reads a text: the patterns, and the weights of its words."""
    from everthread.domain.text.acts.classifier import word_sums
    from everthread.engine import attending

    attending.prepare_patterns()
    word_sums("x")


def born(
    wanted: Wanted,
    streams: list[int],
    inherited: tuple[int, ...],
) -> tuple[str, list[str]]:
    """Become what was asked for: the program and its arguments."""
    program, arguments, environment, folder = wanted
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
    # Nothing else that this process had open is left, the ends of others among it.
    os.closerange(3, max(*streams, *inherited) + 50)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # it may be another's
    os.chdir(folder)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    return program, arguments


def become(place: str, program: str, arguments: list[str]) -> None:
    """Run it to its end."""
    if program == "daemon":
        from everthread.edges.daemon.__main__ import main as live

        bear_workers(place)
        sys.exit(live(arguments))
    if program == "worker":
        work()
        return
    if program == "code":
        sys.argv[:] = ["-c", *arguments[1:]]
        exec(compile(arguments[0], "<string>", "exec"), {"__name__": "__main__"})
        return
    from everthread.edges.cli import main

    sys.argv[:] = ["everthread", *arguments]
    main()


def bear_workers(place: str) -> None:
    """From here on, in this process: a worker is no new program, but one more fork."""
    from everthread.jobs.worker_process import ProcessWorker

    def spawn(self: ProcessWorker, line: socket.socket) -> Child:
        ours, theirs = socket.socketpair()
        with line, theirs:
            wanted = ("worker", [], dict(os.environ), str(Path.cwd()))
            child = asked_for(place, wanted, [theirs.fileno(), line.fileno(), 2])
        self._give_order(child, ours)
        return child

    ProcessWorker._spawn = spawn


def work() -> None:
    """As the worker of a process that is not our parent: the end of the pipe tells of its end."""
    from everthread.edges import worker

    os.setsid()
    worker.die_with_parent = lambda _: None
    sys.exit(worker.main())


def leave(code: int) -> NoReturn:
    """End as the interpreter does, but for taking apart what is loaded: that takes longer than most do."""
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    PLACE = sys.argv[1]
    asked = serve(PLACE)
    if asked is not None:
        try:
            become(PLACE, *asked)
        except SystemExit as end:
            if not isinstance(end.code, int | None):
                raise
            leave(end.code or 0)
        leave(0)
