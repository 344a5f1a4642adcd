"""Processes: who we are, and whether another one is certainly gone."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path
from typing import NamedTuple

LINUX = sys.platform == "linux"
BOOT = Path("/proc/sys/kernel/random/boot_id")
STATE, PARENT, THREADS, START = 0, 1, 17, 19
"""Where /proc/<pid>/stat says so, counted from behind the command's name."""


class Owner(NamedTuple):
    """A process as others can know it again; written with colons between the parts."""

    host: str
    namespace: str
    pid: str
    start: str
    token: str


def this_process() -> str:
    """Names this very process, and this call of it: no two are alike."""
    pid = os.getpid()
    stat = _stat(pid)
    start = stat[START] if stat else ""
    return ":".join(Owner(_host(), _namespace(), str(pid), start, secrets.token_hex(4)))


SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"})
RUNNERS = frozenset(
    {
        "make",
        "gmake",
        "just",
        "timeout",
        "env",
        "nice",
        "ionice",
        "nohup",
        "setsid",
        "time",
        "stdbuf",
    }
    | {"sudo", "doas", "su", "xargs", "find", "flock", "git"}
    | {"npm", "npx", "pnpm", "yarn", "uv", "uvx"}
)
"""What runs a command for somebody, and is gone when that ends."""

INITS = frozenset({"systemd", "init", "launchd", "tini", "docker-init", "dumb-init"})
"""What takes in the children of processes that ended: it works at nothing itself."""

DEEPEST = 100


def process_named(pid: int) -> str:
    """Names the process of that number, as `gone` understands it; empty where it cannot be known.

    What only runs one command for somebody, as shells and `make` do, is passed over: it is gone a moment
    later.
    """
    for _ in range(DEEPEST):
        stat = _stat(pid)
        if stat is None or (command := _command(pid)) in INITS:
            return ""
        if not _is_launcher(command):
            return ":".join(Owner(_host(), _namespace(), str(pid), stat[START], "harness"))
        pid = int(stat[PARENT])
    return ""


def _is_launcher(command: str) -> bool:
    # npm and npx call themselves `npm run begin`.
    return command in SHELLS or command.split(" ", 1)[0] in RUNNERS


def describe_process(owner: str) -> tuple[int, str] | None:
    """Its number and, while it lives, its name; None where it is no process that anybody could look at."""
    parts = owner.split(":")
    if len(parts) != len(Owner._fields) or not Owner(*parts).pid.isdecimal():
        return None
    pid = int(Owner(*parts).pid)
    return pid, _command(pid) if is_alive(owner) else ""


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def is_gone(owner: str) -> bool:
    """True only if it is certain that the process is no more; False where we cannot know."""
    parts = owner.split(":")
    # Windows has no question that only looks: there, signal 0 interrupts.
    if len(parts) != len(Owner._fields) or os.name != "posix":
        return False
    asked = Owner(*parts)
    if not asked.pid.isascii() or not asked.pid.isdigit() or int(asked.pid) == 0:
        return False
    if asked.host != _host() or asked.namespace != _namespace():
        return False
    if LINUX and not asked.namespace:
        return False
    return _has_ended(int(asked.pid), asked.start)


def is_alive(owner: str) -> bool:
    """True only if it is certain that the very process is there; False where we cannot know."""
    parts = owner.split(":")
    if len(parts) != len(Owner._fields) or os.name != "posix":
        return False
    asked = Owner(*parts)
    here = asked.host == _host() and asked.namespace == _namespace()
    if not here or not asked.pid.isascii() or not asked.pid.isdigit() or int(asked.pid) == 0:
        return False
    return not is_gone(owner)


def _has_ended(pid: int, start: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False  # it is another user's, and so it is there
    stat = _stat(pid)
    if stat is None:
        return False
    # Killed, and its parent has not asked after it: nothing of it runs any more.
    dead = stat[STATE] in "ZX" and int(stat[THREADS]) <= 1
    return dead or (start != "" and stat[START] != start)


def _stat(pid: int) -> list[str] | None:
    if not LINUX:
        return None
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > START else None


def _host() -> str:
    # Machines that share a server may share a name; they never share a start of their kernel.
    try:
        boot = BOOT.read_text(encoding="ascii").replace("-", "")[:12] if LINUX else ""
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}".replace(":", "_")


def _namespace() -> str:
    # In another namespace our process numbers mean other processes.
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino) if LINUX else ""
    except OSError:
        return ""
