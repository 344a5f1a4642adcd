"""`distill`, `undo` and `redo`: make room in a thread's context, and take that back."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from everthread.domain.ids import short
from everthread.edges.documents.receipts import receipt_document, reversal_document

from .base.exits import NO, OK, REFUSED
from .base.options import Choice, agent_of, common, examples, open_engine, open_to_read
from .base.terminal import console, pairs, plural, say, show, show_json
from .receipt_view import receipt_view

if TYPE_CHECKING:
    from everthread.domain.distilling.receipts import Receipt
    from everthread.engine import Agent, Everthread
    from everthread.services.distilling.reversal import Reversal

ENDS = {"refused": REFUSED, "failed": NO}


@click.command(
    "distill",
    short_help="Make room: replace old messages in the view by a summary.",
    epilog=examples("everthread distill", "everthread distill --thread heartbeat:beds"),
)
@click.option("--thread", metavar="KEY", help="This thread instead of the primary one.")
@common
def distill_command(choice: Choice, thread: str | None) -> None:
    """Distill a thread now instead of when its signals fire: from four messages on, and only if it
    saves something. Nothing is lost by it: every message stays in the store, can be recalled, and
    `everthread undo` brings all of it back into the view (those of a background thread for seven
    days: `background_keep_days`).

    Ends with 6 if there was nothing to gain, with 1 if it failed; the receipt says why.
    """
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        target = agent.primary.key if thread is None else thread
        with hush_warnings(), saying_what_was_done(agent, thread), stages() as progress:
            receipt = agent.distill(thread=thread, progress=progress)
    if choice.as_json:
        show_json(receipt_document(receipt, agent.name, {receipt.thread_ref: target}))
    else:
        show(*receipt_view(receipt, target))
        _what_next(receipt)
    click.get_current_context().exit(ENDS.get(receipt.outcome, OK))


def _what_next(receipt: Receipt) -> None:
    name = short(receipt.key_id)
    if receipt.standing:
        say(f"\neverthread receipts show {name}   every sentence and where it came from")
        say(f"everthread undo {name}            take it back")


@contextmanager
def saying_what_was_done(agent: Agent, thread: str | None) -> Generator[None]:
    """Who stops it is told what it did by then: the view is swapped before the score is taken."""
    before = {receipt.id for receipt in agent.receipts(thread=thread, limit=1)}
    try:
        yield
    except KeyboardInterrupt:
        made = [r for r in agent.receipts(thread=thread, limit=1) if r.id not in before]
        raise KeyboardInterrupt(f"stopped: {_done_by_then(made)}") from None


def _done_by_then(made: Sequence[Receipt]) -> str:
    if not made:
        return "nothing was changed"
    receipt, name = made[0], short(made[0].key_id)
    if not receipt.standing:
        return f"nothing was changed but for receipt {name}, which says that it {receipt.outcome}"
    change = f"{receipt.messages_before:,} → {receipt.messages_after:,} messages"
    score = "" if receipt.score is not None else "; its score is still to come"
    told = f"it is distilled all the same ({change}), receipt {name}{score}"
    return f"{told}. `everthread undo {name}` takes it back"


@contextmanager
def hush_warnings() -> Generator[None]:
    """Warnings go to who listens to the log, and not to the terminal too: the answer has them."""
    log, nobody = logging.getLogger("everthread"), logging.NullHandler()
    log.addHandler(nobody)
    try:
        yield
    finally:
        log.removeHandler(nobody)


@contextmanager
def stages() -> Generator[Callable[[str], None]]:
    """The stages of a distillation on stderr as they begin; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _stage: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from everthread.services.distilling.stages import STAGES

    columns = (TextColumn("distilling"), BarColumn(), TextColumn("{task.description}"))
    with Progress(
        *columns, TimeElapsedColumn(), console=console(sys.stderr), transient=True
    ) as bar:
        task = bar.add_task("", total=len(STAGES))
        yield lambda stage: bar.update(task, description=stage, completed=STAGES.index(stage) + 1)


@click.command(
    "undo",
    short_help="Take a distillation back.",
    epilog=examples("everthread undo 1a2b3c4d --dry-run", "everthread undo 1a2b3c4d"),
)
@click.argument("receipt", metavar="RECEIPT")
@click.option("--dry-run", is_flag=True, help="Only say what would be.")
@common
def undo_command(choice: Choice, receipt: str, *, dry_run: bool) -> None:
    """Take a distillation back everywhere it touched: its messages return into the view, its memories
    and its section of the daily file go. What was said since stays, and later distillations are made
    anew without it. `everthread redo` puts it back in force.

    RECEIPT is a receipt's id or any unique ending of it. Refused where the view would not fit.
    """
    opened = open_to_read if dry_run else open_engine
    with opened(choice) as engine, hush_warnings():
        done = engine.undo(_receipt_id(engine, choice, receipt), dry_run=dry_run)
    _show_reversal(choice, done, "undone", "come back into the view")


@click.command(
    "redo",
    short_help="Put a distillation that was undone back in force.",
    epilog=examples("everthread redo 1a2b3c4d --dry-run", "everthread redo 1a2b3c4d"),
)
@click.argument("receipt", metavar="RECEIPT")
@click.option("--dry-run", is_flag=True, help="Only say what would be.")
@common
def redo_command(choice: Choice, receipt: str, *, dry_run: bool) -> None:
    """Put a distillation that was undone back in force: as it was, or made anew where distillations
    before it were undone or redone meanwhile.

    RECEIPT is a receipt's id or any unique ending of it.
    """
    opened = open_to_read if dry_run else open_engine
    with opened(choice) as engine, hush_warnings():
        done = engine.redo(_receipt_id(engine, choice, receipt), dry_run=dry_run)
    _show_reversal(choice, done, "redone", "leave the view")


def _receipt_id(engine: Everthread, choice: Choice, receipt: str) -> str:
    """The receipt as it is meant: with --agent, one of that agent's."""
    if not choice.agent:
        return receipt
    return engine.known_agent(choice.agent).receipt(receipt).receipt.id


def _show_reversal(choice: Choice, done: Reversal, what: str, where: str) -> None:
    if choice.as_json:
        show_json(reversal_document(done))
        return
    would = "would be " if done.dry else ""
    say(f"receipt {short(done.receipt.key_id)} {would}{what}: {reversal_line(done, where)}")
    rows = [(name, value) for name, value in _rows(done) if value]
    if rows:
        show(pairs(rows))


def reversal_line(done: Reversal, where: str) -> str:
    """What it changes in the view, in one line."""
    change = f"{done.tokens_before:,} → {done.tokens_after:,} tokens"
    return f"{plural(done.messages, 'message')} {where}, {change} (at most {done.limit:,})"


def _left_memories(done: Reversal) -> list[str]:
    """Memories that stay as they are, and why."""
    told = zip(done.left, done.left_why, strict=True)
    return [f"memory {name.replace('-', '')[-8:]}: {why}" for name, why in told]


def _rows(done: Reversal) -> list[tuple[str, str]]:
    remade = ", ".join(f"number {number:,}" for number in done.remade)
    return [
        ("made anew", remade),
        ("memories", f"{done.memories:,}" if done.memories else ""),
        ("left alone", "\n".join(_left_memories(done))),
        ("files", "\n".join(done.files)),
        ("note", "\n".join(done.warnings)),
    ]
