"""`scorer`: what was learnt about which memories help, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from everthread.edges.documents.scorer import scorer_document

from .base.daemon_or_store import daemon_or_store
from .base.options import (
    Choice,
    OrderedGroup,
    agent_of,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
)
from .base.remote import Document
from .base.terminal import Column, iso_time_text, pairs, plural, say, show, show_json, table

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.group(
    "scorer",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="What was learnt about which memories help.",
)
@common
def scorer(_choice: Choice) -> None:
    """A small model learns, on this machine alone, which memories help. It ranks memories only, up to
    its cap, and only while that was seen to help; the setting `scorer` switches it off.
    """
    help_if_alone()


@scorer.command(
    "report",
    short_help="Whether it is used, why, and what it is worth.",
    epilog=examples("everthread scorer report", "everthread scorer report --json"),
)
@common
def report_command(choice: Choice) -> None:
    """Whether memories are ranked by what was learnt, and how sure it is that this helps: NDCG@10 of the
    last sessions without and with it, each measured before it was learnt from; the lift of what is given
    over what the hold-out withheld; sessions that began with recovery against cold ones.
    """
    told = daemon_or_store(choice, lambda far: far.get("scorer"), lambda: _report(choice))
    if choice.as_json:
        show_json(told)
        return
    show(pairs(_lines(told)))
    if told["weights"]:
        rows = [[name, f"{value:+.3f}"] for name, value in told["weights"].items()]
        show("", table([Column("what counts"), Column("weight", right=True)], rows))
    if any(lift["withheld"]["of"] for lift in told["holdout"]["lift"]):
        show("", _lifts(told["holdout"]["lift"]))


def _report(choice: Choice) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        return {"agent": agent.name, **scorer_document(agent.scorer())}


@scorer.command(
    "learn",
    short_help="Learn now from the sessions that are over.",
    epilog=examples("everthread scorer learn"),
)
@common
def learn_command(choice: Choice) -> None:
    """Judge the sessions that are over and learn from them now. Nobody has to call this: where a daemon
    or a worker runs, it is done every ten minutes. Each session counts once.
    """
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        done = agent.learn()
    if choice.as_json:
        show_json({"agent": agent.name, "judged": done.judged, "learnt": done.learnt})
        return
    more = "; there are more: call it again" if done.left else ""
    say(f"{plural(done.judged, 'session')} judged, learnt from {done.learnt}{more}")


def _lines(told: Document) -> list[tuple[str, str]]:
    ranking, sessions = told["ranking"], told["sessions"]
    lines = [
        ("mode", f"{told['mode']}: {told['why']}"),
        (
            "influence",
            f"{told['influence']:.0%} of a memory's score; the cap is {told['cap']:.0%}",
        ),
        (
            "sessions",
            f"{sessions['judged']:,} judged, {sessions['unsure']:,} of them told too little; "
            f"learnt from {sessions['learnt']:,}",
        ),
    ]
    if ranking["sessions"]:
        lines += [
            (
                "success",
                f"{ranking['success_rate']:.0%} of the last {ranking['sessions']} measured were "
                "ranked no worse",
            ),
            (
                "NDCG@10",
                f"{ranking['ndcg_plain']:.3f} without, {ranking['ndcg_learned']:.3f} with it "
                f"({ranking['gain']:+.3f}, standard error {ranking['standard_error']:.3f})",
            ),
        ]
    lines.append(("hold-out", _holdout(told["holdout"]["percent"])))
    lines.append(("told again", _recovery(told["recovery"])))
    if told["updated_at"] is not None:
        lines.append(("last learnt", f"{iso_time_text(told['updated_at'])} UTC"))
    return lines


def _holdout(percent: float) -> str:
    if not percent:
        return "off (scorer_holdout_percent is 0)"
    return f"{percent:g} % of recalled memories are withheld"


def _recovery(found: Document) -> str:
    recovered = _mean(found["novel_context_recovered"], found["recovered"], "recovered")
    cold = _mean(found["novel_context_cold"], found["cold"], "cold")
    return f"{recovered}; {cold}; difference {_interval_text(found['difference'])}"


def _mean(mean: float | None, sessions: int, what: str) -> str:
    if mean is None:
        return f"no {what} session yet"
    return f"{mean:.2f} times in {plural(sessions, f'{what} session')}"


def _interval_text(told: Document | None) -> str:
    if told is None:
        return "not known yet"
    return f"{told['value']:+.2f} (95 %: {told['low']:+.2f} to {told['high']:+.2f})"


def _lifts(lifts: Sequence[Document]) -> RenderableType:
    columns = [
        Column("lift"),
        Column("given", right=True),
        Column("withheld", right=True),
        Column("difference (95 %)", right=True),
    ]
    rows = [
        [
            lift["what"],
            _share(lift["given"]),
            _share(lift["withheld"]),
            _interval_text(lift["difference"]),
        ]
        for lift in lifts
    ]
    return table(columns, rows)


def _share(share: Document) -> str:
    return f"{share['hits']:,} of {share['of']:,}"
