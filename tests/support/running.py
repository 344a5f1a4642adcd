"""Commands that misbehave, and who is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

LONGEST = 60.0

SPAWNER = """
import os, signal, sys, time

folder = sys.argv[1]
kinds = sys.argv[2:] or ["marked", "bare"]


def note(name):
    with open(f"{folder}/{name}.tmp", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{folder}/{name}.tmp", f"{folder}/{name}.pid")


def daemon(kind):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note(kind)
    if kind == "bare":
        code = "import time; time.sleep(600)"
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", code], {})
    time.sleep(600)


for kind in kinds:
    daemon(kind)
while not all(os.path.exists(f"{folder}/{kind}.pid") for kind in kinds):
    time.sleep(0.01)
note("command")
if "leave" not in os.environ:
    time.sleep(600)
"""
"""Starts processes that double-fork, leave the session, ignore SIGTERM and forget their environment."""

ASKER = """
import signal
import sys
from everthread.providers.commands import SystemCommands

# Whoever runs the tests in the background had interrupts ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
ran = SystemCommands().run([sys.executable, "-I", "-S", *sys.argv[1:]], folder="/", seconds=600)
print(ran.error, flush=True)
"""


def spawner(folder: Path, *kinds: str) -> list[str]:
    script = folder / "spawner.py"
    script.write_text(SPAWNER)
    return [sys.executable, "-I", "-S", str(script), str(folder), *kinds]


def until(done: Callable[[], object], what: str) -> None:
    limit = time.monotonic() + LONGEST
    while not done():
        assert time.monotonic() < limit, what
        time.sleep(0.01)


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def left(pids: Iterable[int]) -> list[int]:
    return [pid for pid in pids if lives(pid)]


def noted(folder: Path) -> dict[str, int]:
    """The processes that told their number there, by name."""
    # One that is just being written says nothing yet.
    told = {place.stem: place.read_text() for place in folder.glob("*.pid")}
    return {name: int(text) for name, text in told.items() if text}


def children(pid: int) -> list[int]:
    return [int(found) for found in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def asked(folder: Path, *kinds: str) -> Iterator[tuple[subprocess.Popen[str], Mapping[str, int]]]:
    """A process that runs the spawner, and all processes of the tree by their part in it."""
    rest = spawner(folder, *kinds)[3:]
    asker = subprocess.Popen(
        [sys.executable, "-c", ASKER, *rest], stdout=subprocess.PIPE, text=True
    )
    tree: dict[str, int] = {}
    try:
        until(lambda: "command" in noted(folder), "the command did not start")
        keeper = children(asker.pid)[0]
        tree |= {"asker": asker.pid, "keeper": keeper, "runner": children(keeper)[0]}
        tree |= noted(folder)
        yield asker, tree
    finally:
        asker.kill()
        asker.communicate()
        for pid in left(tree.values()):
            os.kill(pid, signal.SIGKILL)


def struck(pids: Iterable[int]) -> None:
    """Killed at once: none of them sees another's end."""
    found = list(pids)
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    for pid in found:
        # Whoever dies with its parent is gone before its own turn comes.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
