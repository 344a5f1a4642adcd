"""`erase`: the one way by which what was said goes for good."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import BadInput

from .base.documents import tombstone_document
from .base.exits import Declined
from .base.options import Choice, common, examples, open_engine
from .base.terminal import plural, say, show_json

if TYPE_CHECKING:
    from everthread.engine import Agent


@click.command(
    "erase",
    short_help="Remove what was said, for good.",
    epilog=examples(
        "everthread erase --agent ada --thread heartbeat:morning",
        "everthread erase --agent ada --reason 'asked by Mel' --yes",
    ),
)
@click.option("--thread", metavar="KEY", help="Only this thread; without it, all of the agent's.")
@click.option("--reason", metavar="TEXT", help="Why; it stays on the tombstone.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def erase_command(choice: Choice, thread: str | None, reason: str | None, *, yes: bool) -> None:
    """Remove for good what was said on one thread, or on all threads of an agent. Cannot be undone.

    A tombstone stays, and the timeline still verifies. The agent lives on: a new primary thread takes
    the place of the old. The agent must be named with --agent; nobody is erased by default. What lies
    in the task folders of projects stays, and is listed.
    """
    if not choice.agent:
        raise click.UsageError("name the agent with --agent", ctx=click.get_current_context())
    with open_engine(choice) as engine:
        from everthread.services.places import places_behind

        agent = engine.known_agent(choice.agent)
        if not yes:
            _confirm(agent, thread)
        stones = engine.erase(agent, thread=thread, reason=reason)
        left = agent.task_files() if any(s.what.startswith("primary") for s in stones) else []
        # People are told by the log, when it is noticed.
        later = [one.told for one in places_behind(engine.house) if one.agent == agent.scope.agent]
    if choice.as_json:
        erased = [tombstone_document(each) for each in stones]
        told = {"agent": agent.name, "erased": erased, "files_left": left}
        show_json({**told, "files_elsewhere": later})
    else:
        messages = plural(sum(stone.messages for stone in stones), "message")
        say(f"erased {messages} on {plural(len(stones), 'thread')} of {agent.name}")
        if left:
            # They lie in projects, perhaps committed, so that we leave them alone.
            say("not removed, for it lies in projects: these are yours to remove")
        for file in left:
            say(f"  {file}")


def _confirm(agent: Agent, thread: str | None) -> None:
    """Ask a person; where none is there, only --yes will do."""
    what = f"thread {thread!r} of {agent.name}" if thread else f"everything said to {agent.name}"
    if not sys.stdin.isatty():
        raise BadInput(f"erasing {what} cannot be undone, and nobody is here to ask: say --yes")
    prompt = f"This erases {what}, for good. Type the agent's name to go on"
    if click.prompt(prompt, err=True, default="", show_default=False) != agent.name:
        raise Declined("that is not the agent's name; nothing was erased")
