"""The command `everthread` for scripts that type it often: a fork of one that has loaded everything.

    with Born() as commands:
        with commands.folder() as folder:    # goes before all others in a script's PATH
            ...

The first that a script types is the installed command itself; that it starts is thereby seen. Of the
others, the start would take five times as long as what they are typed for. Each is a process of its own
with the arguments, the environment, the folder and the streams of whoever typed it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
    told = marshal.dumps((sys.argv[1:], dict(os.environ), os.getcwd()))
    streams = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))
    line.sendmsg([told], [streams])
    code = int.from_bytes(line.recv(4), "little", signed=True)
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)
os.execv({command!r}, [{command!r}, *sys.argv[1:]])
"""

LONGEST = 1 << 20


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


# ---- in the process that is forked


def serve(place: str) -> list[str] | None:
    """Fork one after the other until nobody wants any more; in a fork: its arguments."""
    load()
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.bind(place)
    line.listen(50)
    awaited: dict[int, socket.socket] = {}
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.collect()
    gc.freeze()
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
            child = os.fork()
            if not child:
                return born(told, streams, (ended, wakes))
            awaited[child] = asker
            for handle in streams:
                os.close(handle)


def tell(awaited: dict[int, socket.socket]) -> None:
    """Whoever typed a command that has ended hears how."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            code = os.waitstatus_to_exitcode(found[1])
            with awaited.pop(found[0]) as asker, contextlib.suppress(OSError):
                asker.send(code.to_bytes(4, "little", signed=True))


def load() -> None:
    """Everything that commands load, and nothing opened."""
    from everthread.edges.cli.app import COMMANDS
    from everthread.providers.tokenizer import BpeTokenizer

    for module, _ in COMMANDS.values():
        importlib.import_module(f"everthread.edges.cli.{module}")
    for name in ("wiring", "engine", "store.sqlite.store"):
        importlib.import_module(f"everthread.{name}")
    BpeTokenizer().count("x")


def born(told: bytes, streams: list[int], inherited: tuple[int, ...]) -> list[str]:
    """Become what was typed there; its arguments."""
    arguments, environment, folder = marshal.loads(told)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
    # Nothing else that this process had open is left, the ends of others among it.
    os.closerange(3, max(*streams, *inherited) + 50)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    return arguments


if __name__ == "__main__":
    typed = serve(sys.argv[1])
    if typed is not None:
        from everthread.edges.cli import main

        sys.argv[:] = ["everthread", *typed]
        main()
