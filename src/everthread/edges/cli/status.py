"""`status` and `threads`: how things stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from everthread.domain.ids import short
from everthread.domain.jobs import BY_WORKER

from .base.daemon_or_store import daemon_or_store
from .base.documents import messages_in, store_document, thread_document
from .base.options import Choice, agent_of, agents_of, common, examples, open_to_read, settings_of
from .base.remote import AgentAtDaemon, Document, remote_daemon, tell
from .base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    bytes_text,
    iso_time_text,
    meter,
    pairs,
    plural,
    say,
    show,
    show_json,
    styled,
    table,
    time_text,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.jobs import Job
    from everthread.engine import Everthread
    from everthread.ports.index import Counts
    from everthread.services.upkeep.report import AgentReport, DistillationReport, StoreReport
    from everthread.services.upkeep.shrink import Disk
    from everthread.wiring import EmbedderFacts


@click.command(
    "status",
    short_help="How things stand: the store, its agents, their threads.",
    epilog=examples("everthread status", "everthread status --agent ada --json"),
)
@common
def status_command(choice: Choice) -> None:
    """How things stand: the store's size, the work that waits, how recall goes, what a harness in this
    folder sees, and every agent's threads with the share of the model's window that each one fills.
    """
    if daemon := remote_daemon(choice):
        fields = ("agent", "model", "window", "session_count", "timeline_entries")
        tell(choice, daemon.get("status"), "agents", fields, "there is no agent yet")
        return
    from everthread.wiring import embedder_facts

    from .daemon import daemon_document, daemon_line
    from .project_status import project_document, project_line

    with open_to_read(choice) as engine:
        wanted = {agent.id for agent in agents_of(engine, choice)}
        report = engine.report()
        counts, unread = _index_counts(engine)
        lack = engine.house.index.lacks()
        here = project_document(engine, settings_of(choice))
    shown = [each for each in report.agents if each.agent.id in wanted]
    settings = settings_of(choice)
    facts = embedder_facts(settings)
    daemon = daemon_document(settings)
    if choice.as_json:
        document = store_document(report, shown, vocabulary=settings.vocabulary)
        show_json(
            {
                **document,
                "embedder": {
                    "usable": facts.usable and not lack,
                    "says": lack if facts.usable and lack else facts.line,
                    **counts._asdict(),
                },
                **({"index": unread} if unread else {}),
                "daemon": daemon,
                "here": here,
            }
        )
        return
    told = _recall(facts, counts, lack, running=bool(daemon["running"]))
    recall, served = ("recall", told), ("daemon", daemon_line(daemon))
    index = [("index", unread)] if unread else []
    now = [] if here is None else [("here", project_line(here, running=bool(daemon["running"])))]
    show(pairs([*_store(report, settings.vocabulary), *index, recall, served, *now]))
    if not shown:
        say("\nNo agents yet. From Python: everthread.connect().agent('ada')")
    for each in shown:
        show("", *agent_view(each))


@click.command(
    "threads",
    short_help="An agent's threads.",
    epilog=examples("everthread threads --agent ada"),
)
@common
def threads_command(choice: Choice) -> None:
    """An agent's threads: the primary one that never ends, background and ephemeral ones."""
    answer = daemon_or_store(choice, _threads_there, lambda: _threads_here(choice))
    if choice.as_json:
        show_json(answer)
    else:
        show(_threads(answer["threads"]))


def _threads_there(far: AgentAtDaemon) -> Document:
    answer = far.get()
    return {name: answer[name] for name in ("agent", "agent_id", "threads")}


def _threads_here(choice: Choice) -> Document:
    with open_to_read(choice) as engine:
        report = engine.report(agent_of(engine, choice)).agents[0]
    agent = report.agent
    return {"agent": agent.name, "agent_id": agent.id, "threads": _documents(report)}


def _documents(report: AgentReport) -> list[Document]:
    known = report.calibration
    return [thread_document(thread, report.agent.window, known) for thread in report.threads]


def _index_counts(engine: Everthread) -> tuple[Counts, str]:
    """How much is indexed, and how much of it has vectors; and why that is not known.

    Nothing where there is no index yet. One that cannot be read keeps nobody from seeing the rest: it
    is derived, and the next recall makes it anew.
    """
    from everthread.domain.errors import StoreFailed
    from everthread.ports.index import Counts

    house = engine.house
    model = None if house.embedder is None else house.embedder.name
    if not house.index.size():
        return Counts(0, 0), ""
    agents = engine.agents()
    try:
        found = [house.index.of(agent.row).counts(model) for agent in agents]
    except StoreFailed as wrong:
        return Counts(0, 0), str(wrong)
    return Counts(sum(each.cards for each in found), sum(each.embedded for each in found)), ""


def _recall(facts: EmbedderFacts, counts: Counts, lack: str, *, running: bool) -> str:
    if not facts.usable:
        return facts.line
    if lack:
        return f"by words alone: {lack}"
    left = counts.cards - counts.embedded
    who = "the daemon makes them soon" if running else "`everthread index` makes them"
    vectors = f"; {left:,} of {counts.cards:,} texts wait for their vectors: {who}" if left else ""
    return f"by words and meaning: {facts.line}{vectors}"


def _store(report: StoreReport, vocabulary: str) -> list[tuple[str, str | Text]]:
    size, messages = sum(report.size.values()), messages_in(report)
    parts = ", ".join(f"{name} {bytes_text(part)}" for name, part in report.size.items())
    each = f"; {size / messages:,.0f} bytes a message" if messages else ""
    return [
        ("store", report.location),
        ("disk", f"{bytes_text(size)} ({parts}){each}"),
        ("budget", _budget(report.disk)),
        *_shrunk_rows(report.disk),
        ("tokens", f"counted by the {vocabulary} vocabulary"),
        ("work", _work(report.jobs)),
    ]


def _budget(disk: Disk) -> str | Text:
    if not disk.budget:
        return "none (everthread config set disk_budget_mb)"
    told = f"{bytes_text(disk.used)} of {bytes_text(disk.budget)}"
    return meter(disk.used, disk.budget, told)


def _shrunk_rows(disk: Disk) -> list[tuple[str, str | Text]]:
    """What the budget cost so far."""
    if not disk.shrunk.bodies:
        return []
    outputs = plural(disk.shrunk.bodies, "output of a tool", "outputs of tools")
    return [("shrunk", f"{outputs} to both ends; {bytes_text(disk.shrunk.saved)} saved")]


def _work(jobs: Sequence[Job]) -> str:
    dead = [job for job in jobs if job.state == "dead"]
    waiting = len(jobs) - len(dead)
    lines = [f"{plural(waiting, 'job')} waiting: {BY_WORKER}" if waiting else "nothing waits"]
    lines += [
        f"{job.kind} was given up after {plural(job.attempts, 'attempt')}: {job.error}"
        for job in dead
    ]
    return "\n".join(lines)


def agent_view(report: AgentReport) -> Sequence[RenderableType]:
    """An agent for people: its threads, and where its conversation is."""
    agent = report.agent
    facts = ", ".join(
        [
            agent.model or "no model named",
            f"window {agent.window:,} tokens",
            plural(report.sessions, "session") + _threads_note(len(report.threads)),
            plural(report.entries, "timeline entry", "timeline entries"),
        ]
    )
    return (
        styled(("agent ", "dim"), (agent.name, "bold"), (f"  {facts}", "dim")),
        _threads(_documents(report)),
        "",
        pairs(_place(report)),
    )


def _threads_note(threads: int) -> str:
    """Sessions of background and ephemeral threads are counted too: that must be seen."""
    return f" on {plural(threads, 'thread')}" if threads > 1 else ""


def _threads(threads: Sequence[Document]) -> RenderableType:
    columns = [
        Column("thread", style="bold", folds=True),
        Column("kind", room=NARROW),
        Column("messages", room=NARROW, right=True),
        Column("turns", room=WIDE, right=True),
        Column("context"),
        Column("active (UTC)", room=USUAL),
    ]
    return table(columns, [_thread(thread) for thread in threads])


def _thread(thread: Document) -> list[str | Text]:
    return [
        thread["key"],
        thread["kind"],
        f"{thread['message_count']:,}",
        f"{thread['turn_count']:,}",
        meter(thread["context_tokens"], thread["window"]),
        iso_time_text(thread["last_activity"]),
    ]


def _place(report: AgentReport) -> list[tuple[str, str | Text]]:
    """Where the agent's primary thread is just now."""
    session = report.session
    sitting = "none is live; the next message opens one"
    if session is not None:
        where = f" on {session.channel}" if session.channel else ""
        sitting = (
            f"{session.alias}{where}, {session.state} since {time_text(session.started_ms)}, "
            f"{plural(session.message_count, 'message')}"
        )
    return [
        ("session", sitting),
        ("last turn", "none yet" if report.last_turn is None else _turn(report.last_turn)),
        ("open turn", "none" if report.open_turn is None else _turn(report.open_turn)),
        ("count", _count(report)),
        ("distilled", _distilled_text(report.distilled)),
        *_alarms(report.distilled),
    ]


def _turn(turn: TurnRow) -> str:
    told = f"number {turn.number:,}, {turn.state}, {time_text(turn.closed_ms or turn.opened_ms)}"
    told += f", {turn.context_tokens:,} tokens"
    return f"{told}: {turn.error}" if turn.error else told


def _distilled_text(distilled: DistillationReport) -> str:
    last, newest = distilled.last, distilled.newest
    told = "not yet"
    if last is not None:
        told = f"number {last.number:,}, {time_text(last.closed_ms)}, receipt {short(last.key_id)}"
        told += f", {last.tokens_before:,} → {last.tokens_after:,} tokens"
    if last is not None and last.score is not None:
        kept, found, lost = (100 * part for part in last.score[:3])
        told += f"; {kept:.0f} % kept, {found:.0f} % recoverable, {lost:.0f} % lost"
        late = 100 * last.score.unknown
        told += f", {late:.0f} % not asked for in time" if last.score.unprobed else ""
    if newest is not None and newest.outcome == "open":
        told += f"; one is being made since {time_text(newest.opened_ms)}, receipt {short(newest.key_id)}"
    elif newest is not None and newest is not last:
        told += f"; the newest is {newest.outcome}"
    return told


def _alarms(distilled: DistillationReport) -> list[tuple[str, str | Text]]:
    """What should not be overlooked; `doctor` says what to do about it."""
    rows: list[tuple[str, str | Text]] = []
    if distilled.alarming:
        text = f"{_alarming_text(distilled)}: everthread doctor"
        rows.append(("alarm", styled((text, "bold red"))))
    if distilled.missing:
        from everthread.services.upkeep.losses import missing_sentences

        style = "bold red" if distilled.alarm else "yellow"
        told = [f"{each}: everthread doctor" for each in missing_sentences(distilled.missing)]
        rows += [("missing", styled((each, style))) for each in told]
    if distilled.waiting:
        text = f"{plural(distilled.waiting, 'flush', 'flushes')} not written yet: everthread doctor"
        rows.append(("files", styled((text, "yellow"))))
    return rows


def _alarming_text(distilled: DistillationReport) -> str:
    count = len(distilled.alarming)
    if count > 1:
        return f"{count:,} distillations lost more than they may"
    only = distilled.alarming[0]
    which = "the last distillation" if only is distilled.last else f"receipt {short(only.key_id)}"
    return f"{which} lost more than it may"


def _count(report: AgentReport) -> str:
    known = report.calibration
    if not known.samples:
        return "by the vocabulary alone; reported usage would calibrate it"
    more = round(known.overhead)
    return (
        f"calibrated by {plural(known.samples, 'report')} of the provider: "
        f"{known.factor:.3f} × the vocabulary's" + (f" and {more:,} tokens more" if more else "")
    )
