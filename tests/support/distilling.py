"""What each setting of distillation changes, seen through the library."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import DistillationDoubtful
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock

from .model_server import ModelServer, Say, Slow

SAID = (
    "We decided to use port {n} for service-{n} because the old one was taken. "
    "Please change src/part_{n}.py and run make check-{n}."
)


@contextmanager
def house(
    store: str | Path = "memory://", **changes: Any
) -> Iterator[tuple[Everthread, Agent, FrozenClock]]:
    clock = FrozenClock()
    settings = Settings(embedder="off", **changes)
    with everthread.connect(store, settings=settings, clock=clock, background=False) as et:
        yield et, et.agent("ada"), clock


def talk(agent: Any, turns: int, *, usage: Any = None, first: int = 0) -> None:
    for n in range(first, first + turns):
        agent.turn(SAID.format(n=n)).done(f"Done: service-{n} is on port {n}.", usage=usage)


def asked_for(et: Everthread) -> bool:
    """Is a distillation asked for?"""
    jobs = et.house.store.read(lambda r: r.jobs.all())
    return any(job.kind == "thread.distill" for job in jobs)


def asked_after(_: Path, **changes: Any) -> Any:
    """Whether twelve turns of a primary thread have one asked for."""
    usage = {"input_tokens": 5_000, "output_tokens": 5}
    with house(**changes) as (et, ada, clock):
        talk(ada, 11)
        clock.forward(hours=3)
        talk(ada, 1, usage=usage, first=11)
        return asked_for(et)


def asked_in_background(_: Path, **changes: Any) -> Any:
    """The same of a background thread."""
    usage = {"input_tokens": 5_000, "output_tokens": 5}
    with house(**changes) as (et, ada, clock):
        beat = ada.thread("beat:noon", kind="background")
        talk(beat, 11)
        clock.forward(hours=3)
        talk(beat, 1, usage=usage, first=11)
        return asked_for(et)


def summary_of(_: Path, value: int) -> Any:
    with house(summary_tokens=value) as (_, ada, _):
        talk(ada, 25)
        ada.distill()
        return ada.context().history[0].tokens > 400


def notes_given(_: Path, value: int) -> Any:
    with house(note_tokens=value) as (_, ada, _):
        for n in range(5):
            ada.note(f"The harbour crane number {n} is out of order until {n + 3} o'clock.")
        return json.dumps(ada.turn("Good morning!").messages).count("harbour crane")


def state_given(_: Path, value: int) -> Any:
    with house(state_tokens=value) as (_, ada, _):
        talk(ada, 20)
        ada.distill()
        task = " ".join(f"zq-{n}" for n in range(50))
        ada.turn("go on").done("yes", state={"current_task": task})
        return json.dumps(ada.turn("and?").messages).count("zq-") > 40


def mended_below(_: Path, value: float) -> Any:
    """Whether a distillation that lost a number was repaired."""
    with house(score_threshold=value) as (_, ada, _):
        for n in range(40):
            ada.turn(f"{n * 37}").done(f"{n * 41}")
        talk(ada, 8)
        return any("repaired" in error or "alarm" in error for error in ada.distill().errors)


def probed_within(_: Path, value: float) -> Any:
    with house(score_seconds=value) as (_, ada, _):
        talk(ada, 40)
        score = ada.distill().score
        assert score is not None
        return score.probes > 0


def written_to(folder: Path, value: str) -> Any:
    place = folder / "files" if value else ""
    home = folder / f"home-{bool(value)}"
    with house(home / "w.db", workspace=str(place), home=home) as (_, ada, _):
        ada.turn("Never push to main.").done("I will not.")
        talk(ada, 20)
        assert ada.distill().flush_succeeded
    found = (folder / "files" if value else home).rglob("MEMORY.md")
    return [each.parent.parent.name for each in found]


def points(first: int) -> dict[str, Any]:
    """What a good model says of a range that begins with that turn."""
    decided = f"We decided to use port {first} for service-{first} because the old one was taken."
    done = f"Done: service-{first} is on port {first}."
    return {
        "points": [
            {"kind": "decision", "text": decided, "sources": ["m1"], "quote": True},
            {"kind": "done", "text": done, "sources": ["m2"], "quote": False},
        ],
        "outdated": [],
    }


POINTS = points(0)


def by_model(folder: Path, server: ModelServer, **changes: Any) -> Receipt:
    """One distillation by the scripted server, in a fresh store."""
    given = {
        "distiller": "openai",
        "distiller_url": f"{server.url}/v1",
        "distiller_model": "local",
        "distiller_key": "k",
    }
    where = folder / f"m{len(list(folder.iterdir()))}.db"
    with house(where, home=folder, **{**given, **changes}) as (_, ada, _):
        talk(ada, 12)
        return ada.distill()


def wrote_it(folder: Path, *, say: Any = None, **changes: Any) -> Any:
    """Which distiller a receipt names, and how it went."""
    with ModelServer() as server:
        server.script(*[say or Say(json.dumps(POINTS))] * 4)
        receipt = by_model(folder, server, **changes)
        keys = {r.headers.get("authorization", "") for r in server.requests}
        return receipt.distiller, receipt.outcome, *sorted(keys)


def elsewhere(folder: Path, value: str) -> Any:
    """With the scripted server's address, or with one where nobody listens."""
    changes = {"distiller_url": "http://127.0.0.1:9/v1"} if value else {}
    return wrote_it(folder, **changes)[:2]


def by_command(folder: Path, value: str) -> Any:
    """A program that prints points, or one that only fails."""
    script = folder / "model.py"
    script.write_text(f"print({json.dumps(json.dumps(POINTS))})")
    named = f"{sys.executable} {script}" if value == "prints" else "false"
    return wrote_it(folder, distiller="command", distiller_command=named)[:2]


def slow(folder: Path, value: float) -> Any:
    say = Slow(Say(json.dumps(POINTS)), seconds=0.3)
    return wrote_it(folder, say=say, distiller_seconds=value)[:2]


def left_after_ten_days(kind: str, **changes: Any) -> int:
    """How many of sixty messages are there ten days after thirty turns were distilled."""
    with house(score_seconds=0.0, **changes) as (et, ada, clock):
        thread = ada.primary if kind == "primary" else ada.thread("beat:noon", kind=kind)
        for n in range(30):
            thread.turn(SAID.format(n=n)).done(f"Done: service-{n} is on port {n}.")
        thread.distill()
        clock.forward(hours=240)
        worker = Worker(et.house, rest=0)
        while worker.step():
            pass
        return len(thread.messages(limit=99))


def raised_where_it_stays_large(_: Path, value: str) -> bool:
    """Whether a warning of the check is raised by who distills."""
    with house(score_seconds=0.0, strict=value) as (et, _, _):
        ada = et.agent("ada", system="word " * 50_500)
        talk(ada, 12)
        try:
            return not ada.distill().errors
        except DistillationDoubtful:
            return True
