"""Programs that are born with everything loaded: a fork of one that has imported us and opened nothing.

A test that kills hundreds of programs would else spend its time on starting them. What is opened is
opened after the fork, so each is a program of its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence

# Gets the arguments of a child with its stdin, its stdout and its stderr, forks it, and tells its number.
NURSE = """
import gc, os, signal, socket, sys
from importlib import import_module
import everthread
for name in (
    "wiring", "engine", "engine.turn", "providers.embedder", "services.archive.record",
    "services.distilling.notice", "services.giving.inject",
    "store.sqlite.store", "store.sqlite.index", "store.postgres.store", "store.postgres.index",
):
    import_module(f"everthread.{name}")
from everthread.providers.tokenizer import BpeTokenizer
BpeTokenizer().count("x")
gc.freeze()
code = compile(sys.argv[2], "<child>", "exec")
line = socket.socket(fileno=int(sys.argv[1]))
def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
signal.signal(signal.SIGCHLD, reap)
while True:
    told, handles, _, _ = socket.recv_fds(line, 65_536, 3)
    if not told:
        break
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        line.close()
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
            os.close(handle)
        sys.argv[1:] = told.decode().split("\\0")
        exec(code, {"__name__": "__main__"})
        os._exit(0)
    for handle in handles:
        os.close(handle)
    line.send(str(child).encode())
reap()
"""


class Child:
    """A program that was forked; its ends are ours."""

    def __init__(self, pid: int, into: int, out: int, err: int) -> None:
        self.pid = pid
        self.stdin = os.fdopen(into, "wb", buffering=0)
        self.stdout = os.fdopen(out, "rb", buffering=0)
        self.stderr = os.fdopen(err, "rb", buffering=0)

    def kill(self) -> None:
        """kill -9, once: afterwards the number may be another's."""
        pid, self.pid = self.pid, 0
        with contextlib.suppress(ProcessLookupError):  # it died by itself; its last words tell
            if pid:
                os.kill(pid, signal.SIGKILL)

    def wait(self) -> None:
        """Until it is gone: then nobody holds the other end any more."""
        self.stdin.close()
        while self.stdout.read(65_536):
            pass
        self.stdout.close()
        self.stderr.close()


class Nursery:
    """Forks children that run the same code with arguments of their own."""

    def __init__(self, code: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._nurse = subprocess.Popen(
                [sys.executable, "-c", NURSE, str(theirs.fileno()), code],
                pass_fds=[theirs.fileno()],
            )
        self._line = ours

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._nurse.wait(60)

    def bear(self, arguments: Sequence[str]) -> Child:
        (their_in, into), (out, their_out), (err, their_err) = os.pipe(), os.pipe(), os.pipe()
        theirs = (their_in, their_out, their_err)
        try:
            told = "\0".join(arguments).encode() or b"\0"  # nothing at all would mean the end
            socket.send_fds(self._line, [told], theirs)
            pid = int(self._line.recv(64))
        finally:
            for handle in theirs:
                os.close(handle)
        return Child(pid, into, out, err)
