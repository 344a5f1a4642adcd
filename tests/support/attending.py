"""What each setting of sessions in harnesses changes, seen through the library."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everthread.domain.given.packing import SESSION_OPENING

from .harness import Bench, bench

OPEN = "Please also write the migration guide in docs/migrate.md."


@contextmanager
def sat(folder: Path, **changes: Any) -> Iterator[Bench]:
    place = Path(tempfile.mkdtemp(dir=folder))
    with bench(place, **changes) as made:
        yield made


def put_down(folder: Path, *, turns: int = 12, minutes: float = 0, **changes: Any) -> int:
    """How many checkpoints a session of so many prompts leaves, its end not counted."""
    with sat(folder, **changes) as b:
        w = b.window()
        for n in range(turns):
            w.turn(f"prompt number {n}", "ok")
            b.clock.forward(seconds=3, minutes=minutes)
            b.work()
        return len(b.agent.checkpoints(limit=100))


def left_after_ten_days(folder: Path, days: float) -> int:
    with sat(folder, checkpoint_days=days) as b:
        w = b.window()
        w.turn("long ago", "ok")
        w.end()
        b.work()
        b.clock.forward(hours=240)
        b.work()
        return len(b.agent.checkpoints())


def _before(b: Bench) -> None:
    w = b.window("s-0")
    for n in range(20):
        w.turn(f"We decided to keep part {n} in src/part_{n}.py for good.", f"Noted, part {n}.")
    w.turn(OPEN, "I will do that later.")
    w.tool("pytest -q tests/test_parser.py", "12 passed")
    w.end()
    b.work()


def recovered_after_five_hours(folder: Path, hours: float) -> bool:
    with sat(folder, recovery_hours=hours) as b:
        _before(b)
        b.clock.forward(hours=5)
        return "pytest -q" in b.window().start()


def recovered_chars(folder: Path, chars: int) -> bool:
    """Is more than a thousand characters told of the last session?"""
    with sat(folder, recovery_chars=chars) as b:
        _before(b)
        given = b.window().start()
        assert SESSION_OPENING in given
        return len(given.partition("</everthread-session>")[0]) > 1_000


def started_chars(folder: Path, chars: int) -> bool:
    """Is more than 3,000 characters given at a start?"""
    with sat(folder, start_chars=chars) as b:
        _before(b)
        for n in range(60):
            b.agent.remember(f"The service number {n} listens on port {8000 + n} of the host.")
        return len(b.window().start()) > 3_000


def given_with_a_prompt(folder: Path, tokens: int) -> bool:
    with sat(folder, prompt_tokens=tokens) as b:
        _before(b)
        w = b.window()
        w.start("clear")
        return bool(w.prompt("Where do we keep part 7 for good?"))


def waited_for(folder: Path, seconds: float) -> bool:
    """Is all of a long session in the checkpoint that is written before it is compacted?"""
    with sat(folder, compaction_seconds=seconds) as b:
        w = b.window()
        w.start()
        text = "We decided to move module {} to src/part_{}.py because of error E{}. " * 20
        for n in range(24):
            w.write("assistant", text.replace("{}", str(n)))
        w.tell("reply")
        started = time.monotonic()
        w.tell("compacting", trigger="auto")
        assert time.monotonic() - started < seconds + 60
        return b.agent.checkpoints()[0].through_seq == 24
