"""`receipts`: what was distilled, what is left of it, and where every sentence came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import ReceiptUnknown
from everthread.domain.ids import short
from everthread.edges.documents.receipts import receipt_document, shown_document, sources_of

from .base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    common,
    examples,
    open_engine,
    open_to_read,
)
from .base.terminal import pairs, say, say_if_more, show, show_json
from .receipt_sentences import ended_views, sentence_views
from .receipt_view import (
    facts,
    late_line,
    lost_views,
    others_line,
    receipt_view,
    receipts_table,
    recoverable_views,
    trend_line,
    unscored_line,
)

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread
    from everthread.services.distilling.receipts import Shown

LIMIT = WholeNumber(1, 100_000)
LOOKED_AT = 20
"""Receipts of a thread that are looked through for one that has a number: refused ones have none."""


@click.group(
    "receipts",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="What was distilled, what was kept and what was lost.",
    epilog=examples(
        "everthread receipts --limit 5",
        "everthread receipts --all",
        "everthread receipts show 1a2b3c4d",
    ),
)
@click.option("--thread", metavar="KEY", help="Only those of this thread.")
@click.option(
    "--all", "all_", is_flag=True, help="Those of all threads; `--json` lists them anyway."
)
@click.option("--limit", type=LIMIT, default=50, show_default=True, help="How many at most.")
@common
def receipts(choice: Choice, thread: str | None, limit: int, *, all_: bool) -> None:
    """Every distillation leaves a receipt, also one that was refused, failed or was undone: newest
    first, with messages and tokens before and after and what of the conversation is kept in the
    context, can be recovered by a recall, or is lost. Those of the primary thread are listed, of
    the others it is told how many there are.

    An ID is an id or any unique ending of it.
    """
    context = click.get_current_context()
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    if thread is not None and all_:
        raise click.UsageError("--all is of all threads: leave out --thread, or --all")
    alone = thread is None and not all_ and not choice.as_json
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        every = agent.receipts(limit=limit + 1, thread=agent.primary if alone else thread)
        found, more = every[:limit], len(every) > limit
        keys = _keys(agent)
        others: Mapping[str, int] = _other_threads(agent) if alone else {}
        threshold = engine.house.policy.score_threshold
    if choice.as_json:
        told = [receipt_document(each, agent.name, keys) for each in found]
        document = {"agent": agent.name, "score_threshold": threshold, "receipts": told}
        show_json({**document, "more": more})
        return
    if found:
        show(receipts_table(found, keys if all_ else None))
        show(*trend_line(found, threshold))
        show(*late_line(found))
        show(*unscored_line(found))
        say_if_more(more=more)
    else:
        say("nothing was distilled yet: `everthread distill` does it now")
    show(*others_line(others))


@receipts.command(
    "show",
    short_help="One receipt: bars, sentences and their sources.",
    epilog=examples(
        "everthread receipts show",
        "everthread receipts show 1a2b3c4d",
        "everthread receipts show 1a2b3c4d --recoverable",
    ),
)
@click.argument("receipt", metavar="[ID]", required=False)
@click.option("--lost", is_flag=True, help="List all that is lost, not only what matters most.")
@click.option("--recoverable", is_flag=True, help="List what one recall brings back, too.")
@common
def show_command(choice: Choice, receipt: str | None, *, lost: bool, recoverable: bool) -> None:
    """One receipt: what fired, what is kept, recoverable and lost, the items that are lost with the
    message each stood in (rules, decisions and requests first), every sentence of the summary with the
    messages it came from, what was struck and why, timings, tokens, cost and files. It is found by its
    id, whichever agent it is of; without one it is the newest of the primary thread.
    """
    with open_to_read(choice) as engine:
        if receipt is None:
            receipt = _newest(agent_of(engine, choice))
        agent = _receipt_agent(engine, choice, receipt)
        shown = agent.receipt(receipt)
        sources = sources_of(engine, agent, shown.sentences)
        workspace = engine.house.workspace
        folder = None if workspace is None else workspace.path(agent.name)
        undo = _undo_text(agent, shown)
        threshold = engine.house.policy.score_threshold
    if choice.as_json:
        show_json(shown_document(shown, agent.name, sources))
        return
    show(*receipt_view(shown.receipt, shown.thread.key))
    if shown.receipt.outcome != "refused":  # which did nothing else to tell of
        show("", pairs(list(facts(shown, folder))))
    for part in lost_views(shown, undo, threshold, every=lost):
        show(*part)
    for part in recoverable_views(shown, recoverable=recoverable):
        show(*part)
    for part in ended_views(shown):
        show(*part)
    for part in sentence_views(shown.sentences, sources, agent.name, shown.text):
        show(*part)


def _undo_text(agent: Agent, shown: Shown) -> str:
    """Whether what is lost can be brought back; nothing where nothing is lost, or was taken back."""
    if not shown.lost or not shown.receipt.standing or shown.receipt.detail.get("purged"):
        return ""
    return agent.undo_offer(shown.receipt.id).says


@receipts.command(
    "dismiss",
    short_help="What it lost is not missed.",
    epilog=examples("everthread receipts dismiss 1a2b3c4d"),
)
@click.argument("receipt", metavar="ID")
@common
def dismiss_command(choice: Choice, receipt: str) -> None:
    """Say that what a distillation lost is not missed: `status` and `doctor` name it no more. The
    receipt and its messages stay as they are, and what is lost later is told again.
    """
    with open_engine(choice) as engine:
        agent = _receipt_agent(engine, choice, receipt)
        dismissed = agent.dismiss(receipt)
        keys = _keys(agent)
    if choice.as_json:
        show_json(receipt_document(dismissed, agent.name, keys))
    else:
        found = "what it lost is not missed; doctor names it no more"
        if dismissed.score is None:
            found = "it has no score; what a score finds lost will be told"
        say(f"receipt {short(dismissed.key_id)}: {found}")


def _newest(agent: Agent) -> str:
    for receipt in agent.receipts(limit=1, thread=agent.primary):
        return receipt.id
    raise ReceiptUnknown("nothing was distilled yet: `everthread distill` does it now")


def _receipt_agent(engine: Everthread, choice: Choice, receipt: str) -> Agent:
    """The agent that is named, else the one that has the receipt: its id says enough, as for `undo`."""
    return engine.known_agent(choice.agent) if choice.agent else engine.receipt_agent(receipt)


def _refuse_options(context: click.Context) -> None:
    given = click.core.ParameterSource.COMMANDLINE
    for name in ("thread", "all_", "limit"):
        if context.get_parameter_source(name) is given:
            option = name.rstrip("_")
            raise click.UsageError(f"--{option} goes with the list, not with one receipt")


def _other_threads(agent: Agent) -> Mapping[str, int]:
    """How often each thread but the primary was distilled; the last of its numbers tells."""
    told: dict[str, int] = {}
    for thread in agent.threads():
        if thread.kind == "primary":
            continue
        lately = agent.receipts(limit=LOOKED_AT, thread=thread)
        if number := max((each.number or 0 for each in lately), default=0):
            told[thread.key] = number
    return told


def _keys(agent: Agent) -> Mapping[int, str]:
    return {thread.ref: thread.key for thread in agent.threads()}
