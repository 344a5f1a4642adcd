"""`checkpoints`: where sessions stood; list, show, and put one down by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from everthread.domain.ids import short
from everthread.edges.documents.checkpoints import checkpoint_document

from .base.daemon_or_store import daemon_or_store, without_agent
from .base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
)
from .base.remote import AgentAtDaemon, Document, absolute_folder, short_id
from .base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    iso_time_text,
    say,
    show,
    show_json,
    show_list,
    styled,
    table,
    time_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.engine import Agent, Everthread

LIMIT = WholeNumber(1, 1_000)


@click.group(
    "checkpoints",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="Where sessions in a harness stood.",
)
@common
def checkpoints(_choice: Choice) -> None:
    """A checkpoint says where a session in a harness stood: what was asked, what is open, which files,
    commands and errors there were. They are written by themselves while you work; the next session
    begins with the last one.
    """
    help_if_alone()


@checkpoints.command("list", epilog=examples("everthread checkpoints list --limit 5"))
@click.option("--session", metavar="ID", help="Only those of this session.")
@click.option("--project", metavar="FOLDER", help="Only those of this project.")
@click.option("--task", "slug", metavar="SLUG", help="Only those of this task.")
@click.option("--limit", type=LIMIT, default=10, show_default=True, help="How many at most.")
@common
def list_command(
    choice: Choice, session: str | None, project: str | None, slug: str | None, limit: int
) -> None:
    """The newest checkpoints, newest first."""
    if slug is not None:
        from .tasks.audit import list_checkpoints

        list_checkpoints(choice, slug, limit)
        return
    answer = daemon_or_store(
        choice,
        lambda far: _list_from_daemon(far, session, project, limit),
        lambda: _list_from_store(choice, session, project, limit),
    )
    none = _why_none(session, project)
    show_list(answer, "checkpoints", _table, none, as_json=choice.as_json, raw=True)


def _list_from_daemon(
    far: AgentAtDaemon, session: str | None, project: str | None, limit: int
) -> Document:
    answer = far.get("checkpoints", session=session, project=absolute_folder(project), limit=limit)
    return {**answer, "checkpoints": [without_agent(each) for each in answer["checkpoints"]]}


def _list_from_store(
    choice: Choice, session: str | None, project: str | None, limit: int
) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        every = agent.checkpoints(session=session, project=project, limit=limit + 1)
        found = every[:limit]
        sessions = sessions_of(engine, agent, found)
        texts = [agent.checkpoint_text(each) if choice.as_json else "" for each in found]
    told = [
        checkpoint_document(each, sessions[each.session_ref], text)
        for each, text in zip(found, texts, strict=True)
    ]
    return {"checkpoints": told, "count": len(told), "more": len(every) > limit}


def _why_none(session: str | None, project: str | None) -> str:
    """Why there is nothing to show: it may be what was asked for."""
    if session is not None:
        return "no checkpoints of this session; without --session there are those of all"
    if project is None:
        return "no checkpoints yet: sessions in a harness leave them (`everthread install`)"
    folder = Path(project).absolute()
    why = "no checkpoints of the project" if folder.is_dir() else "there is no folder"
    return f"{why} {folder}; without --project there are those of all"


@checkpoints.command(
    "show",
    short_help="What one says.",
    epilog=examples("everthread checkpoints show 1a2b3c4d"),
)
@click.argument("checkpoint", metavar="ID")
@click.option("--task", "slug", metavar="SLUG", help="The task, where ID is one of its names.")
@common
def show_command(choice: Choice, checkpoint: str, slug: str | None) -> None:
    """What one checkpoint says. An ID is an id or any unique ending of it; ckpt-… is one of a task."""
    if checkpoint.startswith("ckpt-"):
        from .tasks.audit import show_checkpoint

        show_checkpoint(choice, slug, checkpoint)
        return
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.find_checkpoint(checkpoint)
        session = sessions_of(engine, agent, [found])[found.session_ref]
        text = agent.checkpoint_text(found)
    if choice.as_json:
        show_json(checkpoint_document(found, session, text), raw=True)
        return
    head = f"{found.kind}, {time_text(found.created_ms)} UTC, session {short(session.key_id)}"
    show(styled((head, "bold")), styled((text or "(its text was forgotten)", "")))


@checkpoints.command(
    "verify",
    short_help="Do a task's files say what the store says?",
    epilog=examples("everthread checkpoints verify --task parser-rewrite --repair"),
)
@click.option("--task", "slug", metavar="SLUG", help="The task; the one open task otherwise.")
@click.option("--repair", is_flag=True, help="Make the files anew from the store.")
@common
def verify_command(choice: Choice, slug: str | None, repair: bool) -> None:  # noqa: FBT001 - click gives it by name
    """Compare the files of a task with the store: a flipped byte, a missing file, a stale index. What
    `--repair` replaces is moved aside, never removed. Exits with 1 if something is wrong.
    """
    from .tasks.audit import verify_files

    verify_files(choice, slug, repair=repair)


@checkpoints.command(
    "add",
    short_help="Put one down now.",
    epilog=examples(
        'everthread checkpoints add "parser works, writer is next"',
        'everthread checkpoints add "release is cut" --decision "tag 2.1" --next "announce it"',
    ),
)
@click.argument("text", required=False)
@click.option("--session", metavar="ID", help="Of this session; the newest one otherwise.")
@click.option("--decision", "decisions", multiple=True, help="A decision; may be repeated.")
@click.option("--blocker", "blockers", multiple=True, help="What is in the way; may be repeated.")
@click.option("--next", "next_steps", multiple=True, help="What comes next; may be repeated.")
@common
def add_command(
    choice: Choice,
    text: str | None,
    session: str | None,
    decisions: tuple[str, ...],
    blockers: tuple[str, ...],
    next_steps: tuple[str, ...],
) -> None:
    """Put down where the session stands: what you say, and what was seen in it."""
    told: Document = {
        "decisions": decisions,
        "blockers": blockers,
        "next_steps": next_steps,
    }
    answer = daemon_or_store(
        choice,
        lambda far: without_agent(far.post("checkpoints", text=text, session=session, **told)),
        lambda: _add_to_store(choice, text, session, told),
        look="everthread checkpoints list",
    )
    if choice.as_json:
        show_json(answer, raw=True)
    else:
        say(f"checkpoint {short_id(answer)} of session {short_id(answer, 'session_id')}")


def _add_to_store(
    choice: Choice, text: str | None, session: str | None, told: Document
) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        made = agent.checkpoint(text, session=session, **told)
        where = sessions_of(engine, agent, [made])[made.session_ref]
        return checkpoint_document(made, where, agent.checkpoint_text(made))


def sessions_of(
    engine: Everthread, agent: Agent, found: Sequence[Checkpoint]
) -> dict[int, Session]:
    """The sessions that these speak of."""
    refs = {each.session_ref for each in found}
    return engine.house.store.read(
        lambda r: {ref: r.sessions.get(agent.scope, ref) for ref in refs}
    )


def _table(found: Sequence[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("written (UTC)", room=NARROW),
        Column("prompts", room=USUAL, right=True),
        Column("session", room=USUAL),
        Column("harness", room=WIDE),
        Column("project", room=WIDE, folds=True),
    ]
    rows = [
        [
            short_id(each),
            each["kind"],
            iso_time_text(each["created_at"]),
            f"{each['total_prompts']:,}",
            short_id(each, "session_id"),
            each["harness"] or "–",
            each["project"] or "–",
        ]
        for each in found
    ]
    return table(columns, rows)
