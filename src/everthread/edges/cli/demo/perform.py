"""From the curtain to the bow: a fresh store, the play, and what is left to look at."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.ids import short
from everthread.domain.redaction import redacted
from everthread.domain.times import DAY
from everthread.edges.cli.documents import agent_document, session_document, verdict_document
from everthread.edges.cli.options import Choice
from everthread.edges.cli.recall import hit_document
from everthread.edges.cli.sessions import sessions_table
from everthread.edges.cli.status import agent_view
from everthread.edges.cli.terminal import (
    bytes_text,
    counted,
    say,
    show,
    show_json,
    styled,
    when,
)
from everthread.edges.cli.verify import verdict_line
from everthread.settings import Settings
from everthread.wiring import connect

from .clock import DemoClock
from .place import fresh_store
from .play import play
from .stage import stage

if TYPE_CHECKING:
    from everthread.domain.hits import Hit
    from everthread.engine import Agent, Everthread
    from everthread.services.report import SessionReport, StoreReport
    from everthread.services.verify import Verdict

BEFORE = 6 * DAY
QUESTION = "How much water did the tomatoes in bed 4 get?"
LONGEST_SHOWN = 100


class Played(NamedTuple):
    """How things stand when the play is over."""

    agent: Agent
    report: StoreReport
    sessions: list[SessionReport]
    verdict: Verdict
    recalled: list[Hit]


def perform(choice: Choice, *, turns: int, fast: bool) -> None:
    """Play it, check it, and say what can be looked at."""
    settings = Settings.load()
    now = time.time_ns() // 1_000_000
    with fresh_store(choice.store, settings.home) as path:
        clock = DemoClock(now - BEFORE)
        with connect(path, settings=settings, clock=clock) as engine:
            with stage(turns=turns, fast=fast, as_json=choice.as_json) as watcher:
                ada = play(engine, clock, watcher, turns=turns, now=now)
            played = _looked(engine, ada)
        commands = _commands(path, played, settings)
        if choice.as_json:
            show_json(_document(played, commands))
        else:
            _bow(played, commands, turns)


def _looked(engine: Everthread, ada: Agent) -> Played:
    recalled = ada.recall(QUESTION, limit=3)
    sessions = engine.sessions(ada, thread=ada.primary.key)
    return Played(ada, engine.report(ada), sessions, engine.verify(ada), recalled)


def _bow(played: Played, commands: list[tuple[str, str]], turns: int) -> None:
    location = played.report.location
    sittings = counted(len(played.sessions), "session")
    say(f"\n{counted(turns, 'turn')} on one thread that never ends, in {sittings}:\n")
    show(*agent_view(played.report.agents[0]), "", sessions_table(played.sessions))
    _told(played)
    # After closing: what waited in the log is in the file now.
    say(f"\nstore: {location} ({bytes_text(Path(location).stat().st_size)})")
    show(verdict_line(played.verdict))
    say("\nTry by hand:\n")
    for about, command in commands:
        say(f"  # {about}\n  {command}")


def _told(played: Played) -> None:
    """What comes back when somebody asks, days later."""
    if not played.recalled:
        return
    say(f"\nAsked days later: {QUESTION}\n")
    for hit in played.recalled:
        text = " ".join(redacted(hit.text).split())
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"
        who = next((m.name or "Ada" for m in hit.messages), hit.kind)
        show(
            styled(
                (f"  {hit.score:.2f}  {when(hit.at_ms)}  ", "dim"),
                (f"{who}: ", "cyan"),
                (shown, ""),
            )
        )


def _document(played: Played, commands: list[tuple[str, str]]) -> dict[str, object]:
    agent = played.agent.row
    return {
        "store": played.report.location,
        "agent": agent_document(played.report.agents[0]),
        "sessions": [session_document(agent, each) for each in played.sessions],
        "verify": verdict_document(played.verdict),
        "recalled": [hit_document(hit) for hit in played.recalled],
        "commands": [command for _, command in commands],
    }


def _commands(path: Path, played: Played, settings: Settings) -> list[tuple[str, str]]:
    """What can be typed next, whole and quoted, by the name under which we were called."""
    longest = max(played.sessions, key=lambda each: each.session.message_count).session
    who = ["--agent", "ada"] if settings.agent not in {"", "ada"} else []
    wanted: list[tuple[str, list[str]]] = [
        ("how things stand", ["status"]),
        ("the sittings of Ada's thread", ["sessions", "list", "--thread", "agent:ada:main", *who]),
        ("what was said in one of them", ["sessions", "show", short(longest.key_id), *who]),
        ("the hash-chained log of it", ["sessions", "timeline", short(longest.key_id), *who]),
        ("find again what was said", ["recall", QUESTION, *who]),
        ("tell Ada something for good", ["remember", "Mel is away in August", *who]),
        ("prove that nothing was changed", ["verify"]),
        ("everything as JSON lines, without secrets", ["export", "--agent", "ada"]),
    ]
    end = ["--store", str(path)]
    return [(about, shlex.join([_program(), *words, *end])) for about, words in wanted]


def _program() -> str:
    """The command as it was called: by its name where the shell finds it, else by its path."""
    called = Path(sys.argv[0])
    if called.name != "everthread":
        return "everthread"
    found = shutil.which("everthread")
    if found is not None and Path(found).absolute() == called.absolute() and called.is_absolute():
        return "everthread"
    return sys.argv[0]
