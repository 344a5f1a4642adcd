"""`scorer`: what was learnt about which memories help, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from everthread.edges.documents.scorer import scorer_document

from .options import Choice, Ordered, agent_of, common, examples, help_if_alone, opened
from .remote import tell_facts, there
from .terminal import Column, counted, pairs, say, show, show_json, table, when

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.scorer.lift import Difference, Share
    from everthread.services.scorer.report import Lift, ScorerReport


@click.group(
    "scorer",
    cls=Ordered,
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
    if far := there(choice):
        tell_facts(choice, far.get("scorer"))
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        told = agent.scorer()
    if choice.as_json:
        show_json({"agent": agent.name, **scorer_document(told)})
        return
    show(pairs(_lines(told)))
    if told.weights:
        rows = [[name, f"{value:+.3f}"] for name, value in told.weights]
        show("", table([Column("what counts"), Column("weight", right=True)], rows))
    if any(lift.withheld.of for lift in told.lifts):
        show("", _lifts(told.lifts))


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
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        done = agent.learn()
    if choice.as_json:
        show_json({"agent": agent.name, "judged": done.judged, "learnt": done.learnt})
        return
    more = "; there are more: call it again" if done.left else ""
    say(f"{counted(done.judged, 'session')} judged, learnt from {done.learnt}{more}")


def _lines(told: ScorerReport) -> list[tuple[str, str]]:
    ranking = told.ranking
    lines = [
        ("mode", f"{told.standing.mode}: {told.standing.why}"),
        (
            "influence",
            f"{told.standing.influence:.0%} of a memory's score; the cap is {told.cap:.0%}",
        ),
        (
            "sessions",
            f"{told.judged:,} judged, {told.unsure:,} of them told too little; "
            f"learnt from {told.sessions:,}",
        ),
    ]
    if ranking.sessions:
        lines += [
            (
                "success",
                f"{ranking.success:.0%} of the last {ranking.sessions} measured were ranked no worse",
            ),
            (
                "NDCG@10",
                f"{ranking.plain:.3f} without, {ranking.learned:.3f} with it "
                f"({ranking.gain:+.3f}, standard error {ranking.error:.3f})",
            ),
        ]
    lines.append(("hold-out", _holdout(told)))
    lines.append(("told again", _recovery(told)))
    if told.updated_ms is not None:
        lines.append(("last learnt", f"{when(told.updated_ms)} UTC"))
    return lines


def _holdout(told: ScorerReport) -> str:
    if not told.holdout_percent:
        return "off (scorer_holdout_percent is 0)"
    return f"{told.holdout_percent:g} % of recalled memories are withheld"


def _recovery(told: ScorerReport) -> str:
    found = told.recovery
    recovered = _mean(found.recovered_mean, found.recovered, "recovered")
    cold = _mean(found.cold_mean, found.cold, "cold")
    return f"{recovered}; {cold}; difference {_between(found.difference)}"


def _mean(mean: float | None, sessions: int, what: str) -> str:
    if mean is None:
        return f"no {what} session yet"
    return f"{mean:.2f} times in {counted(sessions, f'{what} session')}"


def _between(told: Difference | None) -> str:
    if told is None:
        return "not known yet"
    return f"{told.value:+.2f} (95 %: {told.low:+.2f} to {told.high:+.2f})"


def _lifts(lifts: Sequence[Lift]) -> RenderableType:
    columns = [
        Column("lift"),
        Column("given", right=True),
        Column("withheld", right=True),
        Column("difference (95 %)", right=True),
    ]
    rows = [
        [lift.what, _share(lift.given), _share(lift.withheld), _between(lift.difference)]
        for lift in lifts
    ]
    return table(columns, rows)


def _share(share: Share) -> str:
    return f"{share.hits:,} of {share.of:,}"
