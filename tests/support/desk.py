"""A desk at which an agent works until it is distilled, and what of that can be seen from outside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings, Thread
from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.distilling.receipts import Receipt
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems

WORKSPACE = "workspace"
SYSTEM = "You are Ada."
TOOL = {"name": "look_up", "description": "Looks up.", "input_schema": {"type": "object"}}


def settings(folder: Path, **chosen: Any) -> Settings:
    """Files in the folder, recall by words; nothing is scored unless `score_seconds` says so."""
    given = {
        "durability": "process",
        "embedder": "off",
        "recall_seconds": 30,
        "score_seconds": 0.0,
        "workspace": str(folder / WORKSPACE),
        **chosen,
    }
    return Settings(**given)


@dataclass
class Desk:
    """An engine, one agent of it, the clock, and the folder in which its files lie."""

    et: Everthread
    ada: Agent
    clock: FrozenClock
    folder: Path
    said: list[str] = field(default_factory=list)
    """The words of the primary thread that were acknowledged, in order."""

    def turn(self, said: str, reply: str, thread: Thread | None = None, **done: Any) -> None:
        """One turn, a minute after the last."""
        self.clock.forward(minutes=1)
        self.ada.turn(said, thread=thread).done(reply, **done)
        self.said += [said, reply] if thread is None else []

    def talk(self, first: int, last: int, thread: Thread | None = None, **done: Any) -> None:
        """Turns `first` to `last - 1`; each leaves two messages."""
        for n in range(first, last):
            self.turn(question(n), answer(n), thread, **done)

    def tools(self, first: int, last: int, output: str = "found") -> None:
        """Turns in which the agent uses a tool: four messages each."""
        for n in range(first, last):
            self.clock.forward(minutes=1)
            turn = self.ada.turn(question(n)).add(calling(f"call-{n}"))
            turn.tool_result(f"call-{n}", f"{output} {n}").done(answer(n))

    def work(self) -> int:
        """Do all that is due, as the worker would; how many jobs."""
        worker, done = Worker(self.et.house, rest=0), 0
        while worker.step():
            done += 1
        return done

    def with_ports(self, **ports: Any) -> Desk:
        """The same store in a program that is wired otherwise."""
        et = Everthread(replace(self.et.house, **ports))
        return Desk(et, et.known_agent(self.ada.name), self.clock, self.folder)

    # ---- what can be seen

    @property
    def files(self) -> dict[str, bytes]:
        """What people can read in the workspace, by path."""
        root = self.folder / WORKSPACE
        return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*.md"))}

    @property
    def daily(self) -> str:
        """All daily files, one after the other."""
        days = [text for name, text in self.files.items() if "/memory/" in name]
        return b"".join(days).decode()

    @property
    def memory(self) -> bytes | None:
        """`MEMORY.md`; None where there is none."""
        return self.files.get(f"{self.ada.name}/MEMORY.md")

    def view(self, thread: Thread | None = None) -> bytes:
        """What the model would be given now, to the byte."""
        return json.dumps(self.ada.context(thread=thread).messages).encode()

    def seqs(self, thread: Thread | None = None) -> list[int]:
        """Which messages are shown, by `seq`; a summary is none."""
        return [m.seq for m in self.ada.context(thread=thread).history if m.kind == "said"]

    def intents(self, receipt: Receipt) -> list[tuple[str, str]]:
        """What was to be written for it, and how that stands."""
        return [(i.what, i.state) for i in self.ada.receipt(receipt.id).intents]

    def problems(self, thread: Thread | None = None) -> list[str]:
        """What either provider would find wrong with the next request."""
        turn = self.ada.turn("And now?", thread=thread)
        claude: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
        claude |= {"tools": turn.tools} if turn.tools else {}
        found = anthropic_problems(claude) + openai_problems({"model": "m", **turn.openai()})
        turn.failed("only looked at")
        return found


@contextmanager
def desk_in(
    folder: Path,
    place: str = "memory://",
    *,
    clock: FrozenClock | None = None,
    window: int | None = None,
    **chosen: Any,
) -> Iterator[Desk]:
    """A desk at that store; whatever happened there, its chain verifies in the end."""
    at = clock or FrozenClock()
    given = settings(folder, **chosen)
    with everthread.connect(place, clock=at, background=False, settings=given) as et:
        ada = et.agent("ada", system=SYSTEM, tools=[TOOL], window=window)
        yield Desk(et, ada, at, folder)
        assert et.verify(ada).faults == []


def question(n: int) -> str:
    return f"Please look at src/module_{n}.py and tell me about bug {n * 17}."


def answer(n: int) -> str:
    return (
        f"I fixed bug {n * 17} in src/module_{n}.py: the counter was off by {n + 3}. "
        f"We decided to keep plan {n} because it is simple."
    )


def calling(*calls: str) -> dict[str, Any]:
    """A reply in which the model calls the tool, once for each id."""
    uses = [{"type": "tool_use", "id": call, "name": TOOL["name"], "input": {}} for call in calls]
    return {"role": "assistant", "content": uses}


def fired(receipt: Receipt) -> list[str]:
    """The names of the signals that did."""
    return [each["name"] for each in receipt.fired]


class Unreachable:
    """A model that is never there."""

    name = "openai:nobody"

    def __init__(self) -> None:
        self.asked = 0

    def distill(self, material: object, *, pause: object) -> Any:
        self.asked += 1
        raise ModelFailed("unreachable", "nobody answered")
