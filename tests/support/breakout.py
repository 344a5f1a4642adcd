"""Tries to change things from inside a cage. A program of its own: standard library only.

    python breakout.py FACTS        FACTS is JSON: project, home, other, scratch, victim, socket, port

Prints by name how each attempt ended: "done", or the error.
"""

# ruff: noqa: BLE001, PTH101, PTH102, PTH104, PTH106, PTH108, PTH119, PTH123, PTH211, T201 - call by call

import ctypes
import errno
import fcntl
import http.client
import json
import os
import resource
import signal
import socket
import sys

facts = json.loads(sys.argv[1])
project, home, other = facts["project"], facts["home"], facts["other"]
scratch, victim = os.environ["TMPDIR"], facts["victim"]
libc = ctypes.CDLL(None, use_errno=True)
NODUMP = 0x40
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}.get(os.uname().machine, -1)


def sure(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(path, mode="w"):
    with open(path, mode) as file:
        file.write("changed")


def by_handle(path):
    handle = os.open(path, os.O_RDONLY)
    write(f"/proc/self/fd/{handle}")


def emptied(path):
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))


def linked(path):
    os.link(path, f"{scratch}/linked")
    write(f"{scratch}/linked")


def flagged(path):
    handle = os.open(path, os.O_RDONLY)
    flags = bytearray(8)
    try:
        fcntl.ioctl(handle, 0x80086601, flags)
        flags[0] ^= NODUMP
        fcntl.ioctl(handle, 0x40086602, bytes(flags))
    except OSError as wrong:
        if wrong.errno in (errno.ENOTTY, errno.EOPNOTSUPP):
            raise PermissionError("this file system has no flags") from None
        raise


def bound(kind):
    if kind == "unix":
        socket.socket(socket.AF_UNIX).bind(f"{project}/new.sock")
    else:
        socket.socket().bind(("127.0.0.1", 0))


def remembered():
    line = socket.socket(socket.AF_UNIX)
    line.connect(facts["socket"])
    line.send(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n")


def asked(token):
    line = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=20)
    body = json.dumps({"text": "The caged one was here."})
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    line.request("POST", "/api/agents/default/memories", body, headers)
    status = line.getresponse().status
    line.close()
    if status in (401, 403):
        raise PermissionError(f"HTTP {status}")


def with_token():
    with open(f"{home}/run/token") as file:
        asked(file.read().strip())


def mounted():
    sure(libc.unshare(0x10020000))  # a user namespace and one of mounts
    sure(libc.mount(b"none", project.encode(), b"tmpfs", 0, None))
    write(f"{project}/new")


def owned_signal():
    ends = socket.socketpair()
    handle = ends[0].fileno()
    fcntl.fcntl(handle, fcntl.F_SETOWN, victim)
    fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(handle, fcntl.F_SETFL, os.O_ASYNC)
    ends[1].send(b"x")
    if facts["scoped"]:
        raise PermissionError("the kernel drops it without a word")


def shared():
    found = libc.shmget(facts["shared"], 0, 0)
    sure(found)
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(found, None, 0)
    if place == ctypes.c_void_p(-1).value:
        sure(-1)
    ctypes.memmove(place, b"OVERWRIT", 8)
    libc.shmdt(ctypes.c_void_p(place))


def queued():
    name = f"/{os.path.basename(other)}".encode()
    sure(libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None))
    sure(libc.mq_unlink(name))


def ranked():
    sure(libc.syscall(IOPRIO_SET, 1, victim, 3 << 13))


def read(path):
    with open(path, "rb") as file:
        file.read(1)


ATTEMPTS = {
    "make a file": lambda: write(f"{project}/new"),
    "overwrite": lambda: write(f"{project}/file"),
    "append": lambda: write(f"{project}/file", "a"),
    "write through a link": lambda: write(f"{project}/link"),
    "write through a handle": lambda: by_handle(f"{project}/file"),
    "write through proc": lambda: write(f"/proc/self/root{project}/file"),
    "truncate": lambda: os.truncate(f"{project}/file", 0),
    "open to read and empty": lambda: emptied(f"{project}/file"),
    "hard link": lambda: linked(f"{project}/file"),
    "symbolic link": lambda: os.symlink("file", f"{project}/another"),
    "make a folder": lambda: os.mkdir(f"{project}/folder"),
    "make a pipe": lambda: os.mkfifo(f"{project}/pipe"),
    "chmod": lambda: os.chmod(f"{project}/file", 0o777),
    "chmod by handle": lambda: os.fchmod(os.open(f"{project}/file", os.O_RDONLY), 0o777),
    "set times": lambda: os.utime(f"{project}/file", (1, 1)),
    "set an attribute": lambda: os.setxattr(f"{project}/file", "user.a", b"b"),
    "set flags": lambda: flagged(f"{project}/file"),
    "rename": lambda: os.rename(f"{project}/moved", f"{project}/renamed"),
    "rename out": lambda: os.rename(f"{project}/gone", f"{scratch}/gone"),
    "delete": lambda: os.unlink(f"{project}/deleted"),
    "delete a folder": lambda: os.rmdir(f"{project}/empty"),
    "write elsewhere": lambda: write(f"{other}/new"),
    "write to the home": lambda: write(f"{home}/new"),
    "write to the store": lambda: write(facts["store"], "r+"),
    "write to the spool": lambda: write(f"{home}/spool/new"),
    "write to memory files": lambda: write(f"/dev/shm/{os.path.basename(other)}"),
    "read the store": lambda: read(facts["store"]),
    "read the token": lambda: read(f"{home}/run/token"),
    "bind a unix socket": lambda: bound("unix"),
    "ask the daemon by its socket": remembered,
    "ask the daemon without a token": lambda: asked("x"),
    "ask the daemon with its token": with_token,
    "signal": lambda: os.kill(victim, signal.SIGUSR1),
    "signal by a socket": owned_signal,
    "change limits": lambda: resource.prlimit(victim, resource.RLIMIT_CORE, (0, 0)),
    "write to shared memory": shared,
    "take a semaphore": lambda: sure(libc.semget(facts["shared"], 1, 0o1600)),
    "make a queue of messages": lambda: sure(libc.msgget(facts["shared"], 0o1600)),
    "make a named queue": queued,
    "slow down": lambda: os.setpriority(os.PRIO_PROCESS, victim, 19),
    "slow down all": lambda: os.setpriority(os.PRIO_PGRP, victim, 19),
    "bind to a processor": lambda: os.sched_setaffinity(victim, os.sched_getaffinity(victim)),
    "schedule": lambda: os.sched_setscheduler(victim, os.SCHED_BATCH, os.sched_param(0)),
    "rank for the disk": ranked,
    "trace": lambda: sure(libc.ptrace(0x4206, victim, 0, 0)),
    "write memory": lambda: os.close(os.open(f"/proc/{victim}/mem", os.O_WRONLY)),
    "read the environment": lambda: read(f"/proc/{victim}/environ"),
    "write to proc": lambda: write(f"/proc/{victim}/oom_score_adj"),
    "mount": mounted,
}


def tried(attempt):
    try:
        attempt()
    except Exception as wrong:
        return f"{type(wrong).__name__}: {wrong}"
    return "done"


print(json.dumps({name: tried(attempt) for name, attempt in ATTEMPTS.items()}))
