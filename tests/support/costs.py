"""`--costs`: what each test file takes of the processor, dearest first.

CPU seconds, of the tests and of the programs that they ran: on a busy machine the clock on the wall
tells little. A server that outlives a test is not counted with it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator

import pytest

from support import born

NAME = "cpu_seconds"
BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="Tell what each file takes of the CPU.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--costs"):
        config.pluginmanager.register(Clerk(), "clerk-of-costs")


def spent() -> float:
    """CPU seconds of this process, and of its children and the forks made for it that have ended."""
    return sum(os.times()[:4]) + born.elsewhere


class Clerk:
    """Notes what a test took where it ran, and adds it up where the run was started."""

    def __init__(self) -> None:
        self.files: dict[str, list[float]] = defaultdict(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        item.stash[BEGAN] = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        if call.when == "teardown":
            item.user_properties.append((NAME, round(spent() - item.stash[BEGAN], 3)))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if report.when == "teardown" and name == NAME:
                self.files[report.nodeid.partition("::")[0]].append(float(str(value)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("CPU seconds, tests, milliseconds for each")
        for file, costs in sorted(self.files.items(), key=lambda pair: -sum(pair[1])):
            total = sum(costs)
            each = 1_000 * total / len(costs)
            terminalreporter.line(f"{total:8.1f} {len(costs):6} {each:8.0f}  {file}")
        terminalreporter.line(f"{sum(map(sum, self.files.values())):8.1f}  in all")
