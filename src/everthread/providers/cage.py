"""A cage: whatever runs in it can write nowhere but to one folder. A program of its own as well.

Linux: Landlock takes away every right to change files, and to read what is hidden; a filter of system
calls takes away what Landlock does not know: permissions and attributes, sockets of this machine, by
which the daemon or the desktop would write on its behalf, memory that programs share, how others run,
and, with older kernels, truncating and signals. No privilege can be gained, and all that there were are
dropped. macOS: `sandbox-exec`. Elsewhere there is none, and then the command is not run.

    python -I -S cage.py '{"scratch": …, "hidden": […], "network": true, "mark": …}' COMMAND …
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

REFUSED = 125
"""The exit code of a cage that could not be closed; the command did not run."""

LARGEST_FILE = 256 * 1024 * 1024
SANDBOX = "/usr/bin/sandbox-exec"

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
SET_SECCOMP, SET_NO_NEW_PRIVS, CAPBSET_DROP = 22, 38, 24
FILTER = 2
LAST_CAPABILITY = 63

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE
FILES_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights over files that a version of Landlock knows, by the version that brought them."""
TRUNCATES, NETWORK, SCOPES = 3, 4, 6
"""The versions that know truncating, TCP, and signals to outside."""
BIND_TCP, SCOPED = 1, 3

WRITABLE = ("/dev/null", "/dev/zero", "/dev/full")


class CageBroken(OSError):
    """The cage could not be closed."""


def why_no_cage() -> str | None:
    """Why nothing can be caged on this machine; None if it can."""
    if sys.platform == "darwin":
        return None if os.access(SANDBOX, os.X_OK) else f"{SANDBOX} is missing"
    if sys.platform != "linux":
        return f"{sys.platform} has no cage that we know how to close"
    if os.uname().machine not in NUMBERS:
        return f"the system calls of {os.uname().machine} are not known to us"
    if landlock_version() < 1:
        return "the kernel has no Landlock, or does not let it be used here"
    return None


def caged_command(argv: Sequence[str], order: dict[str, Any]) -> list[str]:
    """The command that runs this one in a cage. `order` as in the head of this module."""
    if sys.platform == "darwin":
        return [SANDBOX, "-p", profile(order), *argv]
    program = os.path.realpath(__file__)
    return [sys.executable, "-I", "-S", program, json.dumps(order), *argv]


def profile(order: dict[str, Any]) -> str:
    """What `sandbox-exec` is told; the last rule that fits decides."""
    lines = [
        "(version 1)(allow default)(deny file-write*)(deny network-bind)(deny signal)",
        "(allow signal (target same-sandbox))(deny network-outbound (remote unix-socket))",
        f"(allow file-write* (subpath {json.dumps(os.path.realpath(order['scratch']))}))",
        '(allow file-write* (literal "/dev/null"))',
        *(f"(deny file-read* (subpath {json.dumps(place)}))" for place in order["hidden"]),
        "" if order["network"] else "(deny network*)",
    ]
    return "".join(lines)


# ---- Landlock

_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def _must_succeed(result: int, what: str) -> int:
    if result < 0:
        raise CageBroken(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def landlock_version() -> int:
    """The version of Landlock; below 1 there is none."""
    return _libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(ASK_VERSION))


def rights(version: int) -> int:
    """All rights over files of that version."""
    return FILES_OF_ABI[max(known for known in FILES_OF_ABI if known <= version)]


def lock(order: dict[str, Any], version: int) -> None:
    """Take all rights over files away but for reading, and the private folder."""
    every = rights(version)
    asked = _Ruleset(every, BIND_TCP if version >= NETWORK else 0, SCOPED)
    size = 24 if version >= SCOPES else 16 if version >= NETWORK else 8
    rules = _must_succeed(_libc.syscall(CREATE_RULESET, ctypes.byref(asked), size, 0), "no rules")
    # Names may be listed everywhere; what is hidden cannot be opened.
    _allow(rules, "/", READ_DIR if order["hidden"] else READ_DIR | READ)
    if order["hidden"]:
        for place in places_beside("/", frozenset(map(os.path.realpath, order["hidden"]))):
            _allow(rules, place, READ)
    _allow(rules, order["scratch"], every)
    for device in WRITABLE:
        _allow(rules, device, every & (WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV))
    _must_succeed(_libc.syscall(RESTRICT_SELF, rules, 0), "not locked")
    os.close(rules)


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        # A link is no way in: its target counts where it really is.
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # what cannot be opened needs no permission
    try:
        beneath = _Beneath(allowed, handle)
        done = _libc.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(beneath), 0)
        # Sockets, pipes and the like that belong to no file system take no rules.
        if done < 0 and ctypes.get_errno() != errno.EBADFD:
            _must_succeed(done, f"no rule for {path}")
    finally:
        os.close(handle)


def places_beside(top: str, hidden: frozenset[str]) -> Iterator[str]:
    """The fewest places below `top` that hold everything but what is hidden."""
    try:
        entries = list(os.scandir(top))
    except OSError:
        return
    for entry in entries:
        if entry.path in hidden or entry.is_symlink():
            continue
        if any(place.startswith(f"{entry.path}/") for place in hidden):
            yield from places_beside(entry.path, hidden)
        else:
            yield entry.path


# ---- the filter of system calls


class Rule(NamedTuple):
    """A call that is refused; with an argument, only where `(argument & mask) == value`, or is not."""

    name: str
    argument: int | None = None
    mask: int = 0xFFFFFFFF
    value: int = 0
    equal: bool = True


UNIX, INET, INET6, DATAGRAM = 1, 2, 10, 2
SETOWN, SETOWN_EX = 8, 15
IOCTL_KINDS = (0x6600, 0x5800, 0x9400)
"""Attributes of files, XFS's own, and those of btrfs: all work on a file that is open for reading."""

ALWAYS = (
    *(Rule(name) for name in ("chmod", "fchmod", "fchmodat", "fchmodat2")),
    *(Rule(name) for name in ("chown", "fchown", "lchown", "fchownat")),
    *(Rule(name) for name in ("utime", "utimes", "futimesat", "utimensat")),
    *(Rule(name) for name in ("setxattr", "lsetxattr", "fsetxattr", "setxattrat")),
    *(Rule(name) for name in ("removexattr", "lremovexattr", "fremovexattr", "removexattrat")),
    *(Rule(name) for name in ("file_setattr", "add_key", "keyctl", "io_uring_setup")),
    *(Rule("ioctl", 1, 0xFF00, kind) for kind in IOCTL_KINDS),
    Rule("socket", 0, value=UNIX),
    Rule("socketpair", 1, 0xF, DATAGRAM),
    Rule("prlimit64", 0, equal=False),
    # Memory, messages and semaphores that belong to no file: others of this user have theirs there.
    *(Rule(name) for name in ("shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl")),
    *(Rule(name) for name in ("semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink")),
    # How others run: it may change that for itself alone (0), and not for all that are its user's.
    Rule("setpriority", 0, equal=False),
    Rule("setpriority", 1, equal=False),
    *(Rule(name, 0, equal=False) for name in ("sched_setparam", "sched_setscheduler")),
    *(Rule(name, 0, equal=False) for name in ("sched_setaffinity", "sched_setattr")),
    Rule("ioprio_set"),
)
NO_NETWORK = (Rule("socket", 0, value=INET), Rule("socket", 0, value=INET6))
NO_SIGNALS = (
    *(Rule(name) for name in ("kill", "tkill", "tgkill", "pidfd_send_signal")),
    *(Rule(name) for name in ("rt_sigqueueinfo", "rt_tgsigqueueinfo")),
    Rule("fcntl", 1, value=SETOWN),
    Rule("fcntl", 1, value=SETOWN_EX),
)
TO_READ_AND_EMPTY = (os.O_TRUNC | os.O_ACCMODE, os.O_TRUNC)
NO_TRUNCATING = (
    Rule("truncate"),
    Rule("openat2"),
    Rule("open", 1, *TO_READ_AND_EMPTY),
    Rule("openat", 2, *TO_READ_AND_EMPTY),
)

NEW = {
    **{"pidfd_send_signal": 424, "io_uring_setup": 425, "openat2": 437, "fchmodat2": 452},
    **{"setxattrat": 463, "removexattrat": 466, "file_setattr": 469},
}
"""Calls of a recent kernel have the same number everywhere."""
INTEL = {
    **{"open": 2, "ioctl": 16, "socket": 41, "socketpair": 53, "kill": 62, "fcntl": 72},
    **{"truncate": 76, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94},
    **{"rt_sigqueueinfo": 129, "utime": 132, "setxattr": 188, "lsetxattr": 189},
    **{"fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199},
    **{"tkill": 200, "tgkill": 234, "utimes": 235, "add_key": 248, "keyctl": 250},
    **{"openat": 257, "fchownat": 260, "futimesat": 261, "fchmodat": 268, "utimensat": 280},
    **{"rt_tgsigqueueinfo": 297, "prlimit64": 302, "shmget": 29, "shmat": 30, "shmctl": 31},
    **{"semget": 64, "semop": 65, "semctl": 66, "msgget": 68, "msgsnd": 69, "msgrcv": 70},
    **{"msgctl": 71, "semtimedop": 220, "mq_open": 240, "mq_unlink": 241, "setpriority": 141},
    **{"sched_setparam": 142, "sched_setscheduler": 144, "sched_setaffinity": 203},
    **{"ioprio_set": 251, "sched_setattr": 314},
}
ARM = {
    **{"setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15},
    **{"fremovexattr": 16, "fcntl": 25, "ioctl": 29, "truncate": 45, "fchmod": 52},
    **{"fchmodat": 53, "fchownat": 54, "fchown": 55, "openat": 56, "utimensat": 88},
    **{"kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138, "socket": 198},
    **{"socketpair": 199, "add_key": 217, "keyctl": 219, "rt_tgsigqueueinfo": 240},
    **{"prlimit64": 261, "shmget": 194, "shmctl": 195, "shmat": 196, "semget": 190},
    **{"semctl": 191, "semtimedop": 192, "semop": 193, "msgget": 186, "msgctl": 187},
    **{"msgrcv": 188, "msgsnd": 189, "mq_open": 180, "mq_unlink": 181, "setpriority": 140},
    **{"sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122},
    **{"ioprio_set": 30, "sched_setattr": 274},
}
NUMBERS = {"x86_64": (0xC000003E, INTEL | NEW), "aarch64": (0xC00000B7, ARM | NEW)}
OTHER_ABI = 0x40000000
"""On x86-64, numbers from here on are the same calls by another name."""

LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
CALL, ARCHITECTURE, ARGUMENTS = 0, 4, 16


class _Step(ctypes.Structure):
    _fields_ = (
        *(("code", ctypes.c_uint16), ("then", ctypes.c_uint8), ("otherwise", ctypes.c_uint8)),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


Steps = list[tuple[int, int, int, int]]


def steps(rules: Sequence[Rule], machine: str) -> Steps:
    """The filter as the kernel reads it: code, jump if so, jump if not, value."""
    architecture, numbers = NUMBERS[machine]
    out: Steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, CALL),
        (AT_LEAST, 0, 1, OTHER_ABI),
        (RETURN, 0, 0, REFUSE),
    ]
    for rule in rules:
        number = numbers.get(rule.name)  # a newer machine never had the oldest calls
        if number is not None and rule.argument is None:
            out += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
        elif number is not None and rule.argument is not None:
            out += [
                (EQUAL, 0, 5, number),
                (LOAD, 0, 0, ARGUMENTS + 8 * rule.argument),
                (AND, 0, 0, rule.mask),
                (EQUAL, 0 if rule.equal else 1, 1 if rule.equal else 0, rule.value),
                (RETURN, 0, 0, REFUSE),
                (LOAD, 0, 0, CALL),
            ]
    return [*out, (RETURN, 0, 0, ALLOW)]


def filter_calls(order: dict[str, Any], version: int) -> None:
    """From now on the kernel refuses these calls."""
    rules = (
        *ALWAYS,
        *(() if order["network"] else NO_NETWORK),
        *(() if version >= SCOPES else NO_SIGNALS),
        *(() if version >= TRUNCATES else NO_TRUNCATING),
    )
    written = steps(rules, os.uname().machine)
    held = (_Step * len(written))(*(_Step(*step) for step in written))
    program = _Program(len(written), held)
    _must_succeed(_libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0), "no filter")


def drop_privileges() -> None:
    """Nothing that runs from now on has or gains a privilege, the superuser's neither."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(CAPBSET_DROP, capability, 0, 0, 0)  # without any there is nothing to drop
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    _must_succeed(_libc.capset(head, none), "privileges remain")
    _must_succeed(_libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0), "privileges could be gained")


def close_cage(order: dict[str, Any]) -> None:
    """Close the cage around this process and all that it starts."""
    # Tests pretend that the kernel is older than it is.
    version = min(landlock_version(), order.get("abi", 99))
    if version < 1:
        raise CageBroken(errno.ENOSYS, "no Landlock")
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    drop_privileges()
    lock(order, version)
    filter_calls(order, version)


def main() -> int:
    order = json.loads(sys.argv[1])
    try:
        close_cage(order)
    except OSError as wrong:
        sys.stdout.write(f"{order['mark']} {wrong.strerror or wrong}\n")
        return REFUSED
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as wrong:
        sys.stdout.write(f"{wrong.strerror}: {sys.argv[2]}\n")
        return 127


if __name__ == "__main__":
    sys.exit(main())
