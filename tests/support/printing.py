"""What tools print: histories that fill a disk."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import everthread
from everthread import Settings
from everthread.engine import Agent
from everthread.services.upkeep.shrink import disk, keep_within

OLD = "2026-01-02T10:00:00Z"


def noise(seed: str, size: int = 40_000) -> str:
    """What no file system and no database can make much smaller: letters and figures by chance."""
    rng = random.Random(seed)
    drawn = base64.b64encode(rng.randbytes(size // 4 * 3), b"xy").decode()
    return f"begin {seed} {drawn} end {seed}"


def exchange(n: int, *, at: str = OLD, tool: str = "Bash", size: int = 40_000) -> list[Any]:
    """A call and what the tool printed, as a harness would bring them."""
    call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": {"command": f"run {n}"}}
    result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": noise(f"n{n}", size)}
    return [
        {"id": f"c{n}", "role": "assistant", "content": [call], "at": at},
        {"id": f"r{n}", "role": "user", "content": [result], "at": at},
    ]


def recorded(agent: Agent, count: int, *, size: int = 40_000) -> None:
    """So many of them at once; all but the newest are archive, out of the view."""
    agent.record([row for n in range(count) for row in exchange(n, size=size)])


def shrunk_beyond(folder: Path, megabytes: int) -> bool:
    """Is anything of a store of some two megabytes shrunk under that budget?"""
    settings = Settings(home=folder, disk_budget_mb=megabytes)
    path = folder / f"{megabytes}.db"
    with everthread.connect(path, background=False, settings=settings) as engine:
        recorded(engine.agent("ada"), 40, size=50_000)
        keep_within(engine.house, lambda: None)
        return disk(engine.house).shrunk.bodies > 0
