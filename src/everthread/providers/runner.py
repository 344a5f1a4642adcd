"""Runs one command that leaves nothing behind. A program of its own; imports nothing of ours.

The order comes on standard input: a line of JSON, then the bytes for the command. The input stays open
as long as whoever asked lives: its end is our end. The report is a line of JSON on standard output.

It is two processes. The keeper waits for the runner, the runner for the command; each adopts whatever
is orphaned below it, and ends all of it when its time has come. So any one of them may be killed, and
another is there to tidy up: whoever asked, the keeper or the runner.
"""

import ctypes
import errno
import json
import os
import resource
import selectors
import signal
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

LINUX = sys.platform == "linux"
PIECE = 65_536
LONGEST_HEAD = 1_000_000
"""Bytes of the order's first line."""
PATIENCE = 5.0
"""Seconds for what was killed to be gone; only what hangs in the kernel takes longer."""
PAUSE = 0.002
SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
NOT_RUN = 127
LEASH = 0

_libc = ctypes.CDLL(None)


def die_with_parent(parent: int, number: int) -> None:
    """Get this signal when the parent ends, also if it ended already."""
    if LINUX:
        _libc.prctl(SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


class Ear:
    """Hears of children that end and of orders to stop; a pipe, so that one can wait for it."""

    def __init__(self) -> None:
        self.told = False
        self.pipe, tongue = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(tongue, False)
        signal.set_wakeup_fd(tongue, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)

    def _stop(self, _number: int, _frame: object) -> None:
        self.told = True

    def clear(self) -> None:
        with suppress(BlockingIOError):
            os.read(self.pipe, PIECE)


def is_cut_off() -> bool:
    """Is whoever asked gone? Asked only when the leash can be read."""
    return os.read(LEASH, PIECE) == b""


# ---- what is below


def parents() -> dict[int, tuple[int, bool]]:
    """Of every process its parent, and whether it still runs."""
    found: dict[int, tuple[int, bool]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would double the time to start
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            found[int(name)] = (int(fields[1]), fields[0] not in b"ZX")
    return found


def descendants() -> set[int]:
    """Every living process that this one started, or that one of those started."""
    known = parents()
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in known.items() if parent in ours} - ours:
        ours |= more
    return {pid for pid in ours - {os.getpid()} if known[pid][1]}


def send(pids: set[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):  # gone, or another user's by now
            os.kill(pid, number)


def freeze_descendants() -> set[int]:
    """All that is below, stopped: what is stopped starts nothing new."""
    held: set[int] = set()
    for _ in range(50):
        found = descendants() - held
        if not found:
            break
        send(found, signal.SIGSTOP)
        held |= found
    return held


def reap() -> dict[int, int] | None:
    """Children that have ended, with their status; None if there are no children at all."""
    ended: dict[int, int] = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = found[1]
    except ChildProcessError:
        return ended or None
    return ended


def end_all(group: int = 0) -> int:
    """End everything below, and wait until it is gone; how many there were."""
    ended: set[int] = set()
    until = time.monotonic() + PATIENCE
    if group and not LINUX:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)  # as far as one can go without /proc and adoption
    while reap() is not None and time.monotonic() < until:
        if LINUX:
            found = freeze_descendants()
            send(found, signal.SIGKILL)
            ended |= found
        time.sleep(PAUSE)
    return len(ended)


# ---- the command


class KeptOutput:
    """What was printed: all of it, or the head and the tail."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._most = most
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        room = self._most - self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > self._half + PIECE:
            del self._tail[: len(self._tail) - self._half]

    def parts(self) -> tuple[bytes, int, bytes]:
        """The head, how many bytes are missing after it, the tail."""
        tail = self._tail[max(0, len(self._tail) - self._half) :]
        return bytes(self._head), self.size - len(self._head) - len(tail), bytes(tail)


class Run:
    """The command while it runs."""

    def __init__(self, order: dict[str, Any], given: bytes) -> None:
        self._given = memoryview(given)
        self._most: int = order["most"]
        self._began = time.monotonic()
        self._until = self._began + order["seconds"]
        self._kept = KeptOutput(order["keep"])
        self._ear = Ear()
        self._waiting = selectors.DefaultSelector()
        self._status: int | None = None
        self._why = ""
        self._child, self._in, self._out, self._error = start(order)

    def report(self) -> dict[str, Any]:
        """Until the command has ended, or has to."""
        self._converse()
        left = end_all(self._child)
        self._drain()
        head, missing, tail = self._kept.parts()
        status = self._status
        return {
            "code": None if status is None else os.waitstatus_to_exitcode(status),
            "head": head.decode("utf-8", "replace"),
            "missing": missing,
            "tail": tail.decode("utf-8", "replace"),
            "why": self._why,
            "error": self._error,
            "left": left - (status is None and left > 0),
            "stuck": len(descendants()) if LINUX and reap() is not None else 0,
            "seconds": time.monotonic() - self._began,
        }

    def _converse(self) -> None:
        self._waiting.register(LEASH, selectors.EVENT_READ, self._leash)
        self._waiting.register(self._ear.pipe, selectors.EVENT_READ, self._ear.clear)
        self._waiting.register(self._out, selectors.EVENT_READ, self._read)
        self._waiting.register(self._in, selectors.EVENT_WRITE, self._feed)
        while not self._is_over():
            left = self._until - time.monotonic()
            if left <= 0:
                self._why = "time"
                return
            for key, _ in self._waiting.select(left):
                key.data()

    def _is_over(self) -> bool:
        self._status = (reap() or {}).get(self._child)
        if self._ear.told:
            self._why = "stopped"
        return self._status is not None or self._why != ""

    def _leash(self) -> None:
        if is_cut_off():
            self._why = "stopped"

    def _feed(self) -> None:
        try:
            self._given = self._given[os.write(self._in, self._given[:PIECE]) :]
        except BrokenPipeError:
            self._given = self._given[:0]  # it does not want to know more
        if not self._given:
            self._waiting.unregister(self._in)
            os.close(self._in)

    def _read(self) -> None:
        piece = os.read(self._out, PIECE)
        self._kept.add(piece)
        if not piece:
            self._waiting.unregister(self._out)
        if self._kept.size > self._most:
            self._why = "flood"

    def _drain(self) -> None:
        """What is still in the pipe; whoever could add to it is gone."""
        with suppress(BlockingIOError):
            while self._kept.size <= self._most and (piece := os.read(self._out, PIECE)):
                self._kept.add(piece)


def start(order: dict[str, Any]) -> tuple[int, int, int, str]:
    """Start it: its number, where to write, where to read, and what went wrong."""
    theirs, ours = os.pipe()
    heard, spoken = os.pipe()
    trouble, tell = os.pipe()
    runner = os.getpid()
    child = os.fork()
    if child == 0:
        become_command(order, runner, (theirs, spoken), tell)
    for handle in (theirs, spoken, tell):
        os.close(handle)
    told = b""
    while piece := os.read(trouble, PIECE):
        told += piece
    os.close(trouble)
    for handle in (ours, heard):
        os.set_blocking(handle, False)
    return child, ours, heard, told.decode("utf-8", "replace")


def become_command(
    order: dict[str, Any], runner: int, ends: tuple[int, int], tell: int
) -> NoReturn:
    """In the child: turn into the command. What goes wrong is told through the pipe."""
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(
                number, signal.SIG_DFL
            )  # Python ignores them, and that would be inherited
        os.setsid()
        die_with_parent(runner, signal.SIGKILL)
        for handle, place in ((ends[0], 0), (ends[1], 1), (ends[1], 2)):
            os.dup2(handle, place)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(order["folder"])
        env = {**os.environ, order["mark"][0]: order["mark"][1]}
        os.execvpe(order["argv"][0], order["argv"], env)
    except OSError as wrong:
        what = order["argv"][0] if isinstance(wrong.filename, bytes) else wrong.filename
        reason = os.strerror(wrong.errno or errno.EIO)
        os.write(tell, f"{reason}: {what}"[:2000].encode("utf-8", "replace"))
    finally:
        os._exit(NOT_RUN)  # nothing of the runner may run here


# ---- the two processes


def has_ended(runner: int) -> bool:
    ended = reap()
    return ended is None or runner in ended


def keep_watch(runner: int, scratch: str) -> None:
    """Wait for the runner, or for the end of whoever asked; then nothing is left below."""
    ear = Ear()
    with selectors.DefaultSelector() as waiting:
        waiting.register(LEASH, selectors.EVENT_READ)
        waiting.register(ear.pipe, selectors.EVENT_READ)
        while not ear.told and not has_ended(runner):
            ready = {key.fd for key, _ in waiting.select()}
            if ear.pipe in ready:
                ear.clear()
            if LEASH in ready and is_cut_off():
                break
    end_all()
    if scratch:
        import shutil  # noqa: PLC0415 - it takes longer than all the rest, and is rarely needed

        shutil.rmtree(scratch, ignore_errors=True)


def read_order() -> tuple[dict[str, Any], bytes]:
    """The order and the bytes for the command."""
    held = b""
    while b"\n" not in held and len(held) < LONGEST_HEAD and (piece := os.read(LEASH, PIECE)):
        held += piece
    line, _, given = held.partition(b"\n")
    order = json.loads(line)
    parts = [given]
    missing = order["given"] - len(given)
    while missing > 0 and (piece := os.read(LEASH, PIECE)):
        parts.append(piece)
        missing -= len(piece)
    return order, b"".join(parts)


def main() -> int:
    order, given = read_order()
    if LINUX:
        _libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    keeper = os.getpid()
    die_with_parent(order["parent"], signal.SIGTERM)
    runner = os.fork()
    if runner != 0:
        keep_watch(runner, order["scratch"])
        return 0
    if LINUX:
        _libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    run = Run(order, given)
    die_with_parent(keeper, signal.SIGTERM)
    sys.stdout.write(json.dumps(run.report()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
