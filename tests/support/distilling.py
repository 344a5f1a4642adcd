"""Agents that talk until they are distilled, and what of that can be seen from outside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings, Thread
from everthread.domain.drafts import DistillerFailed
from everthread.domain.receipts import Receipt
from everthread.engine import Everthread as Engine
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems

WORKSPACE = "workspace"


@contextmanager
def opened(
    folder: Path, place: str = "memory://", *, clock: FrozenClock | None = None, **chosen: Any
) -> Iterator[Everthread]:
    """An engine whose files lie in the folder. Nothing is scored unless `score_seconds` says so."""
    given = {
        "durability": "process",
        "embedder": "off",
        "recall_seconds": 30,
        "score_seconds": 0.0,
        "workspace": str(folder / WORKSPACE),
        **chosen,
    }
    with everthread.connect(
        place, clock=clock or FrozenClock(), background=False, settings=Settings(**given)
    ) as et:
        yield et


def again(et: Everthread, **ports: Any) -> Everthread:
    """The same house with other ports, as a program would wire it that has them."""
    return Engine(replace(et.house, **ports))


def question(n: int) -> str:
    return f"Please look at src/module_{n}.py and tell me about bug {n * 17}."


def answer(n: int) -> str:
    return (
        f"I fixed bug {n * 17} in src/module_{n}.py: the counter was off by {n + 3}. "
        f"We decided to keep plan {n} because it is simple."
    )


def talk(agent: Agent, first: int, last: int, *, thread: Thread | str | None = None) -> None:
    """Turns `first` to `last - 1`, a minute apart; each leaves two messages."""
    clock: Any = agent._house.clock  # noqa: SLF001 - the frozen one that the test gave
    for n in range(first, last):
        clock.forward(minutes=1)
        agent.turn(question(n), thread=thread).done(answer(n))


def work(et: Everthread) -> int:
    """Do all that is due, as the worker would; how many jobs."""
    worker, done = Worker(et.house, rest=0), 0
    while worker.step():
        done += 1
    return done


def files(folder: Path) -> dict[str, bytes]:
    """What lies in the workspace, by path; the lock is nobody's text."""
    root = folder / WORKSPACE
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if path.is_file()
    }


def view(agent: Agent, *, thread: Thread | str | None = None) -> bytes:
    """What the model would be given now, to the byte."""
    return json.dumps(agent.context(thread=thread).messages).encode()


def in_view(agent: Agent, *, thread: Thread | str | None = None) -> list[int]:
    """Which messages are shown, by `seq`; the summary is none."""
    return [m.seq for m in agent.context(thread=thread).history if m.kind == "said"]


def problems(agent: Agent, *, thread: Thread | str | None = None) -> list[str]:
    """What either provider would find wrong with the next request."""
    turn = agent.turn("And now?", thread=thread)
    claude: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
    claude |= {"tools": turn.tools} if turn.tools else {}
    found = anthropic_problems(claude) + openai_problems({"model": "m", **turn.openai()})
    turn.failed("only looked at")
    return found


def names(receipt: Receipt) -> list[str]:
    """The signals that fired."""
    return [each["name"] for each in receipt.fired]


class Unreachable:
    """A model that is never there."""

    name = "openai:nobody"

    def __init__(self) -> None:
        self.asked = 0

    def distill(self, material: Any, *, pause: Any) -> Any:
        self.asked += 1
        raise DistillerFailed("nobody answered", "unreachable")
