"""A harness beside an agent, as its events tell it: what was typed, answered, compacted, ended."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import Answer, Happening, Line, Reading
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock

NUMBERS = itertools.count(1)


@dataclass
class Window:
    """One session of a harness: its events, and the transcript that it writes beside them."""

    bench: Bench
    session: str
    lines: list[Line] = field(default_factory=list)
    harness: str = "claude-code"
    owner: str = ""
    keeps: bool = True

    def tell(self, kind: Any, *, at: int | None = None, **more: Any) -> Answer:
        happening = Happening(
            harness=self.harness,
            kind=kind,
            session=self.session,
            folder=str(self.bench.project),
            name=kind,
            transcript=self.session,
            owner=self.owner,
            keeps=self.keeps,
            **more,
        )
        return self.bench.agent.attend(happening, read=self.read, at=at)

    def read(self, _place: str, cursor: str) -> Reading:
        """The transcript from that line on."""
        start = int(cursor or 0)
        return Reading(self.lines[start:], str(len(self.lines)))

    def start(self, source: Any = "startup", **more: Any) -> str:
        return self.tell("start", start=source, **more).context

    def prompt(self, text: str, *, written: bool = True, **more: Any) -> str:
        """Typed: the hook has it at once, the transcript a moment later."""
        answer = self.tell("prompt", text=text, **more).context
        if written:
            self.write("user", text, human=True)
        return answer

    def write(self, role: str, content: Any, **more: Any) -> None:
        """A line of the transcript."""
        at = everthread_time(self.bench.clock)
        entry = {"role": role, "content": content, "id": f"line-{next(NUMBERS)}", "at": at}
        self.lines.append(Line(entry, **more))

    def reply(self, text: str) -> None:
        self.write("assistant", text)
        self.tell("reply", text=text)

    def turn(self, text: str, reply: str) -> str:
        self.bench.clock.forward(minutes=1)
        answer = self.prompt(text)
        self.bench.clock.forward(seconds=5)
        self.reply(reply)
        return answer

    def tool(self, command: str, output: str) -> None:
        call = f"call-{next(NUMBERS)}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        self.write("assistant", [use])
        self.write("user", [{"type": "tool_result", "tool_use_id": call, "content": output}])

    def compact(self, summary: str | None = None, trigger: str = "auto") -> tuple[str, str]:
        """What its summariser is told, and what the session is given afterwards."""
        told = self.tell("compacting", trigger=trigger).instructions
        back = self.start("compact")
        if summary is not None:
            self.tell("compacted", text=summary)
        return told, back

    def end(self, reason: str = "other") -> None:
        self.tell("end", reason=reason)

    @property
    def row(self) -> Session:
        return self.bench.agent.session(self.session)


def everthread_time(clock: FrozenClock) -> float:
    return clock.now() / 1000


@dataclass
class Bench:
    """An engine, the agent of a project, the clock."""

    et: Everthread
    agent: Agent
    clock: FrozenClock
    project: Path

    def window(self, session: str = "s-1", **more: Any) -> Window:
        return Window(self, session, **more)

    def work(self) -> int:
        """Do all that is due, as the worker would; how many jobs."""
        worker, done = Worker(self.et.house, rest=0), 0
        while worker.step():
            done += 1
        return done

    def words(self) -> Sequence[str]:
        """What people and agents said, in order, each as often as it is stored."""
        return [m.text for m in self.agent.messages(limit=10_000) if m.text]

    def gone(self, *owners: str) -> Bench:
        """The same store in a house that knows those processes to be no more."""
        et = Everthread(replace(self.et.house, gone=lambda owner: owner in owners))
        return Bench(et, et.known_agent(self.agent.name), self.clock, self.project)


@contextmanager
def bench(folder: Path, target: str = "memory://", **chosen: Any) -> Iterator[Bench]:
    """A bench of its own; nothing runs in the background."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    given = {
        "durability": "process",
        "embedder": "off",
        "workspace": str(folder / "files"),
        # Long: nothing is late because this machine is busy.
        "recall_seconds": 30,
        "compaction_seconds": 30,
        "score_seconds": 30,
        **chosen,
    }
    clock = FrozenClock("2026-02-20T10:00:00Z")
    settings = Settings(**given)
    with everthread.connect(target, settings=settings, clock=clock, background=False) as et:
        yield Bench(et, et.agent("project-1a2b3c"), clock, project)
