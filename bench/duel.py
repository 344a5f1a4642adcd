"""Competitors as child processes, and blocks of them in random order within one run."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HERE = Path(__file__).resolve().parent
PEERS = HERE.parent / ".venv-bench" / "bin" / "python"

Block = Callable[[int], list[int]]


class Broken(Exception):
    """The bench itself cannot be trusted; nothing was measured."""


class Child:
    """A process that obeys orders; see child.py."""

    def __init__(self, script: str, *arguments: object, python: Path | None = None) -> None:
        if python is not None and not python.exists():
            raise Broken("the peers have no environment yet: run `make bench`")
        command = [str(python or sys.executable), str(HERE / script), *map(str, arguments)]
        self._name = script
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_env()
        )

    def ask(self, do: str, **given: Any) -> Any:
        self.send(do, **given)
        return self.receive()

    def send(self, do: str, **given: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, "with": given}) + "\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Broken(f"{self._name} stopped in the middle; its own message is above")
        return json.loads(line)

    def block(self, do: str, **given: Any) -> Block:
        """An action as a block of so many operations."""
        return lambda count: self.ask(do, count=count, **given)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def clean_env() -> dict[str, str]:
    """The environment without anything that would change a default setting."""
    ours = ("EVERTHREAD_", "SESSION_INACTIVITY", "OPENAI_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return kept | {"OPENAI_AGENTS_DISABLE_TRACING": "1"}


def interleaved(
    competitors: Mapping[str, Block], *, rounds: int, block: int, seed: int = 7
) -> dict[str, list[int]]:
    """Every round runs a block of each competitor, in an order drawn anew."""
    chance = random.Random(seed)
    taken: dict[str, list[int]] = {name: [] for name in competitors}
    order = list(competitors)
    for name in order:
        competitors[name](block)  # warm, not counted
    for _ in range(rounds):
        chance.shuffle(order)
        for name in order:
            taken[name] += competitors[name](block)
    return taken


def copy_store(source: Path, target: Path) -> Path:
    """A closed store under another name."""
    shutil.copyfile(source, target)
    return target
