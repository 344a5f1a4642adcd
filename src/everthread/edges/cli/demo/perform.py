"""From the curtain to the bow: a fresh store, the play, and what is left to look at."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.ids import short
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import DAY
from everthread.edges.cli.base.options import Choice
from everthread.edges.cli.base.terminal import (
    bytes_text,
    plural,
    say,
    show,
    show_json,
    styled,
    time_text,
)
from everthread.edges.cli.distill import hush_warnings, reversal_line
from everthread.edges.cli.receipt_view import receipts_table, score_view
from everthread.edges.cli.sessions import sessions_table
from everthread.edges.cli.status import agent_view
from everthread.edges.cli.verify import verdict_line
from everthread.edges.documents.recall import hit_document
from everthread.edges.documents.receipts import receipt_document, reversal_document
from everthread.edges.documents.rows import agent_document, session_document, verdict_document
from everthread.settings import Settings
from everthread.wiring import connect

from . import script
from .clock import DemoClock
from .place import fresh_store
from .play import Life, play
from .recollect import Answer, UndoResult, ask_about_the_start, take_back
from .stage import stage

if TYPE_CHECKING:
    from everthread.domain.distilling.receipts import Receipt
    from everthread.domain.recall.hits import Hit
    from everthread.engine import Agent, Everthread
    from everthread.services.upkeep.report import SessionReport, StoreReport
    from everthread.services.upkeep.verify import Verdict

BEFORE = 6 * DAY
QUESTION = "How much water did the tomatoes in bed 4 get?"
LONGEST_SHOWN = 100


class PlayResult(NamedTuple):
    """How things stand when the play is over."""

    agent: Agent
    report: StoreReport
    sessions: list[SessionReport]
    verdict: Verdict
    recalled: list[Hit]
    receipts: list[Receipt]
    """Those of the primary thread as they were before one was undone, newest first."""
    answer: Answer
    undone: UndoResult | None


def perform(choice: Choice, *, turns: int, fast: bool) -> None:
    """Play it, check it, and say what can be looked at."""
    settings = Settings.load()
    now = time.time_ns() // 1_000_000
    with fresh_store(choice.store, settings.home) as path:
        clock = DemoClock(now - BEFORE)
        # Beside the demo's store: an agent of yours may be called Ada too, and has files of her own.
        settings = settings.with_(workspace=str(path.with_name(f"{path.name}-agents")))
        with hush_warnings(), connect(path, settings=settings, clock=clock) as engine:
            with stage(turns=turns, fast=fast, as_json=choice.as_json) as watcher:
                life = play(engine, clock, watcher, turns=turns, now=now)
            played = _look_back(engine, life)
        commands = _commands(path, played, settings)
        if choice.as_json:
            show_json(_document(played, commands))
        else:
            _show_result(played, commands, turns)


def _look_back(engine: Everthread, life: Life) -> PlayResult:
    ada = life.agent
    recalled = ada.recall(QUESTION, limit=3)
    receipts = ada.receipts(thread=ada.primary.key)
    answer = ask_about_the_start(ada)
    undone = take_back(engine, life)
    sessions = engine.sessions(ada, thread=ada.primary.key)
    report, verdict = engine.report(ada), engine.verify(ada)
    return PlayResult(ada, report, sessions, verdict, recalled, receipts, answer, undone)


def _show_result(played: PlayResult, commands: list[tuple[str, str]], turns: int) -> None:
    location = played.report.location
    sittings = plural(len(played.sessions), "session")
    _show_receipts(played)
    _show_answer(played.answer)
    if played.undone is not None:
        _show_undone(played.undone)
    said = f"{plural(turns, 'turn')} and a question"
    reported = played.report.agents[0]
    beside = reported.sessions - len(played.sessions)
    others = f"; {plural(beside, 'session')} more on the threads beside it" if beside else ""
    say(f"\n{said} on one thread that never ends, in {sittings}{others}:\n")
    sat = [session_document(reported.agent, each) for each in played.sessions]
    show(*agent_view(reported), "", sessions_table(sat))
    _show_recalled(played)
    # After closing: what waited in the log is in the file now.
    say(f"\nstore: {location} ({bytes_text(Path(location).stat().st_size)})")
    show(verdict_line(played.verdict))
    say("\nTry by hand:\n")
    for about, command in commands:
        say(f"  # {about}\n  {command}")


def _show_receipts(played: PlayResult) -> None:
    """The receipts of what was distilled on the way."""
    if played.receipts:
        say("\nThe thread was distilled on the way. Each time left a receipt:\n")
        show(receipts_table(played.receipts))
    newest = next((each for each in played.receipts if each.score is not None), None)
    if newest is not None and newest.score is not None:
        say(f"\nWhat became of what number {newest.number} replaced:\n")
        show(score_view(newest.score))


def _show_answer(answer: Answer) -> None:
    """That the start is known, although none of its messages is sent any more."""
    say(f"\nMel asks: {script.START}\n")
    if answer.from_memory:
        sent = (
            f"Word for word Ada is sent messages from {answer.oldest:,} on; the start is not among"
        )
        say(f"  {sent} them.\n  It is in what she is given nonetheless:")
    for line in answer.lines:
        show(styled((f"  {line.place}  ", "magenta"), (line.text, "")))
    show(styled(("  Ada: ", "cyan"), (answer.reply, "")))


def _show_undone(undone: UndoResult) -> None:
    receipt = undone.reversal.receipt
    say(f"\nUndo receipt {short(receipt.key_id)}, distillation number {receipt.number}:\n")
    say(f"  {reversal_line(undone.reversal, 'come back into the view')}")
    if undone.same:
        many = plural(undone.room.messages, "message")
        say(f"  The context is back: its first {many} are byte for byte those from before.")


def _show_recalled(played: PlayResult) -> None:
    """What comes back when somebody asks, days later."""
    if not played.recalled:
        return
    say(f"\nAsked days later: {QUESTION}\n")
    for hit in played.recalled:
        text = " ".join(strip_secrets(hit.text).split())
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"
        who = next((m.name or "Ada" for m in hit.messages), hit.kind)
        show(
            styled(
                (f"  {hit.score:.2f}  {time_text(hit.at_ms)}  ", "dim"),
                (f"{who}: ", "cyan"),
                (shown, ""),
            )
        )


def _document(played: PlayResult, commands: list[tuple[str, str]]) -> dict[str, object]:
    agent = played.agent.row
    keys = {thread.ref: thread.key for thread in played.report.agents[0].threads}
    return {
        "store": played.report.location,
        "agent": agent_document(played.report.agents[0]),
        "sessions": [session_document(agent, each) for each in played.sessions],
        "verify": verdict_document(played.verdict),
        "recalled": [hit_document(hit) for hit in played.recalled],
        "receipts": [receipt_document(each, agent.name, keys) for each in played.receipts],
        "answer": {
            "question": script.START,
            "turn": played.answer.turn,
            "oldest_message_sent": played.answer.oldest,
            "from_memory": played.answer.from_memory,
            "lines": [line._asdict() for line in played.answer.lines],
            "reply": played.answer.reply,
        },
        "undone": None if played.undone is None else _undone_document(played.undone),
        "commands": [command for _, command in commands],
    }


def _undone_document(undone: UndoResult) -> dict[str, object]:
    return {
        **reversal_document(undone.reversal),
        "context_before": undone.room.tokens,
        "context_now": undone.tokens,
        "as_before": undone.same,
    }


def _commands(path: Path, played: PlayResult, settings: Settings) -> list[tuple[str, str]]:
    """What can be typed next, whole and quoted, by the name under which we were called."""
    longest = max(played.sessions, key=lambda each: each.session.message_count).session
    who = ["--agent", "ada"] if settings.agent not in {"", "ada"} else []
    wanted: list[tuple[str, list[str]]] = [
        ("how things stand", ["status"]),
        ("the sittings of Ada's thread", ["sessions", "list", "--thread", "agent:ada:main", *who]),
        ("what was said in one of them", ["sessions", "show", short(longest.key_id), *who]),
        ("find again what was said", ["recall", QUESTION, *who]),
        *_about_distilling(played.undone, who),
        ("tell Ada something for good", ["remember", "Mel is away in August", *who]),
        ("prove that nothing was changed", ["verify"]),
        ("everything as JSON lines, without secrets", ["export", "--agent", "ada"]),
    ]
    end = ["--store", str(path)]
    return [(about, shlex.join([_program(), *words, *end])) for about, words in wanted]


def _about_distilling(undone: UndoResult | None, who: list[str]) -> list[tuple[str, list[str]]]:
    if undone is None:
        return []
    name, turn = short(undone.room.receipt.key_id), undone.room.turn
    around = [str(turn), str(turn + 1)]
    return [
        (
            "what was distilled, and what is left of it",
            ["receipts", "--thread", "agent:ada:main", *who],
        ),
        ("every sentence of a summary and its source", ["receipts", "show", name, *who]),
        ("how it changed what Ada was given", ["context", "--diff", *around, *who]),
        ("what it would be to redo what was undone", ["redo", name, "--dry-run"]),
    ]


def _program() -> str:
    """The command as it was called: by its name where the shell finds it, else by its path."""
    called = Path(sys.argv[0])
    if called.name != "everthread":
        return "everthread"
    found = shutil.which("everthread")
    if found is not None and Path(found).absolute() == called.absolute() and called.is_absolute():
        return "everthread"
    return sys.argv[0]
