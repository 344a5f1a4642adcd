"""What the audit of a task shows: its sessions, its checkpoints, its timeline, whether its files are true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.errors import CheckpointUnknown
from everthread.domain.ids import short
from everthread.edges.cli.base.documents import entry_document
from everthread.edges.cli.base.exits import NO
from everthread.edges.cli.base.options import Choice, open_engine, project_here
from everthread.edges.cli.base.remote import tell
from everthread.edges.cli.base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    say,
    say_if_more,
    show,
    show_json,
    table,
    time_text,
)
from everthread.edges.documents.tasks import (
    checked_document,
    checkpoint_file_document,
    sitting_document,
)

from .lifecycle import task_here
from .remote import task_there
from .task_agent import agent_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.domain.timeline import Entry
    from everthread.services.tasks.status import SessionRelations

SAT = ("session_id", "state", "current_gate", "started_at", "checkpoint_count")
MARKED = ("checkpoint_id", "type", "gate", "summary")


def list_sessions(choice: Choice, slug: str, limit: int) -> None:
    """`sessions list --task`."""
    if far := task_there(choice, slug):
        tell(
            choice, far.get("sessions", limit=limit), "sessions", SAT, "nobody has worked at it yet"
        )
        return
    with open_engine(choice) as engine:
        agent = agent_with(engine, choice, slug, project_here())
        every = agent.task(slug, project=project_here()).sessions(limit=limit + 1)
    found, more = every[:limit], len(every) > limit
    if choice.as_json:
        told = [sitting_document(sat, agent.name) for sat in found]
        show_json({"sessions": told, "more": more}, raw=True)
    elif found:
        show(_sessions(found))
        say_if_more(more=more)
    else:
        say(f"nobody has worked at {slug} yet: everthread task start {slug}")


def _sessions(found: Sequence[SessionRelations]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("state"),
        Column("outcome"),
        Column("gate"),
        Column("started (UTC)", room=NARROW),
        Column("points", room=WIDE, right=True),
        Column("health", room=USUAL),
        Column("after", room=USUAL),
    ]
    rows = [
        [
            short(sat.session.key_id),
            sat.session.state,
            sat.sitting.outcome or "–",
            sat.session.gate or "–",
            time_text(sat.session.started_ms),
            str(sat.session.checkpoint_count),
            sat.sitting.health,
            "–" if sat.parent is None else short(sat.parent.key_id),
        ]
        for sat in found
    ]
    return table(columns, rows)


def timeline(choice: Choice, slug: str, limit: int) -> None:
    """`sessions timeline --task`."""
    if far := task_there(choice, slug):
        told = far.get("timeline", limit=limit)
        tell(choice, told, "entries", ("n", "at", "event", "subject"), "nothing happened yet")
        return
    with open_engine(choice) as engine:
        every = task_here(engine, choice, slug).timeline(limit=limit + 1)
    entries, more = every[-limit:], len(every) > limit
    if choice.as_json:
        told = [entry_document(entry) for entry in entries]
        show_json({"entries": told, "more": more}, raw=True)
    else:
        show(_entries(entries))
        say_if_more(more=more)


def _entries(entries: Sequence[Entry]) -> RenderableType:
    columns = [
        Column("n", right=True),
        Column("at (UTC)"),
        Column("event", style="bold"),
        Column("about", room=NARROW),
        Column("hash", room=USUAL),
    ]
    rows = [
        [f"{e.n:,}", time_text(e.at_ms), e.event, short(e.subject), e.hash.hex()[:16]]
        for e in entries
    ]
    return table(columns, rows)


def list_checkpoints(choice: Choice, slug: str, limit: int) -> None:
    """`checkpoints list --task`."""
    if far := task_there(choice, slug):
        told = far.get("checkpoints", limit=limit)
        tell(choice, told, "checkpoints", MARKED, "no checkpoints yet")
        return
    with open_engine(choice) as engine:
        task = task_here(engine, choice, slug)
        every = task.checkpoints(limit=limit + 1)
        found, more = every[:limit], len(every) > limit
        told = [checkpoint_file_document(each, task.document(each)) for each in found]
    if choice.as_json:
        show_json({"checkpoints": told, "count": len(told), "more": more}, raw=True)
    elif found:
        show(_checkpoints(found, [str(document.get("summary", "")) for document in told]))
        say_if_more(more=more)
    else:
        say("no checkpoints yet: everthread task start, then task checkpoint")


def _checkpoints(found: Sequence[Checkpoint], summaries: Sequence[str]) -> RenderableType:
    columns = [
        Column("checkpoint", style="bold"),
        Column("type"),
        Column("gate"),
        Column("written (UTC)", room=USUAL),
        Column("summary", room=NARROW, folds=True),
    ]
    rows = [
        [each.alias or "–", each.kind, each.gate or "–", time_text(each.created_ms), summary]
        for each, summary in zip(found, summaries, strict=True)
    ]
    return table(columns, rows)


def show_checkpoint(choice: Choice, slug: str | None, alias: str) -> None:
    """`checkpoints show ckpt-…`: what its file holds."""
    with open_engine(choice) as engine:
        task = task_here(engine, choice, slug)
        found = next((c for c in task.checkpoints(limit=100_000) if c.alias == alias), None)
        if found is None:
            raise CheckpointUnknown(
                f"{task.slug} has no checkpoint {alias!r:.60}; "
                f"`everthread checkpoints list --task {task.slug}` shows what there is"
            )
        text = task.document(found)
    show_json(checkpoint_file_document(found, text), raw=True)


def verify_files(choice: Choice, slug: str | None, *, repair: bool) -> None:
    """`checkpoints verify`: exits with 1 where something is wrong and stays so."""
    with open_engine(choice) as engine:
        found = task_here(engine, choice, slug).verify(repair=repair)
    if choice.as_json:
        show_json(checked_document(found), raw=True)
    else:
        for problem in found.problems:
            done = " (repaired)" if problem.repaired else ""
            say(f"{problem.path}: {problem.problem}{done}")
        verdict = "all is as the store says" if found.ok else "run it with --repair"
        say(f"{found.task.slug}: {found.checkpoints} checkpoints, {verdict}")
    if not found.ok:
        click.get_current_context().exit(NO)
