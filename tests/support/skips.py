"""A skip must be for a listed reason, and the reason must be true; else the run turns red.

A test or fixture calls `needs("postgresql")` and is skipped where that thing is missing. What may
be missing is listed in tests/allowed_skips; how to find out is a probe in PROBES.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

LIST = Path(__file__).resolve().parent.parent / "allowed_skips"
REASON = re.compile(r"needs (?P<thing>[\w.-]+): ")

# Why the thing is missing; None where it is there.
Probe: TypeAlias = Callable[[], str | None]


def needs(thing: str) -> None:
    """Skip the running test (or the module being imported) unless the thing is there."""
    if thing not in PROBES:
        raise LookupError(f"no probe for {thing!r} in PROBES of {__name__}")
    missing = why_missing(thing)
    if missing is not None:
        pytest.skip(f"needs {thing}: {missing}", allow_module_level=True)


@functools.cache
def why_missing(thing: str) -> str | None:
    return PROBES[thing]()


# ---- probes


def no_postgresql() -> str | None:
    if importlib.util.find_spec("support.postgres") is None:
        return "tests/support/postgres.py is not there"
    from support import postgres

    return postgres.why_unavailable()


def no_test_data() -> str | None:
    folder = os.environ.get("EVERTHREAD_TEST_DATA")
    if not folder:
        return "EVERTHREAD_TEST_DATA is not set"
    return None if Path(folder).is_dir() else f"EVERTHREAD_TEST_DATA={folder} is no folder"


def no_client(name: str) -> Probe:
    def probe() -> str | None:
        from support import clients

        return clients.why_missing(name)

    return probe


def no_tmpfs() -> str | None:
    return None if private_mounts() else "mounting is not permitted, not even in a user namespace"


def no_registry() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        return failure(
            [
                *(sys.executable, "-m", "pip", "download", "rs-bpe", "--no-deps", "--quiet"),
                *("--dest", folder, "--retries", "1", "--no-cache-dir", "--no-input"),
            ]
        )


def private_mounts() -> list[str] | None:
    """What to put before a command that mounts a tmpfs of its own; None if nothing helps."""
    with tempfile.TemporaryDirectory() as folder:
        for prefix in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
            if failure([*prefix, "mount", "-t", "tmpfs", "tmpfs", folder]) is None:
                return prefix
    return None


def failure(command: list[str]) -> str | None:
    """The last line of a failed command's complaint; None if it succeeded."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    complaint = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return complaint[-1]


PROBES: dict[str, Probe] = {
    "client-claude-code": no_client("claude-code"),
    "client-codex": no_client("codex"),
    "client-gemini": no_client("gemini"),
    "client-openclaw": no_client("openclaw"),
    "client-opencode": no_client("opencode"),
    "postgresql": no_postgresql,
    "registry": no_registry,
    "test-data": no_test_data,
    "tmpfs": no_tmpfs,
}


# ---- the judge


@dataclass(frozen=True, slots=True)
class Skip:
    where: str
    reason: str

    @property
    def thing(self) -> str | None:
        found = REASON.match(self.reason)
        return found["thing"] if found else None


def listed(text: str) -> dict[str, str]:
    """The things of an allowed_skips file, each with what is said about it."""
    entries: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.split("#", 1)[0].strip()
        if not entry:
            continue
        thing, _, why = (part.strip() for part in entry.partition(":"))
        if not thing or not why:
            raise ValueError(f"{LIST.name}:{number} is not `thing: what is missing and why`")
        entries[thing] = why
    return entries


def verdicts(skips: Iterable[Skip], allowed: Iterable[str]) -> list[str]:
    """What is wrong with these skips, one sentence each."""
    # Probed anew, and once: what the test believed when it skipped is the very thing in question.
    probe = functools.cache(lambda thing: PROBES[thing]())
    allowed = set(allowed)
    found = (fault(skip, allowed, probe) for skip in skips)
    return [f"{skip.where}: {wrong}" for skip, wrong in zip(skips, found, strict=True) if wrong]


def fault(skip: Skip, allowed: set[str], probe: Callable[[str], str | None]) -> str | None:
    thing = skip.thing
    if thing is None:
        return f"skipped without `needs(...)`: {skip.reason}"
    if thing not in allowed:
        return f"{thing} is not listed in tests/{LIST.name}"
    if thing not in PROBES:
        return f"{thing} has no probe, so nobody can tell whether it is missing"
    if probe(thing) is None:
        return f"skipped for want of {thing}, but it is there"
    return None


class Judge:
    """Hears of every skip, also of those in other worker processes, and rules at the end."""

    def __init__(self) -> None:
        self.skips: list[Skip] = []
        self.faults: list[str] = []

    def hear(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        # An expected failure is reported as a skip too, but it has run.
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        _, _, reason = report.longrepr if isinstance(report.longrepr, tuple) else ("", 0, "?")
        self.skips.append(Skip(report.nodeid, reason.removeprefix("Skipped: ")))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.hear(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.hear(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.faults = verdicts(self.skips, listed(LIST.read_text())) if self.skips else []
        if self.faults:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skips:
            terminalreporter.section("NOT RUN", yellow=True)
            for skip in self.skips:
                terminalreporter.line(f"{skip.where}: {skip.reason}", yellow=True)
        if self.faults:
            terminalreporter.section("SKIPS THAT ARE NOT ALLOWED", red=True)
            for wrong in self.faults:
                terminalreporter.line(wrong, red=True)


def pytest_configure(config: pytest.Config) -> None:
    # Worker processes pass their reports on to the one that started them; only that one judges.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Judge(), "judge-of-skips")
