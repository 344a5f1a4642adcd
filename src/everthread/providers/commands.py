"""Commands of a project, each in a runner of its own. See `runner` and `cage`."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple, cast

from everthread.domain.errors import BadInput, CommandRefused
from everthread.domain.tasks.commands import (
    OUTPUT_BYTES,
    Cage,
    Command,
    CommandRun,
    checked_command,
)

from .processes import is_gone, this_process

RUNNER = Path(__file__).with_name("runner.py")
MOST_PRINTED = 64 * 1024 * 1024
"""Bytes after which a command that prints is ended."""
MOST_KEPT = 4 * 1024 * 1024
MOST_GIVEN = 16 * 1024 * 1024
LONGEST = 24 * 60 * 60.0
GRACE = 8.0
"""Seconds beyond its time that the runner has to tidy up, before we do."""
PIECE = 65_536

MARK = "EVERTHREAD_RUN"
"""Tells what belongs to a run, should all who could tidy up be killed at once."""
MARKED = {"EVERTHREAD_INSIDE": "1", "EVERTHREAD_PRIVATE": "1"}
"""So that our own hooks do not take what happens inside for a conversation of the user's."""
OURS = "EVERTHREAD_"
USER_HOME = "EVERTHREAD_USER_HOME"
"""Where a caged command finds what its user configured; its own home is the private folder."""
UNMARKED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""By these an agent would believe that it runs inside the very program that it is."""
HOMES = ("HOME", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
CACHES = ("XDG_CACHE_HOME", "XDG_RUNTIME_DIR")

WHY = {
    "time": "it did not end in {seconds:g} s, and was ended",
    "flood": f"it printed more than {MOST_PRINTED // 1024**2} MiB, and was ended",
    "stopped": "it was stopped from outside",
}


class SystemCommands:
    """Fills `Commands`. `hidden`: where our own things are, which no caged command may read."""

    def __init__(self, *, hidden: Sequence[str] = ()) -> None:
        self._hidden = tuple(hidden)

    def run(
        self,
        command: Command,
        *,
        folder: str,
        seconds: float,
        output_bytes: int = OUTPUT_BYTES,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cage: Cage | None = None,
    ) -> CommandRun:
        _check(seconds, output_bytes, stdin)
        words = checked_command(command)
        argv = ["/bin/sh", "-c", words] if isinstance(words, str) else [*words]
        mark = this_process()
        around = surroundings(os.environ) | dict(env or {})
        order: dict[str, Any] = {
            "argv": argv,
            "folder": folder,
            "seconds": seconds,
            "keep": output_bytes,
            "most": MOST_PRINTED,
            "given": len(stdin),
            "mark": (MARK, mark),
            "parent": os.getpid(),
            "scratch": "",
        }
        if cage is None:
            return _run(order, stdin, around)
        return self._caged(order, stdin, around, cage)

    def _caged(
        self, order: dict[str, Any], stdin: bytes, around: dict[str, str], cage: Cage
    ) -> CommandRun:
        # Here, since few programs ever need them.
        import shutil  # noqa: PLC0415 - as said
        import tempfile  # noqa: PLC0415 - as said

        from . import cage as cages  # noqa: PLC0415 - as said

        if wrong := cages.why_no_cage():
            raise CommandRefused(f"it may only run where it cannot write: {wrong}")
        # Not below what is hidden or read-only for the command: a folder of the system's.
        scratch = os.path.realpath(tempfile.mkdtemp(prefix="everthread-cage-"))
        mark = order["mark"][1]
        plan = {
            "scratch": scratch,
            "hidden": [os.path.realpath(place) for place in (*self._hidden, *cage.hidden)],
            "network": cage.network,
            "mark": mark,
        }
        order |= {"argv": cages.caged_command(order["argv"], plan), "scratch": scratch}
        try:
            real = {USER_HOME: around.get("HOME", "")}
            ran = _run(order, stdin, around | real | dict.fromkeys((*HOMES, *CACHES), scratch))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if ran.code == cages.REFUSED and ran.output.startswith(mark):
            told = ran.output.removeprefix(mark).strip()
            raise CommandRefused(f"it may only run where it cannot write: {told}")
        return ran

    def sweep(self) -> int:
        return len(_end(is_gone))


def surroundings(environ: Mapping[str, str]) -> dict[str, str]:
    """The user's environment as a command gets it: nothing of ours, above all no token, and marked."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(OURS) and name not in UNMARKED
    }
    return kept | MARKED


def _check(seconds: float, output_bytes: int, stdin: bytes) -> None:
    if not 0 < seconds <= LONGEST:
        raise BadInput(f"seconds must be above 0 and at most {LONGEST:g}; got {seconds:g}")
    if not 0 <= output_bytes <= MOST_KEPT:
        raise BadInput(f"output_bytes must be from 0 to {MOST_KEPT:,}; got {output_bytes:,}")
    if len(stdin) > MOST_GIVEN:
        raise BadInput(f"a command gets at most {MOST_GIVEN:,} bytes on its input")
    if os.name != "posix":
        raise CommandRefused("commands of a project run on Linux and macOS only")


class RunnerReport(NamedTuple):
    """What the runner said; nothing if it was killed."""

    report: Mapping[str, Any]
    text: str


def _run(order: dict[str, Any], stdin: bytes, around: dict[str, str]) -> CommandRun:
    began = time.monotonic()
    try:
        told = _run_runner(order, stdin, around)
    except OSError as wrong:
        spent = time.monotonic() - began
        return CommandRun(None, "", False, False, spent, 0, f"no runner: {wrong.strerror}")  # noqa: FBT003 - a tuple
    spent = time.monotonic() - began
    if not told.report:
        return _ran_without_report(order, told.text, spent)
    report = told.report
    missing: int = report["missing"]
    between = f"\n[… {missing:,} bytes left out …]\n" if missing else ""
    why = WHY[report["why"]].format(seconds=order["seconds"]) if report["why"] else None
    stuck = f"{report['stuck']} of its processes cannot be ended" if report["stuck"] else None
    return CommandRun(
        code=None if report["why"] or report["error"] else report["code"],
        output=f"{report['head']}{between}{report['tail']}",
        cut=missing > 0 or report["why"] == "flood",
        timed_out=report["why"] == "time",
        seconds=spent,
        leftovers_killed=report["left"],
        error=report["error"] or why or stuck,
    )


def _ran_without_report(order: dict[str, Any], text: str, spent: float) -> CommandRun:
    """The runner told nothing. What it ran has the mark, and nobody else would end it now."""
    ended = _end(lambda owner: owner == order["mark"][1])
    late = spent > order["seconds"]
    why = WHY["time"].format(seconds=order["seconds"]) if late else "its runner was killed"
    last = text.strip().rpartition("\n")[2][:200]
    error = f"{why}: {last}" if last else why
    return CommandRun(
        None, "", cut=False, timed_out=late, seconds=spent, leftovers_killed=len(ended), error=error
    )


def _run_runner(order: dict[str, Any], stdin: bytes, around: dict[str, str]) -> RunnerReport:
    until = time.monotonic() + order["seconds"] + GRACE
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", str(RUNNER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        env=around,
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    text = b""
    try:
        with suppress(BrokenPipeError):  # it was killed; that it says nothing tells so
            child.stdin.write(json.dumps(order).encode() + b"\n" + stdin)
            child.stdin.flush()
        text = _read_output(child.stdout.fileno(), until)
    finally:
        with suppress(BrokenPipeError):
            child.stdin.close()  # the leash: whatever still runs ends now
        _wait(child)
        child.stdout.close()
    return _parse_report(text)


def _read_output(handle: int, until: float) -> bytes:
    """All that the runner says, until it ends or the time is over."""
    os.set_blocking(handle, False)
    parts: list[bytes] = []
    with selectors.DefaultSelector() as waiting:
        waiting.register(handle, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if waiting.select(left):
                piece = os.read(handle, PIECE)
                if not piece:
                    break
                parts.append(piece)
    return b"".join(parts)


def _wait(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        # Stopped by its own command, perhaps. It and its keeper are one group.
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _parse_report(text: bytes) -> RunnerReport:
    plain = text.decode("utf-8", "replace")
    line = plain.strip().rpartition("\n")[2]
    try:
        found: object = json.loads(line)
    except ValueError:
        return RunnerReport({}, plain)
    return RunnerReport(cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}, plain)


# ---- what has the mark of a run


def _end(ours: Callable[[str], bool]) -> set[int]:
    """End every process whose mark is of such a run, and again until there is none."""
    ended: set[int] = set()
    until = time.monotonic() + GRACE
    while (found := _marked_processes(ours)) and time.monotonic() < until:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended |= found
        time.sleep(0.01)
    return ended


def _marked_processes(ours: Callable[[str], bool]) -> set[int]:
    sought = f"{MARK}=".encode()
    found: set[int] = set()
    with os.scandir("/proc") as places:
        names = [place.name for place in places if place.name.isdecimal()]
    for name in names:
        with suppress(OSError, ValueError):  # another user's, or gone meanwhile
            with FileIO(f"/proc/{name}/environ") as file:  # the quickest way: there are hundreds
                told = file.readall()
            if sought not in told:  # nearly always
                continue
            marks = [v.removeprefix(sought) for v in told.split(b"\0") if v.startswith(sought)]
            if marks and ours(marks[0].decode()):
                found.add(int(name))
    return found - {os.getpid()}
