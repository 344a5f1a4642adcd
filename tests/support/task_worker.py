"""A process of its own that works at a task, to be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.tasking import Site

SCRIPT = """
import json, pathlib, sys
import everthread
from everthread.settings import Settings
told = json.loads(sys.argv[1])
settings = Settings.load(home=pathlib.Path(told["home"]), environ={}).with_(**told["settings"])
et = everthread.connect(told["store"], background=False, settings=settings)
task = et.agent("ada").task(told["slug"], project=told["project"])
task.start(goal="Read the header first")
if told["says"]:
    task.checkpoint("explicit", told["says"], next_steps=["read the body"])
print("ready", flush=True)
sys.stdin.read()
"""

QUICK = {"task_lease_minutes": 0.01}
"""A lease of 0.6 seconds."""


class Worker:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.pid = process.pid

    def ready(self) -> Worker:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        return self

    def kill(self) -> None:
        """No chance to tidy up."""
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait(30)


@contextmanager
def working(
    site: Site, slug: str = "parser-rewrite", *, says: str = "The header is read."
) -> Iterator[Worker]:
    told: dict[str, Any] = {
        "home": str(site.home),
        "store": str(site.place),
        "project": str(site.project),
        "settings": QUICK,
        "slug": slug,
        "says": says,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Worker(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing, and may be named as the one that works."""
    process = subprocess.Popen(["sleep", "600"])
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)
