"""`remember` and `forget`: keep a memory, or let go of one without showing it."""

from __future__ import annotations

import sys
from typing import Any

import click

from everthread.domain.errors import BadInput
from everthread.domain.memory.memories import KINDS, LONGEST_TEXT
from everthread.edges.documents.kept import forgotten_document, kept_document

from .base.daemon_or_store import daemon_or_store
from .base.documents import said_document
from .base.exits import Declined
from .base.options import Choice, agent_of, agent_to_tell, common, examples, open_engine
from .base.remote import AgentAtDaemon, Document, absolute_folder, short_id
from .base.terminal import confirm, say, show_json

KIND = click.Choice(list(KINDS))
LONGEST = 100
"""Characters of a text that is shown for comparison: enough to know it again."""

BESIDE = 3
"""So many others on the same matter are shown."""


@click.command(
    "remember",
    short_help="Keep a memory.",
    epilog=examples(
        'everthread remember "Prefers tabs" --kind preference',
        'everthread remember "critical: [release]: never tag on a Friday" --kind rule',
        "git log -1 --format=%s | everthread remember - --kind decision",
        'everthread remember "The standup is at 10:15" --replaces 1a2b3c4d',
    ),
)
@click.argument("text")
@click.option("--kind", type=KIND, default="fact", show_default=True, help="What it is.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be repeated.")
@click.option("--project", metavar="FOLDER", help="Only for work in this project.")
@click.option("--user-wide", is_flag=True, help="For every agent of yours.")
@click.option(
    "--replaces",
    multiple=True,
    metavar="ID",
    help="A memory whose place it takes; may be repeated.",
)
@click.option("--source", "sources", multiple=True, metavar="ID", help="A message it came from.")
@common
def remember_command(
    choice: Choice, text: str, project: str | None, *, user_wide: bool, **details: Any
) -> None:
    """Keep TEXT as a memory; `-` reads it from the standard input.

    `critical:` before the text pins it, `[tag, tag]:` tags it. What says the same is merged, what it
    plainly contradicts or --replaces is superseded, secrets are taken out. Others that may be about
    the same thing are shown. Files of the project that the text names are noted as they are now, so
    that recall can tell when they have changed.
    """
    if project is not None and user_wide:
        raise BadInput("a memory is for one project or user-wide, not both")
    said = text_or_stdin(text)
    details["scope"] = "user" if user_wide else "agent" if project is None else "project"
    answer = daemon_or_store(
        choice,
        lambda far: far.post(
            "memories",
            text=said,
            project=_noted_folder(far, project),
            beside=BESIDE,
            **details,
        ),
        lambda: _remember_in_store(choice, said, project, details),
        look="everthread memories list",
    )
    if choice.as_json:
        show_json(answer)
    else:
        say(_kept_line(answer))
        for old in answer["supersedes"]:
            say(f"  supersedes {_replaced_line(choice, old)}")
        _show_beside(answer)


def _show_beside(answer: Document) -> None:
    """What else is known of the matter, for a person to compare."""
    others: list[Document] = answer.get("beside", [])  # an older daemon tells none
    for other in others:
        say(f"  beside {_line_of(other)}")
    if others:
        say("  If it takes the place of one, say the same with --replaces and that id.")


def _noted_folder(far: AgentAtDaemon, project: str | None) -> str | None:
    """The folder whose files it speaks of: of another machine's only the one that is named."""
    return far.project if project is None and far.here else absolute_folder(project)


def _remember_in_store(
    choice: Choice, said: str, project: str | None, details: dict[str, Any]
) -> Document:
    from everthread.wiring import project_folder

    with open_engine(choice, create=True) as engine:
        agent = agent_to_tell(engine, choice)
        folder = project_folder() if project is None else project
        memory = agent.remember(said, project=folder, **details)
        return kept_document(agent, memory, BESIDE)


def _replaced_line(choice: Choice, memory: str) -> str:
    """What holds no more, as people know it again: its id and its first words."""
    old = daemon_or_store(
        choice, lambda far: far.get("memories", memory), lambda: _memory_from_store(choice, memory)
    )
    return _line_of(old)


def _line_of(memory: Document) -> str:
    text = " ".join(str(memory["text"]).split())
    return f"{short_id(memory)}: {text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}"


def text_or_stdin(text: str) -> str:
    """What was given as an argument, or `-` for what comes by the standard input."""
    if text != "-":
        return text
    try:
        return sys.stdin.read(LONGEST_TEXT + 1)
    except UnicodeDecodeError as wrong:
        raise BadInput("what comes by the standard input is not text in UTF-8") from wrong


def _kept_line(kept: Document) -> str:
    how = f"said {kept['said']} times" if kept["said"] > 1 else "remembered"
    if kept["state"] == "superseded":  # its messages are older than what stands
        how = f"said before {short_id({'id': kept['superseded_by']})}, which stands"
    also = [
        *(["pinned"] if kept["pinned"] else []),
        *(["without the secret in it"] if "redacted" in kept["tags"] else []),
    ]
    return f"{short_id(kept)}  {', '.join([how, kept['kind'], *also])} for {kept['agent']}"


@click.command(
    "forget",
    short_help="Let go of a memory, unseen.",
    epilog=examples("everthread forget 1a2b3c4d", "everthread forget 1a2b3c4d --yes"),
)
@click.argument("memory", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def forget_command(choice: Choice, memory: str, *, yes: bool) -> None:
    """Forget a memory by its ID, or any unique ending of it, without showing its text.

    All its versions lose their text for good, as do notes that say the same. The messages it came from,
    and those that say the same, stay in their threads and are recalled no more; `everthread erase`
    removes them. What may still say it in other words is named, and stays.
    """
    if not yes:
        found = daemon_or_store(
            choice,
            lambda far: far.get("memories", memory),
            lambda: _memory_from_store(choice, memory),
        )
        _confirm(found)
        memory = found["id"]
    answer = daemon_or_store(
        choice,
        lambda far: far.delete("memories", memory),
        lambda: _forget_in_store(choice, memory),
        look=f"everthread memories show {memory}",
    )
    if choice.as_json:
        show_json(answer)
    else:
        say(f"{short_id(answer)}  forgotten")
        left = [f"{each['kind']} {short_id(each)}" for each in answer.get("left", ())]
        if left:
            say(f"these may still say it in other words: {', '.join(left)}")


def _memory_from_store(choice: Choice, memory: str) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memory(memory)
        return said_document(found, agent.said_at([found])[0])


def _forget_in_store(choice: Choice, memory: str) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memory(memory)
        return forgotten_document(agent, found.id)


def _confirm(memory: Document) -> None:
    """Ask a person; where none is there, only --yes will do."""
    said = memory.get("said_at", memory["created_at"])  # an older daemon does not know
    what = f"{memory['kind']} {short_id(memory)} of {said[:10]}"
    if not sys.stdin.isatty():
        raise BadInput(f"forgetting {what} cannot be undone, and nobody is here to ask: say --yes")
    if not confirm(f"This forgets {what}, for good. Go on?"):
        raise Declined("nothing was forgotten")
